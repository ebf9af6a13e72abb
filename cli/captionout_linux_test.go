package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"paddock/engine/build/buildtest"
	"paddock/engine/picture/picturetest"
)

// earlier is a file with results of a run before, alone in its folder.
func earlier(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.jsonl")
	if err := os.WriteFile(path, []byte("results of before\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// wantKept holds that the file of earlier is as it was, and that a run's lines are in
// a file of this name beside it, which the run has said; nothing else is there. It
// returns what is in that file.
func wantKept(t *testing.T, out, name, stderr string) string {
	t.Helper()
	if data, err := os.ReadFile(out); err != nil || string(data) != "results of before\n" {
		t.Errorf("the file that was there: %q, %v", data, err)
	}
	partial := filepath.Join(filepath.Dir(out), name)
	data, err := os.ReadFile(partial)
	if err != nil {
		t.Error(err)
	}
	if want := "out.jsonl is as it was. The lines that came are in " + partial + ".\n"; !strings.Contains(stderr, want) {
		t.Errorf("it says %q, not %q", stderr, want)
	}
	entries, err := os.ReadDir(filepath.Dir(out))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Name() != "out.jsonl" && !strings.HasPrefix(entry.Name(), "out.partial") {
			t.Errorf("it left %s", entry.Name())
		}
	}
	return string(data)
}

func TestAnInterruptedCaptionDoesNotReplaceAFileByAFragment(t *testing.T) {
	dir, out := t.TempDir(), earlier(t)
	none := filepath.Join(dir, "none.png")
	if err := os.WriteFile(none, []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)+".png"), picturetest.Encode(t, "png", picturetest.Quadrants(60, 40)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := append([]string{"--config", configDir(t)}, sees(t)...)
	args[slices.Index(args, "--tokens")+1] = "100"
	args = append(args, "--out", out, "--overwrite", none, dir)
	for _, name := range []string{"out.partial.jsonl", "out.partial-2.jsonl"} {
		ctx, cancel := context.WithCancel(t.Context())
		stderr := &interrupting{interrupt: cancel} // by the complaint about none.png
		status := Run(ctx, args, strings.NewReader(""), &bytes.Buffer{}, stderr, Hooks{BundledEngine: buildtest.Path(t)})
		cancel()
		rows := captioned(t, wantKept(t, out, name, stderr.String()))
		if status != Failed || len(rows) == 0 || len(rows) >= 100 {
			t.Errorf("%d, %d rows, %q", status, len(rows), stderr.String())
		}
	}
}

func TestACaptionThatIsGivenUpDoesNotReplaceAFile(t *testing.T) {
	dir, out := album(t), earlier(t)
	// It ends as soon as the file with its key is gone, which is after the proof.
	ends := buildtest.Faulty(t, `key=$(echo "$*" | sed 's/.*--api-key-file \([^ ]*\).*/\1/'); engine=$$
(while [ -e "$key" ]; do sleep 0.02; done; kill -SEGV $engine) </dev/null >/dev/null 2>&1 &`)
	r := run(t, append(sees(t), "--tokens", "4000", "--engine", ends, "--out", out, "--overwrite", filepath.Join(dir, "a.png"), filepath.Join(dir, "deep"))...)
	if rows := captioned(t, wantKept(t, out, "out.partial.jsonl", r.stderr)); r.status != Failed || len(rows) != 2 {
		t.Errorf("%+v", r)
	}
}

func TestACaptionWithoutAnAnswerReplacesNoFileAndKnowsNoSpeed(t *testing.T) {
	out := earlier(t)
	r := run(t, append(sees(t), "--out", out, "--overwrite", filepath.Join(t.TempDir(), "gone.png"))...)
	rows := captioned(t, wantKept(t, out, "out.partial.jsonl", r.stderr))
	if r.status != Failed || rows["gone.png"].Error == "" || !strings.Contains(r.stderr, "\n0 of 1 pictures done, 1 failed\n") {
		t.Errorf("%+v", r)
	}
}

func TestACaptionWithAPictureThatFailedReplacesTheFile(t *testing.T) {
	dir, out := album(t), earlier(t)
	r := run(t, append(sees(t), "--out", out, "--overwrite", filepath.Join(dir, "a.png"), filepath.Join(dir, "d.png"))...)
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if rows := captioned(t, string(data)); r.status != Failed || len(rows) != 2 || rows["a.png"].Text == "" || rows["d.png"].Error == "" {
		t.Errorf("%+v, %q", r, data)
	}
	if left, err := os.ReadDir(filepath.Dir(out)); err != nil || len(left) != 1 {
		t.Errorf("it left %v, %v", left, err)
	}
}

func TestACaptionIsNotWrittenOverAPicture(t *testing.T) {
	dir := album(t)
	picture := filepath.Join(dir, "a.png")
	link := filepath.Join(t.TempDir(), "out.jsonl")
	if err := os.Symlink(picture, link); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{picture, link} {
		for _, more := range [][]string{{"--overwrite"}, nil} {
			r := run(t, append(append(sees(t), "--out", out, dir), more...)...)
			if r.status != Failed || r.stderr != filepath.Base(out)+" is one of the pictures. Choose another file for the lines.\n" {
				t.Errorf("%+v", r)
			}
		}
	}
	if data, err := os.ReadFile(picture); err != nil || !bytes.Equal(data, before) {
		t.Errorf("the picture is another one: %v", err)
	}
}

func TestAnInterruptedCaptionOfANewFileHasWhatCame(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out.jsonl")
	none := filepath.Join(dir, "none.png")
	if err := os.WriteFile(none, []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stderr := &interrupting{interrupt: cancel}
	args := append([]string{"--config", configDir(t)}, append(sees(t), "--out", out, none)...)
	Run(ctx, args, strings.NewReader(""), &bytes.Buffer{}, stderr, Hooks{BundledEngine: buildtest.Path(t)})
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if rows := captioned(t, string(data)); rows["none.png"].Error == "" {
		t.Errorf("%q", data)
	}
}

func TestLinesAreKeptWhereTheirNameCannotBeHad(t *testing.T) {
	for name, test := range map[string]struct {
		file  string
		whole bool
		spoil func(t *testing.T, path string)
		fails bool
	}{
		"a name that gets too long": {file: strings.Repeat("o", 250), spoil: func(*testing.T, string) {}},
		"a folder has taken the name": {file: "out.jsonl", whole: true, fails: true, spoil: func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), test.file)
			if err := os.WriteFile(path, []byte("before"), 0o644); err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			rows := newCaptionRows(&session{stderr: &stderr}, nil)
			if err := rows.open(path, true); err != nil {
				t.Fatal(err)
			}
			if _, err := rows.to.Write([]byte("lines")); err != nil {
				t.Fatal(err)
			}
			rows.whole = test.whole
			test.spoil(t, path)
			if err := rows.close(); (err != nil) != test.fails {
				t.Errorf("the error is %v", err)
			}
			_, kept, _ := strings.Cut(strings.TrimSuffix(stderr.String(), ".\n"), "The lines that came are in ")
			if data, err := os.ReadFile(kept); err != nil || string(data) != "lines" {
				t.Errorf("it says %q: %v", stderr.String(), err)
			}
		})
	}
}
