package library

import "time"

// Unhurried is a scanner that waits for each source in turn, however slow the
// machine is that runs the tests.
func Unhurried(cache *Cache) *Scanner { return &Scanner{Cache: cache, grace: time.Minute} }
