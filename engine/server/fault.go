package server

import (
	"slices"
	"strings"
	"time"

	"paddock/engine/gguf"
	"paddock/engine/plan"
)

// faults are the failures that no load gets round, whatever its settings: those of
// the files, and of an engine that lacks a part.
var faults = []FailureKind{ModelCorrupt, UnknownArchitecture, MissingPart, WrongKind, EngineIncomplete}

// Fault is what an engine that was asked for something short of a load, as the
// memory it needs, has said of the plan's files: that it can't load them. It is nil
// where the log says nothing of the kind. ModelPath is the file the engine names.
func Fault(log string, p plan.Plan) *Failure {
	var evidence []line
	for output := range strings.Lines(log) {
		for _, l := range parseLines(strings.TrimRight(output, "\r\n"), time.Time{}) {
			if speaksOfError(l) {
				evidence = append(evidence, l)
			}
		}
	}
	kind, reason, path := explain(evidence)
	if !slices.Contains(faults, kind) {
		return nil
	}
	f := failed(kind, nil)
	f.Reason, f.Path, f.ModelPath = reason, path, p.ModelPath
	for _, beside := range []string{p.DraftPath, p.Projector(), p.LoRAPath} {
		if beside == "" {
			continue
		}
		named := func(l line) bool { return strings.Contains(l.text, "'"+gguf.Printable(beside)+"'") }
		if slices.ContainsFunc(evidence, named) {
			f.ModelPath = beside
		}
	}
	return f
}
