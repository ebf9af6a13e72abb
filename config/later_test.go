package config

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"paddock/diskfile"
)

// soon fails the test where something does not end.
func soon(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s does not end", what)
	}
}

// hanging is a store whose disk does not answer until it is released.
func hanging(t *testing.T, dir string) (s *Store, writing, release chan struct{}) {
	t.Helper()
	s = open(t, dir)
	writing, release = make(chan struct{}, 100), make(chan struct{})
	s.replace = func(path string, mode fs.FileMode, data []byte) error {
		writing <- struct{}{}
		<-release
		return diskfile.ReplaceBytes(path, mode, data)
	}
	return s, writing, release
}

func TestNobodyWaitsForTheDiskToReadOrChangeTheConfiguration(t *testing.T) {
	dir := t.TempDir()
	s, writing, release := hanging(t, dir)
	updated := make(chan error, 1)
	go func() { updated <- s.Update(func(c *Config) { c.Theme = "dark" }) }()
	<-writing
	soon(t, "Get", func() {
		if got := s.Get().Theme; got != "dark" {
			t.Errorf("the theme is %q", got)
		}
	})
	told := make(chan error, 1)
	soon(t, "Later", func() { s.Later(func(c *Config) { c.Theme = "light" }, func(err error) { told <- err }) })
	if got := s.Get().Theme; got != "light" {
		t.Errorf("the theme is %q", got)
	}
	given, cancel := context.WithCancel(t.Context())
	cancel()
	soon(t, "Wait without time", func() { s.Wait(given) })
	if len(updated)+len(told) > 0 {
		t.Error("what is not written is told")
	}
	close(release)
	s.Wait(t.Context())
	if err := errors.Join(<-updated, <-told); err != nil {
		t.Error(err)
	}
	if got := open(t, dir).Get().Theme; got != "light" {
		t.Errorf("on the disk it is %q", got)
	}
}

func TestChangesAreWrittenAndToldInTheirOrder(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	var told []string // by one goroutine at a time
	var want []string
	for n := range 50 {
		name := string(rune('a' + n))
		want = append(want, name)
		s.Later(func(c *Config) { c.Engine = name }, func(err error) {
			if err != nil {
				t.Error(err)
			}
			told = append(told, name)
		})
	}
	s.Wait(t.Context())
	if !slices.Equal(told, want) {
		t.Errorf("told %q", told)
	}
	if got := open(t, dir).Get().Engine; got != want[49] {
		t.Errorf("on the disk is %q", got)
	}
}

func TestALaterChangeThatCantBeWrittenIsToldAndHolds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "config")
	s := open(t, dir)
	s.replace = func(string, fs.FileMode, []byte) error { return fs.ErrPermission }
	var told error
	s.Later(func(c *Config) { c.Theme = "dark" }, func(err error) { told = err })
	s.Wait(t.Context())
	problem(t, told, Unsaved)
	if s.Get().Theme != "dark" || !errors.Is(told, fs.ErrPermission) {
		t.Errorf("%+v, %v", s.Get(), told)
	}
}

func TestAQueueLeavesOutWhatTheNextOfItsNameReplaces(t *testing.T) {
	var q Queue
	soon(t, "waiting for nothing", func() { q.Wait(t.Context()) })
	begun, release := make(chan struct{}), make(chan struct{})
	var ran []string
	q.Add("a", func() {
		close(begun)
		<-release
		ran = append(ran, "a1")
	})
	<-begun
	for _, f := range []struct{ name, does string }{{"a", "a2"}, {"", "x"}, {"b", "b1"}, {"", "y"}, {"b", "b2"}, {"a", "a3"}} {
		q.Add(f.name, func() { ran = append(ran, f.does) })
	}
	close(release)
	soon(t, "waiting for all", func() { q.Wait(t.Context()) })
	if want := []string{"a1", "a3", "x", "b2", "y"}; !slices.Equal(ran, want) {
		t.Errorf("%q ran, want %q", ran, want)
	}
}
