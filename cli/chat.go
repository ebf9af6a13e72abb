package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/sirupsen/logrus"

	"paddock/engine"
	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/client"
	"paddock/engine/library"
	"paddock/engine/picture"
	"paddock/engine/plan"
	"paddock/engine/server"
	"paddock/hardware"
	"paddock/words"
)

// promptLimit is how much is read of a prompt on stdin, in bytes.
const promptLimit = 16 << 20

type chatCommand struct {
	Model  string `arg:"" help:"${model}"`
	Prompt string `arg:"" help:"${chatPrompt}"`
	planFlags
	System      string   `placeholder:"TEXT" help:"${chatSystem}"`
	Tokens      int      `placeholder:"N" help:"${chatTokens}"`
	Image       []string `placeholder:"FILE" sep:"none" type:"path" help:"${chatImage}"`
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
	if c.Purpose != "" && c.Purpose != plan.Chat {
		return errors.New("chat has no other --purpose than chat")
	}
	return c.planFlags.Validate()
}

func (c *chatCommand) Run(s *session) error {
	request, err := c.request(s)
	if err != nil {
		return err
	}
	check, b, err := c.prepare(s)
	if err != nil {
		return err
	}
	if len(c.Image) > 0 && check.plan.Projector() == "" {
		return textError{key: "cli.chat.blind", data: map[string]any{"File": filepath.Base(check.plan.ModelPath)}}
	}
	supervisor, err := s.start(check, b)
	if supervisor != nil {
		defer s.stop(supervisor)
	}
	if err != nil {
		return err
	}
	s.log.Info("ready")

	terminal := isTerminal(s.stdout.to)
	answer, err := supervisor.Chat(s.ctx, request, func(d client.Delta) {
		switch {
		case s.JSON:
		case terminal:
			s.print("%s", harmless(d.Text))
		default:
			s.print("%s", d.Text)
		}
	})
	if state := supervisor.State(); state.WithoutSpeculation() {
		s.complain(words.FellBack(state.FellBack))
	}
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
	question := client.Message{Role: "user", Text: prompt}
	for _, path := range c.Image {
		prepared, err := picture.Prepare(s.ctx, picture.Source{Path: onDisk(path)}, picture.Options{})
		if err != nil {
			return client.Request{}, err
		}
		for _, note := range prepared.Notes {
			s.complain(words.Of("cli.chat.picture", map[string]any{"File": filepath.Base(path), "Note": words.PictureNote(note)}))
		}
		question.Pictures = append(question.Pictures, client.Picture{MIME: prepared.MIME, Bytes: prepared.Bytes})
	}
	r.Messages = append(r.Messages, question)
	return r, nil
}

// prepare makes the plan and holds it against rules and memory.
func (c *chatCommand) prepare(s *session) (checkup, build.Build, error) {
	m, err := s.model(c.Model)
	if err != nil {
		return checkup{}, build.Build{}, err
	}
	b, err := s.build()
	if err != nil {
		return checkup{}, b, err
	}
	devices, err := s.devices(b, c.RPC)
	if err != nil {
		return checkup{}, b, err
	}
	asked, err := c.plan(devices)
	if err != nil {
		return checkup{}, b, err
	}
	asked.Purpose = plan.Chat // whatever the model was made for
	check, err := s.admit(m, asked, b, devices, c.TryAgain)
	return check, b, err
}

// admit holds a plan that is to be loaded against rules and memory, and says its
// cautions.
func (s *session) admit(m library.Model, asked plan.Plan, b build.Build, devices []build.Device, tryAgain bool) (checkup, error) {
	machine := hardware.Live()
	check, err := s.newCheckup(m, asked, machine, devices, b, tryAgain)
	if err != nil {
		return checkup{}, err
	}
	if !check.verdict.Valid() {
		return check, &engine.RefusedError{Findings: check.verdict.Refusals}
	}
	for _, finding := range check.verdict.Cautions {
		s.complain(words.Finding(finding))
	}
	if err := s.measure(&check, b, machine); err != nil {
		return check, err
	}
	if check.memory.Fit == budget.DoesNotFit {
		return check, check.noRoom()
	}
	s.log.WithFields(logrus.Fields{"engine": b.ID, "arguments": plan.Arguments(check.plan)}).Info("loading")
	return check, s.ctx.Err()
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
