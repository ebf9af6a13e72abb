package load

import (
	"context"

	"paddock/engine/plan"
	"paddock/words"
)

// Command is the command line the plan stands for, empty when there is no engine
// to run it.
func (p *Presenter) Command() string {
	if p.state.Preparing || p.state.Build.Path == "" {
		return ""
	}
	cmd := p.state.Build.Command(context.Background(), "llama-server", plan.Arguments(p.state.Plan)...)
	return words.Shell(cmd.Args)
}
