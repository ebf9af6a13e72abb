package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"paddock/engine/build"
	"paddock/engine/build/bare"
	"paddock/engine/client"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/images"
	"paddock/engine/picture"
	"paddock/engine/plan"
	"paddock/engine/server"
)

// The pictures of the measurement: photos of 2 megapixels, which take as long to
// make ready as a screenshot does. An answer takes a few hundred milliseconds, less than any model
// a person runs.
const (
	photos        = 20
	photoWidth    = 1632
	photoHeight   = 1224
	pictureTokens = 500
	pictureRounds = 3
)

// pictures measures what the picture job adds to each picture, against the plainest
// client of the same engine that sends the same pictures, made ready before.
func pictures(ctx context.Context, enginePath string) ([]row, error) {
	b := build.Identify(ctx, enginePath, build.Bundled)
	if err := b.Err(); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "pb")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	p, err := seeingPlan(folder)
	if err != nil {
		return nil, err
	}
	paths, ready, err := makePhotos(ctx, filepath.Join(folder, "photos"))
	if err != nil {
		return nil, err
	}
	ours, err := server.Start(ctx, server.Options{Build: b, Plan: p, RuntimeDir: filepath.Join(folder, "r"), LogDir: folder})
	if err != nil {
		return nil, err
	}
	defer ours.Stop(context.WithoutCancel(ctx))
	plain, err := startBare(ctx, b, p)
	if err != nil {
		return nil, err
	}
	defer plain.Stop()
	var job, raw, between []time.Duration
	for range pictureRounds {
		r, err := look(ctx, plain, ready)
		if err != nil {
			return nil, err
		}
		j, waits, err := goThrough(ctx, ours, folder, paths)
		if err != nil {
			return nil, err
		}
		between = append(between, waits...)
		job, raw = append(job, j/photos), append(raw, r/photos)
	}
	ms := func(d time.Duration) float64 { return d.Seconds() * 1000 }
	added := median(job, ms) - median(raw, ms)
	wait := median(between, ms)
	return []row{
		{"added to each picture of a job: the engine waits", fmt.Sprintf("%.1f ms", wait), "<= 20 ms", wait <= 20},
		// A picture is made ready while the one before is answered. An engine that
		// computes on every core of the processor lends it one meanwhile.
		{"the same in all, 2 megapixels, the engine on every core",
			fmt.Sprintf("%.0f ms (%.0f, bare %.0f)", added, median(job, ms), median(raw, ms)), "", true},
	}, nil
}

// seeingPlan is that of a generated model that sees.
func seeingPlan(folder string) (plan.Plan, error) {
	paths := map[string]string{}
	for _, spec := range gguftest.All() {
		if spec.Name == "gemma3" || spec.Name == "mmproj" {
			path, err := spec.Write(folder)
			if err != nil {
				return plan.Plan{}, err
			}
			paths[spec.Name] = path
		}
	}
	model, err := gguf.Read(paths["gemma3"])
	if err != nil {
		return plan.Plan{}, err
	}
	eyes, err := gguf.Read(paths["mmproj"])
	if err != nil {
		return plan.Plan{}, err
	}
	asked := plan.Plan{ContextTokens: 2048, Devices: plan.CPU, ProjectorPath: paths["mmproj"], SpecTypes: plan.NoSpec}
	p, _ := plan.Complete(asked, plan.Given{Model: model, Beside: []gguf.Facts{eyes}})
	return p, nil
}

// makePhotos writes photos that differ, and makes them ready for the engine.
func makePhotos(ctx context.Context, folder string) (paths []string, ready []picture.Prepared, err error) {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return nil, nil, err
	}
	for i := range photos {
		path := filepath.Join(folder, fmt.Sprintf("%02d.jpg", i))
		if err := writePhoto(path, uint32(i)); err != nil {
			return nil, nil, err
		}
		prepared, err := picture.Prepare(ctx, picture.Source{Path: path}, picture.Options{})
		if err != nil {
			return nil, nil, err
		}
		paths, ready = append(paths, path), append(ready, prepared)
	}
	return paths, ready, nil
}

// goThrough is how long a job takes, with the journal it keeps, and how long the
// engine had nothing to do after each answer.
func goThrough(ctx context.Context, engine *server.Instance, folder string, paths []string) (took time.Duration, waits []time.Duration, err error) {
	data, err := os.MkdirTemp(folder, "set")
	if err != nil {
		return 0, nil, err
	}
	set, err := images.Open(data)
	if err != nil {
		return 0, nil, err
	}
	defer set.Close()
	set.Add(ctx, false, paths...)
	stop := set.Watch(func(images.State) {})
	defer stop()
	start := time.Now()
	asker := &endless{Instance: engine}
	job, err := set.Start(asker, 1, images.Run{Prompt: prompt, MaxTokens: pictureTokens, Temperature: new(float64)})
	if err != nil {
		return 0, nil, err
	}
	select {
	case <-job.Done():
	case <-ctx.Done():
		return 0, nil, ctx.Err()
	}
	took = time.Since(start)
	if n := set.State().Counts.Done; n != len(paths) {
		return 0, nil, fmt.Errorf("%d pictures done of %d", n, len(paths))
	}
	return took, asker.waits, nil
}

// endless asks for answers that are as long as they may be, one after the other.
type endless struct {
	*server.Instance
	answered time.Time // zero before the first
	waits    []time.Duration
}

func (e *endless) Chat(ctx context.Context, r client.Request, each func(client.Delta)) (client.Answer, error) {
	if !e.answered.IsZero() {
		e.waits = append(e.waits, time.Since(e.answered))
	}
	defer func() { e.answered = time.Now() }()
	r.IgnoreEnd = true
	return e.Instance.Chat(ctx, r, each)
}

// look asks about one picture after the other and reads the answers to their end.
func look(ctx context.Context, e *bare.Engine, ready []picture.Prepared) (time.Duration, error) {
	bodies := make([]string, len(ready))
	for i, p := range ready {
		url := "data:" + p.MIME + ";base64," + base64.StdEncoding.EncodeToString(p.Bytes)
		bodies[i] = fmt.Sprintf(`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":%q}},{"type":"text","text":%q}]}],"temperature":0,"max_tokens":%d,"ignore_eos":true,"stream":true}`, url, prompt, pictureTokens)
	}
	start := time.Now()
	for _, body := range bodies {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://engine/v1/chat/completions", strings.NewReader(body))
		if err != nil {
			return 0, err
		}
		request.Close = true // the engine drops kept connections, as the client knows too
		response, err := e.HTTP.Do(request)
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if err != nil {
			return 0, err
		}
		if response.StatusCode != http.StatusOK {
			return 0, fmt.Errorf("the bare engine says %s", response.Status)
		}
	}
	return time.Since(start), nil
}
