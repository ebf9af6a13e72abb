package budget

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"paddock/engine/build"
	"paddock/engine/plan"
)

// logLimit is how much of the log of a measuring is kept, in bytes.
const logLimit = 1 << 20

// fitting starts llama-server with the plan and its own fitting on, which makes
// it say what the plan needs, and ends it when it has, before it loads the model.
// Where it never says so the answer is not complete; log is then what it printed
// until it ended or began to load.
func fitting(ctx context.Context, b build.Build, p plan.Plan) (a answer, log string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	folder, err := os.MkdirTemp("", "pm")
	if err != nil {
		return answer{}, ""
	}
	defer os.RemoveAll(folder)
	args := append(plan.Arguments(p), "-fit", "on", "--no-repack", "-t", "1", "-lv", "4", "--offline", "--no-ui")
	if runtime.GOOS == "windows" {
		args = append(args, "--host", "127.0.0.1", "--port", "0")
	} else {
		args = append(args, "--host", filepath.Join(folder, "m.sock")) // the ending makes it a socket
	}
	cmd := b.Command(ctx, "llama-server", args...)
	build.OwnGroup(cmd)
	cmd.Cancel = func() error {
		build.EndGroup(cmd.Process)
		return nil
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return answer{}, ""
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return answer{}, ""
	}
	var said strings.Builder
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 1<<20)
	for !a.complete && lines.Scan() {
		if strings.Contains(lines.Text(), "load_tensors:") {
			break // this build says nothing before it loads
		}
		a.serverLine(lines.Text())
		if said.Len() < logLimit {
			said.WriteString(lines.Text() + "\n")
		}
	}
	build.EndGroup(cmd.Process)
	cmd.Wait()
	return a, said.String()
}
