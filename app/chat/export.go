package chat

import (
	"context"
	"io"
	"os"
	"strings"

	"paddock/diskfile"
	store "paddock/engine/chat"
	"paddock/engine/picture"
	"paddock/words"
)

// ExportMarkdown writes the turns on view of a conversation to a file.
func (p *Presenter) ExportMarkdown(id int, path string) {
	labels := store.Labels{
		User: words.T("chat.export.user"), Assistant: words.T("chat.export.assistant"), System: words.T("chat.export.system"),
		Tool: words.T("chat.export.tool"), Thought: words.T("chat.export.thought"), Picture: words.T("chat.export.picture"),
	}
	p.export(path, func(ctx context.Context, s *store.Store, w io.Writer) error {
		return s.ExportMarkdown(ctx, w, store.ID(id), labels)
	})
}

// ExportJSON writes a conversation with all its branches and pictures to a file.
func (p *Presenter) ExportJSON(id int, path string) {
	p.export(path, func(ctx context.Context, s *store.Store, w io.Writer) error {
		return s.ExportJSON(ctx, w, store.ID(id))
	})
}

// export writes a file whole or not at all.
func (p *Presenter) export(path string, write func(context.Context, *store.Store, io.Writer) error) {
	p.keeper.put(func(ctx context.Context, s *store.Store) (func(), error) {
		err := diskfile.Replace(path, 0o600, func(w io.Writer) error { return write(ctx, s, w) })
		data := map[string]any{"File": fileName(path)}
		if err != nil {
			data["Reason"] = words.Reason(err)
			return func() { p.warn(words.Of("chat.export.failed", data)) }, nil
		}
		return func() {
			p.say(words.T("chat.exported", data), false)
			p.worked("chat.export.failed")
		}, nil
	})
}

// ExportName is a file name for a conversation, without an extension.
func (p *Presenter) ExportName(id int) string {
	name := words.T("chat.new")
	for _, c := range p.list.all {
		if int(c.ID) == id && c.Title != "" {
			name = c.Title
		}
	}
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '-'
		}
		return r
	}, name)
	return strings.Trim(name, " .")
}

// Import reads conversations from a file: Paddock's own export, or the llama.cpp
// web UI's. The first of them comes on view.
func (p *Presenter) Import(path string) {
	p.keep(func(ctx context.Context, s *store.Store) (func(), error) {
		imported, err := importFile(ctx, s, path)
		data := map[string]any{"File": fileName(path)}
		if err != nil {
			why := words.Error(err)
			data["Reason"] = why.Message
			return func() {
				p.warn(words.Sentence{Key: "chat.import.failed", Message: words.T("chat.import.failed", data), Remedy: why.Remedy})
			}, nil
		}
		all, err := s.Conversations(ctx)
		if err != nil {
			return nil, err
		}
		return func() {
			p.setList(all, summaries(all, p.now()))
			data["Count"], data["LeftOut"] = len(imported.Conversations), imported.LeftOut
			p.say(words.T("chat.imported", data), false)
			p.worked("chat.import.failed")
			if len(imported.Conversations) > 0 {
				p.Select(int(imported.Conversations[0]))
			}
			p.publish()
		}, nil
	})
}

func importFile(ctx context.Context, s *store.Store, path string) (store.Imported, error) {
	file, err := os.Open(path)
	if err != nil {
		return store.Imported{}, err
	}
	defer file.Close()
	return s.Import(ctx, file, func(data []byte) ([]byte, error) {
		prepared, err := picture.Prepare(ctx, picture.Source{Bytes: data}, picture.Options{})
		return prepared.Bytes, err
	})
}
