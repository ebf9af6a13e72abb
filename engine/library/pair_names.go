package library

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"paddock/engine/gguf"
)

// names are what a file is called by itself, each word and each whole name as a
// number, so that comparing costs no text.
type names struct {
	identities []int    // the models it says it is, or is made of
	families   []family // theirs
	sizes      []int    // theirs: 7b
	words      []int    // of its name and its file's, sorted
}

// A family is the line of models a name starts with: Qwen, of version 2.5.
type family struct {
	stem    int
	version string // "" when the name has none
}

// A speller gives every text a number.
type speller map[string]int

func newSpeller() speller { return speller{} }

func (s speller) number(text string) int {
	if n, known := s[text]; known {
		return n
	}
	s[text] = len(s)
	return s[text]
}

// ofFiles are words that say what a file is, not what model it is of.
var ofFiles = map[string]bool{
	"mmproj": true, "projector": true, "gguf": true, "hf": true, "mtp": true, "nextn": true, "assistant": true,
	"draft": true, "drafter": true, "eagle": true, "eagle3": true, "dflash": true, "speculator": true,
	"lora": true, "adapter": true, "f16": true, "bf16": true, "f32": true, "model": true,
}

func (s speller) names(m Model) names {
	var n names
	o := m.Facts.Origin
	identity := func(name string) bool {
		words := wordsOf(name)
		if name = strings.Join(words, "-"); len(name) < 4 {
			return false // says nothing
		}
		id := s.number(name)
		if slices.Contains(n.identities, id) {
			return false
		}
		n.identities = append(n.identities, id)
		return true
	}
	for _, claim := range claims(m) {
		if identity(claim) {
			s.line(&n, wordsOf(claim))
		}
	}
	if o.Basename != "" && o.SizeLabel != "" {
		// The label of a projector's size may be the projector's own.
		identity(o.Basename + " " + o.SizeLabel + " " + o.Finetune)
	}
	file := strings.TrimSuffix(filepath.Base(m.Files[0]), filepath.Ext(m.Files[0]))
	if len(n.identities) == 0 {
		s.line(&n, wordsOf(file))
	}
	for _, word := range append(wordsOf(o.Name), wordsOf(file)...) {
		n.words = append(n.words, s.number(word))
	}
	slices.Sort(n.words)
	n.words = slices.Compact(n.words)
	return n
}

// claims are the names of models a file gives.
func claims(m Model) []string {
	all := []string{m.Facts.Origin.Name, m.Alias}
	for _, base := range m.Facts.Origin.Bases {
		all = append(all, base.Name, base.Repository[strings.LastIndex(base.Repository, "/")+1:])
	}
	return all
}

// senses is what a model takes in, written to the end of its version:
// "qwen3vl" is "qwen3-vl". The "n" of "gemma3n" is a version of its own.
var senses = regexp.MustCompile(`([0-9])(vl|omni|vision|audio)([^\pL\pN]|$)`)

// wordsOf cuts a name into words of letters, digits and dots, in small letters,
// without those that only say what a file is.
func wordsOf(name string) []string {
	name = senses.ReplaceAllString(strings.ToLower(name), "$1-$2$3")
	words := strings.FieldsFunc(name, func(r rune) bool {
		return r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return slices.DeleteFunc(words, func(word string) bool { return ofFiles[word] })
}

// line adds the family and the size a name speaks of. The family is the words up
// to the first with a digit: "qwen2.5" is version 2.5 of qwen, and so is "qwen",
// "2.5".
func (s speller) line(n *names, words []string) {
	var stem strings.Builder
	var version string
	for _, word := range words {
		digits := strings.IndexFunc(word, unicode.IsDigit)
		if isSize(word) || digits >= 0 {
			if !isSize(word) {
				stem.WriteString(word[:digits])
				version = word[digits:]
			}
			break
		}
		stem.WriteString(word)
	}
	n.families = append(n.families, family{s.number("family " + stem.String()), version})
	if at := slices.IndexFunc(words, isSize); at >= 0 {
		n.sizes = append(n.sizes, s.number(words[at]))
	}
}

// isSize tells "7b", "1.5b", "270m", "e4b" and "8x7b" from a version.
func isSize(word string) bool {
	number, ok := strings.CutSuffix(word, "b")
	if !ok {
		number, ok = strings.CutSuffix(word, "m")
	}
	number = strings.TrimPrefix(number, "e")
	return ok && number != "" && strings.Trim(number, "0123456789.x") == ""
}

// contradict says whether two files name models that can't be the same: other
// versions of one line of models, and no version of any line both; or other sizes.
func contradict(a, b names) bool {
	if share(a.identities, b.identities) {
		return false
	}
	if len(a.sizes) > 0 && len(b.sizes) > 0 && !share(a.sizes, b.sizes) {
		return true
	}
	differ := false
	for _, x := range a.families {
		for _, y := range b.families {
			if x.stem != y.stem || x.version == "" || y.version == "" {
				continue
			}
			if x.version == y.version {
				return false
			}
			differ = true
		}
	}
	return differ
}

func sameLine(a, b names) bool {
	for _, x := range a.families {
		for _, y := range b.families {
			if x.stem == y.stem {
				return true
			}
		}
	}
	return false
}

// share says whether two short lists have an element in common.
func share(a, b []int) bool {
	for _, x := range a {
		if slices.Contains(b, x) {
			return true
		}
	}
	return false
}

// shared counts the elements two sorted lists have in common.
func shared(a, b []int) int {
	n := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			n++
			a, b = a[1:], b[1:]
		}
	}
	return n
}

// knowsImages says whether the model's template speaks of pictures.
func (f *shelved) knowsImages() bool { return slices.Contains(f.Facts.TemplateKnows, gguf.KnowsImages) }
