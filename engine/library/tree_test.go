package library_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"paddock/engine/library"
	"paddock/engine/library/librarytest"
)

// tree is one in a folder of the test's own.
func tree(t *testing.T) librarytest.Expected {
	t.Helper()
	dir := t.TempDir()
	expected, err := librarytest.Tree(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := librarytest.Unlock(dir); err != nil {
			t.Error(err)
		}
	})
	return expected
}

// wantTree scans and asserts that exactly what was expected was found.
func wantTree(t *testing.T, scanner *library.Scanner, expected librarytest.Expected) []library.Model {
	t.Helper()
	var models []library.Model
	var rows []librarytest.Row
	err := scanner.Scan(context.Background(), expected.Sources, func(m library.Model) {
		models = append(models, m)
		rows = append(rows, librarytest.RowOf(m))
	})
	if got := librarytest.FoldersOf(err); !reflect.DeepEqual(got, expected.Folders) {
		t.Errorf("folders %+v, want %+v", got, expected.Folders)
	}
	librarytest.SortRows(rows)
	if !reflect.DeepEqual(rows, expected.Rows) {
		compare(t, rows, expected.Rows)
	}
	return models
}

// compare names the rows that differ.
func compare(t *testing.T, got, want []librarytest.Row) {
	t.Helper()
	byPath := map[string]librarytest.Row{}
	for _, row := range want {
		if _, twice := byPath[row.Path]; twice {
			t.Errorf("expected twice: %q", row.Path)
		}
		byPath[row.Path] = row
	}
	for _, row := range got {
		if expected, there := byPath[row.Path]; !there {
			t.Errorf("found, and not expected: %+v", row)
		} else if !reflect.DeepEqual(row, expected) {
			t.Errorf("got  %+v\nwant %+v", row, expected)
		}
		delete(byPath, row.Path)
	}
	for _, row := range byPath {
		t.Errorf("not found: %+v", row)
	}
}

func TestAScanFindsExactlyWhatIsInTheTree(t *testing.T) {
	expected := tree(t)
	if expected.Files < 300 || len(expected.Rows) < 300 {
		t.Errorf("the tree has %d files and %d rows", expected.Files, len(expected.Rows))
	}
	wantTree(t, library.Unhurried(nil), expected)
}

func TestASecondScanOfTheTreeKnowsItAll(t *testing.T) {
	expected := tree(t)
	path := library.CachePath(t.TempDir())
	open := func() *library.Scanner {
		cache, err := library.OpenCache(path)
		if err != nil {
			t.Fatal(err)
		}
		return library.Unhurried(cache)
	}
	cold := wantTree(t, open(), expected)
	warm := wantTree(t, open(), expected)
	for i := range cold {
		if plain(cold[i]) != plain(warm[i]) {
			t.Errorf("remembered as\n%+v\nand was\n%+v", warm[i], cold[i])
		}
	}
}

// plain is a model without what is the same whether it is empty or not there, and
// with its problem in words.
func plain(m library.Model) string {
	return strings.NewReplacer("[]string{}", "[]string(nil)").Replace(fmt.Sprintf("%#v %v", m.Facts, m.Problem))
}

func TestNothingIsWrittenInTheTree(t *testing.T) {
	expected := tree(t)
	root := filepath.Dir(expected.Sources.Folders[0])
	before := listing(t, root)
	wantTree(t, library.Unhurried(nil), expected)
	if after := listing(t, root); after != before {
		t.Error("the tree is another after a scan")
	}
}

// listing is all there is below a folder, with times and sizes.
func listing(t *testing.T, root string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil && errors.Is(err, fs.ErrPermission) {
			return nil
		}
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(&all, path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func TestTheRowsComeInTheSameOrderEveryTime(t *testing.T) {
	expected := tree(t)
	var first []string
	for range 5 {
		var paths []string
		_ = library.Unhurried(nil).Scan(t.Context(), expected.Sources, func(m library.Model) { paths = append(paths, m.Files[0]) })
		if first == nil {
			first = paths
		} else if !slices.Equal(paths, first) {
			t.Fatal("the order is another")
		}
	}
}
