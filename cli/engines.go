package cli

import (
	"fmt"
	"text/tabwriter"

	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/words"
)

type enginesCommand struct{}

// Run lists the builds. One that can't be used is in the list, with the reason.
func (c *enginesCommand) Run(s *session) error {
	builds, err := s.builds()
	if err != nil {
		return err
	}
	if s.Engine != "" {
		b, err := s.build()
		if err != nil {
			return err
		}
		builds = []build.Build{b}
	}
	for i, b := range builds {
		if err := b.Err(); err != nil {
			builds[i].Problem = words.Error(err).Message
		}
	}
	if s.JSON {
		if builds == nil {
			builds = []build.Build{}
		}
		s.write(builds)
		return nil
	}
	if len(builds) == 0 {
		s.print("%s\n", words.T("cli.engines.none"))
		return nil
	}
	table := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	for _, b := range builds {
		about := b.Problem
		if about == "" {
			about = words.T("cli.engines.build", map[string]any{"Build": fmt.Sprint(b.Number), "Version": b.Version})
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", b.ID, b.Source, gguf.Printable(about), gguf.Printable(b.Path))
	}
	return table.Flush()
}
