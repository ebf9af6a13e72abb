package hardware

import (
	"sync"

	"github.com/jaypipes/ghw"
)

// products are the names of this machine's PCI devices by vendor and device id.
// They come from pci.ids, which many systems don't have: then there are none.
var products = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	info, err := ghw.PCI(ghw.WithDisableWarnings(), ghw.WithDisableTools())
	if err != nil {
		return names
	}
	for _, d := range info.Devices {
		if d.Vendor != nil && d.Product != nil && d.Product.Name != "unknown" {
			names[d.Vendor.ID+d.Product.ID] = d.Product.Name
		}
	}
	return names
})

// productName is a card's name, or its maker and id when nobody knows a name.
func productName(vendor, device string) string {
	if name := products()[vendor+device]; name != "" {
		return name
	}
	return vendorName(vendor) + " GPU " + device
}
