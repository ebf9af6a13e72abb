package chunk_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"paddock/engine/embed/chunk"
	"paddock/engine/embed/document"
)

// words is a tokenizer of one token for each run of four letters, with two special
// tokens around a text. calls counts how often it was asked.
type words struct{ calls, texts int }

func (w *words) Count(_ context.Context, texts []string) ([]int, error) {
	w.calls++
	w.texts += len(texts)
	counts := make([]int, len(texts))
	for i, text := range texts {
		counts[i] = 2
		for _, word := range strings.Fields(text) {
			counts[i] += (utf8.RuneCountInString(word) + 3) / 4
		}
	}
	return counts, nil
}

func strategy(t testing.TB, text string) chunk.Strategy {
	t.Helper()
	s, err := chunk.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// write makes a file of a text.
func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// cutFile cuts a file and checks what holds of all chunks.
func cutFile(t testing.TB, path string, tokenizer chunk.Tokenizer, o chunk.Options) ([]chunk.Chunk, []error) {
	t.Helper()
	d, err := document.Read(t.Context(), path, document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var chunks []chunk.Chunk
	var failures []error
	for c, err := range chunk.Cut(t.Context(), d.Kind, d.Pieces(), tokenizer, o) {
		if err != nil {
			failures = append(failures, err)
			continue
		}
		if c.Index != len(chunks) || strings.TrimSpace(c.Text) != c.Text || c.Text == "" || !utf8.ValidString(c.Text) {
			t.Fatalf("chunk %d is %d: %q", len(chunks), c.Index, c.Text)
		}
		counts, err := tokenizer.Count(t.Context(), []string{o.Input(c.Text)})
		if err != nil || counts[0] != c.Tokens || c.Tokens > o.LimitTokens {
			t.Fatalf("chunk %d has %d tokens, counted %v of %d, %v", c.Index, c.Tokens, counts, o.LimitTokens, err)
		}
		if d.InFile && d.Kind != document.HTML && !hasRows(d.Kind) && string(raw[c.Start:c.End]) != c.Text {
			t.Fatalf("chunk %d is not at %d to %d: %q, there is %q", c.Index, c.Start, c.End, c.Text, raw[c.Start:c.End])
		}
		chunks = append(chunks, c)
	}
	return chunks, failures
}

func textsOf(chunks []chunk.Chunk) []string {
	var all []string
	for _, c := range chunks {
		all = append(all, c.Text)
	}
	return all
}

func TestAFileIsCutByTheChosenMethod(t *testing.T) {
	const page = "# One\n\nA first text.\n\n## Two\n\nA second one.\nAnd more.\n\n# Three\n## Four\nLast.\n"
	const plain = "a b\nc d\n\n\ne f\n  \ng\n"
	const rows = "id,text\nx,\"one, two\"\ny,three\n"
	tests := []struct {
		name, file, text, strategy string
		want                       []string
	}{
		{"a whole file", "a.txt", plain, "file", []string{strings.TrimSpace(plain)}},
		{"lines, without empty ones", "a.txt", plain, "lines", []string{"a b", "c d", "e f", "g"}},
		{"paragraphs", "a.txt", plain, "paragraphs", []string{"a b\nc d", "e f", "g"}},
		{"paragraphs where there can be no headings", "a.txt", plain, "headings", []string{"a b\nc d", "e f", "g"}},
		{"headings, with one above another kept together", "a.md", page, "headings", []string{
			"# One\n\nA first text.", "## Two\n\nA second one.\nAnd more.", "# Three\n## Four\nLast."}},
		{"paragraphs under headings", "a.md", "# One\n\nA.\n\nB.\n", "paragraphs", []string{"# One\n\nA.", "B."}},
		{"rows", "a.csv", rows, "rows", []string{"one, two", "three"}},
		{"rows are not joined by tokens", "a.csv", rows, "tokens:100:0", []string{"one, two", "three"}},
		{"rows are joined in a whole file", "a.csv", rows, "file", []string{"one, two\nthree"}},
		{"rows of a text are lines", "a.txt", plain, "rows", []string{"a b", "c d", "e f", "g"}},
		{"pages by form feeds", "a.txt", "one\ntwo\n\fthree\n\ffour", "pages", []string{"one\ntwo", "three", "four"}},
		{"pages of a text without any", "a.txt", plain, "pages", []string{strings.TrimSpace(plain)}},
		{"tokens", "a.txt", "a b c d e f g", "tokens:3:0", []string{"a b c", "d e f", "g"}},
		{"tokens with overlap", "a.txt", "a b c d e f g", "tokens:4:2", []string{"a b c d", "c d e f", "e f g"}},
		{"tokens up to the end of a sentence", "a.txt", "a b c d e f g. h i j k l", "tokens:8:0", []string{"a b c d e f g.", "h i j k l"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			chunks, failures := cutFile(t, write(t, test.file, test.text), &words{}, chunk.Options{Strategy: strategy(t, test.strategy), LimitTokens: 100})
			if got := textsOf(chunks); !slices.Equal(got, test.want) || len(failures) > 0 {
				t.Errorf("%q, %v", got, failures)
			}
		})
	}
}

func TestWhatIsTooLongIsSplitAtTheBestPlace(t *testing.T) {
	tests := []struct {
		name, text string
		limit      int // of the text
		want       []string
	}{
		{"a paragraph's end before a sentence's", "a b c d e f\n\ng. h i j k", 8, []string{"a b c d e f", "g. h i j k"}},
		{"between words", "aaaa bbbb cccc dddd eeee", 2, []string{"aaaa bbbb", "cccc dddd", "eeee"}},
		{"inside of a word that is too long", strings.Repeat("x", 60), 6, []string{strings.Repeat("x", 24), strings.Repeat("x", 24), strings.Repeat("x", 12)}},
		{"by characters when it must be", "äöüßéèêñ", 1, strings.Split("äöüßéèêñ", "")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			chunks, failures := cutFile(t, write(t, "a.txt", test.text), &words{}, chunk.Options{Strategy: strategy(t, "file"), LimitTokens: test.limit + 2})
			if got := textsOf(chunks); len(failures) > 0 || !slices.Equal(got, test.want) {
				t.Errorf("%q, %v", got, failures)
			}
			joined := strings.Join(textsOf(chunks), "")
			if strings.Join(strings.Fields(joined), "") != strings.Join(strings.Fields(test.text), "") {
				t.Errorf("something is lost: %q", joined)
			}
			for _, c := range chunks {
				if !c.Split {
					t.Errorf("%q is not said to be a part", c.Text)
				}
			}
		})
	}
}

// letters gives every letter several tokens.
type letters int

func (l letters) Count(_ context.Context, texts []string) ([]int, error) {
	counts := make([]int, len(texts))
	for i, text := range texts {
		counts[i] = int(l) * utf8.RuneCountInString(text)
	}
	return counts, nil
}

func TestACharacterThatCanNotFitIsReportedAndTheRestGoesOn(t *testing.T) {
	tokenizer := oneHuge{letters(1)}
	chunks, failures := cutFile(t, write(t, "a.txt", "ab☃cd"), tokenizer, chunk.Options{Strategy: strategy(t, "file"), LimitTokens: 3})
	var long *chunk.Error
	if len(failures) != 1 || !errors.As(failures[0], &long) || long.Problem != chunk.TooLong || !long.Partial || long.Place.Start != 2 || long.Tokens != 50 {
		t.Fatalf("%q, %v", textsOf(chunks), failures)
	}
	if got := strings.Join(textsOf(chunks), ""); got != "abcd" {
		t.Errorf("%q", textsOf(chunks))
	}
}

// oneHuge gives a snowman fifty tokens.
type oneHuge struct{ letters }

func (o oneHuge) Count(ctx context.Context, texts []string) ([]int, error) {
	counts, err := o.letters.Count(ctx, texts)
	for i, text := range texts {
		counts[i] += 49 * strings.Count(text, "☃")
	}
	return counts, err
}

func TestRoomIsKeptForPrefixAndSpecialTokens(t *testing.T) {
	path := write(t, "a.txt", strings.Repeat("word ", 1000))
	o := chunk.Options{Strategy: strategy(t, "tokens:512:0"), Prefix: "it can be found: ", LimitTokens: 20}
	chunks, failures := cutFile(t, path, &words{}, o)
	if len(failures) > 0 || len(chunks) == 0 || chunks[0].Tokens != 20 {
		t.Errorf("%d chunks, the first of %d tokens, %v", len(chunks), chunks[0].Tokens, failures)
	}
	o.LimitTokens = 6
	_, failures = cutFile(t, path, &words{}, o)
	var room *chunk.Error
	if len(failures) != 1 || !errors.As(failures[0], &room) || room.Problem != chunk.NoRoom || room.Tokens != 7 || room.LimitTokens != 6 {
		t.Errorf("%v", failures)
	}
}

// greedy is a tokenizer of which words count less together than alone, as those
// that put a blank before every text.
type greedy struct{}

func (greedy) Count(_ context.Context, texts []string) ([]int, error) {
	counts := make([]int, len(texts))
	for i, text := range texts {
		counts[i] = 3 + len(text)/3 + strings.Count(text, "zz")*5
	}
	return counts, nil
}

func TestChunksAreFullWhenWordsCountLessTogether(t *testing.T) {
	text := strings.Repeat("a few words of a long text with no end of a sentence ", 2000)
	chunks, failures := cutFile(t, write(t, "a.txt", text), greedy{}, chunk.Options{Strategy: strategy(t, "tokens:200:0"), LimitTokens: 500})
	if len(failures) > 0 {
		t.Fatal(failures)
	}
	for _, c := range chunks[:len(chunks)-1] {
		if c.Tokens < 180 {
			t.Errorf("chunk %d has %d tokens of 203", c.Index, c.Tokens)
		}
	}
}

func TestADenseStretchDoesNotGoBeyondTheLimit(t *testing.T) {
	text := strings.Repeat("plain words here ", 500) + strings.Repeat("zzzzzz zzzz zz ", 500) + strings.Repeat("plain words here ", 500)
	chunks, failures := cutFile(t, write(t, "a.txt", text), greedy{}, chunk.Options{Strategy: strategy(t, "file"), LimitTokens: 100})
	if len(failures) > 0 || len(chunks) < 20 {
		t.Errorf("%d chunks, %v", len(chunks), failures)
	}
}

func TestLongTextsAreCutTheSameEveryTimeInFewCalls(t *testing.T) {
	var text strings.Builder
	for i := range 60000 {
		fmt.Fprintf(&text, "Sentence %d is here. ", i)
		if i%7 == 0 {
			text.WriteString("\n\n")
		}
	}
	path := write(t, "a.txt", text.String())
	for _, method := range []string{"tokens:128:16", "file", "paragraphs", "lines"} {
		counter := &words{}
		o := chunk.Options{Strategy: strategy(t, method), LimitTokens: 300}
		d, err := document.Read(t.Context(), path, document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, err := range chunk.Cut(t.Context(), d.Kind, d.Pieces(), counter, o) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		d.Close()
		if counter.calls > n/8+40 {
			t.Errorf("%s: %d calls for %d chunks", method, counter.calls, n)
		}
		once, _ := cutFile(t, path, &words{}, o)
		again, _ := cutFile(t, path, &words{}, o)
		if !reflect.DeepEqual(once, again) || len(once) != n {
			t.Errorf("%s: %d chunks, then %d", method, len(once), len(again))
		}
	}
}

func TestNothingIsLostBetweenChunksOfALongText(t *testing.T) {
	var text strings.Builder
	for i := range 100000 {
		fmt.Fprintf(&text, "w%d ", i)
	}
	path := write(t, "a.txt", text.String())
	for _, method := range []string{"tokens:100:0", "tokens:100:20", "file"} {
		chunks, failures := cutFile(t, path, &words{}, chunk.Options{Strategy: strategy(t, method), LimitTokens: 150})
		if len(failures) > 0 {
			t.Fatal(failures)
		}
		end := int64(0)
		for _, c := range chunks {
			if c.Start > end+1 || method != "tokens:100:20" && c.Start < end {
				t.Fatalf("%s: chunk %d begins at %d, the one before ends at %d", method, c.Index, c.Start, end)
			}
			end = c.End
		}
		if end != int64(text.Len())-1 {
			t.Errorf("%s: ends at %d of %d", method, end, text.Len())
		}
	}
}

func TestPlacesAreThoseOfTheFirstAndTheLastText(t *testing.T) {
	chunks, _ := cutFile(t, write(t, "a.md", "intro\n\n# One\ntext\n\n## Two\nmore\n"), &words{}, chunk.Options{Strategy: strategy(t, "headings"), LimitTokens: 50})
	want := []struct {
		line    int
		heading []string
	}{{1, nil}, {3, []string{"One"}}, {6, []string{"One", "Two"}}}
	for i, c := range chunks {
		if c.Line != want[i].line || !slices.Equal(c.Heading, want[i].heading) {
			t.Errorf("chunk %d: line %d, %q", i, c.Line, c.Heading)
		}
	}
	chunks, _ = cutFile(t, write(t, "a.txt", "one\n\ftwo\n\fthree"), &words{}, chunk.Options{Strategy: strategy(t, "file"), LimitTokens: 50})
	if len(chunks) != 1 || chunks[0].EndPage != 3 {
		t.Errorf("%+v", chunks)
	}
	chunks, _ = cutFile(t, write(t, "a.csv", "id;text\nk7;hello\n"), &words{}, chunk.Options{Strategy: strategy(t, "rows"), LimitTokens: 50})
	if len(chunks) != 1 || chunks[0].ID != "k7" || chunks[0].Row != 1 || chunks[0].Line != 2 {
		t.Errorf("%+v", chunks)
	}
}

func TestStrategiesAreReadAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string]chunk.Strategy{
		"file": {Method: chunk.File}, "headings": {Method: chunk.Headings}, "rows": {Method: chunk.Rows},
		"tokens:512:64": {Method: chunk.Tokens, Tokens: 512, OverlapTokens: 64},
		"tokens:100:0":  {Method: chunk.Tokens, Tokens: 100},
	} {
		got := strategy(t, text)
		if got != want || got.String() != text {
			t.Errorf("%q is %+v, %q", text, got, got.String())
		}
	}
	if got := strategy(t, "tokens:80"); got.OverlapTokens != 10 {
		t.Errorf("%+v", got)
	}
	for _, text := range []string{"", "words", "file:3", "tokens:x", "tokens:0", "tokens:-5:0", "tokens:10:6", "tokens:10:20", "tokens:10:x", "tokens:10:-1"} {
		want := chunk.BadStrategy
		if text == "tokens:10:6" || text == "tokens:10:20" {
			want = chunk.BadOverlap
		}
		_, err := chunk.Parse(text)
		var bad *chunk.Error
		if !errors.As(err, &bad) || bad.Problem != want || bad.Strategy != text {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestErrorsOfATokenizerEndIt(t *testing.T) {
	for name, tokenizer := range map[string]chunk.Tokenizer{"one that fails": failing{}, "one that miscounts": short{}} {
		_, failures := cutFile(t, write(t, "a.txt", "some text"), tokenizer, chunk.Options{Strategy: strategy(t, "file"), LimitTokens: 50})
		if len(failures) != 1 {
			t.Errorf("%s: %v", name, failures)
		}
	}
}

type failing struct{}

func (failing) Count(context.Context, []string) ([]int, error) { return nil, errors.New("gone") }

type short struct{}

func (short) Count(_ context.Context, texts []string) ([]int, error) {
	return make([]int, len(texts)-1), nil
}

func TestAPartialErrorOfADocumentIsHandedOn(t *testing.T) {
	chunks, failures := cutFile(t, write(t, "a.csv", "id,text\n1,one\n2,two,too many\n3,three\n"), &words{}, chunk.Options{Strategy: strategy(t, "rows"), LimitTokens: 50})
	var broken *document.Error
	if len(failures) != 1 || !errors.As(failures[0], &broken) || broken.Problem != document.BrokenRow || broken.Row != 2 {
		t.Errorf("%v", failures)
	}
	if got := textsOf(chunks); !slices.Equal(got, []string{"one", "three"}) {
		t.Errorf("%q", got)
	}
}

func TestCuttingStopsWhenItIsToldTo(t *testing.T) {
	path := write(t, "a.txt", strings.Repeat("line\n", 5000))
	d, err := document.Read(t.Context(), path, document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	n := 0
	for range chunk.Cut(t.Context(), d.Kind, d.Pieces(), &words{}, chunk.Options{Strategy: strategy(t, "lines"), LimitTokens: 50}) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Error(n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range chunk.Cut(ctx, d.Kind, d.Pieces(), &words{}, chunk.Options{Strategy: strategy(t, "lines"), LimitTokens: 50}) {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

// hasRows says whether a file of a kind is a list of rows: what is between them in
// the file is in no text.
func hasRows(k document.Kind) bool {
	return k == document.CSV || k == document.JSON || k == document.JSONLines
}
