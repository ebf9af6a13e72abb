package chat

import (
	"math"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"

	"paddock/app/widgets"
	"paddock/words"
)

// A numberField is one number of the sampling. Empty, it leaves the number to the
// model's file or the engine, and says what that is.
type numberField struct {
	content *fyne.Container
	entry   *widgets.Entry
	problem *widgets.Reason
	low     float64
	high    float64
	whole   bool
	get     func(Sampling) *float64
	shown   string
}

// numberFields are the numbers, in their order.
func numberFields(d *settingsDialog) []*numberField {
	real := func(key string, low, high float64, of func(*Sampling) **float64) *numberField {
		return newNumberField(d, key, low, high, false,
			func(s Sampling) *float64 { return *of(&s) },
			func(s *Sampling, v *float64) { *of(s) = v })
	}
	whole := func(key string, low, high float64, get func(Sampling) *float64, set func(*Sampling, *float64)) *numberField {
		return newNumberField(d, key, low, high, true, get, set)
	}
	return []*numberField{
		real("chat.set.temperature", 0, 2, func(s *Sampling) **float64 { return &s.Temperature }),
		real("chat.set.topP", 0, 1, func(s *Sampling) **float64 { return &s.TopP }),
		whole("chat.set.topK", 0, 1000, func(s Sampling) *float64 { return float(s.TopK) },
			func(s *Sampling, v *float64) { s.TopK = integer(v) }),
		real("chat.set.minP", 0, 1, func(s *Sampling) **float64 { return &s.MinP }),
		real("chat.set.repeat", 0.5, 2, func(s *Sampling) **float64 { return &s.RepeatPenalty }),
		whole("chat.set.seed", 0, math.MaxUint32-1, func(s Sampling) *float64 {
			if s.Seed == nil {
				return nil
			}
			v := float64(*s.Seed)
			return &v
		}, func(s *Sampling, v *float64) {
			s.Seed = nil
			if v != nil {
				seed := int64(*v)
				s.Seed = &seed
			}
		}),
		whole("chat.set.max", 1, 1<<20, func(s Sampling) *float64 { return float(s.MaxTokens) },
			func(s *Sampling, v *float64) { s.MaxTokens = integer(v) }),
	}
}

func float(n *int) *float64 {
	if n == nil {
		return nil
	}
	v := float64(*n)
	return &v
}

func integer(v *float64) *int {
	if v == nil {
		return nil
	}
	n := int(*v)
	return &n
}

func newNumberField(d *settingsDialog, key string, low, high float64, whole bool, get func(Sampling) *float64, set func(*Sampling, *float64)) *numberField {
	f := &numberField{low: low, high: high, whole: whole, get: get, entry: widgets.NewEntry(), problem: widgets.NewReason(widgets.Bad, "")}
	commit := func() {
		v, ok := f.read()
		if !ok {
			f.problem.SetText(words.T("chat.set.range", map[string]any{"Low": number(low), "High": number(high)}))
			f.entry.SetText(f.shown)
			d.fit()
			return
		}
		f.problem.SetText("")
		d.change(func(s *Settings) { set(&s.Sampling, v) })
	}
	f.entry.OnSubmitted = func(string) { commit() }
	f.entry.OnLeave = commit
	label := widgets.Text(widgets.Body, words.T(key))
	f.content = widgets.VGap(2, widgets.HGap(8, widgets.Grow(label), widgets.Fixed(140, 0, f.entry)), f.problem)
	return f
}

// read is the number that was typed, nil when the field is empty.
func (f *numberField) read() (v *float64, ok bool) {
	text := strings.ReplaceAll(strings.TrimSpace(f.entry.Text), ",", ".")
	if text == "" {
		return nil, true
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || n < f.low || n > f.high || f.whole && n != math.Trunc(n) {
		return nil, false
	}
	return &n, true
}

// show draws a state.
func (f *numberField) show(s State) {
	text := ""
	if v := f.get(s.Settings.Sampling); v != nil {
		text = number(*v)
	}
	left := words.T("chat.set.open")
	if v := f.get(s.Effective); v != nil {
		left = words.T("chat.set.default", map[string]any{"Value": number(*v)})
	}
	if f.entry.PlaceHolder != left {
		f.entry.SetPlaceHolder(left)
	}
	if text != f.shown { // what is being typed stays
		f.shown = text
		if f.entry.Text != text {
			f.entry.SetText(text)
		}
	}
}

// number is a number without zeros that say nothing.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
