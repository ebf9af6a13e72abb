package images

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"paddock/engine/picture"
)

// A Format is what the results are exported as, in one file.
type Format string

// The formats.
const (
	CSV       Format = "csv"
	JSONLines Format = "jsonl"
	Markdown  Format = "md"
)

// ExportOptions are what an export can be told.
type ExportOptions struct {
	Format     Format
	Title      string             // of Markdown
	Reason     func(error) string // the sentence of what went wrong with a picture
	Thumbnails *Thumbnails        // for Markdown, as files in a folder beside it; nil for none
}

// A Row is a line of JSON Lines.
type Row struct {
	Path  string `json:"path"` // of a pasted picture its name
	Text  string `json:"text"`
	Error string `json:"error"` // empty for none
	Ms    int64  `json:"ms"`
	// Prompt is what Text answers, or answered before the user edited it; empty for none.
	Prompt string `json:"prompt"`
	// Notes are what was done to the picture, and Repeated.
	Notes []picture.Note `json:"notes,omitempty"`
}

// RowOf is the line of a picture.
func RowOf(i *Item, reason func(error) string) Row {
	r := Row{Path: i.Path, Text: i.Text, Ms: i.Took.Milliseconds(), Prompt: i.Prompt, Notes: i.Notes}
	if i.Pasted {
		r.Path = i.Name
	}
	if i.Err != nil {
		r.Error = reason(i.Err)
	}
	return r
}

// Export writes the pictures that have a text or failed to a file, whole or not
// at all. Whether an existing one may go is asked before. The error is a *Error,
// or ctx's.
func (s *Set) Export(ctx context.Context, path string, o ExportOptions) error {
	var items []*Item
	for _, item := range s.State().Items {
		if item.Text != "" || item.Err != nil {
			items = append(items, item)
		}
	}
	var text []byte
	var err error
	switch o.Format {
	case CSV:
		text = exportCSV(items, o)
	case JSONLines:
		text = exportLines(items, o)
	default:
		text, err = exportMarkdown(ctx, path, items, o)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	return overwriteFile(path, text)
}

func exportLines(items []*Item, o ExportOptions) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	for _, item := range items {
		if err := encoder.Encode(RowOf(item, o.Reason)); err != nil {
			panic("a row is no JSON: " + err.Error())
		}
	}
	return b.Bytes()
}

func exportCSV(items []*Item, o ExportOptions) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b) // which can't fail on a buffer
	w.Write([]string{"path", "text", "edited", "error", "ms", "prompt"})
	for _, item := range items {
		r := RowOf(item, o.Reason)
		path := string([]rune(r.Path)) // of a name that is no UTF-8 what JSON has of it too
		w.Write([]string{path, r.Text, strconv.FormatBool(item.edited), r.Error, strconv.FormatInt(r.Ms, 10), r.Prompt})
	}
	w.Flush()
	return b.Bytes()
}

// PicturesFolder is the folder beside a Markdown file that its small pictures are in.
func PicturesFolder(path string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + "-pictures"
}

// exportSide is the size of thumbnails in Markdown, in pixels.
const exportSide = 256

func exportMarkdown(ctx context.Context, path string, items []*Item, o ExportOptions) ([]byte, error) {
	folder := PicturesFolder(path)
	if o.Thumbnails != nil {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return nil, writeError(folder, err)
		}
	}
	var b bytes.Buffer
	if o.Title != "" {
		fmt.Fprintf(&b, "# %s\n\n", plain(o.Title))
	}
	for _, item := range items {
		fmt.Fprintf(&b, "## %s\n\n", plain(item.Name))
		if o.Thumbnails != nil {
			link, err := thumbnailLink(ctx, folder, item, o)
			if err != nil {
				return nil, err
			}
			b.WriteString(link)
		}
		if item.Text != "" {
			// A text may have Markdown of its own, but no HTML.
			fmt.Fprintf(&b, "%s\n\n", strings.ReplaceAll(item.Text, "<", "&lt;"))
		}
		if item.Err != nil {
			fmt.Fprintf(&b, "*%s*\n\n", plain(o.Reason(item.Err)))
		}
	}
	return b.Bytes(), nil
}

// thumbnailLink writes a thumbnail and is the line that shows it. Of a picture
// that can't be read there is none. The file is named for what is in it, so that no
// export writes over another file, not even one of an export before.
func thumbnailLink(ctx context.Context, folder string, item *Item, o ExportOptions) (string, error) {
	small, err := o.Thumbnails.get(ctx, item.Path, exportSide)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", nil
	}
	sum := sha256.Sum256(small.jpeg)
	file := filepath.Join(folder, hex.EncodeToString(sum[:10])+".jpg")
	err = createFile(file, small.jpeg, 0o666)
	if errors.Is(err, fs.ErrExist) {
		if there, _ := readUpTo(file, len(small.jpeg)+1); there != string(small.jpeg) {
			return "", writeError(file, err)
		}
		err = nil
	}
	if err != nil {
		return "", err
	}
	target := (&url.URL{Path: filepath.Base(folder) + "/" + filepath.Base(file)}).EscapedPath()
	return fmt.Sprintf("![](%s)\n\n", strings.NewReplacer("(", "%28", ")", "%29").Replace(target)), nil
}

// plain is text as Markdown shows it, on one line.
func plain(text string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		switch {
		case r == '<':
			b.WriteString("&lt;")
			continue
		case strings.ContainsRune("\\`*_[]#|~!&", r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
