package cli

import (
	"slices"
	"strings"

	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/hardware"
	"paddock/words"
)

type devicesCommand struct {
	Root string `placeholder:"DIR" type:"existingdir" help:"${devicesRoot}"`
}

func (c *devicesCommand) Run(s *session) error {
	var machine hardware.Snapshot
	var devices []build.Device
	asked := false // whether an engine has said what it sees
	if c.Root != "" {
		var err error
		if machine, devices, err = recorded(c.Root); err != nil {
			return err
		}
		asked = len(devices) > 0
	} else {
		machine = hardware.Live().WithUsers(hardware.Users())
		// The engine only adds which of its devices a card is.
		if b, err := s.build(); err == nil {
			if devices, err = b.Devices(s.ctx); err != nil {
				s.complain(words.Error(err))
			}
			asked = err == nil
		} else if s.Engine != "" {
			return err
		}
	}
	machine = budget.MatchDevices(machine, devices)
	advice := []string{}
	for _, a := range machine.Advice() {
		advice = append(advice, words.Advice(a))
	}
	if s.JSON {
		s.write(struct {
			hardware.Snapshot
			EngineDevices []engineDevice `json:"engineDevices"`
			Advice        []string       `json:"advice"`
		}{machine, engineDevices(devices), advice})
		return nil
	}
	s.printMachine(machine, devices)
	if asked && slices.ContainsFunc(machine.GPUs, unseen) {
		s.print("%s %s\n", words.T("cli.devices.unseen"), words.CardNeeds())
	}
	for _, sentence := range advice {
		s.print("%s\n", sentence)
	}
	return nil
}

// unseen says that a card is no device of the engine that was asked.
func unseen(gpu hardware.GPU) bool { return len(gpu.EngineDevices) == 0 && len(gpu.MaybeDevices) == 0 }

// An engineDevice is what --devices takes, as JSON.
type engineDevice struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	TotalBytes uint64 `json:"totalBytes"`
	FreeBytes  uint64 `json:"freeBytes"`
}

func engineDevices(devices []build.Device) []engineDevice {
	list := []engineDevice{}
	for _, d := range devices {
		list = append(list, engineDevice{d.ID, d.Name, d.TotalBytes, d.FreeBytes})
	}
	return list
}

// recorded is the machine in a folder, and what the engine listed there. The error
// is a *hardware.NoRecording.
func recorded(dir string) (hardware.Snapshot, []build.Device, error) {
	recording, err := hardware.Recorded(dir)
	return recording.Snapshot, build.ParseDevices(recording.DeviceList), err
}

func (s *session) printMachine(machine hardware.Snapshot, devices []build.Device) {
	name := gguf.Printable(machine.CPU.Name)
	if name == "" {
		name = words.T("hardware.cpu.nameless")
	}
	counts := words.T("hardware.notKnown")
	if machine.CPU.Cores > 0 {
		counts = words.T("hardware.cores", map[string]any{"Cores": machine.CPU.Cores, "Threads": machine.CPU.Threads})
	}
	s.print("%s\n", words.T("cli.devices.cpu", map[string]any{"Name": name, "Counts": counts}))
	for _, gpu := range machine.GPUs {
		s.printGPU(machine, gpu)
	}
	if len(machine.GPUs) == 0 {
		s.print("%s\n", words.T("hardware.gpu.none"))
	}
	for _, pool := range machine.Pools {
		used := words.T("hardware.used.unknown")
		if !pool.UsedUnknown {
			used = words.T("cli.devices.used", map[string]any{"GiB": words.GiB(pool.UsedBytes)})
		}
		s.print("%s\n", words.T("cli.devices.pool", map[string]any{
			"Name": gguf.Printable(pool.Name), "Total": words.GiB(pool.TotalBytes), "Used": used,
			"Usable": words.GiB(pool.UsableBytes), "Source": pool.Source,
		}))
	}
	s.print("%s\n", words.T("cli.devices.engine-cpu"))
	for _, device := range devices {
		s.print("%s\n", words.T("cli.devices.engine", map[string]any{
			"ID": device.ID, "Name": device.Name, "Total": words.GiB(device.TotalBytes), "Free": words.GiB(device.FreeBytes),
		}))
	}
}

// printGPU says what a card is, which engine devices it is, and who uses it.
func (s *session) printGPU(machine hardware.Snapshot, gpu hardware.GPU) {
	s.print("%s\n", words.T("cli.devices.gpu", map[string]any{
		"Name": gguf.Printable(gpu.Name), "Vendor": gpu.Vendor, "Driver": gguf.Printable(gpu.Driver), "PCI": gpu.PCI,
		"Devices": strings.Join(gpu.EngineDevices, " = "), "Maybe": strings.Join(gpu.MaybeDevices, ", "),
	}))
	if _, known := machine.PoolOf(gpu); !known {
		s.print("%s\n", words.T("cli.devices.gpu.unknown"))
	}
	for _, p := range gpu.Users {
		s.print("%s\n", words.T("cli.devices.user", map[string]any{"Name": gguf.Printable(p.Name), "PID": p.PID, "GiB": words.GiB(p.Bytes())}))
	}
}
