package images

import (
	"reflect"
	"time"

	job "paddock/engine/images"
)

// chose takes over that the instruction has changed: it is kept, so that it is there again
// however the program ends.
func (p *Presenter) chose() {
	p.keepInstruction()
	p.publish()
}

// typedPrompt is chose for text that is being typed, which is kept when typing rests.
func (p *Presenter) typedPrompt() {
	if p.promptRest != nil {
		p.promptRest.Stop()
	}
	p.promptRest = time.AfterFunc(typingRest, func() { p.do(p.keepInstruction) })
	p.publish()
}

func (p *Presenter) keepInstruction() {
	if p.promptRest != nil {
		p.promptRest.Stop()
	}
	if next := p.instruction.run(); p.set != nil && !reflect.DeepEqual(next, instructionOf(p.kept).run()) {
		p.set.SetNext(next)
		p.kept = p.set.State()
	}
}

// run is an instruction as it is kept. What is run of it is Presenter.run.
func (i Instruction) run() job.Run {
	return job.Run{Preset: i.Preset, Prompt: i.Prompt, MaxTokens: i.MaxTokens, MaxSide: i.MaxSide, Temperature: &i.Temperature}
}

// instructionOf is the instruction that was chosen last, or else that of the latest run, or
// the first preset's.
func instructionOf(s job.State) Instruction {
	switch preset, _ := job.PresetOf(job.Caption); {
	case s.Next != nil:
		return instructionIn(*s.Next)
	case s.Run.Prompt != "":
		return instructionIn(s.Run)
	default:
		return instructionIn(preset.Run())
	}
}

func instructionIn(r job.Run) Instruction {
	i := Instruction{Preset: r.Preset, Prompt: r.Prompt, MaxTokens: r.MaxTokens, MaxSide: r.MaxSide}
	if r.Temperature != nil {
		i.Temperature = *r.Temperature
	}
	return i
}

// TakeInterrupted goes back to the instruction of the run that was interrupted.
func (p *Presenter) TakeInterrupted() {
	if p.otherInterrupted() > 0 {
		p.instruction = instructionIn(p.kept.Run)
		p.chose()
	}
}

// GiveUp leaves the run that was interrupted as it is: it can't be resumed any more.
func (p *Presenter) GiveUp() {
	if p.kept.Interrupted > 0 {
		p.set.GiveUp()
		p.kept = p.set.State()
		p.publish()
	}
}
