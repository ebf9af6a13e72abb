package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/sirupsen/logrus"

	"paddock/engine"
	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/client"
	"paddock/engine/plan"
	"paddock/engine/server"
	"paddock/hardware"
	"paddock/words"
)

// stopTime is how long the engine may take to end.
const stopTime = 5 * time.Second

// stallTime is how long loading may be silent: the engine's own limit, but in
// tests.
var stallTime time.Duration

// promptLimit is how much is read of a prompt on stdin, in bytes.
const promptLimit = 16 << 20

type chatCommand struct {
	Model  string `arg:"" help:"${model}"`
	Prompt string `arg:"" help:"${chatPrompt}"`
	planFlags
	System      string   `placeholder:"TEXT" help:"${chatSystem}"`
	Tokens      int      `placeholder:"N" help:"${chatTokens}"`
	Temperature *float64 `placeholder:"X" help:"${chatTemperature}"`
	Seed        *int64   `placeholder:"N" help:"${chatSeed}"`
}

// Validate is called by kong after parsing.
func (c *chatCommand) Validate() error {
	if c.Tokens < 0 {
		return errors.New("--tokens is a number above 0")
	}
	if c.Temperature != nil && *c.Temperature < 0 {
		return errors.New("--temperature is 0 or above")
	}
	return c.planFlags.Validate()
}

func (c *chatCommand) Run(s *session) error {
	request, err := c.request(s)
	if err != nil {
		return err
	}
	p, b, err := c.prepare(s)
	if err != nil {
		return err
	}
	store, err := s.store()
	if err != nil {
		return err
	}
	progress := newProgress(s.stderr)
	warned := make(chan error, 1) // it comes once, on any goroutine
	instance, err := server.Start(s.ctx, server.Options{
		Build: b, Plan: p,
		RuntimeDir: store.Folders().Runtime, LogDir: store.Folders().Log,
		Progress: progress.show,
		Warn: func(err error) {
			s.log.WithError(err).Warn("engine log")
			warned <- err
		},
		StallTime: stallTime,
	})
	progress.clear()
	if err != nil {
		return err
	}
	defer func() {
		s.stop(instance)
		select {
		case err := <-warned:
			s.complain(words.Error(err))
		default:
		}
	}()
	s.log.WithField("proof", instance.Proof()).Info("ready")

	terminal := isTerminal(s.stdout.to)
	answer, err := instance.Chat(s.ctx, request, func(d client.Delta) {
		switch {
		case s.JSON:
		case terminal:
			s.print("%s", harmless(d.Text))
		default:
			s.print("%s", d.Text)
		}
	})
	var failure *server.Failure
	if errors.As(err, &failure) {
		err = brokenError{failure}
	}
	return s.answer(answer, err)
}

func (c *chatCommand) request(s *session) (client.Request, error) {
	prompt := c.Prompt
	if prompt == "-" {
		read, err := io.ReadAll(io.LimitReader(s.stdin, promptLimit))
		if err != nil {
			return client.Request{}, textError{"cli.stdin", map[string]any{"Reason": words.Reason(err)}, err}
		}
		prompt = string(read)
	}
	if strings.TrimSpace(prompt) == "" {
		return client.Request{}, usageError{errors.New("the prompt is empty")}
	}
	r := client.Request{MaxTokens: c.Tokens, Temperature: c.Temperature, Seed: c.Seed}
	if c.System != "" {
		r.Messages = append(r.Messages, client.Message{Role: "system", Text: c.System})
	}
	r.Messages = append(r.Messages, client.Message{Role: "user", Text: prompt})
	return r, nil
}

// prepare makes the plan and holds it against rules and memory.
func (c *chatCommand) prepare(s *session) (plan.Plan, build.Build, error) {
	m, err := s.model(c.Model)
	if err != nil {
		return plan.Plan{}, build.Build{}, err
	}
	b, err := s.build()
	if err != nil {
		return plan.Plan{}, b, err
	}
	devices, err := b.Devices(s.ctx)
	if err != nil {
		return plan.Plan{}, b, err
	}
	asked, err := c.plan(devices)
	if err != nil {
		return plan.Plan{}, b, err
	}
	check := newCheckup(m, asked, devices, b.Number)
	if !check.verdict.Valid() {
		return check.plan, b, &engine.RefusedError{Findings: check.verdict.Refusals}
	}
	for _, finding := range check.verdict.Cautions {
		s.complain(words.Finding(finding))
	}
	if err := s.measure(&check, b, hardware.Live(), devices); err != nil {
		return check.plan, b, err
	}
	for _, pool := range check.memory.Pools {
		if pool.Fit == budget.DoesNotFit {
			return check.plan, b, spaceError{filepath.Base(m.Facts.Path), pool.ID, pool.NeededBytes, pool.UsableBytes}
		}
	}
	s.log.WithFields(logrus.Fields{"engine": b.ID, "arguments": plan.Arguments(check.plan)}).Info("loading")
	return check.plan, b, s.ctx.Err()
}

// stop ends the engine, also when the command was interrupted.
func (s *session) stop(instance *server.Instance) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), stopTime)
	defer cancel()
	if err := instance.Stop(ctx); err != nil {
		s.complain(words.Error(err))
	}
}

// answer says how the answer ended. What came before an interruption or a crash
// has been printed, or is in the document together with the error.
func (s *session) answer(a client.Answer, err error) error {
	if a.Stop == client.StopCancelled && err == nil {
		err = context.Cause(s.ctx)
	}
	if s.JSON {
		document := map[string]any{
			"text": a.Text, "reasoning": a.Reasoning,
			"promptTokens": a.PromptTokens, "answerTokens": a.AnswerTokens,
			"tokensPerSecond": a.TokensPerSecond, "firstTokenMs": a.FirstToken.Milliseconds(),
			"draftedTokens": a.DraftedTokens, "acceptedTokens": a.AcceptedTokens,
			"stop": a.Stop,
		}
		if err != nil {
			document["error"] = errorOf(err)
		}
		s.write(document)
	} else if a.Text != "" {
		s.print("\n")
	}
	if err != nil {
		sentence, status := describe(err)
		s.complain(sentence)
		return statusError(status)
	}
	if !s.JSON {
		fmt.Fprintln(s.stderr, words.T("cli.chat.speed", map[string]any{
			"Tokens": words.Count(a.AnswerTokens), "Speed": words.Speed(a.TokensPerSecond), "Seconds": words.Seconds(a.FirstToken),
		}))
	}
	return nil
}

// harmless is a model's text without what a terminal would act on: it could move
// the cursor, or write to the clipboard.
func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// isTerminal says whether a person sees what is written.
func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// A progress shows how far loading is, on a terminal only.
type progress struct {
	out   io.Writer
	shown bool
}

func newProgress(out io.Writer) *progress {
	if !isTerminal(out) {
		return &progress{}
	}
	return &progress{out: out}
}

// clearLine goes back to the start of a terminal's line and empties it.
const clearLine = "\r\x1b[K"

func (p *progress) show(at server.Progress) {
	if p.out == nil {
		return
	}
	p.shown = true
	text := words.T("cli.phase." + at.Phase)
	if at.Value >= 0 {
		text = fmt.Sprintf("%s %d %%", text, int(at.Value*100))
	}
	fmt.Fprint(p.out, clearLine+text)
}

func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.out, clearLine)
	}
}
