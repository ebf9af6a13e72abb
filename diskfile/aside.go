package diskfile

import (
	"fmt"
	"os"
)

// FreeName is the first of base-1, base-2, … that does not exist: what a file is called
// that is kept out of the way of another.
func FreeName(base string) string {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s-%d", base, n)
		if _, err := os.Lstat(name); err != nil {
			return name
		}
	}
}
