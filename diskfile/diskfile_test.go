package diskfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"paddock/diskfile"
)

func TestAFileIsReplacedWholeOrNotAtAll(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := diskfile.Replace(path, 0o644, func(w io.Writer) error {
		if _, err := io.WriteString(w, "half of"); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	want(t, path, "before", 0o600)
	if err := diskfile.ReplaceBytes(path, 0o644, []byte("after")); err != nil {
		t.Fatal(err)
	}
	want(t, path, "after", 0o644)
	if there, err := os.ReadDir(folder); err != nil || len(there) != 1 {
		t.Errorf("in the folder are %v, %v", there, err)
	}
}

func TestAFileOfTheUsersMayBeUsedAsBeforeWhenItIsOverwritten(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	if err := diskfile.OverwriteBytes(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	want(t, path, "new", 0o666)
	for _, mode := range []os.FileMode{0o664, 0o600, 0o777} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := diskfile.OverwriteBytes(path, []byte("other")); err != nil {
			t.Fatal(err)
		}
		if after, err := os.Stat(path); err != nil || after.Mode() != before.Mode() || after.Size() != 5 {
			t.Errorf("mode %o has become %v, %v", mode, after, err)
		}
	}
	if there, err := os.ReadDir(folder); err != nil || len(there) != 1 {
		t.Errorf("in the folder are %v, %v", there, err)
	}
}

func TestWhatCannotBeWrittenIsAnError(t *testing.T) {
	folder := t.TempDir()
	if err := diskfile.ReplaceBytes(filepath.Join(folder, "none", "file"), 0o600, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in a folder that is not there: %v", err)
	}
	taken := filepath.Join(folder, "folder")
	if err := os.Mkdir(taken, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := diskfile.ReplaceBytes(taken, 0o600, nil); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if there, err := os.ReadDir(folder); err != nil || len(there) != 1 {
		t.Errorf("in the folder are %v, %v", there, err)
	}
}

func TestAFileThatIsThereIsNotCreatedAgain(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	if err := diskfile.CreateBytes(path, 0o600, []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := diskfile.CreateBytes(path, 0o600, []byte("second")); !errors.Is(err, os.ErrExist) {
		t.Errorf("the error is %v", err)
	}
	want(t, path, "first", 0o600)
	if there, err := os.ReadDir(folder); err != nil || len(there) != 1 {
		t.Errorf("in the folder are %v, %v", there, err)
	}
}

func TestAFileIsNotGivenANameThatIsTaken(t *testing.T) {
	folder := t.TempDir()
	from, to := filepath.Join(folder, "from"), filepath.Join(folder, "to")
	for path, content := range map[string]string{from: "lines", to: "other lines"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := diskfile.Claim(from, to); !errors.Is(err, os.ErrExist) {
		t.Errorf("the error is %v", err)
	}
	want(t, from, "lines", 0o600)
	want(t, to, "other lines", 0o600)
	if err := diskfile.Claim(from, to+"2"); err != nil {
		t.Fatal(err)
	}
	want(t, to+"2", "lines", 0o600)
	if there, err := os.ReadDir(folder); err != nil || len(there) != 2 {
		t.Errorf("in the folder are %v, %v", there, err)
	}
}

// want holds a file against its content, and its mode against what this system gives
// a file of that mode here.
func want(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	other, err := os.OpenFile(filepath.Join(t.TempDir(), "other"), os.O_CREATE|os.O_WRONLY, mode)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	like, err := other.Stat()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != content || info.Mode() != like.Mode() {
		t.Errorf("%q with mode %o, not %q with %o", got, info.Mode(), content, like.Mode())
	}
}

func TestANameIsFreeThatNoFileHas(t *testing.T) {
	base := filepath.Join(t.TempDir(), "list.broken")
	for _, end := range []string{"-1", "-2"} {
		if name := diskfile.FreeName(base); name != base+end {
			t.Errorf("%s, not %s", name, base+end)
		}
		if err := os.WriteFile(base+end, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
