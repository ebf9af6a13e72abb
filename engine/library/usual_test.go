package library

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

func TestTheUsualFoldersOfAUser(t *testing.T) {
	dirs := "# a comment\nXDG_DOWNLOAD_DIR=\"$HOME/Téléchargements\"\nXDG_DOCUMENTS_DIR=\"/data/docs\"\n"
	for name, test := range map[string]struct {
		env  Environment
		want []string
		not  []string
	}{
		"on Linux, with its names for them": {
			made("linux", "/home/ana", nil, map[string]string{"/home/ana/.config/user-dirs.dirs": dirs}),
			[]string{"/home/ana/models", "/home/ana/Téléchargements", "/data/docs/models", "/opt/models"},
			[]string{"/home/ana/Downloads"},
		},
		"on Linux, where the desktop's folder is the home itself": {
			made("linux", "/home/ana", nil, map[string]string{"/home/ana/.config/user-dirs.dirs": "XDG_DOWNLOAD_DIR=\"$HOME/\"\n"}),
			[]string{"/home/ana/Downloads"},
			[]string{"/home/ana", "/home/ana/"},
		},
		"on Windows":     {made("windows", `C:\Users\ana`, nil, nil), []string{`C:\Users\ana\models`, `C:\Users\ana\Downloads`}, []string{"/opt/models"}},
		"without a home": {Environment{OS: "linux"}, []string{"/srv/models"}, []string{"", "/Downloads"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := UsualFolders(test.env)
			for _, want := range test.want {
				if !slices.Contains(got, want) {
					t.Errorf("%s is not in %q", want, got)
				}
			}
			for _, not := range test.not {
				if slices.Contains(got, not) {
					t.Errorf("%q is in %q", not, got)
				}
			}
		})
	}
}

func TestFoldersWithGGUFFilesAreFoundByNamesAlone(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{
		"models/a.gguf", "models/family/B.GGUF", "models/1/2/3/in reach.gguf", "models/1/2/3/4/too deep.gguf",
		"models/.cache/hidden.gguf", "models/notes.txt", "Downloads/film.mkv", "elsewhere/c.gguf",
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	models := filepath.Join(home, "models")
	link(t, models, filepath.Join(home, "Models"))
	link(t, filepath.Join(home, "elsewhere"), filepath.Join(models, "linked"))
	in := func(names ...string) (folders []string) {
		for _, name := range names {
			folders = append(folders, filepath.Join(home, name))
		}
		return folders
	}
	got := FindUsual(t.Context(), in("gone", "models", "Models", "Downloads", "models/notes.txt"))
	if want := []Usual{{models, 3}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if got := FindUsual(over, in("models")); len(got) != 0 {
		t.Errorf("after it was given up: %+v", got)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}
