package buildtest

import "os"

// RestThreads has the threads of engines that tests start wait without spinning, which
// makes a tiny model many times slower on a machine that has other things to do.
func RestThreads() { os.Setenv("OMP_WAIT_POLICY", "passive") }
