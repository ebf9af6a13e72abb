package main_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// An arrow that must not be: what a room may not reach, by itself or by way of
// others.
type forbidden struct {
	from   string   // a package, or with "/..." all below it too
	except []string // of from
	to     []string
	why    string
}

var tabs = []string{"models", "get", "load", "chat", "images", "embeddings", "hardware", "settings"}

// arrows are those of docs/architecture.md: main → app → engine → hardware, with
// cli beside app, and assets a leaf.
func arrows() []forbidden {
	window := []string{"fyne.io/fyne/v2/app", "github.com/go-gl/glfw/..."}
	above := []string{"paddock/app/...", "paddock/cli/..."}
	all := []forbidden{
		{from: "paddock/...", except: []string{"paddock", "paddock/packaging/..."}, to: window,
			why: "only main opens a window"},
		{from: "paddock/engine/...", to: []string{"fyne.io/..."}, why: "the engine's rooms know no toolkit"},
		{from: "paddock/hardware/...", to: []string{"fyne.io/...", "paddock/engine/..."}, why: "hardware knows nothing above it"},
		{from: "paddock/assets/...", to: []string{"paddock/..."}, why: "assets is a leaf"},
		{from: "paddock/config/...", to: append([]string{"paddock/engine/...", "paddock/hardware/...", "paddock/words/...", "paddock/assets/...", "fyne.io/..."}, above...),
			why: "config knows nothing but how files are written"},
		{from: "paddock/diskfile/...", to: []string{"paddock/...", "fyne.io/..."}, why: "diskfile is a leaf"},
		{from: "paddock/app/...", to: []string{"paddock/cli/..."}, why: "the window and the command line stand side by side"},
		{from: "paddock/cli/...", to: []string{"paddock/app/..."}, why: "the window and the command line stand side by side"},
	}
	for _, room := range []string{"engine", "hardware", "words"} {
		all = append(all, forbidden{from: "paddock/" + room + "/...", to: above, why: "arrows point down"})
	}
	var packages []string
	for _, tab := range tabs {
		packages = append(packages, "paddock/app/"+tab+"/...")
	}
	for i, tab := range packages {
		others := slices.Concat(packages[:i], packages[i+1:])
		all = append(all, forbidden{from: tab, to: append(others, "paddock/app"), why: "a tab knows no other, nor the window it is in"})
	}
	for _, shared := range []string{"theme", "widgets", "apptest"} {
		all = append(all, forbidden{from: "paddock/app/" + shared + "/...", to: append(packages, "paddock/app"), why: "what tabs share knows no tab"})
	}
	return all
}

// A graph is what each package imports.
type graph map[string][]string

// broken says which arrows of a graph must not be, each with the way it takes.
func broken(g graph) []string {
	var found []string
	for _, rule := range arrows() {
		for from := range g {
			if !matches(from, rule.from) || matchesAny(from, rule.except) {
				continue
			}
			if way := g.way(from, rule.to); way != nil {
				found = append(found, fmt.Sprintf("%s (%s)", strings.Join(way, " → "), rule.why))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// way is the shortest chain of imports from a package to one that matches.
func (g graph) way(from string, to []string) []string {
	before := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		for _, next := range g[queue[0]] {
			if _, seen := before[next]; seen {
				continue
			}
			before[next] = queue[0]
			if !matchesAny(next, to) {
				queue = append(queue, next)
				continue
			}
			var way []string
			for at := next; at != ""; at = before[at] {
				way = append(way, at)
			}
			slices.Reverse(way)
			return way
		}
	}
	return nil
}

func matchesAny(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(name, pattern) })
}

// matches says whether a package is the one named, or below "name/...".
func matches(name, pattern string) bool {
	above, all := strings.CutSuffix(pattern, "/...")
	return name == above || all && strings.HasPrefix(name, above+"/")
}

func TestEveryArrowOfTheHousePointsDown(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-tags", "migrated_fynedo",
		"-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr(err))
	}
	g := graph{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		g[fields[0]] = fields[1:]
	}
	for _, room := range []string{"paddock", "paddock/engine", "paddock/hardware", "paddock/assets", "fyne.io/fyne/v2"} {
		if _, listed := g[room]; !listed {
			t.Errorf("%s was not listed, so that nothing is known of it", room)
		}
	}
	for _, arrow := range broken(g) {
		t.Error(arrow)
	}
}

func stderr(err error) string {
	if exit, ok := err.(*exec.ExitError); ok {
		return string(exit.Stderr)
	}
	return ""
}

func TestAWrongArrowIsFound(t *testing.T) {
	for name, test := range map[string]struct {
		g    graph
		want string // how the one found begins; empty when none is
	}{
		"the house as it should be": {g: graph{
			"paddock":              {"paddock/app", "paddock/cli", "fyne.io/fyne/v2/app", "github.com/go-gl/glfw/v3.4/glfw"},
			"paddock/app":          {"paddock/app/chat", "paddock/app/models", "paddock/app/theme", "paddock/words"},
			"paddock/app/chat":     {"paddock/app/widgets", "paddock/engine"},
			"paddock/app/models":   {"paddock/app/widgets", "paddock/engine/library"},
			"paddock/app/widgets":  {"paddock/app/theme", "fyne.io/fyne/v2/widget"},
			"paddock/cli":          {"paddock/engine", "paddock/words"},
			"paddock/words":        {"paddock/assets", "fyne.io/fyne/v2/lang"},
			"paddock/engine":       {"paddock/engine/build", "paddock/hardware"},
			"paddock/engine/build": {"os/exec"},
			"fyne.io/fyne/v2/app":  {"github.com/go-gl/glfw/v3.4/glfw"},
		}},
		"the engine reaches the toolkit": {
			g:    graph{"paddock/engine/plan": {"fyne.io/fyne/v2/lang"}},
			want: "paddock/engine/plan → fyne.io/fyne/v2/lang (",
		},
		"hardware does by way of another": {
			g:    graph{"paddock/hardware": {"example.org/gpu"}, "example.org/gpu": {"fyne.io/systray"}},
			want: "paddock/hardware → example.org/gpu → fyne.io/systray (",
		},
		"hardware reaches the engine": {
			g:    graph{"paddock/hardware": {"paddock/engine/build"}},
			want: "paddock/hardware → paddock/engine/build (",
		},
		"the engine reaches the command line": {
			g:    graph{"paddock/engine": {"paddock/cli"}},
			want: "paddock/engine → paddock/cli (",
		},
		"config reaches the window": {
			g:    graph{"paddock/config": {"paddock/app/theme"}},
			want: "paddock/config → paddock/app/theme (",
		},
		"config reaches the toolkit": {
			g:    graph{"paddock/config": {"fyne.io/fyne/v2/lang"}},
			want: "paddock/config → fyne.io/fyne/v2/lang (",
		},
		"assets is no leaf": {
			g:    graph{"paddock/assets": {"paddock/config"}},
			want: "paddock/assets → paddock/config (",
		},
		"a tab reaches another": {
			g:    graph{"paddock/app/load": {"paddock/app/chat"}},
			want: "paddock/app/load → paddock/app/chat (",
		},
		"a tab does through what they share": {
			g:    graph{"paddock/app/load": {"paddock/app/shared"}, "paddock/app/shared": {"paddock/app/chat/block"}},
			want: "paddock/app/load → paddock/app/shared → paddock/app/chat/block (",
		},
		"a tab reaches the window": {
			g:    graph{"paddock/app/chat": {"paddock/app"}},
			want: "paddock/app/chat → paddock/app (",
		},
		"a widget reaches a tab": {
			g:    graph{"paddock/app/widgets": {"paddock/app/chat"}},
			want: "paddock/app/widgets → paddock/app/chat (",
		},
		"another than main opens a window": {
			g:    graph{"paddock/app": {"fyne.io/fyne/v2/app"}},
			want: "paddock/app → fyne.io/fyne/v2/app (",
		},
		"another than main asks for displays": {
			g:    graph{"paddock/words": {"github.com/go-gl/glfw/v3.4/glfw"}},
			want: "paddock/words → github.com/go-gl/glfw/v3.4/glfw (",
		},
		"the command line reaches the window": {
			g:    graph{"paddock/cli": {"paddock/app"}},
			want: "paddock/cli → paddock/app (",
		},
	} {
		t.Run(name, func(t *testing.T) {
			found := broken(test.g)
			if test.want == "" {
				if len(found) != 0 {
					t.Errorf("found %q", found)
				}
				return
			}
			if len(found) != 1 || !strings.HasPrefix(found[0], test.want) {
				t.Errorf("found %q", found)
			}
		})
	}
}
