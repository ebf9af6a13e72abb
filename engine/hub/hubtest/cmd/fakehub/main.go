// Command fakehub runs a hub on this machine with the small GGUF models of
// package gguftest, for trying the window by hand: set hub_mirror in config.toml,
// or HF_ENDPOINT, to the address it prints. Lines it reads change how it behaves:
//
//	ok              no faults
//	slow 500000     files come with that many bytes a second
//	status 429 30   every answer has that status, and Retry-After
//	cut 100000      the next file's connection breaks after that many bytes
//	wrong           files have other bytes than the list says
//	whole           files are sent whole whatever is asked for
//	page            lists are a web page, as of a network to sign in to
package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"paddock/engine/gguf/gguftest"
	"paddock/engine/hub/hubtest"
)

func main() {
	files, err := modelFiles()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fakehub:", err)
		os.Exit(1)
	}
	h := hubtest.Start(repos(files)...)
	defer h.Close()
	fmt.Println(h.URL())
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		faults, ok := parse(lines.Text())
		if !ok {
			fmt.Println("I don't know that; see go doc paddock/engine/hub/hubtest/cmd/fakehub")
			continue
		}
		h.Break(faults)
		fmt.Println("now:", lines.Text())
	}
	select {} // without anybody to say something it stays as it is
}

// parse reads a line into faults.
func parse(line string) (f hubtest.Faults, ok bool) {
	words := append(strings.Fields(line), "", "", "")
	number, err := strconv.Atoi(words[1])
	needs := false
	switch words[0] {
	case "ok":
	case "slow":
		f.BytesPerSecond, needs = number, true
	case "status":
		f.Status, f.RetryAfter, needs = number, words[2], true
	case "cut":
		f.CutAfter, needs = []int{number}, true
	case "wrong":
		f.WrongBytes = true
	case "whole":
		f.NoRanges = true
	case "page":
		f.Body, f.ContentType = "<!DOCTYPE html><title>Sign in</title>", "text/html"
	default:
		return f, false
	}
	return f, !needs || err == nil && number >= 0
}

// modelFiles are the test models' files by name.
func modelFiles() (map[string][]byte, error) {
	folder, err := os.MkdirTemp("", "fakehub")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	for _, spec := range gguftest.All() {
		if _, err := spec.Write(folder); err != nil {
			return nil, err
		}
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*.gguf"))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, path := range paths {
		if files[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// repos are repositories with those files, and many that only look like real
// ones.
func repos(files map[string][]byte) []hubtest.Repo {
	now := time.Now()
	list := []hubtest.Repo{
		{ID: "bartowski/Test-Llama-GGUF", Downloads: 1234567, Likes: 345, Updated: now.AddDate(0, 0, -3), Licence: "apache-2.0", Files: []hubtest.File{
			{Path: "README.md", Content: []byte("# Test"), Small: true},
			{Path: "Test-Llama-F16.gguf", Content: files["llama.gguf"]},
			{Path: "Test-Llama-Q8_0.gguf", Content: files["llama-draft.gguf"]},
			{Path: "mmproj-Test-F16.gguf", Content: files["mmproj.gguf"]},
			{Path: "Test-Llama-BF16/Test-Llama-BF16-00001-of-00002.gguf", Content: files["llama-split-00001-of-00002.gguf"]},
			{Path: "Test-Llama-BF16/Test-Llama-BF16-00002-of-00002.gguf", Content: files["llama-split-00002-of-00002.gguf"]},
		}},
		{ID: "unsloth/A-Repository-With-A-Very-Long-Name-That-Does-Not-Fit-Anywhere-Instruct-2607-GGUF", Downloads: 98765, Likes: 12,
			Updated: now.AddDate(0, -2, 0), Licence: "llama3.3", Files: []hubtest.File{
				claim("A-Very-Long-Name-That-Does-Not-Fit-Instruct-2607-UD-Q4_K_XL.gguf", 4.4),
				claim("A-Very-Long-Name-That-Does-Not-Fit-Instruct-2607-Q5_K_M.gguf", 21.3),
				claim("A-Very-Long-Name-That-Does-Not-Fit-Instruct-2607-Q8_0.gguf", 74.5),
				claim("BF16/A-Very-Long-Name-That-Does-Not-Fit-BF16-00001-of-00003.gguf", 46),
				claim("BF16/A-Very-Long-Name-That-Does-Not-Fit-BF16-00002-of-00003.gguf", 46),
				claim("BF16/A-Very-Long-Name-That-Does-Not-Fit-BF16-00003-of-00003.gguf", 39),
				claim("F32/A-Very-Long-Name-That-Does-Not-Fit-F32-00001-of-00004.gguf", 46),
			}},
		{ID: "google/test-gemma-it-qat-q4_0-gguf", Downloads: 54321, Likes: 999, Gated: true, Updated: now.AddDate(-1, 0, 0), Licence: "gemma",
			Files: []hubtest.File{{Path: "gemma3-q4_0.gguf", Content: files["gemma3.gguf"]}}},
	}
	for i := range 130 {
		list = append(list, hubtest.Repo{
			ID: fmt.Sprintf("somebody-%d/Test-Model-%dB-GGUF", i%17, i), Downloads: rand.IntN(20000), Likes: rand.IntN(50),
			Updated: now.AddDate(0, 0, -i), Files: []hubtest.File{claim(fmt.Sprintf("Test-Model-%dB-Q4_K_M.gguf", i), float64(i)*0.6+0.1)},
		})
	}
	return list
}

// claim is a file that the list has and nobody can download.
func claim(path string, gib float64) hubtest.File {
	return hubtest.File{Path: path, Content: []byte(path), ClaimsBytes: uint64(gib * (1 << 30))}
}
