package engine

import (
	"errors"
	"os"
	"testing"

	"paddock/engine/gguf/gguftest"
	"paddock/engine/server"
)

func TestAnEngineWhoseSocketWasDeletedIsAFailedStateAndCanBeLoadedAgain(t *testing.T) {
	ask := map[string]func(s *Supervisor) error{
		"by a chat": func(s *Supervisor) error {
			_, err := s.Chat(t.Context(), question("hi"), nil)
			return err
		},
		"by a count of tokens": func(s *Supervisor) error {
			_, err := s.CountTokens(t.Context(), []string{"hi"})
			return err
		},
	}
	for name, ask := range ask {
		t.Run("noticed "+name, func(t *testing.T) {
			s := newTestSupervisor(t)
			load(t, s, chatPlan(gguftest.Llama(t)))
			pid := pidOf(s)
			if err := os.RemoveAll(s.options.RuntimeDir); err != nil {
				t.Fatal(err)
			}
			err := ask(s)
			var failure *server.Failure
			if !errors.As(err, &failure) || failure.Kind != server.SocketGone || failure.Path != s.options.RuntimeDir {
				t.Fatalf("the error is %v", err)
			}
			if state := s.State(); state.Phase != Failed || state.Err == nil {
				t.Errorf("the state is %s, %v", state.Phase, state.Err)
			}
			if !gone(pid) {
				t.Error("the engine that nobody reaches runs on")
			}
			load(t, s, chatPlan(gguftest.Llama(t)))
			if err := ask(s); err != nil {
				t.Errorf("loaded again: %v", err)
			}
		})
	}
}
