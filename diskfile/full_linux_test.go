package diskfile_test

import (
	"os"
	"testing"

	"paddock/diskfile"
)

func TestAFullDiskIsKnown(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	if _, err := full.WriteString("more"); !diskfile.Full(err) {
		t.Errorf("not known: %v", err)
	}
	if _, err := os.Open("/dev/none"); diskfile.Full(err) {
		t.Errorf("taken for it: %v", err)
	}
}
