package chat

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	queryRunes = 200 // of a search; what is typed beyond them is left out
	queryGrams = 32  // the index is asked for; every hit is looked at anyway
)

// A Hit is a conversation in which something was found.
type Hit struct {
	Conversation Conversation
	InTitle      []Span // of the title, what was found
	Turn         ID     // the latest in which it was found; 0 when it is only in the title
	Snippet      string // of that turn's text, one line
	InSnippet    []Span
}

// A Span is a part of a text, in bytes.
type Span struct{ From, To int }

// Search finds the conversations that have every word of a query in their title or
// all in one turn, wherever it stands in a word, whatever its case and accents. A
// part in "quotes" is one word. Those found by title come first, then those with
// the latest turns. Turns of every branch are searched, what was deleted is not.
// Without a word nothing is found.
func (s *Store) Search(ctx context.Context, query string, limit int) ([]Hit, error) {
	words := wordsOf(query)
	if len(words) == 0 || limit <= 0 {
		return nil, nil
	}
	var hits []Hit
	err := s.read(ctx, func(c conn) (err error) {
		if hits, err = searchTitles(ctx, c, words, limit); err == nil {
			hits, err = searchTurns(ctx, c, words, limit, hits)
		}
		return err
	})
	return hits, err
}

// wordsOf are a query's words as they are compared.
func wordsOf(query string) []string {
	query = valid(query) // as texts are kept
	if runes := []rune(query); len(runes) > queryRunes {
		query = string(runes[:queryRunes])
	}
	var words []string
	for i, part := range strings.Split(query, `"`) {
		if i%2 == 0 {
			words = append(words, strings.Fields(fold(part))...)
		} else if phrase := strings.TrimSpace(fold(part)); phrase != "" {
			words = append(words, phrase)
		}
	}
	// The longest first: it is in the fewest texts.
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(words)
}

// matching asks the index for what may have all words. It has nothing in it that
// the index's language would take for more than words.
func matching(words []string) string {
	var terms []string
	add := func(runes []rune, rest string) {
		var b strings.Builder
		for _, r := range runes {
			b.WriteRune(letter(r))
		}
		if term := `"` + b.String() + `"` + rest; !slices.Contains(terms, term) && len(terms) < queryGrams {
			terms = append(terms, term)
		}
	}
	for _, word := range words {
		runes := []rune(word)
		if len(runes) < 3 {
			add(runes, "*")
		}
		for i := 3; i <= len(runes); i++ {
			add(runes[i-3:i], "")
		}
	}
	return strings.Join(terms, " AND ")
}

func searchTitles(ctx context.Context, c conn, words []string, limit int) ([]Hit, error) {
	found, err := c.QueryContext(ctx, `SELECT `+conversationColumns+` FROM grams g CROSS JOIN conversations c ON c.id = -g.rowid
		WHERE grams MATCH ? AND g.rowid < 0 AND c.deleted IS NULL ORDER BY g.rowid`, matching(words))
	if err != nil {
		return nil, err
	}
	defer found.Close()
	var hits []Hit
	for found.Next() && len(hits) < limit {
		shown, err := scanConversation(found.Scan)
		if err != nil {
			return nil, err
		}
		if spans := find(shown.Title, words); spans != nil {
			hits = append(hits, Hit{Conversation: shown, InTitle: spans})
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return b.Conversation.Updated.Compare(a.Conversation.Updated) })
	return hits, found.Err()
}

// searchTurns adds the conversations that have the words in a turn, until there
// are enough, and says of those found by title which turn has them too.
func searchTurns(ctx context.Context, c conn, words []string, limit int, hits []Hit) ([]Hit, error) {
	at := map[ID]int{}
	for i, hit := range hits {
		at[hit.Conversation.ID] = i
	}
	if len(hits) >= limit {
		return hits, nil
	}
	found, err := c.QueryContext(ctx, `SELECT t.id, t.conversation FROM grams g CROSS JOIN turns t ON t.id = g.rowid
		WHERE grams MATCH ? AND g.rowid > 0 AND t.deleted IS NULL ORDER BY g.rowid DESC`, matching(words))
	if err != nil {
		return nil, err
	}
	defer found.Close()
	texts, err := c.PrepareContext(ctx, `SELECT text FROM turns WHERE id = ?`) // a word's parts may be in many that don't have it
	if err != nil {
		return nil, err
	}
	defer texts.Close()
	for found.Next() && len(hits) < limit {
		var id, of ID
		if err := found.Scan(&id, &of); err != nil {
			return nil, err
		}
		known, isKnown := at[of]
		if isKnown && (known < 0 || hits[known].Turn != 0) {
			continue
		}
		var text string
		if err := texts.QueryRowContext(ctx, id).Scan(&text); err != nil {
			return nil, err
		}
		snippet, spans, has := snippet(text, words)
		if !has {
			continue
		}
		if isKnown {
			hits[known].Turn, hits[known].Snippet, hits[known].InSnippet = id, snippet, spans
			continue
		}
		shown, err := conversation(ctx, c, of)
		if err != nil {
			if noRow(err) != nil {
				return nil, err
			}
			at[of] = -1 // deleted
			continue
		}
		at[of] = len(hits)
		hits = append(hits, Hit{Conversation: shown, Turn: id, Snippet: snippet, InSnippet: spans})
	}
	return hits, found.Err()
}

// find is where a text has words, sorted and without overlaps, or nil when it
// doesn't have them all.
func find(text string, words []string) []Span {
	folded := fold(text)
	for _, word := range words {
		if !strings.Contains(folded, word) {
			return nil
		}
	}
	return spans(text, words)
}

// spans are where any of the words are in a text.
func spans(text string, words []string) []Span {
	// Where every byte of the folded text comes from, and where that ends.
	var f folder
	var folded []byte
	var from, to []int
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		parts := f.next(r)
		folded = append(folded, parts...)
		for range parts {
			from, to = append(from, i), append(to, i+size)
		}
		if len(parts) == 0 && len(to) > 0 && unicode.Is(unicode.Mn, r) { // an accent of the character before
			to[len(to)-1] = i + size
		}
	}
	var all []Span
	for _, word := range words {
		for start := 0; ; {
			at := bytes.Index(folded[start:], []byte(word))
			if at < 0 {
				break
			}
			at += start
			all = append(all, Span{from[at], to[at+len(word)-1]})
			start = at + len(word)
		}
	}
	slices.SortFunc(all, func(a, b Span) int { return a.From - b.From })
	var apart []Span
	for _, span := range all {
		if n := len(apart); n > 0 && span.From <= apart[n-1].To {
			apart[n-1].To = max(apart[n-1].To, span.To)
		} else {
			apart = append(apart, span)
		}
	}
	return apart
}
