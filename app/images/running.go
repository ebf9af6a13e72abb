package images

import (
	"fmt"
	"strings"
	"time"

	"paddock/app/widgets"
	"paddock/engine"
	job "paddock/engine/images"
	"paddock/words"
)

// ownTokens is how long an answer to one's own instruction may be.
const ownTokens = 400

// Preset takes a preset's instruction; an empty id is one's own, which begins with
// what is there.
func (p *Presenter) Preset(id string) {
	p.take(id)
	p.chose()
}

func (p *Presenter) take(id string) {
	preset, ok := job.PresetOf(id)
	if !ok {
		p.instruction.Preset, p.instruction.MaxTokens = "", max(p.instruction.MaxTokens, ownTokens)
	} else {
		p.instruction.Preset, p.instruction.Prompt, p.instruction.MaxTokens = preset.ID, preset.Prompt, preset.MaxTokens
	}
}

// SetPrompt changes the instruction.
func (p *Presenter) SetPrompt(text string) {
	if p.instruction.Prompt != text {
		p.instruction.Prompt = text
		p.typedPrompt()
	}
}

// SetMaxTokens changes how long an answer may be.
func (p *Presenter) SetMaxTokens(n int) { p.instruction.MaxTokens = n; p.chose() }

// SetMaxSide changes how large pictures are shown to the model, in pixels.
func (p *Presenter) SetMaxSide(n int) { p.instruction.MaxSide = n; p.chose() }

// SetTemperature changes how freely the model answers.
func (p *Presenter) SetTemperature(value float64) { p.instruction.Temperature = value; p.chose() }

// run is what the instruction asks for. One's own has no schema.
func (p *Presenter) run() job.Run {
	preset, _ := job.PresetOf(p.instruction.Preset)
	r := preset.Run()
	if r.Prompt != p.instruction.Prompt && preset.Schema == "" {
		r.Preset = "" // with a schema the preset is still what makes the answers
	}
	temperature := p.instruction.Temperature
	r.Temperature = &temperature
	r.Prompt, r.MaxTokens, r.MaxSide = strings.TrimSpace(p.instruction.Prompt), p.instruction.MaxTokens, p.instruction.MaxSide
	return r
}

// Press does what the main button says: it begins, pauses or goes on.
func (p *Presenter) Press() {
	switch r := p.running(); {
	case r.On && r.Paused:
		p.resume()
	case r.On:
		p.job.Pause()
	case r.Off != "":
	case r.Interrupted > 0:
		p.goOn()
	case p.kept.Counts.Waiting == 0:
		p.AskAgain()
	default:
		p.start(p.run())
	}
}

func (p *Presenter) start(r job.Run) {
	p.keepTyped()
	p.started(p.set.Start(p.seams.Engine, p.loaded.Plan.Slots, r))
}

// goOn resumes the run that was interrupted, with the instruction it had.
func (p *Presenter) goOn() {
	p.keepTyped()
	p.started(p.set.Resume(p.seams.Engine, p.loaded.Plan.Slots))
}

func (p *Presenter) started(j *job.Job, err error) {
	p.note = Note{}
	if err != nil {
		p.note = problem(err)
	} else {
		p.job = j
		p.forgetAdded()
		if p.seams.Follow != nil {
			p.seams.Follow(j)
		}
	}
	p.kept = p.set.State()
	p.publish()
}

// resume goes on after a pause; where the engine was its reason, with whichever
// model is loaded now.
func (p *Presenter) resume() {
	switch {
	case !p.sees():
	case p.kept.Job.Reason != nil:
		p.job.EngineReady(p.loaded.Plan.Slots)
	default:
		p.job.Resume()
	}
}

// Cancel ends the run. What was done stays.
func (p *Presenter) Cancel() {
	if p.running().On {
		p.job.Cancel()
	}
}

// AskAgain asks which texts a run over all pictures may replace.
func (p *Presenter) AskAgain() {
	c := p.kept.Counts
	if p.running().On || p.running().Off != "" || len(p.kept.Items) == 0 {
		return
	}
	again := func(o job.Overwrite) func() {
		return func() {
			r := p.run()
			r.Overwrite, r.RetryFailed = o, true
			p.start(r)
		}
	}
	q := &Question{Title: words.T("pictures.again.title"), Text: words.T("pictures.again.text", map[string]any{"Done": c.Done, "Edited": c.Edited, "Failed": c.Failed, "Waiting": c.Waiting, "Left": p.kept.Interrupted})}
	if c.Edited > 0 {
		q.Choices = append(q.Choices, Choice{Label: words.T("pictures.again.edited", map[string]any{"Count": c.Edited}), Danger: true, do: again(job.OverwriteEdited)})
	}
	if c.Done+c.Failed+c.Waiting > 0 {
		q.Choices = append(q.Choices, Choice{Label: words.T("pictures.again.answers"), Replaces: c.Done > 0, do: again(job.OverwriteAnswers)})
	}
	p.question = q
	p.publish()
}

// Again does the chosen picture again. What the user wrote goes only after a
// question.
func (p *Presenter) Again() {
	item := p.State().Item()
	if item == nil || p.running().Off != "" {
		return
	}
	if p.running().On && p.job.Retry(item.ID) { // which only does one that failed
		return
	}
	start := func() {
		r := p.run()
		r.Only, r.Overwrite, r.RetryFailed = []job.ID{item.ID}, job.OverwriteEdited, true
		p.start(r)
	}
	if !item.Own() {
		start()
		return
	}
	p.question = &Question{
		Title:   words.T("pictures.one.title", map[string]any{"File": p.State().Name(item)}),
		Text:    words.T("pictures.one.text"),
		Choices: []Choice{{Label: words.T("pictures.one"), Danger: true, do: start}},
	}
	p.publish()
}

// RetryFailed does those again that failed.
func (p *Presenter) RetryFailed() {
	var ids []job.ID
	for _, i := range p.kept.Items {
		if i.Phase == job.Failed {
			ids = append(ids, i.ID)
		}
	}
	switch r := p.running(); {
	case len(ids) == 0:
	case r.On && p.job.Retry(ids...):
	case r.Off == "":
		run := p.run()
		run.Only, run.RetryFailed, run.Overwrite = ids, true, job.OverwriteAnswers
		p.start(run)
	}
}

// running is how far the run is, and why none can begin.
func (p *Presenter) running() Running {
	var r Running
	switch {
	case !p.sees():
		r.Off = words.T("pictures.off.model")
	case len(p.kept.Items) == 0:
		r.Off = words.T("pictures.off.empty")
	case strings.TrimSpace(p.instruction.Prompt) == "":
		r.Off = words.T("pictures.off.prompt")
	}
	r.Interrupted, r.Other = p.interrupted(), p.otherInterrupted()
	progress := p.kept.Job
	if progress == nil || p.job == nil {
		return r
	}
	r.Left = progress.Total - progress.Through()
	r.On, r.Paused, r.Asking = !progress.Ended, progress.Paused, progress.Asking
	if progress.Total > 0 {
		r.Done = float64(progress.Through()) / float64(progress.Total)
	}
	if r.On {
		r.Count = words.T("pictures.count", map[string]any{"Done": progress.Through(), "Total": progress.Total})
	}
	r.Line, r.Bad = progressLine(progress)
	return r
}

// interrupted is how many pictures can be resumed with. Who changes the instruction
// wants another run.
func (p *Presenter) interrupted() int {
	was, now := p.kept.Run, p.run()
	if was.Prompt != now.Prompt || was.Schema != now.Schema || was.MaxTokens != now.MaxTokens || was.MaxSide != now.MaxSide ||
		was.Temperature == nil || *was.Temperature != *now.Temperature {
		return 0
	}
	return p.kept.Interrupted
}

// otherInterrupted is how many pictures a run with another instruction is not through with.
func (p *Presenter) otherInterrupted() int {
	if p.interrupted() > 0 {
		return 0
	}
	return p.kept.Interrupted
}

// progressLine says how fast a job is and how long it takes.
func progressLine(p *job.Progress) (text string, bad bool) {
	var parts []string
	switch {
	case p.Ended:
		return words.T("pictures.ended", map[string]any{
			"Cancelled": p.Cancelled, "Done": p.Finished.Done + p.Finished.Edited, "Total": p.Total, "Failed": p.Finished.Failed,
		}), false
	case p.Reason != nil:
		return words.T("pictures.paused"), true
	case p.Paused && p.Asking > 0:
		parts = append(parts, words.T("pictures.pausing"))
	case p.Paused:
		parts = append(parts, words.T("pictures.paused"))
	default:
		if p.PerMinute > 0 {
			parts = append(parts, words.T("pictures.perMinute", map[string]any{"Speed": speed(p.PerMinute)}))
		}
		if p.Left > 0 {
			parts = append(parts, left(p.Left))
		}
		return strings.Join(parts, " · "), false // there is no room for what the button says
	}
	if p.Finished.Failed > 0 {
		parts = append(parts, words.T("pictures.failedCount", map[string]any{"Count": p.Finished.Failed}))
	}
	return strings.Join(parts, " · "), false
}

// stopped says why a job doesn't go on, and what to do.
func stopped(p *job.Progress) Note {
	return Note{widgets.Bad, words.T("pictures.paused.engine", map[string]any{"Reason": words.Error(p.Reason).Text()})}
}

// speed is how many pictures a minute.
func speed(perMinute float64) string {
	if perMinute < 10 {
		return fmt.Sprintf("%.1f", perMinute)
	}
	return fmt.Sprintf("%.0f", perMinute)
}

// left is how long it takes still.
func left(d time.Duration) string {
	switch {
	case d < 90*time.Second:
		return words.T("pictures.left.seconds", map[string]any{"Count": int(max(1, d.Round(time.Second)/time.Second))})
	case d < 90*time.Minute:
		return words.T("pictures.left.minutes", map[string]any{"Count": int(d.Round(time.Minute) / time.Minute)})
	}
	return words.T("pictures.left.hours", map[string]any{"Count": int(d.Round(time.Hour) / time.Hour)})
}

// maxSeers is how many models that can see are offered.
const maxSeers = 2

// vision says what to do when the loaded model doesn't see.
func (p *Presenter) vision() Vision {
	v := Vision{Sees: p.sees()}
	if j := p.kept.Job; v.Sees || p.loaded.Phase == engine.Failed && p.job != nil && !j.Ended && j.Reason != nil {
		return v // why the run stands still says all
	}
	for _, m := range p.seers[:min(len(p.seers), maxSeers)] {
		v.Set = append(v.Set, m.Facts.Name)
	}
	switch {
	case p.loaded.Phase != engine.NotLoaded && p.loaded.Phase != engine.Ready && p.loaded.Phase != engine.Failed:
		v.Set = nil
		v.Text = words.T("pictures.vision.loading")
	case len(v.Set) == 0:
		v.Text = words.T("pictures.vision.none")
	case p.loaded.Phase == engine.Ready:
		v.Text = words.T("pictures.vision.blind", map[string]any{"Name": p.loaded.Model.Name})
	default:
		v.Text = words.T("pictures.vision.choose", map[string]any{"Count": len(v.Set)})
	}
	return v
}

// SetUp opens the set-up of a model that can see.
func (p *Presenter) SetUp(at int) {
	if at >= 0 && at < len(p.seers) {
		p.seams.SetUp(p.seers[at])
	}
}
