package gguf

import "strings"

// What a chat template can know of.
const (
	KnowsChat     = "chat"
	KnowsTools    = "tools"
	KnowsThinking = "thinking"
	KnowsImages   = "images"
)

// Words in a template by which it gives away what it knows. Templates are
// programs; these are the names their inputs have, and the marks they write.
var (
	toolWords = []string{"tools", "tool_calls", "tool_call"}

	thinkingWords = []string{"enable_thinking", "reasoning_content", "reasoning_effort", "<think>", "</think>",
		"[THINK]", "<seed:think>", "<|channel|>analysis", "<|channel>thought", "thinking_budget", "message.thinking"}

	imageWords = []string{"'image'", `"image"`, "'image_url'", `"image_url"`, "<image>", "<|image|>", "<|image_pad|>",
		"<|vision_start|>", "<start_of_image>", "<image_soft_token>", "[IMG]", "<|image_start|>", "<img>", "<|media_start|>"}
)

// templateKnows says what a template handles beside plain messages.
func templateKnows(template string) []string {
	if strings.TrimSpace(template) == "" {
		return nil
	}
	knows := []string{KnowsChat}
	for _, of := range []struct {
		what  string
		words []string
	}{{KnowsTools, toolWords}, {KnowsThinking, thinkingWords}, {KnowsImages, imageWords}} {
		for _, word := range of.words {
			if strings.Contains(template, word) {
				knows = append(knows, of.what)
				break
			}
		}
	}
	return knows
}
