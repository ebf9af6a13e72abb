package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"paddock/engine/hub/hubtest"
)

func TestASearchFindsWhatIsDownloadedMostFirst(t *testing.T) {
	at := time.Date(2026, 7, 1, 10, 0, 0, 0, time.UTC)
	gguf := []hubtest.File{{Path: "a.gguf", Content: small}}
	h, c := testHub(t,
		hubtest.Repo{ID: "a/Qwen-GGUF", Downloads: 5, Likes: 2, Updated: at, Licence: "apache-2.0", Files: gguf},
		hubtest.Repo{ID: "b/qwen-more", Downloads: 900, Gated: true, Files: gguf},
		hubtest.Repo{ID: "c/qwen-safetensors", Files: []hubtest.File{{Path: "model.safetensors"}}},
		hubtest.Repo{ID: "d/other", Files: gguf},
		hubtest.Repo{ID: "../qwen", Files: gguf},
	)
	page, err := c.Search(t.Context(), "qwen & more?", "")
	if err != nil || len(page.Repos) != 0 {
		t.Errorf("signs in the words: %+v, %v", page, err)
	}
	page, err = c.Search(t.Context(), "qwen", "")
	if err != nil {
		t.Fatal(err)
	}
	want := []Repo{
		{ID: "b/qwen-more", Downloads: 900, Gated: true, Updated: time.Time{}},
		{ID: "a/Qwen-GGUF", Downloads: 5, Likes: 2, Updated: at, Licence: "apache-2.0"},
	}
	if !slices.Equal(page.Repos, want) || page.Next != "" {
		t.Errorf("got %+v", page)
	}
	if first := h.Requests()[0]; !strings.Contains(first.Query, "search=qwen+%26+more%3F") {
		t.Errorf("the words went out as %s", first.Query)
	}
}

func TestPagesAreFollowedAtTheEndpointOnly(t *testing.T) {
	var repos []hubtest.Repo
	for i := range 7 {
		repos = append(repos, hubtest.Repo{ID: fmt.Sprintf("o/r%d", i), Downloads: 100 - i, Files: []hubtest.File{{Path: "a.gguf", Content: small}}})
	}
	h, c := testHub(t, repos...)
	for _, foreign := range []bool{false, true} {
		h.Break(hubtest.Faults{PageSize: 3, ForeignNext: foreign})
		var ids []string
		for cursor, pages := "", 0; ; pages++ {
			page, err := c.Search(t.Context(), "", cursor)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range page.Repos {
				ids = append(ids, r.ID)
			}
			if cursor = page.Next; cursor == "" {
				break
			}
			if pages > 3 {
				t.Fatal("the pages have no end")
			}
		}
		if strings.Join(ids, " ") != "o/r0 o/r1 o/r2 o/r3 o/r4 o/r5 o/r6" {
			t.Errorf("got %v", ids)
		}
	}
	for _, r := range h.Requests() {
		if r.AtFiles {
			t.Error("a next page was asked for at another host")
		}
	}
}

func TestFilesAreGroupedAsTheLibraryDoes(t *testing.T) {
	sha := hubtest.SHA256
	h, c := testHub(t, hubtest.Repo{ID: repoID, Files: []hubtest.File{
		{Path: "README.md", Content: []byte("# Tiny"), Small: true},
		{Path: "Tiny-Q8_0.gguf", Content: content(900)},
		{Path: "Tiny-UD-Q4_K_XL.gguf", Content: content(400)},
		{Path: "BF16/Tiny-BF16-00002-of-00002.gguf", Content: content(2002)},
		{Path: "BF16/Tiny-BF16-00001-of-00002.gguf", Content: content(2001)},
		{Path: "Tiny-F32-00001-of-00003.gguf", Content: content(3001)},
		{Path: "mmproj-Tiny-F16.gguf", Content: content(100)},
		{Path: "imatrix.gguf", Content: content(50)},
		{Path: "small.gguf", Content: content(30), Small: true},
		{Path: "../escape.gguf", Content: content(31)},
		{Path: "nul.gguf", Content: content(32)},
		{Path: "empty.gguf"},
	}})
	h.Break(hubtest.Faults{PageSize: 2})
	listing, err := c.Files(t.Context(), repoID)
	if err != nil {
		t.Fatal(err)
	}
	if listing.Commit != hubtest.Commit || listing.Unsafe != 2 || listing.Repo != repoID {
		t.Errorf("got %+v", listing)
	}
	var got []string
	for _, i := range listing.Items {
		got = append(got, fmt.Sprintf("%s %s %q %d files %d bytes %d missing", i.Kind, i.Name, i.Quantisation, len(i.Files), i.SizeBytes, i.Missing))
	}
	want := []string{
		`model small.gguf "" 1 files 30 bytes 0 missing`,
		`model Tiny-UD-Q4_K_XL.gguf "UD-Q4_K_XL" 1 files 400 bytes 0 missing`,
		`model Tiny-Q8_0.gguf "Q8_0" 1 files 900 bytes 0 missing`,
		`model Tiny-F32.gguf "F32" 1 files 3001 bytes 2 missing`,
		`model BF16/Tiny-BF16.gguf "BF16" 2 files 4003 bytes 0 missing`,
		`projector mmproj-Tiny-F16.gguf "F16" 1 files 100 bytes 0 missing`,
		`imatrix imatrix.gguf "" 1 files 50 bytes 0 missing`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	set := listing.Items[4].Files
	if set[0].SHA256 != sha(content(2001)) || set[1].SHA256 != sha(content(2002)) {
		t.Errorf("the set is %+v", set)
	}
	if f := listing.Items[0].Files[0]; f.SHA256 != "" || len(f.GitSHA1) != 40 {
		t.Errorf("the small file is %+v", f)
	}
}

func TestLabelsOfQuantisation(t *testing.T) {
	for name, want := range map[string]string{
		"Qwen3-8B-Q4_K_M.gguf":               "Q4_K_M",
		"llama-2-7b.Q5_0.gguf":               "Q5_0",
		"model-iq3_xxs.gguf":                 "IQ3_XXS",
		"gpt-oss-20b-MXFP4_MOE.gguf":         "MXFP4_MOE",
		"gemma-BF16-Q6_K.gguf":               "Q6_K",
		"ggml-model-f16.gguf":                "F16",
		"BitNet-TQ2_0.gguf":                  "TQ2_0",
		"Qwen3-Q8-heads.gguf":                "Q8",
		"Llama-3.3-70B-Instruct.gguf":        "",
		"Unsloth-UD-IQ1_S.gguf":              "UD-IQ1_S",
		"aquila-q.gguf":                      "",
		"gemma-3-4b-it-q4_0_s-fp32-mix.gguf": "FP32",
	} {
		if got := quantisationOf(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestTheHubsRefusalsHaveTheirKinds(t *testing.T) {
	for name, test := range map[string]struct {
		faults hubtest.Faults
		token  string
		repo   string
		want   Kind
		check  func(*Error) bool
	}{
		"no such repository": {repo: "no/body", want: NotFound},
		"none for who has a token either": {repo: "no/body", token: "x", want: NotFound,
			check: func(e *Error) bool { return e.Repo == "no/body" && e.Detail == "Repository not found" }},
		"it wants to know who asks": {faults: hubtest.Faults{Status: 401}, want: NeedsToken},
		"nothing for strangers":     {faults: hubtest.Faults{Status: 403}, want: NeedsToken},
		"not for this account":      {faults: hubtest.Faults{Status: 403}, token: "x", want: Forbidden},
		"gone":                      {faults: hubtest.Faults{Status: 410}, want: NotFound},
		"too many requests": {faults: hubtest.Faults{Status: 429, RetryAfter: "90"}, want: TooMany,
			check: func(e *Error) bool { return e.RetryAfter == 90*time.Second }},
		"too many, in its own words": {faults: hubtest.Faults{Status: 429, RateLimit: `"api";r=0;t=42`}, want: TooMany,
			check: func(e *Error) bool { return e.RetryAfter == 42*time.Second }},
		"the hub is ill": {faults: hubtest.Faults{Status: 503, Message: "maintenance"}, want: Server,
			check: func(e *Error) bool { return e.Status == 503 && e.Detail == "maintenance" }},
		"it does not like the question": {faults: hubtest.Faults{Status: 400}, want: BadAnswer},
		"a web page":                    {faults: hubtest.Faults{Body: "<!DOCTYPE html><title>Sign in</title>", ContentType: "text/html; charset=utf-8"}, want: BadAnswer},
		"garbage":                       {faults: hubtest.Faults{Body: "]]]", ContentType: "application/json"}, want: BadAnswer},
		"nothing":                       {faults: hubtest.Faults{Body: "\n", ContentType: "application/json"}, want: BadAnswer},
		"a list without an end":         {faults: hubtest.Faults{Endless: true}, want: BadAnswer},
		"a name of somewhere else":      {repo: "../../etc", want: BadName},
	} {
		t.Run(name, func(t *testing.T) {
			h, c := testHub(t)
			h.Break(test.faults)
			c.Token = test.token
			repo := test.repo
			if repo == "" {
				repo = repoID
			}
			_, err := c.Files(t.Context(), repo)
			e := wantKind(t, err, test.want)
			if test.check != nil && !test.check(e) {
				t.Errorf("it is %+v", e)
			}
			if repo == repoID {
				_, err = c.Search(t.Context(), "tiny", "")
				wantKind(t, err, test.want)
			}
		})
	}
}

func TestAnEntryOfAnotherShapeSpoilsNoList(t *testing.T) {
	h, c := testHub(t)
	h.Break(hubtest.Faults{ContentType: "application/json", Body: `[1, null, {"id": 7}, {"id": "a/b", "gated": "manual", "downloads": 3}, {"id": "a/b/c"}]`})
	page, err := c.Search(t.Context(), "", "")
	if err != nil || len(page.Repos) != 1 || page.Repos[0].ID != "a/b" || !page.Repos[0].Gated {
		t.Errorf("got %+v, %v", page, err)
	}
}

func TestWithoutANetworkTheHubIsOffline(t *testing.T) {
	c := &Client{Endpoint: nobodyThere(t)}
	_, err := c.Search(t.Context(), "qwen", "")
	if e := wantKind(t, err, Offline); e.Host != c.Host() || e.Err == nil || e.Err.Error() != "connection refused" || strings.Contains(e.Error(), "search=") {
		t.Errorf("it is %v", e)
	}
}

func TestAQuestionCanBeGivenUp(t *testing.T) {
	_, c := testHub(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Search(ctx, "qwen", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestAHubThatSendsInCirclesIsNotFollowed(t *testing.T) {
	h, c := testHub(t)
	want := wantOf(t, c, "Tiny-IQ2_XS.gguf")
	h.Break(hubtest.Faults{Redirects: true})
	_, err := c.Download(t.Context(), want, t.TempDir(), func(Progress) {})
	wantKind(t, err, BadAnswer)
	down := &http.Request{URL: mustParse(t, "http://example.org")}
	via := []*http.Request{{URL: mustParse(t, "https://example.org")}}
	if err := c.http().CheckRedirect(down, via); !errors.Is(err, errRedirect) {
		t.Errorf("a redirect to plain HTTP: %v", err)
	}
}

func TestRepositoriesByTheirAddress(t *testing.T) {
	for address, want := range map[string]string{
		"https://huggingface.co/Qwen/Qwen3-8B-GGUF":             "Qwen/Qwen3-8B-GGUF",
		"huggingface.co/Qwen/Qwen3-8B-GGUF":                     "Qwen/Qwen3-8B-GGUF",
		"HF.co/Qwen/Qwen3-8B-GGUF/":                             "Qwen/Qwen3-8B-GGUF",
		"https://mirror.example/hub/Qwen/Qwen3-8B-GGUF":         "Qwen/Qwen3-8B-GGUF",
		"mirror.example/hub/Qwen/Qwen3-8B-GGUF":                 "Qwen/Qwen3-8B-GGUF",
		"https://mirror.example/Qwen/Qwen3-8B-GGUF":             "",
		"https://github.com/ggml-org/llama.cpp":                 "",
		"github.com/ggml-org/llama.cpp":                         "",
		"https://huggingface.co.example/a/b":                    "",
		"https://huggingface.co/datasets/a/b":                   "",
		"hf.co/spaces/a/b":                                      "",
		" https://hf.co/Qwen/Qwen3-8B-GGUF/tree/main?a=b#files": "Qwen/Qwen3-8B-GGUF",
		"https://huggingface.co/Qwen":                           "",
		"Qwen/Qwen3-8B-GGUF":                                    "",
		"qwen 8b":                                               "",
		"https://huggingface.co/../..":                          "",
		"file:///etc/passwd":                                    "",
	} {
		if id, ok := RepoOf(address, "https://mirror.example/hub"); id != want && ok || ok != (want != "") {
			t.Errorf("%s: %q, %v", address, id, ok)
		}
	}
}

func TestTheAddressOfADataSetIsToldAndNothingIsAsked(t *testing.T) {
	h, c := testHub(t)
	for address, want := range map[string]Error{
		"https://huggingface.co/datasets/ana/words/tree/main": {Detail: DataSets, Repo: "ana/words"},
		"hf.co/spaces/ana/demo":                               {Detail: Spaces, Repo: "ana/demo"},
		h.URL() + "/datasets/words":                           {Detail: DataSets, Repo: "words"},
	} {
		_, err := c.Search(t.Context(), address, "")
		if e := wantKind(t, err, NotModels); e.Detail != want.Detail || e.Repo != want.Repo || e.Host != c.Host() {
			t.Errorf("%s: %+v", address, e)
		}
	}
	if asked := h.Requests(); len(asked) != 0 {
		t.Errorf("%d requests", len(asked))
	}
	if _, err := c.Search(t.Context(), "https://example.org/datasets/ana/words", ""); err != nil {
		t.Errorf("another host's address is words: %v", err)
	}
}
