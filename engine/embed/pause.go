package embed

import (
	"context"
	"time"
)

// Pause lets the requests under way end, and makes no more until Continue.
func (j *Job) Pause() {
	j.mu.Lock()
	if j.resumed == nil {
		j.resumed = make(chan struct{})
	}
	j.mu.Unlock()
	j.settle()
}

// Continue ends a pause.
func (j *Job) Continue() {
	j.mu.Lock()
	if j.resumed != nil {
		close(j.resumed)
		j.resumed = nil
	}
	j.mu.Unlock()
	j.settle()
}

// pass waits until there is no pause. With enter, what follows counts as a request
// until leave.
func (j *Job) pass(ctx context.Context, enter bool) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		j.mu.Lock()
		resumed := j.resumed
		if resumed == nil && enter {
			j.asking++
		}
		j.mu.Unlock()
		if resumed == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-resumed:
		}
	}
}

func (j *Job) leave() {
	j.mu.Lock()
	j.asking--
	j.mu.Unlock()
	j.settle()
}

// settle makes the phase what pausing and the requests under way make of it, and
// stops the clock of a job that pauses.
func (j *Job) settle() {
	j.change(func(s *State) {
		if s.Phase != Running && s.Phase != Pausing && s.Phase != Paused {
			return
		}
		switch {
		case j.resumed == nil:
			s.Phase = Running
			if j.since.IsZero() {
				j.since = time.Now()
			}
		case j.asking > 0:
			s.Phase = Pausing
		default:
			s.Phase = Paused
			j.worked, j.since = j.active(), time.Time{}
		}
	})
}
