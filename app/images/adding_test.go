package images

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paddock/app/widgets"
	job "paddock/engine/images"
)

func TestAddingSaysWhatItLeftOut(t *testing.T) {
	folders := func(names ...string) (errs []error) {
		for _, name := range names {
			errs = append(errs, &job.Error{Problem: job.Unreadable, Path: "/photos/" + name, Err: fs.ErrPermission})
		}
		return errs
	}
	ids := func(n int) []job.ID { return make([]job.ID, n) }
	for name, test := range map[string]struct {
		added job.Added
		kind  widgets.ReasonKind
		want  string
	}{
		"nothing is left out":         {job.Added{Items: ids(3)}, widgets.Good, "3 pictures added."},
		"one other file":              {job.Added{Items: ids(1), Skipped: 1}, widgets.Good, "1 picture added. 1 other file is no picture and was left out."},
		"some were there":             {job.Added{Items: ids(2), Known: ids(1), Skipped: 4}, widgets.Good, "2 pictures added, 1 was there already. 4 other files are no pictures and were left out."},
		"all were there":              {job.Added{Known: ids(2), Skipped: 2}, widgets.Info, "These 2 pictures are in the list already. 2 other files are no pictures and were left out."},
		"no picture":                  {job.Added{Skipped: 12}, widgets.Cautious, "There is no picture in what was added. 12 files were left out."},
		"an empty folder":             {job.Added{}, widgets.Cautious, "There is no picture in what was added."},
		"a folder that can't be read": {job.Added{Errors: folders("a")}, widgets.Bad, "/photos/a can't be read: "},
		"one of several":              {job.Added{Items: ids(2), Errors: folders("a")}, widgets.Bad, "2 pictures added. /photos/a can't be read: "},
		"three":                       {job.Added{Items: ids(2), Errors: folders("a", "b", "c")}, widgets.Bad, "2 pictures added. These folders can't be read: a, b, c. Check your rights to them."},
		"four":                        {job.Added{Items: ids(2), Errors: folders("a", "b", "c", "d")}, widgets.Bad, "2 pictures added. These folders can't be read: a, b, c and 1 other. Check your rights to them."},
		"many, and files": {job.Added{Skipped: 1, Errors: folders("a", "b\n", "c", "d", "e")}, widgets.Bad,
			"There is no picture in what was added. 1 file was left out. These folders can't be read: a, "},
	} {
		t.Run(name, func(t *testing.T) {
			n := addedNote(test.added)
			whole := strings.HasSuffix(test.want, ".")
			if n.Kind != test.kind || !strings.HasPrefix(n.Text, test.want) || whole && n.Text != test.want || strings.Contains(n.Text, "\n") {
				t.Errorf("it is %+v\ninstead of %q", n, test.want)
			}
		})
	}
}

func TestAFolderWithOtherFilesIsSaidToHaveThem(t *testing.T) {
	b := newBench(t)
	dir := folder(t, 2)
	put(t, filepath.Join(dir, "notes.txt"), []byte("no picture"))
	if err := os.Symlink(filepath.Join(dir, "gone.png"), filepath.Join(dir, "link.png")); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Fatal(err)
	}
	b.add(dir, 2)
	b.wantNote(widgets.Good, "2 pictures added. 2 other files")
}
