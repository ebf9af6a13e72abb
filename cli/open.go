package cli

import "fmt"

type openCommand struct {
	Files []string `arg:"" optional:"" help:"${openFiles}"`
}

func (c *openCommand) Run(s *session) error {
	for i, file := range c.Files {
		c.Files[i] = onDisk(file)
		if !isPath(c.Files[i]) {
			return usageError{mistyped(file)}
		}
	}
	return s.hooks.Window(s.ctx, s.request(c.Files))
}

// mistyped says what a word is not, and which command it may stand for.
func mistyped(word string) error {
	for _, command := range Grammar().Children {
		if distance(word, command.Name) <= 2 {
			return fmt.Errorf("%q is neither a command nor a file, perhaps %s was meant", word, command.Name)
		}
	}
	return fmt.Errorf("%q is neither a command nor a file", word)
}

// distance is how many letters have to be changed, added or left out to make one
// word the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}

type tourCommand struct {
	Dir   string `arg:"" help:"${tourDir}"`
	Model string `placeholder:"FILE" help:"${tourModel}"`
	Shots bool   `help:"${tourShots}"`
}

func (c *tourCommand) Run(s *session) error {
	return s.hooks.Tour(s.ctx, TourRequest{Request: s.request(nil), Dir: c.Dir, Model: c.Model, Shots: c.Shots})
}

func (s *session) request(files []string) Request {
	return Request{Files: files, ConfigDir: s.Config, Engine: s.Engine, LogPath: s.Log, Verbose: s.Verbose}
}
