//go:build !linux

package testmain

import "time"

// PagePrice is not measured here.
func PagePrice() time.Duration { return 0 }

// Pages cannot be asked for here.
func Pages() int64 { return 0 }
