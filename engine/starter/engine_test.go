package starter

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paddock/engine/build/buildtest"
	"paddock/engine/client"
)

// questions are what the Guide has to know, and words its answer can't be right
// without.
var questions = []struct{ ask, says string }{
	{"What is GTT?", "system memory"},
	{"what is a gguf", "one file"},
	{"what is quantisation", "fewer bits"},
	{"how do i load a model", "Set up and load"},
	{"what is mtp", "multi-token prediction"},
	{"why is tensor split greyed", "two or more GPUs"},
	{"hello", "Guide"},
	{"who won the world cup in 1998", "only know about running models"},
}

// run starts the real engine on the Guide, as the speculation options want it.
func run(t *testing.T, guide string, speculation ...string) *client.Client {
	t.Helper()
	e := buildtest.Serve(t, append([]string{"-m", guide, "-c", "1024", "-np", "1", "-t", "1", "-fit", "off", "-dev", "none"}, speculation...)...)
	c := client.New(e.Socket, "")
	t.Cleanup(func() { c.Close(time.Second) })
	return c
}

func ask(t *testing.T, c *client.Client, question string) client.Answer {
	t.Helper()
	answer, err := c.Chat(t.Context(), client.Request{
		Messages: []client.Message{{Role: "user", Text: question}}, MaxTokens: 200, Temperature: new(float64),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestTheGuideAnswersTheSameWithAndWithoutSpeculation(t *testing.T) {
	guide, err := Install(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plain := run(t, guide, "--spec-type", "none")
	answers := map[string]string{}
	for _, q := range questions {
		answer := ask(t, plain, q.ask)
		if !strings.Contains(answer.Text, q.says) || answer.Stop != client.StopEnd {
			t.Errorf("%q is answered %q (%s)", q.ask, answer.Text, answer.Stop)
		}
		answers[q.ask] = answer.Text
	}
	for name, speculation := range map[string][]string{
		"its own MTP layer": {"--spec-type", "draft-mtp"},
		"its draft":         {"--spec-type", "draft-simple", "-md", filepath.Join(filepath.Dir(guide), DraftFile)},
	} {
		t.Run(name, func(t *testing.T) {
			c := run(t, guide, speculation...)
			drafted, accepted := 0, 0
			for _, q := range questions {
				answer := ask(t, c, q.ask)
				if answer.Text != answers[q.ask] {
					t.Errorf("%q is answered %q, without speculation %q", q.ask, answer.Text, answers[q.ask])
				}
				drafted += answer.DraftedTokens
				accepted += answer.AcceptedTokens
			}
			if accepted == 0 {
				t.Errorf("none of %d drafted tokens was accepted", drafted)
			}
			t.Logf("%d of %d drafted tokens accepted", accepted, drafted)
		})
	}
}
