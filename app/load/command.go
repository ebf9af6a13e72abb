package load

import (
	"context"
	"strings"

	"paddock/engine/plan"
)

// Command is the command line the plan stands for, empty when there is no engine
// to run it.
func (p *Presenter) Command() string {
	if p.state.Preparing || p.state.Build.Path == "" {
		return ""
	}
	cmd := p.state.Build.Command(context.Background(), "llama-server", plan.Arguments(p.state.Plan)...)
	quoted := make([]string, len(cmd.Args))
	for i, arg := range cmd.Args {
		quoted[i] = quote(arg)
	}
	return strings.Join(quoted, " ")
}

// quote writes an argument so that a shell reads it back as it is.
func quote(arg string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%"
	if arg != "" && strings.Trim(arg, plain) == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
