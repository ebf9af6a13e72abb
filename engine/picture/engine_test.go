package picture_test

import (
	"image"
	"testing"
	"time"

	"paddock/engine/client"
	"paddock/engine/picture"
	"paddock/engine/picture/picturetest"
)

// look asks the real engine about a picture, and fails when it gives no answer or
// does not survive it. It returns the tokens of the question.
func look(t *testing.T, e *picturetest.Engine, p client.Picture) int {
	t.Helper()
	answer, err := e.Chat(t.Context(), client.Request{
		Messages:  []client.Message{{Role: "user", Text: "What is it?", Pictures: []client.Picture{p}}},
		MaxTokens: 4, Temperature: new(float64),
	}, nil)
	if err != nil || answer.AnswerTokens == 0 {
		t.Fatalf("%+v, %v\n%s", answer, err, e.Log())
	}
	return answer.PromptTokens
}

// models are one of each way encoders treat a picture's size.
var models = []picturetest.Model{picturetest.Gemma, picturetest.LLaVA, picturetest.Qwen}

func TestTheEngineTakesEveryPreparedPicture(t *testing.T) {
	sizes := []image.Point{
		{picture.MinSide, picture.MinSide}, // the smallest
		{picture.MinSide, 3000}, {3000, picture.MinSide},
		{picture.PaddedSide - 1, picture.PaddedSide}, {picture.PaddedSide + 1, 97},
	}
	others := map[string][]byte{
		"WebP": picturetest.File(t, "lossy.webp"), "HEIC": picturetest.File(t, "turned.heic"),
		"four inks": picturetest.File(t, "ycck.jpg"), "animation": picturetest.Animation(t),
	}
	for _, m := range models {
		e := picturetest.Start(t, m)
		for _, size := range sizes {
			p, _ := prepared(t, picturetest.Encode(t, "png", picturetest.Photo(size.X, size.Y)), picture.Options{})
			look(t, e, client.Picture{MIME: p.MIME, Bytes: p.Bytes})
		}
		for _, data := range others {
			p, _ := prepared(t, data, picture.Options{})
			look(t, e, client.Picture{MIME: p.MIME, Bytes: p.Bytes})
		}
		if e.Ended(100 * time.Millisecond) {
			t.Errorf("%s did not survive:\n%s", m.Name, e.Log())
		}
	}
}

// What MinSide and PaddedSide guard against is not in this engine: it scales up
// what is smaller than its patches, with every encoder that can be generated.
func TestThisEngineSurvivesASideOfAPixel(t *testing.T) {
	for _, m := range models {
		e := picturetest.Start(t, m)
		for _, size := range []image.Point{{1, 1}, {1, 1000}, {1000, 1}, {2, 3}} {
			raw := picturetest.Encode(t, "png", picturetest.Photo(size.X, size.Y))
			look(t, e, client.Picture{MIME: "image/png", Bytes: raw})
		}
		if e.Ended(100 * time.Millisecond) {
			t.Errorf("%s did not survive:\n%s", m.Name, e.Log())
		}
	}
}

// Why foreign bytes never reach the engine.
func TestThisEngineDoesNotReadWebPItself(t *testing.T) {
	e := picturetest.Start(t, picturetest.Gemma)
	for name, data := range map[string][]byte{"image/webp": picturetest.File(t, "lossy.webp"), "image/heic": picturetest.File(t, "quadrants.heic")} {
		_, err := e.Chat(t.Context(), client.Request{
			Messages:  []client.Message{{Role: "user", Text: "What is it?", Pictures: []client.Picture{{MIME: name, Bytes: data}}}},
			MaxTokens: 4,
		}, nil)
		if err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

func TestThePixelsOfAPictureAreWhatCostsTokens(t *testing.T) {
	e := picturetest.Start(t, picturetest.Qwen)
	tokens := map[int]int{}
	photo := picturetest.Encode(t, "jpeg", picturetest.Photo(2000, 1500))
	for _, side := range []int{256, 512, 1024} {
		p, _ := prepared(t, photo, picture.Options{MaxSide: side})
		tokens[side] = look(t, e, client.Picture{MIME: p.MIME, Bytes: p.Bytes})
	}
	if !(tokens[256] < tokens[512] && tokens[512] < tokens[1024]) {
		t.Errorf("tokens by side: %v", tokens)
	}
}
