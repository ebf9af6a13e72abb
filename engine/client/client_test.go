package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

const testKey = "0123"

// engine is a client of a scripted engine behind a unix socket. It answers
// /props and hands every chat request to chat.
func engine(t testing.TB, chat http.HandlerFunc) *Client {
	t.Helper()
	// Not t.TempDir(): its path, with the test's name in it, is too long for a socket.
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s.sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/props", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"default_generation_settings":{"n_ctx":2048},"model_path":"/m.gguf","total_slots":1,"media_marker":"<__media_x__>","chat_template":"T","modalities":{"vision":true},"build_info":"b1"}`)
	})
	mux.HandleFunc("/v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		// As the engine does, and before that Go's server does not see a client go.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		chat(w, r)
	})
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: mux}}
	server.Start()
	c := New(socket, testKey)
	t.Cleanup(func() {
		c.Close(time.Second)
		server.Close()
	})
	return c
}

// events is a handler that streams them and ends.
func events(lines ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, line := range lines {
			fmt.Fprintf(w, "data: %s\n\n", line)
			w.(http.Flusher).Flush()
		}
	}
}

func text(s string) string {
	content, _ := json.Marshal(s)
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":%s},"finish_reason":null}]}`, content)
}

const (
	role     = `{"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}]}`
	finished = `{"choices":[{"finish_reason":"stop","index":0,"delta":{}}]}`
	measured = `{"choices":[],"usage":{"completion_tokens":3,"prompt_tokens":25,"total_tokens":28},"timings":{"predicted_n":3,"predicted_per_second":86.5,"draft_n":8,"draft_n_accepted":5}}`
	done     = `[DONE]`
)

func request(text string) Request {
	return Request{Messages: []Message{{Role: "user", Text: text}}}
}

func TestAnAnswerIsPutTogetherFromItsStream(t *testing.T) {
	reasoning := `{"choices":[{"index":0,"delta":{"reasoning_content":"hm"},"finish_reason":null}]}`
	c := engine(t, events(role, reasoning, text("Hel"), text("lo"), finished, measured, done))
	var deltas []Delta
	answer, err := c.Chat(t.Context(), request("hi"), func(d Delta) { deltas = append(deltas, d) })
	if err != nil {
		t.Fatal(err)
	}
	if answer.FirstToken <= 0 {
		t.Errorf("first token after %v", answer.FirstToken)
	}
	answer.FirstToken = 0
	want := Answer{
		Text: "Hello", Reasoning: "hm", PromptTokens: 25, AnswerTokens: 3, TokensPerSecond: 86.5,
		DraftedTokens: 8, AcceptedTokens: 5, Stop: StopEnd,
	}
	if answer != want {
		t.Errorf("answer %+v, want %+v", answer, want)
	}
	if !slices.Equal(deltas, []Delta{{Reasoning: "hm"}, {Text: "Hel"}, {Text: "lo"}}) {
		t.Errorf("deltas %q", deltas)
	}
}

func TestARequestSaysWhatWasAsked(t *testing.T) {
	var body map[string]any
	var key string
	c := engine(t, func(w http.ResponseWriter, r *http.Request) {
		key = r.Header.Get("Authorization")
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		events(finished, done)(w, r)
	})
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "secret", "OPENAI_BASE_URL": "http://127.0.0.1:1", "OPENAI_ORG_ID": "us", "HTTP_PROXY": "http://127.0.0.1:1",
	} {
		t.Setenv(name, value)
	}
	temperature, seed := 0.0, int64(7)
	r := request("hi")
	r.MaxTokens, r.Temperature, r.Seed, r.IgnoreEnd = 5, &temperature, &seed, true
	if _, err := c.Chat(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	if key != "Bearer "+testKey {
		t.Errorf("key %q", key)
	}
	for name, want := range map[string]any{
		"stream": true, "max_tokens": 5.0, "temperature": 0.0, "seed": 7.0, "ignore_eos": true,
	} {
		if body[name] != want {
			t.Errorf("%s is %v, want %v", name, body[name], want)
		}
	}
	if _, err := c.Chat(t.Context(), request("hi"), nil); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsNotAskedIsLeftToTheEngine(t *testing.T) {
	var body map[string]any
	c := engine(t, func(w http.ResponseWriter, r *http.Request) {
		json.NewDecoder(r.Body).Decode(&body)
		events(finished, done)(w, r)
	})
	if _, err := c.Chat(t.Context(), request("hi"), nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"max_tokens", "temperature", "seed", "ignore_eos"} {
		if value, ok := body[name]; ok {
			t.Errorf("%s is %v, want it left out", name, value)
		}
	}
}

func TestMessagesAreMergedAndTheMediaMarkerMasked(t *testing.T) {
	const marker = "<__media_x__>"
	seen := func(role, text string, pictures ...string) Message {
		m := Message{Role: role, Text: text}
		for _, p := range pictures {
			m.Pictures = append(m.Pictures, Picture{MIME: "image/png", Bytes: []byte(p)})
		}
		return m
	}
	tests := []struct {
		name     string
		messages []Message
		want     []Message
	}{
		{"as they are", []Message{{Role: "system", Text: "s"}, {Role: "user", Text: "u"}, {Role: "assistant", Text: "a"}, {Role: "user", Text: "v"}}, []Message{{Role: "system", Text: "s"}, {Role: "user", Text: "u"}, {Role: "assistant", Text: "a"}, {Role: "user", Text: "v"}}},
		{"neighbours of one role", []Message{{Role: "user", Text: "u"}, {Role: "user", Text: "v"}, {Role: "assistant", Text: "a"}, {Role: "assistant", Text: "b"}}, []Message{{Role: "user", Text: "u\n\nv"}, {Role: "assistant", Text: "a\n\nb"}}},
		{"an empty answer between", []Message{{Role: "user", Text: "u"}, {Role: "assistant", Text: ""}, {Role: "user", Text: "v"}}, []Message{{Role: "user", Text: "u\n\nv"}}},
		{"the marker, everywhere", []Message{{Role: "system", Text: marker}, {Role: "user", Text: "a " + marker + marker}}, []Message{{Role: "system", Text: "< __media_x__>"}, {Role: "user", Text: "a < __media_x__>< __media_x__>"}}},
		{"a marker made by another's masking", []Message{{Role: "user", Text: "<" + marker}}, []Message{{Role: "user", Text: "<< __media_x__>"}}},
		{"a picture alone", []Message{seen("user", "", "1")}, []Message{seen("user", "", "1")}},
		{"neighbours with pictures", []Message{seen("user", "u", "1"), seen("user", "", "2"), seen("user", "v", "3")}, []Message{seen("user", "u\n\nv", "1", "2", "3")}},
		{"a picture before a text", []Message{seen("user", "", "1"), seen("user", "u")}, []Message{seen("user", "u", "1")}},
		{"a text before a picture", []Message{seen("user", "u"), seen("user", "", "1")}, []Message{seen("user", "u", "1")}},
		{"pictures where none can be", []Message{seen("system", "s", "1"), seen("assistant", "", "2")}, []Message{seen("system", "s")}},
		{"the marker beside a picture", []Message{seen("user", marker, "1")}, []Message{seen("user", "< __media_x__>", "1")}},
		{"none", nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := slices.Clone(test.messages)
			if got := turns(test.messages, marker); !reflect.DeepEqual(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
			if !reflect.DeepEqual(before, test.messages) {
				t.Error("the caller's messages were changed")
			}
		})
	}
	var sent string
	c := engine(t, func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Messages []struct{ Content string } }
		json.NewDecoder(r.Body).Decode(&body)
		sent = body.Messages[0].Content
		events(finished, done)(w, r)
	})
	if _, err := c.Chat(t.Context(), request("see "+marker), nil); err != nil || sent != "see < __media_x__>" {
		t.Errorf("sent %q, %v", sent, err)
	}
}

func TestPicturesAreSentBeforeTheText(t *testing.T) {
	var got json.RawMessage
	c := engine(t, func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Messages []struct{ Content json.RawMessage }
		}
		json.NewDecoder(r.Body).Decode(&body)
		got = body.Messages[0].Content
		events(finished, done)(w, r)
	})
	r := request("see <__media_x__>")
	r.Messages[0].Pictures = []Picture{{MIME: "image/png", Bytes: []byte("one")}, {MIME: "image/jpeg", Bytes: []byte("two")}}
	for text, want := range map[string]string{
		"see <__media_x__>": `,{"text":"see < __media_x__>","type":"text"}]`,
		"":                  `]`,
	} {
		r.Messages[0].Text = text
		if _, err := c.Chat(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
		var parts any
		json.Unmarshal(got, &parts)
		sorted, _ := json.Marshal(parts)
		sorted = bytes.ReplaceAll(bytes.ReplaceAll(sorted, []byte(`\u003c`), []byte("<")), []byte(`\u003e`), []byte(">"))
		want = `[{"image_url":{"url":"data:image/png;base64,b25l"},"type":"image_url"},{"image_url":{"url":"data:image/jpeg;base64,dHdv"},"type":"image_url"}` + want
		if string(sorted) != want {
			t.Errorf("sent %s, want %s", sorted, want)
		}
	}
}

func TestTextComesWholeHoweverTheStreamIsCut(t *testing.T) {
	const words = "Grüße, 世界 🦙"
	stream := "data: " + text(words) + "\n\ndata: " + finished + "\n\ndata: [DONE]\n\n"
	c := engine(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range len(stream) {
			w.Write([]byte(stream[i : i+1]))
			w.(http.Flusher).Flush()
		}
	})
	answer, err := c.Chat(t.Context(), request("hi"), nil)
	if err != nil || answer.Text != words {
		t.Errorf("%q, %v", answer.Text, err)
	}
}

func TestAHugeEventComesThrough(t *testing.T) {
	words := strings.Repeat("word ", 1<<19)
	c := engine(t, events(text(words), finished, done))
	answer, err := c.Chat(t.Context(), request("hi"), nil)
	if err != nil || answer.Text != words {
		t.Errorf("%d bytes, %v", len(answer.Text), err)
	}
}

func TestABrokenStreamKeepsWhatCame(t *testing.T) {
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			fmt.Fprint(w, body)
		}
	}
	tests := []struct {
		name string
		chat http.HandlerFunc
		text string
		want Error
	}{
		{"it just ends", events(text("Hel")), "Hel", Error{Kind: Broken}},
		{"it ends in the middle of an event", func(w http.ResponseWriter, r *http.Request) {
			events(text("Hel"))(w, r)
			fmt.Fprint(w, `data: {"choices":[{"del`)
		}, "Hel", Error{Kind: Broken}},
		{"the connection breaks", func(w http.ResponseWriter, r *http.Request) {
			events(text("Hel"))(w, r)
			panic(http.ErrAbortHandler)
		}, "Hel", Error{Kind: Broken}},
		{"an error inside the stream", events(text("Hel"), `{"error":{"code":500,"message":"failed to decode","type":"server_error"}}`), "Hel",
			Error{Kind: EngineFailed, Status: 500, Message: "failed to decode"}},
		{"an error inside the stream that is a string", events(text("Hel"), `{"error":"no luck"}`), "Hel", Error{Kind: EngineFailed, Message: `"no luck"`}},
		{"an event that is no JSON", events(text("Hel"), `{"choices":`), "Hel", Error{Kind: Unintelligible}},
		{"it is still loading", status(503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`), "", Error{Kind: StillLoading, Status: 503, Message: "Loading model"}},
		{"the conversation is too long", status(400, `{"error":{"code":400,"message":"request (5024 tokens) exceeds","type":"exceed_context_size_error","n_prompt_tokens":5024,"n_ctx":2048}}`), "",
			Error{Kind: ContextExceeded, Status: 400, Message: "request (5024 tokens) exceeds", PromptTokens: 5024, ContextTokens: 2048}},
		{"the request is refused", status(400, `{"error":{"code":400,"message":"no","type":"invalid_request_error"}}`), "", Error{Kind: BadRequest, Status: 400, Message: "no"}},
		{"it can't do this", status(501, `{"error":{"code":501,"message":"no embeddings","type":"not_supported_error"}}`), "", Error{Kind: NotSupported, Status: 501, Message: "no embeddings"}},
		{"the key is wrong", status(401, `{"error":{"code":401,"message":"Invalid API Key","type":"authentication_error"}}`), "", Error{Kind: Unauthorized, Status: 401, Message: "Invalid API Key"}},
		{"it fails", status(500, `{"error":{"code":500,"message":"oops","type":"server_error"}}`), "", Error{Kind: EngineFailed, Status: 500, Message: "oops"}},
		{"an error that is no JSON", status(500, "<html>"), "", Error{Kind: EngineFailed, Status: 500}},
		{"an error without a body", status(503, ""), "", Error{Kind: StillLoading, Status: 503}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			calls := 0
			c := engine(t, func(w http.ResponseWriter, r *http.Request) {
				calls++
				test.chat(w, r)
			})
			answer, err := c.Chat(t.Context(), request("hi"), nil)
			var failed *Error
			if !errors.As(err, &failed) {
				t.Fatalf("error %T %v", err, err)
			}
			got := *failed
			got.Err = nil
			if got != test.want {
				t.Errorf("error %+v, want %+v", *failed, test.want)
			}
			if answer.Text != test.text || answer.Stop != StopBroken {
				t.Errorf("answer %+v", answer)
			}
			if calls != 1 {
				t.Errorf("asked %d times, want once", calls)
			}
			if failed.Error() == "" {
				t.Error("an error without words")
			}
		})
	}
}

func TestAnEngineThatIsNotThereIsUnreachable(t *testing.T) {
	c := New(filepath.Join(t.TempDir(), "s.sock"), testKey)
	answer, err := c.Chat(t.Context(), request("hi"), nil)
	var failed *Error
	if !errors.As(err, &failed) || failed.Kind != Unreachable || answer.Stop != StopBroken {
		t.Errorf("answer %+v, %v", answer, err)
	}
	if err := c.Health(t.Context()); !errors.As(err, &failed) || failed.Kind != Unreachable {
		t.Errorf("health: %v", err)
	}
}

// endless streams until its client goes, and says on gone when it has seen that.
func endless(gone chan<- struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		events(role, text("one"), text("two"))(w, r)
		<-r.Context().Done()
		close(gone)
	}
}

func TestACancelledAnswerReturnsAtOnceWithWhatCame(t *testing.T) {
	tests := map[string]func(c *Client, cancel func()){
		"by its context":    func(_ *Client, cancel func()) { cancel() },
		"by closing all":    func(c *Client, _ func()) { c.Close(time.Second) },
		"by closing at all": func(c *Client, _ func()) { c.Close(0) },
	}
	for name, end := range tests {
		t.Run(name, func(t *testing.T) {
			gone := make(chan struct{})
			c := engine(t, endless(gone))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			came := make(chan struct{})
			var at time.Time
			go func() {
				<-came
				at = time.Now()
				end(c, cancel)
			}()
			pieces := 0
			answer, err := c.Chat(ctx, request("hi"), func(Delta) {
				if pieces++; pieces == 2 {
					close(came)
				}
			})
			if took := time.Since(at); took > 100*time.Millisecond {
				t.Errorf("it took %v", took)
			}
			if err != nil || answer.Text != "onetwo" || answer.Stop != StopCancelled || answer.AnswerTokens != 2 || answer.TokensPerSecond <= 0 {
				t.Errorf("answer %+v, %v", answer, err)
			}
			select {
			case <-gone:
			case <-time.After(5 * time.Second):
				t.Error("the engine was not told")
			}
		})
	}
}

func TestACancelBeforeTheFirstTokenIsNoError(t *testing.T) {
	c := engine(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if answer, err := c.Chat(ctx, request("hi"), nil); err != nil || answer.Stop != StopCancelled {
		t.Errorf("answer %+v, %v", answer, err)
	}
}

func TestQuestionsToAnEngine(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer "+testKey:
			w.WriteHeader(401)
			fmt.Fprint(w, `{"error":{"code":401,"message":"Invalid API Key"}}`)
		case r.URL.Path == "/slots":
			fmt.Fprint(w, `[{"id":0,"n_ctx":2048,"speculative":true,"is_processing":false}]`)
		case r.URL.Path == "/health":
			w.WriteHeader(503)
			fmt.Fprint(w, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`)
		case r.URL.Path == "/props":
			fmt.Fprint(w, `not JSON`)
		}
	}))
	defer server.Close()
	c := New(server.URL, testKey) // over loopback
	slots, err := c.Slots(t.Context())
	if err != nil || !slices.Equal(slots, []Slot{{ID: 0, ContextTokens: 2048, Speculative: true}}) {
		t.Errorf("slots %+v, %v", slots, err)
	}
	kind := func(err error) ErrorKind {
		var failed *Error
		errors.As(err, &failed)
		return failed.Kind
	}
	if err := c.Health(t.Context()); kind(err) != StillLoading {
		t.Errorf("health: %v", err)
	}
	if _, err := c.Props(t.Context()); kind(err) != Unintelligible {
		t.Errorf("props: %v", err)
	}
	if _, err := New(server.URL, "wrong").Slots(t.Context()); kind(err) != Unauthorized {
		t.Errorf("slots with a wrong key: %v", err)
	}

	props, err := engine(t, events()).Props(t.Context())
	want := Props{ModelPath: "/m.gguf", ContextTokens: 2048, Slots: 1, ChatTemplate: "T", MediaMarker: "<__media_x__>", Vision: true, BuildInfo: "b1"}
	if err != nil || props != want {
		t.Errorf("props %+v, %v; want %+v", props, err, want)
	}
}

func TestAnswersLeaveNoGoroutineBehind(t *testing.T) {
	c := engine(t, events(text("Hello"), finished, done))
	ask := func() {
		if _, err := c.Chat(t.Context(), request("hi"), nil); err != nil {
			t.Fatal(err)
		}
	}
	ask()
	before := runtime.NumGoroutine()
	for range 20 {
		ask()
	}
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before+3; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

// BenchmarkStream is what the client costs for each token, without an engine.
func BenchmarkStream(b *testing.B) {
	line := []byte("data: " + text("word ") + "\n\n")
	c := engine(b, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range b.N {
			w.Write(line)
		}
		events(finished, done)(w, r)
	})
	b.ReportAllocs()
	if _, err := c.Chat(b.Context(), request("hi"), func(Delta) {}); err != nil {
		b.Fatal(err)
	}
}
