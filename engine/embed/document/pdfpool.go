package document

import (
	"io"
	"runtime/debug"
	"sync"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// pdfMemoryPages bounds the memory of one open PDF, in pages of 64 KiB.
const pdfMemoryPages = 512 << 20 >> 16

// pdfPool is where PDFs are read: pdfium in a machine of its own, that sees no
// file but the one it is handed and can be stopped. Making it translates pdfium
// once a process.
var pdfPool = sync.OnceValues(func() (pdfium.Pool, error) {
	defer debug.FreeOSMemory() // translating takes some 300 MB, and models want them
	return webassembly.Init(webassembly.Config{
		MinIdle: 0, MaxIdle: 1, MaxTotal: 2,
		FSConfig: wazero.NewFSConfig(),
		Stdout:   io.Discard, Stderr: io.Discard,
		RuntimeConfig: wazero.NewRuntimeConfig().
			WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
			WithMemoryLimitPages(pdfMemoryPages).WithCloseOnContextDone(true),
	})
})
