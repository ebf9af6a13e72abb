// Package hubtest is a server on this machine that behaves like the Hugging Face
// hub, and where it is told to, like one with faults.
package hubtest

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

// A Repo is a repository of the hub.
type Repo struct {
	ID        string
	Downloads int
	Likes     int
	Updated   time.Time
	Licence   string
	Gated     bool // for those with the hub's Token only
	Files     []File
}

// A File is one of a repository.
type File struct {
	Path        string
	Content     []byte
	Small       bool   // kept in Git itself: there is no SHA-256 of it, and no redirect
	ClaimsBytes uint64 // the size the list has when it isn't that of Content, 0 when it is
	ClaimsHash  string // likewise, of the content
}

// SHA256 is what a content is checked with.
func SHA256(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// A Request is one that came, at the hub or at the host that has its files.
type Request struct {
	AtFiles bool
	Path    string
	Query   string
	Header  http.Header
}

// Commit is the only one that repositories have.
const Commit = "0123456789abcdef0123456789abcdef01234567"

// A Hub is a running server. Its methods are safe from any goroutine.
type Hub struct {
	Token string // that opens gated repositories

	api, files *httptest.Server

	mu       sync.Mutex
	repos    []Repo
	faults   Faults
	requests []Request
}

// Start starts a hub that has repositories. Close ends it.
func Start(repos ...Repo) *Hub {
	h := &Hub{Token: "hf_of_a_test", repos: repos}
	h.api = httptest.NewServer(http.HandlerFunc(h.serve))
	h.files = httptest.NewServer(http.HandlerFunc(h.serveBlob))
	return h
}

// URL is the hub's address.
func (h *Hub) URL() string { return h.api.URL }

// Close ends the hub, and every connection to it.
func (h *Hub) Close() {
	for _, s := range []*httptest.Server{h.api, h.files} {
		s.CloseClientConnections()
		s.Close()
	}
}

// Break gives the hub other faults, none with a zero value.
func (h *Hub) Break(f Faults) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults = f
}

// SetRepos gives the hub other repositories.
func (h *Hub) SetRepos(repos ...Repo) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.repos = repos
}

// Requests are those that came.
func (h *Hub) Requests() []Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Request(nil), h.requests...)
}

// take notes a request and says which faults its answer has.
func (h *Hub) take(r *http.Request, atFiles bool) Faults {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.requests = append(h.requests, Request{atFiles, r.URL.Path, r.URL.RawQuery, r.Header.Clone()})
	f := h.faults
	if f.once(atFiles) {
		h.faults.Status, h.faults.FilesStatus = 0, 0
	}
	if atFiles && len(f.CutAfter) > 0 {
		h.faults.CutAfter = f.CutAfter[1:]
	}
	return f
}

func (h *Hub) repo(id string) (Repo, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.repos {
		if r.ID == id {
			return r, true
		}
	}
	return Repo{}, false
}

// blob is a content by its SHA-256.
func (h *Hub) blob(sha string) ([]byte, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.repos {
		for _, f := range r.Files {
			if SHA256(f.Content) == sha {
				return f.Content, true
			}
		}
	}
	return nil, false
}

// entry is a file as a list has it.
func (f File) entry() map[string]any {
	size := f.ClaimsBytes
	if size == 0 {
		size = uint64(len(f.Content))
	}
	git := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(f.Content)), f.Content...))
	e := map[string]any{"type": "file", "path": f.Path, "size": size, "oid": hex.EncodeToString(git[:])}
	if f.Small {
		if f.ClaimsHash != "" {
			e["oid"] = f.ClaimsHash
		}
		return e
	}
	sha := f.ClaimsHash
	if sha == "" {
		sha = SHA256(f.Content)
	}
	e["lfs"] = map[string]any{"oid": sha, "size": size, "pointerSize": 135}
	return e
}
