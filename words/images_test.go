package words

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"paddock/engine/images"
	"paddock/engine/server"
)

func TestEveryProblemOfThePictureJobHasItsOwnSentence(t *testing.T) {
	seen := map[string]string{}
	check := func(name string, s Sentence) {
		if other, taken := seen[s.Message]; taken {
			t.Errorf("%s and %s share a sentence", name, other)
		}
		seen[s.Message] = name
	}
	for name, value := range kinds(t, "engine/images", "Problem") {
		s := Error(fmt.Errorf("job: %w", &images.Error{
			Problem: images.Problem(value), Path: "/pictures/cat.png", SetAside: "/data/images.jsonl.broken-1",
			Err: &fs.PathError{Op: "open", Path: "x", Err: syscall.EIO},
		}))
		wantSentence(t, name, s, "")
		check(name, s)
	}
	for _, err := range []error{images.ErrBusy, images.ErrNothing, images.ErrNoPrompt} {
		s := Error(err)
		wantSentence(t, err.Error(), s, "")
		check(err.Error(), s)
	}
	lethal := Error(&images.Error{Problem: images.Lethal, Path: "/p/cat.png", Err: &server.Failure{Kind: server.Crashed}})
	if !strings.HasPrefix(lethal.Message, "The engine ended twice over cat.png") {
		t.Errorf("%+v", lethal)
	}
	unsaved := Error(errors.Join(&images.Error{Problem: images.Unsaved, Path: "/p/images.jsonl", Err: &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}}))
	if !strings.Contains(unsaved.Message, "no space left on device") {
		t.Errorf("%+v", unsaved)
	}
}
