//go:build unix

package chat

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

func init() { children["full"] = fillTheDisk }

// fillTheDisk is a process whose files may not grow beyond 1 MB, which is what it
// meets of a disk that fails. It adds conversations until that has failed three
// times, and prints what is told.
func fillTheDisk(folder string) {
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		panic(err)
	}
	ctx := context.Background()
	s, _, err := open(ctx, folder, func(err error) { fmt.Println(err) }, quick())
	if err != nil {
		panic(err)
	}
	for failed := 0; failed < 3; {
		c, err := s.Start(ctx, "")
		if err == nil {
			_, err = s.Add(ctx, Turn{Conversation: c.ID, Role: User, Text: fmt.Sprint(c.ID, strings.Repeat("x", 10_000))})
		}
		if err != nil {
			failed++
		}
	}
	os.Exit(0) // as if killed: Close would want to write, too
}

func TestFilesThatMayNotGrowDamageNothing(t *testing.T) {
	folder := t.TempDir()
	_, lines := run(t, "full", folder)
	lines.Buffer(nil, 1<<20)
	var told []string
	for lines.Scan() {
		told = append(told, lines.Text())
	}
	if len(told) != 1 || !strings.HasPrefix(told[0], "chat: unwritable") {
		t.Fatalf("told %q", told)
	}
	s, opened := openStore(t, folder, quick())
	if opened != (Opened{}) {
		t.Errorf("opened with %+v", opened)
	}
	all, err := s.Conversations(context.Background())
	must(t, err)
	if len(all) < 2 {
		t.Fatalf("%d conversations", len(all))
	}
	for _, c := range all {
		if turns := path(t, s, c.ID); len(turns) > 0 && turns[0].Text != fmt.Sprint(c.ID, strings.Repeat("x", 10_000)) {
			t.Errorf("conversation %d is damaged", c.ID)
		}
	}
}
