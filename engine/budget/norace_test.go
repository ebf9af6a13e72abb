//go:build !race

package budget

// slowdown is how many times longer things may take.
const slowdown = 1
