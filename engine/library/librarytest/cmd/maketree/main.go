// Command maketree writes the tree of package librarytest into a folder, for
// using the program on it by hand.
package main

import (
	"fmt"
	"os"

	"paddock/engine/library/librarytest"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: maketree DIR")
		os.Exit(2)
	}
	tree, err := librarytest.Tree(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "maketree:", err)
		os.Exit(1)
	}
	problems := 0
	for _, row := range tree.Rows {
		if row.Problem != "" {
			problems++
		}
	}
	fmt.Printf("%d files. A right scan finds %d rows, %d of them with a problem, and %d folders it can't read.\n\n",
		tree.Files, len(tree.Rows), problems, len(tree.Folders))
	fmt.Printf("The apps' folders are under HOME=%s. Folders to add:\n", tree.Environment.Home)
	for _, folder := range tree.Sources.Folders {
		fmt.Println(" ", folder)
	}
	fmt.Println("Files to open:")
	for _, file := range tree.Sources.Files {
		fmt.Println(" ", file)
	}
}
