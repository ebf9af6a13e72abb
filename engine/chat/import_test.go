package chat

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var pixel = base64.StdEncoding.EncodeToString([]byte("\x89PNG pixel"))

// What llama.cpp's web UI exports, in the shapes it has had.
var (
	webRoot = `{"id":"r","convId":"c","type":"root","timestamp":1700000000000,"role":"system","content":"","parent":null,"thinking":"","toolCalls":"","children":["a"]}`
	webA    = `{"id":"a","convId":"c","type":"text","timestamp":1700000001000,"role":"user","content":"Look","parent":"r","children":["b","d"],"extra":[` +
		`{"type":"IMAGE","name":"p.png","base64Url":"data:image/png;base64,` + pixel + `"},{"type":"TEXT","name":"notes.txt","content":"in a file"},` +
		`{"type":"AUDIO","name":"a.mp3","base64Data":"AAAA","mimeType":"audio/mpeg"}]}`
	webB = `{"id":"b","convId":"c","type":"text","timestamp":1700000002000,"role":"assistant","content":"Answer 1","parent":"a","thinking":"old thought","children":["c1"],"model":"M",` +
		`"timings":{"cache_n":5,"prompt_n":10,"prompt_ms":250.5,"predicted_n":20,"predicted_ms":1000}}`
	webC = `{"id":"c1","convId":"c","type":"text","timestamp":1700000003000,"role":"user","content":"And?","parent":"b","children":[]}`
	webD = `{"id":"d","convId":"c","type":"text","timestamp":1700000004000,"role":"assistant","content":"Answer 2","parent":"a","reasoningContent":"thought","toolCalls":"[{\"id\":\"1\"}]","children":[],"model":null}`
	webT = `{"id":"t","convId":"c","type":"text","timestamp":1700000005000,"role":"tool","content":"42","parent":"d","toolCallId":"1","children":[]}`

	webConv  = `{"id":"c","name":"From the web","lastModified":1700000009000,"currNode":"c1","pinned":true}`
	webChat  = `{"conv":` + webConv + `,"messages":[` + strings.Join([]string{webD, webRoot, webC, webB, webA, webT}, ",") + `]}`
	webLines = `{"type":"session","harness":"llama.app",` + webConv[1:] + "\n" + lines(webRoot, webA, webB, webC, strings.ReplaceAll(strings.ReplaceAll(webD, `"[{`, `[{`), `}]"`, `}]`), webT)
)

func lines(messages ...string) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, `{"type":"message","message":%s}`+"\n", strings.ReplaceAll(m, `\"`, `"`))
	}
	return b.String()
}

func zipped(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, text := range files {
		f, err := w.Create(fmt.Sprintf("%d.jsonl", i))
		must(t, err)
		_, err = f.Write([]byte(text))
		must(t, err)
	}
	must(t, w.Close())
	return b.String()
}

func TestTheWebUIsExportsAreImported(t *testing.T) {
	cases := map[string]struct {
		file  string
		count int
	}{
		"one conversation":      {webChat, 1},
		"an array":              {"[" + webChat + "," + webChat + "]", 2},
		"JSON lines":            {webLines, 1},
		"JSON lines of several": {webLines + webLines, 2},
		"a ZIP file":            {zipped(t, webLines, webLines), 2},
		"with a mark in front":  {"\ufeff" + webChat, 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			done, err := s.Import(t.Context(), strings.NewReader(c.file), nil)
			must(t, err)
			if len(done.Conversations) != c.count || done.LeftOut != c.count {
				t.Fatalf("%+v", done)
			}
			id := done.Conversations[c.count-1]
			got, err := s.Conversation(t.Context(), id)
			must(t, err)
			if got.Title != "From the web" || !got.Pinned || !got.Updated.Equal(time.UnixMilli(1700000009000)) {
				t.Errorf("%+v", got)
			}
			turns := path(t, s, id)
			if got := texts(t, s, id); !slices.Equal(got, []string{"Look\n\nnotes.txt\n\n```\nin a file\n```", "Answer 1", "And?"}) {
				t.Fatalf("%q", got)
			}
			if data, err := s.Picture(t.Context(), turns[0].Pictures[0]); err != nil || string(data) != "\x89PNG pixel" {
				t.Errorf("%q, %v", data, err)
			}
			answer := turns[1]
			if answer.Thought != "old thought" || answer.Model != "M" || len(answer.Siblings) != 2 || !answer.Created.Equal(time.UnixMilli(1700000002000)) ||
				answer.Numbers != (Numbers{TokensPerSecond: 20, FirstToken: 250500 * time.Microsecond, PromptTokens: 15, AnswerTokens: 20}) {
				t.Errorf("%+v", answer)
			}
			other := answer.Siblings[0] + answer.Siblings[1] - answer.ID
			must(t, s.Choose(t.Context(), other))
			turns = path(t, s, id)
			if turns[1].Text != "Answer 2\n\n```json\n[{\"id\":\"1\"}]\n```" || turns[1].Thought != "thought" || turns[2].Role != Tool || turns[2].Text != "42" {
				t.Errorf("%+v", turns[1:])
			}
		})
	}
}

func TestExportsOfOneBranchAndOfTheOldestVersionsAreImported(t *testing.T) {
	cases := map[string]struct {
		file string
		want []string
	}{
		"without the root": {`{"conv":{"id":"c","name":"n","currNode":"b"},"messages":[` + strings.ReplaceAll(webA, `"extra"`, `"other"`) + "," + webB + "]}",
			[]string{"Look", "Answer 1"}},
		"numbers as IDs": {`{"conv":{"id":"c","name":"n","currNode":3},"messages":[{"id":1,"parent":-1,"type":"root","role":"system","content":""},` +
			`{"id":2,"parent":1,"role":"user","content":"q"},{"id":3,"parent":2,"role":"assistant","content":"a"}]}`, []string{"q", "a"}},
		"a list without parents": {`{"id":"conv-1","lastModified":1,"messages":[{"id":1,"role":"user","content":"q"},{"id":2,"role":"assistant","content":"a"}]}`,
			[]string{"q", "a"}},
		"no current message": {`{"conv":{"currNode":""},"messages":[{"id":"x","parent":null,"role":"user","content":"q"},{"id":"y","parent":"x","role":"assistant","content":"a"}]}`,
			[]string{"q", "a"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			done, err := s.Import(t.Context(), strings.NewReader(c.file), nil)
			must(t, err)
			if got := texts(t, s, done.Conversations[0]); !slices.Equal(got, c.want) {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestABadFileIsRefusedWholeAndSaysWhatIsWrong(t *testing.T) {
	ours := func(turns string) string {
		return `{"format":"paddock.chat","version":1,"conversations":[{"title":"good","turns":[{"id":1,"role":"user","text":"ok"}]},{"title":"t","turns":[` + turns + `]}]}`
	}
	cases := map[string]struct {
		file    string
		problem Problem
		detail  string
	}{
		"empty":                   {"", NoChat, "no conversation"},
		"a text":                  {"hello", NoChat, "not JSON"},
		"a picture":               {"\x89PNG\r\n", NoChat, "not JSON"},
		"cut":                     {webChat[:len(webChat)/2], BadChat, "byte"},
		"followed by something":   {webChat + "}", BadChat, "byte"},
		"other JSON":              {`{"a": 1}`, NoChat, "neither"},
		"a number":                {"1", NoChat, "not an export"},
		"an empty list":           {"[]", NoChat, "no conversation"},
		"deep":                    {strings.Repeat("[", 100_000), BadChat, "byte"},
		"a later version":         {`{"format":"paddock.chat","version":2}`, BadChat, "version 2"},
		"a wrong type":            {ours(`{"id":1,"role":"user","text":7}`), BadChat, "text"},
		"a message twice":         {ours(`{"id":1,"role":"user","text":""},{"id":1,"role":"user","text":""}`), BadChat, `two messages have the ID "1"`},
		"an unknown role":         {ours(`{"id":1,"role":"boss","text":""}`), BadChat, `the role "boss"`},
		"an unknown end":          {ours(`{"id":1,"role":"user","end":"odd","text":""}`), BadChat, `ended "odd"`},
		"a parent that is not":    {ours(`{"id":1,"parent":9,"role":"user","text":""}`), BadChat, `after "9"`},
		"a ring":                  {ours(`{"id":1,"parent":2,"role":"user","text":""},{"id":2,"parent":1,"role":"user","text":""}`), BadChat, "after itself"},
		"its own parent":          {ours(`{"id":1,"parent":1,"role":"user","text":""}`), BadChat, "after itself"},
		"another picture":         {`{"format":"paddock.chat","version":1,"pictures":{"../x":"AAAA"}}`, BadChat, "another content"},
		"a picture from the net":  {strings.Replace(webChat, "data:image/png;base64,", "https://example.org/", 1), BadChat, "no data URL"},
		"a picture that is none":  {strings.Replace(webChat, ";base64,", ";base64,%", 1), BadChat, "illegal base64"},
		"a message too early":     {lines(webA), BadChat, "before the first session"},
		"a broken ZIP file":       {"PK\x03\x04 and so on", BadChat, "ZIP"},
		"a ZIP file of no chats":  {zipped(t), NoChat, "no conversation"},
		"a bad chat in a ZIP":     {zipped(t, webLines, "{"), BadChat, "byte"},
		"a ZIP file in a ZIP":     {zipped(t, zipped(t, webLines)), NoChat, "ZIP"},
		"too many messages":       {`{"messages":[` + strings.TrimSuffix(strings.Repeat(`{"role":"user"},`, maxImportTurns+1), ",") + `]}`, TooLarge, "messages"},
		"one bad among good ones": {"[" + webChat + `,{"messages":[{"role":"nobody"}]}]`, BadChat, "nobody"},
	}
	s := newStore(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := s.Import(t.Context(), strings.NewReader(c.file), nil)
			wantProblem(t, err, c.problem)
			if !strings.Contains(err.Error(), c.detail) {
				t.Errorf("%v doesn't say %q", err, c.detail)
			}
			if got := titles(t, s.Conversations); got != nil {
				t.Errorf("half imported: %q", got)
			}
		})
	}
}

// endless is a file larger than any.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestAFileTooLargeIsRefused(t *testing.T) {
	_, err := newStore(t).Import(t.Context(), endless{}, nil)
	wantProblem(t, err, TooLarge)
}

func TestImportedPicturesGoThroughTheCallersHands(t *testing.T) {
	s := newStore(t)
	done, err := s.Import(t.Context(), strings.NewReader(webChat), func(data []byte) ([]byte, error) {
		return append([]byte("clean "), data...), nil
	})
	must(t, err)
	data, err := s.Picture(t.Context(), path(t, s, done.Conversations[0])[0].Pictures[0])
	if err != nil || string(data) != "clean \x89PNG pixel" {
		t.Errorf("%q, %v", data, err)
	}
	refused := errors.New("no picture")
	_, err = s.Import(t.Context(), strings.NewReader(webChat), func([]byte) ([]byte, error) { return nil, refused })
	wantProblem(t, err, BadChat)
	if !errors.Is(err, refused) {
		t.Error(err)
	}
}

func FuzzImportTakesAnyFile(f *testing.F) {
	for _, file := range []string{webChat, webLines, "[" + webChat + "]", "{}", "[]", `{"format":"paddock.chat","version":1,"conversations":[{"turns":[{"id":1,"role":"user"}]}]}`} {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file string) {
		drafts, err := readChats([]byte(file))
		for i := range drafts {
			if err == nil {
				err = drafts[i].check()
			}
		}
		if err == nil && len(drafts) == 0 {
			t.Error("no draft and no error")
		}
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%T", err)
		}
	})
}
