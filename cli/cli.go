// Package cli is Paddock's command line. It parses, calls the engine's packages
// and prints; what it can do, they do. It never reaches the window: that and the
// tour are handed in.
package cli

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/alecthomas/kong"
	"github.com/sirupsen/logrus"

	"paddock/config"
	"paddock/words"
)

// Exit statuses.
const (
	Done       = 0
	Failed     = 1
	WrongUsage = 2
	Refused    = 3 // the plan is refused
	DoesNotFit = 4 // valid, but there is not enough memory
)

// grammar is the whole command line.
type grammar struct {
	shared

	Open    openCommand    `cmd:"" default:"withargs" help:"${openCommand}"`
	Models  modelsCommand  `cmd:"" help:"${modelsCommand}"`
	Engines enginesCommand `cmd:"" help:"${enginesCommand}"`
	Check   checkCommand   `cmd:"" help:"${checkCommand}"`
	Chat    chatCommand    `cmd:"" help:"${chatCommand}"`
	Caption captionCommand `cmd:"" help:"${captionCommand}"`
	Embed   embedCommand   `cmd:"" help:"${embedCommand}"`
	Search  searchCommand  `cmd:"" help:"${searchCommand}"`
	Devices devicesCommand `cmd:"" help:"${devicesCommand}"`
	Tour    tourCommand    `cmd:"" help:"${tourCommand}"`
}

// parser is what reads a command line into the grammar.
func (g *grammar) parser(more ...kong.Option) *kong.Kong {
	parser, err := kong.New(g, append([]kong.Option{
		kong.Name("paddock"),
		kong.Description(words.T("cli.help.paddock")),
		helpVariables(),
	}, more...)...)
	if err != nil {
		panic("the grammar is broken: " + err.Error())
	}
	return parser
}

// Grammar is every command and flag there is, for who writes about them: the man
// page and the completions of shells.
func Grammar() *kong.Application {
	return new(grammar).parser(kong.Vars{"version": ""}).Model
}

// shared are the flags of every command.
type shared struct {
	JSON    bool             `help:"${json}"`
	Config  string           `placeholder:"DIR" help:"${config}"`
	Engine  string           `placeholder:"ID|PATH" help:"${engine}"`
	Log     string           `placeholder:"FILE" help:"${log}"`
	Verbose bool             `short:"v" help:"${verbose}"`
	Version kong.VersionFlag `help:"${showVersion}"`
}

// session is what a command runs with.
type session struct {
	shared
	ctx    context.Context
	stdin  io.Reader
	stdout *output
	stderr io.Writer
	hooks  Hooks
	log    *logrus.Logger
	config *config.Store // opened when it is first needed
}

// exited is how a flag that ends the program (--help, --version) leaves kong.
type exited int

// Run does what args (without the program's name) ask for and returns the exit
// status. A window is opened on the calling goroutine. When ctx ends, what runs
// is stopped, the engine with it.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, hooks Hooks) (status int) {
	out := &output{to: stdout}
	s := &session{ctx: ctx, stdin: stdin, stdout: out, stderr: stderr, hooks: hooks}
	status = s.run(args)
	s.clear()
	if out.err != nil && (status == Done || status == Refused || status == DoesNotFit) {
		return s.fail(textError{"cli.output", map[string]any{"Reason": words.Reason(out.err)}, out.err})
	}
	return status
}

// run is Run before the look at what was left behind and not written.
func (s *session) run(args []string) (status int) {
	var g grammar
	parser := g.parser(
		kong.Writers(s.stdout, s.stderr),
		kong.Vars{"version": s.hooks.version(asksForJSON(args))},
		kong.Exit(func(code int) { panic(exited(code)) }),
	)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case exited:
			status = int(r)
		default:
			panic(r)
		}
	}()

	parsed, err := parser.Parse(args)
	s.shared = g.shared
	if err != nil {
		s.JSON = s.JSON || asksForJSON(args)
		return s.fail(usageError{err})
	}
	closeLog, err := s.openLog()
	if err != nil {
		return s.fail(err)
	}
	defer closeLog()

	s.log.WithField("command", parsed.Command()).Debug("started")
	err = parsed.Run(s)
	var done statusError
	if errors.As(err, &done) {
		return int(done)
	}
	if err != nil {
		return s.fail(err)
	}
	return Done
}

// clear removes the folder for engines' sockets when it is empty: it may be one
// in a place for temporary files that nobody else clears.
func (s *session) clear() {
	if s.config != nil {
		_ = os.Remove(s.config.Folders().Runtime) // with something in it, it stays
	}
}

// asksForJSON looks for --json where the arguments are not parsed, or could not
// be.
func asksForJSON(args []string) bool {
	for _, arg := range args {
		if arg == "--" {
			return false
		}
		if arg == "--json" {
			return true
		}
	}
	return false
}
