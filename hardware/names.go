package hardware

import (
	"bufio"
	"io/fs"
	"strings"
)

// A namer knows what cards are sold as, from the tables of the system under its
// root. It remembers names, not tables.
type namer struct {
	root  fs.FS
	found map[string]string
}

func newNamer(root fs.FS) *namer { return &namer{root: root, found: map[string]string{}} }

// name is what a card is sold as, or made up of its maker and id when nobody
// knows.
func (n *namer) name(c card) (name string, madeUp bool) {
	id := c.vendor + c.device + c.revision
	name, known := n.found[id]
	if !known {
		name = n.lookUp(c)
		n.found[id] = name
	}
	if name == "" {
		return strings.TrimSpace(vendorName(c.vendor) + " GPU " + c.device), true
	}
	return name, false
}

func (n *namer) lookUp(c card) string {
	if c.vendor == amd {
		if name := n.amd(c); name != "" {
			return name
		}
	}
	for _, file := range []string{"usr/share/hwdata/pci.ids", "usr/share/misc/pci.ids"} {
		if name := n.pci(file, c); name != "" {
			return name
		}
	}
	if c.vendor == amd {
		return amdAPUs[c.device]
	}
	return ""
}

// amd looks into libdrm's table, which knows what a revision is sold as:
// "1586,	C1,	AMD Radeon 8060S Graphics".
func (n *namer) amd(c card) string {
	if c.revision == "" {
		return ""
	}
	for line := range strings.Lines(text(n.root, "usr/share/libdrm/amdgpu.ids")) {
		fields := strings.SplitN(line, ",", 3)
		if len(fields) == 3 && strings.EqualFold(strings.TrimSpace(fields[0]), c.device) &&
			strings.EqualFold(strings.TrimSpace(fields[1]), c.revision) {
			return strings.TrimSpace(fields[2])
		}
	}
	return ""
}

// pci looks into the table of all PCI devices: makers at the start of a line, each
// device of theirs after one tab. The name people know is in brackets: "Navi 31
// [Radeon RX 7900 XTX]".
func (n *namer) pci(file string, c card) string {
	table, err := n.root.Open(file)
	if err != nil || c.vendor == "" || c.device == "" {
		return ""
	}
	defer table.Close()
	ours := false
	for lines := bufio.NewScanner(table); lines.Scan(); {
		line := lines.Text()
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] != '\t' {
			if ours {
				return ""
			}
			ours = strings.HasPrefix(line, c.vendor+" ")
			continue
		}
		if name, found := strings.CutPrefix(line, "\t"+c.device+" "); ours && found {
			name = strings.TrimSpace(name)
			if _, sold, ok := strings.Cut(name, "["); ok {
				name = strings.TrimSuffix(sold, "]")
			}
			return name
		}
	}
	return ""
}

// ShortName is a card's name without what is shown anyway or tells nothing: the
// maker, trade marks, the driver in brackets. "AMD Radeon 8060S Graphics (RADV
// GFX1151)" is "Radeon 8060S".
func ShortName(name string) string {
	short := strings.NewReplacer("(TM)", "", "(tm)", "", "(R)", "").Replace(pciInName.ReplaceAllString(name, ""))
	short = strings.Join(strings.Fields(parentheses.ReplaceAllString(short, " ")), " ")
	for _, maker := range []string{"AMD ", "NVIDIA ", "Intel "} {
		short = strings.TrimPrefix(short, maker)
	}
	if known := strings.TrimSuffix(short, " Graphics"); known != "Radeon" && known != "" {
		short = known
	}
	if short == "" || strings.HasPrefix(short, "GPU ") { // only an id is left
		return name
	}
	return short
}
