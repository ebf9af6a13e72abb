package words

import "testing"

func TestTheUsersOwnFolderIsWrittenAsATilde(t *testing.T) {
	t.Setenv("HOME", "/home/ana")
	for _, c := range []struct{ path, want string }{
		{"/home/ana/models", "~/models"}, {"/home/ana", "~"}, {"/home/anabel/x", "/home/anabel/x"}, {"/mnt/x", "/mnt/x"},
		{"/mnt/a\nb", `/mnt/a\nb`},
	} {
		if got := Path(c.path); got != c.want {
			t.Errorf("%s is shown as %s, want %s", c.path, got, c.want)
		}
	}
}
