package hub

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paddock/engine/hub/hubtest"
)

func TestAPartIsGoneOnWithAnotherDay(t *testing.T) {
	h, c := testHub(t)
	folder := t.TempDir()
	want := wantOf(t, c, "Tiny-Q4_K_M.gguf")
	half := len(large) / 2
	h.Break(hubtest.Faults{CutAfter: []int{half, 0, 0, 0, 0, 0, 0, 0}})
	_, err := c.Download(t.Context(), want, folder, func(Progress) {})
	if e := wantKind(t, err, Cut); e.File != "Tiny-Q4_K_M.gguf" || e.Repo != repoID {
		t.Errorf("it is %+v", e)
	}
	path := filepath.Join(folder, repoID, "Tiny-Q4_K_M.gguf")
	wantNone(t, path)
	wantNone(t, path+lockSuffix)
	if done, whole := Done(folder, want); done != uint64(half) || whole {
		t.Errorf("%d bytes of %d are there, whole: %v", done, half, whole)
	}
	unfinished := FindUnfinished(folder)
	if len(unfinished) != 1 || unfinished[0].DoneBytes != uint64(half) || !slices.Equal(unfinished[0].Want.Files, want.Files) {
		t.Fatalf("unfinished: %+v", unfinished)
	}

	h.Break(hubtest.Faults{})
	before := len(h.Requests())
	var p phases
	result, err := c.Download(t.Context(), unfinished[0].Want, folder, p.tell)
	if err != nil {
		t.Fatal(err)
	}
	wantFile(t, result.Paths[0], large)
	if !slices.Equal(p.seen, []Phase{Checking, Downloading, Finishing}) {
		t.Errorf("phases %v", p.seen)
	}
	for _, r := range h.Requests()[before:] {
		if got := r.Header.Get("Range"); got != fmt.Sprintf("bytes=%d-", half) {
			t.Errorf("asked for %q", got)
		}
		if got := r.Header.Get("If-Range"); got != `"`+hubtest.SHA256(large)+`"` {
			t.Errorf("on the condition %q", got)
		}
	}
	if left := FindUnfinished(folder); len(left) != 0 {
		t.Errorf("still unfinished: %+v", left)
	}
}

func TestAPartOfAnotherVersionIsNotGoneOnWith(t *testing.T) {
	h, c := testHub(t)
	folder := t.TempDir()
	h.Break(hubtest.Faults{CutAfter: []int{1000, 0, 0, 0, 0, 0, 0}})
	want := wantOf(t, c, "Tiny-Q4_K_M.gguf")
	_, err := c.Download(t.Context(), want, folder, func(Progress) {})
	wantKind(t, err, Cut)
	next := content(len(large) + 1)
	h.SetRepos(hubtest.Repo{ID: repoID, Files: []hubtest.File{{Path: "Tiny-Q4_K_M.gguf", Content: next}}})
	h.Break(hubtest.Faults{})
	result, err := c.Download(t.Context(), wantOf(t, c, "Tiny-Q4_K_M.gguf"), folder, func(Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	wantFile(t, result.Paths[0], next)
}

func TestABrokenNoteOrPartCostsABeginningOnly(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"the note is nonsense":     func(path string) error { return os.WriteFile(path+noteSuffix, []byte("{"), 0o600) },
		"the note is gone":         func(path string) error { return os.Remove(path + noteSuffix) },
		"the note is huge":         func(path string) error { return os.WriteFile(path+noteSuffix, make([]byte, 2<<20), 0o600) },
		"the part is gone":         func(path string) error { return os.Remove(path + partSuffix) },
		"the part is too long":     func(path string) error { return os.WriteFile(path+partSuffix, make([]byte, 3_000_000), 0o600) },
		"somebody cut it":          func(path string) error { return os.Truncate(path+partSuffix, 17) },
		"the lock was left behind": func(path string) error { return os.WriteFile(path+lockSuffix, []byte("1"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			h, c := testHub(t)
			folder := t.TempDir()
			want := wantOf(t, c, "Tiny-Q4_K_M.gguf")
			h.Break(hubtest.Faults{CutAfter: []int{5000, 0, 0, 0, 0, 0, 0}})
			_, err := c.Download(t.Context(), want, folder, func(Progress) {})
			wantKind(t, err, Cut)
			if err := spoil(filepath.Join(folder, repoID, "Tiny-Q4_K_M.gguf")); err != nil {
				t.Fatal(err)
			}
			h.Break(hubtest.Faults{})
			result, err := c.Download(t.Context(), want, folder, func(Progress) {})
			if err != nil {
				t.Fatal(err)
			}
			wantFile(t, result.Paths[0], large)
			onlyFiles(t, filepath.Dir(result.Paths[0]), "Tiny-Q4_K_M.gguf")
		})
	}
}

func TestCancellingKeepsThePart(t *testing.T) {
	h, c := testHub(t)
	folder := t.TempDir()
	want := wantOf(t, c, "Tiny-Q4_K_M.gguf")
	h.Break(hubtest.Faults{BytesPerSecond: 2_000_000})
	ctx, cancel := context.WithCancel(t.Context())
	var speed uint64
	_, err := c.Download(ctx, want, folder, func(p Progress) {
		speed = max(speed, p.BytesPerSecond)
		if p.DoneBytes > 1_000_000 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if done, _ := Done(folder, want); done < 1_000_000 {
		t.Errorf("%d bytes stayed", done)
	}
	if speed < 500_000 || speed > 4_000_000 {
		t.Errorf("it measured %d bytes a second of 2,000,000", speed)
	}
	if err := Discard(folder, want); err != nil {
		t.Fatal(err)
	}
	onlyFiles(t, folder)
}

func TestDiscardingLeavesWhatIsSomebodysAlone(t *testing.T) {
	h, c := testHub(t)
	folder := t.TempDir()
	want := wantOf(t, c, "Tiny-Q4_K_M.gguf")
	h.Break(hubtest.Faults{CutAfter: []int{1000, 0, 0, 0, 0, 0, 0}})
	_, err := c.Download(t.Context(), want, folder, func(Progress) {})
	wantKind(t, err, Cut)
	own := filepath.Join(folder, repoID)
	for _, name := range []string{"notes.txt", "other.gguf.part", "Tiny-Q4_K_M.gguf" + lockSuffix, "Tiny-Q4_K_M.gguf" + noteSuffix + ".tmp"} {
		if err := os.WriteFile(filepath.Join(own, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := Discard(folder, want); err != nil {
		t.Fatal(err)
	}
	onlyFiles(t, own, "notes.txt", "other.gguf.part")
}

func TestALockLeftBehindGoesWithItsFolders(t *testing.T) {
	_, c := testHub(t)
	folder := t.TempDir()
	want := wantOf(t, c, "Tiny-Q4_K_M.gguf")
	empty := filepath.Join(folder, "mine")
	if err := errors.Join(os.MkdirAll(filepath.Join(folder, repoID), 0o755), os.Mkdir(empty, 0o755),
		os.WriteFile(filepath.Join(folder, repoID, "Tiny-Q4_K_M.gguf"+lockSuffix), []byte("1"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := Discard(folder, want); err != nil {
		t.Fatal(err)
	}
	onlyFiles(t, folder, "mine")
}

func TestADownloadThatNeverBeganLeavesNothing(t *testing.T) {
	_, c := testHub(t)
	folder := t.TempDir()
	want := Want{Repo: repoID, Files: []File{{Path: "a/b.gguf", SizeBytes: 1 << 49, SHA256: strings.Repeat("a", 64)}}}
	_, err := c.Download(t.Context(), want, folder, func(Progress) {})
	wantKind(t, err, NoSpace)
	onlyFiles(t, folder)

	owner, _, _ := strings.Cut(repoID, "/")
	if err := os.Mkdir(filepath.Join(folder, owner), 0o755); err != nil { // which is not its own
		t.Fatal(err)
	}
	_, err = c.Download(t.Context(), want, folder, func(Progress) {})
	wantKind(t, err, NoSpace)
	onlyFiles(t, folder, owner)
	onlyFiles(t, filepath.Join(folder, owner))
}

func TestANoteAboutAnotherFileIsNoUnfinishedDownload(t *testing.T) {
	folder := t.TempDir()
	for path, text := range map[string]string{
		"a/b/c.gguf" + noteSuffix:     `{"want":{"repo":"a/b","files":[{"path":"other.gguf","sizeBytes":5}]},"path":"other.gguf"}`,
		"a/b/d.gguf" + noteSuffix:     `{"want":{"repo":"../../etc","files":[{"path":"d.gguf","sizeBytes":5}]},"path":"d.gguf"}`,
		"a/b/e.gguf" + noteSuffix:     `nonsense`,
		"a/b/f.gguf" + noteSuffix:     `{"want":{"repo":"a/b","files":[]},"path":"f.gguf"}`,
		"1/2/3/4/5/6/7/8/g.gguf.part": "",
	} {
		path = filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if found := FindUnfinished(folder); len(found) != 0 {
		t.Errorf("found %+v", found)
	}
	if found := FindUnfinished(filepath.Join(folder, "not there")); len(found) != 0 {
		t.Errorf("found %+v", found)
	}
}

func TestOnlyTheBytesStillToComeNeedRoom(t *testing.T) {
	folder := t.TempDir()
	want := Want{Repo: repoID, Files: []File{{Path: "a.gguf", SizeBytes: 1 << 49, SHA256: strings.Repeat("a", 64)}}}
	target := filepath.Join(folder, repoID, "a.gguf")
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		t.Fatal(err)
	}
	d, err := openDraft(want, want.Files[0], target)
	if err != nil {
		t.Fatal(err)
	}
	defer d.file.Close()
	if err := d.file.Truncate(1<<43 - 1); err != nil { // a file of holes
		t.Fatal(err)
	}
	e := wantKind(t, checkSpace(want, folder, []string{target}), NoSpace)
	if e.NeededBytes != 1<<49-1<<43+1 {
		t.Errorf("needed are %d", e.NeededBytes)
	}
}
