package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"

	"paddock/diskfile"
)

// A kept file remembers a value for each of some keys, at most so many, and is
// read when it is first asked. Its methods are safe from any goroutine.
type kept[T any] struct {
	path  string
	most  int
	aside bool // a file that can't be made anew: one that makes no sense is set aside, one that can't be read is left alone

	mu       sync.Mutex
	all      map[string]T // nil until it was read
	problem  error        // what was wrong when it was read
	readOnly error        // why the file can't be read, and so is not written
}

// fileKey names a model, by its first file and size in bytes.
func fileKey(model string, sizeBytes uint64) string { return fmt.Sprintf("%d %s", sizeBytes, model) }

func (k *kept[T]) get(key string) (T, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.read()
	value, ok := k.all[key]
	return value, ok
}

// put remembers a value. Where there are too many, any other makes room.
func (k *kept[T]) put(key string, value T) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.read()
	if _, known := k.all[key]; !known {
		for other := range k.all {
			if len(k.all) < k.most {
				break
			}
			delete(k.all, other)
		}
	}
	k.all[key] = value
	return k.write()
}

func (k *kept[T]) forget(key string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.read()
	if _, known := k.all[key]; !known {
		return nil
	}
	delete(k.all, key)
	return k.write()
}

// write replaces the file, unless what is in it is not known: it would be lost.
func (k *kept[T]) write() error {
	if k.readOnly != nil {
		return k.readOnly
	}
	data, err := json.Marshal(k.all)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(k.path), 0o700); err != nil {
		return err
	}
	return diskfile.ReplaceBytes(k.path, 0o600, data)
}

// read takes the file over, when there is one that makes sense.
func (k *kept[T]) read() {
	if k.all != nil {
		return
	}
	data, err := readFile(k.path)
	var all map[string]T
	if err == nil {
		err = json.Unmarshal(data, &all)
		if err != nil && k.aside {
			k.problem = k.setAside(err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) && k.aside {
		k.problem, k.readOnly = &Error{Problem: Unreadable, Path: k.path, Err: err}, err
	}
	k.all = map[string]T{}
	if err == nil {
		maps.Copy(k.all, all)
	}
}

// setAside moves the file out of the way of what is written next.
func (k *kept[T]) setAside(reason error) error {
	aside := diskfile.FreeName(k.path + ".broken")
	if err := os.Rename(k.path, aside); err != nil {
		aside = ""
	}
	return &Error{Problem: Broken, Path: k.path, SetAside: aside, Err: reason}
}
