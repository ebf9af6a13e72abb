package chat

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Writer saves an answer while it comes. What is appended is on the disk half a
// second later at most. When it can't be saved it is kept, and tried again until
// it can.
type Writer struct {
	store *Store
	turn  Turn // as it was begun

	mu       sync.Mutex
	text     strings.Builder // not saved yet
	thought  strings.Builder // not saved yet
	thinking time.Duration
	outcome  *Outcome // set when the answer is finished
	err      error    // of the last try
	tried    chan struct{}

	wake  chan struct{} // there is something to save
	hurry chan struct{} // closed when it can't wait: the answer is finished, or the store is closed
	once  sync.Once     // closes hurry
	end   chan struct{} // closed when the store is
	done  chan struct{} // closed when the writer has ended
	saved bool          // to the end; read after done
}

// An Outcome is how an answer ended.
type Outcome struct {
	Thinking time.Duration
	Numbers  Numbers
	End      End
	Problem  string
	Full     bool
	Model    string // that answered; empty: the one it was begun with
}

// Begin adds an answer that is about to be written. Its siblings are the answers
// its Parent has already: so an answer is asked for again. A Text it begins with
// is saved at once.
func (s *Store) Begin(ctx context.Context, t Turn) (*Writer, error) {
	t.End = Interrupted
	return s.writer(ctx, func(c conn) (Turn, error) { return s.add(ctx, c, t) })
}

// Resume lets an answer go on. What it has stays; its Problem and numbers go.
func (s *Store) Resume(ctx context.Context, id ID) (*Writer, error) {
	return s.writer(ctx, func(c conn) (Turn, error) {
		if _, err := c.ExecContext(ctx, `UPDATE turns SET ended = ?, problem = '', context_full = 0 WHERE id = ? AND deleted IS NULL`,
			Interrupted, id); err != nil {
			return Turn{}, err
		}
		return turn(ctx, c, id)
	})
}

func (s *Store) writer(ctx context.Context, begin func(conn) (Turn, error)) (*Writer, error) {
	w := &Writer{
		store: s, tried: make(chan struct{}), wake: make(chan struct{}, 1),
		hurry: make(chan struct{}), end: make(chan struct{}), done: make(chan struct{}),
	}
	err := s.write(ctx, func(c conn) (err error) {
		w.turn, err = begin(c)
		return err
	})
	if err != nil {
		return nil, err
	}
	w.thinking = w.turn.Thinking
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.writing.closed {
		return nil, &Error{Problem: Closed, Path: s.path}
	}
	s.writing.writers[w] = struct{}{}
	go w.run()
	return w, nil
}

// Turn is the answer as it was begun.
func (w *Writer) Turn() Turn { return w.turn }

// Append adds to the answer, and says how long the model has reasoned in all. It
// never waits.
func (w *Writer) Append(text, thought string, thinking time.Duration) {
	w.mu.Lock()
	w.text.WriteString(text)
	w.thought.WriteString(thought)
	w.thinking = thinking
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Finish ends the answer and waits until all of it is saved. When it can't be, the
// error says why, and the writer goes on trying until the store is closed. Nothing
// is appended after it.
func (w *Writer) Finish(ctx context.Context, o Outcome) error {
	w.mu.Lock()
	w.outcome = &o
	tried := w.tried
	w.mu.Unlock()
	w.once.Do(func() { close(w.hurry) })
	for {
		select {
		case <-w.done:
			return w.result()
		case <-ctx.Done():
			return ctx.Err()
		case <-tried:
			w.mu.Lock()
			err := w.err
			tried = w.tried
			w.mu.Unlock()
			if err != nil {
				return err
			}
		}
	}
}

// result is the writer's end: nil when all is saved.
func (w *Writer) result() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.saved:
		return nil
	case w.err != nil:
		return w.err
	}
	return &Error{Problem: Closed, Path: w.store.path}
}

// run saves from time to time until all is saved, or the store is closed.
func (w *Writer) run() {
	defer close(w.done)
	defer func() {
		w.store.writing.Lock()
		delete(w.store.writing.writers, w)
		w.store.writing.Unlock()
	}()
	for {
		select {
		case <-w.wake:
		case <-w.hurry:
		case <-w.end:
		}
		if !w.wait(w.store.saveEvery, w.hurry) {
			w.save()
			return
		}
		for !w.save() {
			if !w.wait(w.store.retry, nil) {
				w.save()
				return
			}
		}
		if w.saved {
			return
		}
	}
}

// wait waits that long, or until hurry, and says whether the store is still open.
func (w *Writer) wait(long time.Duration, hurry chan struct{}) bool {
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-hurry:
	case <-w.end:
	}
	select {
	case <-w.end:
		return false
	default:
		return true
	}
}

// save saves what there is and says whether it could. It never holds up Append.
func (w *Writer) save() bool {
	w.mu.Lock()
	text, thought, thinking, outcome := w.text.String(), w.thought.String(), w.thinking, w.outcome
	w.mu.Unlock()
	if text == "" && thought == "" && outcome == nil {
		return true
	}
	ctx := context.Background()
	err := w.store.write(ctx, func(c conn) error {
		if text != "" || thought != "" {
			if err := addPiece(ctx, c, w.turn.ID, thinking, text, thought); err != nil {
				return err
			}
		}
		if outcome == nil {
			return nil
		}
		return w.store.finish(ctx, c, w.turn, *outcome)
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil && err == nil {
		w.store.recovered()
	}
	w.err = err
	close(w.tried)
	w.tried = make(chan struct{})
	if err != nil {
		return false
	}
	drop(&w.text, len(text))
	drop(&w.thought, len(thought))
	w.saved = outcome != nil
	return true
}

// Unsaved are the ends of answers that could not be saved up to now, the oldest answer's
// first. They are tried again until the store is closed.
func (s *Store) Unsaved() []string {
	s.writing.Lock()
	defer s.writing.Unlock()
	var texts []string
	for _, w := range slices.SortedFunc(maps.Keys(s.writing.writers), func(a, b *Writer) int { return int(a.turn.ID - b.turn.ID) }) {
		w.mu.Lock()
		if text := strings.TrimSpace(w.thought.String() + "\n\n" + w.text.String()); w.err != nil && text != "" {
			texts = append(texts, text)
		}
		w.mu.Unlock()
	}
	return texts
}

// drop takes the first bytes away.
func drop(b *strings.Builder, n int) {
	rest := b.String()[n:]
	b.Reset()
	b.WriteString(rest)
}

func addPiece(ctx context.Context, c conn, turn ID, thinking time.Duration, text, thought string) error {
	_, err := c.ExecContext(ctx, `INSERT INTO pieces (turn, n, thinking, text, thought)
		SELECT ?, coalesce(max(n), 0) + 1, ?, ?, ? FROM pieces WHERE turn = ?`, turn, int64(thinking), text, thought, turn)
	return err
}

// finish makes a turn of an answer's pieces. A turn that is gone stays so.
func (s *Store) finish(ctx context.Context, c conn, t Turn, o Outcome) error {
	if err := gatherTurn(ctx, c, t.ID); err != nil {
		return err
	}
	if o.Model == "" {
		o.Model = t.Model
	}
	n := o.Numbers.finite()
	if _, err := c.ExecContext(ctx, `UPDATE turns SET ended = ?, context_full = ?, problem = ?, model = ?, thinking = ?, first_token = ?,
			tokens_per_second = ?, prompt_tokens = ?, answer_tokens = ?, drafted_tokens = ?, accepted_tokens = ? WHERE id = ?`,
		o.End, o.Full, o.Problem, o.Model, int64(o.Thinking), int64(n.FirstToken),
		n.TokensPerSecond, n.PromptTokens, n.AnswerTokens, n.DraftedTokens, n.AcceptedTokens, t.ID); err != nil {
		return err
	}
	return touch(ctx, c, t.Conversation, s.time())
}

// gather puts together what a process that was killed has left in pieces. When
// another one is just writing them that does no harm: it goes on with new ones.
func (s *Store) gather(ctx context.Context) error {
	var left []ID
	if err := s.read(ctx, func(c conn) error {
		return rows(ctx, c, func(scan func(...any) error) error {
			var id ID
			err := scan(&id)
			left = append(left, id)
			return err
		}, `SELECT DISTINCT turn FROM pieces`)
	}); err != nil || len(left) == 0 {
		return err
	}
	return s.write(ctx, func(c conn) error {
		for _, id := range left {
			if err := gatherTurn(ctx, c, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// gatherTurn adds a turn's pieces to it.
func gatherTurn(ctx context.Context, c conn, id ID) error {
	var of ID
	turns := make([]Turn, 1)
	t := &turns[0]
	err := c.QueryRowContext(ctx, `SELECT id, conversation, thinking, text, thought FROM turns WHERE id = ?`, id).
		Scan(&t.ID, &of, &t.Thinking, &t.Text, &t.Thought)
	if err != nil {
		return noRow(err) // it was deleted a day ago
	}
	if err := complete(ctx, c, of, turns); err != nil {
		return err
	}
	if _, err := c.ExecContext(ctx, `DELETE FROM pieces WHERE turn = ?`, id); err != nil {
		return err
	}
	if _, err := c.ExecContext(ctx, `UPDATE turns SET text = ?, thought = ?, thinking = ? WHERE id = ?`,
		t.Text, t.Thought, int64(t.Thinking), id); err != nil {
		return err
	}
	return index(ctx, c, id, t.Text)
}

// endWriters lets every writer save a last time.
func (s *Store) endWriters() error {
	s.writing.Lock()
	s.writing.closed = true
	var all []*Writer
	for w := range s.writing.writers {
		all = append(all, w)
		close(w.end)
	}
	s.writing.Unlock()
	var lost error
	for _, w := range all {
		<-w.done
		w.mu.Lock()
		if w.err != nil {
			lost = w.err
		}
		w.mu.Unlock()
	}
	return lost
}
