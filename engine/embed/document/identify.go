package document

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"path/filepath"
	"strings"
)

// headBytes is how much of a file's start decides what it is.
const headBytes = 64 << 10

// identify finds out what the file is, its hash and its encoding.
func (d *Document) identify() error {
	if d.src.size == 0 {
		return d.failed(Empty, nil)
	}
	head := make([]byte, min(headBytes, d.src.size))
	if n, err := d.src.at.ReadAt(head, 0); err != nil && (!errors.Is(err, io.EOF) || n < len(head)) {
		return d.failed(Unreadable, err)
	}
	d.Identity = Identity{SizeBytes: uint64(d.src.size), ModTime: d.src.modTime}
	kind, looks, problem := sniff(head)
	if problem != "" {
		e := d.failed(problem, nil)
		e.Looks = looks
		return e
	}
	if kind == "" && looks == "zip" {
		var err error
		if kind, err = d.sniffZip(); err != nil {
			return err
		}
	}
	sum := sha256.New()
	d.facts.reset()
	zeros := d.opts.Encoding != "" || hasZeros(head) // a zero byte is of no account
	err := d.src.scan(d.ctx, func(block []byte) bool {
		sum.Write(block)
		if kind == "" {
			d.facts.add(block)
		}
		return zeros || d.facts.zeros == 0
	})
	if err != nil {
		return d.wrap(&Error{Problem: Unreadable, Err: err})
	}
	if !zeros && d.facts.zeros > 0 { // the rest of it would not change that
		return d.at(Binary, d.facts.firstZero)
	}
	d.Identity.SHA256 = hex.EncodeToString(sum.Sum(nil))
	switch kind {
	case PDF:
		d.Kind, d.pieces = PDF, readPDF
		return nil
	case Docx:
		d.Kind, d.pieces = Docx, readDocx
		return nil
	case EPUB:
		d.Kind, d.pieces = EPUB, readEPUB
		return nil
	}
	d.facts.end()
	return d.identifyText(head)
}

// identifyText settles the encoding of a text, and which kind of text it is.
func (d *Document) identifyText(head []byte) error {
	enc, err := d.findEncoding(head)
	if err != nil {
		return err
	}
	d.Encoding = enc
	start, err := decodeStart(enc, head)
	if err != nil {
		return err
	}
	d.Kind = textKind(d.path, start)
	utf8 := enc == "utf-8"
	switch d.Kind {
	case HTML:
		d.pieces = readHTML
	case CSV:
		d.pieces = readCSV
		err = d.findColumns(start, len(head) == int(d.src.size))
	case JSON:
		d.pieces = readJSON
	case JSONLines:
		d.pieces = readJSONLines
	default:
		d.pieces = readLines
	}
	d.InFile = utf8
	return err
}

// sniff says what a file is by its first bytes: a kind, or "zip" for what has to
// be looked into, or a problem with what it looks like. All empty is text, or
// noise.
func sniff(head []byte) (kind Kind, looks string, problem Problem) {
	// A PDF may have a little before its header.
	if bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")) && !bytes.HasPrefix(head, []byte("<")) {
		return PDF, "", ""
	}
	for _, m := range magics {
		if len(head) >= m.at+len(m.bytes) && string(head[m.at:m.at+len(m.bytes)]) == m.bytes {
			switch m.looks {
			case "zip":
				return "", "zip", ""
			case "ole":
				return "", oleLooks(head), oleProblem(head)
			case "rtf", "postscript", "djvu":
				return "", m.looks, Unsupported
			}
			return "", m.looks, Binary
		}
	}
	return "", "", ""
}

var magics = []struct {
	at    int
	bytes string
	looks string
}{
	{0, "PK\x03\x04", "zip"}, {0, "PK\x05\x06", "zip"},
	{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"},
	{0, "{\\rtf", "rtf"}, {0, "%!PS", "postscript"}, {0, "AT&TFORM", "djvu"},
	{0, "\x89PNG", "picture"}, {0, "\xff\xd8\xff", "picture"}, {0, "GIF8", "picture"}, {0, "II*\x00", "picture"},
	{0, "MM\x00*", "picture"}, {8, "WEBP", "picture"}, {4, "ftyphei", "picture"}, {4, "ftypavif", "picture"},
	{4, "ftyp", "video"}, {0, "\x1aE\xdf\xa3", "video"}, {8, "AVI ", "video"},
	{0, "ID3\x03", "audio"}, {0, "ID3\x04", "audio"}, {0, "fLaC\x00", "audio"}, {0, "OggS\x00", "audio"}, {8, "WAVE", "audio"},
	{0, "\x1f\x8b", "archive"}, {0, "BZh9", "archive"}, {0, "7z\xbc\xaf", "archive"}, {0, "\xfd7zXZ", "archive"},
	{0, "Rar!\x1a", "archive"}, {0, "(\xb5/\xfd", "archive"}, {257, "ustar", "archive"},
	{0, "GGUF", "model"}, {0, "\x7fELF", "program"}, {0, "MZ\x90\x00", "program"},
	{0, "SQLite format 3\x00", "database"}, {0, "PAR1", "database"},
}

// utf16le is an ASCII text as OLE folders have names.
func utf16le(s string) []byte {
	return []byte(strings.Join(strings.Split(s, ""), "\x00") + "\x00")
}

func oleProblem(head []byte) Problem {
	if oleLooks(head) == "encrypted" {
		return Encrypted
	}
	return Unsupported
}

// oleLooks tells an encrypted docx from the old formats. The folder of a small
// file stands in its first 64 KiB.
func oleLooks(head []byte) string {
	for _, m := range []struct{ name, looks string }{
		{"EncryptedPackage", "encrypted"}, {"EncryptionInfo", "encrypted"},
		{"WordDocument", "doc"}, {"Workbook", "xls"}, {"PowerPoint Document", "ppt"},
	} {
		if bytes.Contains(head, utf16le(m.name)) {
			return m.looks
		}
	}
	return "ole"
}

// textKind is which kind of text a file is: by its suffix, but a text that begins
// as a web page is one, and one of no known suffix is looked at.
func textKind(path, start string) Kind {
	start = strings.TrimSpace(strings.TrimPrefix(start, "\ufeff"))
	suffix := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	kind, known := suffixes[suffix]
	lower := strings.ToLower(start[:min(len(start), 512)])
	switch {
	case strings.HasPrefix(lower, "<!doctype html"), strings.HasPrefix(lower, "<html"):
		if kind != Code || suffix == "" {
			return HTML
		}
	case kind == JSON && looksLikeLines(start):
		return JSONLines
	case (kind == CSV || kind == JSON) && start == "":
		return Text
	}
	if known {
		return kind
	}
	switch {
	case strings.HasPrefix(start, "#!"), strings.HasPrefix(start, "<?xml"), codeNames[strings.ToLower(filepath.Base(path))]:
		return Code
	case strings.HasPrefix(start, "{") && looksLikeLines(start):
		return JSONLines
	case looksLikeJSON(start):
		return JSON
	}
	return Text
}

var suffixes = func() map[string]Kind {
	all := map[string]Kind{}
	for kind, list := range map[Kind]string{
		Text:      "txt text log rst adoc asciidoc org tex srt vtt eml",
		Markdown:  "md markdown mdown mkd mdx qmd rmd",
		HTML:      "html htm xhtml",
		CSV:       "csv tsv tab psv",
		JSON:      "json geojson",
		JSONLines: "jsonl ndjson jsonlines",
		Code: "go c h cc cpp cxx hpp hxx cs java kt kts scala groovy py pyi rb rs js mjs cjs jsx ts tsx vue svelte php pl pm lua " +
			"r jl m mm swift dart zig nim hs ml mli fs fsx clj cljs ex exs erl hrl el lisp scm sh bash zsh fish ps1 bat cmd " +
			"sql css scss sass less xml xsd xsl svg yaml yml toml ini cfg conf properties gradle cmake mk proto graphql tf asm s f f90 pas v sv vhd",
	} {
		for _, suffix := range strings.Fields(list) {
			all[suffix] = kind
		}
	}
	return all
}()

var codeNames = map[string]bool{"makefile": true, "dockerfile": true, "cmakelists.txt": true, "gemfile": true, "rakefile": true}
