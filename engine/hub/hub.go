// Package hub finds GGUF models at the Hugging Face hub, or a mirror of it, and
// downloads them. It asks nothing of the network by itself: every request is one
// call of a method.
package hub

import (
	"cmp"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Address is the hub's own.
const Address = "https://huggingface.co"

// A Client talks to one hub. Its methods are safe for use by several goroutines.
type Client struct {
	Endpoint string       // address of the hub or its mirror, without a path's end
	Token    string       // of the user's account there, empty for none; it is sent nowhere else
	Mirror   bool         // Endpoint is one of Paddock's settings, which is not given the token found here
	HTTP     *http.Client // nil for one that goes through the system's proxies

	Wait  time.Duration // before the first retry of a download, then twice as long each time; 0 for 1 s
	Stall time.Duration // without a byte, after which a connection is given up; 0 for 30 s
}

// New makes a client for a mirror, or with an empty one for the hub HF_ENDPOINT
// names, or for the hub itself. The token is the one of HF_TOKEN, or that
// huggingface-cli keeps. It is for the hub and for the host of HF_ENDPOINT, which
// the hub's own programs give it too, and for no other mirror: whoever wrote that
// address may not have meant to hand an account over. New reads a file and asks
// nothing of the network. An address that is none is an *Error.
func New(mirror string) (*Client, error) {
	address := cmp.Or(mirror, os.Getenv("HF_ENDPOINT"), Address)
	endpoint, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	if !isTrusted(endpoint) {
		return &Client{Endpoint: endpoint, Mirror: true}, nil
	}
	return &Client{Endpoint: endpoint, Token: token()}, nil
}

// isTrusted says whether an endpoint is the hub's, or of the host HF_ENDPOINT
// names.
func isTrusted(endpoint string) bool {
	to, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	for _, address := range []string{Address, os.Getenv("HF_ENDPOINT")} {
		if full, err := parseAddress(address); err == nil && isAt(to, full) {
			return true
		}
	}
	return false
}

// isAt says whether an address is of an endpoint's host, by the same scheme.
func isAt(u *url.URL, endpoint string) bool {
	own, err := url.Parse(endpoint)
	return err == nil && u.Scheme == own.Scheme && u.Host == own.Host
}

// parseAddress completes what people write for an address.
func parseAddress(address string) (string, error) {
	full := strings.TrimSpace(address)
	if !strings.Contains(full, "://") {
		full = "https://" + full
	}
	full = strings.TrimRight(full, "/")
	u, err := url.Parse(full)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
		return "", &Error{Kind: BadAddress, Host: address}
	}
	return full, nil
}

// CheckMirror is New's error of a mirror, *Error or nil. It reads nothing.
func CheckMirror(mirror string) error {
	_, err := parseAddress(mirror)
	return err
}

// Host is the name of the hub's machine, for people to read.
func (c *Client) Host() string {
	u, err := url.Parse(c.Endpoint)
	if err != nil {
		return c.Endpoint
	}
	return u.Host
}

// token is the user's own, as the hub's other programs find it.
func token() string {
	for _, name := range []string{"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"} { // the older name still counts
		if t := cleanToken(os.Getenv(name)); t != "" {
			return t
		}
	}
	path := expand(os.Getenv("HF_TOKEN_PATH"))
	if path == "" {
		folder := expand(os.Getenv("HF_HOME"))
		if folder == "" {
			cache := expand(os.Getenv("XDG_CACHE_HOME"))
			if cache == "" {
				home, err := os.UserHomeDir()
				if err != nil {
					return ""
				}
				cache = filepath.Join(home, ".cache")
			}
			folder = filepath.Join(cache, "huggingface")
		}
		path = filepath.Join(folder, "token")
	}
	text, err := readSmall(path)
	if err != nil {
		return ""
	}
	return cleanToken(string(text))
}

// expand fills in a leading ~ and variables, which the hub's own programs do too.
func expand(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		if home, err := os.UserHomeDir(); err == nil {
			path = home + rest
		}
	}
	return os.ExpandEnv(path)
}

// cleanToken is a token as it can stand in a header, empty when it can't.
func cleanToken(text string) string {
	text = strings.TrimSpace(text)
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return text
}

// isLoopback says whether a host is this machine, to which a token may go without
// encryption.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
