package server

import (
	"encoding/json"
	"slices"
	"strings"
)

// childPrefix begins the lines an engine in child mode reports its state with.
// It is an internal protocol of llama-server, seen on b11669.
const childPrefix = "cmd_child_to_router:state:"

// A childState is what one such line says.
type childState struct {
	ready    bool
	progress float64 // of all stages together, 0 to 1
}

func parseChildState(output string) (childState, bool) {
	text, ok := strings.CutPrefix(output, childPrefix)
	if !ok {
		return childState{}, false
	}
	var state struct {
		State   string
		Payload struct {
			Stages  []string
			Current string
			Value   float64
		}
	}
	if json.Unmarshal([]byte(text), &state) != nil {
		return childState{}, false
	}
	switch state.State {
	case "ready":
		return childState{ready: true, progress: 1}, true
	case "loading":
		stage := max(slices.Index(state.Payload.Stages, state.Payload.Current), 0)
		stages := max(len(state.Payload.Stages), 1)
		value := min(max(state.Payload.Value, 0), 1)
		return childState{progress: (float64(stage) + value) / float64(stages)}, true
	}
	return childState{}, false
}
