package chat

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// found are the titles of the conversations in which a query is found.
func found(t *testing.T, s *Store, query string) []string {
	t.Helper()
	hits, err := s.Search(t.Context(), query, 50)
	if err != nil {
		t.Fatalf("%q: %v", query, err)
	}
	var names []string
	for _, hit := range hits {
		names = append(names, hit.Conversation.Title)
	}
	return names
}

func TestSearchFindsEveryPartOfATextInEveryLanguage(t *testing.T) {
	s := newStore(t)
	for title, text := range map[string]string{
		"English":  "The quick brown fox jumps over the lazy dog's back: x=1, naïve CAFÉ",
		"Chinese":  "今天天气很好,我们去公园散步。",
		"Japanese": "猫が好きです。ガラス",
		"Korean":   "안녕하세요 세계",
		"Code":     "if a != nil && b[\"key\"] == `x` { return -1 } // NEAR(a b, 2) OR AND NOT",
		"Emoji":    "Thanks 👍🏽 a lot 👩‍👩‍👧",
		"German":   "Straße über Öl",
		"Wide":     "ＦＵＬＬ ｗｉｄｔｈ",
	} {
		id := start(t, s)
		must(t, s.Rename(t.Context(), id, title))
		say(t, s, id, 0, User, text)
	}
	for query, want := range map[string]string{
		"quick brown": "English", "QUICK": "English", "qui": "English", "fox dog": "English", "dog fox": "English", "uick": "English",
		"cafe": "English", "café": "English", "NAIVE": "English", "x=1": "English", "dog's": "English", "  lazy\t": "English",
		`"brown fox"`: "English", `"fox brown"`: "", "quick cat": "",
		"天": "Chinese", "天气": "Chinese", "天气很": "Chinese", "步。": "Chinese", "公园散步": "Chinese", "。": "Chinese Japanese",
		"猫": "Japanese", "好きで": "Japanese", "か": "Japanese", "が": "Japanese", "カ": "Japanese", "ガラス": "Japanese",
		"녕": "Korean", "안녕하": "Korean", "세계": "Korean", "ㅎ": "Korean",
		"nil &&": "Code", `b["key"]`: "Code", `"b["`: "Code", "NEAR(": "Code", "!=": "Code", "-1": "Code", "`x`": "Code", "{": "Code", "b[": "Code",
		"OR AND NOT": "Code", "return*": "", "words:": "", `"`: "", `""`: "", `"unclosed`: "", "'": "English", "%": "", "_": "", "*": "", "\\": "",
		"👍🏽": "Emoji", "👍": "Emoji", "👩‍👩‍👧": "Emoji",
		"strasse": "", "straße": "German", "uber": "German", "ol": "German", "l": "Code Emoji English German Wide",
		"full width": "Wide", "ｆｕｌｌ": "Wide",
		"": "", " ": "", "\x00": "", "\xff": "", strings.Repeat("a", 10_000): "", strings.Repeat(`"zq `, 500): "",
		"German": "German", "germ": "German", "g": "English German",
	} {
		got := found(t, s, query)
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%.40q finds %q, want %q", query, got, want)
		}
	}
}

func TestASnippetSaysWhereTheWordsAre(t *testing.T) {
	long := strings.Repeat("nothing here ", 50)
	cases := map[string]struct{ text, query, want string }{
		"at the beginning":      {"Hello world", "hello", "[Hello] world"},
		"several words":         {"One two three two", "two one", "[One] [two] three [two]"},
		"accents and case":      {"A CAFÉ\nthere", "cafe", "A [CAFÉ] there"},
		"combining marks":       {"A Cafe\u0301 there", "café", "A [Cafe\u0301] there"},
		"CJK":                   {"今天天气很好", "天气", "今天[天气]很好"},
		"one next to the other": {"abcdef", "abc def", "[abcdef]"},
		"in the middle of much": {long + "the needle is " + long, "needle", "…"},
		"a part of a character": {"한국", "하", "[한]국"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			id := start(t, s)
			must(t, s.Rename(t.Context(), id, "-"))
			turn := say(t, s, id, 0, User, c.text)
			hits, err := s.Search(t.Context(), c.query, 5)
			if err != nil || len(hits) != 1 || hits[0].Turn != turn || hits[0].InTitle != nil {
				t.Fatalf("%+v %v", hits, err)
			}
			marked, at := "", 0
			for _, span := range hits[0].InSnippet {
				marked += hits[0].Snippet[at:span.From] + "[" + hits[0].Snippet[span.From:span.To] + "]"
				at = span.To
			}
			marked += hits[0].Snippet[at:]
			if c.want == "…" {
				if !strings.HasPrefix(marked, "…here nothing") || !strings.Contains(marked, "the [needle] is nothing") || !strings.HasSuffix(marked, "…") ||
					utf8.RuneCountInString(marked) > snippetRunes+5 {
					t.Errorf("%q", marked)
				}
			} else if marked != c.want {
				t.Errorf("%q, want %q", marked, c.want)
			}
		})
	}
}

func TestTitlesAreFoundFirstAndTheLatestTurnsNext(t *testing.T) {
	s := newStore(t)
	titled, early, late := start(t, s), start(t, s), start(t, s)
	must(t, s.Rename(t.Context(), titled, "About horses"))
	must(t, s.Rename(t.Context(), early, "early"))
	must(t, s.Rename(t.Context(), late, "late"))
	inTitled := say(t, s, titled, 0, User, "horses")
	say(t, s, early, 0, User, "horses")
	say(t, s, late, 0, User, "horses")
	again := say(t, s, early, 0, User, "no animal")
	newest := say(t, s, late, 0, User, "horses, the newest")
	hits, err := s.Search(t.Context(), "horse", 5)
	must(t, err)
	var got []ID
	for _, hit := range hits {
		got = append(got, hit.Conversation.ID, hit.Turn)
	}
	if want := []ID{titled, inTitled, late, newest, early, again - 2}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if !slices.Equal(hits[0].InTitle, []Span{{6, 11}}) {
		t.Errorf("in title %v", hits[0].InTitle)
	}
	if hits, _ := s.Search(t.Context(), "horse", 2); len(hits) != 2 {
		t.Errorf("%d hits", len(hits))
	}
}

func TestWhatIsDeletedOrRenamedIsNotFound(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	id, other := start(t, s), start(t, s)
	first := say(t, s, id, 0, User, "visible")
	turn := say(t, s, id, first, User, "unique words")
	say(t, s, other, 0, User, "elsewhere")
	must(t, s.DeleteTurn(ctx, turn))
	must(t, s.Delete(ctx, other))
	for _, query := range []string{"unique", "elsewhere"} {
		if got := found(t, s, query); got != nil {
			t.Errorf("%q finds %q", query, got)
		}
	}
	must(t, s.UndeleteTurn(ctx, turn))
	must(t, s.Undelete(ctx, other))
	for query, want := range map[string]string{"unique": "visible", "elsewhere": "elsewhere"} {
		if got := found(t, s, query); !slices.Equal(got, []string{want}) {
			t.Errorf("%q finds %q", query, got)
		}
	}
	must(t, s.Rename(ctx, other, "Renamed"))
	if got := found(t, s, "renam"); !slices.Equal(got, []string{"Renamed"}) {
		t.Errorf("%q", got)
	}
	must(t, s.Rename(ctx, other, "Other"))
	if got := found(t, s, "renam"); got != nil {
		t.Errorf("%q", got)
	}
}

func FuzzSearchTakesAnyQuery(f *testing.F) {
	for _, query := range []string{"a", "\xff", `"`, "a* OR b", "NEAR(", "\x00", "天", `")`, "-", "^a", "a:b", "{a b}:c", "+"} {
		f.Add(query)
	}
	s, _, err := open(f.Context(), f.TempDir(), nil, quick())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	c, err := s.Start(f.Context(), "")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, query string) {
		turn, err := s.Add(t.Context(), Turn{Conversation: c.ID, Role: User, Text: query})
		must(t, err)
		hits, err := s.Search(t.Context(), query, 5)
		must(t, err)
		if words := wordsOf(query); len(words) > 0 && strings.Count(query, `"`) == 0 && utf8.RuneCountInString(query) <= queryRunes && (len(hits) != 1 || hits[0].Turn != turn.ID) {
			t.Errorf("%q is not found in itself: %+v", query, hits)
		}
	})
}
