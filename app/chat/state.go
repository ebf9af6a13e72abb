package chat

import (
	"time"

	"paddock/words"
)

// A State is everything the tab shows. It is a value that nobody changes once it
// is published.
type State struct {
	Conversations []Summary // the latest first
	Current       int       // ID of the one on view
	Title         string    // of it; empty while it is new
	Turns         []Turn    // of it, all but the answer being written
	Answer        *Turn     // being written in it, or nil
	Draft         string
	Pasted        []Paste // long texts that go with the draft
	Model         string  // name of the loaded model
	ModelPath     string

	CanSend     bool
	SendOff     string // why nothing can be sent, empty when only the text is missing
	OfferLoad   bool   // loading a model would help
	ContinueOff string // why an answer can't go on, empty when it can

	ContextUsed   int  // tokens of the conversation so far
	ContextAbout  bool // ContextUsed is partly estimated: the engine tells it after a whole answer only
	ContextTokens int  // of the loaded model; 0 when none is

	Deleted string // title of the next conversation that Undo brings back
}

// A Paste is a long text that was pasted. It isn't shown in the composer, whose
// entry takes a second a keystroke with it.
type Paste struct {
	First string // its first words
	Runes int
}

// A Summary is a conversation in the list.
type Summary struct {
	ID        int
	Title     string
	Preview   string
	Started   time.Time
	Answering bool
}

// A Turn is one message.
type Turn struct {
	ID       int
	User     bool
	Text     string
	Thought  string        // the model's reasoning
	Thinking time.Duration // how long it reasoned
	Numbers  Numbers
	End      End
	Problem  words.Sentence // why it ended; empty when nothing went wrong
	Full     bool           // because the context is full
	Unsent   bool           // a user's: too long for the context, and given back as the draft
}

// An End is how an answer ended.
type End string

// The ends of an answer.
const (
	Whole    End = ""         // the model had no more to say
	Stopped  End = "stopped"  // the user did
	Unloaded End = "unloaded" // the user unloaded the model, or loaded another
	Cut      End = "cut"      // the context is full
	Broken   End = "broken"   // the engine failed
)

// Numbers are what an answer took.
type Numbers struct {
	TokensPerSecond float64
	FirstToken      time.Duration
	PromptTokens    int
	AnswerTokens    int
	DraftedTokens   int
	AcceptedTokens  int
}
