package hub

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"paddock/engine/hub/hubtest"
)

// proxied are the addresses that the proxy of these tests was asked for.
var proxied struct {
	sync.Mutex
	urls []string
}

// TestMain stands in for a system with a proxy: the environment is read once for
// the whole process. What is on this machine does not go through it.
func TestMain(m *testing.M) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxied.Lock()
		proxied.urls = append(proxied.urls, r.URL.String())
		proxied.Unlock()
		_, _ = w.Write([]byte("[]"))
	}))
	for _, name := range []string{"HTTP_PROXY", "http_proxy"} {
		os.Setenv(name, proxy.URL)
	}
	for _, name := range []string{"NO_PROXY", "no_proxy", "HF_TOKEN", "HF_ENDPOINT"} {
		os.Unsetenv(name)
	}
	code := m.Run()
	proxy.Close()
	os.Exit(code)
}

const repoID = "bartowski/Tiny-GGUF"

// content is like that of a model: it has no pattern a wrong offset could hide in.
func content(size int) []byte {
	random := rand.NewChaCha8([32]byte{byte(size)})
	data := make([]byte, size)
	_, _ = random.Read(data)
	copy(data, "GGUF")
	return data
}

var (
	small = content(3000)
	large = content(2_500_000)
)

func testHub(t *testing.T, repos ...hubtest.Repo) (*hubtest.Hub, *Client) {
	t.Helper()
	if len(repos) == 0 {
		repos = []hubtest.Repo{{ID: repoID, Files: []hubtest.File{
			{Path: "README.md", Content: []byte("# Tiny"), Small: true},
			{Path: "Tiny-Q4_K_M.gguf", Content: large},
			{Path: "Tiny-IQ2_XS.gguf", Content: small},
		}}}
	}
	h := hubtest.Start(repos...)
	t.Cleanup(h.Close)
	return h, &Client{Endpoint: h.URL(), Wait: time.Millisecond}
}

// wantOf is what a listing has under a name.
func wantOf(t *testing.T, c *Client, name string) Want {
	t.Helper()
	listing, err := c.Files(t.Context(), repoID)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range listing.Items {
		if item.Name == name {
			return listing.Want(item)
		}
	}
	t.Fatalf("no %s among %+v", name, listing.Items)
	return Want{}
}

func wantKind(t *testing.T, err error, kind Kind) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Kind != kind {
		t.Fatalf("the error is %v, not of the kind %s", err, kind)
	}
	return e
}

func wantFile(t *testing.T, path string, content []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, content) {
		t.Errorf("%s has %d bytes, not the %d it should", path, len(got), len(content))
	}
}

func wantNone(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is there (%v)", path, err)
	}
}

// nobodyThere is the address of a machine that takes no connection.
func nobodyThere(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

func TestTheSystemsProxyIsUsed(t *testing.T) {
	c := &Client{Endpoint: "http://hub.invalid"}
	if _, err := c.Search(t.Context(), "qwen", ""); err != nil {
		t.Fatal(err)
	}
	proxied.Lock()
	defer proxied.Unlock()
	if len(proxied.urls) != 1 || !strings.HasPrefix(proxied.urls[0], "http://hub.invalid/api/models?") {
		t.Errorf("the proxy was asked for %q", proxied.urls)
	}
}
