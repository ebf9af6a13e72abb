package widgets

import (
	"strings"
	"testing"
)

func TestFormulasAreReadable(t *testing.T) {
	for _, c := range []struct{ formula, want string }{
		{`\frac{a}{b}`, "a/b"},
		{`\frac{a + b}{2}`, "(a + b)/2"},
		{`x^2 + y_i`, "x² + yᵢ"},
		{`x^{10}_{12}`, "x¹⁰₁₂"},
		{`e^{i\pi} = -1`, "e^(iπ) = -1"},
		{`\sum_{i=1}^{n} i \le \infty`, "∑ᵢ₌₁ⁿ i ≤ ∞"},
		{`\sqrt{2}`, "√2"},
		{`\sqrt[3]{x + 1}`, "∛(x + 1)"},
		{`\alpha\beta \to \Omega`, "αβ → Ω"},
		{`\text{if } x \in \mathbb{R}`, "if x ∈ ℝ"},
		{`\left( \frac{1}{2} \right)`, "( 1/2 )"},
		{`\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}`, "(1 2; 3 4)"},
		{"\\begin{aligned} a &= 1 \\\\ b &= 2 \\end{aligned}", "a = 1\nb = 2"},
		{`\unknown{x}`, `\unknownx`},
		{`a \% b \$`, "a % b $"},
		{`\vec{v}`, "v\u20d7"},
		{`^`, "^"},
		{`\`, `\`},
		{`{{{`, ""},
		{strings.Repeat("{", 500), strings.Repeat("{", 500-maxLatexDepth)},
	} {
		if got := latexText(c.formula); got != c.want {
			t.Errorf("%s is %q, want %q", c.formula, got, c.want)
		}
	}
}

func TestFormulasStandInMarkdown(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"inside a line", `So \(x^2\) it is.`, "So x² it is."},
		{"between dollars", `So $x_1$ and $y$.`, "So x₁ and y."},
		{"prices", `It costs $5 and then $10.`, "It costs $5 and then $10."},
		{"prices without room", `From $5-$10 each`, "From $5-$10 each"},
		{"on lines of its own", "Then\n\\[\na = b\n\\]\nholds.", "Then\na = b\nholds."},
		{"between two dollars", "$$\\frac{1}{2}$$", "1/2"},
		{"not closed yet", `So \(x^2`, "So (x^2"},
		{"in code", "`$x^2$` and\n\n```\n\\(x\\)\n```", "$x^2$ and|\\(x\\)"},
		{"with marks of Markdown", `\(a * b * c\)`, "a * b * c"},
		{"with an index that is no number", `$x_{max}$`, "xₘₐₓ"},
		{"in a list", "- \\(\\alpha\\)\n- b", "α|b"},
		{"in a table", "| a |\n|---|\n| $x^2$ |", "a|x²"},
		{"not across paragraphs", "a \\(b\n\nc\\) d", "a (b|c) d"},
	} {
		var said []string
		for _, b := range parseMarkdown(c.source) {
			text := ""
			for _, r := range b.runs {
				text += r.text
			}
			if b.table != nil {
				for _, cell := range b.table.rows[b.row] {
					for _, r := range cell {
						text += r.text
					}
				}
			}
			if b.kind == codeLines {
				text = b.code.text
			}
			if text = strings.TrimSpace(text); text != "" {
				said = append(said, text)
			}
		}
		if got := strings.Join(said, "|"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzFormulas(f *testing.F) {
	f.Add(`\frac{a}{b}^2_\begin{matrix}`)
	f.Add(`$$\left(\sqrt[3]{x}\right)$$`)
	f.Fuzz(func(t *testing.T, s string) {
		latexText(s)
		mathToText(s)
	})
}
