//go:build !linux

package main

import "time"

var began = time.Now()

// cpuSeconds is how long the process has run: elsewhere its CPU time is not asked.
func cpuSeconds() float64 { return time.Since(began).Seconds() }
