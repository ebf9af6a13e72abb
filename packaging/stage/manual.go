package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"paddock/cli"
)

// manual writes the man page.
func manual(in inputs, app tree) error {
	var zipped bytes.Buffer
	w, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(manPage(cli.Grammar(), in.version, in.when)); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return app.write("usr/share/man/man1/paddock.1.gz", zipped.Bytes())
}

// manPage is all that the command line's help says, as one page, and what it
// does not say: exit statuses and folders.
func manPage(g *kong.Application, version string, when time.Time) []byte {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`.TH PADDOCK 1 %s "Paddock %s" "User Commands"`, when.Format(time.DateOnly), version)
	line(".SH NAME\npaddock \\- run GGUF language models on this computer")
	line(".SH SYNOPSIS")
	line(".B paddock\n.RI [ FILE ...]\n.br\n.B paddock\n.I COMMAND\n.RI [ ARGUMENT ...]\n.RI [ OPTION ...]")
	line(".SH DESCRIPTION\n%s", roff(g.Help))
	line("Where a window is open already, files are handed to it.")
	line(".SH OPTIONS")
	for _, flag := range g.Flags {
		manFlag(&b, flag)
	}
	line(".SH COMMANDS")
	for _, command := range g.Children {
		line(".SS %s", roff(strings.TrimSpace("paddock "+command.Summary())))
		line("%s", roff(command.Help))
		for _, argument := range command.Positional {
			line(".TP\n.I %s\n%s", roff(strings.ToUpper(argument.Name)), roff(argument.Help))
		}
		for _, flag := range command.Flags {
			manFlag(&b, flag)
		}
	}
	line(".SH EXIT STATUS")
	for _, s := range []struct {
		code int
		what string
	}{
		{cli.Done, "Done."},
		{cli.Failed, "Failed; the reason is on standard error."},
		{cli.WrongUsage, "The command line makes no sense."},
		{cli.Refused, "The settings can not work: nothing was started."},
		{cli.DoesNotFit, "The settings are valid, but there is not enough memory for them."},
	} {
		line(".TP\n.B %d\n%s", s.code, roff(s.what))
	}
	line(".SH FILES")
	for _, f := range []struct{ path, what string }{
		{"~/.config/paddock", "Settings."},
		{"~/.local/share/paddock", "Chats, and models that were downloaded."},
		{"~/.local/state/paddock", "Logs."},
		{"~/.cache/paddock", "What is known of models, and the Guide, the small model that comes with Paddock."},
		{"/usr/lib/paddock/engine", "The engine, llama.cpp, of the Debian package."},
	} {
		line(".TP\n.I %s\n%s", roff(f.path), roff(f.what))
	}
	line(".SH EXAMPLES")
	for _, e := range []struct{ command, what string }{
		{"paddock model.gguf", "Opens the window with a model."},
		{"paddock check model.gguf --context 32768", "Says what the model needs with a context of 32768 tokens."},
		{`paddock chat guide "What is MTP?"`, "Asks the Guide."},
	} {
		line(".TP\n.B %s\n%s", roff(e.command), roff(e.what))
	}
	return b.Bytes()
}

// manFlag is the entry of a flag.
func manFlag(b *bytes.Buffer, flag *kong.Flag) {
	name := `\fB\-\-` + roff(flag.Name) + `\fR`
	if flag.Short != 0 {
		name = `\fB\-` + roff(string(flag.Short)) + `\fR, ` + name
	}
	if !flag.IsBool() {
		name += `=\fI` + roff(flag.FormatPlaceHolder()) + `\fR`
	}
	fmt.Fprintf(b, ".TP\n%s\n%s", name, roff(flag.Help))
	if values := choices(flag.Value); len(values) > 0 && strings.Join(values, "|") != flag.PlaceHolder {
		fmt.Fprintf(b, " One of %s.", roff(strings.Join(values, ", ")))
	}
	b.WriteByte('\n')
}

// choices are the values a flag may have where they are a list.
func choices(v *kong.Value) []string {
	var values []string
	for _, value := range v.EnumSlice() {
		if value != "" { // stands for nothing having been chosen
			values = append(values, value)
		}
	}
	return values
}

// roff is a text as troff reads it as text: a hyphen is the one of the keyboard,
// and no line begins with what is a command there.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ", "\u00a0", `\ `).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
