package server

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newTestJournal is a journal with a log in a folder of the test's own.
func newTestJournal(t *testing.T) *journal {
	t.Helper()
	j := newJournal(newLogFile(t.TempDir(), openLog), "0123456789abcdef", func(err error) { t.Error(err) })
	t.Cleanup(j.close)
	return j
}

func TestLinesOfTheLogBecomePlainText(t *testing.T) {
	tests := []struct{ name, output, want string }{
		{"a message", `{"type":"log","time":1,"level":"error","msg":"srv  load: no\n"}`, "E srv  load: no"},
		{"a message of two lines", `{"type":"log","level":"warn","msg":"one\n\ttwo\n"}`, "W one|W     two"},
		{"an empty message", `{"type":"log","level":"info","msg":"\n"}`, ""},
		{"JSON that is no message", `{"a":1}`, `  {"a":1}`},
		{"a line before messages are JSON", "0.00.003.333 E no such thing", "E no such thing"},
		{"a line past the log", "terminate called", "  terminate called"},
		{"colours", "\x1b[31mred\x1b[0m\r", "  red"},
		{"a terminal's title", "\x1b]0;title\x07", `  \x1b]0;title\x07`},
		{"a turned reading direction", `{"type":"log","level":"info","msg":"\u202eabc"}`, `I \u202eabc`},
		{"bytes that are no text", "\xff\xfe", `  \xff\xfe`},
		{"our key", `{"type":"log","level":"info","msg":"key 0123456789abcdef, api_keys: ****cdef"}`, "I key …, api_keys: …"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			j := newTestJournal(t)
			w := lineWriter{journal: j}
			w.Write([]byte(test.output + "\n"))
			if got := strings.Join(j.lastWords(), "|"); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestOutputIsCutIntoLinesHoweverItComes(t *testing.T) {
	j := newTestJournal(t)
	w := lineWriter{journal: j}
	for _, piece := range []string{"o", "ne\ntw", "o\n", "\n", "three\nfour"} {
		if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatal(n, err)
		}
	}
	w.Write([]byte("\n" + strings.Repeat("é", 1<<20) + "\nlast"))
	w.flush()
	words := j.lastWords()
	if want := []string{"  one", "  two", "  three", "  four"}; !slices.Equal(words[:4], want) {
		t.Errorf("%q, want %q", words[:4], want)
	}
	if long := words[4]; len(long) > lineLimit+10 || !strings.HasSuffix(long, "é…") || words[5] != "  last" {
		t.Errorf("a long line became %d bytes, then %q", len(words[4]), words[5])
	}
}

func TestOnlyTheNewestLinesAreKeptInMemory(t *testing.T) {
	j := newTestJournal(t)
	for n := range 2 * ringLines {
		j.add(fmt.Sprintf("line %d", n))
	}
	words := j.lastWords()
	if len(words) != ringLines || words[0] != fmt.Sprintf("  line %d", ringLines) || words[len(words)-1] != fmt.Sprintf("  line %d", 2*ringLines-1) {
		t.Errorf("%d lines, from %q to %q", len(words), words[0], words[len(words)-1])
	}
}

func TestTheStateOfAChildIsRead(t *testing.T) {
	tests := []struct {
		name, output string
		want         childState
		ok           bool
	}{
		{"loading", `cmd_child_to_router:state:{"state":"loading","payload":{"stages":["text_model"],"current":"text_model","value":0.58}}`, childState{progress: 0.58}, true},
		{"the second of two stages", `cmd_child_to_router:state:{"state":"loading","payload":{"stages":["text_model","mmproj"],"current":"mmproj","value":0.5}}`, childState{progress: 0.75}, true},
		{"more than all", `cmd_child_to_router:state:{"state":"loading","payload":{"stages":["a"],"current":"a","value":7}}`, childState{progress: 1}, true},
		{"no stages", `cmd_child_to_router:state:{"state":"loading","payload":{"value":0.5}}`, childState{progress: 0.5}, true},
		{"ready", `cmd_child_to_router:state:{"state":"ready","payload":{"id":"x"}}`, childState{ready: true, progress: 1}, true},
		{"a state nobody knows", `cmd_child_to_router:state:{"state":"sleeping"}`, childState{}, false},
		{"no JSON", `cmd_child_to_router:state:{`, childState{}, false},
		{"a line of the log", `{"type":"log"}`, childState{}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, ok := parseChildState(test.output)
			if ok != test.ok || got.ready != test.want.ready || max(got.progress-test.want.progress, test.want.progress-got.progress) > 1e-9 {
				t.Errorf("%+v, %v; want %+v, %v", got, ok, test.want, test.ok)
			}
		})
	}
}

func TestTheLogOnDiskIsBounded(t *testing.T) {
	dir := t.TempDir()
	l := newLogFile(dir, openLog)
	line := strings.Repeat("x", 999) + "\n"
	for range 3 * logLimitBytes / len(line) {
		l.write(line)
	}
	l.write("the end\n")
	l.close()
	log, err := os.ReadFile(l.path)
	if failure := l.untold(); failure != nil {
		t.Error(failure)
	}
	if err != nil || len(log) > logLimitBytes || !strings.HasSuffix(string(log), "the end\n") {
		t.Errorf("log of %d bytes, %v", len(log), err)
	}
	if before, err := os.Stat(l.path + ".1"); err != nil || before.Size() > logLimitBytes {
		t.Errorf("the part before: %v, %v", before, err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("%d files", len(files))
	}
}

func TestOldLogsAreRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[logs")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for n := range 2 * logsKept {
		path := filepath.Join(dir, fmt.Sprintf("engine-20200101-0000%02d-1-1.log", n))
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(dir, "paddock.log")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	newLogFile(dir, openLog).close()
	files, err := os.ReadDir(dir) // by name: the engine's, then paddock.log
	if err != nil || len(files) != logsKept+1 || !strings.Contains(files[0].Name(), "000011") || files[logsKept].Name() != filepath.Base(other) {
		t.Errorf("%v, %v", files, err)
	}
}

func TestALogThatFailsIsToldOnce(t *testing.T) {
	var told []error
	file := newLogFile(t.TempDir(), func(string) (*os.File, error) { return os.OpenFile("/dev/full", os.O_WRONLY, 0) })
	var j *journal
	j = newJournal(file, "0123456789abcdef", func(err error) {
		told = append(told, err)
		j.lastWords() // whoever is told may ask
	})
	for range 3 {
		j.add("a line")
	}
	if len(told) != 1 || !strings.Contains(told[0].Error(), syscall.ENOSPC.Error()) {
		t.Errorf("told %v", told)
	}
}

func TestTheFirstTellingLineIsTheReason(t *testing.T) {
	e := func(text string) line { return line{level: errorous, text: text} }
	r := func(text string) line { return line{level: raw, text: text} }
	w := func(text string) line { return line{level: warning, text: text} }
	i := func(text string) line { return line{level: info, text: text} }
	tests := []struct {
		name   string
		lines  []line
		kind   FailureKind
		reason string
	}{
		{"nothing", nil, "", ""},
		{"only what is no error", []line{i("load: failed is a word here"), w("control-looking token")}, "", ""},
		{"an architecture, followed by memory",
			[]line{e("error loading model: unknown model architecture: 'x'"), e("failed to load model"), e("cudaMalloc failed: out of memory")},
			UnknownArchitecture, "error loading model: unknown model architecture: 'x'"},
		{"a line that tells after one that does not",
			[]line{e("something went wrong"), e("llama_init: requires flash_attn to be enabled")},
			UnsupportedSetting, "llama_init: requires flash_attn to be enabled"},
		{"no line that tells", []line{e("strange"), e("stranger")}, "", "strange"},
		{"the search for a fit", []line{e("common_fit_params: failed to fit params to free device memory"), r("GGML_ASSERT(x) failed")}, Crashed, "GGML_ASSERT(x) failed"},
		{"a debugger", []line{r("[New LWP 123]"), r("#1 0x123 in failed ()"), r("a.cpp:1: GGML_ASSERT(y) failed")}, Crashed, "a.cpp:1: GGML_ASSERT(y) failed"},
		{"pinned memory", []line{w("failed to allocate 100 MiB of pinned memory: out of memory")}, "", ""},
		{"an abort in a device's memory", []line{r("./src/ggml-backend.cpp:1089: pre-allocated tensor (cache_k_l5) in a buffer (Vulkan0) that cannot run the operation (NONE)")},
			OutOfDeviceMemory, "./src/ggml-backend.cpp:1089: pre-allocated tensor (cache_k_l5) in a buffer (Vulkan0) that cannot run the operation (NONE)"},
		{"memory of a device", []line{e("ggml_vulkan: Device memory allocation of size 99 failed."), e("ErrorOutOfDeviceMemory")},
			OutOfDeviceMemory, "ggml_vulkan: Device memory allocation of size 99 failed."},
		{"memory of the computer", []line{e("ggml_aligned_malloc: insufficient memory (attempted to allocate 292968.75 MB)")},
			OutOfMemory, "ggml_aligned_malloc: insufficient memory (attempted to allocate 292968.75 MB)"},
		{"a lost device", []line{r("vk::Queue::submit: ErrorDeviceLost")}, DeviceLost, "vk::Queue::submit: ErrorDeviceLost"},
		{"no rights", []line{e("gguf_init_from_file: failed to open GGUF file 'x.gguf' (Permission denied)")}, ModelUnreadable, "gguf_init_from_file: failed to open GGUF file 'x.gguf' (Permission denied)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			lines := slices.DeleteFunc(test.lines, func(l line) bool { return !speaksOfError(l) })
			if kind, reason, _ := explain(lines); kind != test.kind || reason != test.reason {
				t.Errorf("%q %q, want %q %q", kind, reason, test.kind, test.reason)
			}
		})
	}
}

func TestAMissingPartIsNamedByItsPath(t *testing.T) {
	_, _, path := explain([]line{{level: errorous, text: "gguf_init_from_file: failed to open GGUF file '/m/x-00002-of-00003.gguf' (No such file or directory)"}})
	if path != "/m/x-00002-of-00003.gguf" {
		t.Errorf("path %q", path)
	}
}

func TestACrashIsToldByWhatWasLoggedJustBefore(t *testing.T) {
	j := newTestJournal(t)
	j.add(`{"type":"log","level":"error","msg":"an old error"}`)
	j.ring[0].at = time.Now().Add(-time.Hour)
	j.add("a.cpp:1: GGML_ASSERT(z) failed")
	lines := j.recentErrors(time.Now().Add(-crashTime))
	if len(lines) != 1 || !strings.Contains(lines[0].text, "GGML_ASSERT(z)") {
		t.Errorf("%v", lines)
	}
}
