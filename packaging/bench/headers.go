package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	parser "github.com/gpustack/gguf-parser-go"

	"paddock/engine/gguf/gguftest"
	"paddock/engine/library"
)

// The library of the measurement: a thousand files with headers like those of
// real models, a vocabulary of 150,000 tokens, 7 MB. All at once they would need
// 7 GB. So there are as many as take 0.9 GB, each of its own content, and they are
// scanned in eight folders one after the other, moved on from each to the next.
const (
	files      = 1000
	folders    = 8
	perFolder  = files / folders
	vocabulary = 150_000
)

// headers measures a library scanned when nothing is known of it, and when all
// is, and what the fastest other reader takes for the same files. All headers are
// in the system's memory: it is the reading that is measured, not the disk.
func headers(ctx context.Context) ([]row, error) {
	dir, err := os.MkdirTemp("", "pb")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	here := filepath.Join(dir, "0")
	if err := makeHeaders(ctx, here); err != nil {
		return nil, err
	}
	cache, err := library.OpenCache(library.CachePath(filepath.Join(dir, "cache")))
	if err != nil {
		return nil, err
	}
	cold := time.Duration(0)
	other, err := parse(here)
	if err != nil {
		return nil, err
	}
	for i := range folders {
		took, err := scan(ctx, cache, perFolder, here)
		if err != nil {
			return nil, err
		}
		cold += took
		next := filepath.Join(dir, fmt.Sprint(i+1))
		if i == folders-1 {
			break
		}
		if err := moveOn(here, next); err != nil {
			return nil, err
		}
		here = next
	}
	var all []string
	for i := range folders {
		all = append(all, filepath.Join(dir, fmt.Sprint(i)))
	}
	start := time.Now()
	if cache, err = library.OpenCache(library.CachePath(filepath.Join(dir, "cache"))); err != nil {
		return nil, err
	}
	opened := time.Since(start)
	warm, err := scan(ctx, cache, files, all...)
	if err != nil {
		return nil, err
	}
	warm += opened
	ratio := float64(other) / perFolder / (float64(cold) / files)
	return []row{
		{"1,000 headers scanned when nothing is known of them (0.9 GB of disk)", seconds(cold), "<= 3 s", cold <= 3*time.Second},
		{"the same 1,000 when all is remembered", seconds(warm), "<= 0.3 s", warm <= 300*time.Millisecond},
		{"gguf-parser-go at its fastest, for the same headers", fmt.Sprintf("%.1f times as long", ratio), ">= 5", ratio >= 5},
	}, nil
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// makeHeaders writes the files of one folder, old enough to be remembered.
func makeHeaders(ctx context.Context, folder string) error {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	old := time.Now().Add(-time.Hour)
	for i := range perFolder {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		path := filepath.Join(folder, fmt.Sprintf("%d.gguf", i))
		if err := gguftest.Large(vocabulary+i, 32).Write(path); err != nil {
			return err
		}
		if err := os.Chtimes(path, old, old); err != nil {
			return err
		}
	}
	return nil
}

// scan is how long folders take of which the number of files is known.
func scan(ctx context.Context, cache *library.Cache, want int, folders ...string) (time.Duration, error) {
	found := 0
	scanner := library.Scanner{Cache: cache}
	start := time.Now()
	err := scanner.Scan(ctx, library.Sources{Folders: folders}, func(m library.Model) {
		if m.Problem == nil {
			found++
		}
	})
	took := time.Since(start)
	if err == nil && found != want {
		err = fmt.Errorf("%d models found of %d", found, want)
	}
	return took, err
}

// moveOn moves the files to another folder. What stays are empty files of the
// same size and time: what is remembered of a file is not read.
func moveOn(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	if err := os.Mkdir(from, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(to)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			return err
		}
		path := filepath.Join(from, entry.Name())
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			return err
		}
		if err := os.Truncate(path, info.Size()); err != nil {
			return err
		}
		if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
			return err
		}
	}
	return nil
}

// parse is how long gguf-parser-go takes for a folder, one file after the other,
// with the options that make it fast.
func parse(folder string) (time.Duration, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	for _, entry := range entries {
		if _, err := parser.ParseGGUFFile(filepath.Join(folder, entry.Name()), parser.UseMMap(), parser.SkipLargeMetadata()); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}
