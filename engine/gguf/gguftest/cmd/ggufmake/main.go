// Command ggufmake writes the small GGUF models of package gguftest into a
// folder, for trying things by hand.
package main

import (
	"fmt"
	"os"

	"paddock/engine/gguf/gguftest"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: ggufmake DIR")
		os.Exit(2)
	}
	if err := os.MkdirAll(os.Args[1], 0o755); err != nil {
		fmt.Fprintln(os.Stderr, "ggufmake:", err)
		os.Exit(1)
	}
	for _, spec := range gguftest.All() {
		path, err := spec.Write(os.Args[1])
		if err != nil {
			fmt.Fprintln(os.Stderr, "ggufmake:", err)
			os.Exit(1)
		}
		fmt.Println(path)
	}
}
