package load

import (
	"strings"
	"testing"

	"paddock/config"
	"paddock/engine/plan"
)

func TestChosenDevicesThatAreGoneAreLeftOut(t *testing.T) {
	m := newRichMachine()
	both := m.devices
	m.setups = config.OpenSetups(t.TempDir())
	p, _ := opened(t, m)
	p.SetDevice("Vulkan0", true)
	p.SetSplit("tensor")
	p.SetContext(4096)
	if s := p.State().Plan; s.Devices != "Vulkan0,Vulkan1" || s.SplitMode != "tensor" {
		t.Fatalf("plan %+v", s)
	}
	p.Wait(t.Context())
	for want, says := range map[string]string{
		plan.CPU:  "Vulkan0, Vulkan1 are not there any more. Devices are CPU only now.",
		"Vulkan1": "Vulkan0 is not there any more. Devices are GeForce RTX 4060 Ti now.",
	} {
		m.devices = both[1:]
		if want == plan.CPU {
			m.devices = nil
		}
		p, _ = opened(t, m)
		s := p.State()
		if s.Plan.Devices != want || s.Plan.Split() != "none" || s.Plan.TensorSplit != "" || s.Plan.ContextTokens != 4096 || s.Off {
			t.Errorf("plan %+v, off %v: %s", s.Plan, s.Off, s.Footer.Text)
		}
		if n := s.DeviceNotes[0]; n.Text != says || n.Kind != Caution {
			t.Errorf("it says %+v", s.DeviceNotes)
		}
		p.SetContext(8192)
		if text := texts(p.State().DeviceNotes); strings.Contains(text, "any more") {
			t.Errorf("after the next change it still says %q", text)
		}
		p.SetContext(4096)
		p.Wait(t.Context())
		m.devices = both // both are there again, and chosen for the next turn
		p, _ = opened(t, m)
		p.SetDevice("Vulkan0", true)
		p.SetDevice("Vulkan1", true)
		p.SetSplit("tensor")
		p.Wait(t.Context())
	}
}

func TestAPlanWithADeviceThatIsNotThereIsNotLoaded(t *testing.T) {
	m := newMachine()
	p, l := opened(t, m)
	p.asked.Devices = "Vulkan7"
	p.changed()
	settled(t, p, l)
	if s := p.State(); !s.Off || !strings.Contains(s.Footer.Text, "Vulkan7 is not a device") {
		t.Errorf("off %v: %q", s.Off, s.Footer.Text)
	}
	p.Load()
	if len(m.loaded) != 0 {
		t.Error("it was loaded")
	}
}
