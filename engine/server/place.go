package server

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
)

// socketPathLimit is the size of sun_path on macOS, its closing zero included.
// Linux has 108.
const socketPathLimit = 104

// A place is the folder one engine's socket and key file are in, for no other
// user to enter. Its name begins with our process id, so that what a killed
// Paddock left can be told and removed.
type place struct {
	folder  string
	socket  string
	keyFile string
	key     string
}

var places atomic.Int64

// newPlace makes a place under dir, and removes those of processes that are gone.
func newPlace(dir string) (*place, *Failure) {
	folder := filepath.Join(dir, fmt.Sprintf("%d-%d", os.Getpid(), places.Add(1)))
	p := &place{folder: folder, socket: filepath.Join(folder, "s.sock"), keyFile: filepath.Join(folder, "key"), key: randomKey()}
	if len(p.socket) >= socketPathLimit {
		f := failed(SocketPathTooLong, nil)
		f.Path = p.socket
		return nil, f
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, unusable(dir, err)
	}
	sweep(dir)
	// A folder of this name is ours and stale: the process id came round again.
	os.RemoveAll(folder)
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, unusable(dir, err)
	}
	if err := os.WriteFile(p.keyFile, []byte(p.key+"\n"), 0o600); err != nil {
		p.remove()
		return nil, unusable(dir, err)
	}
	return p, nil
}

func unusable(dir string, err error) *Failure {
	f := failed(RuntimeFolder, err)
	f.Path = dir
	return f
}

func (p *place) remove() { os.RemoveAll(p.folder) }

func (p *place) removeKey() { os.Remove(p.keyFile) }

func randomKey() string {
	key := make([]byte, 32)
	rand.Read(key)
	return hex.EncodeToString(key)
}

// sweep removes the places of processes that no longer run. What can't be
// removed stays: it harms nobody.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		owner, number, ok := strings.Cut(entry.Name(), "-")
		pid, err := strconv.Atoi(owner)
		if _, notNumber := strconv.Atoi(number); !ok || err != nil || notNumber != nil || !entry.IsDir() {
			continue
		}
		if !alive(pid) {
			os.RemoveAll(filepath.Join(dir, entry.Name()))
		}
	}
}
