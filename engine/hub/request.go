package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	answerTime   = 30 * time.Second // for a whole list
	answerLimit  = 16 << 20         // bytes of a list; the hub sends some hundred kB
	errorLimit   = 4 << 10          // bytes read of an error's page
	redirectsMax = 10
)

// transport is shared by all clients, for its open connections.
var transport = func() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone() // with the system's proxies
	t.DialContext = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	t.ResponseHeaderTimeout = answerTime
	return t
}()

// errRedirect is a redirect that is not followed.
var errRedirect = errors.New("a redirect")

// http is the client requests are made with.
func (c *Client) http() *http.Client {
	client := http.Client{Transport: transport}
	if c.HTTP != nil {
		client = *c.HTTP
		if client.Transport == nil {
			client.Transport = transport
		}
	}
	client.Transport = withToken{client.Transport, c.Endpoint, c.Token}
	client.CheckRedirect = func(to *http.Request, via []*http.Request) error {
		switch {
		case len(via) >= redirectsMax:
			return fmt.Errorf("%w: too many", errRedirect)
		case to.URL.Scheme != "https" && via[0].URL.Scheme == "https":
			return fmt.Errorf("%w without encryption", errRedirect)
		}
		return nil
	}
	return &client
}

// withToken adds the token to requests to the endpoint, and to no others. Go
// itself would also send a header on to hosts below the endpoint's.
type withToken struct {
	http.RoundTripper
	endpoint, token string
}

func (t withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.token != "" && mayHaveToken(r.URL, t.endpoint) {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+t.token)
	}
	return t.RoundTripper.RoundTrip(r)
}

// mayHaveToken says whether a request goes to the endpoint, and not for all to
// read.
func mayHaveToken(u *url.URL, endpoint string) bool {
	return isAt(u, endpoint) && (u.Scheme == "https" || isLoopback(u.Hostname()))
}

// address is one below the endpoint. The parts of a path are escaped.
func (c *Client) address(query string, parts ...string) string {
	var b strings.Builder
	b.WriteString(strings.TrimRight(c.Endpoint, "/"))
	for _, part := range parts {
		for segment := range strings.SplitSeq(part, "/") {
			b.WriteString("/" + url.PathEscape(segment))
		}
	}
	if query != "" {
		b.WriteString("?" + query)
	}
	return b.String()
}

// list asks for a list and decodes it. next is the query of its next page, empty
// on the last. repo is what the question is about, for errors.
func (c *Client) list(ctx context.Context, repo, address string, into any) (next string, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", &Error{Kind: BadAddress, Host: c.Host()}
	}
	request.Header.Set("Accept", "application/json")
	response, err := c.http().Do(request)
	if err != nil {
		return "", c.connectionError(ctx, repo, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", c.statusError(response, repo, "")
	}
	bad := func(detail string) error {
		return &Error{Kind: BadAnswer, Host: c.Host(), Repo: repo, Detail: detail}
	}
	if isPage(response) {
		return "", bad(WebPage)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, answerLimit+1))
	switch {
	case err != nil:
		return "", c.connectionError(ctx, repo, err)
	case len(body) > answerLimit:
		return "", bad("a list that does not end")
	}
	if err := json.Unmarshal(body, into); err != nil {
		return "", bad("no list, or a broken one")
	}
	return nextQuery(response.Header), nil
}

// WebPage is an error's Detail when a page for people came.
const WebPage = "a web page"

// isPage says whether an answer is for people, such as that of a network one has
// to sign in to.
func isPage(r *http.Response) bool {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// nextQuery is the query of the address the Link header has for the next page.
// The rest of that address is not followed: a mirror may send the hub's own.
func nextQuery(h http.Header) string {
	for _, header := range h.Values("Link") {
		for link := range strings.SplitSeq(header, ",") {
			address, parameters, _ := strings.Cut(link, ";")
			if !strings.Contains(strings.ReplaceAll(parameters, " ", ""), `rel="next"`) {
				continue
			}
			u, err := url.Parse(strings.Trim(strings.TrimSpace(address), "<>"))
			if err == nil {
				return u.RawQuery
			}
		}
	}
	return ""
}

// connectionError is what a request came to that has no answer, or half of one.
func (c *Client) connectionError(ctx context.Context, repo string, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return context.Canceled
	}
	e := &Error{Kind: Offline, Host: c.Host(), Repo: repo, Err: err}
	var failed *url.Error
	if errors.As(err, &failed) { // its text has the address, and that perhaps secrets
		e.Err = failed.Err
		if u, err := url.Parse(failed.URL); err == nil && u.Host != "" {
			e.Host = u.Host
		}
	}
	var network *net.OpError
	var system *os.SyscallError
	switch {
	case errors.Is(err, errRedirect):
		e.Kind = BadAnswer
	case errors.Is(err, context.DeadlineExceeded), os.IsTimeout(err):
		e.Err = context.DeadlineExceeded
	case errors.As(err, &system): // what the user needs is the end of a long line
		e.Err = system.Err
	case errors.As(err, &network):
		e.Err = network.Err
	}
	return e
}

// statusError is what an answer other than the one asked for means.
func (c *Client) statusError(r *http.Response, repo, file string) *Error {
	e := &Error{Host: r.Request.URL.Host, Repo: repo, File: file, Status: r.StatusCode, Detail: r.Header.Get("X-Error-Message")}
	code := r.Header.Get("X-Error-Code")
	if e.Detail == "" && !isPage(r) {
		var answer struct {
			Error string `json:"error"`
		}
		if body, err := io.ReadAll(io.LimitReader(r.Body, errorLimit)); err == nil && json.Unmarshal(body, &answer) == nil {
			e.Detail = answer.Error
		}
	}
	switch s := r.StatusCode; {
	case code == "RepoNotFound" || code == "EntryNotFound" || code == "RevisionNotFound",
		s == http.StatusNotFound, s == http.StatusGone, s == http.StatusUnavailableForLegalReasons:
		e.Kind = NotFound
	case s == http.StatusUnauthorized, s == http.StatusForbidden && c.Token == "":
		e.Kind, e.Mirror = NeedsToken, c.Mirror
	case s == http.StatusForbidden:
		e.Kind = Forbidden
	case s == http.StatusTooManyRequests:
		e.Kind, e.RetryAfter = TooMany, retryAfter(r.Header, time.Now())
	case s >= 500:
		e.Kind, e.RetryAfter = Server, retryAfter(r.Header, time.Now())
	default:
		e.Kind = BadAnswer
	}
	return e
}

// retryAfter is how long the hub wants to be left alone, 0 when it doesn't say.
// It has a header of its own for that: RateLimit: "api";r=0;t=55.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	for parameter := range strings.SplitSeq(h.Get("RateLimit"), ";") {
		if t, ok := strings.CutPrefix(strings.TrimSpace(parameter), "t="); ok && text == "" {
			text = t
		}
	}
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 && seconds < 1<<31 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// readSmall reads a file of a size a person could have written.
func readSmall(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	const limit = 1 << 20
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && len(text) > limit {
		err = errors.New("too large")
	}
	return text, err
}
