package chat

// applicationID marks a database as ours in its header ("Pddk").
const applicationID = 0x5064646b

// Times are milliseconds since 1970, durations nanoseconds. A turn's parent is
// older than the turn, so along a path IDs grow.
//
// The parents are checked at the end of a transaction and don't cascade: SQLite
// cascades 1,000 levels at most, and conversations are longer.
const schemaV1 = `
CREATE TABLE conversations (
	id          INTEGER PRIMARY KEY AUTOINCREMENT,
	title       TEXT NOT NULL DEFAULT '',
	title_given INTEGER NOT NULL DEFAULT 0,
	pinned      INTEGER NOT NULL DEFAULT 0,
	created     INTEGER NOT NULL,
	updated     INTEGER NOT NULL,
	current     INTEGER,          -- turn at the end of the path on view
	deleted     INTEGER,          -- when
	settings    TEXT NOT NULL DEFAULT '',
	draft       TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE turns (
	id                INTEGER PRIMARY KEY AUTOINCREMENT,
	conversation      INTEGER NOT NULL REFERENCES conversations,
	parent            INTEGER REFERENCES turns DEFERRABLE INITIALLY DEFERRED,
	next              INTEGER,    -- the child that was on view last
	deleted           INTEGER,    -- when
	deleted_with      INTEGER,    -- the turn that was deleted, this one or one before it
	role              TEXT NOT NULL,
	ended             TEXT NOT NULL DEFAULT '',
	context_full      INTEGER NOT NULL DEFAULT 0,
	unsent            INTEGER NOT NULL DEFAULT 0, -- not used any more
	created           INTEGER NOT NULL,
	thinking          INTEGER NOT NULL DEFAULT 0,
	first_token       INTEGER NOT NULL DEFAULT 0,
	tokens_per_second REAL NOT NULL DEFAULT 0,
	prompt_tokens     INTEGER NOT NULL DEFAULT 0,
	answer_tokens     INTEGER NOT NULL DEFAULT 0,
	drafted_tokens    INTEGER NOT NULL DEFAULT 0,
	accepted_tokens   INTEGER NOT NULL DEFAULT 0,
	model             TEXT NOT NULL DEFAULT '',
	problem           TEXT NOT NULL DEFAULT '',
	text              TEXT NOT NULL DEFAULT '',
	thought           TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX turns_of ON turns (conversation, parent);
CREATE INDEX turns_under ON turns (parent);

-- What has come of an answer since it was begun. Adding to a text of the table
-- turns would write all of it again.
CREATE TABLE pieces (
	turn     INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE,
	n        INTEGER NOT NULL,
	thinking INTEGER NOT NULL,    -- of the whole answer so far
	text     TEXT NOT NULL,
	thought  TEXT NOT NULL,
	PRIMARY KEY (turn, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE turn_pictures (
	turn  INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE,
	place INTEGER NOT NULL,
	hash  TEXT NOT NULL,
	PRIMARY KEY (turn, place)
) STRICT, WITHOUT ROWID;
`

// The index of everything that can be searched. Its text is what grams makes of a
// turn's (row: the turn's ID) or a title (row: the conversation's ID, negative).
// The tokenizer only has to part it at spaces. Nothing but which row has which
// word is kept; the prefixes are for words that are shorter than three.
const schemaV2 = `
CREATE VIRTUAL TABLE grams USING fts5(
	words, content='', contentless_delete=1, detail=none, tokenize='ascii', prefix='1 2'
);
`
