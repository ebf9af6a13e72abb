package words

import (
	"math"
	"strconv"
	"time"
)

// GiB is a number of bytes in GiB with one decimal, without the unit: "12.3".
// What is there but would round to nothing is "<0.1".
func GiB(bytes uint64) string {
	if bytes > 0 && bytes < 1<<30/20 {
		return "<0.1"
	}
	return strconv.FormatFloat(float64(bytes)/(1<<30), 'f', 1, 64)
}

// MiB is a number of bytes in MiB with one decimal, without the unit: "4.6".
// What is there but would round to nothing is "<0.1".
func MiB(bytes uint64) string {
	if bytes > 0 && bytes < 1<<20/20 {
		return "<0.1"
	}
	return strconv.FormatFloat(float64(bytes)/(1<<20), 'f', 1, 64)
}

// Count is a whole number with its thousands set apart: "131,072".
func Count(n int) string {
	digits := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Parameters is a number of parameters as models are named by it: "270 M",
// "7.6 B".
func Parameters(n uint64) string {
	units := []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "K"}}
	for _, unit := range units {
		// What rounds up to the unit is shown in it.
		if scaled := float64(n) / unit.size; scaled >= 0.9995 {
			decimals := 0
			if scaled < 9.95 {
				decimals = 1
			}
			return strconv.FormatFloat(scaled, 'f', decimals, 64) + " " + unit.name
		}
	}
	return strconv.FormatUint(n, 10)
}

// Speed is a number of tokens per second, without the unit: "1,240", "62", "4.7".
func Speed(tokensPerSecond float64) string {
	if tokensPerSecond < 9.95 {
		return strconv.FormatFloat(tokensPerSecond, 'f', 1, 64)
	}
	return Count(int(math.Round(tokensPerSecond)))
}

// Seconds is a time in seconds, without the unit: "0.12", "3.4".
func Seconds(d time.Duration) string {
	decimals := 1
	if d < time.Second {
		decimals = 2
	}
	return strconv.FormatFloat(d.Seconds(), 'f', decimals, 64)
}
