package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	copyBytes = 1 << 20 // read and written at once

	firstWait    = time.Second
	longestWait  = 30 * time.Second
	patience     = 5 * time.Minute // longer than that the hub is not waited for
	attemptsMax  = 6               // in a row that bring nothing
	stallTime    = 30 * time.Second
	restartsMost = 3 // of a file whose server sends its rest wrongly
)

// bring downloads one file into its place.
func (j *job) bring(ctx context.Context, wanted File, target string) error {
	d, err := openDraft(j.want, wanted, target)
	if err != nil {
		return err
	}
	err = j.complete(ctx, d)
	d.file.Close() // a second time after finish, which does no harm
	if err != nil && d.bytes == 0 {
		_ = forget(target) // nothing is worth keeping, and this error no news
	}
	return err
}

// complete downloads what is missing of a file, and gives it its name.
func (j *job) complete(ctx context.Context, d *draft) error {
	if d.bytes > 0 {
		if err := j.readThrough(ctx, d.file, d.bytes, d.hash); err != nil {
			return err
		}
	}
	if d.bytes < d.wanted.SizeBytes {
		if err := j.fetch(ctx, d); err != nil {
			return err
		}
	}
	j.meter.enter(Finishing)
	return d.finish()
}

// fetch asks for what is missing of a file until it is whole.
func (j *job) fetch(ctx context.Context, d *draft) error {
	failures, restarts := 0, 0
	for {
		j.meter.enter(Downloading)
		before := d.bytes
		err := j.attempt(ctx, d)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.Is(err, errWrongRange) {
			if restarts++; restarts > restartsMost {
				return &Error{Kind: BadAnswer, Host: j.Host(), Repo: j.want.Repo, File: d.wanted.Path}
			}
			if err := j.startOver(d); err != nil {
				return err
			}
			continue
		}
		var e *Error
		if !errors.As(err, &e) || !e.passes() || e.RetryAfter > patience {
			return err
		}
		if d.bytes > before {
			failures = 0
		}
		if failures++; failures >= attemptsMax {
			return err
		}
		if err := j.rest(ctx, failures, e); err != nil {
			return err
		}
	}
}

// passes says whether a problem may be gone in a while.
func (e *Error) passes() bool {
	switch e.Kind {
	case Offline, Cut, Server, TooMany:
		return true
	}
	return false
}

// rest waits before the next attempt: as long as the hub wants, or longer after
// each failure.
func (j *job) rest(ctx context.Context, failures int, cause *Error) error {
	wait := j.Wait
	if wait == 0 {
		wait = firstWait
	}
	wait = max(min(wait<<(failures-1), longestWait), cause.RetryAfter)
	j.meter.wait(time.Now().Add(wait), cause)
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// startOver gives up what has come of a file.
func (j *job) startOver(d *draft) error {
	lost := d.bytes
	if err := d.startOver(); err != nil {
		return err
	}
	j.meter.now.StartedOver = true
	j.meter.samples = nil
	j.meter.add(-int64(lost))
	return nil
}

// errWrongRange is an answer with another piece of the file than the one asked
// for.
var errWrongRange = errors.New("another piece of the file")

// attempt asks once for what is missing and writes what comes.
func (j *job) attempt(ctx context.Context, d *draft) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stall := j.Stall
	if stall == 0 {
		stall = stallTime
	}
	watch := time.AfterFunc(stall, cancel)
	defer watch.Stop()

	response, err := j.ask(ctx, d)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if err := j.accept(response, d); err != nil {
		return err
	}
	if tag := response.Header.Get("ETag"); tag != d.etag && isStrong(tag) {
		if err := d.remember(tag); err != nil {
			return err
		}
	}
	buffer := make([]byte, copyBytes)
	for {
		n, err := response.Body.Read(buffer)
		watch.Reset(stall)
		if n > 0 {
			if uint64(n) > d.wanted.SizeBytes-d.bytes {
				return j.wrongSize(d)
			}
			if err := d.write(buffer[:n]); err != nil {
				return err
			}
			j.meter.add(int64(n))
		}
		switch {
		case err == nil:
		case d.bytes == d.wanted.SizeBytes:
			return nil
		default:
			return &Error{Kind: Cut, Host: response.Request.URL.Host, Repo: j.want.Repo, File: d.wanted.Path}
		}
	}
}

// ask sends the request for what is missing of a file.
func (j *job) ask(ctx context.Context, d *draft) (*http.Response, error) {
	address := j.address("", j.want.Repo, "resolve", j.want.Commit, d.wanted.Path)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, &Error{Kind: BadAddress, Host: j.Host()}
	}
	request.Header.Set("Accept-Encoding", "identity")
	if d.bytes > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", d.bytes))
		if d.etag != "" {
			request.Header.Set("If-Range", d.etag)
		}
	}
	response, err := j.http().Do(request)
	if err == nil {
		return response, nil
	}
	if ctx.Err() != nil { // the watch, or the user
		return nil, &Error{Kind: Cut, Host: j.Host(), Repo: j.want.Repo, File: d.wanted.Path}
	}
	return nil, j.connectionError(ctx, j.want.Repo, err)
}

// accept says whether an answer is the file, from where it was asked for. What is
// not, is an error; an answer with the whole file starts it over.
func (j *job) accept(r *http.Response, d *draft) error {
	offset := d.bytes
	switch r.StatusCode {
	case http.StatusOK:
		offset = 0
	case http.StatusPartialContent:
		if from, ok := rangeStart(r.Header.Get("Content-Range")); !ok || from != offset {
			return errWrongRange
		}
	case http.StatusRequestedRangeNotSatisfiable:
		return errWrongRange
	default:
		e := j.statusError(r, j.want.Repo, d.wanted.Path)
		if (e.Kind == NeedsToken || e.Kind == Forbidden || e.Kind == NotFound) && e.Host != j.Host() {
			e.Kind = Cut // the address that the hub gave holds for a while only
		}
		return e
	}
	bad := func(detail string) error {
		return &Error{Kind: BadAnswer, Host: r.Request.URL.Host, Repo: j.want.Repo, File: d.wanted.Path, Detail: detail}
	}
	if isPage(r) {
		return bad(WebPage)
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return bad("a compressed file")
	}
	if r.ContentLength >= 0 && uint64(r.ContentLength) != d.wanted.SizeBytes-offset {
		return j.wrongSize(d)
	}
	if offset < d.bytes {
		return j.startOver(d)
	}
	return nil
}

func (j *job) wrongSize(d *draft) error {
	return &Error{Kind: WrongSize, Host: j.Host(), Repo: j.want.Repo, File: d.wanted.Path}
}

// rangeStart is where a piece begins: "bytes 100-199/200".
func rangeStart(header string) (uint64, bool) {
	text, ok := strings.CutPrefix(header, "bytes ")
	from, _, cut := strings.Cut(text, "-")
	start, err := strconv.ParseUint(from, 10, 64)
	return start, ok && cut && err == nil
}

// isStrong says whether a tag means the same bytes, and not only the same thing.
func isStrong(tag string) bool {
	return len(tag) > 1 && len(tag) < 256 && strings.HasPrefix(tag, `"`) && strings.HasSuffix(tag, `"`)
}
