package main

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/sirupsen/logrus"

	"paddock/config"
	"paddock/diskfile"
)

// handOverTime is how long a running Paddock may take to accept paths.
const handOverTime = 2 * time.Second

// handOver gives paths to the Paddock that already has a window, and says
// whether there is one.
func handOver(folder string, paths []string) bool {
	conn, err := net.DialTimeout("unix", socketPath(folder), handOverTime)
	if err != nil {
		return false
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(handOverTime)); err != nil {
		return false
	}
	if err := json.NewEncoder(conn).Encode(absolute(paths)); err != nil {
		return false
	}
	answer := make([]byte, 2)
	_, err = io.ReadFull(conn, answer)
	return err == nil && string(answer) == "ok"
}

// aloneTime is how long a Paddock that has the folders may take to open its window or to
// end, before a later launch gives up.
const aloneTime = 10 * time.Second

// lockName is the file in the configuration folder that the Paddock with a window has
// locked. Two of them would write the same chats and settings. The socket does not tell:
// it may have been deleted.
const lockName = "window.lock"

// alone is the lock of the only Paddock with a window in these folders, or nil where
// there is one already, which has been given the paths. The error is a *config.Error
// with InUse where that one does not take them in time.
func alone(folders config.Folders, paths []string, patience time.Duration) (lock io.Closer, err error) {
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if handOver(folders.Runtime, paths) {
			return nil, nil
		}
		file, err := diskfile.OpenLocked(filepath.Join(folders.Config, lockName))
		switch {
		case err == nil:
			return file, nil
		case !errors.Is(err, diskfile.ErrLocked): // a disk that knows no locks, or is read-only
			logrus.WithError(err).Warn("later launches are not kept from using the same folders")
			return io.NopCloser(nil), nil
		case time.Now().After(end):
			return nil, &config.Error{Problem: config.InUse, Path: folders.Config}
		}
	}
}

// takeOver lets later launches hand their paths to this one until the closer is
// closed; open says whether it takes them. Where it can't be done Paddock runs
// anyway.
func takeOver(folder string, open func(paths []string) bool) (io.Closer, error) {
	path := socketPath(folder)
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) { // what a crash left
		return nil, err
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	// By then the file may be the socket of a later launch.
	listener.(*net.UnixListener).SetUnlinkOnClose(false)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed
			}
			go receive(conn, open)
		}
	}()
	return listener, nil
}

func receive(conn net.Conn, open func(paths []string) bool) {
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(handOverTime)); err != nil {
		return
	}
	var paths []string
	if err := json.NewDecoder(io.LimitReader(conn, 1<<20)).Decode(&paths); err != nil {
		return
	}
	if open(paths) {
		_, _ = io.WriteString(conn, "ok") // who does not hear it opens them too
	}
}

func socketPath(folder string) string { return filepath.Join(folder, "window.sock") }

// absolute makes paths hold wherever the other process runs.
func absolute(paths []string) []string {
	list := make([]string, len(paths))
	for i, path := range paths {
		list[i] = path
		if abs, err := filepath.Abs(path); err == nil {
			list[i] = abs
		}
	}
	return list
}
