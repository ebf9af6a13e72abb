package images

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"image/jpeg"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"paddock/engine/picture"
)

// results is a set of a picture with an answer, an edited one, a failed one and one that waits.
func results(t *testing.T) (s *Set, dir string) {
	t.Helper()
	dir = pictures(t, 4)
	write(t, filepath.Join(dir, "002.png"), []byte("hello"))
	s = New()
	ids := s.Add(t.Context(), false, dir).Items
	finish(t, started(t, s, says("a \"flag\", <b>red</b>\nand blue"), 1, Run{Only: ids[:3]}))
	s.Edit(ids[1], "=mine")
	wantCounts(t, s, Counts{Waiting: 1, Done: 1, Edited: 1, Failed: 1})
	return s, dir
}

func reason(err error) string {
	var failed *picture.Error
	if errors.As(err, &failed) {
		return "not usable: " + string(failed.Problem)
	}
	return err.Error()
}

func planned(t *testing.T, s *Set) Beside {
	t.Helper()
	b, err := s.PlanBeside(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func written(t *testing.T, b Beside, overwrite bool) Written {
	t.Helper()
	w, err := b.Write(t.Context(), overwrite)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestTextsAreWrittenBesideTheirPictures(t *testing.T) {
	s, dir := results(t)
	write(t, filepath.Join(dir, "001.txt"), []byte("somebody's own"))
	b := planned(t, s)
	if b.New != 1 || b.Overwrite != 1 || b.Same != 0 || b.Without != 2 || b.LongNames != 0 {
		t.Errorf("%+v", b)
	}
	if w := written(t, b, false); w.Files != 1 || w.Kept != 1 || w.Errors != nil {
		t.Errorf("%+v", w)
	}
	if got := read(t, filepath.Join(dir, "001.txt")); got != "somebody's own" {
		t.Errorf("%q", got)
	}
	if got := read(t, filepath.Join(dir, "000.txt")); got != "a \"flag\", <b>red</b>\nand blue\n" {
		t.Errorf("%q", got)
	}
	b = planned(t, s)
	if b.New != 0 || b.Same != 1 || b.Overwrite != 1 {
		t.Errorf("%+v", b)
	}
	if w := written(t, b, true); w.Files != 1 || w.Kept != 0 {
		t.Errorf("%+v", w)
	}
	if got := read(t, filepath.Join(dir, "001.txt")); got != "=mine\n" {
		t.Errorf("%q", got)
	}
	wantNoTemporaryFiles(t, dir)
}

func wantNoTemporaryFiles(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if strings.Contains(entry.Name(), ".tmp") {
			t.Errorf("left behind: %s", entry.Name())
		}
	}
}

func TestWhatCameSinceThePlanIsNotOverwritten(t *testing.T) {
	s, dir := results(t)
	b := planned(t, s)
	write(t, filepath.Join(dir, "000.txt"), []byte("just now"))
	if w := written(t, b, false); w.Files != 1 || w.Kept != 1 {
		t.Errorf("%+v", w)
	}
	if got := read(t, filepath.Join(dir, "000.txt")); got != "just now" {
		t.Errorf("%q", got)
	}
	wantNoTemporaryFiles(t, dir)
}

func TestPicturesOfOneNameKeepTheirSuffix(t *testing.T) {
	dir := pictures(t, 2)
	png := []byte(read(t, filepath.Join(dir, "000.png")))
	write(t, filepath.Join(dir, "000.JPG"), png)
	s := New()
	s.Add(t.Context(), false, dir)
	finish(t, started(t, s, says("a flag"), 1, Run{}))
	if b := planned(t, s); b.New != 3 || b.LongNames != 2 || written(t, b, false).Files != 3 {
		t.Errorf("%+v", b)
	}
	for _, name := range []string{"000.png.txt", "000.JPG.txt", "001.txt"} {
		read(t, filepath.Join(dir, name))
	}
}

func TestNoTextIsWrittenOverAPictureOrAnotherText(t *testing.T) {
	tests := []struct {
		name     string
		pictures string
		want     string // the file of each picture's text, - for none
		long     int
	}{
		{"a picture called as the text would be", "scan.png scan.txt", "scan.png.txt scan.txt.txt", 2},
		{"one such picture alone", "scan.txt", "scan.txt.txt", 1},
		{"but for the case", "Scan.TXT", "Scan.TXT.txt", 1},
		{"a short name that is another's long one", "x.jpg x.jpg.gif x.png", "x.jpg.txt x.jpg.gif.txt x.png.txt", 3},
		{"the same in another order", "x.jpg.gif x.png x.jpg", "x.jpg.gif.txt x.png.txt x.jpg.txt", 3},
		{"and that of a third by it", "x.jpg.gif.bmp x.jpg.gif x.png x.jpg", "x.jpg.gif.bmp.txt x.jpg.gif.txt x.png.txt x.jpg.txt", 4},
		{"the long name is a picture too", "scan.txt scan.txt.txt", "- scan.txt.txt.txt", 1},
		{"no suffix", "scan other.png", "scan.txt other.txt", 0},
		{"nothing is in the way", "a.png b.txt c.jpg.gif", "a.txt b.txt.txt c.jpg.txt", 1},
	}
	png := []byte(read(t, filepath.Join(pictures(t, 1), "000.png")))
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir, s := t.TempDir(), New()
			names, want := strings.Fields(test.pictures), strings.Fields(test.want)
			for _, name := range names {
				write(t, filepath.Join(dir, name), png)
				id := s.Add(t.Context(), false, filepath.Join(dir, name)).Items[0]
				s.Edit(id, "of "+name)
			}
			b := planned(t, s)
			w := written(t, b, true)
			if b.LongNames != test.long {
				t.Errorf("%d long names, not %d", b.LongNames, test.long)
			}
			for i, name := range names {
				if read(t, filepath.Join(dir, name)) != string(png) {
					t.Errorf("the picture %s is overwritten", name)
				}
				if want[i] == "-" {
					wantProblem(t, w.Errors[0], Taken)
					want[i] = ""
				} else if got := read(t, filepath.Join(dir, want[i])); got != "of "+name+"\n" {
					t.Errorf("%s says %q", want[i], got)
				}
			}
			if texts := len(slices.DeleteFunc(want, func(name string) bool { return name == "" })); w.Files != texts || len(w.Errors) != len(names)-texts {
				t.Errorf("%+v", w)
			}
		})
	}
}

// Where the disk knows case these are two pictures and two texts; else the second is the
// first one's file.
func TestPicturesWhoseNamesDifferInCaseOnlyHaveTheirOwnTexts(t *testing.T) {
	dir := pictures(t, 1)
	png := []byte(read(t, filepath.Join(dir, "000.png")))
	s := New()
	for _, name := range []string{"000.png", "000.PNG"} {
		write(t, filepath.Join(dir, name), png)
		s.Edit(s.Add(t.Context(), false, filepath.Join(dir, name)).Items[0], "of "+name)
	}
	b := planned(t, s)
	if entries, err := os.ReadDir(dir); err != nil || b.New != len(entries) || len(b.Errors) != 2-b.New {
		t.Fatalf("%+v, %v", b, err)
	}
	written(t, b, true)
	if got := read(t, filepath.Join(dir, "000.png.txt")); got != "of 000.png\n" {
		t.Errorf("%q", got)
	}
}

func TestAFileThatIsWrittenAnewMayBeUsedAsBefore(t *testing.T) {
	s, dir := results(t)
	beside, export := filepath.Join(dir, "001.txt"), filepath.Join(t.TempDir(), "out.csv")
	modes := map[string]os.FileMode{}
	for path, mode := range map[string]os.FileMode{beside: 0o664, export: 0o606} {
		write(t, path, []byte("before"))
		if err := os.Chmod(path, mode); err != nil { // which the system does not narrow
			t.Fatal(err)
		}
		modes[path] = modeOf(t, path)
	}
	written(t, planned(t, s), true)
	if err := s.Export(t.Context(), export, ExportOptions{Format: CSV, Reason: reason}); err != nil {
		t.Fatal(err)
	}
	for path, before := range modes {
		if mode := modeOf(t, path); mode != before || read(t, path) == "before" {
			t.Errorf("%s has mode %o, had %o", path, mode, before)
		}
	}
}

func modeOf(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

func TestAPastedPictureHasNoPlaceBesideIt(t *testing.T) {
	s := open(t, t.TempDir())
	if _, err := s.AddBytes("Pasted", []byte(read(t, filepath.Join(pictures(t, 1), "000.png")))); err != nil {
		t.Fatal(err)
	}
	finish(t, started(t, s, says("a flag"), 1, Run{}))
	if b := planned(t, s); b.Pasted != 1 || b.New != 0 {
		t.Errorf("%+v", b)
	}
	path := filepath.Join(t.TempDir(), "out.jsonl")
	if err := s.Export(t.Context(), path, ExportOptions{Format: JSONLines, Reason: reason}); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); !strings.Contains(got, `"path":"Pasted"`) {
		t.Errorf("%s", got)
	}
}

func TestAnExportWhereNothingCanBeWrittenIsSaid(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		// Where nothing is forbidden the system's words have to do.
		wantProblem(t, writeError("a", &os.PathError{Op: "open", Path: "a", Err: syscall.EACCES}), Denied)
		wantProblem(t, writeError("a", &os.PathError{Op: "open", Path: "a", Err: syscall.EROFS}), Denied)
		return
	}
	s, dir := results(t)
	b := planned(t, s)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	w := written(t, b, true)
	if w.Files != 0 || len(w.Errors) != 2 {
		t.Fatalf("%+v", w)
	}
	wantProblem(t, w.Errors[0], Denied)
	wantProblem(t, s.Export(t.Context(), filepath.Join(dir, "out.csv"), ExportOptions{Format: CSV, Reason: reason}), Denied)
}

func TestAnExportIntoAFolderThatIsGoneIsSaid(t *testing.T) {
	s, dir := results(t)
	for _, format := range []Format{CSV, JSONLines, Markdown} {
		wantProblem(t, s.Export(t.Context(), filepath.Join(dir, "gone", "out"), ExportOptions{Format: format, Reason: reason}), Unwritable)
	}
}

func TestCSVAndJSONLinesHaveWhatIsSettled(t *testing.T) {
	s, dir := results(t)
	path := filepath.Join(t.TempDir(), "out")
	export := func(f Format) string {
		if err := s.Export(t.Context(), path, ExportOptions{Format: f, Reason: reason}); err != nil {
			t.Fatal(err)
		}
		return read(t, path)
	}
	rows, err := csv.NewReader(strings.NewReader(export(CSV))).ReadAll()
	if err != nil || len(rows) != 4 || rows[1][1] != "a \"flag\", <b>red</b>\nand blue" || rows[2][2] != "true" || rows[3][3] != "not usable: notAPicture" {
		t.Errorf("%q, %v", rows, err)
	}
	var lines []Row
	for scanner := bufio.NewScanner(strings.NewReader(export(JSONLines))); scanner.Scan(); {
		var r Row
		if err := json.Unmarshal(scanner.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, r)
	}
	if len(lines) != 3 || lines[0].Path != filepath.Join(dir, "000.png") || lines[1].Text != "=mine" || lines[2].Error == "" {
		t.Errorf("%+v", lines)
	}
}

func TestAnExportSaysWhichInstructionMadeWhichText(t *testing.T) {
	s, ids := added(t, 3)
	finish(t, started(t, s, says("a flag"), 1, Run{Prompt: "What is it?", Only: ids[:1]}))
	finish(t, started(t, s, says("red"), 1, Run{Prompt: "Which colour?", Only: ids[1:2]}))
	s.Edit(ids[1], "blue")
	s.Edit(ids[2], "mine")
	path := filepath.Join(t.TempDir(), "out")
	var got [2][]string
	if err := s.Export(t.Context(), path, ExportOptions{Format: CSV, Reason: reason}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(read(t, path))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(rows[0], "prompt")
	for _, row := range rows[1:] {
		got[0] = append(got[0], row[at])
	}
	if err := s.Export(t.Context(), path, ExportOptions{Format: JSONLines, Reason: reason}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(read(t, path)) {
		var r struct{ Prompt string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		got[1] = append(got[1], r.Prompt)
	}
	for _, list := range got {
		if !slices.Equal(list, []string{"What is it?", "Which colour?", ""}) {
			t.Errorf("%q", list)
		}
	}
}

func TestAnExportIsUTF8WhateverAFileIsCalled(t *testing.T) {
	s := New()
	for i, name := range []string{"latin-\xe9\xe8.png", "fine.png"} {
		s.Edit(s.Add(t.Context(), false, filepath.Join(t.TempDir(), name)).Items[0], fmt.Sprint(i))
	}
	for _, format := range []Format{CSV, JSONLines, Markdown} {
		path := filepath.Join(t.TempDir(), "out")
		if err := s.Export(t.Context(), path, ExportOptions{Format: format, Reason: reason}); err != nil {
			t.Fatal(err)
		}
		text := read(t, path)
		if format == JSONLines {
			var r Row
			if err := json.Unmarshal([]byte(text[:strings.Index(text, "\n")]), &r); err != nil {
				t.Fatal(err)
			}
			text += r.Path
		}
		if !utf8.ValidString(text) || !strings.Contains(text, "latin-\ufffd\ufffd.png") {
			t.Errorf("%s is %q", format, text)
		}
	}
}

func TestMarkdownShowsThumbnails(t *testing.T) {
	s, _ := results(t)
	thumbnails := NewThumbnails(t.TempDir(), DefaultThumbnailBytes)
	dir := t.TempDir()
	path := filepath.Join(dir, "my (best) results.md")
	if err := s.Export(t.Context(), path, ExportOptions{Format: Markdown, Title: "A_B", Reason: reason, Thumbnails: thumbnails}); err != nil {
		t.Fatal(err)
	}
	text := read(t, path)
	for _, part := range []string{`# A\_B`, "## 000.png", "![](my%20%28best%29%20results-pictures/", "&lt;b>red", "*not usable: notAPicture*"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %s", part, text)
		}
	}
	folder := filepath.Join(dir, "my (best) results-pictures")
	shown := func() []string {
		t.Helper()
		names, err := filepath.Glob(filepath.Join(folder, "*.jpg"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	for _, name := range shown() {
		if _, err := jpeg.Decode(bytes.NewReader([]byte(read(t, name)))); err != nil || !strings.Contains(text, filepath.Base(name)) {
			t.Errorf("%s: %v, in %s", name, err, text)
		}
	}
	// What lies there already is used again, or else left as it is.
	if n := len(shown()); n != 2 {
		t.Fatalf("%d thumbnails", n)
	}
	again := ExportOptions{Format: Markdown, Title: "A_B", Reason: reason, Thumbnails: thumbnails}
	if err := s.Export(t.Context(), path, again); err != nil || read(t, path) != text || len(shown()) != 2 {
		t.Errorf("%v, %d thumbnails", err, len(shown()))
	}
	write(t, shown()[0], []byte("the user's"))
	wantProblem(t, s.Export(t.Context(), path, again), Unwritable)
	if read(t, shown()[0]) != "the user's" || read(t, path) != text {
		t.Error("a failed export changes files")
	}
}

func TestAnExportEndsWithItsContext(t *testing.T) {
	s, dir := results(t)
	b := planned(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(dir, "out.csv")
	_, planErr := s.PlanBeside(ctx)
	_, writeErr := b.Write(ctx, true)
	exportErr := s.Export(ctx, path, ExportOptions{Format: CSV, Reason: reason})
	if errs := []error{planErr, writeErr, exportErr}; slices.ContainsFunc(errs, func(err error) bool { return !errors.Is(err, context.Canceled) }) {
		t.Error(errs)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it is written")
	}
}
