package words

import (
	"io/fs"
	"testing"

	"paddock/hardware"
)

func TestAdviceIsASentence(t *testing.T) {
	a := hardware.Advice{GPU: "AMD Radeon 8060S Graphics", Line: "ttm.pages_limit=28311552", TotalBytes: 108 << 30, UsableBytes: 100 << 30}
	want := "Radeon 8060S could reach 108.0 GiB, 100.0 GiB of it now: add ttm.pages_limit=28311552 to the kernel command line and restart. Paddock never changes your system."
	if got := Advice(a); got != want {
		t.Errorf("got %q", got)
	}
	a.Replaces = "amdgpu.gttsize=1"
	want = "Radeon 8060S could reach 108.0 GiB, 100.0 GiB of it now: add ttm.pages_limit=28311552 to the kernel command line instead of amdgpu.gttsize=1 and restart. Paddock never changes your system."
	if got := Advice(a); got != want {
		t.Errorf("got %q", got)
	}
}

func TestAFolderWithoutARecordedMachineIsSaid(t *testing.T) {
	for want, err := range map[string]error{
		"There is no recorded machine in /tmp/x. A recording has a sys or proc folder, nvidia-smi.csv or list-devices.txt.": &hardware.NoRecording{Dir: "/tmp/x"},
		"The recorded machine in /tmp/x can't be read: permission denied. Check the folder's name and your rights to it.":   &hardware.NoRecording{Dir: "/tmp/x", Err: &fs.PathError{Op: "open", Path: "/tmp/x", Err: fs.ErrPermission}},
	} {
		s := Error(err)
		if got := s.Message + " " + s.Remedy; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
