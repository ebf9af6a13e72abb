package chat

import (
	"context"
	"errors"
	"path/filepath"

	store "paddock/engine/chat"
	"paddock/engine/gguf"
	"paddock/words"
)

// failed says that a task has failed. What can't be saved stands above the messages
// until it can, which the store tells.
func (p *Presenter) failed(err error) {
	var e *store.Error
	if !errors.As(err, &e) {
		p.warn(sentence(err))
		return
	}
	switch e.Problem {
	case store.Full, store.Unwritable, store.Damaged, store.Gone, store.Busy:
		p.troubled(err)
	case store.Closed:
	default:
		p.warn(sentence(err))
	}
}

// warn shows what did not work until it is dismissed: a line in the footer is cut
// off, and gone before it is read.
func (p *Presenter) warn(text words.Sentence) {
	p.banner = &Banner{Key: text.Key, Text: text, Bad: true, Dismiss: true}
	p.publish()
}

// troubled shows that something can't be saved, or with nil that it can again.
func (p *Presenter) troubled(err error) {
	if err == nil {
		p.trouble = nil
		p.saved = p.now()
	} else {
		text := words.Error(err)
		p.trouble = &Banner{Key: text.Key, Text: text, Bad: true, Again: isGoneFile(err)}
	}
	p.publish()
}

// isGoneFile tells whether an error is that the chats' file is not where it was.
func isGoneFile(err error) bool {
	var e *store.Error
	return errors.As(err, &e) && e.Problem == store.Gone
}

// SaveAgain writes all chats anew to where their file was.
func (p *Presenter) SaveAgain() {
	p.keep(func(ctx context.Context, s *store.Store) (func(), error) {
		if err := s.SaveAgain(ctx); err != nil {
			text := words.Error(err)
			return func() {
				p.trouble = &Banner{Key: text.Key, Text: text, Bad: true, Again: true}
				p.publish()
			}, nil
		}
		return func() {
			for _, c := range p.inMemory() {
				p.writeDraft(c)
			}
			p.troubled(nil)
		}, nil
	})
}

// worked takes away what warn said of an earlier try of the same kind.
func (p *Presenter) worked(key string) {
	if p.banner != nil && p.banner.Key == key {
		p.banner = nil
		p.publish()
	}
}

// openingBanner says what was wrong when the conversations were opened, nil when
// nothing was.
func openingBanner(how opening) *Banner {
	switch {
	case how.err != nil:
		text := words.Error(how.err)
		text.Remedy = words.T("chat.kept.not")
		return &Banner{Key: text.Key, Text: text, Bad: true}
	case how.Aside == "":
		return nil
	}
	data := map[string]any{"File": gguf.Printable(filepath.Base(how.Aside)), "Day": how.RestoredOf.Format("2006-01-02")}
	key := "chat.restored"
	if how.Restored == "" {
		key = "chat.restored.none"
	}
	return &Banner{Key: key, Text: words.Of(key, data), Bad: true, Dismiss: true}
}

// picturesBanner says that pictures of the conversation on view are gone.
func picturesBanner(count int) *Banner {
	text := words.Of("chat.pictures.gone", map[string]any{"Count": count})
	return &Banner{Key: text.Key, Text: text, Dismiss: true}
}

// DismissBanner takes State.Banner away.
func (p *Presenter) DismissBanner() {
	if p.trouble == nil && p.banner != nil && p.banner.Dismiss {
		p.banner = nil
		p.publish()
	}
}
