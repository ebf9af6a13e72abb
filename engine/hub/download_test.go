package hub

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"paddock/engine/hub/hubtest"
)

// phases are those a download went through, repeats left out.
type phases struct {
	seen []Phase
	last Progress
	most Progress // when most was done
}

func (p *phases) tell(now Progress) {
	if (now.Phase == Waiting) != (now.Cause != nil) {
		panic("a wait without a cause, or the other way round")
	}
	if len(p.seen) == 0 || p.seen[len(p.seen)-1] != now.Phase {
		p.seen = append(p.seen, now.Phase)
	}
	p.last = now
	if now.DoneBytes >= p.most.DoneBytes {
		p.most = now
	}
}

func TestADownloadIsStoredUnderOwnerAndNameAndLeavesNothingElse(t *testing.T) {
	h, c := testHub(t)
	folder := filepath.Join(t.TempDir(), "to", "be made")
	want := wantOf(t, c, "Tiny-Q4_K_M.gguf")
	var p phases
	result, err := c.Download(t.Context(), want, folder, p.tell)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "bartowski", "Tiny-GGUF", "Tiny-Q4_K_M.gguf")
	if !slices.Equal(result.Paths, []string{path}) || result.Already {
		t.Errorf("got %+v", result)
	}
	wantFile(t, path, large)
	onlyFiles(t, filepath.Dir(path), "Tiny-Q4_K_M.gguf")
	if !slices.Equal(p.seen, []Phase{Downloading, Finishing}) || p.last.DoneBytes != uint64(len(large)) || p.last.TotalBytes != uint64(len(large)) {
		t.Errorf("phases %v, last %+v", p.seen, p.last)
	}
	before := len(h.Requests())
	result, err = c.Download(t.Context(), want, folder, p.tell)
	if err != nil || !result.Already {
		t.Errorf("a second time: %+v, %v", result, err)
	}
	if len(h.Requests()) != before {
		t.Error("what is there was asked for again")
	}
}

// onlyFiles fails when a folder has others than these.
func onlyFiles(t *testing.T, folder string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil && (len(names) > 0 || !errors.Is(err, os.ErrNotExist)) {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, names) {
		t.Errorf("the folder has %q, not %q", got, names)
	}
}

func TestASetIsDownloadedWhole(t *testing.T) {
	first, second := content(50_000), content(70_000)
	_, c := testHub(t, hubtest.Repo{ID: repoID, Files: []hubtest.File{
		{Path: "BF16/m-00001-of-00002.gguf", Content: first}, {Path: "BF16/m-00002-of-00002.gguf", Content: second},
	}})
	var p phases
	result, err := c.Download(t.Context(), wantOf(t, c, "BF16/m.gguf"), t.TempDir(), p.tell)
	if err != nil {
		t.Fatal(err)
	}
	wantFile(t, result.Paths[0], first)
	wantFile(t, result.Paths[1], second)
	if p.last.TotalBytes != 120_000 || p.last.DoneBytes != 120_000 {
		t.Errorf("the end is %+v", p.last)
	}
}

func TestASmallFileIsCheckedWithGitsOwnHash(t *testing.T) {
	repo := hubtest.Repo{ID: repoID, Files: []hubtest.File{{Path: "a.gguf", Content: small, Small: true}}}
	h, c := testHub(t, repo)
	result, err := c.Download(t.Context(), wantOf(t, c, "a.gguf"), t.TempDir(), func(Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	wantFile(t, result.Paths[0], small)
	h.Break(hubtest.Faults{WrongBytes: true})
	_, err = c.Download(t.Context(), wantOf(t, c, "a.gguf"), t.TempDir(), func(Progress) {})
	wantKind(t, err, WrongHash)
}

// The connection breaks at every place that could matter, and the file is right
// all the same.
func TestACutConnectionIsGoneOnWith(t *testing.T) {
	cuts := [][]int{{0}, {1}, {0, 0, 0}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {len(large) - 1}, {copyBytes}, {copyBytes - 1, 1, copyBytes + 1}, {len(large) / 2, 0, 0, 7}}
	for range 8 {
		cuts = append(cuts, []int{rand.IntN(len(large)), rand.IntN(len(large) / 2)})
	}
	for _, cut := range cuts {
		t.Run(fmt.Sprint(cut), func(t *testing.T) {
			h, c := testHub(t)
			want := wantOf(t, c, "Tiny-Q4_K_M.gguf")
			h.Break(hubtest.Faults{CutAfter: cut})
			var p phases
			result, err := c.Download(t.Context(), want, t.TempDir(), p.tell)
			if err != nil {
				t.Fatal(err)
			}
			wantFile(t, result.Paths[0], large)
			if !slices.Contains(p.seen, Waiting) || p.last.StartedOver {
				t.Errorf("phases %v, %+v", p.seen, p.last)
			}
		})
	}
}

func TestAServerThatSendsNoRangesStartsTheFileOverAndSaysSo(t *testing.T) {
	for name, faults := range map[string]hubtest.Faults{
		"it sends all":          {NoRanges: true},
		"it sends other pieces": {WrongRanges: true},
	} {
		t.Run(name, func(t *testing.T) {
			h, c := testHub(t)
			folder := t.TempDir()
			want := wantOf(t, c, "Tiny-Q4_K_M.gguf")
			faults.CutAfter = []int{len(large) / 3}
			h.Break(faults)
			var p phases
			result, err := c.Download(t.Context(), want, folder, p.tell)
			if err != nil {
				t.Fatal(err)
			}
			wantFile(t, result.Paths[0], large)
			if !p.last.StartedOver || p.last.DoneBytes != uint64(len(large)) {
				t.Errorf("the end is %+v", p.last)
			}
		})
	}
}

func TestWrongBytesLeaveNothing(t *testing.T) {
	h, c := testHub(t)
	folder := t.TempDir()
	want := wantOf(t, c, "Tiny-Q4_K_M.gguf")
	h.Break(hubtest.Faults{WrongBytes: true})
	_, err := c.Download(t.Context(), want, folder, func(Progress) {})
	if e := wantKind(t, err, WrongHash); e.File != "Tiny-Q4_K_M.gguf" {
		t.Errorf("it is %+v", e)
	}
	onlyFiles(t, filepath.Join(folder, repoID))
	// So do those of a part that is gone on with.
	h.Break(hubtest.Faults{WrongBytes: true, CutAfter: []int{900, 0, 0, 0, 0, 0, 0}})
	_, err = c.Download(t.Context(), want, folder, func(Progress) {})
	wantKind(t, err, Cut)
	h.Break(hubtest.Faults{})
	_, err = c.Download(t.Context(), want, folder, func(Progress) {})
	wantKind(t, err, WrongHash)
	onlyFiles(t, filepath.Join(folder, repoID))
}

func TestAnswersThatAreNotTheFile(t *testing.T) {
	for name, test := range map[string]struct {
		faults hubtest.Faults
		want   Kind
	}{
		"longer than the list says":  {hubtest.Faults{LongerBy: 5}, WrongSize},
		"longer, without a length":   {hubtest.Faults{LongerBy: 5, NoLength: true}, WrongSize},
		"a page to sign in":          {hubtest.Faults{ContentType: "text/html"}, BadAnswer},
		"it needs an account":        {hubtest.Faults{Status: 401}, NeedsToken},
		"the file is gone":           {hubtest.Faults{Status: 404}, NotFound},
		"the hub is ill for long":    {hubtest.Faults{Status: 500}, Server},
		"the files' host is ill":     {hubtest.Faults{FilesStatus: 502}, Server},
		"the address never holds":    {hubtest.Faults{FilesStatus: 403}, Cut},
		"it wants an hour's peace":   {hubtest.Faults{Status: 429, RetryAfter: "3600"}, TooMany},
		"the piece is never right":   {hubtest.Faults{FilesStatus: 416}, BadAnswer},
		"it speaks another language": {hubtest.Faults{Status: 418}, BadAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			h, c := testHub(t)
			want := wantOf(t, c, "Tiny-IQ2_XS.gguf")
			h.Break(test.faults)
			folder := t.TempDir()
			_, err := c.Download(t.Context(), want, folder, func(Progress) {})
			wantKind(t, err, test.want)
			wantNone(t, filepath.Join(folder, repoID, "Tiny-IQ2_XS.gguf"))
			if name != "longer, without a length" { // of that something had come
				onlyFiles(t, filepath.Join(folder, repoID))
			}
		})
	}
}

func TestAShortFileIsNotTakenForAWholeOne(t *testing.T) {
	_, c := testHub(t, hubtest.Repo{ID: repoID, Files: []hubtest.File{{Path: "a.gguf", Content: small, ClaimsBytes: 4000}}})
	_, err := c.Download(t.Context(), wantOf(t, c, "a.gguf"), t.TempDir(), func(Progress) {})
	wantKind(t, err, WrongSize)
}

func TestWhatPassesIsWaitedForAndSaid(t *testing.T) {
	for name, faults := range map[string]hubtest.Faults{
		"too many requests":      {Status: 429, RetryAfter: "1", Once: true},
		"the hub restarts":       {Status: 503, Once: true},
		"a signed address ended": {FilesStatus: 403, Once: true},
	} {
		t.Run(name, func(t *testing.T) {
			h, c := testHub(t)
			want := wantOf(t, c, "Tiny-IQ2_XS.gguf")
			h.Break(faults)
			start := time.Now()
			var cause error
			var until time.Time
			result, err := c.Download(t.Context(), want, t.TempDir(), func(p Progress) {
				if p.Phase == Waiting {
					cause, until = p.Cause, p.Until
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			wantFile(t, result.Paths[0], small)
			if cause == nil || until.Before(start) {
				t.Errorf("it said %v until %v", cause, until)
			}
			if faults.RetryAfter != "" && time.Since(start) < time.Second {
				t.Errorf("it waited %v", time.Since(start))
			}
		})
	}
}

func TestAConnectionThatStandsStillIsGivenUp(t *testing.T) {
	h, c := testHub(t)
	c.Stall = 50 * time.Millisecond
	want := wantOf(t, c, "Tiny-IQ2_XS.gguf")
	h.Break(hubtest.Faults{Stall: true})
	start := time.Now()
	_, err := c.Download(t.Context(), want, t.TempDir(), func(Progress) {})
	wantKind(t, err, Cut)
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("after %v", took)
	}
}

func TestASecondWriterIsToldWhoTheFirstIs(t *testing.T) {
	h, c := testHub(t)
	folder := t.TempDir()
	want := wantOf(t, c, "Tiny-Q4_K_M.gguf")
	h.Break(hubtest.Faults{BytesPerSecond: 20_000_000})
	var once sync.Once
	result, err := c.Download(t.Context(), want, folder, func(p Progress) {
		once.Do(func() {
			_, err := c.Download(t.Context(), want, folder, func(Progress) { t.Error("the second goes on") })
			if e := wantKind(t, err, Busy); e.PID != os.Getpid() {
				t.Errorf("it names process %d", e.PID)
			}
			wantKind(t, Discard(folder, want), Busy)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	wantFile(t, result.Paths[0], large)
}

func TestManyWritersMakeOneFile(t *testing.T) {
	_, c := testHub(t)
	folder := t.TempDir()
	want := wantOf(t, c, "Tiny-Q4_K_M.gguf")
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for {
				_, err := c.Download(t.Context(), want, folder, func(Progress) {})
				if err == nil {
					return
				}
				if !isKind(err, Busy) {
					t.Error(err)
					return
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
	wait.Wait()
	path := filepath.Join(folder, repoID, "Tiny-Q4_K_M.gguf")
	wantFile(t, path, large)
	onlyFiles(t, filepath.Dir(path), "Tiny-Q4_K_M.gguf")
}

func TestAnotherFileInItsPlaceStays(t *testing.T) {
	_, c := testHub(t)
	want := wantOf(t, c, "Tiny-IQ2_XS.gguf")
	for name, other := range map[string][]byte{"of another size": []byte("mine"), "of the same size": make([]byte, len(small))} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, repoID, "Tiny-IQ2_XS.gguf")
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, other, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := c.Download(t.Context(), want, folder, func(Progress) {})
			if e := wantKind(t, err, Different); e.File != path {
				t.Errorf("it is %+v", e)
			}
			wantFile(t, path, other)
		})
	}
}

func TestAFileThatComesIntoItsPlaceMeanwhileStays(t *testing.T) {
	_, c := testHub(t)
	want := wantOf(t, c, "Tiny-Q4_K_M.gguf")
	folder := t.TempDir()
	path := filepath.Join(folder, repoID, "Tiny-Q4_K_M.gguf")
	_, err := c.Download(t.Context(), want, folder, func(p Progress) {
		if p.Phase == Finishing {
			if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
				t.Error(err)
			}
		}
	})
	if e := wantKind(t, err, Different); e.File != path {
		t.Errorf("it is %+v", e)
	}
	wantFile(t, path, []byte("mine"))
}

func TestALinkInThePlaceOfAPartLeadsNowhere(t *testing.T) {
	_, c := testHub(t)
	want := wantOf(t, c, "Tiny-IQ2_XS.gguf")
	folder := t.TempDir()
	path := filepath.Join(folder, repoID, "Tiny-IQ2_XS.gguf")
	other := filepath.Join(t.TempDir(), "other")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(other, []byte("mine"), 0o600),
		os.Symlink(other, path+partSuffix)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Download(t.Context(), want, folder, func(Progress) {}); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path, small)
	wantFile(t, other, []byte("mine"))
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		t.Errorf("it is %v, %v", info, err)
	}
}

func TestTooLittleRoomIsSaidBeforeAnythingIsAskedFor(t *testing.T) {
	h, c := testHub(t, hubtest.Repo{ID: repoID, Files: []hubtest.File{{Path: "a.gguf", Content: small, ClaimsBytes: 1 << 49}}})
	want := wantOf(t, c, "a.gguf")
	before := len(h.Requests())
	folder := t.TempDir()
	_, err := c.Download(t.Context(), want, folder, func(Progress) {})
	e := wantKind(t, err, NoSpace)
	free, freeErr := FreeBytes(folder)
	if freeErr != nil || e.NeededBytes != 1<<49 || e.FreeBytes == 0 || e.FreeBytes > 2*free+1<<30 {
		t.Errorf("it is %+v, free are %d, %v", e, free, freeErr)
	}
	if len(h.Requests()) != before {
		t.Error("the hub was asked")
	}
}

func TestAFolderThatCantBeWrittenIsNamed(t *testing.T) {
	_, c := testHub(t)
	want := wantOf(t, c, "Tiny-IQ2_XS.gguf")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := c.Download(t.Context(), want, file, func(Progress) {})
	if e := wantKind(t, err, Unwritable); !strings.HasPrefix(e.File, file) || e.Err == nil {
		t.Errorf("it is %+v", e)
	}
}

func TestNamesThatAreNoneAreNotAskedFor(t *testing.T) {
	h, c := testHub(t)
	for name, want := range map[string]Want{
		"up and away":         {Repo: repoID, Files: []File{{Path: "../../a.gguf", SizeBytes: 1}}},
		"a device":            {Repo: repoID, Files: []File{{Path: "aux.gguf", SizeBytes: 1}}},
		"the same name twice": {Repo: repoID, Files: []File{{Path: "a.gguf", SizeBytes: 1}, {Path: "A.gguf", SizeBytes: 1}}},
		"a repository's":      {Repo: "../a", Files: []File{{Path: "a.gguf", SizeBytes: 1}}},
	} {
		_, err := c.Download(t.Context(), want, t.TempDir(), func(Progress) {})
		if !isKind(err, BadName) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(h.Requests()) != 0 {
		t.Error("the hub was asked")
	}
}

func TestAHostThatIsAwayForAMomentIsTriedAgain(t *testing.T) {
	c := &Client{Endpoint: nobodyThere(t), Wait: time.Millisecond}
	var p phases
	_, err := c.Download(t.Context(), Want{Repo: repoID, Commit: "main", Files: []File{{Path: "a.gguf", SizeBytes: 5}}}, t.TempDir(), p.tell)
	wantKind(t, err, Offline)
	waits := 0
	for _, phase := range p.seen {
		if phase == Waiting {
			waits++
		}
	}
	if waits != attemptsMax-1 {
		t.Errorf("phases %v", p.seen)
	}
}

func TestAFullDiskIsToldApart(t *testing.T) {
	err := unwritable("/m/a.gguf", &os.PathError{Op: "write", Path: "/m/a.gguf.part", Err: syscall.ENOSPC})
	if e := wantKind(t, err, NoSpace); e.NeededBytes != 0 || e.File != "/m/a.gguf" {
		t.Errorf("it is %+v", e)
	}
	wantKind(t, unwritable("/m/a.gguf", os.ErrPermission), Unwritable)
}

// isKind says whether an error is one of ours of a kind.
func isKind(err error, kind Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}
