package words

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"paddock/engine/client"
	"paddock/engine/embed"
	"paddock/engine/embed/chunk"
	"paddock/engine/embed/document"
)

func TestEveryProblemOfEmbeddingHasASentence(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "/vectors/out.npy", Err: syscall.ENOSPC}
	var all []error
	for _, p := range []embed.FileProblem{embed.DiskFull, embed.Unwritable, embed.Unreadable, embed.NotThere, embed.NoIndex, embed.InUse, embed.OtherModel,
		embed.Exists, embed.Interrupted, embed.ModelChanged, embed.Unkept, embed.Damaged, embed.OtherPooling} {
		all = append(all, &embed.FileError{Problem: p, Path: "/vectors/out.npy", Pooling: "cls", Err: full})
	}
	for _, setting := range []string{"chunker", "dimensions", "layerNorm", "modelSha256", "normalise", "pooling", "prefix"} {
		all = append(all, &embed.FileError{Problem: embed.OtherRun, Path: "out.npy", Differs: setting})
	}
	all = append(all, &embed.FileError{Problem: embed.OtherRun, Path: "out.npy", Differs: "modelSha256", Model: "E5 small"},
		&embed.FileError{Problem: embed.Damaged, Path: "list.json", Aside: "/data/list.json.broken-1", Err: full})
	for _, p := range []embed.VectorProblem{embed.Missing, embed.NotFinite, embed.Zero, embed.Width, embed.Same} {
		all = append(all, &embed.VectorError{Problem: p}, &embed.VectorError{Problem: p, Path: "/a/in.txt", Chunk: 3, Other: "/b/other.txt"})
	}
	all = append(all,
		&embed.VectorError{Problem: embed.Unsteady},
		&embed.ModelError{Problem: embed.IsReranker, Path: "/models/r.gguf"},
		&embed.DimensionsError{Problem: embed.TooMany, Path: "/models/r.gguf", Dimensions: 9000, Width: 768, Shorter: []int{256}},
		&embed.DimensionsError{Problem: embed.NotTrained, Path: "/models/r.gguf", Dimensions: 5, Width: 768},
		&embed.ChunkError{Path: "/a/in.txt", Chunk: 6, Err: &client.Error{Kind: client.TextTooLong, PromptTokens: 900, ContextTokens: 512}},
		&chunk.Error{Problem: chunk.BadStrategy, Strategy: "words"}, &chunk.Error{Problem: chunk.BadOverlap, Strategy: "tokens:10:20"}, &chunk.Error{Problem: chunk.NoRoom, Tokens: 60, LimitTokens: 50},
		&chunk.Error{Problem: chunk.TooLong, Tokens: 60, LimitTokens: 50},
	)
	for _, p := range []document.Problem{
		document.Missing, document.Unreadable, document.NotAFile, document.Empty, document.NoText, document.Binary, document.Unsupported,
		document.Encrypted, document.Mixed, document.BadEncoding, document.Broken, document.Bomb, document.TooLarge, document.BrokenRow,
		document.NoField, document.NoColumn, document.PageFailed, document.NoReader, document.TooMany, document.TooDeep, document.Changed, document.LinkLoop, document.BadPattern,
	} {
		all = append(all, &document.Error{Problem: p, Path: "/a/in.pdf", Kind: document.PDF, Page: 3, Row: 4, Line: 5, LimitBytes: 64 << 20, Column: "c", Columns: []string{"a", "b"}})
	}
	for _, looks := range []string{
		"archive", "audio", "database", "djvu", "doc", "encrypted", "model", "odf", "ole", "picture", "postscript", "ppt", "pptx", "program", "rtf", "video", "xls", "xlsx",
	} {
		all = append(all, &document.Error{Problem: document.Binary, Path: "in.x", Looks: looks})
	}
	for _, err := range all {
		s := Error(err)
		text := s.Message + " " + s.Remedy
		if s.Remedy == "" || s.Key == "error.other" || s.Message == s.Key || s.Remedy == s.Key+".remedy" ||
			strings.Contains(text, "{{") || strings.Contains(text, "no value") || strings.Contains(text, "document.looks") || strings.Contains(text, "setting.") {
			t.Errorf("%v: %+v", err, s)
		}
		if strings.Contains(text, "/a/") || strings.Contains(text, "/models/") {
			t.Errorf("%v: a whole path in %q", err, text)
		}
	}
	if s := Error(all[0]); !strings.Contains(s.Message, "out.npy") || !errors.Is(all[0], syscall.ENOSPC) {
		t.Errorf("%+v", s)
	}
}

func TestAFileThatCannotBeReadSaysWhyAndWhatToDo(t *testing.T) {
	for _, test := range []struct {
		err  document.Error
		want string
	}{
		{document.Error{Problem: document.NoText, Path: "scan.pdf", Kind: document.PDF}, "scan.pdf has no text: it may be scanned pictures. Recognise the text in it first, with a scanner's program or a vision model."},
		{document.Error{Problem: document.NoText, Path: "scan.pdf", Page: 2}, "Page 2 of scan.pdf has no text: it may be scanned pictures. Recognise the text in it first, with a scanner's program or a vision model."},
		{document.Error{Problem: document.NoText, Path: "blank.txt", Kind: document.Text}, "blank.txt has no text. Leave it out."},
		{document.Error{Problem: document.Bomb, Path: "bomb.docx", LimitBytes: 1 << 30}, "bomb.docx grows beyond 1,024 MiB when it is unpacked, and is not read. Leave it out, or save its text another way."},
		{document.Error{Problem: document.TooLarge, Path: "one.json", LimitBytes: 4 << 20}, "A row or value of one.json is larger than 4 MiB. Cut it up, or leave it out."},
		{document.Error{Problem: document.Encrypted, Path: "locked.pdf"}, "locked.pdf is locked with a password. Save a copy without the password."},
	} {
		if got := Error(&test.err).Text(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestAPassageSaysWhereItIs(t *testing.T) {
	for _, test := range []struct {
		page, row, line int
		want            string
	}{{31, 0, 1, ", page 31"}, {0, 1204, 9, ", row 1,204"}, {0, 0, 7, ", line 7"}, {0, 0, 0, ""}} {
		if got := Passage(test.page, test.row, test.line); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestADocumentThatIsTooMuchSaysOfWhat(t *testing.T) {
	for _, test := range []struct {
		err  document.Error
		want string
	}{
		{document.Error{Problem: document.Bomb, LimitBytes: 1 << 30}, "beyond 1,024 MiB when"},
		{document.Error{Problem: document.Bomb, Limit: 250}, "more than 250 times its size when"},
		{document.Error{Problem: document.TooMany, Limit: 20_000}, "more than 20,000 files in it"},
		{document.Error{Problem: document.TooDeep, Limit: 1000}, "inside of more than 1,000 others"},
		{document.Error{Problem: document.NoReader, Err: syscall.ENOMEM}, "can't be started: "},
	} {
		test.err.Path = "a.docx"
		if got := Error(&test.err).Message; !strings.HasPrefix(got, "a.docx ") || !strings.Contains(got, test.want) {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
