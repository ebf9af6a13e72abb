package images

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"paddock/app/widgets"
	job "paddock/engine/images"
	"paddock/words"
)

// UseSaved takes an instruction that was saved.
func (p *Presenter) UseSaved(s Saved) {
	p.take("")
	p.instruction.Prompt = s.Prompt
	if s.MaxTokens > 0 {
		p.instruction.MaxTokens = s.MaxTokens
	}
	p.chose()
}

// SaveInstruction keeps the instruction for later, or forgets it when it is kept.
func (p *Presenter) SaveInstruction() {
	text := strings.TrimSpace(p.instruction.Prompt)
	if text == "" {
		return
	}
	saved := slices.DeleteFunc(slices.Clone(p.saved), func(s Saved) bool { return s.Prompt == text })
	if len(saved) == len(p.saved) {
		saved = append(saved, Saved{Name: short(text), Prompt: text, MaxTokens: p.instruction.MaxTokens})
	}
	said := words.T("pictures.forgotten")
	if len(saved) > len(p.saved) {
		said = words.T("pictures.kept")
	}
	before := p.saved
	p.saved = saved
	kept := make(chan error, 1)
	p.seams.Keep(saved, func(err error) { kept <- err })
	p.beside(words.T("pictures.saving"), func(*job.Set) func() {
		err := <-kept
		return func() {
			if err != nil {
				p.saved, p.note = before, problem(err)
				return
			}
			p.note = Note{widgets.Good, said}
		}
	})
}

// short is the beginning of a text, for a menu.
func short(text string) string { return cutShort(text, 48) }

// cutShort is the beginning of a text on one line, of at most so many characters.
func cutShort(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// savedMenu offers the instructions that were saved, and to save this one.
func (t *Tab) savedMenu() *fyne.Menu {
	s := t.State()
	prompt := strings.TrimSpace(s.Instruction.Prompt)
	save := item(words.T("pictures.save"), t.SaveInstruction)
	save.Disabled = prompt == ""
	var items []*fyne.MenuItem
	for _, saved := range s.Saved {
		items = append(items, item(short(saved.Name), func() { t.UseSaved(saved) }))
		if saved.Prompt == prompt {
			save.Label = words.T("pictures.forget")
		}
	}
	if len(items) > 0 {
		items = append(items, fyne.NewMenuItemSeparator())
	}
	return fyne.NewMenu("", append(items, save)...)
}
