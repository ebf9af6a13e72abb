package buildtest

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

// relayFault is set where the relay is the engine of FailsGuessing.
const relayFault = "PADDOCK_TEST_RELAY_FAULT"

// FailsGuessing is the path of an engine that is the real one, but that it fails
// every answer after the proof while it guesses ahead, as engines before b11548 do
// under MTP when there is a picture.
func FailsGuessing(t testing.TB) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return script(t, fmt.Sprintf("%s=guessing %s='%s' exec '%s' \"$@\"", relayFault, relayTo, Engine(t).Path, self))
}

// failGuessing turns an answer into the error of a batch that was not computed. The
// key file is there until the engine is proven.
func failGuessing(r *http.Response, args []string) error {
	argument := func(name string) string { return args[slices.Index(args, name)+1] }
	_, gone := os.Stat(argument("--api-key-file"))
	if r.Request.URL.Path != "/v1/chat/completions" || gone == nil || argument("--spec-type") == "none" {
		return nil
	}
	const body = `{"error":{"code":500,"message":"decode() failed: failed to process speculative batch","type":"server_error"}}`
	_ = r.Body.Close()
	r.StatusCode, r.Body, r.ContentLength = http.StatusInternalServerError, io.NopCloser(strings.NewReader(body)), int64(len(body))
	r.Header = http.Header{"Content-Type": {"application/json"}}
	return nil
}
