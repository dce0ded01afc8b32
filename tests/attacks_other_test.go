//go:build !linux

package tests_test

import "os"

// peakOf cannot be asked for here.
func peakOf(*os.ProcessState) int64 { return 0 }

// nsPerFreshByte is not measured here.
func nsPerFreshByte() float64 { return 0 }
