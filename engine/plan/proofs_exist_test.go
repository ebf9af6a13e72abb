package plan

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEveryRuleHasItsProof finds each rule's proof among the tests that run the
// real engine, and no proof without a rule.
func TestEveryRuleHasItsProof(t *testing.T) {
	functions := proofFunctions(t)
	proofs := map[string]bool{} // by name, whether a rule needs it
	for name := range functions {
		if strings.HasPrefix(name, "Test") && runsTheEngine(name, functions) {
			proofs[name] = false
		}
	}
	for _, rule := range Rules() {
		if _, exists := proofs[rule.Proof]; !exists {
			t.Errorf("rule %s: no test %s runs the engine", rule.ID, rule.Proof)
		}
		proofs[rule.Proof] = true
	}
	for proof, needed := range proofs {
		if !needed {
			t.Errorf("%s proves no rule", proof)
		}
	}
}

// proofFunctions are the functions of the files with proofs, by name.
func proofFunctions(t *testing.T) map[string]*ast.FuncDecl {
	t.Helper()
	names, err := filepath.Glob("proof*_test.go")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	functions := map[string]*ast.FuncDecl{}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok {
				functions[f.Name.Name] = f
			}
		}
	}
	return functions
}

// runsTheEngine looks for a call of what starts or identifies the real engine,
// also by way of a function that proofs share. Those fail without an engine.
func runsTheEngine(name string, functions map[string]*ast.FuncDecl) bool {
	seen := map[string]bool{}
	var runs func(name string) bool
	runs = func(name string) bool {
		if slices.Contains([]string{"start", "wantRefused"}, name) {
			return true
		}
		if functions[name] == nil || seen[name] {
			return false
		}
		seen[name] = true
		found := false
		ast.Inspect(functions[name], func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				switch callee := call.Fun.(type) {
				case *ast.Ident:
					found = found || runs(callee.Name)
				case *ast.SelectorExpr:
					from, _ := callee.X.(*ast.Ident)
					found = found || from != nil && from.Name == "buildtest" && slices.Contains([]string{"Engine", "Run", "Serve"}, callee.Sel.Name)
				}
			}
			return !found
		})
		return found
	}
	return runs(name)
}
