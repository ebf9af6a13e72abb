package words

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"paddock/engine/chat"
)

func TestEveryProblemOfChatsHasASentence(t *testing.T) {
	said := func(name string, err error) {
		t.Helper()
		s := Error(err)
		if s.Message == "" || s.Remedy == "" || strings.Contains(s.Message+s.Remedy, s.Key) || strings.Contains(s.Message+s.Remedy, "<no value>") {
			t.Errorf("%s: %+v", name, s)
		}
	}
	for name, value := range kinds(t, "engine/chat", "Problem") {
		said(name, &chat.Error{Problem: chat.Problem(value), Path: "/data/chats/chats.db"})
	}
}

func TestTheSentencesOfChatsNameWhatTheyAreAbout(t *testing.T) {
	denied := &fs.PathError{Op: "open", Path: "/data/chats/x", Err: syscall.EACCES}
	for want, err := range map[string]error{
		"There is no room on the disk, so the chat can't be saved. Free some space. Paddock keeps what is here and saves it as soon as it can.": &chat.Error{Problem: chat.Full, Path: "/data/chats/chats.db", Err: errors.New("disk is full")},
		"The chat can't be saved in /data/chats: permission denied. Make the folder writable. Paddock keeps trying.":                            &chat.Error{Problem: chat.Unwritable, Path: "/data/chats/chats.db", Err: denied},
	} {
		s := Error(err)
		if got := s.Message + " " + s.Remedy; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
