package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paddock/engine/library"
)

const helloSum = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

func write(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestASumIsComparedWithTheNameOfABlob(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "snapshots", "model.gguf")
	blob := write(t, filepath.Join(dir, "hub", "blobs", helloSum), "hello")
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(blob, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		want       Named
	}{
		{"a file with an ordinary name", write(t, filepath.Join(dir, "model.gguf"), "hello"), NotNamed},
		{"Ollama's blob", write(t, filepath.Join(dir, "blobs", "sha256-"+helloSum), "hello"), Matches},
		{"the hub's blob through a link", link, Matches},
		{"a damaged blob", write(t, filepath.Join(dir, "bad", "blobs", "sha256-"+strings.Repeat("0", 64)), "hello"), Differs},
		{"a name like a sum that is no blob's", write(t, filepath.Join(dir, strings.Repeat("0", 64)), "hello"), NotNamed},
		{"a blob named by another kind of sum", write(t, filepath.Join(dir, "git", "blobs", strings.Repeat("0", 40)), "hello"), NotNamed},
	} {
		sum, named, err := sumFile(context.Background(), c.path, func(uint64, uint64) {})
		if err != nil || sum != helloSum || named != c.want {
			t.Errorf("%s: %q, %s, %v", c.name, named, sum, err)
		}
	}
}

func TestASumOfManyChunksSaysHowFarItIsAndCanBeGivenUp(t *testing.T) {
	content := strings.Repeat("0123456789abcdef", hashChunk/4)
	path := write(t, filepath.Join(t.TempDir(), "big"), content)
	want := sha256.Sum256([]byte(content))
	var last, total uint64
	sum, _, err := sumFile(context.Background(), path, func(done, all uint64) {
		if done < last {
			t.Errorf("progress goes back from %d to %d", last, done)
		}
		last, total = done, all
	})
	if err != nil || sum != hex.EncodeToString(want[:]) || last != total || total != uint64(len(content)) {
		t.Errorf("%s, %d of %d, %v", sum, last, total, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	_, _, err = sumFile(ctx, path, func(uint64, uint64) {
		calls++
		cancel()
	})
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("after it was given up: %v, %d calls", err, calls)
	}
}

func TestAFileIsHashedOnRequestAndSaysWhatWentWrong(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "a.gguf"), "hello")
	p, l := newPresenter(t, newStore(t, dir), scripted(model(path, 5)))
	p.Rescan()
	l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	if len(p.State().Hashes) != 0 {
		t.Error("something is hashed that nobody asked for")
	}
	p.Hash(path)
	before := p.State()
	if h := before.Hashes[path]; !h.Running() || !h.Asked {
		t.Errorf("at the start: %+v", h)
	}
	l.Until(t, "the sum is there", func() bool { return p.State().Hashes[path].Sum == helloSum })
	if before.Hashes[path].Sum != "" {
		t.Error("a state that was shown has changed")
	}
	gone := filepath.Join(dir, "gone.gguf")
	for _, bad := range []string{gone, dir} {
		p.Hash(bad)
		l.Until(t, "the reason is there", func() bool { return p.State().Hashes[bad].Problem != "" })
	}
	p.Hash(gone)
	p.StopHash(gone)
	for range 2 { // whatever was posted before
		select {
		case f := <-l:
			f()
		default:
		}
	}
	if h, is := p.State().Hashes[gone]; is {
		t.Errorf("after it was given up: %+v", h)
	}
}

func TestASumIsForgottenWhenItsFileChanges(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.gguf"), "hello")
	size := uint64(5)
	p, l := newPresenter(t, newStore(t, filepath.Dir(path)), func(_ context.Context, _ library.Sources, found func(library.Model)) error {
		found(model(path, size))
		return nil
	})
	scan := func() {
		p.Rescan()
		l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	}
	scan()
	p.Hash(path)
	l.Until(t, "the sum is there", func() bool { return p.State().Hashes[path].Sum != "" })
	if scan(); p.State().Hashes[path].Sum == "" {
		t.Error("it is forgotten without need")
	}
	size = 6
	if scan(); p.State().Hashes[path].Sum != "" {
		t.Error("it stays")
	}
}
