package chat

import (
	"context"
	"strings"
	"unicode/utf8"
)

// grams are all the three characters in a row that a folded text has, each once,
// parted by spaces, with what is left at its end. So a word of three characters or
// more has all of its grams in a text that it is found in, and a shorter word is
// the beginning of one, wherever it stands: in the middle of a word, and in
// languages that put no spaces between words.
func grams(text string) string {
	seen := make(map[uint64]struct{}, min(len(text), 4096))
	var words strings.Builder
	words.Grow(min(4*len(text), 1<<20))
	var a, b rune = -1, -1
	add := func(runes ...rune) {
		var key uint64
		for _, r := range runes {
			key = key<<21 | uint64(r+1)
		}
		if _, ok := seen[key]; ok {
			return
		}
		seen[key] = struct{}{}
		if words.Len() > 0 {
			words.WriteByte(' ')
		}
		for _, r := range runes {
			words.WriteRune(letter(r))
		}
	}
	for _, r := range text {
		if a >= 0 {
			add(a, b, r)
		}
		a, b = b, r
	}
	if a >= 0 {
		add(a, b)
	}
	if b >= 0 {
		add(b)
	}
	return words.String()
}

// letter is a character that the index's tokenizer takes for a letter: it parts
// words at those of ASCII that are none. What stands for those is of the private
// use area; that texts may have it too makes no harm, for whatever the index gives
// is looked at.
func letter(r rune) rune {
	if r < utf8.RuneSelf && (r < '0' || r > '9') && (r < 'a' || r > 'z') {
		return 0xe000 + r
	}
	return r
}

// index puts the text of a turn, or the title of a conversation at its negative
// ID, in the place of what the index has there.
func index(ctx context.Context, c conn, row ID, text string) error {
	if err := unindex(ctx, c, row); err != nil {
		return err
	}
	words := grams(fold(valid(text)))
	if words == "" {
		return nil
	}
	_, err := c.ExecContext(ctx, `INSERT INTO grams (rowid, words) VALUES (?, ?)`, row, words)
	return err
}

func unindex(ctx context.Context, c conn, row ID) error {
	_, err := c.ExecContext(ctx, `DELETE FROM grams WHERE rowid = ?`, row)
	return err
}

// indexAll makes the index of a database that has none.
func indexAll(ctx context.Context, c conn) error {
	for _, query := range []string{
		`SELECT -id, title FROM conversations WHERE -id < ? ORDER BY -id DESC LIMIT 1`,
		`SELECT id, text FROM turns WHERE -id < ? ORDER BY id LIMIT 1`,
	} {
		// One at a time: texts can be long, and a statement doesn't see what is
		// written while it reads.
		for last := int64(1 << 62); ; {
			var row ID
			var text string
			err := c.QueryRowContext(ctx, query, last).Scan(&row, &text)
			if noRow(err) != nil {
				return err
			}
			if err != nil {
				break
			}
			if err := index(ctx, c, row, text); err != nil {
				return err
			}
			last = -max(int64(row), -int64(row))
		}
	}
	return nil
}

// mend makes the search index again when it is damaged.
func (s *Store) mend(ctx context.Context) error {
	var damage string
	err := s.read(ctx, func(c conn) (err error) {
		damage, err = quickCheck(ctx, c, `SELECT 'grams'`)
		return err
	})
	if damage == "" && !hasProblem(err, Damaged) {
		return err
	}
	return s.indexAgain(ctx)
}

func (s *Store) indexAgain(ctx context.Context) error {
	return s.write(ctx, func(c conn) error {
		if _, err := c.ExecContext(ctx, "DROP TABLE grams;"+schemaV2); err != nil {
			return err
		}
		return indexAll(ctx, c)
	})
}
