package chat

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// The exports of llama.cpp's web UI. Source: llama.cpp, database.d.ts (tools/ui and
// before it tools/server/webui): {conv, messages} or an array of those; since June
// 2026 JSON lines, a session and its messages, and ZIP files of several. Its oldest
// versions had one list of messages without parents.

type webConversation struct {
	Name         string `json:"name"`
	LastModified number `json:"lastModified"`
	Current      webID  `json:"currNode"`
	Pinned       bool   `json:"pinned"`
}

type webMessage struct {
	ID        webID           `json:"id"`
	Parent    *webID          `json:"parent"`
	Type      string          `json:"type"`
	Role      Role            `json:"role"`
	Content   string          `json:"content"`
	Reasoning string          `json:"reasoningContent"`
	Thinking  string          `json:"thinking"` // what reasoningContent was before
	ToolCalls json.RawMessage `json:"toolCalls"`
	Model     string          `json:"model"`
	Timestamp number          `json:"timestamp"` // milliseconds
	Extra     []webExtra      `json:"extra"`
	Timings   struct {
		CacheTokens        number `json:"cache_n"`
		PromptTokens       number `json:"prompt_n"`
		PromptMilliseconds number `json:"prompt_ms"`
		AnswerTokens       number `json:"predicted_n"`
		AnswerMilliseconds number `json:"predicted_ms"`
	} `json:"timings"`
}

type webExtra struct {
	Type    string   `json:"type"`
	Name    string   `json:"name"`
	Content string   `json:"content"`   // of texts and documents
	URL     string   `json:"base64Url"` // of a picture
	Images  []string `json:"images"`    // of a document's pages
}

// A webID is a text, in old exports a number.
type webID string

func (id *webID) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, (*string)(id))
	}
	if string(data) != "null" {
		*id = webID(data)
	}
	return nil
}

// A number is one, or nothing when the file has something else there: none of them
// is worth refusing a chat for.
type number float64

func (n *number) UnmarshalJSON(data []byte) error {
	var f float64
	if json.Unmarshal(data, &f) == nil {
		*n = number(f)
	}
	return nil
}

func (n number) tokens() int {
	const most = 1 << 31
	if !(n >= 0 && n < most) {
		return 0
	}
	return int(n)
}

func (n number) time() time.Time { return time.UnixMilli(int64(n)) }

func readWebUI(drafts []draft, value json.RawMessage) ([]draft, error) {
	var file struct {
		Conv     *webConversation `json:"conv"`
		Messages []webMessage     `json:"messages"`
	}
	if err := json.Unmarshal(value, &file); err != nil {
		return nil, bad("%v", err)
	}
	if file.Conv == nil { // the oldest versions
		file.Conv = &webConversation{}
		if err := json.Unmarshal(value, file.Conv); err != nil {
			return nil, bad("%v", err)
		}
	}
	return finishDraft(drafts, file.Conv.draft(), file.Messages)
}

func (c webConversation) draft() draft {
	return draft{Conversation: Conversation{
		Title: FirstWords(c.Name, titleCells), Pinned: c.Pinned, Created: c.LastModified.time(), Updated: c.LastModified.time(),
	}, current: string(c.Current), pictures: map[Hash][]byte{}}
}

func finishDraft(drafts []draft, d draft, messages []webMessage) ([]draft, error) {
	for _, m := range messages {
		if err := d.addWeb(m); err != nil {
			return nil, err
		}
	}
	return append(drafts, d), nil
}

// startSession reads the first of a session's lines.
func startSession(drafts []draft, value json.RawMessage) ([]draft, error) {
	var session webConversation
	if err := json.Unmarshal(value, &session); err != nil {
		return nil, bad("%v", err)
	}
	return append(drafts, session.draft()), nil
}

// addMessage reads another of a session's lines.
func addMessage(drafts []draft, value json.RawMessage) ([]draft, error) {
	var line struct {
		Message webMessage `json:"message"`
	}
	if err := json.Unmarshal(value, &line); err != nil {
		return nil, bad("%v", err)
	}
	if len(drafts) == 0 {
		return nil, bad("a message comes before the first session")
	}
	return drafts, drafts[len(drafts)-1].addWeb(line.Message)
}

// addWeb adds a message. The root of the tree is none; an export of one branch may
// lack it, so that its first message comes after one that isn't there.
func (d *draft) addWeb(m webMessage) error {
	if m.Type == "root" {
		d.root = string(m.ID)
		return nil
	}
	t := draftTurn{Turn: Turn{
		Role: m.Role, Text: m.Content, Thought: m.Reasoning, Model: m.Model, Created: m.Timestamp.time(),
	}, id: string(m.ID)}
	if t.id == "" {
		t.id = fmt.Sprintf("number %d", len(d.turns)+1)
	}
	if t.Thought == "" {
		t.Thought = m.Thinking
	}
	switch {
	case m.Parent != nil:
		t.parent = string(*m.Parent)
	case len(d.turns) > 0 && d.flat:
		t.parent = d.turns[len(d.turns)-1].id
	}
	if len(d.turns) == 0 {
		d.flat = m.Parent == nil
		if d.root == "" && !d.flat {
			d.root = t.parent
		}
	}
	if m.Role == Assistant {
		n := m.Timings
		t.Numbers = Numbers{
			PromptTokens: n.PromptTokens.tokens() + n.CacheTokens.tokens(), AnswerTokens: n.AnswerTokens.tokens(),
			FirstToken: seconds(float64(n.PromptMilliseconds) / 1000),
		}
		if n.AnswerMilliseconds > 0 {
			t.Numbers.TokensPerSecond = float64(n.AnswerTokens) / float64(n.AnswerMilliseconds) * 1000
		}
		t.Text = join(t.Text, toolCalls(m.ToolCalls))
	}
	for _, extra := range m.Extra {
		if err := d.addExtra(&t.Turn, extra); err != nil {
			return bad("message %.80q: %v", t.id, err)
		}
	}
	d.turns = append(d.turns, t)
	return nil
}

// toolCalls are shown as the JSON that they are, which is a text in some exports.
func toolCalls(calls json.RawMessage) string {
	text := string(calls)
	if json.Unmarshal(calls, &text); text == "" || text == "null" || text == "[]" {
		return ""
	}
	return fence(text, "json")
}

// fence makes a code block of a text, with more backticks than it has.
func fence(text, language string) string {
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	return marks + language + "\n" + strings.TrimRight(text, "\n") + "\n" + marks
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// addExtra takes over what was attached: pictures, and the words of texts and
// documents.
func (d *draft) addExtra(t *Turn, extra webExtra) error {
	pictures := extra.Images
	if extra.URL != "" {
		pictures = append(pictures, extra.URL)
	}
	for _, url := range pictures {
		_, encoded, ok := strings.Cut(url, ";base64,")
		if !ok || !strings.HasPrefix(url, "data:") {
			return fmt.Errorf("the picture %.80q is no data URL", extra.Name)
		}
		data, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return fmt.Errorf("the picture %.80q: %w", extra.Name, err)
		}
		hash := hashOf(data)
		d.pictures[hash] = data
		t.Pictures = append(t.Pictures, hash)
	}
	switch {
	case extra.Content != "" && len(extra.Images) == 0: // of pages that are pictures the words would be there twice
		t.Text = join(t.Text, clean(extra.Name)+"\n\n"+fence(extra.Content, ""))
	case extra.Content == "" && len(pictures) == 0:
		d.leftOut++
	}
	return nil
}

// readZip reads every chat in a ZIP file.
func readZip(data []byte) ([]draft, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, &Error{Problem: BadChat, Detail: "the ZIP file is broken", Err: err}
	}
	var drafts []draft
	left := int64(MaxImportBytes)
	for _, file := range archive.File {
		if !strings.HasSuffix(file.Name, ".jsonl") && !strings.HasSuffix(file.Name, ".json") {
			continue
		}
		text, err := unpack(file, left+1)
		if err != nil {
			return nil, &Error{Problem: BadChat, Path: file.Name, Err: err}
		}
		if left -= int64(len(text)); left < 0 {
			return nil, &Error{Problem: TooLarge, Detail: fmt.Sprintf("more than %d bytes unpacked", MaxImportBytes)}
		}
		if bytes.HasPrefix(text, []byte("PK")) {
			return nil, &Error{Problem: NoChat, Path: file.Name, Detail: "a ZIP file in a ZIP file"}
		}
		more, err := readChats(text)
		if err != nil {
			return nil, err
		}
		drafts = append(drafts, more...)
	}
	if len(drafts) == 0 {
		return nil, &Error{Problem: NoChat, Detail: "no conversation in it"}
	}
	return drafts, nil
}

func unpack(file *zip.File, limit int64) ([]byte, error) {
	r, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, limit))
}
