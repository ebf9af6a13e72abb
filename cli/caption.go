package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"paddock/engine"
	"paddock/engine/build"
	"paddock/engine/images"
	"paddock/engine/picture"
	"paddock/engine/plan"
	"paddock/words"
)

type captionCommand struct {
	Model string   `arg:"" help:"${model}"`
	Paths []string `arg:"" name:"file" help:"${captionPaths}"`
	planFlags
	Preset      string   `enum:"caption,describe,text,tags,alt" default:"caption" placeholder:"caption|describe|text|tags|alt" help:"${captionPreset}"`
	Prompt      *string  `placeholder:"TEXT" help:"${captionPrompt}"`
	Out         string   `placeholder:"FILE" help:"${captionOut}"`
	Overwrite   bool     `help:"${captionOverwrite}"`
	Recursive   bool     `help:"${captionRecursive}"`
	Tokens      int      `placeholder:"N" help:"${captionTokens}"`
	Temperature *float64 `placeholder:"X" help:"${chatTemperature}"`
	Seed        *int64   `placeholder:"N" help:"${chatSeed}"`
	MaxSide     int      `name:"max-side" placeholder:"N" help:"${captionMaxSide}"`
}

// Validate is called by kong after parsing.
func (c *captionCommand) Validate() error {
	switch {
	case c.Prompt != nil && strings.TrimSpace(*c.Prompt) == "":
		return errors.New("--prompt needs an instruction: it is empty")
	case c.Tokens < 0:
		return errors.New("--tokens is a number above 0")
	case c.Temperature != nil && *c.Temperature < 0:
		return errors.New("--temperature is 0 or above")
	case c.MaxSide != 0 && (c.MaxSide < picture.PaddedSide || c.MaxSide > picture.MaxSideLimit):
		return fmt.Errorf("--max-side is a number from %d to %d", picture.PaddedSide, picture.MaxSideLimit)
	case c.Purpose != "" && c.Purpose != plan.Chat:
		return errors.New("caption has no other --purpose than chat")
	}
	return c.planFlags.Validate()
}

// run is what to ask. An instruction of the user's own has no schema, but keeps
// what else suits the preset.
func (c *captionCommand) run() images.Run {
	preset, _ := images.PresetOf(c.Preset) // which the parser has checked
	run := preset.Run()
	if c.Prompt != nil {
		run.Prompt, run.Schema, run.Preset = *c.Prompt, "", ""
	}
	if c.Tokens > 0 {
		run.MaxTokens = c.Tokens
	}
	if c.Temperature != nil {
		run.Temperature = c.Temperature
	}
	run.Seed, run.MaxSide = c.Seed, c.MaxSide
	return run
}

func (c *captionCommand) Run(s *session) error {
	set := images.New()
	paths := make([]string, len(c.Paths))
	for i, path := range c.Paths {
		paths[i] = onDisk(path)
	}
	rows := newCaptionRows(s, paths)
	added := set.Add(s.ctx, c.Recursive, paths...)
	for _, err := range added.Errors {
		s.complain(words.Error(err))
		rows.failed = true
	}
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	if len(added.Items) == 0 {
		return textError{key: "cli.caption.none"}
	}
	if isPicture(set, c.Out) {
		return textError{key: "cli.caption.picture", data: map[string]any{"File": filepath.Base(c.Out)}}
	}
	if err := rows.open(c.Out, c.Overwrite); err != nil {
		return err
	}
	err := c.answer(s, set, &rows)
	if closed := rows.close(); err == nil {
		err = closed
	}
	return err
}

// isPicture says whether a file is one of the pictures, whatever it is called there.
func isPicture(set *images.Set, path string) bool {
	out, err := os.Stat(path)
	if err != nil {
		return false
	}
	for _, item := range set.State().Items {
		if info, err := os.Stat(item.Path); err == nil && os.SameFile(info, out) {
			return true
		}
	}
	return false
}

// answer has a model answer about every picture.
func (c *captionCommand) answer(s *session, set *images.Set, rows *captionRows) error {
	check, b, err := (&chatCommand{Model: c.Model, planFlags: c.planFlags}).prepare(s)
	if err != nil {
		return err
	}
	if check.plan.Projector() == "" {
		return textError{key: "cli.chat.blind", data: map[string]any{"File": filepath.Base(check.plan.ModelPath)}}
	}
	err = s.caption(set, check, b, c.run(), rows)
	if err == nil && s.ctx.Err() != nil {
		err = context.Cause(s.ctx)
	}
	return err
}

// enginePatience is how long a job may stand still under an engine that has not
// failed: its end may not have come to us yet, or it does not answer any more.
var enginePatience = 5 * time.Second

// caption loads a model and has it answer, as long as there is a place for the lines.
// The error is that of the load, or of an engine that could not be brought back.
func (s *session) caption(set *images.Set, check checkup, b build.Build, run images.Run, rows *captionRows) error {
	supervisor, err := s.start(check, b)
	if supervisor != nil {
		defer s.stop(supervisor)
	}
	if err != nil {
		return err
	}
	job, err := set.Start(supervisor, supervisor.State().Plan.Slots, run)
	if err != nil {
		return err
	}
	job.Follow(supervisor)
	wake := make(chan struct{}, 1)
	changed := func() {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
	defer set.Watch(func(images.State) { changed() })()
	defer supervisor.Watch(func(engine.State) { changed() })()
	var stands <-chan time.Time // has a value when the job has stood still for too long
	tooLong := false
	fell := supervisor.State().FellBack
	restartedAt := -1 // pictures that were done when the engine was loaded again
	for {
		state := set.State()
		rows.write(state)
		if rows.shut() {
			job.Cancel()
			<-job.Done()
			return nil
		}
		if now := supervisor.State().FellBack; now != fell && now != nil && now.OnRequest {
			fell = now
			s.complain(words.FellBack(fell))
		}
		p, loaded := state.Job, supervisor.State()
		reason := p.Reason
		if loaded.Phase == engine.Failed {
			reason = loaded.Err
		}
		standing := p.Paused && p.Asking == 0
		switch {
		case p.Ended:
			rows.summary(state)
			return nil
		case !standing:
			stands, tooLong = nil, false
		case loaded.Phase == engine.Failed || tooLong:
			// A load that ended at once is not tried for ever: it may harm the machine.
			if p.Finished.Done == restartedAt {
				return rows.giveUp(job, set, reason)
			}
			restartedAt, stands, tooLong = p.Finished.Done, nil, false
			s.complain(words.Of("cli.caption.restart", map[string]any{"Message": words.Error(reason).Message}))
			if err := s.load(supervisor, loaded.Plan, loaded.Given, b); err != nil {
				return rows.giveUp(job, set, err)
			}
			continue
		case stands == nil:
			stands = time.After(enginePatience)
		}
		select {
		case <-wake:
		case <-stands:
			tooLong = true
		case <-job.Done():
		case <-s.ctx.Done():
			job.Cancel()
			<-job.Done()
			rows.write(set.State())
			return nil
		}
	}
}
