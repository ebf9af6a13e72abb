package build

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Devices are what the engine can compute on beside the CPU, asked anew in a
// process of its own. No devices and no error means that there are none; a crash
// while looking for them is a *Error with ListingCrashed.
func (b Build) Devices(ctx context.Context) ([]Device, error) {
	return b.DevicesWith(ctx, "")
}

// DevicesWith is Devices with those of other computers: servers are "host:port"
// with commas, as the engine's --rpc takes them. See Reach: the engine crashes
// where nothing answers.
func (b Build) DevicesWith(ctx context.Context, servers string) ([]Device, error) {
	var more []string
	if servers != "" {
		more = []string{"--rpc", servers} // before the list it adds to
	}
	listing := b.list(ctx, more...)
	if listing.err != nil {
		return nil, listing.problem(b.Path, ListingFailed, ListingCrashed)
	}
	return ParseDevices(listing.stdout), nil
}

// list asks for the devices. With -v the engine also logs which backends it
// loaded.
func (b Build) list(ctx context.Context, more ...string) answer {
	return b.run(ctx, devicesLimit, nil, append(append([]string{"-v"}, more...), "--list-devices")...)
}

const mib = 1 << 20

// A line of --list-devices: "  Vulkan0: NAME (8192 MiB, 7900 MiB free)".
var deviceLine = regexp.MustCompile(`^\s+(\S+): (.*) \((\d+) MiB, (\d+) MiB free\)$`)

// ParseDevices reads what --list-devices prints. Free memory is at most the
// total: some drivers report more.
func ParseDevices(text string) []Device {
	var devices []Device
	for line := range strings.Lines(text) {
		found := deviceLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if found == nil {
			continue
		}
		total, err := strconv.ParseUint(found[3], 10, 40)
		if err != nil {
			continue
		}
		free, err := strconv.ParseUint(found[4], 10, 40)
		if err != nil {
			continue
		}
		devices = append(devices, Device{
			ID:         found[1],
			Name:       printable(found[2]),
			TotalBytes: total * mib,
			FreeBytes:  min(free, total) * mib,
			Software:   isSoftware(found[2]),
		})
	}
	return devices
}

// isSoftware recognises drivers that compute on the processor by their name.
func isSoftware(name string) bool {
	name = strings.ToLower(name)
	for _, driver := range []string{"llvmpipe", "lavapipe", "softpipe", "swiftshader", "microsoft basic render"} {
		if strings.Contains(name, driver) {
			return true
		}
	}
	return false
}

// printable is text from a program without what a terminal or a layout would
// act on.
func printable(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '\t' {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "")))
}
