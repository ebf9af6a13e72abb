package embed

import (
	"database/sql"
	"encoding/json"
	"errors"
	"io/fs"

	"paddock/engine/client"
	"paddock/engine/embed/chunk"
	"paddock/engine/embed/document"
)

// problemSchema is of what could not be read or embedded: a file while it is not cut, a
// part of it when it is, and with a number a chunk.
const problemSchema = `
CREATE TABLE IF NOT EXISTS problems (file INTEGER, chunk INTEGER, what TEXT);
`

// A storedProblem is an error of a file or chunk as the state has it. One of the typed
// errors is set, without what caused it, which is Cause; of any other error Cause is all
// there is.
type storedProblem struct {
	Document *document.Error `json:"document,omitempty"`
	Cut      *chunk.Error    `json:"cut,omitempty"`
	Vector   *VectorError    `json:"vector,omitempty"`
	Answer   *client.Error   `json:"answer,omitempty"`
	Cause    string          `json:"cause,omitempty"`
}

func storedOf(err error) (p storedProblem) {
	var read *document.Error
	var cut *chunk.Error
	var vector *VectorError
	var answer *client.Error
	cause := err
	switch {
	case errors.As(err, &read):
		bare := *read
		p.Document, cause, bare.Err = &bare, read.Err, nil
	case errors.As(err, &cut):
		p.Cut, cause = cut, nil
	case errors.As(err, &vector):
		p.Vector, cause = vector, nil
	case errors.As(err, &answer):
		bare := *answer
		p.Answer, cause, bare.Err = &bare, answer.Err, nil
	}
	var path *fs.PathError
	if errors.As(cause, &path) { // the typed error has the path
		cause = path.Err
	}
	if cause != nil {
		p.Cause = cause.Error()
	}
	return p
}

func (p storedProblem) err() error {
	var cause error
	if p.Cause != "" {
		cause = errors.New(p.Cause)
	}
	switch {
	case p.Document != nil:
		p.Document.Err = cause
		return p.Document
	case p.Cut != nil:
		return p.Cut
	case p.Vector != nil:
		return p.Vector
	case p.Answer != nil:
		p.Answer.Err = cause
		return p.Answer
	}
	return cause
}

// note keeps a problem of a file, of a part of it, or of a chunk that was taken: not of
// one that is gone because its file was given up meanwhile.
func note(tx *sql.Tx, seq int64, ofChunk bool, problem error) error {
	what, err := json.Marshal(storedOf(problem))
	if err != nil {
		return err
	}
	if !ofChunk {
		_, err = tx.Exec(`INSERT INTO problems VALUES (?, NULL, ?)`, fileOf(seq), string(what))
		return err
	}
	_, err = tx.Exec(`INSERT INTO problems SELECT seq >> 32, chunk, ? FROM chunks WHERE seq = ? AND standing = 3`, string(what), seq)
	return err
}

// giveUp forgets what is known of a file, but for why it can't be read.
func (s *store) giveUp(file int64, problem error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inOne(func(tx *sql.Tx) error {
		if err := forget(tx, file, ""); err != nil {
			return err
		}
		return note(tx, seqOf(file, 0), false, problem)
	})
}

// problems gives each of a state's problems with the file it is of, in the order they
// came: that of a chunk is a *ChunkError. With a file, only its own.
func problems(query func(query string, args ...any) (*sql.Rows, error), file int64, each func(file int64, problem error)) error {
	rows, err := query(`SELECT file, chunk, path, what FROM problems JOIN files ON files.id = file WHERE ? IN (0, file) ORDER BY problems.rowid`, file)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var chunk sql.NullInt64
		var path, what string
		if err := rows.Scan(&file, &chunk, &path, &what); err != nil {
			return err
		}
		var stored storedProblem
		if err := json.Unmarshal([]byte(what), &stored); err != nil {
			return err
		}
		problem := stored.err()
		if chunk.Valid {
			problem = &ChunkError{Path: path, Chunk: int(chunk.Int64), Err: problem}
		}
		each(file, problem)
	}
	return rows.Err()
}
