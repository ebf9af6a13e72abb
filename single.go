package main

import (
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"
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
