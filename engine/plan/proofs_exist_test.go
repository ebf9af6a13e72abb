package plan

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// TestEveryRuleHasItsProof finds each rule's proof among the tests that run the
// real engine, and no proof without a rule.
func TestEveryRuleHasItsProof(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "proof_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	proofs := map[string]bool{} // by name, whether a rule needs it
	for _, declaration := range file.Decls {
		if f, ok := declaration.(*ast.FuncDecl); ok && runsTheEngine(f) {
			proofs[f.Name.Name] = false
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

// runsTheEngine looks for a call of what starts or identifies the real engine.
// Those fail without one.
func runsTheEngine(f *ast.FuncDecl) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if callee, ok := call.Fun.(*ast.Ident); ok {
			found = found || slices.Contains([]string{"start", "wantRefused", "engine"}, callee.Name)
		}
		return true
	})
	return found
}
