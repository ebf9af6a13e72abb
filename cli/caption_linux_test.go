package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"paddock/engine/build/buildtest"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/images"
	"paddock/engine/picture/picturetest"
)

// album is a folder of pictures: two good ones, one in a folder, one that is none.
func album(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	png := picturetest.Encode(t, "png", picturetest.Quadrants(60, 40))
	for name, data := range map[string][]byte{
		"a.png": png, "日本 b.png": png, "deep/c.png": png, "d.png": []byte("hello"), "notes.txt": []byte("hello"),
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func captioned(t *testing.T, text string) map[string]images.Row {
	t.Helper()
	rows := map[string]images.Row{}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	for decoder.More() {
		var row images.Row
		if err := decoder.Decode(&row); err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		rows[filepath.Base(row.Path)] = row
	}
	return rows
}

// sees are the arguments of a model that sees.
func sees(t *testing.T) []string {
	t.Helper()
	return []string{"caption", gguftest.Gemma3(t), "--projector", gguftest.Projector(t), "--tokens", "6"}
}

func TestCaptionWritesALineForEveryPicture(t *testing.T) {
	dir := album(t)
	r := run(t, append(sees(t), dir, "--slots", "2")...)
	rows := captioned(t, r.stdout)
	if r.status != Failed || len(rows) != 3 {
		t.Fatalf("%+v", r)
	}
	for _, name := range []string{"a.png", "日本 b.png"} {
		if row := rows[name]; row.Text == "" || row.Error != "" || row.Path != filepath.Join(dir, name) {
			t.Errorf("%+v", row)
		}
	}
	if row := rows["d.png"]; row.Text != "" || row.Error != "d.png is not a picture, but a text." {
		t.Errorf("%+v", row)
	}
	if !strings.Contains(r.stderr, "d.png is not a picture, but a text. Choose a PNG") || !strings.Contains(r.stderr, "2 of 3 pictures done, 1 failed") {
		t.Errorf("%q", r.stderr)
	}
}

func TestCaptionLooksInFoldersOfAFolderWhenAsked(t *testing.T) {
	dir := album(t)
	if err := os.Remove(filepath.Join(dir, "d.png")); err != nil {
		t.Fatal(err)
	}
	r := run(t, append(sees(t), "--json", "--recursive", dir)...)
	if rows := captioned(t, r.stdout); r.status != Done || len(rows) != 3 || rows["c.png"].Text == "" || r.stderr != "" {
		t.Errorf("%+v", r)
	}
}

func TestCaptionCallsPicturesAsTheyWereNamed(t *testing.T) {
	dir, args, hooks := album(t), sees(t), Hooks{BundledEngine: buildtest.Path(t)}
	t.Chdir(filepath.Dir(dir))
	folder := filepath.Base(dir)
	r := runWith(t, t.Context(), hooks, append(args, filepath.Join(folder, "a.png"), filepath.Join(folder, "deep"), "gone.png")...)
	rows := captioned(t, r.stdout)
	if rows["a.png"].Path != filepath.Join(folder, "a.png") || rows["c.png"].Path != filepath.Join(folder, "deep", "c.png") {
		t.Errorf("%+v", rows)
	}
	if row := rows["gone.png"]; row.Path != "gone.png" || row.Error == "" || r.status != Failed {
		t.Errorf("%+v", row)
	}
}

func TestCaptionAsksWhatItIsTold(t *testing.T) {
	picture := filepath.Join(album(t), "a.png")
	model := []string{"caption", gguftest.Qwen35(t), "--projector", gguftest.Qwen35Projector(t), picture}
	text := func(flags ...string) string {
		r := run(t, append(slices.Clone(model), flags...)...)
		if r.status != Done {
			t.Fatalf("%+v", r)
		}
		return captioned(t, r.stdout)["a.png"].Text
	}
	if tags := text("--preset", "tags", "--spec", "none"); !strings.HasPrefix(tags, `{"tags":["`) {
		t.Errorf("tags: %q", tags)
	}
	plain := text("--tokens", "12", "--spec", "none")
	if guessed := text("--tokens", "12", "--spec", "mtp"); guessed != plain {
		t.Errorf("guessing changed the answer: %q, was %q", guessed, plain)
	}
	if own := text("--tokens", "12", "--prompt", "Tell me a story about three trees", "--preset", "tags"); own == "" || strings.HasPrefix(own, "{") {
		t.Errorf("an own prompt: %q", own)
	}
}

func TestCaptionRefusesAModelThatCannotSee(t *testing.T) {
	r := run(t, "caption", gguftest.Llama(t), album(t), "--json")
	wantFailure(t, r, Failed, "cli.chat.blind")
}

func TestCaptionWithoutAPictureSaysSo(t *testing.T) {
	wantFailure(t, run(t, "caption", gguftest.Llama(t), t.TempDir(), "--json"), Failed, "cli.caption.none")
}

func TestWhatCaptionDoesNotTakeIsWrongUsage(t *testing.T) {
	for _, flags := range [][]string{
		{"--tokens", "-1"}, {"--temperature", "-1"}, {"--max-side", "8"}, {"--max-side", "99999"}, {"--preset", "poem"}, {"--purpose", "rerank"},
		{"--prompt", ""}, {"--prompt", " \n"},
	} {
		if r := run(t, append([]string{"caption", "guide", "a.png"}, flags...)...); r.status != WrongUsage {
			t.Errorf("%v: %+v", flags, r)
		}
	}
}

func TestCaptionWritesToAFile(t *testing.T) {
	dir := album(t)
	out := filepath.Join(t.TempDir(), "out.jsonl")
	before := strings.Repeat("what was there before\n", 100)
	if err := os.WriteFile(out, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	content := func() string {
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	run(t, "caption", gguftest.Llama(t), dir, "--out", out)
	if content() != before {
		t.Error("a refusal empties the file")
	}
	args := append(sees(t), filepath.Join(dir, "a.png"), "--out", out)
	r := run(t, append(slices.Clone(args), "--json")...)
	if wantFailure(t, r, Failed, "cli.caption.there"); content() != before {
		t.Error("what is there is replaced unasked")
	}
	r = run(t, append(slices.Clone(args), "--overwrite")...)
	if rows := captioned(t, content()); r.status != Done || r.stdout != "" || len(rows) != 1 || rows["a.png"].Text == "" {
		t.Errorf("%+v, %q", r, content())
	}
	fresh := filepath.Join(t.TempDir(), "fresh.jsonl")
	run(t, "caption", gguftest.Llama(t), dir, "--out", fresh)
	if _, err := os.Stat(fresh); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a refusal leaves a file: %v", err)
	}
	if r := run(t, append(sees(t), filepath.Join(dir, "a.png"), "--out", fresh)...); r.status != Done {
		t.Errorf("%+v", r)
	}
	for _, path := range []string{out, fresh} {
		if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
			t.Errorf("beside %s there are %v, %v", path, left, err)
		}
	}
	r = run(t, append(sees(t), filepath.Join(dir, "a.png"), "--out", filepath.Join(dir, "gone", "out"), "--json")...)
	wantFailure(t, r, Failed, "cli.caption.out")
}

// killing ends the engine of a model when the first line is written.
type killing struct {
	bytes.Buffer
	t     *testing.T
	model string
	done  bool
}

func (w *killing) Write(p []byte) (int, error) {
	if !w.done {
		w.done = true
		processes, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, process := range processes {
			command, err := os.ReadFile(process)
			if err != nil || !slices.Contains(strings.Split(string(command), "\x00"), w.model) {
				continue
			}
			pid, err := strconv.Atoi(strings.Split(process, "/")[2])
			if err != nil {
				w.t.Error(err)
				continue
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				w.t.Error(err)
			}
		}
	}
	return w.Buffer.Write(p)
}

func TestCaptionBringsAKilledEngineBack(t *testing.T) {
	dir := t.TempDir()
	for i := range 24 {
		data := picturetest.Encode(t, "png", picturetest.Quadrants(60+i, 40))
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)+".png"), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := append([]string{"--config", configDir(t)}, sees(t)...)
	args[slices.Index(args, "--tokens")+1] = "40"
	stdout := &killing{t: t, model: args[3]}
	var stderr bytes.Buffer
	status := Run(t.Context(), append(args, dir), strings.NewReader(""), stdout, &stderr, Hooks{BundledEngine: buildtest.Path(t)})
	rows := captioned(t, stdout.String())
	if status != Done || len(rows) != 24 || !strings.Contains(stderr.String(), "Loading it again to go on.") {
		t.Errorf("%d, %d rows, %q", status, len(rows), stderr.String())
	}
}

// deafening takes an engine's socket away, as long as it is told to, from the first
// line on. The engine runs on and can't be reached.
type deafening struct {
	bytes.Buffer
	t      *testing.T
	folder string
	always bool
	done   bool
	end    chan struct{}
}

func (w *deafening) Write(p []byte) (int, error) {
	if !w.done {
		w.done = true
		w.deafen()
		if w.always {
			go func() {
				for {
					select {
					case <-w.end:
						return
					case <-time.After(5 * time.Millisecond):
						w.deafen()
					}
				}
			}()
		}
	}
	return w.Buffer.Write(p)
}

func (w *deafening) deafen() {
	err := filepath.WalkDir(w.folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type() == fs.ModeSocket {
			_ = os.Remove(path) // it may be gone by itself
		}
		return nil
	})
	if err != nil {
		w.t.Error(err)
	}
}

func TestCaptionDoesNotWaitForEverForAnEngineThatDoesNotAnswer(t *testing.T) {
	patience := enginePatience
	enginePatience = 300 * time.Millisecond
	t.Cleanup(func() { enginePatience = patience })
	dir := t.TempDir()
	for i := range 12 {
		data := picturetest.Encode(t, "png", picturetest.Quadrants(60+i, 40))
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)+".png"), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name   string
		always bool
		status int
		stderr string
	}{
		{"it is loaded again", false, Done, "12 of 12 pictures done"},
		{"and given up where that does not help", true, Failed, "is left out"},
	} {
		t.Run(test.name, func(t *testing.T) {
			config := configDir(t)
			stdout := &deafening{t: t, folder: config, always: test.always, end: make(chan struct{})}
			defer close(stdout.end)
			var stderr bytes.Buffer
			args := append(append([]string{"--config", config}, sees(t)...), dir)
			status := Run(t.Context(), args, strings.NewReader(""), stdout, &stderr, Hooks{BundledEngine: buildtest.Path(t)})
			if rows := captioned(t, stdout.String()); status != test.status || len(rows) != 12 || !strings.Contains(stderr.String(), "Loading it again to go on.") || !strings.Contains(stderr.String(), test.stderr) {
				t.Errorf("%d, %d rows, %q", status, len(rows), stderr.String())
			}
		})
	}
}

func TestCaptionGivesUpOnAnEngineThatAlwaysEnds(t *testing.T) {
	dir := album(t)
	config := configDir(t)
	// It ends as soon as the file with its key is gone, which is after the proof.
	ends := buildtest.Faulty(t, `key=$(echo "$*" | sed 's/.*--api-key-file \([^ ]*\).*/\1/'); engine=$$
(while [ -e "$key" ]; do sleep 0.02; done; kill -SEGV $engine) </dev/null >/dev/null 2>&1 &`)
	r := run(t, append(sees(t), "--tokens", "4000", "--config", config, "--engine", ends, filepath.Join(dir, "a.png"), filepath.Join(dir, "deep"), filepath.Join(dir, "d.png"))...)
	rows := captioned(t, r.stdout)
	if r.status != Failed || len(rows) != 3 {
		t.Fatalf("%+v", r)
	}
	for name, row := range rows {
		if row.Text != "" || row.Error == "" {
			t.Errorf("%s: %+v", name, row)
		}
	}
	wantNothingLeft(t, config)
}

func TestAnInterruptedCaptionLeavesNothingBehind(t *testing.T) {
	config := configDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdout := &interrupting{interrupt: cancel}
	var stderr bytes.Buffer
	dir := t.TempDir()
	for i := range 100 {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)+".png"), picturetest.Encode(t, "png", picturetest.Quadrants(60, 40)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := append([]string{"--config", config}, sees(t)...)
	args[slices.Index(args, "--tokens")+1] = "100"
	status := Run(ctx, append(args, dir), strings.NewReader(""), stdout, &stderr, Hooks{BundledEngine: buildtest.Path(t)})
	if rows := captioned(t, stdout.String()); status != Failed || len(rows) == 0 || len(rows) == 100 {
		t.Errorf("%d, %d rows, %q", status, len(rows), stderr.String())
	}
	wantNothingLeft(t, config)
}
