package words

import (
	"paddock/engine/gguf"
	"paddock/hardware"
)

// Advice is a kernel line in a sentence: what to add, and what it would give.
func Advice(a hardware.Advice) string {
	return T("hardware.advice.sentence", map[string]any{
		"Line": a.Line, "Limit": GiB(a.LimitBytes), "Total": GiB(a.TotalBytes), "Usable": GiB(a.UsableBytes),
		"GPU": hardware.ShortName(gguf.Printable(a.GPU)), "Replaces": gguf.Printable(a.Replaces),
	})
}
