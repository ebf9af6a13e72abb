package chat

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paddock/engine"
	"paddock/engine/gguf"
	"paddock/engine/picture/picturetest"
	"paddock/engine/plan"
	"paddock/words"
)

// seeing is a model with a projector that makes 16 tokens of every picture.
func seeing() engine.State {
	s := ready
	s.Model.Path = "/m/seer.gguf"
	s.Plan = plan.Plan{ContextTokens: 4096, ProjectorPath: "/m/mmproj.gguf"}
	s.Given.Beside = []gguf.Facts{{Path: "/m/mmproj.gguf", Encoder: gguf.Encoder{Type: "mlp", ImageSize: 64, PatchSize: 16}}}
	return s
}

// blindModel is a model without one.
func blindModel() engine.State {
	s := ready
	s.Model.Path = "/m/blind.gguf"
	s.Plan.ProjectorPath = plan.NoProjector
	return s
}

// testFiles makes files in a folder and gives their paths.
func testFiles(t *testing.T, contents map[string][]byte) map[string]string {
	t.Helper()
	folder := t.TempDir()
	paths := map[string]string{}
	for name, data := range contents {
		paths[name] = filepath.Join(folder, name)
		if err := os.WriteFile(paths[name], data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

// settled is the state once no file is read any more. Pictures are decoded in time
// that doesn't pass by itself.
func (b *bench) settled() State {
	b.Helper()
	for range 100 {
		time.Sleep(100 * time.Millisecond)
		s := b.do(func() {})
		reading := s.Adding != nil && !s.Adding.Done
		for _, a := range s.Attachments {
			reading = reading || a.Reading
		}
		if !reading {
			return s
		}
	}
	b.Fatal("files are still being read")
	return State{}
}

func TestPicturesGoWithTheMessageAndStayWithTheChat(t *testing.T) {
	inTime(t, seeing(), func(b *bench) {
		paths := testFiles(t, map[string][]byte{
			"a fence.png": picturetest.Encode(t, "png", picturetest.Photo(64, 48)),
			"sign.txt":    picturetest.Encode(t, "jpeg", picturetest.Photo(300, 200)), // its bytes decide
		})
		b.do(func() { b.p.AddFiles([]string{paths["a fence.png"], paths["sign.txt"]}) })
		s := b.settled()
		if len(s.Attachments) != 2 || s.Adding != nil || !s.CanSend {
			b.Fatalf("got %+v, %+v", s.Attachments, s.Adding)
		}
		if a := s.Attachments[0]; a.Name != "a fence.png" || a.Kind != AttachedPicture || a.Tokens != 16 || !a.TokensAbout || a.Path == "" || a.Off != "" {
			b.Errorf("the first is %+v", a)
		}
		if s.ContextAttached != 32 {
			b.Errorf("they take %d tokens", s.ContextAttached)
		}
		b.send("What is it?")
		b.last()
		s = b.state()
		if len(s.Turns[0].Pictures) != 2 || s.Turns[0].Pictures[0].Name != "a fence.png" || !s.Conversations[0].HasPicture || len(s.Attachments) != 0 {
			b.Errorf("sent: %+v", s.Turns[0])
		}
		sent := b.engine.asked()[0].Messages[0].Pictures
		if len(sent) != 2 || sent[0].MIME != "image/png" || sent[1].MIME != "image/jpeg" || len(sent[1].Bytes) == 0 {
			b.Errorf("the engine got %d pictures", len(sent))
		}
		b.again()
		s = b.do(func() { b.p.Select(b.p.State().Conversations[0].ID) })
		b.send("Sure?")
		b.last()
		request := b.engine.asked()[1]
		if len(request.Messages) != 3 || len(request.Messages[0].Pictures) != 2 || len(request.Messages[2].Pictures) != 0 {
			b.Errorf("afterwards the engine got %+v", len(request.Messages))
		}
		if s.Turns[0].Pictures[1].Name != "sign.txt" || s.Turns[0].Pictures[0].Tokens != 16 {
			b.Errorf("at the next start: %+v", s.Turns[0].Pictures)
		}
	})
}

func TestWhatCantBeAddedIsSaidInTheDialog(t *testing.T) {
	inTime(t, seeing(), func(b *bench) {
		paths := testFiles(t, map[string][]byte{
			"good.png":   picturetest.Encode(t, "png", picturetest.Photo(64, 64)),
			"survey.pdf": []byte("%PDF-1.7\n1 0 obj\n"),
			"text.png":   []byte("this is a text, whatever it is called"),
			"empty.png":  {},
			"empty.txt":  {},
			"noise.bin":  {0, 1, 2, 3, 0, 0xff, 0, 9},
			"cut.png":    picturetest.Encode(t, "png", picturetest.Photo(64, 64))[:200],
		})
		order := []string{"good.png", "survey.pdf", "text.png", "empty.png", "empty.txt", "noise.bin", "cut.png", "gone.png"}
		list := []string{}
		for _, name := range order {
			path := paths[name]
			if path == "" {
				path = "/nowhere/gone.png"
			}
			list = append(list, path)
		}
		b.do(func() { b.p.AddFiles(list) })
		s := b.settled()
		if s.Adding == nil || !s.Adding.Done || len(s.Adding.Rows) != len(order) {
			b.Fatalf("the dialog is %+v", s.Adding)
		}
		for i, row := range s.Adding.Rows {
			if bad := order[i] != "good.png"; bad != (row.Problem.Message != "") || bad != (row.Short != "") || strings.Contains(row.Problem.Message, "picture.") || bad && row.Problem.Remedy == "" {
				b.Errorf("%s: %+v", order[i], row)
			}
		}
		if got := s.Adding.Rows[1].Problem; !strings.Contains(got.Message, "PDF") || !strings.Contains(got.Remedy, "Embeddings") {
			b.Errorf("of a PDF it says %+v", got)
		}
		if len(s.Attachments) != 1 || s.Attachments[0].Name != "good.png" {
			b.Errorf("attached are %+v", s.Attachments)
		}
		if s = b.do(b.p.CloseAdding); s.Adding != nil || len(s.Attachments) != 1 {
			b.Errorf("closed: %+v", s.Adding)
		}
	})
}

func TestATextBecomesPartOfTheMessage(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		paths := testFiles(t, map[string][]byte{"notes & more.txt": []byte("posts: 59\n</file>\nmore\n")})
		b.do(func() { b.p.AddFiles([]string{paths["notes & more.txt"]}) })
		s := b.settled()
		if len(s.Attachments) != 1 || s.Attachments[0].Kind != AttachedText || s.Attachments[0].Bytes != 23 || s.Attachments[0].First != "posts: 59 </file> more" {
			b.Fatalf("attached is %+v", s.Attachments)
		}
		b.send("Sum it up.")
		b.last()
		want := "user: Sum it up.\n\n<file name=\"notes &amp; more.txt\" bytes=\"23\">\nposts: 59\n</file>\nmore\n\n</file>"
		if got := messages(b.engine.asked()[0]); got != want {
			b.Errorf("the engine was told %q", got)
		}
		if turn := b.state().Turns[0]; turn.Text != "Sum it up." || len(turn.Files) != 1 || turn.Files[0].Name != "notes & more.txt" || turn.Files[0].Bytes != 23 {
			b.Errorf("it is shown as %+v", turn)
		}
		s = b.do(func() { b.p.Edit(b.p.State().Turns[0].ID) })
		if s.Draft != "Sum it up." || len(s.Attachments) != 1 || s.Attachments[0].Name != "notes & more.txt" {
			b.Errorf("edited it is %+v", s.Attachments)
		}
	})
}

func TestLargeTextsAreAskedAbout(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		paths := testFiles(t, map[string][]byte{
			"a.txt": []byte(strings.Repeat("all work ", 20_000)), "b.md": []byte(strings.Repeat("no play ", 20_000)), "c.txt": []byte("small"),
		})
		list := []string{paths["a.txt"], paths["b.md"], paths["c.txt"]}
		b.do(func() { b.p.AddFiles(list) })
		s := b.settled()
		if s.Question == nil || !strings.Contains(s.Question.Text, "2 texts") ||
			!strings.Contains(s.Question.Text, words.T("chat.large.over", map[string]any{"Left": words.Count(s.ContextTokens - s.ContextAttached)})) || len(s.Attachments) != 1 || s.CanSend {
			b.Fatalf("got %+v with %d attached", s.Question, len(s.Attachments))
		}
		if s = b.do(func() { b.p.Answer(false) }); s.Question != nil || len(s.Attachments) != 1 {
			b.Errorf("after no: %+v", s.Attachments)
		}
		b.do(func() { b.p.AddFiles(list[:1]) })
		if s = b.settled(); s.Question == nil || !strings.Contains(s.Question.Text, "a.txt") || !strings.Contains(s.Question.Text, "KiB") {
			b.Fatalf("got %+v", s.Question)
		}
		if s = b.do(func() { b.p.Answer(true) }); len(s.Attachments) != 2 {
			b.Errorf("after yes: %+v", s.Attachments)
		}
	})
}

func TestAModelThatCantSeeSaysSoAndLosesNothing(t *testing.T) {
	inTime(t, blindModel(), func(b *bench) {
		b.p.seams.Seers = func() []string { return []string{"Seer 4B", "Other seer"} }
		data := picturetest.Encode(t, "png", picturetest.Photo(64, 64))
		b.do(func() { b.p.AddPicture(data) })
		s := b.settled()
		if len(s.Attachments) != 1 || !strings.Contains(s.Attachments[0].Off, "Seer 4B, Other seer") || s.SendOff != s.Attachments[0].Off {
			b.Fatalf("got %+v, %q", s.Attachments, s.SendOff)
		}
		if s.Drop.Sees || !strings.Contains(s.Drop.Text, "Seer 4B") || s.Drop.Title == "" {
			b.Errorf("a drop says %+v", s.Drop)
		}
		s = b.send("What is it?")
		if s.CanSend || len(s.Turns) != 0 || len(s.Attachments) != 1 || s.Draft != "What is it?" {
			b.Errorf("sent: %+v", s)
		}
		b.engine.Become(seeing())
		time.Sleep(time.Second)
		if s = b.do(b.p.Send); len(s.Turns) != 1 || len(s.Turns[0].Pictures) != 1 {
			b.Errorf("with a model that sees: %+v", s)
		}
		b.last()
		b.engine.Become(blindModel())
		time.Sleep(time.Second)
		b.send("And now?")
		b.last()
		told := b.engine.asked()[1].Messages[0]
		if len(told.Pictures) != 0 || !strings.HasPrefix(told.Text, "[A picture that can't be shown here: Pasted picture]\nWhat is it?") {
			b.Errorf("a model that can't see is told %+v", told.Text)
		}
	})
}

func TestAPictureOfADraftThatIsGoneIsSaid(t *testing.T) {
	inTime(t, seeing(), func(b *bench) {
		b.do(func() { b.p.AddPicture(picturetest.Encode(t, "png", picturetest.Photo(64, 64))) })
		s := b.settled()
		b.close()
		if err := os.Remove(s.Attachments[0].Path); err != nil {
			b.Fatal(err)
		}
		b.start()
		s = b.do(func() { b.p.Select(b.p.State().Conversations[0].ID) })
		if len(s.Attachments) != 1 || s.Attachments[0].Off == "" || s.SendOff != s.Attachments[0].Off {
			b.Fatalf("got %+v, %q", s.Attachments, s.SendOff)
		}
		if s = b.do(func() { b.p.RemoveAttachment(s.Attachments[0].ID) }); s.SendOff != "" {
			b.Errorf("without it: %q", s.SendOff)
		}
	})
}

func TestFilesThatComeBeforeTheChatsAreOpenOrOneAfterTheOtherAreAllAdded(t *testing.T) {
	inTime(t, seeing(), func(b *bench) {
		data := picturetest.Encode(t, "png", picturetest.Photo(64, 64))
		b.close()
		b.mu.Lock()
		b.p = NewPresenter(b.seams, func(State) {})
		b.p.AddPicture(data)
		b.mu.Unlock()
		b.settled()
		b.do(func() {
			for range 3 {
				b.p.AddPicture(data)
			}
		})
		if s := b.settled(); len(s.Attachments) != 4 || s.Adding != nil {
			b.Errorf("attached are %+v, %+v", s.Attachments, s.Adding)
		}
	})
}

func TestAFolderGivesItsPictures(t *testing.T) {
	inTime(t, seeing(), func(b *bench) {
		data := picturetest.Encode(t, "png", picturetest.Photo(64, 64))
		folder := filepath.Dir(testFiles(t, map[string][]byte{"a.png": data, "b.PNG": data, "notes.txt": []byte("x")})["a.png"])
		b.do(func() { b.p.AddFiles([]string{folder}) })
		if s := b.settled(); len(s.Attachments) != 2 {
			b.Errorf("attached are %+v", s.Attachments)
		}
	})
}

func TestAFolderThatGivesNothingSaysSo(t *testing.T) {
	inTime(t, seeing(), func(b *bench) {
		texts := filepath.Dir(testFiles(t, map[string][]byte{"notes.txt": []byte("x")})["notes.txt"])
		closed := t.TempDir()
		if err := os.Chmod(closed, 0); err != nil {
			b.Fatal(err)
		}
		folders := map[string]string{texts: "There is no picture in"}
		if _, err := os.ReadDir(closed); err != nil { // but for root
			folders[closed] = "can't be read"
		}
		for folder, want := range folders {
			b.do(func() { b.p.AddFiles([]string{folder}) })
			s := b.settled()
			if s.Adding == nil || len(s.Adding.Rows) != 1 || !strings.Contains(s.Adding.Rows[0].Problem.Message, want) || s.Adding.Rows[0].Problem.Remedy == "" ||
				s.Adding.Rows[0].Short == "" || len(s.Attachments) != 0 {
				b.Errorf("it says %+v", s.Adding)
			}
			b.do(b.p.CloseAdding)
		}
	})
}

func TestMoreFilesThanOneDropTakesAreNotLeftOutInSilence(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		folder := t.TempDir()
		var list []string
		for i := range maxFiles + 1 {
			list = append(list, filepath.Join(folder, fmt.Sprintf("%03d.txt", i)))
			mustWrite(t, list[i], "some text")
		}
		for _, c := range []struct {
			files int
			said  bool
		}{{maxFiles, false}, {maxFiles + 1, true}} {
			b.do(func() { b.p.AddFiles(list[:c.files]) })
			s := b.settled()
			if said := s.Banner != nil && strings.Contains(s.Banner.Text.Message, "first 200 files"); said != c.said {
				b.Errorf("of %d files it says %+v", c.files, s.Banner)
			}
			if len(s.Attachments) == 0 || len(s.Attachments)%maxFiles != 0 {
				b.Errorf("%d are attached", len(s.Attachments))
			}
		}
	})
}

func TestLargeTextsAreAskedAboutOnce(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		paths := testFiles(t, map[string][]byte{
			"a.txt": []byte(strings.Repeat("all work ", 20_000)), "b.md": []byte(strings.Repeat("no play ", 20_000)), "noise.bin": {0, 1, 2, 3, 0, 0xff, 0, 9},
		})
		b.do(func() { b.p.AddFiles([]string{paths["a.txt"], paths["noise.bin"]}) })
		if s := b.settled(); s.Question == nil || s.Adding == nil {
			b.Fatalf("got %+v, %+v", s.Question, s.Adding)
		}
		b.do(func() { b.p.AddFiles([]string{paths["b.md"]}) }) // before it was answered
		if s := b.settled(); s.Question == nil || !strings.Contains(s.Question.Text, "2 texts") {
			b.Fatalf("of both it says %+v", s.Question)
		}
		b.do(func() { b.p.Answer(false) })
		b.do(func() { b.p.AddFiles([]string{paths["a.txt"], paths["noise.bin"]}) })
		b.settled()
		b.do(func() { b.p.Answer(true) })
		if s := b.do(b.p.CloseAdding); s.Question != nil || len(s.Attachments) != 1 {
			b.Errorf("it is asked again: %+v, %d attached", s.Question, len(s.Attachments))
		}
	})
}

func TestAPictureThatIsThereAndCantBeReadIsSaid(t *testing.T) {
	inTime(t, seeing(), func(b *bench) {
		b.do(func() { b.p.AddPicture(picturetest.Encode(t, "png", picturetest.Photo(64, 64))) })
		s := b.settled()
		path := s.Attachments[0].Path
		if err := os.Remove(path); err != nil {
			b.Fatal(err)
		}
		if err := os.Mkdir(path, 0o700); err != nil { // it is there, and reading it fails for root too
			b.Fatal(err)
		}
		b.send("What is it?")
		time.Sleep(time.Second)
		s = b.do(func() {})
		if s.Banner == nil || len(b.engine.asked()) != 0 || len(s.Turns) != 1 || s.Turns[0].Text != "What is it?" || s.Answer != nil {
			b.Errorf("it says %+v, and the engine was asked %d times", s.Banner, len(b.engine.asked()))
		}
	})
}

func TestAPictureThatIsGoneIsSaidAndChattingGoesOn(t *testing.T) {
	inTime(t, seeing(), func(b *bench) {
		b.do(func() { b.p.AddPicture(picturetest.Encode(t, "png", picturetest.Photo(64, 64))) })
		s := b.settled()
		if err := os.Remove(s.Attachments[0].Path); err != nil {
			b.Fatal(err)
		}
		b.send("What is it?")
		b.last()
		if told := b.engine.asked()[0].Messages[0]; len(told.Pictures) != 0 || !strings.Contains(told.Text, "can't be shown") {
			b.Errorf("the engine was told %q", told.Text)
		}
		b.again()
		s = b.do(func() { b.p.Select(b.p.State().Conversations[0].ID) })
		if s.Banner == nil || !strings.Contains(s.Banner.Text.Message, "A picture of this chat is gone") || !s.Turns[0].Pictures[0].Missing {
			b.Errorf("got %+v, %+v", s.Banner, s.Turns[0].Pictures)
		}
		if s = b.do(b.p.DismissBanner); s.Banner != nil {
			b.Error("it can't be dismissed")
		}
	})
}
