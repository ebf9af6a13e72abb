package app

import (
	"path/filepath"
	"slices"
	"testing"

	"fyne.io/fyne/v2"

	"paddock/engine/picture/picturetest"
)

func TestWhatIsDroppedGoesWhereItBelongs(t *testing.T) {
	dir := t.TempDir()
	picture := write(t, filepath.Join(dir, "a.bin"), string(picturetest.Encode(t, "png", picturetest.Photo(8, 8))))
	text := write(t, filepath.Join(dir, "notes.txt"), "hello")
	model := write(t, filepath.Join(dir, "m.gguf"), "GGUF")
	pictures, gone := t.TempDir(), filepath.Join(dir, "gone.png")
	for _, c := range []struct {
		name   string
		onChat bool
		chat   []string
		others []string
	}{
		{"on the chat", true, []string{picture, text, pictures, gone}, []string{model, dir}},
		{"elsewhere", false, []string{picture}, []string{text, model, dir, pictures, gone}},
	} {
		all := []string{picture, text, model, dir, pictures, gone}
		chat, others := forChat(all, c.onChat)
		slices.Sort(chat)
		slices.Sort(c.chat)
		slices.Sort(others)
		slices.Sort(c.others)
		if !slices.Equal(chat, c.chat) || !slices.Equal(others, c.others) {
			t.Errorf("%s: %q go to the chat, %q elsewhere", c.name, chat, others)
		}
	}
}

func TestAPictureDroppedAnywhereGoesWithTheMessage(t *testing.T) {
	picture := write(t, filepath.Join(t.TempDir(), "fence.png"), string(picturetest.Encode(t, "png", picturetest.Photo(64, 48))))
	b := newBench(t, nil)
	b.GoTo(pageSettings)
	b.Open([]string{picture})
	b.until("it is attached", func() bool {
		a := b.chatTab().State().Attachments
		return len(a) == 1 && a[0].Name == "fence.png" && !a[0].Reading && a[0].Path != ""
	})
	if b.current.id != pageChat {
		t.Errorf("it stays in %s", b.current.id)
	}
}

func TestEscapeClosesADialogOfTheChatAsItsButtonDoes(t *testing.T) {
	b := newBench(t, nil)
	b.GoTo(pageChat)
	b.until("the chats are open", func() bool { return !b.chatTab().State().Opening })
	long := write(t, filepath.Join(t.TempDir(), "long.txt"), longText())
	b.Open([]string{long})
	b.until("it is asked about", func() bool { return b.chatTab().State().Question != nil && b.fyne.Canvas().Overlays().Top() != nil })
	b.fyne.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	b.until("the question is gone", func() bool { return b.chatTab().State().Question == nil })
	if b.fyne.Canvas().Overlays().Top() != nil || len(b.chatTab().State().Attachments) != 0 {
		t.Error("the dialog is still there, or the text was added")
	}
}

func longText() string {
	text := make([]byte, 400_000)
	for i := range text {
		text[i] = "all work and no play\n"[i%21]
	}
	return string(text)
}
