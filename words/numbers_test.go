package words

import (
	"testing"
	"time"
)

func TestNumbersAreWrittenForPeople(t *testing.T) {
	tests := []struct{ got, want string }{
		{GiB(0), "0.0"},
		{GiB(1), "<0.1"},
		{GiB(1<<30/20 - 1), "<0.1"},
		{GiB(1<<30/20 + 1), "0.1"},
		{GiB(1 << 30), "1.0"},
		{MiB(4850272), "4.6"},
		{GiB(13207024435), "12.3"},
		{Count(0), "0"},
		{Count(999), "999"},
		{Count(1000), "1,000"},
		{Count(131072), "131,072"},
		{Count(1234567), "1,234,567"},
		{Count(-1500), "-1,500"},
		{Parameters(512), "512"},
		{Parameters(1_234_567), "1.2 M"},
		{Parameters(268_000_000), "268 M"},
		{Parameters(999_600_000), "1.0 B"},
		{Parameters(7_620_000_000), "7.6 B"},
		{Parameters(70_600_000_000), "71 B"},
		{Parameters(1_030_000_000_000), "1.0 T"},
		{Speed(62.4), "62"},
		{Speed(9.96), "10"},
		{Speed(4.68), "4.7"},
		{Speed(999.6), "1,000"},
		{Speed(12345.6), "12,346"},
		{Seconds(120 * time.Millisecond), "0.12"},
		{Seconds(3400 * time.Millisecond), "3.4"},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
