package models

import (
	"context"
	"strings"
	"time"

	"paddock/engine/budget"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/words"
)

// A JudgeFunc says whether a model fits as Paddock would set it up with the files
// that work beside it, false where
// that can't be said. It takes a moment.
type JudgeFunc func(context.Context, library.Model, []gguf.Facts) (Judgement, bool)

// A Judgement is a model as it would be set up, held against this machine.
type Judgement struct {
	Verdict       budget.Verdict
	ContextTokens int
	Remedies      []budget.Remedy // where it does not fit
	LongestTokens int             // context that fits with the rest as it is, 0 for none
	TrainedTokens int             // 0 when the file does not say

	// With the context the model was trained for, where that is longer.
	Full         budget.Verdict
	FullRemedies []budget.Remedy
}

// A Card is a verdict in words.
type Card struct {
	Path   string // of the model it is about, empty for none
	Fit    budget.Fit
	Title  string
	Detail string
}

// Room is how much of a model this machine holds.
type Room struct {
	Bytes uint64
	Pool  string // name of the memory it is
}

// judging is the work of judging the selected row.
type judging struct {
	path   string // that is or was judged
	cancel context.CancelFunc
}

// judgeAfter is how long a row is selected before it is judged: whoever moves
// through the list is not stopped by it.
const judgeAfter = 120 * time.Millisecond

// judge begins to judge the selected row beside the UI goroutine, unless that is
// done or under way.
func (p *Presenter) judge() {
	row := p.state.Selected
	path := row.Path
	if row.Off != "" || row.Companion || row.Folder {
		path = ""
	}
	if p.seams.Judge == nil || p.closed || path == p.judging.path {
		return
	}
	p.judging.cancel()
	p.state.Card = Card{}
	ctx, cancel := context.WithCancel(context.Background())
	p.judging = judging{path, cancel}
	if path == "" {
		return
	}
	beside := p.Beside(path)
	go func() {
		select {
		case <-time.After(judgeAfter):
		case <-ctx.Done():
			return
		}
		judgement, ok := p.seams.Judge(ctx, row.Model, beside)
		p.do(func() {
			if ctx.Err() != nil || p.closed {
				return
			}
			p.state.Card = Card{}
			if ok {
				p.state.Card = cardOf(path, judgement)
			}
			p.show(p.state)
		})
	}()
}

// Rejudge judges the selected row again: other programs may have taken memory, or
// given it back. The verdict before stays until then.
func (p *Presenter) Rejudge() {
	before := p.state.Card
	p.judging.path = ""
	p.judge()
	if p.judging.path == before.Path {
		p.state.Card = before
	}
}

// cardOf puts a judgement into words.
func cardOf(path string, j Judgement) Card {
	c := Card{Path: path, Fit: j.Verdict.Fit}
	pool := fullest(j.Verdict)
	data := map[string]any{
		"Pool": gguf.Printable(pool.Name), "Tokens": words.Count(j.ContextTokens),
		"Left": words.GiB(pool.LeftBytes()), "Missing": words.GiB(pool.MissingBytes()),
	}
	c.Title = words.T("models.verdict."+string(j.Verdict.Fit), data)
	if j.Verdict.Fit != budget.DoesNotFit {
		c.Detail = words.T("models.verdict."+string(j.Verdict.Fit)+".about", data)
		if full := fullContext(j); full != "" {
			c.Detail += " " + full
		}
		return c
	}
	c.Detail = words.T("models.verdict.does-not-fit.about", data)
	if j.Verdict.TooLarge != "" {
		c.Detail = words.T("models.verdict.tooLarge", map[string]any{"Device": j.Verdict.TooLarge})
	}
	if len(j.Remedies) == 0 {
		c.Detail += " " + words.T("models.verdict.hopeless")
		return c
	}
	with := "models.verdict.with"
	if j.Remedies[0].Verdict.Fit == budget.Tight {
		with = "models.verdict.with.tight"
	}
	c.Detail += " " + words.T(with, map[string]any{"Changes": changes(j.Remedies)})
	return c
}

// fullContext says whether the context the model was trained for fits too, empty
// when it is the one that was judged.
func fullContext(j Judgement) string {
	if j.TrainedTokens <= j.ContextTokens {
		return ""
	}
	data := map[string]any{
		"Full": words.Count(j.TrainedTokens), "Longest": words.Count(j.LongestTokens),
		"Missing": words.GiB(fullest(j.Full).MissingBytes()),
	}
	switch {
	case j.Full.Fit == budget.Fits:
		return words.T("models.verdict.full.fits", data)
	case j.LongestTokens <= j.ContextTokens:
		return words.T("models.verdict.full.missing", data)
	}
	for _, r := range j.FullRemedies {
		if r.Kind == budget.SmallerCache {
			return words.T("models.verdict.full.cache", data)
		}
	}
	return words.T("models.verdict.full.longest", data)
}

// fullest is the pool in which a plan has the least room, of those that are
// filled most by it when several have none.
func fullest(v budget.Verdict) budget.PoolVerdict {
	var worst budget.PoolVerdict
	for i, pool := range v.Pools {
		missing, least := pool.MissingBytes(), worst.MissingBytes()
		if i == 0 || missing > least || missing == least && pool.NeededBytes > worst.NeededBytes {
			worst = pool
		}
	}
	return worst
}

// changes are remedies in a few words each, the first three of them.
func changes(remedies []budget.Remedy) string {
	const most = 3
	var list []string
	for _, r := range remedies[:min(len(remedies), most)] {
		devices := r.Plan.Devices
		if len(r.Plan.DeviceIDs()) == 0 {
			devices = words.T("load.device.cpu")
		}
		list = append(list, words.T("load.remedy."+string(r.Kind), map[string]any{
			"Tokens": words.Count(r.Plan.ContextTokens), "Type": r.Plan.CacheK, "Layers": r.Plan.GPULayers, "Devices": devices,
		}))
	}
	return strings.Join(list, ", ")
}

// findRoom asks once how much of a model this machine holds.
func (p *Presenter) findRoom() {
	if p.seams.Room == nil || p.roomAsked {
		return
	}
	p.roomAsked = true
	go func() {
		room := p.seams.Room()
		p.do(func() {
			if !p.closed {
				p.state.Room = room
				p.show(p.state)
			}
		})
	}()
}

// Bits a weight takes, in the two quantisations people ask for first, and the
// share of memory that is left to weights beside context and buffers.
const (
	bitsQ4       = 4.9 // Q4_K_M
	bitsQ8       = 8.5 // Q8_0
	weightsShare = 0.85
)

// roomText is how much of a model this machine holds, in two parts: the first in
// bold.
func roomText(r Room) (bold, rest string) {
	if r.Bytes == 0 {
		return "", ""
	}
	parameters := func(bits float64) string {
		return words.Parameters(uint64(float64(r.Bytes) * weightsShare * 8 / bits))
	}
	return words.T("models.first.room", map[string]any{"GiB": words.GiB(r.Bytes)}),
		words.T("models.first.room.about", map[string]any{
			"Pool": gguf.Printable(r.Pool), "Q4": parameters(bitsQ4), "Q8": parameters(bitsQ8),
		})
}
