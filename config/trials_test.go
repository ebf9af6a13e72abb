package config

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWhatFailedIsKnownForTheSameModelBuildAndMachineOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	here := Trial{Model: "/m/a.gguf", SizeBytes: 10, Build: "b1", Devices: []string{"Card", "Other card"}}
	l := OpenTrials(dir)
	for _, rule := range []string{"tensor-mtp", "tensor-three", "tensor-mtp"} {
		if err := l.Put(here, rule); err != nil {
			t.Fatal(err)
		}
	}
	l = OpenTrials(dir)
	again := here
	again.Devices = []string{"Other card", "Card"}
	if got := l.Failed(again); !slices.Equal(got, []string{"tensor-mtp", "tensor-three"}) {
		t.Errorf("got %v", got)
	}
	for name, edit := range map[string]func(*Trial){
		"another model":    func(t *Trial) { t.Model = "/m/b.gguf" },
		"a changed file":   func(t *Trial) { t.SizeBytes = 11 },
		"another build":    func(t *Trial) { t.Build = "b2" },
		"a card more":      func(t *Trial) { t.Devices = append(slices.Clone(t.Devices), "Third") },
		"a card less":      func(t *Trial) { t.Devices = t.Devices[:1] },
		"no card any more": func(t *Trial) { t.Devices = nil },
	} {
		other := here
		edit(&other)
		if got := l.Failed(other); got != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestWhatFailedCanBeForgotten(t *testing.T) {
	dir := t.TempDir()
	one, two := Trial{Model: "a", Build: "b"}, Trial{Model: "c", Build: "b"}
	l := OpenTrials(dir)
	for _, trial := range []Trial{one, two} {
		for _, rule := range []string{"first", "second"} {
			if err := l.Put(trial, rule); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, forget := range []struct {
		trial Trial
		rule  string
	}{{one, "first"}, {one, "second"}, {two, "first"}, {two, "unknown"}} {
		if err := l.Forget(forget.trial, forget.rule); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range []*Trials{l, OpenTrials(dir)} {
		if l.Failed(one) != nil || !slices.Equal(l.Failed(two), []string{"second"}) {
			t.Errorf("left: %v, %v", l.Failed(one), l.Failed(two))
		}
	}
}

func TestWhatFailedHoldsUntilTheEndWhereItCannotBeKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l := OpenTrials(file)
	if err := l.Put(Trial{Model: "m"}, "rule"); err == nil {
		t.Error("no error where it can't be written")
	}
	if !slices.Equal(l.Failed(Trial{Model: "m"}), []string{"rule"}) {
		t.Error("it does not hold until the end")
	}
}
