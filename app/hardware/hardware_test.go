package hardware

import (
	"path/filepath"
	"strings"
	"testing"

	"paddock/engine/build"
	machine "paddock/hardware"
	"paddock/words"
)

const gibibyte = 1 << 30

// recorded is one of the machines hardware is tested with, and what its engine
// lists.
func recorded(t *testing.T, name string) (machine.Snapshot, []Seen) {
	t.Helper()
	r, err := machine.Recorded(filepath.Join("../../hardware/testdata/machines", name))
	if err != nil {
		t.Fatal(err)
	}
	return r.Snapshot, []Seen{{
		Build:   build.Build{ID: "a", Number: 11669, Backends: []string{"Vulkan", "CPU"}, Source: build.Bundled},
		Devices: build.ParseDevices(r.DeviceList),
	}}
}

// cardsOf are the cards of a recorded machine, with who uses it.
func cardsOf(t *testing.T, name string) []Card {
	t.Helper()
	s, seen := recorded(t, name)
	return cards(matched(s, seen), knowledge{seen: seen, looked: true})
}

func factsOf(c Card) string {
	var lines []string
	for _, f := range c.Facts {
		lines = append(lines, f.Name+": "+f.Value)
	}
	return strings.Join(lines, "\n")
}

func termsOf(terms []Term) string {
	var lines []string
	for _, t := range terms {
		lines = append(lines, strings.TrimRight(strings.Join([]string{t.Name, t.GiB, t.Note}, " | "), " |"))
	}
	return strings.Join(lines, "\n")
}

func barOf(c Card) string {
	var parts []string
	for _, s := range c.Bar {
		parts = append(parts, s.Text)
	}
	return strings.Join(append(parts, c.Free), ", ")
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n%s\nwant:\n%s", what, got, want)
	}
}

func TestAnIntegratedCardIsOneMemoryAndShowsHowItAddsUp(t *testing.T) {
	list := cardsOf(t, "strix-halo-512mb")
	c, ram := list[0], list[1]
	want(t, "head", strings.Join([]string{c.Title, c.Badge, c.About, c.Number, c.Usable, c.Of}, " | "),
		"Radeon 8060S | Shares RAM | amdgpu · 0000:c5:00.0 | 94.8 | GiB usable for models now | of 96.5 GiB")
	if !c.Big {
		t.Error("its number is not the big one")
	}
	want(t, "sum", termsOf(c.Sum), `Carve-out (VRAM) | 0.5 | 0.3 used
GTT limit | 96.0 | 1.4 used
RAM available | 112.6 | of 124.9
Kept for the system | 10.0 | 8 % of RAM
Usable | 94.8 | 0.2 + the smaller of 94.6 and 102.6`)
	want(t, "bar", barOf(c), "Other programs 1.7, Free 94.8")
	want(t, "used by", termsOf(c.Users), "gnome-shell | 0.9\nfirefox | 0.5\nXwayland | 0.1\nSystem and others | 0.2")
	want(t, "facts", factsOf(c), "Engine devices: Vulkan0 = ROCm0\nSource: sysfs, /proc/meminfo")
	want(t, "note", c.Note, "ROCm0 says 62.5 GiB. It is one memory, carve-out and GTT, and Paddock counts all of it.")
	want(t, "line to raise it", c.Raise.Line, "ttm.pages_limit=28311552")
	want(t, "its title", c.Raise.Title, "Raise the limit to 108.0 GiB")
	if !strings.Contains(c.Raise.Text, "instead of ttm.pages_limit=25165824") || !strings.Contains(c.Raise.Text, "108.5 GiB, 102.8") {
		t.Errorf("advice is %q", c.Raise.Text)
	}
	want(t, "RAM", factsOf(ram), `Left for models: 102.6 GiB, after what is kept
If Radeon 8060S fills up: 8.0 GiB, because its GTT pages are RAM
Swap: 0.0 of 8.0 GiB used, never planned with
Processor: 16 cores, 32 threads
Instructions: sse4_2 avx f16c fma bmi2 avx2 avx_vnni avx512f avx512bw avx512vbmi avx512_vnni avx512_bf16
Source: /proc/meminfo`)
	want(t, "RAM's bar", barOf(ram), "Programs 10.9, Radeon 8060S memory 1.4, ")
	want(t, "RAM's head", strings.Join([]string{ram.Number, ram.Usable, ram.Of, ram.About, ram.Kept()}, " | "),
		"112.6 | GiB available | of 124.9 GiB | AMD RYZEN AI MAX+ 395 w/ Radeon 8060S | Kept for the system 10.0")
}

func TestWhereRAMEndsBeforeGTTTheBarSaysWhoHasIt(t *testing.T) {
	s, _ := recorded(t, "strix-halo-512mb")
	s.RAM.AvailableBytes = 30 * gibibyte
	// As a reading of that moment has it.
	s.Pools[0].UsableBytes = s.GPUs[0].VRAMTotalBytes - s.GPUs[0].VRAMUsedBytes + s.RAM.SpareBytes()
	c := cards(s, knowledge{})[0]
	want(t, "bar", barOf(c), "Other programs 1.7, RAM in use or kept 74.6, Free 20.2")
	want(t, "result", termsOf(c.Sum[len(c.Sum)-1:]), "Usable | 20.2 | 0.2 + the smaller of 94.6 and 20.0")
	if c.Users != nil {
		t.Errorf("nobody looked, and it is used by %v", c.Users)
	}
}

func TestACardBesideAnIntegratedOneHasItsOwnMemory(t *testing.T) {
	list := cardsOf(t, "amd-discrete-and-integrated")
	c := list[0]
	want(t, "head", strings.Join([]string{c.Title, c.Badge, c.Number, c.Usable, c.Of}, " | "), "Radeon RX 7900 XTX |  | 22.0 | GiB usable now | of 24.0 GiB VRAM")
	want(t, "facts", factsOf(c), `Engine devices: Vulkan0 = ROCm0
In use: 2.0 of 24.0 GiB used
GTT: 0.1 of 31.0 GiB used, RAM and slower
Source: sysfs`)
	if c.Big || len(c.Sum) != 0 || c.Raise.Line != "" {
		t.Errorf("got %+v", c)
	}
	if second := list[1]; second.Number != "31.0" || !second.Big { // and not the 0.0 of a full carve-out
		t.Errorf("got %+v", second)
	}
}

func TestAMemoryThatIsAllRAMSaysSo(t *testing.T) {
	c := cardsOf(t, "gb10")[0]
	want(t, "sum", termsOf(c.Sum), `RAM available | 113.1 | of 121.7
Kept for the system | 9.7 | 8 % of RAM
Usable | 103.3 | 113.1 less 9.7`)
	want(t, "note", c.Note, "It has no memory of its own: models are in RAM, which other programs use too.")
	intel := cardsOf(t, "intel-arc")[0]
	want(t, "Intel's sum", termsOf(intel.Sum), `Engine's limit | 23.4
RAM available | 24.0 | of 31.1
Kept for the system | 4.0 | 4 GiB at least
Usable | 20.0 | the smaller of 21.0 and 20.0`)
}

func TestTwoCardsJustAlikeAreNotToldApart(t *testing.T) {
	for _, c := range cardsOf(t, "nvidia-two")[:2] {
		if !strings.Contains(factsOf(c), "Engine devices: CUDA0, CUDA1: not certain which, cards are alike") {
			t.Errorf("facts are %s", factsOf(c))
		}
	}
}

func TestACardThatNoEngineSeesSaysWhatItNeeds(t *testing.T) {
	for _, name := range []string{"strix-halo-512mb", "nvidia-three"} {
		s, seen := recorded(t, name)
		said := func(k knowledge) bool { return strings.Contains(cards(s, k)[0].Note, words.CardNeeds()) }
		if !said(knowledge{seen: []Seen{{Build: seen[0].Build}}}) {
			t.Errorf("%s: an engine without devices: %q", name, cards(s, knowledge{seen: []Seen{{Build: seen[0].Build}}})[0].Note)
		}
		if said(knowledge{}) || said(knowledge{seen: []Seen{{Build: seen[0].Build}}, asking: true}) {
			t.Errorf("%s: it is said before engines have answered", name)
		}
		if strings.Contains(cardsOf(t, name)[0].Note, words.CardNeeds()) {
			t.Errorf("%s: it is said of a card that an engine sees", name)
		}
	}
}

func TestWhatIsNotKnownIsSaidInWords(t *testing.T) {
	s, _ := recorded(t, "nonsense")
	list := cards(s, knowledge{looked: true})
	apu, liar, dead, lost := list[0], list[1], list[2], list[4]
	want(t, "GTT nobody tells", termsOf(apu.Sum[:2]), "Carve-out (VRAM) | 0.5 | 0.5 used\nGTT limit | 16.0 | not told, the kernel's default")
	if !strings.Contains(factsOf(liar), "In use: use not known") || len(liar.Bar) != 0 {
		t.Errorf("a card that says -1: %s, %v", factsOf(liar), liar.Bar)
	}
	for _, c := range []Card{dead, lost} {
		if c.Number != "" || !strings.HasPrefix(c.Note, "The driver does not say") {
			t.Errorf("got %+v", c)
		}
	}
	sources := ""
	for _, f := range liar.Source {
		sources += f.Name + ": " + f.Value + "\n"
	}
	want(t, "sources", sources, "VRAM: sysfs mem_info_vram_total\nVRAM in use: not known, nothing tells it\nGTT limit: not known, nothing tells it\nGTT in use: not known, nothing tells it\nUsable: sysfs\n")
	for _, c := range list {
		for _, text := range []string{c.Number, c.Of, barOf(c), termsOf(c.Sum)} {
			if strings.Contains(text, "NaN") || strings.HasPrefix(text, "0.0") {
				t.Errorf("%s says %q", c.Title, text)
			}
		}
	}
}

func TestAComputerWithoutAGraphicsCardSaysSo(t *testing.T) {
	s, _ := recorded(t, "no-gpu")
	s.Displays = nil
	if list := cards(s, knowledge{looked: true}); len(list) != 1 || list[0].Note != "No graphics card was found. Models run on the processor, from RAM." {
		t.Errorf("got %+v", list)
	}
	if list := cardsOf(t, "vm"); len(list) != 1 || !strings.Contains(list[0].Note, "display that can't compute (virtio-pci)") {
		t.Errorf("got %+v", list)
	}
}

func TestWhichDeviceACardIsIsSaidOnceTheEngineAnswered(t *testing.T) {
	s, seen := recorded(t, "no-gpu")
	s.GPUs = []machine.GPU{{Vendor: "Intel", Driver: "xe", PCI: "0000:03:00.0"}}
	for want, k := range map[string]knowledge{
		"Engine devices: asking the engine…":            {asking: true},
		"Engine devices: not known":                     {},
		"Engine devices: none, no engine build sees it": {seen: seen},
	} {
		if got := factsOf(cards(s, k)[0]); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if c := cards(s, knowledge{})[0]; c.Title != "Intel graphics" {
		t.Errorf("it is called %q", c.Title)
	}
}

func TestManyProgramsShareTheLastLine(t *testing.T) {
	gpu := machine.GPU{}
	for i, name := range []string{"a", "b", "c", "c", "d", "e", "f"} {
		gpu.Users = append(gpu.Users, machine.Process{PID: i, Name: name, VRAMBytes: gibibyte})
	}
	gpu.Users = append(gpu.Users, machine.Process{PID: 9, Name: "ld-linux-x86-64", VRAMBytes: gibibyte, Ours: true})
	pool := machine.Pool{UsedBytes: 8 * gibibyte, TotalBytes: 16 * gibibyte, UsableBytes: 8 * gibibyte}
	want(t, "programs", termsOf(users(gpu, pool, true)), "a | 1.0\nb | 1.0\nc | 2.0\nd | 1.0\n3 others | 3.0")
	want(t, "bar", barOf(Card{Bar: usage(gpu, pool)}), "Other programs 7.0, Paddock 1.0, ")
	want(t, "nobody", termsOf(users(machine.GPU{}, machine.Pool{}, true)), "no program")
}

func TestTheTableHasARowACardAndTheProcessorLast(t *testing.T) {
	s, seen := recorded(t, "nvidia-three")
	vulkan := Seen{Build: build.Build{ID: "b", Number: 11702, Backends: []string{"Vulkan"}, Source: build.Added}}
	vulkan.Devices = append(vulkan.Devices, build.Device{ID: "Vulkan0", Name: "NVIDIA GeForce RTX 3060", TotalBytes: 12 * gibibyte}, build.Device{ID: "Vulkan1", Name: "llvmpipe", Software: true})
	broken := Seen{Build: build.Build{ID: "c", Number: 1, Source: build.Found}, Err: errNoAnswer}
	seen = append(seen, vulkan, broken)
	table := devices(matched(s, seen), seen, false)
	rows := []string{strings.Join(table.Heads, "|")}
	for _, row := range table.Rows {
		rows = append(rows, strings.Join(row, "|"))
	}
	want(t, "table", strings.Join(rows, "\n"), `Device|b11669 Vulkan, bundled|b11702 Vulkan, added|b1, found|Memory
GeForce RTX 4090|CUDA0, Vulkan1|–|–|one pool of 24.0 GiB
GeForce RTX 3060|CUDA2, Vulkan0|Vulkan0|–|one pool of 12.0 GiB
GeForce RTX 4060 Ti|CUDA1, Vulkan2|–|–|one pool of 16.0 GiB
llvmpipe|–|Vulkan1|–|Software, never a default
Processor|CPU|CPU|no answer|RAM`)
}

func TestNoEngineIsSaidOnlyOnceItIsKnown(t *testing.T) {
	if table := devices(machine.Snapshot{}, nil, true); table.Problem != "" || !table.Asking {
		t.Errorf("while asking: %+v", table)
	}
	if table := devices(machine.Snapshot{}, nil, false); table.Problem == "" {
		t.Error("without an engine there is no sentence")
	}
}
