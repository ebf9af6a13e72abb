package hardware

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func TestWhoUsesTheMemoryOfARecordedCard(t *testing.T) {
	users := load(t, "strix-halo-512mb").GPUs[0].Users
	want := []Process{
		// Its two windows; the device it has open twice counts once.
		{PID: 1201, Name: "gnome-shell", VRAMBytes: (262144 + 1024) * kib, SharedBytes: 700000 * kib},
		{PID: 3310, Name: "firefox", VRAMBytes: 65536 * kib, SharedBytes: 500000 * kib},
		{PID: 901, Name: "Xwayland", VRAMBytes: 20000 * kib, SharedBytes: 100000 * kib},
	}
	if fmt.Sprint(users) != fmt.Sprint(want) {
		t.Errorf("got  %+v\nwant %+v", users, want)
	}
	arc := load(t, "intel-arc")
	if got := arc.GPUs[1].Users; len(got) != 1 || got[0].VRAMBytes != 239616*kib || got[0].SharedBytes != 192*kib {
		t.Errorf("xe: %+v", got)
	}
	if got := arc.GPUs[0].Users; len(got) != 1 || got[0].VRAMBytes != 0 || got[0].SharedBytes != 8192*kib {
		t.Errorf("i915: %+v", got)
	}
}

func TestFdinfo(t *testing.T) {
	const head = "drm-driver:\tamdgpu\ndrm-pdev:\t0000:C5:00.0\ndrm-client-id:\t7\n"
	tests := []struct {
		name, content string
		vram, shared  uint64
		ok            bool
	}{
		{"resident counts before total, whatever comes first", head + "drm-resident-vram: 10 MiB\ndrm-total-vram: 90 MiB\n", 10 * mib, 0, true},
		{"amdgpu's older name", head + "drm-memory-vram: 2048 KiB\ndrm-memory-gtt: 1 KiB\ndrm-memory-cpu: 5 KiB\n", 2 * mib, kib, true},
		{"only totals", head + "drm-total-vram0: 1 GiB\ndrm-total-system: 3 MiB\n", gib, 3 * mib, true},
		{"i915's names", head + "drm-resident-local0: 4 MiB\ndrm-resident-system0: 8 KiB\n", 4 * mib, 8 * kib, true},
		{"bytes without a unit", head + "drm-resident-vram: 4096\n", 4096, 0, true},
		{"cycles are no memory", head + "drm-total-cycles-rcs: 7655183225\n", 0, 0, true},
		{"nonsense is left out", head + "drm-resident-vram: -1 KiB\ndrm-resident-gtt: 99999999999999999999 KiB\ndrm-resident-vram1: 5 ns\n", 0, 0, true},
		{"a file that is no card", "pos:\t0\nflags:\t02\n", 0, 0, false},
		{"nothing", "", 0, 0, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, ok := parseFdinfo(test.content)
			if ok != test.ok || c.vramBytes != test.vram || c.sharedBytes != test.shared {
				t.Errorf("got %+v, %t", c, ok)
			}
			if ok && (c.pci != "0000:c5:00.0" || c.id != "7") {
				t.Errorf("got %+v", c)
			}
		})
	}
}

func TestOurEngineIsMarkedAndOthersAreNot(t *testing.T) {
	info := "drm-driver: amdgpu\ndrm-pdev: 0000:c5:00.0\ndrm-client-id: %d\ndrm-resident-vram: 1 MiB\n"
	root := fstest.MapFS{}
	add := func(pid, parent int, name string) {
		dir := fmt.Sprintf("proc/%d/", pid)
		root[dir+"comm"] = &fstest.MapFile{Data: []byte(name + "\n")}
		root[dir+"stat"] = &fstest.MapFile{Data: fmt.Appendf(nil, "%d (%s) S %d 1 1 0", pid, name, parent)}
		root[dir+"fdinfo/5"] = &fstest.MapFile{Data: fmt.Appendf(nil, info, pid)}
	}
	add(100, 1, "paddock")
	add(101, 100, "sh) S 1 (")
	add(102, 101, "llama-server")
	add(200, 1, "llama-server")
	for _, p := range drmUsers(root, 100)["0000:c5:00.0"] {
		if p.Ours != (p.PID < 200) {
			t.Errorf("%+v", p)
		}
	}
}

// A crowd is a /proc of 500 processes with 20 open files each, of which every
// tenth has a card open. It counts what is done with it.
type crowd struct {
	fstest.MapFS
	listed, opened int
}

func newCrowd() *crowd {
	c := &crowd{MapFS: fstest.MapFS{}}
	for pid := 1000; pid < 1500; pid += 10 {
		dir := fmt.Sprintf("proc/%d/", pid)
		c.MapFS[dir+"comm"] = &fstest.MapFile{Data: []byte("program\n")}
		c.MapFS[dir+"fdinfo/7"] = &fstest.MapFile{Data: fmt.Appendf(nil,
			"drm-driver: amdgpu\ndrm-pdev: 0000:c5:00.0\ndrm-client-id: %d\ndrm-resident-gtt: 10 MiB\n", pid)}
	}
	return c
}

func (c *crowd) Open(name string) (fs.File, error) {
	c.opened++
	return c.MapFS.Open(name)
}

func (c *crowd) ReadDir(name string) ([]fs.DirEntry, error) {
	c.listed++
	entries := fstest.MapFS{}
	first, count := 1000, 500
	if name != "proc" {
		first, count = 0, 20
	}
	for i := range count {
		entries[fmt.Sprint(first+i)] = &fstest.MapFile{}
	}
	return entries.ReadDir(".")
}

func (c *crowd) ReadLink(name string) (string, error) {
	if strings.HasSuffix(name, "0/fd/7") {
		return "/dev/dri/renderD128", nil
	}
	return "/dev/null", nil
}

func (c *crowd) Lstat(name string) (fs.FileInfo, error) { return c.MapFS.Lstat(name) }

// What looking costs is what it opens: BenchmarkUsers has the time.
func TestOf500ProcessesOnlyThoseWithACardAreLookedInto(t *testing.T) {
	c := newCrowd()
	users := drmUsers(c, 0)["0000:c5:00.0"]
	if len(users) != 50 {
		t.Errorf("%d processes use the card, want 50", len(users))
	}
	if c.listed != 501 || c.opened != 2*50 {
		t.Errorf("%d folders were listed and %d files opened, want one a process and two a user", c.listed, c.opened)
	}
}

func TestAProcessThatMayNotBeLookedIntoIsLeftOut(t *testing.T) {
	if os.Getuid() == 0 {
		// Root may look anywhere: a file where a folder is wanted stands in for the refusal.
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "proc/7"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "proc/7/fdinfo"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if users := drmUsers(os.DirFS(dir), 0); len(users) != 0 {
			t.Errorf("got %v", users)
		}
		return
	}
	if users := drmUsers(forbidden{}, 0); len(users) != 0 {
		t.Errorf("got %v", users)
	}
}

func TestLiveUsersAreNamed(t *testing.T) {
	for pci, list := range Users() {
		for _, p := range list {
			if p.PID == 0 || strings.TrimSpace(p.Name) == "" || p.Bytes() == 0 {
				t.Errorf("%s: %+v", pci, p)
			}
		}
	}
}
