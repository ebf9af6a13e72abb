package chat

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"paddock/engine/client"
	"paddock/engine/gguf"
	"paddock/words"
)

func TestSettingsGoToTheEngineAndStayWithTheChat(t *testing.T) {
	state := ready
	state.Model.TemplateKnows = []string{"chat", gguf.KnowsThinking}
	inTime(t, state, func(b *bench) {
		half, some, one, seed, most, off := 0.5, 20, 1.1, int64(7), 100, false
		want := Settings{
			System: "Be brief.", Schema: `{"type":"object"}`, Thinking: &off,
			Sampling: Sampling{Temperature: &half, TopP: &half, TopK: &some, MinP: &half, RepeatPenalty: &one, Seed: &seed, MaxTokens: &most},
		}
		s := b.do(func() { b.p.SetSettings(want) })
		if !reflect.DeepEqual(s.Settings, want) || !s.SettingsChanged || s.Preset != "" || len(s.Conversations) != 0 {
			b.Errorf("got %+v", s.Settings)
		}
		b.send("hello")
		b.last()
		r := b.engine.asked()[0]
		if *r.Temperature != 0.5 || *r.TopP != 0.5 || *r.TopK != 20 || *r.MinP != 0.5 || *r.RepeatPenalty != 1.1 || *r.Seed != 7 || r.MaxTokens != 100 ||
			r.Schema != want.Schema || r.Thinking == nil || *r.Thinking || messages(r) != "system: Be brief.|user: hello" {
			b.Errorf("the engine was asked %+v", r)
		}
		b.again()
		if s = b.do(func() { b.p.Select(b.p.State().Conversations[0].ID) }); !reflect.DeepEqual(s.Settings, want) {
			b.Errorf("at the next start: %+v", s.Settings)
		}
		if s = b.do(b.p.New); !reflect.DeepEqual(s.Settings, Settings{}) {
			b.Errorf("of a new chat: %+v", s.Settings)
		}
	})
}

func TestSettingsAreKeptWithinWhatTheEngineTakes(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		hot, low, few, none := 9.0, -1.0, -3, 0
		s := b.do(func() {
			b.p.SetSettings(Settings{Sampling: Sampling{Temperature: &hot, TopP: &low, TopK: &few, MaxTokens: &none, RepeatPenalty: &low}})
		})
		n := s.Settings.Sampling
		if *n.Temperature != 2 || *n.TopP != 0 || *n.TopK != 0 || n.MaxTokens != nil || *n.RepeatPenalty != 0.1 {
			b.Errorf("got %+v", n)
		}
	})
}

func TestASchemaThatCantBeReadIsSaidBeforeSending(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.do(func() { b.p.SetSettings(Settings{Schema: `{"type":`}) })
		if s := b.send("hello"); s.SchemaProblem == "" || s.SendOff != s.SchemaProblem || !s.OfferSet || len(s.Turns) != 0 || s.Draft != "hello" {
			b.Errorf("got %+v", s)
		}
	})
}

func TestSpacesStayInASchemaWhileItIsTyped(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		typed := "{\n  \"type\": \"object\" }\n"
		for i := range typed {
			if s := b.do(func() { b.p.SetSettings(Settings{Schema: typed[:i+1]}) }); s.Settings.Schema != typed[:i+1] {
				b.Fatalf("%q became %q", typed[:i+1], s.Settings.Schema)
			}
		}
		b.send("hello")
		b.last()
		if got := b.engine.asked()[0].Schema; got != strings.TrimSpace(typed) {
			b.Errorf("the engine got %q", got)
		}
	})
}

func TestWhatHoldsByDefaultFollowsTheLoadedModel(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		if got := *b.state().Effective.Temperature; got != 0.8 {
			b.Errorf("at first %v", got)
		}
		other := ready
		other.Model.Metadata = []gguf.Entry{{Key: "general.sampling.temp", Value: "0.6"}}
		b.engine.Become(other)
		time.Sleep(time.Second)
		if got := *b.do(func() {}).Effective.Temperature; got != 0.6 {
			b.Errorf("of the other model %v", got)
		}
	})
}

func TestWhatCantBeSavedUnderANameSaysWhy(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		for _, c := range []struct {
			save func(string) string
			name string
			want string
		}{
			{b.p.SavePreset, " Balanced ", words.T("chat.set.name.taken", map[string]any{"Name": "Balanced"})},
			{b.p.SavePreset, "  ", words.T("chat.set.name.none")},
			{b.p.SavePrompt, "Editor", words.T("chat.set.name.taken", map[string]any{"Name": "Editor"})},
			{b.p.SavePrompt, "Mine", words.T("chat.set.save.empty")},
			{b.p.SavePreset, "Mine", ""},
		} {
			b.do(func() {
				if got := c.save(c.name); got != c.want {
					b.Errorf("%q: %q, want %q", c.name, got, c.want)
				}
			})
		}
	})
}

func TestASchemaTheEngineCantUseIsNamed(t *testing.T) {
	for said, named := range map[string]bool{
		"Failed to initialize samplers: std::exception":  true,
		"JSON schema conversion failed: unresolved $ref": true,
		"Unsupported param: stop":                        false,
	} {
		inTime(t, ready, func(b *bench) {
			b.engine.answer = breaks("", &client.Error{Kind: client.BadRequest, Status: 400, Message: said})
			b.do(func() { b.p.SetSettings(Settings{Schema: `{"type":"object"}`}) })
			b.send("hello")
			problem := b.last().Problem
			if got := problem.Message == words.T("chat.schema.refused") && problem.Remedy != ""; got != named {
				b.Errorf("of %q it says %+v", said, problem)
			}
		})
	}
}

func TestReasoningIsLeftAloneWhereTheTemplateDoesNotKnowIt(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		on := true
		if s := b.do(func() { b.p.SetSettings(Settings{Thinking: &on}) }); s.CanReason {
			b.Error("it can be switched")
		}
		b.send("hello")
		b.last()
		if b.engine.asked()[0].Thinking != nil {
			b.Error("the engine was asked for it")
		}
	})
}

func TestWhatHoldsByDefaultIsTheModelsThenTheEngines(t *testing.T) {
	got := effective(gguf.Facts{Metadata: []gguf.Entry{
		{Key: "general.sampling.temp", Value: "0.6"}, {Key: "general.sampling.top_k", Value: "20"},
		{Key: "general.sampling.min_p", Value: "no number"}, {Key: "general.name", Value: "1"},
	}})
	if *got.Temperature != 0.6 || *got.TopK != 20 || *got.MinP != 0.05 || *got.TopP != 0.95 || *got.RepeatPenalty != 1 {
		t.Errorf("got %v %v %v %v %v", *got.Temperature, *got.TopK, *got.MinP, *got.TopP, *got.RepeatPenalty)
	}
}

func TestPresetsAndPromptsAreSavedUnderANameAndDeleted(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		var presets []Preset
		var prompts []Prompt
		b.p.own.Keep = func(p []Preset, q []Prompt) error { presets, prompts = p, q; return nil }
		s := b.state()
		if s.Preset != "Balanced" || len(s.Presets) != 3 || len(s.Prompts) == 0 {
			b.Fatalf("at first: %q, %+v", s.Preset, s.Presets)
		}
		s = b.do(func() { b.p.UsePreset("Precise") })
		if s.Preset != "Precise" || *s.Settings.Sampling.Temperature != 0.2 {
			b.Errorf("got %+v", s.Settings)
		}
		warm := 0.9
		b.do(func() {
			b.p.SetSettings(Settings{System: "You are a fence.", Sampling: Sampling{Temperature: &warm}})
			b.p.SavePreset("  Warm ")
			b.p.SavePrompt("Fence")
			b.p.SavePreset("Balanced")
			b.p.SavePreset(" ")
		})
		s = b.do(func() { b.p.SetSettings(Settings{}) })
		if len(presets) != 1 || len(prompts) != 1 || len(s.Presets) != 4 || !s.Presets[3].Own {
			b.Fatalf("kept are %+v and %+v", presets, prompts)
		}
		s = b.do(func() {
			b.p.UsePreset("Warm")
			b.p.UsePrompt("Fence")
		})
		if s.Preset != "Warm" || s.Settings.System != "You are a fence." || *s.Settings.Sampling.Temperature != 0.9 {
			b.Errorf("got %+v", s.Settings)
		}
		b.do(func() {
			b.p.DeletePreset("Warm")
			b.p.DeletePrompt("Fence")
		})
		if s = b.do(func() { b.p.DeletePreset("Precise") }); len(s.Presets) != 3 || len(presets) != 0 || len(prompts) != 0 {
			b.Errorf("kept are %+v and %+v", presets, prompts)
		}
		b.p.own.Keep = func([]Preset, []Prompt) error { return errors.New("no room") }
		b.do(func() { b.p.SavePreset("Warm") })
		time.Sleep(time.Second)
		if s = b.state(); s.Banner == nil || !s.Banner.Dismiss {
			b.Errorf("that it was not kept is not said: %+v", s.Banner)
		}
	})
}
