package client_test

import (
	"strings"
	"testing"

	"paddock/engine/client"
	"paddock/engine/picture"
	"paddock/engine/picture/picturetest"
)

// These tests ask the real engine about pictures. The model was generated and
// speaks nonsense, but the same nonsense every time, and its tokens can be counted.

// pictured is a picture the engine takes.
func pictured(t *testing.T, kind string, width, height int) client.Picture {
	t.Helper()
	data := picturetest.Encode(t, kind, picturetest.Photo(width, height))
	p, err := picture.Prepare(t.Context(), picture.Source{Bytes: data}, picture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return client.Picture{MIME: p.MIME, Bytes: p.Bytes}
}

func user(text string, pictures ...client.Picture) client.Message {
	return client.Message{Role: "user", Text: text, Pictures: pictures}
}

func assistant(text string) client.Message { return client.Message{Role: "assistant", Text: text} }

// someTokens are what the words around pictures and turns may differ by: a break
// between them is sometimes part of a token. A picture is more than that.
const someTokens = 4

func ask(t *testing.T, e *picturetest.Engine, messages ...client.Message) client.Answer {
	t.Helper()
	answer, err := e.Chat(t.Context(), client.Request{Messages: messages, MaxTokens: 8, Temperature: new(float64)}, nil)
	if err != nil || answer.AnswerTokens == 0 || answer.PromptTokens == 0 {
		t.Fatalf("%+v, %v\n%s", answer, err, e.Log())
	}
	return answer
}

func TestEveryPictureOfAConversationReachesTheEngine(t *testing.T) {
	e := picturetest.Start(t, picturetest.Gemma)
	small, large := pictured(t, "png", 64, 64), pictured(t, "jpeg", 640, 480)
	text := func(messages ...client.Message) int { return ask(t, e, messages...).PromptTokens }
	// What one picture is in tokens, whatever its size: this model has them scaled.
	picture := text(user("What is it?", small)) - text(user("What is it?"))
	if picture <= someTokens {
		t.Fatalf("a picture is %d tokens", picture)
	}
	tests := []struct {
		name     string
		seen     []client.Message
		unseen   []client.Message // the same without pictures
		pictures int
	}{
		{"a large one", []client.Message{user("What is it?", large)}, []client.Message{user("What is it?")}, 1},
		{"two in one message", []client.Message{user("What is it?", small, large)}, []client.Message{user("What is it?")}, 2},
		{"a picture, then a question without", []client.Message{user("What is it?", small), assistant("A."), user("Sure?")},
			[]client.Message{user("What is it?"), assistant("A."), user("Sure?")}, 1},
		{"a question, then a picture", []client.Message{user("Hello"), assistant("A."), user("And this?", large)},
			[]client.Message{user("Hello"), assistant("A."), user("And this?")}, 1},
		{"a picture before and one after", []client.Message{user("What is it?", small), assistant("A."), user("And this?", large)},
			[]client.Message{user("What is it?"), assistant("A."), user("And this?")}, 2},
		{"neighbours that become one", []client.Message{user("One.", small), user("Two.", large)}, []client.Message{user("One."), user("Two.")}, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			first := ask(t, e, test.seen...)
			got, want := first.PromptTokens-text(test.unseen...), test.pictures*picture
			if got < want || got > want+someTokens {
				t.Errorf("%d tokens more than without pictures, want %d", got, want)
			}
			if again := ask(t, e, test.seen...); again.Text != first.Text {
				t.Errorf("asked again it says %q, first it said %q", again.Text, first.Text)
			}
		})
	}
}

func TestAPictureAloneIsAQuestion(t *testing.T) {
	e := picturetest.Start(t, picturetest.Gemma)
	ask(t, e, user("", pictured(t, "png", 64, 64)))
}

func TestTheMarkerInATextIsNoPictureBesideOne(t *testing.T) {
	e := picturetest.Start(t, picturetest.Gemma)
	props, err := e.Props(t.Context())
	if err != nil || !props.Vision || props.MediaMarker == "" {
		t.Fatalf("%+v, %v", props, err)
	}
	for _, text := range []string{"What is " + props.MediaMarker + "?", strings.Repeat(props.MediaMarker, 3)} {
		ask(t, e, user(text))
		ask(t, e, user(text, pictured(t, "png", 64, 64)))
	}
}
