package gguf

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Read reads the facts out of a file's header, never its weights. The error is
// an *Error; beside one the facts hold what could be read before it, so that a
// damaged file can still be named.
func Read(path string) (Facts, error) {
	h, size, err := readHeader(path)
	return facts(path, size, []header{h}), err
}

// ReadSet reads the parts of a split set, given in order, as one model: the
// first part says what it is, the tensors are those of all.
func ReadSet(paths []string) (Facts, error) {
	var headers []header
	var size uint64
	for i, path := range paths {
		h, n, err := readHeader(path)
		if err != nil {
			return facts(paths[0], size, headers), err
		}
		if s := h.split(); s.Count != len(paths) || s.Index != i {
			return facts(paths[0], size, headers), &Error{Path: path, Problem: MissingPart,
				Detail: "the file does not say it is this part of this set"}
		}
		headers = append(headers, h)
		size += n
	}
	if len(headers) == 0 {
		return Facts{}, &Error{Problem: Missing, Detail: "a set of no files"}
	}
	return facts(paths[0], size, headers), nil
}

func readHeader(path string) (header, uint64, error) {
	h, size, err := openAndParse(path)
	if err == nil {
		return h, size, nil
	}
	e := &Error{Problem: Unreadable, Err: err}
	errors.As(err, &e)
	e.Path = path
	return h, size, e
}

func openAndParse(path string) (header, uint64, error) {
	// Asked before it is opened: opening a pipe waits for its other end.
	info, err := os.Stat(path)
	if err != nil {
		return header{}, 0, systemError(err)
	}
	if info.IsDir() {
		return header{}, 0, &Error{Problem: Directory}
	}
	if !info.Mode().IsRegular() {
		return header{}, 0, &Error{Problem: Unreadable, Detail: NotRegular}
	}
	size := uint64(info.Size())
	file, err := os.Open(path)
	if err != nil {
		return header{}, size, systemError(err)
	}
	defer file.Close()
	s := newSource(file, info.Size())
	defer s.release()
	h, err := parse(s)
	return h, size, err
}

func systemError(err error) *Error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Error{Problem: Missing, Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &Error{Problem: Permission, Err: err}
	}
	return &Error{Problem: Unreadable, Err: err}
}

// facts works out what headers say: one, or those of a set with the first one's
// metadata.
func facts(path string, size uint64, headers []header) Facts {
	f := Facts{Path: path, SizeBytes: size}
	f.Name = strings.TrimSuffix(filepath.Base(path), ".gguf")
	if len(headers) == 0 {
		return f
	}
	first := headers[0]
	m := first.metadata
	var tensors []tensor
	for _, h := range headers {
		tensors = append(tensors, h.tensors...)
	}
	names := survey(tensors)

	f.Version = first.version
	f.Architecture = m.text("general.architecture")
	if name := m.text("general.name"); strings.TrimSpace(name) != "" {
		f.Name = name
	}
	f.Licence = m.text("general.license")
	f.Split = first.split()
	f.Kind = kindOf(m, names, f.Split)
	f.TensorCount = len(tensors)
	for _, t := range tensors {
		f.Parameters += t.elements
		f.WeightsBytes += t.bytes
	}
	f.TensorTypes = shares(tensors)
	f.Quantisation = quantisation(tensors)
	f.shape(m, names)
	f.countActive(tensors, names)
	if f.Kind == Model || f.Kind == MTPHead || f.Kind == Draft {
		f.network(m, tensors)
	}
	if f.Kind == Projector {
		f.encoder(m)
	}
	f.ChatTemplate = m.text("tokenizer.chat_template")
	f.TemplateKnows = templateKnows(f.ChatTemplate)
	f.HasClassifier = names.classifier
	f.Vocabulary = vocabulary(m)
	f.Origin = origin(m)
	switch f.Kind {
	case Projector:
		f.Projection = projection(m, tensors, names)
	case MTPHead, Draft:
		f.Target = f.target(m, tensors)
	case Model, LoRA:
		f.Matrices = matrices(tensors)
	}
	for _, key := range m.keys {
		f.Metadata = append(f.Metadata, Entry{Key: strings.ToValidUTF8(key, "\uFFFD"), Value: m.values[key].String()})
	}
	return f
}

func (h header) split() Split {
	return Split{Index: h.metadata.count("split.no"), Count: h.metadata.count("split.count")}
}
