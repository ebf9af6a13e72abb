package hub

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paddock/engine/hub/hubtest"
)

func TestTheEndpointIsTheMirrorOrHFEndpointOrTheHub(t *testing.T) {
	for name, test := range map[string]struct{ mirror, environment, want, host string }{
		"nothing is set":           {"", "", "https://huggingface.co", "huggingface.co"},
		"the environment has one":  {"", "https://hub.example/", "https://hub.example", "hub.example"},
		"the settings come first":  {"http://127.0.0.1:8080", "https://hub.example", "http://127.0.0.1:8080", "127.0.0.1:8080"},
		"the scheme is left out":   {"mirror.example", "", "https://mirror.example", "mirror.example"},
		"a path stays":             {" https://example.org/hub/ ", "", "https://example.org/hub", "example.org"},
		"what is secret is hidden": {"https://user:password@mirror.example", "", "https://user:password@mirror.example", "mirror.example"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HF_ENDPOINT", test.environment)
			c, err := New(test.mirror)
			if err != nil || c.Endpoint != test.want || c.Host() != test.host {
				t.Errorf("got %+v, %v", c, err)
			}
		})
	}
	for _, mirror := range []string{"ftp://example.org", "https://", "https://example.org?a=b", "http://[::1", "a b://c"} {
		_, err := New(mirror)
		if e := wantKind(t, err, BadAddress); e.Host != mirror {
			t.Errorf("%s: %+v", mirror, e)
		}
	}
}

func TestTheTokenIsFoundWhereTheHubsOwnProgramsKeepIt(t *testing.T) {
	write := func(t *testing.T, path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		set  func(t *testing.T, dir string)
		want string
	}{
		"nowhere":              {func(*testing.T, string) {}, ""},
		"in HF_TOKEN":          {func(t *testing.T, _ string) { t.Setenv("HF_TOKEN", " hf_1\n") }, "hf_1"},
		"in its older name":    {func(t *testing.T, _ string) { t.Setenv("HUGGING_FACE_HUB_TOKEN", "hf_0") }, "hf_0"},
		"in the user's cache":  {func(t *testing.T, dir string) { write(t, dir+"/.cache/huggingface/token", "hf_2\n") }, "hf_2"},
		"no line can sneak in": {func(t *testing.T, dir string) { write(t, dir+"/.cache/huggingface/token", "hf_2\nX-Evil: 1") }, ""},
		"the variable is first": {func(t *testing.T, dir string) {
			write(t, dir+"/.cache/huggingface/token", "a")
			t.Setenv("HF_TOKEN", "b")
		}, "b"},
		"in XDG_CACHE_HOME": {func(t *testing.T, dir string) {
			t.Setenv("XDG_CACHE_HOME", dir+"/c")
			write(t, dir+"/c/huggingface/token", "hf_3")
		}, "hf_3"},
		"in HF_HOME":       {func(t *testing.T, dir string) { t.Setenv("HF_HOME", dir+"/h"); write(t, dir+"/h/token", "hf_4") }, "hf_4"},
		"in HF_TOKEN_PATH": {func(t *testing.T, dir string) { t.Setenv("HF_TOKEN_PATH", dir+"/t"); write(t, dir+"/t", "hf_5") }, "hf_5"},
		"in HF_HOME below ~": {func(t *testing.T, dir string) {
			t.Setenv("HF_HOME", "~/h")
			write(t, dir+"/h/token", "hf_6")
		}, "hf_6"},
		"in HF_TOKEN_PATH with a variable": {func(t *testing.T, dir string) {
			t.Setenv("PADDOCK_TEST", dir)
			t.Setenv("HF_TOKEN_PATH", "${PADDOCK_TEST}/t")
			write(t, dir+"/t", "hf_7")
		}, "hf_7"},
		"a huge file is no token": {func(t *testing.T, dir string) {
			t.Setenv("HF_TOKEN_PATH", dir+"/t")
			write(t, dir+"/t", strings.Repeat("a", 2<<20))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, variable := range []string{"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH", "HF_HOME", "XDG_CACHE_HOME"} {
				t.Setenv(variable, "")
			}
			t.Setenv("HOME", dir)
			t.Setenv("USERPROFILE", dir)
			test.set(t, dir)
			if c, err := New(""); err != nil || c.Token != test.want {
				t.Errorf("the token is %q, %v", c.Token, err)
			}
		})
	}
}

func TestAMirrorOfPaddocksSettingsGetsNoToken(t *testing.T) {
	for name, test := range map[string]struct {
		mirror, environment string
		token               bool
	}{
		"the hub":                             {"", "", true},
		"the hub by its address":              {"huggingface.co", "", true},
		"the host of HF_ENDPOINT":             {"", "https://hub.example", true},
		"that host in the settings":           {"https://hub.example/hf", "hub.example", true},
		"a mirror":                            {"https://mirror.example", "", false},
		"a mirror beside another":             {"https://mirror.example", "https://hub.example", false},
		"a mirror with a name like the hub's": {"https://huggingface.co.example", "", false},
		"a mirror without encryption":         {"http://huggingface.co", "", false},
		"a mirror beside nonsense":            {"https://mirror.example", "a b://c", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HF_TOKEN", "hf_x")
			t.Setenv("HF_ENDPOINT", test.environment)
			c, err := New(test.mirror)
			if err != nil || (c.Token == "hf_x") != test.token || c.Mirror == test.token || !test.token && c.Token != "" {
				t.Errorf("got %+v, %v", c, err)
			}
		})
	}
	h := hubtest.Start(hubtest.Repo{ID: repoID, Gated: true, Files: []hubtest.File{{Path: "a.gguf", Content: small}}})
	defer h.Close()
	t.Setenv("HF_TOKEN", h.Token)
	c, err := New(h.URL())
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Download(t.Context(), wantOf(t, c, "a.gguf"), t.TempDir(), func(Progress) {})
	if e := wantKind(t, err, NeedsToken); !e.Mirror {
		t.Errorf("it is %+v", e)
	}
	for _, r := range h.Requests() {
		if sent := r.Header.Get("Authorization"); sent != "" {
			t.Errorf("the mirror got %q", sent)
		}
	}
}

// A token is for the endpoint, and for nobody who could read along.
func TestWhoGetsTheToken(t *testing.T) {
	for name, test := range map[string]struct {
		endpoint, to string
		want         bool
	}{
		"the hub":                    {Address, Address + "/api/models", true},
		"a host below the hub's":     {Address, "https://cdn-lfs.huggingface.co/x", false},
		"another host":               {Address, "https://example.org/", false},
		"the hub without encryption": {"http://huggingface.co", "http://huggingface.co/", false},
		"a redirect to plain HTTP":   {Address, "http://huggingface.co/", false},
		"another port":               {Address, Address + ":8443/", false},
		"this machine":               {"http://127.0.0.1:8080", "http://127.0.0.1:8080/api", true},
		"this machine by name":       {"http://localhost:8080", "http://localhost:8080/api", true},
	} {
		t.Run(name, func(t *testing.T) {
			to, err := url.Parse(test.to)
			if err != nil {
				t.Fatal(err)
			}
			sent := ""
			rt := withToken{roundTrip(func(r *http.Request) { sent = r.Header.Get("Authorization") }), test.endpoint, "hf_x"}
			request := &http.Request{URL: to, Header: http.Header{}}
			if _, err := rt.RoundTrip(request); err != nil {
				t.Fatal(err)
			}
			if (sent == "Bearer hf_x") != test.want || !test.want && sent != "" {
				t.Errorf("sent %q", sent)
			}
			if len(request.Header) != 0 {
				t.Error("the caller's request was changed")
			}
		})
	}
}

type roundTrip func(*http.Request)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	f(r)
	return &http.Response{StatusCode: http.StatusOK}, nil
}

func TestTheTokenGoesToTheHubAndNotToTheHostThatHasTheFiles(t *testing.T) {
	h, c := testHub(t, hubtest.Repo{ID: repoID, Gated: true, Files: []hubtest.File{{Path: "a.gguf", Content: small}}})
	c.Token = h.Token
	result, err := c.Download(t.Context(), wantOf(t, c, "a.gguf"), t.TempDir(), func(Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	wantFile(t, result.Paths[0], small)
	files := 0
	for _, r := range h.Requests() {
		sent := r.Header.Get("Authorization")
		if r.AtFiles {
			files++
			if sent != "" || r.Header.Get("Cookie") != "" {
				t.Errorf("the host with the files got %q", sent)
			}
		} else if sent != "Bearer "+h.Token {
			t.Errorf("the hub got %q", sent)
		}
	}
	if files != 1 {
		t.Errorf("%d requests for the file", files)
	}
}

func TestNoErrorShowsTheTokenOrASignedAddress(t *testing.T) {
	h, c := testHub(t)
	c.Token = "hf_secret"
	want := wantOf(t, c, "Tiny-IQ2_XS.gguf")
	for name, faults := range map[string]hubtest.Faults{
		"refused":        {Status: http.StatusForbidden},
		"refused files":  {FilesStatus: http.StatusNotFound},
		"a cut answer":   {CutAfter: []int{0, 0, 0, 0, 0, 0, 0}},
		"endless circle": {Redirects: true},
	} {
		h.Break(faults)
		_, err := c.Download(t.Context(), want, t.TempDir(), func(Progress) {})
		if err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "Signature") {
			t.Errorf("%s: %v", name, err)
		}
	}
	h.Close()
	if _, err := c.Download(t.Context(), want, t.TempDir(), func(Progress) {}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("nobody there: %v", err)
	}
}

func TestHowLongTheHubWantsToBeLeftAlone(t *testing.T) {
	now := time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		header, own string
		want        time.Duration
	}{
		"it doesn't say":     {"", "", 0},
		"in seconds":         {"120", "", 2 * time.Minute},
		"at a time":          {"Sat, 01 Aug 2026 12:00:30 GMT", "", 30 * time.Second},
		"at a time gone by":  {"Sat, 01 Aug 2026 11:00:00 GMT", "", 0},
		"in its own header":  {"", `"api";r=0;t=55`, 55 * time.Second},
		"both":               {"7", `"api";r=0;t=55`, 7 * time.Second},
		"nonsense":           {"soon", `"api";r=0;t=x`, 0},
		"less than no time":  {"-5", "", 0},
		"more than there is": {"99999999999999999999", "", 0},
	} {
		h := http.Header{}
		h.Set("Retry-After", test.header)
		h.Set("RateLimit", test.own)
		if got := retryAfter(h, now); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
