package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"paddock/engine"
	"paddock/engine/build"
	"paddock/engine/embed"
	"paddock/engine/embed/chunk"
	"paddock/engine/embed/document"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
	"paddock/words"
)

type embedCommand struct {
	Model string   `arg:"" help:"${model}"`
	Files []string `arg:"" sep:"none" help:"${embedFiles}"`
	planFlags
	Out         string   `required:"" placeholder:"FILE" help:"${embedOut}"`
	Format      string   `enum:",jsonl,csv,npy,parquet,sqlite" default:"" placeholder:"jsonl|csv|npy|parquet|sqlite" help:"${embedFormat}"`
	Chunk       string   `default:"tokens:512:64" placeholder:"file|tokens:512:64|headings|…" help:"${embedChunk}"`
	TextColumn  string   `name:"text-column" placeholder:"NAME" help:"${embedTextColumn}"`
	IDColumn    string   `name:"id-column" placeholder:"NAME" help:"${embedIDColumn}"`
	Include     []string `placeholder:"PATTERN" help:"${embedInclude}"`
	Exclude     []string `placeholder:"PATTERN" help:"${embedExclude}"`
	Prefix      *string  `placeholder:"TEXT" help:"${embedPrefix}"`
	QueryPrefix *string  `name:"query-prefix" placeholder:"TEXT" help:"${embedQueryPrefix}"`
	Normalise   string   `enum:"l2,none" default:"l2" placeholder:"l2|none" help:"${embedNormalise}"`
	Dimensions  *int     `placeholder:"N" help:"${embedDimensions}"`
	Resume      bool     `help:"${embedResume}"`
	Overwrite   bool     `help:"${embedOverwrite}"`

	strategy chunk.Strategy // of Chunk
}

// Validate is called by kong after parsing.
func (c *embedCommand) Validate() error {
	var err error
	var cut *chunk.Error
	if c.strategy, err = chunk.Parse(c.Chunk); errors.As(err, &cut) && cut.Problem == chunk.BadOverlap {
		return fmt.Errorf("--chunk tokens:SIZE:OVERLAP needs an overlap of at most half of SIZE, not %q", c.Chunk)
	} else if err != nil {
		return fmt.Errorf("--chunk is file, tokens:SIZE:OVERLAP, headings, paragraphs, lines, rows or pages, not %q", c.Chunk)
	}
	if c.Dimensions != nil && *c.Dimensions < 1 {
		return errors.New("--dimensions is a number above 0")
	}
	if c.Purpose != "" && c.Purpose != plan.Embeddings {
		return errors.New("embed has no other --purpose than embeddings")
	}
	if c.format() == "" {
		return errors.New("--out ends in .jsonl, .csv, .npy, .parquet or .sqlite, or --format says what it is")
	}
	return c.planFlags.Validate()
}

func (c *embedCommand) format() embed.Format {
	if c.Format != "" {
		return embed.Format(c.Format)
	}
	return embed.FormatOf(c.Out)
}

func (c *embedCommand) Run(s *session) error {
	store, err := s.store()
	if err != nil {
		return err
	}
	document.CacheIn(filepath.Join(store.Folders().Cache, "pdfium"))
	m, err := s.model(c.Model)
	if err != nil {
		return err
	}
	settings, err := c.settings(m.Facts)
	if err != nil {
		return err
	}
	output := embed.Output{Format: c.format(), Path: c.Out}
	if folder := filepath.Dir(c.Out); !isFolder(folder) {
		return textError{key: "cli.embed.noFolder", data: map[string]any{"Folder": gguf.Printable(folder)}}
	}
	paths, unlisted, err := c.list(s)
	if err != nil {
		return err
	}
	if err := embed.SparesFiles([]embed.Output{output}, paths); err != nil {
		return err
	}
	if err := c.mayWrite(s, output); err != nil {
		return err
	}
	if len(paths) == 0 {
		if len(unlisted) > 0 {
			return unlisted[0]
		}
		return textError{key: "cli.embed.nothing"}
	}
	sum, err := embed.HashFile(s.ctx, m.Facts.Path)
	if err != nil {
		return err
	}
	check, b, err := s.forVectors(m, &c.planFlags, embed.LargestTokens(c.strategy, len(settings.Prefix)))
	if err != nil {
		return err
	}
	return s.withEngine(check, b, func(vectors *engine.Supervisor) error {
		var tables tables
		cutter := embed.Documents{
			Reading:  document.Options{TextColumn: c.TextColumn, IDColumn: c.IDColumn},
			Strategy: c.strategy, Prefix: settings.Prefix, Limit: embed.ChunkLimit(check.plan, m.Facts), Tokenizer: vectors, Read: tables.take,
		}
		if c.strategy.Tokens > cutter.Limit {
			s.complain(words.Sentence{Message: words.T("cli.embed.shorter", map[string]any{
				"Limit": words.Count(cutter.Limit), "Tokens": words.Count(c.strategy.Tokens),
			})})
		}
		settings.Pooling = cmp.Or(c.Pooling, settings.Pooling)
		report := newEmbedReport(s.stderr)
		job := embed.Start(s.ctx, embed.Options{
			Files: paths, Cutter: cutter, Embedder: vectors, Settings: settings,
			Meta: embed.Meta{
				Model: m.Facts.Name, ModelPath: m.Facts.Path, ModelSHA256: sum, Chunker: cutter.Chunker(),
				Engine: "b" + strconv.Itoa(b.Number), App: s.hooks.Version,
			},
			StatePath: embed.StatePath(c.Out), Resume: c.Resume, Outputs: []embed.Output{output}, Overwrite: c.Overwrite, Changed: report.show,
		})
		state, err := job.Wait()
		report.clear()
		if c.TextColumn == "" {
			tables.say(s)
		}
		return s.embedded(state, unlisted, err)
	})
}

// settings are the family's, but for what was asked for.
func (c *embedCommand) settings(f gguf.Facts) (embed.Settings, error) {
	if err := embed.Usable(f); err != nil {
		return embed.Settings{}, err
	}
	family := embed.FamilyOf(f)
	settings := embed.SettingsOf(family, f)
	settings.Normalise = embed.Normalisation(c.Normalise)
	if c.Prefix != nil {
		settings.Prefix = *c.Prefix
	}
	if c.QueryPrefix != nil {
		settings.QueryPrefix = *c.QueryPrefix
	}
	if c.Dimensions != nil {
		settings.Dimensions = *c.Dimensions
	}
	return settings, settings.Check(family, f)
}

// mayWrite is the error of an output that would be written over, or of an interrupted
// run that would be thrown away, without being asked for.
func (c *embedCommand) mayWrite(s *session, output embed.Output) error {
	if c.Overwrite {
		return nil
	}
	state := embed.StatePath(c.Out)
	if earlier, err := embed.StateOf(s.ctx, state); err == nil && !c.Resume && earlier.FilesDone == len(earlier.Files) && earlier.ChunksFailed == 0 {
		return embed.MayWrite([]embed.Output{output}, "") // the window's, which keeps it when a run is over
	}
	if _, err := os.Stat(state); err == nil && !c.Resume {
		return &embed.FileError{Problem: embed.Interrupted, Path: c.Out}
	}
	return embed.MayWrite([]embed.Output{output}, state)
}

// list are the files to embed, and why others are not. What an earlier run wrote is
// none of them, and is said, as is a folder that contains itself.
func (c *embedCommand) list(s *session) (paths []string, problems []error, err error) {
	ours := 0
	roots := make([]string, len(c.Files))
	for i, file := range c.Files {
		// As they can be found from every folder: vectors are searched from another.
		if roots[i], err = filepath.Abs(onDisk(file)); err != nil {
			return nil, nil, err
		}
	}
	for file, err := range document.List(s.ctx, roots, document.Patterns{Include: c.Include, Exclude: c.Exclude}) {
		var problem *document.Error
		switch {
		case errors.As(err, &problem) && problem.Problem == document.BadPattern:
			return nil, nil, usageError{fmt.Errorf("%q is no pattern for --include or --exclude", problem.Path)}
		case document.IsNotice(err):
			s.complain(engineSentence(err))
		case errors.As(err, &problem):
			problems = append(problems, problem)
		case err != nil:
			return nil, nil, err
		case embed.IsOutput(file.Path):
			ours++
		default:
			paths = append(paths, file.Path)
		}
	}
	if ours > 0 {
		s.complain(words.Sentence{Message: words.T("embed.leftOut", map[string]any{"Count": ours})})
	}
	return paths, problems, nil
}

// forVectors makes the plan of an engine for vectors and holds it against rules and
// memory. largest is the most tokens of a text, 0 where only the model limits it.
func (s *session) forVectors(m library.Model, flags *planFlags, largest int) (checkup, build.Build, error) {
	b, err := s.build()
	if err != nil {
		return checkup{}, b, err
	}
	devices, err := s.devices(b, flags.RPC)
	if err != nil {
		return checkup{}, b, err
	}
	asked, err := flags.plan(devices)
	if err != nil {
		return checkup{}, b, err
	}
	usual := embed.PlanFor(m.Facts, embed.FamilyOf(m.Facts), largest, max(asked.Slots, 1))
	asked.Purpose, asked.Slots = usual.Purpose, usual.Slots
	asked.Pooling = cmp.Or(asked.Pooling, usual.Pooling)
	if asked.ContextTokens == 0 {
		asked.ContextTokens = usual.ContextTokens
	}
	check, err := s.admit(m, asked, b, devices, flags.TryAgain)
	return check, b, err
}

// withEngine loads a plan, uses it, and ends the engine.
func (s *session) withEngine(check checkup, b build.Build, use func(*engine.Supervisor) error) error {
	supervisor, err := s.start(check, b)
	if supervisor != nil {
		defer s.stop(supervisor)
	}
	if err != nil {
		return err
	}
	return use(supervisor)
}

// embedded says how a run has ended.
func (s *session) embedded(state embed.State, problems []error, err error) error {
	failed, unread, again := len(problems), 0, false
	for _, f := range state.Files {
		if f.Err != nil {
			problems = append(problems, f.Err)
			unread++
		}
		if f.Err != nil || f.ChunksFailed > 0 {
			failed++
		}
		again = again || f.ChunksFailed > 0
		problems = append(problems, f.Problems...)
	}
	if errors.Is(err, context.Canceled) {
		err = context.Cause(s.ctx)
	}
	type problem struct {
		Path    string `json:"path"`
		Message string `json:"message"`
		Remedy  string `json:"remedy"`
	}
	listed := []problem{}
	for _, p := range problems {
		sentence := engineSentence(p)
		listed = append(listed, problem{embed.PathOf(p), sentence.Message, sentence.Remedy})
	}
	alarms := []string{}
	for _, alarm := range state.Alarms {
		alarms = append(alarms, words.Error(alarm).Message)
	}
	nothing := err == nil && state.ChunksDone == 0 && len(problems) > 0
	if s.JSON {
		vectors := 0
		for _, output := range state.Outputs {
			vectors = output.Rows
		}
		document := map[string]any{
			"files": len(state.Files), "unread": unread, "chunks": state.Chunks, "vectors": vectors, "dimensions": state.Meta.Dimensions,
			"tokens": state.TokensDone, "seconds": state.Elapsed.Seconds(), "errors": listed, "alarms": alarms,
		}
		if err != nil {
			document["error"] = errorOf(err)
		}
		s.write(document)
	}
	for _, p := range problems {
		s.complain(engineSentence(p))
	}
	for _, alarm := range state.Alarms {
		s.complain(engineSentence(alarm))
	}
	switch {
	case err != nil:
		sentence, status := describe(err)
		s.complain(sentence)
		if state.ChunksDone > 0 {
			s.complain(words.Sentence{Message: words.T("cli.embed.resume")})
		}
		return statusError(status)
	case nothing:
		s.complain(words.Of("cli.embed.nothing", nil))
		return statusError(Failed)
	}
	if !s.JSON {
		read, notRead := len(state.Files)-unread, ""
		if unread > 0 {
			notRead = words.Count(unread)
		}
		s.print("%s\n", words.T("cli.embed.done", map[string]any{
			"Vectors": words.Count(state.ChunksDone), "VectorCount": state.ChunksDone, "Dimensions": state.Meta.Dimensions,
			"Files": words.Count(read), "FileCount": read, "Unread": notRead,
			"Seconds": words.Seconds(state.Elapsed), "Speed": words.Speed(state.TokensPerSecond), "File": gguf.Printable(outputNames(state)),
		}))
	}
	if failed > 0 {
		s.complain(words.Of("cli.embed.failed", map[string]any{"Count": failed, "Resume": again, "File": gguf.Printable(outputNames(state))}))
		return statusError(Failed)
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func outputNames(state embed.State) string {
	var names []string
	for _, output := range state.Outputs {
		names = append(names, output.Path)
	}
	return strings.Join(names, ", ")
}
