package document

import (
	"context"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// pdfMemoryPages bounds the memory of one open PDF, in pages of 64 KiB.
const pdfMemoryPages = 512 << 20 >> 16

// translations is the folder CacheIn named, nil before.
var translations atomic.Pointer[string]

// CacheIn has pdfium's translation kept in a folder of the user's own, which is made
// when it is needed. The first PDF a process reads takes a second or several
// without, and next to nothing with one of an earlier process. It is for the start
// of a program: after the first PDF it does nothing.
func CacheIn(folder string) { translations.Store(&folder) }

// A pdfReader is where PDFs are read: pdfium in machines of its own, that see no
// file but the one they are handed and can be stopped. The first PDF translates
// pdfium, or takes the translation of another process from the folder of CacheIn.
// What failed is tried again with the next PDF: there may be memory then.
type pdfReader struct {
	make func(wazero.RuntimeConfig) (pdfium.Pool, error)
	mu   sync.Mutex
	pool pdfium.Pool // nil until it is made
}

// pdfs reads the PDFs of this process.
var pdfs = &pdfReader{make: newPDFPool}

// instance is a machine to read one PDF in. The error is a *Error with NoReader, or
// ctx's.
func (r *pdfReader) instance(ctx context.Context) (pdfium.Pdfium, error) {
	pool, err := r.opened()
	if err == nil {
		var instance pdfium.Pdfium
		if instance, err = pool.GetInstanceWithContext(ctx); err == nil {
			return instance, nil
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, &Error{Problem: NoReader, Err: err}
}

func (r *pdfReader) opened() (pdfium.Pool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pool != nil {
		return r.pool, nil
	}
	defer debug.FreeOSMemory() // translating takes some 300 MB, and models want them
	folder := ""
	if f := translations.Load(); f != nil {
		folder = *f
	}
	pool, err := pdfPoolIn(folder, r.make)
	if err == nil {
		r.pool = pool
	}
	return pool, err
}

// pdfPoolIn makes the pool with translations in a folder, or without where that
// can't be used: a full disk must not keep PDFs from being read.
func pdfPoolIn(folder string, make func(wazero.RuntimeConfig) (pdfium.Pool, error)) (pdfium.Pool, error) {
	if folder != "" {
		if cache, err := wazero.NewCompilationCacheWithDir(folder); err == nil {
			if pool, err := make(pdfRuntime().WithCompilationCache(cache)); err == nil {
				return pool, nil
			}
		}
	}
	return make(pdfRuntime())
}

func pdfRuntime() wazero.RuntimeConfig {
	return wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
		WithMemoryLimitPages(pdfMemoryPages).WithCloseOnContextDone(true)
}

func newPDFPool(config wazero.RuntimeConfig) (pdfium.Pool, error) {
	return webassembly.Init(webassembly.Config{
		MinIdle: 0, MaxIdle: 1, MaxTotal: 2,
		FSConfig: wazero.NewFSConfig(),
		Stdout:   io.Discard, Stderr: io.Discard,
		RuntimeConfig: config,
	})
}
