package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// packages says how large the packages in a folder are, and how fast what they
// install starts. Only the one that everybody downloads has a limit.
func packages(ctx context.Context, folder string) ([]row, error) {
	const limitMB = 45
	var rows []row
	var program string
	for _, p := range []struct{ what, pattern string }{
		{"package paddock, without the Vulkan backend", "paddock_*.deb"},
		{"package paddock-vulkan", "paddock-vulkan_*.deb"},
		{"portable archive, with it", "paddock-*.tar.xz"},
	} {
		path, size, err := newest(filepath.Join(folder, p.pattern))
		if err != nil {
			return nil, err
		}
		r := row{what: p.what, measured: fmt.Sprintf("%.1f MB", size), good: true}
		if program == "" {
			program, r.limit, r.good = path, fmt.Sprintf("<= %d MB", limitMB), size <= limitMB
		}
		rows = append(rows, r)
	}

	root, err := os.MkdirTemp("", "paddock-installed")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	if out, err := exec.CommandContext(ctx, "dpkg-deb", "-x", program, root).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", program, err, out)
	}
	const starts = 5
	var firsts []time.Duration
	var idle float64
	for i := range starts {
		var alone time.Duration
		if i == starts-1 {
			alone = 20 * time.Second
		}
		o, err := openOnce(ctx, filepath.Join(root, "usr", "bin", "paddock"), alone)
		if err != nil {
			return nil, err
		}
		firsts, idle = append(firsts, o.first), o.idlePercent
	}
	middle := median(firsts, time.Duration.Seconds)
	return append(rows,
		row{"first pixel of the installed window", fmt.Sprintf("%.2f s (median of %d)", middle, starts), "<= 0.5 s", middle <= 0.5},
		row{"the same, left alone for 20 s: processor", fmt.Sprintf("%.1f %% of a core", idle), "<= 3 %", idle <= 3},
	), nil
}

// newest is the file of a pattern that was made last, and its size in MB.
func newest(pattern string) (path string, sizeMB float64, err error) {
	files, err := filepath.Glob(pattern)
	if err != nil {
		return "", 0, err
	}
	var made time.Time
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return "", 0, err
		}
		if info.ModTime().After(made) {
			path, sizeMB, made = file, float64(info.Size())/1e6, info.ModTime()
		}
	}
	if path == "" {
		return "", 0, fmt.Errorf("there is no %s: make deb portable", pattern)
	}
	return path, sizeMB, nil
}
