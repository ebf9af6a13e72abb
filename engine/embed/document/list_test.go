package document_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"paddock/engine/embed/document"
)

// tree makes empty files below a folder.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// list is the names of what is listed, and the problems with the names they have.
func list(t *testing.T, patterns document.Patterns, roots ...string) (names, problems []string) {
	t.Helper()
	for f, err := range document.List(t.Context(), roots, patterns) {
		var e *document.Error
		switch {
		case errors.As(err, &e):
			problems = append(problems, string(e.Problem)+" "+filepath.Base(e.Path))
		case err != nil:
			t.Fatal(err)
		case f.SizeBytes != 4:
			t.Errorf("%+v", f)
		default:
			names = append(names, f.Name)
		}
	}
	return names, problems
}

func TestFilesOfAFolderAreListedByPatterns(t *testing.T) {
	root := tree(t, "b.txt", "a.md", ".hidden", ".git/config", "src/main.go", "src/deep/x.go", "src/deep/y.txt", "node_modules/p/index.js")
	tests := []struct {
		name     string
		patterns document.Patterns
		want     []string
	}{
		{"all but hidden ones", document.Patterns{}, []string{"a.md", "b.txt", "node_modules/p/index.js", "src/deep/x.go", "src/deep/y.txt", "src/main.go"}},
		{"hidden ones too", document.Patterns{Hidden: true, Include: []string{".*", "config"}}, []string{".git/config", ".hidden"}},
		{"by suffix, in all folders", document.Patterns{Include: []string{"*.go"}}, []string{"src/deep/x.go", "src/main.go"}},
		{"by path", document.Patterns{Include: []string{"src/*.go"}}, []string{"src/main.go"}},
		{"by path, from the folder on", document.Patterns{Include: []string{"/src/**"}}, []string{"src/deep/x.go", "src/deep/y.txt", "src/main.go"}},
		{"several suffixes", document.Patterns{Include: []string{"*.{md,txt}"}}, []string{"a.md", "b.txt", "src/deep/y.txt"}},
		{"without a folder", document.Patterns{Exclude: []string{"node_modules", "deep/"}}, []string{"a.md", "b.txt", "src/main.go"}},
		{"exclusion is stronger", document.Patterns{Include: []string{"*.txt"}, Exclude: []string{"src/**"}}, []string{"b.txt"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			names, problems := list(t, test.patterns, root)
			if !slices.Equal(names, test.want) || len(problems) > 0 {
				t.Errorf("%q, %q", names, problems)
			}
		})
	}
}

func TestWhatIsNamedItselfIsListedWhateverThePatterns(t *testing.T) {
	root := tree(t, ".hidden/a.txt", "b.md")
	names, problems := list(t, document.Patterns{Include: []string{"*.txt"}}, filepath.Join(root, "b.md"), filepath.Join(root, ".hidden"), filepath.Join(root, "gone"))
	if !slices.Equal(names, []string{"b.md", "a.txt"}) || !slices.Equal(problems, []string{"missing gone"}) {
		t.Errorf("%q, %q", names, problems)
	}
}

func TestLinksAreFollowedOnceAndNeverRoundInCircles(t *testing.T) {
	root := tree(t, "a/x.txt", "b/y.txt")
	for link, target := range map[string]string{"a/again": "..", "b/to a": "../a", "b/z.txt": "y.txt", "b/lost": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(root, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	names, problems := list(t, document.Patterns{}, root, filepath.Join(root, "a", "x.txt"), root)
	if !slices.Equal(names, []string{"a/x.txt", "b/y.txt"}) || !slices.Equal(problems, []string{"linkLoop again", "missing lost"}) {
		t.Errorf("%q, %q", names, problems)
	}
}

func TestAWrongPatternIsRefused(t *testing.T) {
	for _, patterns := range []document.Patterns{{Include: []string{"[a"}}, {Exclude: []string{"{a"}}} {
		names, problems := list(t, patterns, t.TempDir())
		if len(names) > 0 || len(problems) != 1 || problems[0][:10] != "badPattern" {
			t.Errorf("%q, %q", names, problems)
		}
	}
}

func TestListingEndsWhenItIsToldTo(t *testing.T) {
	root := tree(t, "a", "b", "c")
	n := 0
	for range document.List(t.Context(), []string{root}, document.Patterns{}) {
		if n++; n == 2 {
			break
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range document.List(ctx, []string{root}, document.Patterns{}) {
		if n++; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if n != 3 {
		t.Error(n)
	}
}
