package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"unicode"

	"paddock/engine/client"
)

// How long the answers of a proof are, in tokens. Two tokens that are no text
// (parts of a character, marks of the model's own format) are no answer yet; the
// second question gives it more room. Guessing takes some tokens before it begins.
var (
	proofTokens    = []int{2, 16}
	guessingTokens = []int{8, 16}
)

// chats is whether the engine answers; where it sees, whether it answers about a
// picture too, and then without one: a picture can break what comes after it.
func (i *Instance) chats(ctx context.Context) *Failure {
	hello := client.Message{Role: "user", Text: "Hello"}
	if err := i.answers(ctx, hello); err != nil || !i.sees {
		if err != nil {
			return failed(ProofFailed, err)
		}
		return nil
	}
	picture, err := proofPicture()
	if err != nil {
		return failed(ProofFailed, err)
	}
	about := client.Message{Role: "user", Text: "What is this?", Pictures: []client.Picture{{MIME: "image/png", Bytes: picture}}}
	if err := i.answers(ctx, about); err != nil {
		return refused(PictureFailed, fmt.Errorf("about a picture: %w", err))
	}
	if err := i.answers(ctx, hello); err != nil {
		return refused(PictureFailed, fmt.Errorf("after a picture: %w", err))
	}
	i.proof.ImageProven = true
	return nil
}

func (i *Instance) tokens() []int {
	if len(i.options.Plan.SpecMethods()) > 0 {
		return guessingTokens
	}
	return proofTokens
}

// answers is whether the engine gives an answer that is text. The model may not
// end it: one that has nothing to say would prove nothing.
func (i *Instance) answers(ctx context.Context, question client.Message) error {
	var answer client.Answer
	for _, tokens := range i.tokens() {
		var err error
		answer, err = i.client.Chat(ctx, client.Request{
			Messages:    []client.Message{question},
			MaxTokens:   tokens,
			Temperature: new(float64), // the likeliest token: the same proof every time
			IgnoreEnd:   true,
		}, nil)
		if err != nil {
			return fmt.Errorf("ask for an answer: %w", err)
		}
		if answer.Stop == client.StopCancelled {
			return fmt.Errorf("no answer within %v", i.options.ProofTime)
		}
		if len(question.Pictures) == 0 {
			i.proof.Text = answer.Reasoning + answer.Text
			i.proof.TokensPerSecond, i.proof.FirstToken = answer.TokensPerSecond, answer.FirstToken
		}
		i.drafted(answer)
		if isText(answer.Reasoning + answer.Text) {
			return nil
		}
	}
	return noAnswer(answer)
}

// noAnswer is why an answer that is no text is none at all. It is nil where
// tokens were computed and all are marks that are not shown: a model that was not
// made for conversation. Garbage shows.
func noAnswer(answer client.Answer) error {
	text := answer.Reasoning + answer.Text
	switch {
	case answer.AnswerTokens == 0:
		return errors.New("the answer has no token")
	case text != "" && !isText(text):
		return fmt.Errorf("the answer is no text: %q", text)
	}
	return nil
}

func (i *Instance) drafted(answer client.Answer) {
	i.proof.DraftedTokens += answer.DraftedTokens
	i.proof.AcceptedTokens += answer.AcceptedTokens
}

// proofPicture is a small picture with something to see, as a PNG. It is not
// smaller because engines abort on a side of some pixels.
func proofPicture() ([]byte, error) {
	const side = 64
	picture := image.NewRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			picture.Set(x, y, color.RGBA{R: uint8(4 * x), G: uint8(4 * y), B: 128, A: 255})
		}
	}
	var file bytes.Buffer
	err := png.Encode(&file, picture)
	return file.Bytes(), err
}

// duringPicture is the failure of an engine that has ended under its proof: where
// that was about a picture, and nothing speaks of memory or the driver, it says so.
func duringPicture(proof, end *Failure) *Failure {
	if proof.Kind == PictureFailed && (end.Kind == Crashed || end.Kind == LoadFailed || end.Kind == ExitedAtOnce) {
		end.Kind, end.Err = PictureFailed, proof.Err
	}
	return end
}

// isText is whether any character of an answer is one a person could read, or a
// space. What a broken computation gives is control characters, and bytes that
// are no character.
func isText(text string) bool {
	for _, r := range text {
		if unicode.IsSpace(r) || r != unicode.ReplacementChar && unicode.IsPrint(r) {
			return true
		}
	}
	return false
}
