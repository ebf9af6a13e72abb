package picture

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestAPanicOfADecoderIsABrokenPicture(t *testing.T) {
	path := filepath.Join(t.TempDir(), "picture.gif")
	if err := os.WriteFile(path, []byte("GIF89a\x08\x00\x08\x00\x00\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := run(t.Context(), Source{Path: path}, func(f *file) (int, error) {
		free, err := f.reserve(MaxDecodeBytes)
		if err != nil {
			t.Error(err)
		}
		defer free()
		panic("index out of range")
	})
	var failed *Error
	if !errors.As(err, &failed) || failed.Problem != Broken || failed.Path != path {
		t.Errorf("%v", err)
	}
	if !memory.TryAcquire(MaxDecodeBytes) {
		t.Fatal("the memory was not given back")
	}
	memory.Release(MaxDecodeBytes)
}

func TestADecoderThatHangsEndsForItsCaller(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	_, err := run(t.Context(), Source{Bytes: []byte("GIF89a\x08\x00\x08\x00\x00\x00\x00")}, func(f *file) (int, error) {
		f.cancel(errSlow) // what the timer does
		<-hang
		return 0, nil
	})
	var failed *Error
	if !errors.As(err, &failed) || failed.Problem != Broken || !errors.Is(err, errSlow) {
		t.Errorf("%v", err)
	}
}
