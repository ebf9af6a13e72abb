package hub

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A Repo is a repository with GGUF files.
type Repo struct {
	ID        string // OWNER/NAME
	Downloads int    // in the last month
	Likes     int
	Updated   time.Time
	Gated     bool   // its files are for those only who accepted its terms
	Licence   string // as the hub abbreviates it, empty when it has none
}

// A Page is a part of what a search found.
type Page struct {
	Repos []Repo
	Next  string // cursor of the next page, empty on the last
}

// pageSize is how many repositories a page has.
const pageSize = 50

// Search finds repositories with GGUF files by words of their names, those most
// downloaded first. cursor is empty for the first page, then that of the page
// before. An error is an *Error, or that of ctx; the address of a data set or a
// space is one, and nothing is asked.
func (c *Client) Search(ctx context.Context, query, cursor string) (Page, error) {
	if cursor == "" {
		if err := c.noModels(query); err != nil {
			return Page{}, err
		}
		cursor = url.Values{
			"search":    {query},
			"filter":    {"gguf"},
			"sort":      {"downloads"},
			"direction": {"-1"},
			"limit":     {strconv.Itoa(pageSize)},
			"expand[]":  {"downloads", "likes", "lastModified", "gated", "tags"},
		}.Encode()
	}
	var list []json.RawMessage
	next, err := c.list(ctx, "", c.address(cursor, "api", "models"), &list)
	if err != nil {
		return Page{}, err
	}
	page := Page{Next: next}
	for _, entry := range list {
		var found struct {
			ID           string    `json:"id"`
			Downloads    int       `json:"downloads"`
			Likes        int       `json:"likes"`
			LastModified time.Time `json:"lastModified"`
			Gated        any       `json:"gated"` // false, or "auto" or "manual"
			Tags         []string  `json:"tags"`
		}
		// An entry of another shape, or with a name that can't be asked for, is
		// none: the others are still worth showing.
		if json.Unmarshal(entry, &found) != nil || !isRepo(found.ID) {
			continue
		}
		repo := Repo{ID: found.ID, Downloads: found.Downloads, Likes: found.Likes, Updated: found.LastModified}
		repo.Gated = found.Gated != nil && found.Gated != false
		for _, tag := range found.Tags {
			if licence, ok := strings.CutPrefix(tag, "license:"); ok {
				repo.Licence = licence
			}
		}
		page.Repos = append(page.Repos, repo)
	}
	return page, nil
}

// RepoOf is the repository an address of the hub's pages is about, as people copy
// it from their browser, with https:// or without. The hub's pages are those of
// huggingface.co, hf.co and endpoint, the address or host of the hub in use. ok is
// false for what is to be searched for as words.
func RepoOf(address, endpoint string) (id string, ok bool) {
	parts := partsOf(address, endpoint)
	if len(parts) < 2 || isShelf[parts[0]] {
		return "", false
	}
	id = parts[0] + "/" + parts[1]
	return id, isRepo(id)
}

// isShelf are the pages below which the hub keeps what is not a model.
var isShelf = map[string]bool{DataSets: true, Spaces: true}

// What an error of the kind NotModels is about.
const (
	DataSets = "datasets"
	Spaces   = "spaces"
)

// noModels is the error for the address of a data set or a space, nil for all
// else.
func (c *Client) noModels(address string) error {
	parts := partsOf(address, c.Endpoint)
	if len(parts) < 2 || !isShelf[parts[0]] {
		return nil
	}
	return &Error{Kind: NotModels, Host: c.Host(), Repo: strings.Join(parts[1:min(3, len(parts))], "/"), Detail: parts[0]}
}

// partsOf are the parts of the path of an address of the hub's pages, none when it
// is no such address.
func partsOf(address, endpoint string) []string {
	full := strings.TrimSpace(address)
	if !strings.Contains(full, "://") {
		full = "https://" + full
	}
	u, err := url.Parse(full)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return nil
	}
	for _, hub := range []string{endpoint, Address, "https://hf.co"} {
		own, err := parseAddress(hub)
		if err != nil {
			continue
		}
		at, err := url.Parse(own)
		if err != nil || !strings.EqualFold(at.Host, u.Host) {
			continue
		}
		if path, ok := strings.CutPrefix(u.Path, at.Path+"/"); ok {
			return strings.Split(strings.Trim(path, "/"), "/")
		}
	}
	return nil
}
