package hubtest

import (
	"net/http"
	"time"
)

// Faults are what is wrong with a hub's answers.
type Faults struct {
	Status      int    // of every answer of the hub, in place of what was asked for
	FilesStatus int    // of the host that has the files
	Once        bool   // the status is that of one answer only
	RetryAfter  string // a header of such answers
	RateLimit   string // the hub's own header for that
	Message     string // and its words

	Body        string // of every list, in place of one
	ContentType string // of Body, and of files
	Endless     bool   // lists have no end
	PageSize    int    // of lists, whatever is asked for; 0 for that
	ForeignNext bool   // the address of a next page is at another host

	CutAfter    []int // bytes of a file's answers after which the connection breaks, one answer after another
	NoRanges    bool  // files are sent whole whatever is asked for
	WrongRanges bool  // another piece is sent than was asked for
	WrongBytes  bool  // files have another content than the list says
	LongerBy    int   // bytes that come behind a file's end
	NoLength    bool  // answers don't say how long they are
	Stall       bool  // a file's answer stops after its header
	Redirects   bool  // redirects lead in a circle

	BytesPerSecond int // of files, 0 for all that is possible
}

func (f Faults) once(atFiles bool) bool {
	return f.Once && (f.Status != 0 && !atFiles || f.FilesStatus != 0 && atFiles)
}

// fail answers with a status, when the faults have one.
func (f Faults) fail(w http.ResponseWriter, status int) bool {
	if status == 0 {
		return false
	}
	for name, value := range map[string]string{"Retry-After": f.RetryAfter, "RateLimit": f.RateLimit, "X-Error-Message": f.Message} {
		if value != "" {
			w.Header().Set(name, value)
		}
	}
	w.WriteHeader(status)
	return true
}

// A spoiler is a file's answer with faults.
type spoiler struct {
	http.ResponseWriter
	faults Faults
	cut    int // bytes until the connection breaks, less than 0 for never
	bodied bool
}

func (s *spoiler) Write(data []byte) (int, error) {
	written := 0
	for len(data) > 0 {
		piece := data[:min(len(data), 32<<10)]
		if s.faults.BytesPerSecond > 0 {
			piece = piece[:min(len(piece), max(1, s.faults.BytesPerSecond/20))]
			time.Sleep(time.Second * time.Duration(len(piece)) / time.Duration(s.faults.BytesPerSecond))
		}
		if s.cut >= 0 {
			piece = piece[:min(len(piece), s.cut)]
			s.cut -= len(piece)
		}
		sent := piece
		if s.faults.WrongBytes && !s.bodied && len(piece) > 0 {
			sent = append([]byte{^piece[0]}, piece[1:]...)
		}
		s.bodied = true
		n, err := s.ResponseWriter.Write(sent)
		written += n
		if err != nil {
			return written, err
		}
		if s.cut == 0 {
			s.flush()
			panic(http.ErrAbortHandler)
		}
		if s.faults.BytesPerSecond > 0 {
			s.flush()
		}
		data = data[len(piece):]
	}
	return written, nil
}

func (s *spoiler) flush() { _ = http.NewResponseController(s.ResponseWriter).Flush() }
