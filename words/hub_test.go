package words

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"paddock/engine/hub"
)

func TestEveryKindOfHubErrorHasItsOwnSentence(t *testing.T) {
	seen := map[string]string{}
	for name, value := range kinds(t, "engine/hub", "Kind") {
		kind := hub.Kind(value)
		bare := Error(&hub.Error{Kind: kind, Host: "huggingface.co", File: "/data/a/b.gguf"})
		wantSentence(t, name, bare)
		if other, taken := seen[bare.Message]; taken {
			t.Errorf("%s and %s share a sentence: %q", name, other, bare.Message)
		}
		seen[bare.Message] = name
		wantSentence(t, name, Error(&hub.Error{Kind: kind, Host: "huggingface.co"}))
		wantSentence(t, name, Error(&hub.Error{Kind: kind, Host: "huggingface.co", Repo: "a/b"}))
		full := Error(&hub.Error{
			Kind: kind, Host: "huggingface.co", Repo: "a/b", File: "b.gguf", Status: 503, Detail: "its own words.",
			RetryAfter: time.Hour, NeededBytes: 40 << 30, FreeBytes: 12 << 30, PID: 4711,
			Err: &fs.PathError{Op: "open", Path: "/models/b.gguf", Err: errors.New("read-only file system")},
		})
		wantSentence(t, name, full)
		if other, taken := seen[full.Message]; taken && other != name {
			t.Errorf("%s and %s share a sentence: %q", name, other, full.Message)
		}
		seen[full.Message] = name
	}
}

func TestWhatAHubErrorSays(t *testing.T) {
	for name, test := range map[string]struct {
		err   hub.Error
		wants []string
	}{
		"offline": {hub.Error{Kind: hub.Offline, Host: "huggingface.co", Err: &net.OpError{Op: "dial", Err: &net.DNSError{Err: "server misbehaving", Name: "h", Server: "10.0.0.1:53"}}},
			[]string{"huggingface.co can't be reached (no address found for it).", "Everything but downloads works without it."}},
		"refused":        {hub.Error{Kind: hub.Offline, Host: "h", Err: syscall.ECONNREFUSED}, []string{"h can't be reached (the connection was refused)."}},
		"no answer":      {hub.Error{Kind: hub.Offline, Host: "h", Err: context.DeadlineExceeded}, []string{"h can't be reached (no answer)."}},
		"another reason": {hub.Error{Kind: hub.Offline, Host: "h", Err: syscall.ENETUNREACH}, []string{"h can't be reached (network is unreachable)."}},
		"no room": {hub.Error{Kind: hub.NoSpace, File: "/m", NeededBytes: 40 << 30, FreeBytes: 1 << 20},
			[]string{"too little room in /m: 40.0 GiB are needed and less than 0.1 GiB are free."}},
		"a disk that filled up": {hub.Error{Kind: hub.NoSpace, File: "/m/a.gguf"}, []string{"The disk is full: a.gguf"}},
		"this window":           {hub.Error{Kind: hub.Busy, File: "/m/a.gguf", PID: os.Getpid()}, []string{"in this window already"}},
		"another":               {hub.Error{Kind: hub.Busy, File: "/m/a.gguf", PID: 1}, []string{"(process 1)"}},
		"wait a moment":         {hub.Error{Kind: hub.TooMany, Host: "h", RetryAfter: 50 * time.Second}, []string{"in 50 s."}},
		"wait for long":         {hub.Error{Kind: hub.TooMany, Host: "h", RetryAfter: 61 * time.Minute}, []string{"in 61 min."}},
		"wait":                  {hub.Error{Kind: hub.TooMany, Host: "h"}, []string{"in a few minutes."}},
		"a page to sign in":     {hub.Error{Kind: hub.BadAnswer, Host: "h", Detail: hub.WebPage}, []string{"but a web page", "sign in"}},
		"an account":            {hub.Error{Kind: hub.NeedsToken, Host: "h"}, []string{"hf auth login"}},
		"an account at a mirror": {hub.Error{Kind: hub.NeedsToken, Host: "h", Mirror: true},
			[]string{"sends your Hugging Face token to no mirror", "HF_ENDPOINT"}},
		"a data set":     {hub.Error{Kind: hub.NotModels, Host: "h", Repo: "a/b", Detail: hub.DataSets}, []string{"a/b is a data set at h, not a model."}},
		"a space":        {hub.Error{Kind: hub.NotModels, Host: "h", Repo: "a/b", Detail: hub.Spaces}, []string{"a/b is a space at h, not a model."}},
		"a hostile name": {hub.Error{Kind: hub.BadName, Repo: "a/b", File: "a\x1b[2J\u202e.gguf"}, []string{`a\x1b[2J\u202e.gguf`}},
	} {
		s := Error(&test.err)
		for _, want := range test.wants {
			if !strings.Contains(s.Message+" "+s.Remedy, want) {
				t.Errorf("%s: %+v does not say %q", name, s, want)
			}
		}
	}
}
