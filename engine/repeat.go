package engine

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"paddock/engine/client"
	"paddock/engine/server"
)

// computing are the engine's words when an answer could not be computed, and not
// when a request was at fault.
var computing = regexp.MustCompile(`(?i)speculative|draft|decode|compute`)

// failedGuessing says whether a request failed before its first word because the
// engine could not compute it. Engines before b11548 fail so under MTP for every
// picture, b11669 under EAGLE-3: "failed to process speculative batch".
func failedGuessing(answer client.Answer, err error) bool {
	var failed *client.Error
	return errors.As(err, &failed) && failed.Kind == client.EngineFailed && computing.MatchString(failed.Message) &&
		answer.Text == "" && answer.Reasoning == ""
}

// repeat asks again what failed while the engine guessed ahead, without guessing.
// No request can say so (b11669 takes speculative.n_max and speculative.types and
// ignores them), so the model is loaded again. The model stays loaded when ctx
// ends meanwhile.
func (s *Supervisor) repeat(ctx context.Context, failed *server.Instance, request client.Request, each func(client.Delta), reason error) (client.Answer, error) {
	reloaded := make(chan error, 1)
	go func() { reloaded <- s.stopGuessing(failed, reason) }()
	select {
	case err := <-reloaded:
		if err != nil {
			return client.Answer{Stop: client.StopBroken}, err
		}
	case <-ctx.Done():
		return client.Answer{Stop: client.StopCancelled}, nil
	}
	answer, err := s.ask(ctx, request, each)
	answer.Repeated = true
	return answer, err
}

// stopGuessing replaces an engine by one that does not guess ahead. Where several
// requests failed at once, the first does, and the others wait for it.
func (s *Supervisor) stopGuessing(failed *server.Instance, reason error) error {
	s.guessing.Lock()
	defer s.guessing.Unlock()
	s.mu.Lock()
	instance, state, wish := s.instance, s.state, s.wishes
	s.mu.Unlock()
	switch {
	case instance == failed:
		without := state.Plan.WithoutSpec()
		return s.load(context.Background(), order{
			plan: without, given: state.Given, build: state.Build, after: wish,
			fellBack: &FellBack{From: state.Plan, To: without, OnRequest: true, Err: reason},
		})
	case instance == nil || len(state.Plan.SpecMethods()) > 0:
		return fmt.Errorf("ask again: %w", ErrNotReady)
	}
	return nil
}
