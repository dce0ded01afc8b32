//go:build !linux

package fuzz

// limitAddresses does nothing where the system knows no such limit.
func limitAddresses() {}
