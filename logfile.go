package main

import (
	"io"
	stdlog "log"
	"os"
	"path/filepath"

	"github.com/sirupsen/logrus"

	"paddock/diskfile"
)

// logLimit is how large the log may become before it is set aside, in bytes.
const logLimit = 4 << 20

// openLog sends the log to a file: path, or paddock.log in folder. The log of
// before is kept beside it once it is large. Without a file, a full disk say,
// Paddock runs without a log. What Fyne says through Go's own log goes there too
// instead of to stderr.
func openLog(folder, path string, verbose bool) (closeLog func()) {
	log := logrus.StandardLogger()
	log.SetFormatter(&logrus.TextFormatter{DisableColors: true, FullTimestamp: true, TimestampFormat: "2006-01-02T15:04:05.000Z07:00"})
	log.SetOutput(io.Discard)
	if verbose {
		log.SetLevel(logrus.DebugLevel)
		log.SetOutput(os.Stderr)
	}
	others := log.WriterLevel(logrus.WarnLevel)
	stdlog.SetFlags(0)
	stdlog.SetOutput(others)
	closeOthers := func() {
		stdlog.SetOutput(io.Discard)
		others.Close()
	}
	if path == "" {
		path = filepath.Join(folder, "paddock.log")
		if info, err := os.Stat(path); err == nil && info.Size() > logLimit {
			_ = os.Rename(path, path+".1") // what can't be set aside grows on
		}
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		log.WithError(err).Warn("no log file")
		return closeOthers
	}
	if verbose {
		log.SetOutput(io.MultiWriter(&diskfile.Lasting{To: file}, os.Stderr))
	} else {
		log.SetOutput(&diskfile.Lasting{To: file})
	}
	return func() {
		closeOthers()
		log.SetOutput(io.Discard)
		file.Close()
	}
}
