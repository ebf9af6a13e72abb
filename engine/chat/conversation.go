package chat

import (
	"math"
	"time"
)

// An ID is a conversation's or a turn's. It is never used again.
type ID int64

// A Conversation is all of one but its turns.
type Conversation struct {
	ID         ID
	Title      string // the first words of the first message, until the user gives one
	TitleGiven bool   // by the user
	Pinned     bool
	Created    time.Time
	Updated    time.Time // when a turn was last added or finished
	Settings   string    // the caller's; JSON by convention, and kept as it is
	Current    ID        // the last turn of the path on view; 0 when there is none
	Preview    string    // the first words of that turn, or of the one before when it has none
}

// A Role is who a turn is from.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	System    Role = "system" // only from imported conversations: settings have the system prompt
	Tool      Role = "tool"   // what a tool gave back; only from imported conversations
)

// An End is how an answer ended.
type End string

// The ends.
const (
	Whole       End = ""            // the model had no more to say; also every turn that is no answer
	Stopped     End = "stopped"     // the user did
	Unloaded    End = "unloaded"    // the user unloaded the model, or loaded another
	Cut         End = "cut"         // the context is full
	Broken      End = "broken"      // the engine failed
	Interrupted End = "interrupted" // Paddock ended before the answer did, or it is being written
)

// A Turn is one message.
type Turn struct {
	ID           ID
	Conversation ID
	Parent       ID // the turn before; 0 for a first one
	Role         Role
	Text         string
	Thought      string        // the model's reasoning
	Thinking     time.Duration // how long it reasoned
	Numbers      Numbers
	End          End
	Problem      string // why it ended, in the caller's words; empty when nothing went wrong
	Full         bool   // because the context is full
	Model        string // that answered
	Pictures     []Hash
	Created      time.Time
	Siblings     []ID // its versions, itself among them, oldest first; nil when it is the only one
}

// Numbers are what an answer took.
type Numbers struct {
	TokensPerSecond float64
	FirstToken      time.Duration
	PromptTokens    int
	AnswerTokens    int
	DraftedTokens   int
	AcceptedTokens  int
}

// finite is without a speed that is no number, as of an answer that took no time.
func (n Numbers) finite() Numbers {
	if math.IsNaN(n.TokensPerSecond) || math.IsInf(n.TokensPerSecond, 0) {
		n.TokensPerSecond = 0
	}
	return n
}
