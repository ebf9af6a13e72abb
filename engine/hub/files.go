package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"
)

// A File is one of a repository, as the hub's list has it.
type File struct {
	Path      string `json:"path"` // in the repository, with slashes
	SizeBytes uint64 `json:"sizeBytes"`
	SHA256    string `json:"sha256,omitempty"` // of its content; small files have none
	GitSHA1   string `json:"gitSha1,omitempty"`
}

// An ItemKind is what a name says an item is. Only the file itself knows.
type ItemKind string

// The kinds of item.
const (
	Model     ItemKind = "model"
	Projector ItemKind = "projector"
	Imatrix   ItemKind = "imatrix" // a help for those who quantise
)

// An Item is what is downloaded as one: a file, or all parts of a split set.
type Item struct {
	Name         string // of the file, or the set without the parts' numbers; with its folder
	Kind         ItemKind
	Quantisation string // a label from the name
	Files        []File // in order
	Missing      int    // parts of the set that the repository doesn't have
	SizeBytes    uint64 // of Files
}

// A Listing is what a repository has to download.
type Listing struct {
	Repo   string
	Commit string // the files are of this one
	Items  []Item // models by size, then projectors, then the rest
	Unsafe int    // GGUF files left out because their names can't be stored
}

const (
	pagesMax = 100 // of a repository's list, which has up to 1,000 files on each
	sizeMax  = 1 << 50
)

// Files lists the GGUF files of a repository. An error is an *Error, or that of
// ctx.
func (c *Client) Files(ctx context.Context, repo string) (Listing, error) {
	if !isRepo(repo) {
		return Listing{}, &Error{Kind: BadName, Repo: repo}
	}
	listing := Listing{Repo: repo}
	// The commit first, so that list and files are of one, whatever is pushed
	// meanwhile.
	var about struct {
		SHA string `json:"sha"`
	}
	if _, err := c.list(ctx, repo, c.address(url.Values{"expand[]": {"sha"}}.Encode(), "api", "models", repo), &about); err != nil {
		return Listing{}, err
	}
	listing.Commit = about.SHA
	if !isHex(about.SHA, 40) {
		listing.Commit = "main"
	}
	var files []File
	query := "recursive=true"
	for range pagesMax {
		var page []json.RawMessage
		next, err := c.list(ctx, repo, c.address(query, "api", "models", repo, "tree", listing.Commit), &page)
		if err != nil {
			return Listing{}, err
		}
		for _, entry := range page {
			file, ok := fileOf(entry)
			switch {
			case !ok:
			case !isSafePath(file.Path):
				listing.Unsafe++
			default:
				files = append(files, file)
			}
		}
		if next == "" || next == query {
			break
		}
		query = next
	}
	listing.Items = group(files)
	return listing, nil
}

// fileOf reads an entry of a list; ok is false for what is no GGUF file.
func fileOf(entry json.RawMessage) (file File, ok bool) {
	var found struct {
		Type string `json:"type"`
		Path string `json:"path"`
		OID  string `json:"oid"` // of Git
		Size uint64 `json:"size"`
		LFS  *struct {
			OID  string `json:"oid"` // SHA-256 of the content
			Size uint64 `json:"size"`
		} `json:"lfs"`
	}
	if json.Unmarshal(entry, &found) != nil || found.Type != "file" || !strings.EqualFold(path.Ext(found.Path), ".gguf") {
		return File{}, false
	}
	file = File{Path: found.Path, SizeBytes: found.Size}
	if found.LFS != nil {
		file.SizeBytes = found.LFS.Size
		if sha := strings.ToLower(strings.TrimPrefix(found.LFS.OID, "sha256:")); isHex(sha, 64) {
			file.SHA256 = sha
		}
	} else if isHex(found.OID, 40) {
		file.GitSHA1 = found.OID
	}
	return file, file.SizeBytes > 0 && file.SizeBytes < sizeMax
}

func isHex(text string, length int) bool {
	return len(text) == length && strings.Trim(text, "0123456789abcdef") == ""
}

// group makes items of files: the parts of a set are one.
func group(files []File) []Item {
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	var items []Item
	sets := map[part]int{} // where the set is in items
	for _, file := range files {
		p, split := partOf(file.Path)
		if !split {
			items = append(items, itemOf(file.Path, file))
			continue
		}
		set := part{prefix: p.prefix, count: p.count}
		at, known := sets[set]
		if !known {
			at = len(items)
			sets[set] = at
			item := itemOf(p.prefix+".gguf", file)
			item.Files, item.SizeBytes, item.Missing = nil, 0, p.count
			items = append(items, item)
		}
		item := &items[at]
		item.Files = append(item.Files, file)
		item.SizeBytes += file.SizeBytes
		item.Missing--
	}
	order := map[ItemKind]int{Model: 0, Projector: 1, Imatrix: 2}
	slices.SortStableFunc(items, func(a, b Item) int {
		return cmp.Or(order[a.Kind]-order[b.Kind], cmp.Compare(a.SizeBytes, b.SizeBytes))
	})
	return items
}

func itemOf(name string, file File) Item {
	return Item{
		Name: name, Kind: KindOf(name), Quantisation: quantisationOf(path.Base(name)),
		Files: []File{file}, SizeBytes: file.SizeBytes,
	}
}

// KindOf is what a file's name says it is.
func KindOf(name string) ItemKind {
	switch base := strings.ToLower(path.Base(name)); {
	case strings.Contains(base, "mmproj"):
		return Projector
	case strings.Contains(base, "imatrix") && quantisationOf(base) == "":
		return Imatrix
	}
	return Model
}

// Want is an item of a listing as something to download.
func (l Listing) Want(i Item) Want {
	return Want{Repo: l.Repo, Commit: l.Commit, Files: i.Files}
}
