package server

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// How much of the log is kept in memory, in lines: the newest, and the first
// that may say why a start failed.
const (
	ringLines     = 300
	evidenceLines = 50
)

// A journal takes in what the engine prints: into a file, and into what a start
// and a failure need to know of it.
type journal struct {
	secrets *strings.Replacer
	news    chan struct{} // something came since it was last received from
	warn    func(error)   // told when the file can't be written; may be nil

	mu       sync.Mutex
	file     *logFile
	ring     []line
	evidence []line // of errors, oldest first, until the engine is proven
	active   time.Time
	progress float64 // negative until the engine reports it
	ready    bool    // reported in child mode
	address  string  // a loopback address it listens on
	placed   placement
}

// A placement is where the log says the model is.
type placement struct {
	devices []string
	layers  int // on devices; negative when the log does not say
	of      int
}

var (
	usingDevice = regexp.MustCompile(`using device (\S+) `)
	offloaded   = regexp.MustCompile(`offloaded (\d+)/(\d+) layers to GPU`)
	listening   = regexp.MustCompile(`listening on (http://\S+)`)
)

func newJournal(file *logFile, key string, warn func(error)) *journal {
	j := &journal{
		// The engine itself logs the last four characters of its keys.
		secrets:  strings.NewReplacer(key, "…", "****"+key[max(len(key)-4, 0):], "…"),
		news:     make(chan struct{}, 1),
		warn:     warn,
		file:     file,
		active:   time.Now(),
		progress: -1,
		placed:   placement{layers: -1},
	}
	j.tell(file.untold())
	return j
}

// add takes in one line of output.
func (j *journal) add(output string) {
	failure := j.take(output)
	select {
	case j.news <- struct{}{}:
	default:
	}
	j.tell(failure)
}

// tell warns of a log that can't be written. The lock is not held: whoever is
// told may ask for the last words, or wait for somebody who does.
func (j *journal) tell(failure error) {
	if failure != nil && j.warn != nil {
		j.warn(failure)
	}
}

// take is add with the lock held. The error is that of the file, once.
func (j *journal) take(output string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := time.Now()
	if state, ok := parseChildState(output); ok {
		j.active, j.progress = now, max(state.progress, j.progress)
		j.ready = j.ready || state.ready
	} else {
		for _, l := range parseLines(output, now) {
			l.text = j.secrets.Replace(l.text)
			j.note(l)
		}
	}
	return j.file.untold()
}

func (j *journal) note(l line) {
	j.file.write(fmt.Sprintf("%s %c %s\n", l.at.Format("15:04:05.000"), l.level, l.text))
	if len(j.ring) == ringLines {
		copy(j.ring, j.ring[1:])
		j.ring = j.ring[:ringLines-1]
	}
	j.ring = append(j.ring, l)
	if len(j.evidence) < evidenceLines && speaksOfError(l) {
		j.evidence = append(j.evidence, l)
	}
	// Some builds log our own questions; they are no sign of life.
	if !strings.Contains(l.text, "/health") {
		j.active = l.at
	}
	if match := usingDevice.FindStringSubmatch(l.text); match != nil && !slices.Contains(j.placed.devices, match[1]) {
		j.placed.devices = append(j.placed.devices, match[1])
	}
	if match := offloaded.FindStringSubmatch(l.text); match != nil {
		j.placed.layers, _ = strconv.Atoi(match[1])
		j.placed.of, _ = strconv.Atoi(match[2])
	}
	if match := listening.FindStringSubmatch(l.text); match != nil {
		j.address = match[1]
	}
}

// A snapshot is what a start looks at while it waits.
type snapshot struct {
	active   time.Time
	progress float64
	ready    bool
	address  string
	placed   placement
}

func (j *journal) now() snapshot {
	j.mu.Lock()
	defer j.mu.Unlock()
	placed := j.placed
	placed.devices = slices.Clone(placed.devices)
	return snapshot{j.active, j.progress, j.ready, j.address, placed}
}

// How long the log is to be quiet before it counts as read, and how long that is
// waited for. An engine's answers overtake its log: they come another way.
const (
	quietTime  = 20 * time.Millisecond
	settleTime = 500 * time.Millisecond
)

// settle waits until the log is read.
func (j *journal) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	for {
		select {
		case <-ctx.Done():
			return
		case <-j.news:
		case <-time.After(quietTime):
			return
		}
	}
}

func (j *journal) lastWords() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	words := make([]string, len(j.ring))
	for i, l := range j.ring {
		words[i] = fmt.Sprintf("%c %s", l.level, l.text)
	}
	return words
}

// errors are the lines that may say why, oldest first.
func (j *journal) errors() []line {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.evidence)
}

// forget drops the evidence of a start that succeeded, so that a crash later is
// told by what was logged since.
func (j *journal) forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.evidence = nil
}

// recentErrors are the lines of the last moments that may say why.
func (j *journal) recentErrors(since time.Time) []line {
	j.mu.Lock()
	defer j.mu.Unlock()
	var lines []line
	for _, l := range j.ring {
		if l.at.After(since) && speaksOfError(l) {
			lines = append(lines, l)
		}
	}
	return lines
}

func (j *journal) path() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.file.made {
		return ""
	}
	return j.file.path
}

func (j *journal) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.file.close()
}

// outputLimit is how much of one line of output is held, in bytes.
const outputLimit = 64 << 10

// A lineWriter hands what is written to it to the journal, line by line.
type lineWriter struct {
	journal *journal
	partial []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	size := len(p)
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			w.hold(p)
			return size, nil
		}
		w.hold(p[:end])
		w.journal.add(string(w.partial))
		w.partial = w.partial[:0]
		p = p[end+1:]
	}
}

// flush hands over a last line without an end.
func (w *lineWriter) flush() {
	if len(w.partial) > 0 {
		w.journal.add(string(w.partial))
		w.partial = nil
	}
}

// hold drops what is too much of one line.
func (w *lineWriter) hold(p []byte) {
	w.partial = append(w.partial, p[:min(len(p), outputLimit-len(w.partial))]...)
}
