package images

import (
	"errors"

	"paddock/engine"
	"paddock/engine/client"
	"paddock/engine/server"
)

// engineGone is the error of an answer that the engine is the reason of and not
// the picture, or nil: it has ended, was unloaded, or is still loading.
func engineGone(answer client.Answer, err error) error {
	var failure *server.Failure
	var failed *client.Error
	switch {
	case err == nil && answer.Stop == client.StopCancelled: // by somebody else
		return engine.ErrNotReady
	case errors.Is(err, engine.ErrNotReady), errors.Is(err, engine.ErrClosed), errors.As(err, &failure):
		return err
	case errors.As(err, &failed):
		switch failed.Kind {
		case client.Unreachable, client.StillLoading, client.Unauthorized, client.Broken:
			return err
		}
	}
	return nil
}

// died says whether an engine ended under a question, which may be the reason.
func died(err error) bool {
	var failure *server.Failure
	var failed *client.Error
	return errors.As(err, &failure) || errors.As(err, &failed) && failed.Kind == client.Broken
}

// deathsAllowed is under how many engines' ends a picture may have been asked about
// before it counts as the reason.
const deathsAllowed = 1

// engineGone puts a picture back, behind all others, and pauses the job. One that the engine
// ends under again fails: else a picture the engine can't bear would end it for ever.
func (j *Job) engineGone(e *entry, file fileState, reason error) {
	if died(reason) {
		if e.deaths++; e.deaths > deathsAllowed {
			j.fail(e, file, &Error{Problem: Lethal, Path: e.item.Path, Err: reason})
			j.pause(reason)
			return
		}
	}
	e.work, e.stream = queued, nil
	e.show()
	j.queue = append(j.queue, e)
	j.pause(reason)
}

func (j *Job) pause(reason error) {
	if (died(reason) || errors.Is(reason, engine.ErrNotReady)) && j.ready != nil && j.ready() {
		return // another engine is there by now
	}
	if j.paused && (j.reason == nil || died(j.reason)) {
		return // as the user wants it, or for a reason that says more
	}
	j.paused, j.reason = true, reason
}

// EngineReady goes on where the engine was the reason of a pause, so many pictures
// at a time as it has slots.
func (j *Job) EngineReady(slots int) {
	j.set.mu.Lock()
	defer j.set.mu.Unlock()
	j.slots = max(1, slots)
	if j.paused && j.reason != nil {
		j.paused, j.reason = false, nil
	}
	j.pump()
}

// Follow goes on by itself as soon as a supervisor, the job's asker, has the same
// model ready again, and able to see. With another one that is for the user to say.
// It ends with the job.
func (j *Job) Follow(s *engine.Supervisor) {
	model := s.State().Plan.ModelPath
	ready := func(state engine.State) bool {
		return state.Phase == engine.Ready && state.Plan.ModelPath == model && state.Plan.Projector() != ""
	}
	j.set.mu.Lock()
	j.ready = func() bool { return ready(s.State()) }
	j.set.mu.Unlock()
	stop := s.Watch(func(state engine.State) {
		if ready(state) {
			j.EngineReady(state.Plan.Slots)
		}
	})
	go func() {
		<-j.done
		stop()
	}()
}
