package config

import (
	"slices"
	"testing"
)

func TestInstructionsForPicturesAreKept(t *testing.T) {
	dir := t.TempDir()
	want := []ImagePrompt{{Name: "Plants", Prompt: "Name the plant.\nNothing else.", MaxTokens: 20}, {Name: "Colours", Prompt: "\"Which\" colours?"}}
	store, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Update(func(c *Config) { c.ImagePrompts = want }); err != nil {
		t.Fatal(err)
	}
	store.Get().ImagePrompts[0].Name = "somebody's"
	if got := store.Get().ImagePrompts; !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	again, err := Open(dir)
	if err != nil || again.Problem() != nil {
		t.Fatal(err, again.Problem())
	}
	if got := again.Get().ImagePrompts; !slices.Equal(got, want) {
		t.Errorf("after a restart %+v", got)
	}
}
