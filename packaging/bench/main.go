// Command bench measures what Paddock adds to the bare engine, and what its
// window costs. It prints a table: the number, what it is measured against, and
// the limit the project set itself. It fails when a limit is passed.
//
// It needs a display; make bench gives it a virtual one.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"text/tabwriter"
)

// A row is one line of the table.
type row struct {
	what     string
	measured string
	limit    string
	good     bool
}

func main() {
	program := flag.String("program", "build/paddock", "the built program")
	engine := flag.String("engine", "build/engine", "the engine bundle")
	model := flag.String("model", "build/models/llama.gguf", "the model to time answers with")
	embedder := flag.String("embedder", "build/models/bert.gguf", "the model to make vectors with")
	made := flag.String("packages", "build", "the folder of the packages")
	only := flag.String("only", "", "measure only what has this name")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	good, measured := true, false
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "what\tmeasured\tlimit\t")
	measure := func(name string, f func(context.Context) ([]row, error)) {
		if *only != "" && *only != name {
			return
		}
		measured = true
		rows, err := f(ctx)
		if err != nil {
			fmt.Fprintf(out, "%s\tfailed: %v\t\t\n", name, err)
			good = false
		}
		for _, r := range rows {
			mark := ""
			if !r.good {
				mark, good = "MISSED", false
			}
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", r.what, r.measured, r.limit, mark)
		}
	}
	measure("answers", func(ctx context.Context) ([]row, error) { return answers(ctx, *engine, *model) })
	measure("pictures", func(ctx context.Context) ([]row, error) { return pictures(ctx, *engine) })
	measure("window", func(ctx context.Context) ([]row, error) { return window(ctx, *program) })
	measure("packages", func(ctx context.Context) ([]row, error) { return packages(ctx, *made) })
	measure("chat", chat)
	measure("grid", grid)
	measure("store", store)
	measure("headers", headers)
	measure("embeddings", func(ctx context.Context) ([]row, error) { return embeddings(ctx, *engine, *embedder) })
	measure("search", search)
	measure("many chunks", runs)
	out.Flush()
	if !measured {
		fmt.Fprintf(os.Stderr, "bench: nothing is called %q\n", *only)
		os.Exit(1)
	}
	if !good {
		os.Exit(1)
	}
}
