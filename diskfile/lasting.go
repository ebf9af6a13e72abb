package diskfile

import "io"

// A Lasting is a log's file. It takes everything, and writes nothing more once it
// could not: the logger would say so with every line. It is not safe for concurrent use.
type Lasting struct {
	To  io.Writer
	Err error // why nothing is written any more, nil while it is
}

func (l *Lasting) Write(p []byte) (int, error) {
	if l.Err == nil {
		_, l.Err = l.To.Write(p)
	}
	return len(p), nil
}
