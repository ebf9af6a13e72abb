package words

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"paddock/engine/plan"
)

// english is every key with its text, of all files.
func english(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../assets/translations/*en.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no translations: %v", err)
	}
	all := map[string]string{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var texts map[string]string
		if err := json.Unmarshal(data, &texts); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for key, text := range texts {
			if _, twice := all[key]; twice {
				t.Errorf("%s is there twice", key)
			}
			all[key] = text
		}
	}
	return all
}

// literals are all strings in the program's source, and those that are keys
// given to T.
func literals(t *testing.T) (all, keys map[string]bool) {
	t.Helper()
	all, keys = map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != ".." && (strings.HasPrefix(entry.Name(), ".") || path == filepath.Join("..", "build")):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if text, ok := literal(n); ok {
					all[text] = true
				}
			case *ast.CallExpr:
				if text, ok := keyOf(n); ok {
					keys[text] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, keys
}

// keyOf is the key of a call of T, when it is written out.
func keyOf(call *ast.CallExpr) (string, bool) {
	switch callee := call.Fun.(type) {
	case *ast.Ident:
		if callee.Name != "T" {
			return "", false
		}
	case *ast.SelectorExpr:
		if of, ok := callee.X.(*ast.Ident); !ok || of.Name != "words" || callee.Sel.Name != "T" {
			return "", false
		}
	default:
		return "", false
	}
	if len(call.Args) == 0 {
		return "", false
	}
	return literal(call.Args[0])
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

func TestEveryKeyInTheSourceHasAText(t *testing.T) {
	texts := english(t)
	_, keys := literals(t)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if _, exists := texts[key]; !exists {
			t.Errorf("%s has no text", key)
		}
	}
	for _, rule := range plan.Rules() {
		for _, key := range []string{rule.Message, rule.Remedy} {
			if _, exists := texts[key]; !exists {
				t.Errorf("rule %s: %s has no text", rule.ID, key)
			}
		}
	}
}

// TestEveryTextIsUsed finds texts nobody asks for. A key is used when it stands
// in the source, by itself or in two pieces: "file." before a kind of problem,
// ".remedy" after a key.
func TestEveryTextIsUsed(t *testing.T) {
	all, _ := literals(t)
	for _, rule := range plan.Rules() {
		all[rule.Message], all[rule.Remedy] = true, true
	}
	for _, key := range slices.Sorted(maps.Keys(english(t))) {
		if !isUsed(key, all) {
			t.Errorf("nothing uses %s", key)
		}
	}
}

func isUsed(key string, all map[string]bool) bool {
	if all[key] {
		return true
	}
	for i, r := range key {
		if r == '.' && (all[key[:i+1]] || all[key[i:]] && isUsed(key[:i], all)) {
			return true
		}
	}
	return false
}

func TestTextsAreWrittenInOneVoice(t *testing.T) {
	for key, text := range english(t) {
		if strings.ContainsAny(text, "—–") || strings.TrimSpace(text) == "" {
			t.Errorf("%s: %q", key, text)
		}
		if strings.Contains(text, " GB") {
			t.Errorf("%s: sizes are in GiB: %q", key, text)
		}
	}
}
