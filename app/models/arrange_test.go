package models

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"paddock/app/apptest"
	"paddock/config"
	"paddock/engine/gguf"
	"paddock/engine/library"
)

// outline is the list in short: companions indented under their models, with why
// they are there.
func outline(rows []*Row) []string {
	var list []string
	for _, r := range rows {
		line := r.Name
		if r.Under != "" {
			line = "  " + line
		}
		if r.Fits != "" {
			line += ": " + r.Fits
		}
		if r.Problem != "" {
			line += "! " + r.Problem
		}
		list = append(list, line)
	}
	return list
}

// family is a shelf with a projector, an assistant and a small model that go with
// the large one, and files that go with nothing.
func family() []library.Model {
	return []library.Model{
		model("/m/large.gguf", 40<<30),
		model("/m/small.gguf", 1<<30),
		model("/n/mmproj.gguf", 1<<30, kind(gguf.Projector, library.Projector), func(m *library.Model) { m.Facts.Projection.Vision = "mlp" }),
		model("/m/assistant.gguf", 1<<20, kind(gguf.MTPHead, library.MTP)),
		model("/m/stray.gguf", 1<<30, kind(gguf.Projector, library.Projector)),
		model("/m/matrix.gguf", 1<<20, kind(gguf.Imatrix, "")),
		model("/m/cut.gguf", 1<<30, problemOf(gguf.Truncated)),
	}
}

// pairFamily is what library.Pair finds in it.
func pairFamily(models []library.Model) map[string]library.Companions {
	by := map[string]library.Model{}
	for _, m := range models {
		by[m.Facts.Path] = m
	}
	fits := func(path string, reason library.Reason) []library.Companion {
		return []library.Companion{{Path: path, Model: by[path], Reason: reason, Times: 40}}
	}
	return map[string]library.Companions{"/m/large.gguf": {
		Projectors: fits("/n/mmproj.gguf", library.Fits),
		MTP:        fits("/m/assistant.gguf", library.AssistantOf),
		Drafts:     fits("/m/small.gguf", library.SameVocabulary),
	}}
}

func familyPresenter(t *testing.T, change ...func(*config.Config)) (*Presenter, apptest.Loop) {
	t.Helper()
	store := newStore(t, "/m", "/n")
	for _, c := range change {
		if err := store.Update(c); err != nil {
			t.Fatal(err)
		}
	}
	l := apptest.NewLoop()
	p := NewPresenter(Seams{Config: store, Scan: scripted(family()...), Pair: pairFamily, Do: l.Do}, func(State) {})
	t.Cleanup(p.Close)
	p.Rescan()
	l.Until(t, "files are paired", func() bool { return !p.State().Scanning && !p.matching.running })
	return p, l
}

func wantOutline(t *testing.T, what string, p *Presenter, want ...string) {
	t.Helper()
	if got := outline(p.State().Rows); !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nnot\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestCompanionsStandUnderTheModelTheyFitAndStraysAtTheEnd(t *testing.T) {
	p, _ := familyPresenter(t)
	all := []string{
		"large.gguf",
		"  mmproj.gguf: fits this model",
		"  assistant.gguf: assistant for this model",
		"  small.gguf: same vocabulary, 40 times lighter",
		"small.gguf",
		"cut.gguf! Cut short",
		"matrix.gguf: made for quantising",
		"stray.gguf: fits no model here",
	}
	wantOutline(t, "all", p, all...)
	p.SortBy(ColumnSize)
	wantOutline(t, "by size", p, append([]string{"cut.gguf! Cut short", "small.gguf"},
		"large.gguf", all[1], all[2], all[3], "matrix.gguf: made for quantising", "stray.gguf: fits no model here")...)
	if got := p.State().Total; got != (Totals{Models: 3, Companions: 4, SizeBytes: 44<<30 + 2<<20}) {
		t.Errorf("totals are %+v: what is shown twice counts once", got)
	}
}

func TestAFilterFindsCompanionsUnderTheirModel(t *testing.T) {
	p, _ := familyPresenter(t)
	for _, c := range []struct {
		text string
		want []string
	}{
		{"vision", []string{"large.gguf", "  mmproj.gguf: fits this model", "  assistant.gguf: assistant for this model", "  small.gguf: same vocabulary, 40 times lighter"}},
		{"mmproj", []string{"large.gguf", "  mmproj.gguf: fits this model"}},
		{"mtp", []string{"large.gguf", "  assistant.gguf: assistant for this model"}},
		{"small", []string{"small.gguf"}}, // it has a row of its own
		{"projector < 20 GiB", []string{"stray.gguf: fits no model here"}},
		{"cut short", []string{"cut.gguf! Cut short"}},
	} {
		p.SetFilter(c.text)
		wantOutline(t, c.text, p, c.want...)
	}
}

func TestASourceShowsCompanionsOfModelsElsewhereByThemselves(t *testing.T) {
	p, _ := familyPresenter(t)
	p.SetSource("/n")
	wantOutline(t, "the projector's folder", p, "mmproj.gguf: for large.gguf")
}

func TestACompanionOfVeryManyModelsHasARowOfItsOwn(t *testing.T) {
	adapter := model("/m/adapter.gguf", 1, kind(gguf.LoRA, library.LoRA))
	models := []library.Model{adapter}
	pairs := map[string]library.Companions{}
	for i := range library.HostsShown + 1 {
		m := model(fmt.Sprintf("/m/%02d.gguf", i), 1)
		models = append(models, m)
		pairs[m.Facts.Path] = library.Companions{LoRA: []library.Companion{{Path: adapter.Facts.Path, Model: adapter, Reason: library.AdapterOf}}}
	}
	l := apptest.NewLoop()
	p := NewPresenter(Seams{Config: newStore(t, "/m"), Scan: scripted(models...), Do: l.Do,
		Pair: func([]library.Model) map[string]library.Companions { return pairs }}, func(State) {})
	t.Cleanup(p.Close)
	p.Rescan()
	l.Until(t, "files are paired", func() bool { return !p.State().Scanning && !p.matching.running })
	rows := p.State().Rows
	if last := rows[len(rows)-1]; len(rows) != len(models) || last.Fits != "for 13 models here" {
		t.Errorf("%d rows, the last is %q", len(rows), last.Fits)
	}
	if works := rows[0].Works; len(works) != 1 || works[0].Name != "adapter.gguf" {
		t.Errorf("the detail of a model names %v", works)
	}
}

func TestWhatWasUsedLastComesFirst(t *testing.T) {
	p, l := familyPresenter(t, func(c *config.Config) { c.Recent = []string{"/m/small.gguf", "/gone.gguf"} })
	if got := p.State().Rows[0].Name; got != "small.gguf" {
		t.Errorf("the first row is %s", got)
	}
	p.Used("/m/large.gguf")
	l.Until(t, "it moves up", func() bool { return p.State().Rows[0].Name == "large.gguf" })
	if got := p.config.Get().Recent; !slices.Equal(got, []string{"/m/large.gguf", "/m/small.gguf", "/gone.gguf"}) {
		t.Errorf("remembered %q", got)
	}
	if err := p.config.Update(func(c *config.Config) { c.Recent = make([]string, recentKept) }); err != nil {
		t.Fatal(err)
	}
	p.Used("/m/small.gguf")
	l.Until(t, "it moves up again", func() bool { return p.State().Rows[0].Name == "small.gguf" })
	if got := len(p.config.Get().Recent); got != recentKept {
		t.Errorf("%d are remembered", got)
	}
}

func TestTheSelectionStaysOnARowThatMovesUnderAModel(t *testing.T) {
	l := apptest.NewLoop()
	pair := func([]library.Model) map[string]library.Companions { return nil }
	p := NewPresenter(Seams{Config: newStore(t, "/m", "/n"), Scan: scripted(family()...), Do: l.Do,
		Pair: func(m []library.Model) map[string]library.Companions { return pair(m) }}, func(State) {})
	t.Cleanup(p.Close)
	p.Rescan()
	l.Until(t, "files are there", func() bool { return !p.State().Scanning && !p.matching.running })
	p.SelectPath("/n/mmproj.gguf")
	pair = pairFamily
	p.match()
	l.Until(t, "files are paired", func() bool { return !p.State().Scanning && !p.matching.running })
	if s := p.State(); s.Selected.Path != "/n/mmproj.gguf" || s.Selected.Under != "/m/large.gguf" || s.Rows[s.At].Path != s.Selected.Path {
		t.Errorf("selected is %q under %q at %d", s.Selected.Path, s.Selected.Under, s.At)
	}
	p.SetFilter("stray")
	p.SelectPath("/m/small.gguf")
	if s := p.State(); s.Selected.Path != "/m/small.gguf" || s.Selected.Under != "" || s.Filter != "" || s.At < 0 {
		t.Errorf("a hidden row selected by its path is %q under %q at %d", s.Selected.Path, s.Selected.Under, s.At)
	}
}

func TestWhereTheMTPLayersAreIsSaid(t *testing.T) {
	declared := func(m *library.Model) { m.Facts.DeclaredNextN = 1 }
	for _, c := range []struct {
		name string
		m    library.Model
		pair PairFunc
		want string
	}{
		{"in the model", model("/m/large.gguf", 1, func(m *library.Model) { m.Facts.NextNLayers = 1 }), library.Pair, "in the model, 1 layer"},
		{"missing", model("/m/large.gguf", 1, declared), library.Pair, "missing: the header speaks of it, but its layers are not in the file"},
		{"in another file", model("/m/large.gguf", 1, declared), pairFamily, "in a file of its own: assistant.gguf"},
		{"never there", model("/m/large.gguf", 1), library.Pair, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			assistant := model("/m/assistant.gguf", 1, kind(gguf.MTPHead, library.MTP))
			rows := map[string]*Row{}
			for _, m := range []library.Model{c.m, assistant} {
				r := newRow(m, places{})
				rows[m.Facts.Path] = &r
			}
			shelf := newShelf(rows, pairUp(c.pair, []library.Model{c.m, assistant}))
			if got := mtpFact(*shelf.rows["/m/large.gguf"]); got != c.want {
				t.Errorf("it says %q, not %q", got, c.want)
			}
		})
	}
}

func TestFactsAreSaidAsPeopleNeedThem(t *testing.T) {
	header := func(pairs ...string) (list []gguf.Entry) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, gguf.Entry{Key: pairs[i], Value: pairs[i+1]})
		}
		return list
	}
	for _, c := range []struct {
		name string
		f    gguf.Facts
		want string // a line
	}{
		{"layers and MTP", gguf.Facts{Architecture: "qwen35moe", Layers: 49, NextNLayers: 1}, "Architecture: qwen35moe · 48 layers + 1 MTP"},
		{"one layer", gguf.Facts{Architecture: "llama", Layers: 1}, "Architecture: llama · 1 layer"},
		{"an MTP head alone", gguf.Facts{Architecture: "qwen35", Layers: 1, NextNLayers: 1}, "Architecture: qwen35 · 1 layer"},
		{"active parameters", gguf.Facts{Parameters: 123_800_000_000, ActiveParameters: 10_100_000_000, Experts: 256}, "Parameters: 124 B · 10 B active"},
		{"a dense model", gguf.Facts{Parameters: 7_000_000_000, ActiveParameters: 6_000_000_000}, "Parameters: 7.0 B"},
		{"shared experts", gguf.Facts{Architecture: "a", Experts: 256, ExpertsUsed: 8, Metadata: header("a.expert_shared_count", "1")}, "Experts: 256 · 8 used + 1 shared"},
		{"experts", gguf.Facts{Architecture: "a", Experts: 8, ExpertsUsed: 2}, "Experts: 8 · 2 used"},
		{"recurrent layers by an interval", gguf.Facts{Architecture: "a", Layers: 48, Heads: []int{32}, KVHeads: []int{2}, Metadata: header("a.full_attention_interval", "4")}, "Attention: 12 full · 36 recurrent layers"},
		{"recurrent layers by heads", gguf.Facts{Architecture: "a", Layers: 4, Heads: []int{8}, KVHeads: []int{0, 2, 0, 2}}, "Attention: 2 full · 2 recurrent layers"},
		{"a sliding window", gguf.Facts{Architecture: "a", Layers: 4, Heads: []int{8}, KVHeads: []int{8}, Metadata: header("a.attention.sliding_window", "1024")}, "Attention: sliding window of 1,024 tokens"},
		{"no attention", gguf.Facts{Architecture: "mamba", Layers: 4, Metadata: header("mamba.ssm.state_size", "16")}, "Attention: none, recurrent layers only"},
		{"a window for each layer", gguf.Facts{Architecture: "a", Metadata: header("a.attention.sliding_window", "i32[4]")}, "Architecture: a"},
		{"what the template knows", gguf.Facts{Kind: gguf.Model, ChatTemplate: "x", TemplateKnows: []string{"chat", "tools"}}, "Template: chat, tools"},
		{"no template", gguf.Facts{Kind: gguf.Model, Pooling: "none"}, "Template: none"},
		{"a licence", gguf.Facts{Licence: "apache-2.0\x1b"}, `Licence: apache-2.0\x1b`},
	} {
		var lines []string
		for _, f := range facts(Row{Badges: []string{library.Chat}, Model: library.Model{Facts: c.f}}) {
			lines = append(lines, f.label+": "+f.value)
		}
		if !slices.Contains(lines, c.want) {
			t.Errorf("%s: %q does not have %q", c.name, lines, c.want)
		}
	}
}

func TestRowsWithoutAValueAreLastInBothDirections(t *testing.T) {
	broken := model("/m/a broken.gguf", 0, problemOf(gguf.NotGGUF), func(m *library.Model) {
		m.Facts.Architecture, m.Facts.Quantisation, m.Facts.Parameters, m.Facts.ContextTokens, m.Capabilities = "", "", 0, 0, nil
	})
	p, _ := scanned(t, broken, model("/m/small.gguf", 10), model("/m/large.gguf", 1<<40))
	for _, column := range []Column{ColumnArchitecture, ColumnParameters, ColumnQuantisation, ColumnSize, ColumnContext, ColumnCan} {
		for range 2 {
			p.SortBy(column)
			if got := names(p.State().Rows); len(got) != 3 || got[2] != "a broken.gguf" {
				t.Errorf("by %+v: %v", p.State().Sort, got)
			}
		}
	}
}

func TestCompanionsOfOneModelWithTheSameNameShowTheirFiles(t *testing.T) {
	rows := map[string]*Row{}
	for _, path := range []string{"/m/a.gguf", "/m/mmproj-F16.gguf", "/m/mmproj-Q8_0.gguf", "/m/head.gguf"} {
		r := newRow(model(path, 1), places{})
		if path != "/m/a.gguf" {
			r.Companion, r.Name = true, "Eyes"
		}
		rows[path] = &r
	}
	rows["/m/head.gguf"].Name = "Head"
	s := newShelf(rows, map[string]paired{"/m/a.gguf": {works: []Work{
		{Path: "/m/mmproj-F16.gguf"}, {Path: "/m/mmproj-Q8_0.gguf"}, {Path: "/m/head.gguf"},
	}}})
	var works, under []string
	for _, w := range rows["/m/a.gguf"].Works {
		works = append(works, w.Name)
	}
	for _, r := range s.under["/m/a.gguf"] {
		under = append(under, r.Name)
	}
	want := []string{"mmproj-F16.gguf", "mmproj-Q8_0.gguf", "Head"}
	if !slices.Equal(works, want) || !slices.Equal(under, want) {
		t.Errorf("works %q, under %q", works, under)
	}
}

func TestFoldersThatEndAlikeShowOneMorePart(t *testing.T) {
	from := places{folders: []string{"/disk1/old/models", "/disk2/new/models", "/disk2/other"}, files: []string{"/x/y/other/a.gguf"}}
	for path, want := range map[string]string{
		"/disk1/old/models/a.gguf": "…/old/models", "/disk2/new/models/sub/a.gguf": "…/new/models",
		"/x/y/other/a.gguf": "…/y/other", "/disk2/other/a.gguf": "/disk2/other", "/q/r/s/a.gguf": "…/s",
	} {
		if got := newRow(model(path, 1), from).Where; got != want {
			t.Errorf("%s is in %q, not %q", path, got, want)
		}
	}
}

func TestWhatIsMissingOfAFileIsSaidInAUnitThatSaysSomething(t *testing.T) {
	for missing, want := range map[uint64]string{
		3 << 30: "Cut short: 3.0 GiB missing", 20 << 20: "Cut short: 20.0 MiB missing", 7: "Cut short: <0.1 MiB missing", 0: "Cut short",
	} {
		if got := shortProblem(&gguf.Error{Problem: gguf.Truncated, MissingBytes: missing}); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
