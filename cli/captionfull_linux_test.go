package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"paddock/engine/images"
	"paddock/engine/picture/picturetest"
)

func TestCaptionStopsAtOnceWhenItsLinesGoNowhere(t *testing.T) {
	dir := t.TempDir()
	for i := range 12 {
		data := picturetest.Encode(t, "png", picturetest.Quadrants(60+i, 40))
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)+".png"), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// The last is none: it would be said, were it still gone to.
	if err := os.WriteFile(filepath.Join(dir, "z.png"), []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	args := append(sees(t), dir)
	for name, test := range map[string]struct {
		stdout io.Writer
		flags  []string
		status int
		said   string
	}{
		"a full disk for the file": {io.Discard, []string{"--out", "/dev/full"}, Failed,
			"The results can't be written to full: no space left on device. Free some space, or choose another file.\n"},
		"a full disk for the output": {closedOutput{syscall.ENOSPC}, nil, Failed,
			"The output could not be written: no space left on device. Free some space where it goes, or send it elsewhere.\n"},
		"a reader that has gone away": {closedOutput{syscall.EPIPE}, nil, Done, ""},
	} {
		t.Run(name, func(t *testing.T) {
			status, said := runInto(t, test.stdout, append(args, test.flags...)...)
			if status != test.status || said != test.said {
				t.Errorf("status %d, it says %q, want %d and %q", status, said, test.status, test.said)
			}
		})
	}
}

// A filling is a file on a disk that has room for so many bytes more.
type filling struct {
	file *os.File
	left int
}

func (f *filling) Write(p []byte) (int, error) {
	n, err := f.file.Write(p[:min(len(p), f.left)])
	f.left -= n
	if err == nil && n < len(p) {
		err = &os.PathError{Op: "write", Path: f.file.Name(), Err: syscall.ENOSPC}
	}
	return n, err
}

func TestTheLinesOfAFullDiskAreWhole(t *testing.T) {
	items := make([]*images.Item, 4)
	for i := range items {
		items[i] = &images.Item{ID: images.ID(i + 1), Path: strconv.Itoa(i) + ".png", Phase: images.Done, Text: strings.Repeat("a tree ", 9)}
	}
	before := "of an earlier run\n"
	for name, there := range map[string]bool{"a file of its own": false, "in the place of one that is there": true} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.jsonl")
			kept := out
			if there {
				kept = filepath.Join(filepath.Dir(out), "out.partial.jsonl")
				if err := os.WriteFile(out, []byte(before), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			s := &session{stdout: &output{to: io.Discard}, stderr: io.Discard}
			rows := newCaptionRows(s, nil)
			if err := rows.open(out, true); err != nil {
				t.Fatal(err)
			}
			rows.row(items[0])
			info, err := rows.file.Stat()
			if err != nil {
				t.Fatal(err)
			}
			rows.to = &filling{rows.file, int(info.Size()) * 3 / 2} // room for the second line and half of the third
			for _, item := range items[1:] {
				rows.row(item)
			}
			if !rows.shut() {
				t.Error("it would go on")
			}
			err = rows.close()
			if sentence, status := describe(err); !errors.Is(err, syscall.ENOSPC) || status != Failed ||
				sentence.Remedy != "Free some space, or choose another file. The lines that came are kept." {
				t.Errorf("the error is %v: %q", err, sentence.Remedy)
			}
			lines, err := os.ReadFile(kept)
			if err != nil {
				t.Fatal(err)
			}
			if got := captioned(t, string(lines)); len(got) != 2 || got["0.png"].Text == "" || got["1.png"].Text == "" || !strings.HasSuffix(string(lines), "}\n") {
				t.Errorf("there are %q", lines)
			}
			if data, err := os.ReadFile(out); there && (err != nil || string(data) != before) {
				t.Errorf("what was there is %q, %v", data, err)
			}
		})
	}
}
