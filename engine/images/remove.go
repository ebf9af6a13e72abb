package images

import (
	"os"
	"path/filepath"
)

// Removed is what Take took out of a set.
type Removed struct {
	items  []*Item
	queued map[ID]*Job     // those a job had to do with
	left   map[ID]struct{} // those the latest run was not through with
	runs   int             // Set.runs then
}

// Take takes pictures out of the set; what runs of them ends. PutBack can put them back
// until the set is closed. No file is touched.
func (s *Set) Take(ids ...ID) *Removed {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &Removed{queued: map[ID]*Job{}, left: map[ID]struct{}{}, runs: s.runs}
	for _, id := range ids {
		if _, is := s.left[id]; is {
			t.left[id] = struct{}{}
		}
	}
	for _, e := range s.forget(ids) {
		t.items = append(t.items, e.item)
		if e.work != idle {
			t.queued[e.item.ID] = s.job
			s.job.drop(e)
		}
	}
	if s.journal != nil {
		s.journal.append(line{Removed: ids})
	}
	if s.job != nil {
		s.job.pump()
	}
	s.changed()
	return t
}

// Remove is Take for good: no file of the user's is touched, but a pasted picture's copy
// goes.
func (s *Set) Remove(ids ...ID) {
	for _, item := range s.Take(ids...).items {
		if item.Pasted {
			s.removePasted(item.Path)
		}
	}
}

// PutBack puts pictures back with their texts, each in its place, but for those that were
// added again meanwhile. One that waited in a job that goes on waits in it again, and one
// that is left of an interrupted run is left of it again. It returns those that are back.
func (s *Set) PutBack(t *Removed) []ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	var back []ID
	left := false
	for _, was := range t.items {
		if s.byID[was.ID] != nil || s.byPath[was.Path] != nil {
			continue
		}
		item := *was
		e := s.insert(&item)
		back = append(back, item.ID)
		if j := t.queued[item.ID]; j != nil && j == s.job && !j.ended && j.ctx.Err() == nil {
			j.enqueue(e)
		}
		if _, is := t.left[item.ID]; is && t.runs == s.runs {
			s.left[item.ID] = struct{}{}
			left = true
		}
	}
	if left && s.journal != nil {
		s.journal.append(line{Run: s.keepRun()})
	}
	if s.job != nil {
		s.job.pump()
	}
	s.changed()
	return back
}

// sweepPasted removes the copies of pasted pictures that the set doesn't have any more.
// One that stays takes space and does no harm.
func (s *Set) sweepPasted() {
	s.pasting.Lock()
	defer s.pasting.Unlock()
	folder := s.pastedFolder()
	has := map[string]bool{} // by their names: the folder may be called otherwise by now
	s.mu.Lock()
	for _, e := range s.entries {
		if e.item.Pasted {
			has[filepath.Base(e.item.Path)] = true
		}
	}
	s.mu.Unlock()
	entries, _ := os.ReadDir(folder) // mostly there is none
	for _, entry := range entries {
		if !has[entry.Name()] && entry.Type().IsRegular() {
			_ = os.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}

func (s *Set) pastedFolder() string { return filepath.Join(s.folder, "pasted") }
