package document

import (
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

// pdfPool is where PDFs are read: pdfium in a machine of its own, that sees no
// file but the one it is handed and can be stopped. Making it translates pdfium
// once a process, or takes the translation of another from the folder of CacheIn.
var pdfPool = sync.OnceValues(func() (pdfium.Pool, error) {
	defer debug.FreeOSMemory() // translating takes some 300 MB, and models want them
	folder := ""
	if f := translations.Load(); f != nil {
		folder = *f
	}
	return pdfPoolIn(folder, newPDFPool)
})

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
