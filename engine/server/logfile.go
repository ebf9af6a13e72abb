package server

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// What is kept of logs. A log that reaches its limit starts anew; the part
// before stays beside it, with ".1" at its end.
const (
	logLimitBytes = 4 << 20
	logsKept      = 10
)

// A LogError says that the engine's log can't be written, and why: the disk is
// full, most likely. The engine runs on.
type LogError struct {
	Path string
	Err  error
}

func (e *LogError) Error() string { return fmt.Sprintf("engine log %s: %v", e.Path, e.Err) }

func (e *LogError) Unwrap() error { return e.Err }

// A logFile is the engine's log on disk, of bounded size. After the first error
// it writes nothing more. It is not safe for concurrent use.
type logFile struct {
	path string
	made bool     // there is a file at path
	file *os.File // nil when nothing can be written
	size int
	err  *LogError // why nothing can, until untold gave it away
	open func(path string) (*os.File, error)
}

// logs counts them: two may begin in one second.
var logs atomic.Int64

// newLogFile makes a log in dir, named for now, and removes the oldest ones.
func newLogFile(dir string, open func(path string) (*os.File, error)) *logFile {
	name := fmt.Sprintf("engine-%s-%d-%d.log", time.Now().Format("20060102-150405"), os.Getpid(), logs.Add(1))
	l := &logFile{path: filepath.Join(dir, name), open: open}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		l.fail(err)
		return l
	}
	prune(dir)
	l.start()
	return l
}

// openLog is how a log is opened, but in tests.
func openLog(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
}

func (l *logFile) start() {
	file, err := l.open(l.path)
	if err != nil {
		l.fail(err)
		return
	}
	l.file, l.size, l.made = file, 0, true
}

func (l *logFile) write(text string) {
	if l.file == nil {
		return
	}
	if l.size+len(text) > logLimitBytes {
		l.file.Close()
		l.file = nil
		if err := os.Rename(l.path, l.path+".1"); err != nil {
			l.fail(err)
			return
		}
		if l.start(); l.file == nil {
			return
		}
	}
	if _, err := l.file.WriteString(text); err != nil {
		l.fail(err)
		return
	}
	l.size += len(text)
}

func (l *logFile) fail(err error) {
	l.close()
	l.err = &LogError{Path: l.path, Err: err}
}

// untold is why the log can't be written, a *LogError, the first time it is
// asked for after that came out, else nil.
func (l *logFile) untold() error {
	if l.err == nil {
		return nil
	}
	err := l.err
	l.err = nil
	return err
}

func (l *logFile) close() {
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
}

// prune leaves room for one more log. Their names sort by age.
func prune(dir string) {
	entries, err := os.ReadDir(dir) // by name; and not Glob, to which a folder is a pattern too
	if err != nil {
		return
	}
	var found []string
	for _, e := range entries {
		if is, _ := filepath.Match("engine-*.log", e.Name()); is {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	if len(found) < logsKept {
		return
	}
	for _, path := range found[:len(found)-logsKept+1] {
		os.Remove(path)
		os.Remove(path + ".1")
	}
}
