package app

import (
	"slices"

	"paddock/app/chat"
	"paddock/config"
	"paddock/engine/library"
)

// ownChat is what the user has saved for chats, and where it is kept.
func ownChat(store *config.Store) chat.Own {
	var own chat.Own
	c := store.Get()
	for _, p := range c.ChatPresets {
		own.Presets = append(own.Presets, chat.Preset{Name: p.Name, Own: true, Sampling: chat.Sampling{
			Temperature: p.Temperature, TopP: p.TopP, TopK: p.TopK, MinP: p.MinP,
			RepeatPenalty: p.RepeatPenalty, Seed: p.Seed, MaxTokens: p.MaxTokens,
		}})
	}
	for _, p := range c.ChatPrompts {
		own.Prompts = append(own.Prompts, chat.Prompt{Name: p.Name, Text: p.Text, Own: true})
	}
	own.Keep = func(presets []chat.Preset, prompts []chat.Prompt) error {
		return store.Update(func(c *config.Config) {
			c.ChatPresets, c.ChatPrompts = nil, nil
			for _, p := range presets {
				s := p.Sampling
				c.ChatPresets = append(c.ChatPresets, config.ChatPreset{
					Name: p.Name, Temperature: s.Temperature, TopP: s.TopP, TopK: s.TopK, MinP: s.MinP,
					RepeatPenalty: s.RepeatPenalty, Seed: s.Seed, MaxTokens: s.MaxTokens,
				})
			}
			for _, p := range prompts {
				c.ChatPrompts = append(c.ChatPrompts, config.ChatPrompt{Name: p.Name, Text: p.Text})
			}
		})
	}
	return own
}

// seers are the names of models in the list that can be shown pictures.
func (w *Window) seers() []string {
	var names []string
	for _, m := range w.seeing() {
		if name := m.Facts.Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// seeing are the models in the list that can be shown pictures.
func (w *Window) seeing() []library.Model {
	var models []library.Model
	for _, row := range w.modelsTab().State().Rows {
		if !row.Companion && row.Problem == "" && slices.Contains(row.Badges, library.Vision) {
			models = append(models, row.Model)
		}
	}
	return models
}
