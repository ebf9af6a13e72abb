package cli

import (
	"io/fs"
	"os"

	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/hardware"
	"paddock/words"
)

type devicesCommand struct {
	Root string `placeholder:"DIR" type:"existingdir" help:"${devicesRoot}"`
}

func (c *devicesCommand) Run(s *session) error {
	var devices []build.Device
	machine := hardware.Snapshot{}
	if c.Root != "" {
		machine, devices = recorded(c.Root)
	} else {
		machine = hardware.Live()
		// The engine only adds which of its devices a card is.
		if b, err := s.build(); err == nil {
			if devices, err = b.Devices(s.ctx); err != nil {
				s.complain(words.Error(err))
			}
		} else if s.Engine != "" {
			return err
		}
	}
	machine = budget.MatchDevices(machine, devices)
	if s.JSON {
		s.write(struct {
			hardware.Snapshot
			EngineDevices []engineDevice `json:"engineDevices"`
			Advice        []string       `json:"advice"`
		}{machine, engineDevices(devices), []string{}})
		return nil
	}
	s.printMachine(machine, devices)
	return nil
}

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

// recorded is the machine in a folder, and what the engine listed there.
func recorded(dir string) (hardware.Snapshot, []build.Device) {
	root := os.DirFS(dir)
	var devices []build.Device
	if list, err := fs.ReadFile(root, "list-devices.txt"); err == nil {
		devices = build.ParseDevices(string(list))
	}
	return hardware.Read(root), devices
}

func (s *session) printMachine(machine hardware.Snapshot, devices []build.Device) {
	s.print("%s\n", words.T("cli.devices.cpu", map[string]any{"Name": machine.CPU.Name, "Cores": machine.CPU.Cores, "Threads": machine.CPU.Threads}))
	for _, gpu := range machine.GPUs {
		s.print("%s\n", words.T("cli.devices.gpu", map[string]any{"Name": gpu.Name, "Vendor": gpu.Vendor, "Driver": gpu.Driver, "PCI": gpu.PCI}))
	}
	for _, pool := range machine.Pools {
		s.print("%s\n", words.T("cli.devices.pool", map[string]any{
			"Name": pool.Name, "Total": words.GiB(pool.TotalBytes), "Used": words.GiB(pool.UsedBytes), "Usable": words.GiB(pool.UsableBytes),
		}))
	}
	s.print("%s\n", words.T("cli.devices.engine-cpu"))
	for _, device := range devices {
		s.print("%s\n", words.T("cli.devices.engine", map[string]any{
			"ID": device.ID, "Name": device.Name, "Total": words.GiB(device.TotalBytes), "Free": words.GiB(device.FreeBytes),
		}))
	}
}
