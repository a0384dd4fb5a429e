//go:build !linux

package main

// machineMemory is what a small machine has, where the system cannot be asked.
func machineMemory() int64 { return 4 << 30 }
