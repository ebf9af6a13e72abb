package cli

import (
	"io"
	"os"

	"github.com/sirupsen/logrus"
)

// openLog sets the log up: to the file of --log, to stderr with -v, else nowhere.
func (s *session) openLog() (closeLog func(), err error) {
	s.log = logrus.New()
	s.log.SetOutput(io.Discard)
	if s.Verbose {
		s.log.SetLevel(logrus.DebugLevel)
		s.log.SetOutput(s.stderr)
	}
	if s.Log == "" {
		return func() {}, nil
	}
	file, err := os.OpenFile(s.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, textError{"cli.log", map[string]any{"File": s.Log, "Reason": reason(err)}, err}
	}
	s.log.SetOutput(file)
	return func() { file.Close() }, nil
}
