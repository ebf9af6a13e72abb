package cli

import (
	"io"
	"os"

	"github.com/sirupsen/logrus"

	"paddock/diskfile"
	"paddock/words"
)

// openLog sets the log up: to the file of --log and, with -v, to stderr.
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
		return nil, textError{"cli.log", map[string]any{"File": s.Log, "Reason": words.Reason(err)}, err}
	}
	log := &diskfile.Lasting{To: file}
	s.log.SetOutput(log)
	if s.Verbose {
		s.log.SetOutput(io.MultiWriter(log, s.stderr))
	}
	return func() {
		file.Close()
		if log.Err != nil {
			sentence, _ := describe(textError{"cli.log", map[string]any{"File": s.Log, "Reason": words.Reason(log.Err)}, log.Err})
			s.complain(sentence)
		}
	}, nil
}
