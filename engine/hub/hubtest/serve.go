package hubtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// serve is the hub itself.
func (h *Hub) serve(w http.ResponseWriter, r *http.Request) {
	f := h.take(r, false)
	if f.fail(w, f.Status) {
		return
	}
	path := strings.TrimPrefix(r.URL.Path, "/")
	if rest, ok := strings.CutPrefix(path, "api/models"); ok {
		switch rest = strings.TrimPrefix(rest, "/"); {
		case f.Body != "":
			w.Header().Set("Content-Type", f.ContentType)
			_, _ = io.WriteString(w, f.Body)
		case f.Endless:
			endless(w)
		case rest == "":
			h.search(w, r, f)
		default:
			h.about(w, r, rest, f)
		}
		return
	}
	id, file, ok := strings.Cut(path, "/resolve/")
	if !ok {
		http.NotFound(w, r)
		return
	}
	h.resolve(w, r, id, file, f)
}

// endless writes a list until nobody reads it any more.
func endless(w io.Writer) {
	_, err := io.WriteString(w, "[")
	for line := []byte(strings.Repeat("{},", 10000)); err == nil; {
		_, err = w.Write(line)
	}
}

// search finds repositories. As the hub does, it tells only what it is asked to.
func (h *Hub) search(w http.ResponseWriter, r *http.Request, f Faults) {
	q := r.URL.Query()
	h.mu.Lock()
	repos := slices.Clone(h.repos)
	h.mu.Unlock()
	found := repos[:0]
	for _, repo := range repos {
		gguf := slices.ContainsFunc(repo.Files, func(f File) bool { return strings.HasSuffix(strings.ToLower(f.Path), ".gguf") })
		if strings.Contains(strings.ToLower(repo.ID), strings.ToLower(q.Get("search"))) && (gguf || q.Get("filter") != "gguf") {
			found = append(found, repo)
		}
	}
	if q.Get("sort") == "downloads" && q.Get("direction") == "-1" {
		slices.SortStableFunc(found, func(a, b Repo) int { return b.Downloads - a.Downloads })
	}
	var list []any
	for _, repo := range found {
		gated := any(false)
		if repo.Gated {
			gated = "auto"
		}
		tags := []string{"gguf", "region:us"}
		if repo.Licence != "" {
			tags = append(tags, "license:"+repo.Licence)
		}
		entry := map[string]any{"_id": "0", "id": repo.ID}
		for key, value := range map[string]any{
			"downloads": repo.Downloads, "likes": repo.Likes, "gated": gated, "tags": tags,
			"lastModified": repo.Updated.UTC().Format("2006-01-02T15:04:05.000Z"),
		} {
			if slices.Contains(q["expand[]"], key) {
				entry[key] = value
			}
		}
		list = append(list, entry)
	}
	h.page(w, r, list, f)
}

// page sends a part of a list, and where the next part is.
func (h *Hub) page(w http.ResponseWriter, r *http.Request, list []any, f Faults) {
	q := r.URL.Query()
	size, _ := strconv.Atoi(q.Get("limit"))
	if size <= 0 {
		size = 1000
	}
	if f.PageSize > 0 {
		size = f.PageSize
	}
	from, _ := strconv.Atoi(q.Get("cursor"))
	from = min(max(from, 0), len(list))
	to := min(from+size, len(list))
	if to < len(list) {
		q.Set("cursor", strconv.Itoa(to))
		host := h.api.URL
		if f.ForeignNext {
			host = h.files.URL
		}
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next"`, host, r.URL.Path, q.Encode()))
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(append([]any{}, list[from:to]...))
}

// about tells of one repository: its commit, or its files.
func (h *Hub) about(w http.ResponseWriter, r *http.Request, rest string, f Faults) {
	id, tree, isTree := strings.Cut(rest, "/tree/")
	repo, ok := h.open(w, r, id)
	if !ok {
		return
	}
	if !isTree {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_ = json.NewEncoder(w).Encode(map[string]any{"_id": "0", "id": repo.ID, "sha": Commit})
		return
	}
	if tree != Commit && tree != "main" {
		refuse(w, http.StatusNotFound, "RevisionNotFound", "Invalid rev id: "+tree)
		return
	}
	list := []any{map[string]any{"type": "directory", "path": "a folder", "oid": Commit, "size": 0}}
	for _, file := range repo.Files {
		list = append(list, file.entry())
	}
	h.page(w, r, list, f)
}

// open looks a repository up. To who has no token the hub says of one that isn't
// there what it says of one that is private.
func (h *Hub) open(w http.ResponseWriter, r *http.Request, id string) (Repo, bool) {
	repo, ok := h.repo(id)
	sent := r.Header.Get("Authorization")
	// The list of a gated repository is for everybody; its files are not.
	isFile := strings.Contains(r.URL.Path, "/resolve/")
	switch {
	case !ok && sent == "":
		refuse(w, http.StatusUnauthorized, "RepoNotFound", "Invalid username or password.")
	case !ok:
		refuse(w, http.StatusNotFound, "RepoNotFound", "Repository not found")
	case repo.Gated && isFile && sent == "":
		refuse(w, http.StatusUnauthorized, "GatedRepo", "Access to model "+id+" is restricted. You must have access to it and be authenticated to access it. Please log in.")
		ok = false
	case repo.Gated && isFile && sent != "Bearer "+h.Token:
		refuse(w, http.StatusForbidden, "GatedRepo", "Access to model "+id+" is restricted and you are not in the authorized list. Visit its page to ask for access.")
		ok = false
	}
	return repo, ok
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("X-Error-Code", code)
	w.Header().Set("X-Error-Message", message)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": message})
}

// resolve leads to a file: large ones are at another host.
func (h *Hub) resolve(w http.ResponseWriter, r *http.Request, id, path string, f Faults) {
	repo, ok := h.open(w, r, id)
	if !ok {
		return
	}
	revision, path, _ := strings.Cut(path, "/")
	at := slices.IndexFunc(repo.Files, func(f File) bool { return f.Path == path })
	if at < 0 || revision != Commit && revision != "main" {
		refuse(w, http.StatusNotFound, "EntryNotFound", "Entry not found")
		return
	}
	file := repo.Files[at]
	w.Header().Set("X-Repo-Commit", Commit)
	if file.Small {
		send(w, r, file.Content, f)
		return
	}
	if f.Redirects {
		http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		return
	}
	sha := SHA256(file.Content)
	w.Header().Set("X-Linked-Etag", strconv.Quote(sha))
	w.Header().Set("X-Linked-Size", strconv.Itoa(len(file.Content)))
	query := url.Values{"Signature": {"secret"}, "Expires": {"1"}}
	http.Redirect(w, r, h.files.URL+"/blobs/"+sha+"?"+query.Encode(), http.StatusFound)
}

// serveBlob is the host that has the files.
func (h *Hub) serveBlob(w http.ResponseWriter, r *http.Request) {
	f := h.take(r, true)
	if f.fail(w, f.FilesStatus) {
		return
	}
	content, ok := h.blob(strings.TrimPrefix(r.URL.Path, "/blobs/"))
	if !ok || r.URL.Query().Get("Signature") != "secret" {
		http.NotFound(w, r)
		return
	}
	send(w, r, content, f)
}

// send sends a file, or the piece of it that is asked for.
func send(w http.ResponseWriter, r *http.Request, content []byte, f Faults) {
	w.Header().Set("ETag", strconv.Quote(SHA256(content)))
	w.Header().Set("Content-Type", "application/octet-stream")
	if f.ContentType != "" {
		w.Header().Set("Content-Type", f.ContentType)
	}
	if f.Stall {
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return
	}
	out := &spoiler{ResponseWriter: w, faults: f, cut: -1}
	if len(f.CutAfter) > 0 {
		out.cut = f.CutAfter[0]
	}
	ranged := r.Header.Get("Range") != ""
	switch {
	case f.WrongRanges && ranged:
		w.Header().Set("Content-Range", fmt.Sprintf("bytes 1-%d/%d", len(content)-1, len(content)))
		w.WriteHeader(http.StatusPartialContent)
		_, _ = out.Write(content[1:])
	case f.NoRanges || f.NoLength || f.LongerBy > 0:
		content = append(slices.Clone(content), make([]byte, f.LongerBy)...)
		if !f.NoLength {
			w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		}
		w.WriteHeader(http.StatusOK)
		_, _ = out.Write(content)
	default:
		http.ServeContent(out, r, "", time.Time{}, bytes.NewReader(content))
	}
}
