package chat

import (
	"time"

	store "paddock/engine/chat"
	"paddock/words"
)

// A State is everything the tab shows. It is a value that nobody changes once it
// is published; its slices are shared by the states they hold for, and their
// versions tell whether one is another.
type State struct {
	Opening bool // the conversations are being read: nothing can be sent yet

	// The list.
	Conversations []Summary // by group, the latest first in each
	ListVersion   int       // of Conversations
	Answering     int       // ID of the conversation whose answer is being written, or 0
	Search        string    // what is looked for
	Hits          []Hit     // what was found, instead of Conversations while Search is not empty
	Searching     bool      // Hits are still those of what was looked for before
	HitsVersion   int       // of Hits

	// The conversation on view.
	Key          int // another one when another conversation comes on view; a new one keeps it when it gets its ID
	Current      int // ID of it; 0 while nothing of it is kept
	Reading      bool
	Title        string // empty while it is new
	TitleGiven   bool   // by the user
	Pinned       bool
	Turns        []Turn // all but the answer being written
	TurnsVersion int    // of Turns
	Found        int    // turn that a chosen hit is about, to be scrolled to, or 0
	TurnsOff     string // why turns can't be edited, deleted or switched; empty when they can
	Answer       *Turn  // being written in it, or nil
	Doing        string // what is done before the answer's first word, empty when there is one

	// The composer.
	Draft       string
	Attachments []Attachment
	Editing     int       // turn that Send makes a new version of, or 0
	Sending     bool      // the message is being kept, counted and handed over
	Adding      *Adding   // files that were dropped and are being looked at, or nil
	Question    *Question // before something is added, or nil
	Drop        Drop      // what stands over the chat while files are dragged over it
	Model       string    // name of the loaded model
	ModelPath   string
	Sees        bool // the loaded model can be shown pictures

	CanSend     bool
	SendOff     string // why nothing can be sent, empty when only the text is missing
	OfferLoad   bool   // loading a model would help
	OfferSet    bool   // changing the settings of the conversation would help
	ContinueOff string // why an answer can't go on, or be asked for again; empty when it can

	ContextUsed     int  // tokens of the conversation so far
	ContextAttached int  // tokens of what the draft and its attachments add, about
	ContextAbout    bool // ContextUsed is partly estimated: the engine tells it after a whole answer only
	ContextTokens   int  // of the loaded model; 0 when none is
	Overflow        *Overflow

	Settings        Settings // of the conversation
	Effective       Sampling // what holds where Settings leave it open: the model's own, or the engine's
	SettingsChanged bool     // something differs from what the model's file or the engine gives
	Preset          string   // name of the preset that Settings.Sampling is; empty when it is none
	Presets         []Preset
	Prompts         []Prompt
	CanReason       bool   // the template knows reasoning on and off
	SchemaProblem   string // why Settings.Schema can't be used, empty when it can

	Undo   string // what Undo brings back, in a sentence; empty when there is nothing
	Banner *Banner
	Saved  time.Time // when everything was last on the disk; zero when nothing was written yet
}

// A Group is a part of the list.
type Group string

// The groups, in their order.
const (
	GroupPinned    Group = "pinned"
	GroupToday     Group = "today"
	GroupYesterday Group = "yesterday"
	GroupLastWeek  Group = "week"
	GroupOlder     Group = "older"
)

// A Summary is a conversation in the list.
type Summary struct {
	ID         int
	Group      Group
	Title      string // empty while nothing was said
	Preview    string
	HasPicture bool // in the turns on view
	Updated    time.Time
}

// A Hit is a conversation in which something was found.
type Hit struct {
	Summary
	InTitle   []Span // of Title
	Snippet   string // one line of the turn, empty when it is only in the title
	InSnippet []Span
	Turn      int // in which it was found, or 0
}

// A Span is a part of a text, in bytes.
type Span struct{ From, To int }

// A Turn is one message.
type Turn struct {
	ID       int
	User     bool
	Role     string // "user" or "assistant"; of imported conversations also "system" and "tool"
	Text     string // without what Files have
	Pictures []Picture
	Files    []File        // texts that were sent with it
	Thought  string        // the model's reasoning
	Thinking time.Duration // how long it reasoned
	Branch   Branch
	Model    string // that answered
	Numbers  Numbers
	End      End
	Problem  words.Sentence // why it ended; empty when nothing went wrong
	Full     bool           // because the context is full
	Outside  bool           // the model is no longer told it: the oldest turns were left out, or summarised
	Stalled  time.Duration  // of the answer being written: nothing has come for so long; 0 when it comes
}

// A Picture is one of a turn.
type Picture struct {
	Hash string
	Name string // of its file, may be empty
	Path string // of the file that is kept, PNG or JPEG, for reading only
	TheTokens
	Missing bool // the file is gone or damaged
}

// TheTokens are how many a picture or a text takes.
type TheTokens struct {
	Tokens      int  // 0 when nothing is known
	TokensAbout bool // they are estimated
}

// A File is a text sent with a message.
type File struct {
	Name  string
	Bytes uint64
	First string // its first words
}

// A Branch is the place of a turn among its versions. Of is 1 when it is the only
// one.
type Branch struct{ At, Of int }

// An End is how an answer ended.
type End string

// The ends of an answer.
const (
	Whole       End = ""            // the model had no more to say
	Stopped     End = "stopped"     // the user did
	Unloaded    End = "unloaded"    // the user unloaded the model, or loaded another
	Cut         End = "cut"         // the context is full, or as many tokens came as were asked for
	Broken      End = "broken"      // the engine failed
	Interrupted End = "interrupted" // Paddock ended before the answer did
)

// Numbers are what an answer took.
type Numbers = store.Numbers

// An AttachmentKind is what is attached.
type AttachmentKind string

// The kinds.
const (
	AttachedPicture AttachmentKind = "picture"
	AttachedText    AttachmentKind = "text" // a file
	// AttachedPaste is a long text from the clipboard. It isn't shown in the
	// composer, whose entry takes a second a keystroke with it.
	AttachedPaste AttachmentKind = "paste"
)

// An Attachment goes with the draft.
type Attachment struct {
	ID    int
	Kind  AttachmentKind
	Name  string
	Bytes uint64 // of the file, or of the text
	Path  string // of a picture that is kept, for a thumbnail; empty while it is read
	First string // of a text, its first words
	Runes int    // of a text
	Note  string // what was done to it that is worth knowing; may be empty
	TheTokens
	Reading bool   // it is not ready yet
	Off     string // why it keeps the message from being sent; empty when it doesn't
}

// Adding is the dialog about files that were dropped.
type Adding struct {
	Rows []AddingRow
	Done bool // all have been looked at; what failed is still to be read
}

// An AddingRow is one of the files.
type AddingRow struct {
	Name    string
	Picture bool
	Path    string // of the picture that is kept, for a thumbnail; empty while it is read
	TheTokens
	Reading bool
	Problem words.Sentence // why it isn't added; empty when it is
	Short   string         // Problem in a few words: "Not an image"
}

// A Question has to be answered before a text is added.
type Question struct {
	Title, Text string
	Yes, No     string // the buttons' labels
}

// A Drop is what is said while files are dragged over the chat.
type Drop struct {
	Sees        bool // the loaded model can be shown pictures
	Title, Text string
	Note        string // second line of text, may be empty
}

// An Overflow is a message for which there is no room, and what can be done.
// Nothing has been sent yet.
type Overflow struct {
	Title, Text   string
	PromptTokens  int // of the message with all before it
	AnswerTokens  int // kept for the answer
	ContextTokens int
	About         bool // PromptTokens is estimated
	Offers        []OverflowOffer
}

// An OverflowOffer is one thing to do about an overflow.
type OverflowOffer struct {
	ID    string // one of the Overflow* constants, for Resolve
	Label string
	Text  string // what it does
	Off   string // why it can't be done; empty when it can
}

// What can be done about an overflow.
const (
	OverflowDrop      = "drop"      // leave the oldest turns out of what the model is told
	OverflowSummarise = "summarise" // have the model sum them up first
	OverflowLarger    = "larger"    // load the model with a longer context
	OverflowNew       = "new"       // send it in a new conversation
)

// A Banner stands above the messages until it is over or dismissed.
type Banner struct {
	Key     string // the same for the same kind
	Text    words.Sentence
	Bad     bool // words may be lost: red
	Dismiss bool // it can be dismissed
	Again   bool // all can be saved again
}
