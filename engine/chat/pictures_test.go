package chat

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAPictureIsKeptOnce(t *testing.T) {
	s := newStore(t)
	one, err := s.PutPicture(t.Context(), []byte("a picture"))
	must(t, err)
	two, err := s.PutPicture(t.Context(), []byte("a picture"))
	must(t, err)
	files, err := os.ReadDir(s.pictureFolder())
	must(t, err)
	if one != two || len(files) != 1 || files[0].Name() != string(one) {
		t.Errorf("%s, %s, %v", one, two, files)
	}
	data, err := s.Picture(t.Context(), one)
	if err != nil || string(data) != "a picture" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestABrokenPictureIsDamagedAndPuttingItAgainMendsIt(t *testing.T) {
	s := newStore(t)
	hash, err := s.PutPicture(t.Context(), []byte("a picture"))
	must(t, err)
	must(t, os.WriteFile(s.PicturePath(hash), []byte("a pict"), 0o600))
	_, err = s.Picture(t.Context(), hash)
	wantProblem(t, err, Damaged)
	_, err = s.PutPicture(t.Context(), []byte("a picture"))
	must(t, err)
	_, err = s.Picture(t.Context(), hash)
	must(t, err)
	_, err = s.PutPicture(t.Context(), make([]byte, MaxPictureBytes+1))
	wantProblem(t, err, TooLarge)
}

func TestAPictureThatCannotBeWrittenIsTold(t *testing.T) {
	var told notes
	folder := t.TempDir()
	must(t, os.WriteFile(filepath.Join(folder, "pictures"), nil, 0o600)) // no folder can be made there
	s, _, err := open(t.Context(), folder, told.add, quick())
	must(t, err)
	defer s.Close()
	_, err = s.PutPicture(t.Context(), []byte("a picture"))
	wantProblem(t, err, Unwritable)
}

func TestOnlyPicturesThatNoTurnHasAreRemovedAfterADay(t *testing.T) {
	clock := newClock()
	k := quick()
	k.now = clock.Now
	folder := t.TempDir()
	s, _ := openStore(t, folder, k)
	ctx := t.Context()
	put := func(text string) Hash {
		hash, err := s.PutPicture(ctx, []byte(text))
		must(t, err)
		return hash
	}
	used, unused := put("used"), put("unused")
	_, err := s.Add(ctx, Turn{Conversation: start(t, s), Role: User, Pictures: []Hash{used}})
	must(t, err)
	foreign := filepath.Join(s.pictureFolder(), "notes.txt")
	must(t, os.WriteFile(foreign, nil, 0o600))
	clock.pass(25 * time.Hour)
	fresh := put("fresh")
	put("used again")
	must(t, s.sweep(ctx))
	for hash, there := range map[Hash]bool{used: true, unused: false, fresh: true} {
		if _, err := s.Picture(ctx, hash); (err == nil) != there {
			t.Errorf("%v", err)
		}
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error(err)
	}
}
