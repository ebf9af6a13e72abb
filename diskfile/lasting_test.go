package diskfile

import (
	"bytes"
	"io/fs"
	"testing"
)

// A failing writer has room for one write.
type failing struct {
	bytes.Buffer
	calls int
}

func (f *failing) Write(p []byte) (int, error) {
	if f.calls++; f.calls > 1 {
		return 0, fs.ErrPermission
	}
	return f.Buffer.Write(p)
}

func TestALogThatCannotBeWrittenIsTriedOnce(t *testing.T) {
	to := &failing{}
	log := &Lasting{To: to}
	for range 3 {
		if n, err := log.Write([]byte("line")); n != 4 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if to.calls != 2 || to.String() != "line" || log.Err != fs.ErrPermission {
		t.Errorf("%d writes, %q, %v", to.calls, to.String(), log.Err)
	}
}
