//go:build linux && !amd64 && !arm64

package hardware

// askNVIDIA asks NVIDIA's driver through nvidia-smi.
func askNVIDIA() []nvidiaCard { return nvidiaTool.cards() }
