package chat

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	store "paddock/engine/chat"
	"paddock/engine/picture"
	"paddock/words"
)

const (
	maxFiles     = 200        // of one drop
	maxTextBytes = 16 << 20   // of one text
	askAbove     = 100 * 1000 // bytes of a text, from which on it is asked about
)

// An attached is what goes with a draft.
type attached struct {
	Attachment
	text          string     // of a text and a paste
	hash          store.Hash // of a picture
	width, height int        // of a picture as the engine gets it, in pixels
	gone          bool       // the picture's file
}

// attachmentOff says why an attachment keeps the message from being sent.
func (p *Presenter) attachmentOff(a attached) string {
	switch {
	case a.Reading:
		return words.T("chat.off.files")
	case a.gone:
		return words.T("chat.picture.lost")
	case a.Kind == AttachedPicture && p.loaded.Model.Path != "" && !p.sees:
		return p.blind()
	}
	return ""
}

// blind says that the loaded model can't see, and which could.
func (p *Presenter) blind() string {
	if p.seers == "" {
		return words.T("chat.blind")
	}
	return words.T("chat.blind.others", map[string]any{"Models": p.seers})
}

// maxSeers is how many models that can see are named.
const maxSeers = 3

// lookForSeers finds out which models could see. States are made too often to ask.
func (p *Presenter) lookForSeers() {
	p.seers = ""
	if p.seams.Seers != nil && !p.sees {
		names := p.seams.Seers()
		p.seers = strings.Join(names[:min(len(names), maxSeers)], ", ")
	}
}

// An adding is files that are being looked at.
type adding struct {
	conversation *conversation
	ctx          context.Context
	cancel       context.CancelFunc
	rows         []*addingRow
	left         int        // that aren't looked at yet
	asking       []attached // large texts
}

type addingRow struct {
	AddingRow
	path string
	data []byte // of a picture that has no file
	err  error  // why it can't be added, known before it is looked at
	id   int    // of its attachment
}

// A looked is what came of looking at a file.
type looked struct {
	attached
	err  error
	text bool
}

// AddFiles attaches files and what is in folders to the message: pictures, and
// texts, which become part of it. They are looked at beside the UI goroutine;
// State.Adding shows how far that is.
func (p *Presenter) AddFiles(paths []string) {
	p.expanding++
	p.publish()
	go func() {
		rows, more := expand(paths)
		p.do(func() {
			p.expanding--
			defer p.publish()
			if more {
				p.warn(words.Of("chat.files.many", map[string]any{"Most": maxFiles}))
			}
			p.look(rows)
		})
	}()
}

// AddPicture attaches a picture from the clipboard.
func (p *Presenter) AddPicture(data []byte) {
	p.look([]*addingRow{{data: data, AddingRow: AddingRow{Name: words.T("chat.pasted.picture"), Picture: true}}})
}

// expand is files as they are, and of folders the pictures in them. more tells that
// there are more than are taken. A folder that gives none is a row that says so.
func expand(paths []string) (rows []*addingRow, more bool) {
	add := func(path string, err error) {
		if len(rows) == maxFiles {
			more = true
			return
		}
		rows = append(rows, &addingRow{path: path, err: err, AddingRow: AddingRow{Name: fileName(path)}})
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			add(path, nil)
			continue
		}
		before, found := len(rows), false
		unread := walkPictures(path, func(picture string) bool {
			found = true
			add(picture, nil)
			return !more
		})
		switch {
		case len(rows) > before || found:
		case unread != nil:
			add(path, &textError{key: "chat.folder.unreadable", path: path, err: unread})
		default:
			add(path, &textError{key: "chat.folder.empty", path: path})
		}
	}
	return rows, more
}

// walkPictures calls each with the pictures in a folder and in those in it, hidden ones
// left out, until it says no. The error is why the folder itself can't be read.
func walkPictures(folder string, each func(path string) bool) error {
	var unread error
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			if path == folder {
				unread = err
			}
			return fs.SkipDir
		case strings.HasPrefix(entry.Name(), ".") && path != folder && entry.IsDir():
			return fs.SkipDir
		case entry.Type().IsRegular() && slices.Contains(pictureEndings, strings.ToLower(filepath.Ext(path))) && !each(path):
			return fs.SkipAll
		}
		return nil
	})
	return unread
}

// pictureEndings are of the files that are taken from a folder.
var pictureEndings = []string{".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".heic", ".heif"}

// look begins to look at files for the conversation on view.
func (p *Presenter) look(rows []*addingRow) {
	s := p.keeper.open()
	switch {
	case len(rows) == 0 || p.closing:
		return
	case s == nil: // a drop that opened the tab
		p.early = append(p.early, rows...)
		return
	}
	p.lookForSeers()
	a := p.adding
	if a == nil || a.conversation != p.current || a.left == 0 {
		p.CloseAdding()
		a = &adding{conversation: p.current}
		a.ctx, a.cancel = context.WithCancel(p.keeper.ctx)
		p.adding = a
	}
	a.rows = append(a.rows, rows...)
	a.left += len(rows)
	for _, row := range rows {
		row.Reading, row.id = true, p.nextID()
		p.attach(a.conversation, attached{Attachment: Attachment{ID: row.id, Kind: AttachedPicture, Name: row.Name, Reading: true}})
	}
	p.publish()
	go func() {
		for _, row := range rows {
			found := looked{err: row.err}
			if row.err == nil {
				found = lookAt(a.ctx, s, row.path, row.data)
			}
			if a.ctx.Err() != nil {
				return
			}
			p.do(func() { p.lookedAt(a, row, found) })
		}
	}()
}

// lookAt reads a file and keeps it when it is a picture.
func lookAt(ctx context.Context, s *store.Store, path string, data []byte) looked {
	prepared, err := picture.Prepare(ctx, picture.Source{Path: path, Bytes: data}, picture.Options{})
	var l looked
	if err != nil {
		l.err = err
		if data == nil && maybeText(path, err) {
			l.text = true
			l.attached.text, l.err = readText(path)
			l.Kind = AttachedText
			l.attached = l.measured()
		}
		return l
	}
	l.Kind, l.Bytes = AttachedPicture, uint64(len(prepared.Bytes))
	l.width, l.height = prepared.Width, prepared.Height
	l.Note = pictureNote(prepared)
	if l.hash, l.err = s.PutPicture(ctx, prepared.Bytes); l.err == nil {
		l.Path = s.PicturePath(l.hash)
	}
	return l
}

// maybeText tells whether a file that is no picture may be a text. One that is
// called a picture is not taken for one.
func maybeText(path string, err error) bool {
	var e *picture.Error
	if !errors.As(err, &e) || slices.Contains(pictureEndings, strings.ToLower(filepath.Ext(path))) {
		return false
	}
	if e.Problem == picture.Empty {
		return true
	}
	return e.Problem == picture.NotAPicture && (e.Looks == "" || e.Looks == picture.LooksText || e.Looks == picture.LooksWebPage)
}

func pictureNote(p picture.Prepared) string {
	switch {
	case slices.Contains(p.Notes, picture.FirstFrame):
		return words.T("chat.picture.first")
	case slices.Contains(p.Notes, picture.ScaledDown):
		return words.T("chat.picture.scaled", map[string]any{"Width": p.Width, "Height": p.Height})
	}
	return ""
}

// lookedAt attaches a file that was looked at, or says why not.
func (p *Presenter) lookedAt(a *adding, row *addingRow, l looked) {
	if p.adding != a {
		return
	}
	c := a.conversation
	a.left--
	row.Reading = false
	l.attached.ID, l.attached.Name = row.id, row.Name
	switch {
	case l.err != nil:
		row.Problem, row.Short = sentence(l.err), short(l.err)
		p.detach(c, row.id)
	case l.text && l.Bytes > askAbove:
		row.Tokens, row.TokensAbout = l.Tokens, true
		a.asking = append(a.asking, l.attached)
		p.detach(c, row.id)
	default:
		row.Picture, row.Path = l.Kind == AttachedPicture, l.Path
		row.Tokens, row.TokensAbout = l.Tokens, true
		if row.Picture {
			row.Tokens = p.pictureTokens(sizeOf{Width: l.width, Height: l.height})
		}
		p.replace(c, l.attached)
	}
	if a.left == 0 {
		p.lookedAtAll(a)
	}
	p.publish()
}

// lookedAtAll ends the dialog when there is nothing in it to be read.
func (p *Presenter) lookedAtAll(a *adding) {
	a.cancel()
	p.askAbout(a)
	if !slices.ContainsFunc(a.rows, func(r *addingRow) bool { return r.Short != "" }) {
		p.adding = nil
	}
}

// replace puts an attachment in the place of one that was being read.
func (p *Presenter) replace(c *conversation, a attached) {
	for i := range c.draft.attached {
		if c.draft.attached[i].ID == a.ID {
			c.draft.attached = slices.Clone(c.draft.attached)
			c.draft.attached[i] = a
			p.touch(c)
		}
	}
}

// sentence is what the user reads of an error.
func sentence(err error) words.Sentence {
	var text *textError
	if errors.As(err, &text) {
		return text.Sentence()
	}
	return words.Error(err)
}

// short is an error in a few words.
func short(err error) string {
	var e *picture.Error
	var text *textError
	switch {
	case errors.As(err, &text) && text.key == "chat.folder.empty":
		return words.T("chat.short.noPictures")
	case errors.As(err, &e) && e.Problem == picture.NotAPicture:
		return words.T("chat.short.notPicture")
	case errors.As(err, &e):
		return words.T("chat.short.picture")
	case errors.Is(err, fs.ErrNotExist):
		return words.T("chat.short.missing")
	}
	return words.T("chat.short.file")
}

// CloseAdding closes the dialog about files that were dropped, and stops reading
// those that are still being read.
func (p *Presenter) CloseAdding() {
	a := p.adding
	if a == nil {
		return
	}
	p.adding = nil
	a.cancel()
	for _, row := range a.rows {
		if row.Reading {
			p.detach(a.conversation, row.id)
		}
	}
	p.askAbout(a)
	if !p.closing {
		p.publish()
	}
}

// shown is the dialog. A single file that is read without trouble needs none.
func (a *adding) shown(p *Presenter) *Adding {
	if a == nil || a.conversation != p.current || len(a.rows) == 1 && a.rows[0].Short == "" {
		return nil
	}
	d := &Adding{Done: a.left == 0}
	for _, row := range a.rows {
		d.Rows = append(d.Rows, row.AddingRow)
	}
	return d
}

// A question is about large texts.
type question struct {
	conversation *conversation
	texts        []attached
}

// askAbout asks once about the large texts that were found, together with those that
// are being asked about.
func (p *Presenter) askAbout(a *adding) {
	texts := a.asking
	a.asking = nil
	switch q := p.question; {
	case len(texts) == 0:
	case q != nil && q.conversation == a.conversation:
		p.question = &question{q.conversation, slices.Concat(q.texts, texts)}
	default:
		p.question = &question{a.conversation, texts}
	}
}

// shown is the dialog. left is how many tokens of the context are free, below 0 when
// no model is loaded.
func (q *question) shown(left int) *Question {
	if q == nil {
		return nil
	}
	bytes, tokens := uint64(0), 0
	for _, a := range q.texts {
		bytes += a.Bytes
		tokens += a.Tokens
	}
	data := map[string]any{"File": q.texts[0].Name, "Count": len(q.texts), "Size": size(bytes), "Tokens": words.Count(tokens)}
	key := "chat.large.one"
	if len(q.texts) > 1 {
		key = "chat.large.many"
	}
	text := words.T(key, data)
	if left >= 0 && tokens > left {
		text += " " + words.T("chat.large.over", map[string]any{"Left": words.Count(left)})
	}
	return &Question{Title: words.T("chat.large.title"), Text: text, Yes: words.T("chat.large.yes"), No: words.T("chat.large.no")}
}

// Answer answers State.Question.
func (p *Presenter) Answer(yes bool) {
	q := p.question
	if q == nil {
		return
	}
	p.question = nil
	if yes {
		for _, a := range q.texts {
			p.attach(q.conversation, a)
		}
	}
	p.publish()
}

// dropped is what is said while files are dragged over the chat.
func (p *Presenter) dropped(s *State) Drop {
	d := Drop{Sees: p.sees || p.loaded.Model.Path == "", Title: words.T("chat.drop"), Text: words.T("chat.drop.text")}
	switch {
	case !d.Sees:
		d.Title, d.Text, d.Note = words.T("chat.drop.blind"), p.blind(), words.T("chat.drop.kept")
	case s.ContextTokens > 0:
		left := s.contextLeft()
		each := p.pictureTokens(sizeOf{Width: picture.DefaultMaxSide, Height: picture.DefaultMaxSide * 3 / 4})
		d.Note = words.T("chat.drop.tokens", map[string]any{"Each": words.Count(each), "Left": words.Count(left)})
	}
	return d
}

// contextLeft is about how many tokens of the context are free, or -1 when no model
// is loaded.
func (s *State) contextLeft() int {
	if s.ContextTokens == 0 {
		return -1
	}
	return max(0, s.ContextTokens-s.ContextUsed-s.ContextAttached)
}
