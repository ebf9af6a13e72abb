//go:build race

package budget

// slowdown is how many times longer things may take: looking for races is slow.
const slowdown = 10
