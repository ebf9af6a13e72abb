//go:build linux && (amd64 || arm64)

package hardware

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/ebitengine/purego"
)

// askNVIDIA asks NVIDIA's driver through its library, or through nvidia-smi where
// there is none that works.
func askNVIDIA() []nvidiaCard {
	if cards, ok := nvmlLibrary.cards(); ok {
		return cards
	}
	return nvidiaTool.cards()
}

// Results of NVML's functions, as its documentation numbers them.
const (
	nvmlSuccess          = 0
	nvmlNotSupported     = 3
	nvmlInsufficientSize = 7
)

// nvmlNotAvailable is a number NVML does not have.
const nvmlNotAvailable = ^uint64(0)

// NVML's structures, laid out as in its documentation; what nobody here reads has
// no name.
type (
	nvmlPCI struct {
		_     [16]byte  // the address as older drivers write it
		_     [5]uint32 // domain, bus, device, and the ids of device and board
		busID [32]byte
	}
	nvmlMemory   struct{ total, _, used uint64 } // the middle one is free
	nvmlMemoryV2 struct {
		version uint32
		total   uint64
		_       uint64 // reserved
		free    uint64
		_       uint64 // used
	}
	nvmlProcess struct {
		pid       uint32
		usedBytes uint64
		_         [2]uint32 // the instances of a shared GPU
	}
)

// nvmlMemoryV2Version is the structure's size and, in the top byte, its version.
const nvmlMemoryV2Version = 40 | 2<<24

// An nvml is NVIDIA's management library, loaded when it is first asked. It is
// called without cgo: a program linked against it would not start where the
// linker binds symbols at once and the library is missing.
type nvml struct {
	names []string      // of the library, in order of preference
	limit time.Duration // for an answer

	mu     sync.Mutex
	loaded bool
	broken bool
	until  time.Time // it is left alone until then
	lib    nvmlCalls
}

var nvmlLibrary = &nvml{
	names: []string{"libnvidia-ml.so.1", "libnvidia-ml.so", "/usr/lib/wsl/lib/libnvidia-ml.so.1"},
	limit: nvidiaTime,
}

type nvmlCalls struct {
	start         func() int32
	driverVersion func(*byte, uint32) int32
	count         func(*uint32) int32
	handle        func(uint32, *uintptr) int32
	name          func(uintptr, *byte, uint32) int32
	uuid          func(uintptr, *byte, uint32) int32
	pci           func(uintptr, *nvmlPCI) int32
	memory        func(uintptr, *nvmlMemory) int32
	memoryV2      func(uintptr, *nvmlMemoryV2) int32 // nil in old drivers
	compute       func(uintptr, *uint32, *nvmlProcess) int32
	graphics      func(uintptr, *uint32, *nvmlProcess) int32
}

// cards are NVIDIA's cards with who uses them; not ok when the library is missing,
// fails or hangs.
func (n *nvml) cards() ([]nvidiaCard, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.broken || time.Now().Before(n.until) {
		return nil, false
	}
	type answer struct {
		cards []nvidiaCard
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		cards, err := n.ask()
		answers <- answer{cards, err}
	}()
	select {
	case a := <-answers:
		if a.err != nil {
			n.until = time.Now().Add(nvidiaRest)
		}
		return a.cards, a.err == nil
	case <-time.After(n.limit):
		n.broken = true // the call may still be in there: never a second one
		return nil, false
	}
}

func (n *nvml) ask() ([]nvidiaCard, error) {
	if !n.loaded {
		if err := n.load(); err != nil {
			return nil, err
		}
		n.loaded = true
	}
	var count uint32
	if code := n.lib.count(&count); code != nvmlSuccess {
		return nil, fmt.Errorf("nvmlDeviceGetCount: %d", code)
	}
	driver := words(n.lib.driverVersion)
	var cards []nvidiaCard
	for i := range min(count, 64) {
		var handle uintptr
		if n.lib.handle(i, &handle) != nvmlSuccess {
			continue // lost, or not ours to use
		}
		if c, ok := n.card(handle); ok {
			c.driver = driver
			cards = append(cards, c)
		}
	}
	return cards, nil
}

func (n *nvml) card(handle uintptr) (nvidiaCard, bool) {
	var pci nvmlPCI
	if n.lib.pci(handle, &pci) != nvmlSuccess {
		return nvidiaCard{}, false
	}
	of := func(f func(uintptr, *byte, uint32) int32) func(*byte, uint32) int32 {
		return func(b *byte, size uint32) int32 { return f(handle, b, size) }
	}
	c := nvidiaCard{
		source: "NVML", name: words(of(n.lib.name)), uuid: words(of(n.lib.uuid)),
		pci: shortPCI(cString(pci.busID[:])),
	}
	code := int32(nvmlNotSupported)
	if n.lib.memoryV2 != nil {
		// Its used leaves out what the driver keeps for itself, which no model gets.
		m := nvmlMemoryV2{version: nvmlMemoryV2Version}
		if code = n.lib.memoryV2(handle, &m); code == nvmlSuccess {
			c.totalBytes, c.usedBytes = m.total, m.total-min(m.free, m.total)
		}
	}
	if code != nvmlSuccess {
		var m nvmlMemory
		if code = n.lib.memory(handle, &m); code == nvmlSuccess {
			c.totalBytes, c.usedBytes = m.total, m.used
		}
	}
	c.knowsTotal = code == nvmlSuccess && c.totalBytes > 0 && c.totalBytes <= absurdBytes
	c.knowsUsed = c.knowsTotal
	c.unified = code == nvmlNotSupported && !ownsMemory(c.name)
	c.users = mergeUsers(append(processes(n.lib.compute, handle), processes(n.lib.graphics, handle)...))
	return c, true
}

// processes asks for a kind of processes: those that compute, or those that draw.
func processes(list func(uintptr, *uint32, *nvmlProcess) int32, handle uintptr) []Process {
	if list == nil {
		return nil
	}
	buffer := make([]nvmlProcess, 256)
	count := uint32(len(buffer))
	if code := list(handle, &count, &buffer[0]); code != nvmlSuccess && code != nvmlInsufficientSize {
		return nil
	}
	var found []Process
	for _, p := range buffer[:min(int(count), len(buffer))] {
		if p.usedBytes != nvmlNotAvailable && p.usedBytes > 0 && p.usedBytes <= absurdBytes {
			found = append(found, Process{PID: int(p.pid), VRAMBytes: p.usedBytes})
		}
	}
	return found
}

func (n *nvml) load() (err error) {
	var library uintptr
	for _, name := range n.names {
		if library, err = purego.Dlopen(name, purego.RTLD_LAZY|purego.RTLD_LOCAL); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	for symbol, function := range map[string]any{
		"nvmlInit_v2": &n.lib.start, "nvmlSystemGetDriverVersion": &n.lib.driverVersion,
		"nvmlDeviceGetCount_v2": &n.lib.count, "nvmlDeviceGetHandleByIndex_v2": &n.lib.handle,
		"nvmlDeviceGetName": &n.lib.name, "nvmlDeviceGetUUID": &n.lib.uuid,
		"nvmlDeviceGetPciInfo_v3": &n.lib.pci, "nvmlDeviceGetMemoryInfo": &n.lib.memory,
	} {
		address, err := purego.Dlsym(library, symbol)
		if err != nil {
			return err
		}
		purego.RegisterFunc(function, address)
	}
	for symbol, function := range map[string]any{ // newer than some drivers still in use
		"nvmlDeviceGetMemoryInfo_v2":               &n.lib.memoryV2,
		"nvmlDeviceGetComputeRunningProcesses_v3":  &n.lib.compute,
		"nvmlDeviceGetGraphicsRunningProcesses_v3": &n.lib.graphics,
	} {
		if address, err := purego.Dlsym(library, symbol); err == nil {
			purego.RegisterFunc(function, address)
		}
	}
	if code := n.lib.start(); code != nvmlSuccess {
		return fmt.Errorf("nvmlInit: %d", code)
	}
	return nil
}

// words is the text a function of NVML writes into a buffer.
func words(write func(*byte, uint32) int32) string {
	var buffer [96]byte
	if write(&buffer[0], uint32(len(buffer))) != nvmlSuccess {
		return ""
	}
	return cString(buffer[:])
}

func cString(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return s
}
