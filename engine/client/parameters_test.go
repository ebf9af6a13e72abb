package client_test

import (
	"encoding/json"
	"testing"

	"paddock/engine/client"
	"paddock/engine/picture/picturetest"
)

// These tests ask the real engine, with a generated model that speaks nonsense.

func TestTheTokensOfARequestAreCountedAsTheEngineDoes(t *testing.T) {
	e := picturetest.Start(t, picturetest.Gemma)
	for name, messages := range map[string][]client.Message{
		"one question":                 {user("What is it?")},
		"a conversation":               {user("What is it?"), assistant("A fence."), user("Of wood?")},
		"an answer that goes on":       {user("What is it?"), assistant("A fence of")},
		"the marker of pictures":       {user("<__media__> what?")},
		"what has no text is left out": {user("One"), assistant(""), user("two")},
	} {
		t.Run(name, func(t *testing.T) {
			counted, err := e.Count(t.Context(), client.Request{Messages: messages})
			if err != nil {
				t.Fatal(err)
			}
			if got := ask(t, e, messages...).PromptTokens; got != counted {
				t.Errorf("counted %d tokens, the engine took %d", counted, got)
			}
		})
	}
}

func TestAnAnswerFollowsItsSchema(t *testing.T) {
	e := picturetest.Start(t, picturetest.Qwen)
	answer, err := e.Chat(t.Context(), client.Request{
		Messages: []client.Message{user("What is it?")}, MaxTokens: 200, Temperature: new(float64),
		Schema: `{"type":"object","properties":{"wood":{"type":"boolean"}},"required":["wood"],"additionalProperties":false}`,
	}, nil)
	if err != nil {
		t.Fatal(err, e.Log())
	}
	var got map[string]bool
	if err := json.Unmarshal([]byte(answer.Text), &got); err != nil || len(got) != 1 {
		t.Errorf("it answers %q: %v", answer.Text, err)
	}
}

func TestTheEngineTakesEverySamplingValue(t *testing.T) {
	e := picturetest.Start(t, picturetest.Gemma)
	half, penalty, one, seed, off := 0.5, 1.1, 1, int64(7), false
	request := client.Request{
		Messages: []client.Message{user("What is it?")}, MaxTokens: 8, Temperature: &half, TopP: &half, TopK: &one, MinP: &half,
		RepeatPenalty: &penalty, Seed: &seed, Thinking: &off,
	}
	first, err := e.Chat(t.Context(), request, nil)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := e.Chat(t.Context(), request, nil); err != nil || again.Text != first.Text {
		t.Errorf("with the same seed it says %q (%v), first it said %q", again.Text, err, first.Text)
	}
}
