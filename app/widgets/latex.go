package widgets

import (
	"strings"
	"unicode/utf8"
)

// latexText is a formula as a line of text: fractions with a stroke, letters and
// signs as Unicode has them, powers and indices raised and lowered where there
// are characters for it. What it doesn't know stays as it is written.
func latexText(formula string) string {
	p := latexParser{s: strings.TrimSpace(formula)}
	text := p.until("")
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// maxLatexDepth is how deep braces may stand in each other; what is deeper stays
// as it is written.
const maxLatexDepth = 40

type latexParser struct {
	s     string
	i     int
	depth int
}

// until reads up to a closing mark, or the end.
func (p *latexParser) until(closing string) string {
	var b strings.Builder
	for p.i < len(p.s) {
		if closing != "" && strings.HasPrefix(p.s[p.i:], closing) {
			p.i += len(closing)
			break
		}
		b.WriteString(p.next())
	}
	return b.String()
}

// next reads one thing: a sign, a group, a command with what belongs to it.
func (p *latexParser) next() string {
	c := p.s[p.i]
	switch c {
	case '{':
		return p.group()
	case '}':
		p.i++
		return ""
	case '^', '_':
		p.i++
		return script(c, p.argument())
	case '~':
		p.i++
		return " "
	case '&':
		p.i++
		return " "
	case '\\':
		return p.command()
	}
	_, size := utf8.DecodeRuneInString(p.s[p.i:])
	text := p.s[p.i : p.i+size]
	p.i += size
	if text == "\n" {
		return " "
	}
	if text == "'" {
		return "′"
	}
	return text
}

func (p *latexParser) group() string {
	p.i++
	if p.depth >= maxLatexDepth {
		return "{"
	}
	p.depth++
	defer func() { p.depth-- }()
	return p.until("}")
}

// argument is what a command is about: a group, a command or one sign.
func (p *latexParser) argument() string {
	for p.i < len(p.s) && p.s[p.i] == ' ' {
		p.i++
	}
	if p.i >= len(p.s) {
		return ""
	}
	if p.s[p.i] == '}' {
		return ""
	}
	return strings.TrimSpace(p.next())
}

// name reads a command's name.
func (p *latexParser) name() string {
	from := p.i
	for p.i < len(p.s) && (p.s[p.i] >= 'a' && p.s[p.i] <= 'z' || p.s[p.i] >= 'A' && p.s[p.i] <= 'Z') {
		p.i++
	}
	if p.i == from && p.i < len(p.s) {
		_, size := utf8.DecodeRuneInString(p.s[p.i:])
		p.i += size
	}
	return p.s[from:p.i]
}

func (p *latexParser) command() string {
	p.i++
	name := p.name()
	if text, ok := latexSigns[name]; ok {
		if p.i < len(p.s) && p.s[p.i] == ' ' && len(name) > 0 && isLetter(name[0]) {
			p.i++
			text += " "
		}
		return text
	}
	switch name {
	case "frac", "dfrac", "tfrac", "cfrac":
		return wrapped(p.argument()) + "/" + wrapped(p.argument())
	case "binom":
		return "(" + p.argument() + " over " + p.argument() + ")"
	case "sqrt":
		return p.root()
	case "text", "mathrm", "mathbf", "mathit", "textbf", "textit", "operatorname", "mathsf", "mathtt", "boldsymbol", "mathcal", "boxed", "mbox", "textrm", "displaystyle", "limits", "nolimits":
		return p.plain(name)
	case "mathbb":
		return blackboard(p.argument())
	case "left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "middle":
		if p.i < len(p.s) && p.s[p.i] == '.' {
			p.i++
		}
		return ""
	case "hat", "bar", "vec", "dot", "ddot", "tilde", "overline", "widehat", "widetilde":
		return p.argument() + latexAccents[name]
	case "begin":
		return p.environment(p.argument())
	case "end":
		p.argument()
		return ""
	}
	return `\` + name
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// plain is a command that changes how its argument looks, which text can't.
func (p *latexParser) plain(name string) string {
	if name == "displaystyle" || name == "limits" || name == "nolimits" {
		return ""
	}
	if p.i < len(p.s) && p.s[p.i] == '{' { // spaces count here
		return p.group()
	}
	return p.argument()
}

// root is a square root, or another one with its degree before it.
func (p *latexParser) root() string {
	degree := ""
	if p.i < len(p.s) && p.s[p.i] == '[' {
		p.i++
		degree = p.until("]")
	}
	signs := map[string]string{"3": "∛", "4": "∜"}
	inner := p.argument()
	if utf8.RuneCountInString(inner) > 1 {
		inner = "(" + inner + ")"
	}
	if sign, ok := signs[degree]; ok {
		return sign + inner
	}
	if degree != "" {
		degree = script('^', degree)
	}
	return degree + "√" + inner
}

// environment is a matrix in one line, or lines of a derivation each on its own.
func (p *latexParser) environment(name string) string {
	if p.depth >= maxLatexDepth {
		return ""
	}
	p.depth++
	body := p.until(`\end{` + name + `}`)
	p.depth--
	rows := strings.Split(strings.Trim(strings.TrimSpace(body), "\n"), "\n")
	join := func(between string) string {
		var kept []string
		for _, row := range rows {
			if row = strings.Join(strings.Fields(row), " "); row != "" {
				kept = append(kept, row)
			}
		}
		return strings.Join(kept, between)
	}
	switch name {
	case "pmatrix", "smallmatrix":
		return "(" + join("; ") + ")"
	case "bmatrix", "matrix", "array":
		return "[" + join("; ") + "]"
	case "vmatrix":
		return "|" + join("; ") + "|"
	case "cases":
		return "{ " + join("; ")
	}
	return "\n" + join("\n") + "\n"
}

// wrapped puts what is more than one number or word between brackets.
func wrapped(s string) string {
	if strings.ContainsAny(s, " +-*/=·×±−") && !(strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")")) {
		return "(" + s + ")"
	}
	return s
}

const (
	plainScript  = "0123456789+-=()abcdefghijklmnoprstuvwxyzT′°*∘"
	raisedScript = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀ′°*°"
	lowPlain     = "0123456789+-=()aehijklmnoprstuvx"
	lowScript    = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"
)

// script raises or lowers a text. Where a character can't be, the mark stays.
func script(mark byte, text string) string {
	from, to := []rune(plainScript), []rune(raisedScript)
	if mark == '_' {
		from, to = []rune(lowPlain), []rune(lowScript)
	}
	if text == "" {
		return string(mark)
	}
	text = strings.ReplaceAll(text, "−", "-")
	var b strings.Builder
	for _, r := range strings.ReplaceAll(text, " ", "") {
		at := -1
		for i, f := range from {
			if f == r {
				at = i
			}
		}
		if at < 0 {
			if utf8.RuneCountInString(text) > 1 {
				return string(mark) + "(" + text + ")"
			}
			return string(mark) + text
		}
		b.WriteRune(to[at])
	}
	return b.String()
}

func blackboard(s string) string {
	return strings.NewReplacer("R", "ℝ", "N", "ℕ", "Z", "ℤ", "Q", "ℚ", "C", "ℂ", "P", "ℙ").Replace(s)
}

var latexAccents = map[string]string{
	"hat": "\u0302", "widehat": "\u0302", "bar": "\u0304", "overline": "\u0305", "vec": "\u20d7", "dot": "\u0307", "ddot": "\u0308",
	"tilde": "\u0303", "widetilde": "\u0303",
}

var latexSigns = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
	"vartheta": "ϑ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "varpi": "ϖ", "rho": "ρ",
	"sigma": "σ", "varsigma": "ς", "tau": "τ", "upsilon": "υ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
	"Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ",
	"Psi": "Ψ", "Omega": "Ω",
	"times": "×", "cdot": "·", "div": "÷", "pm": "±", "mp": "∓", "ast": "∗", "circ": "∘", "bullet": "•", "oplus": "⊕", "otimes": "⊗",
	"le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈", "equiv": "≡", "sim": "∼", "simeq": "≃",
	"cong": "≅", "propto": "∝", "ll": "≪", "gg": "≫", "lt": "<", "gt": ">", "in": "∈", "notin": "∉", "ni": "∋", "subset": "⊂",
	"subseteq": "⊆", "supset": "⊃", "supseteq": "⊇", "cup": "∪", "cap": "∩", "setminus": "∖", "emptyset": "∅", "varnothing": "∅",
	"forall": "∀", "exists": "∃", "neg": "¬", "lnot": "¬", "land": "∧", "wedge": "∧", "lor": "∨", "vee": "∨",
	"to": "→", "rightarrow": "→", "leftarrow": "←", "gets": "←", "leftrightarrow": "↔", "Rightarrow": "⇒", "Leftarrow": "⇐",
	"Leftrightarrow": "⇔", "implies": "⇒", "iff": "⇔", "mapsto": "↦", "longrightarrow": "→", "uparrow": "↑", "downarrow": "↓",
	"sum": "∑", "prod": "∏", "int": "∫", "iint": "∬", "oint": "∮", "partial": "∂", "nabla": "∇", "infty": "∞", "angle": "∠",
	"perp": "⊥", "parallel": "∥", "mid": "|", "vert": "|", "lvert": "|", "rvert": "|", "Vert": "‖", "|": "‖", "lVert": "‖", "rVert": "‖",
	"langle": "⟨", "rangle": "⟩", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "lbrace": "{", "rbrace": "}",
	"ldots": "…", "dots": "…", "cdots": "⋯", "vdots": "⋮", "ddots": "⋱", "prime": "′", "degree": "°", "hbar": "ℏ", "ell": "ℓ",
	"Re": "ℜ", "Im": "ℑ", "aleph": "ℵ", "therefore": "∴", "because": "∵", "checkmark": "✓", "square": "□", "triangle": "△",
	"quad": " ", "qquad": "  ", ",": " ", ";": " ", ":": " ", "!": "", " ": " ", "\\": "\n", "{": "{", "}": "}", "%": "%", "$": "$",
	"#": "#", "&": "&", "_": "_",
	"sin": "sin", "cos": "cos", "tan": "tan", "cot": "cot", "arcsin": "arcsin", "arccos": "arccos", "arctan": "arctan", "sinh": "sinh",
	"cosh": "cosh", "tanh": "tanh", "log": "log", "ln": "ln", "lg": "lg", "exp": "exp", "lim": "lim", "max": "max", "min": "min",
	"sup": "sup", "inf": "inf", "det": "det", "dim": "dim", "ker": "ker", "gcd": "gcd", "deg": "deg", "arg": "arg", "Pr": "Pr", "mod": "mod",
	"bmod": "mod",
}
