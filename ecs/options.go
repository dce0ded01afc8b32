package ecs

import (
	"fmt"
	"math"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

// Options configure a world. The zero value is the documented default.
type Options struct {
	// Seed of the world's random numbers. Zero is a seed like any other.
	Seed uint64
	// MaxBytes limits the arena, at most 4 GiB − 64 KiB and no less than a
	// mebibyte: fewer bytes mean that. Zero means the most, addresses that cost
	// nothing until they are used (64 MiB where no such range exists).
	MaxBytes int64
	// MaxEntities limits the entities alive at once, at most 16,777,215 and, in an
	// arena of MaxBytes, one for each 256 bytes; zero means as many as that.
	MaxEntities int
	// ReuseAfter is how many freed slots must wait before the oldest is issued
	// again; zero means 1,024. Negative means at once.
	ReuseAfter int
	// Tag marks the world's handles, 1 to 255; zero takes the next number in this
	// process. Give one to compare handles of two runs in one process.
	Tag uint8
	// FixedStep is the length of a fixed step in seconds, from a microsecond on;
	// zero means 1/60.
	FixedStep float64
	// MaxFixedSteps is how many fixed steps one tick makes at most, so that a
	// slow frame does not cause a slower one; zero means 8.
	MaxFixedSteps int
	// MaxUnread is how many events of one type wait for a reader that does not
	// read, before the oldest are dropped; zero means MaxUnread, the most is
	// 16,777,216.
	MaxUnread int
	// Breaker says when a failing system is parked.
	Breaker Breaker
	// Workers is how many goroutines work at the same time on parallel systems
	// and in Tick.Parallel, the caller of Step included; zero means 1. It changes
	// how long a step takes and nothing else: neither a byte, nor an error, nor
	// the order of anything. At most 1,024.
	Workers int
}

// maxWorkers bounds goroutines: more than there are cores help nobody.
const maxWorkers = 1024

// mostUnread bounds what waits: whoever wants to keep more wants a file.
const mostUnread = 1 << 24

// check refuses what is neither a value nor a request for the default, and what
// the world could not keep to.
func (o *Options) check() error {
	switch {
	case o.MaxBytes < 0 || o.MaxBytes > arena.MaxBytes:
		return fmt.Errorf("%w: MaxBytes is %d, it can be up to %d", ErrRange, o.MaxBytes, int64(arena.MaxBytes))
	case o.MaxEntities < 0 || o.MaxEntities > o.mostEntities():
		return fmt.Errorf("%w: MaxEntities is %d, in this arena it can be up to %d", ErrRange, o.MaxEntities, o.mostEntities())
	case o.MaxFixedSteps < 0:
		return fmt.Errorf("%w: MaxFixedSteps is %d", ErrRange, o.MaxFixedSteps)
	case o.MaxUnread < 0 || o.MaxUnread > mostUnread:
		return fmt.Errorf("%w: MaxUnread is %d, it can be up to %d", ErrRange, o.MaxUnread, mostUnread)
	case o.Workers < 0 || o.Workers > maxWorkers:
		return fmt.Errorf("%w: Workers is %d, it can be up to %d", ErrRange, o.Workers, maxWorkers)
	case o.FixedStep != 0 && !(o.FixedStep >= 1e-6) || math.IsInf(o.FixedStep, 1):
		return fmt.Errorf("%w: FixedStep is %v seconds", ErrRange, o.FixedStep)
	}
	return o.Breaker.check()
}

// mostEntities is how many an arena of MaxBytes has records for. What the default
// offers may differ between builds, and is no reason to refuse a limit in one of
// them.
func (o *Options) mostEntities() int {
	if o.MaxBytes == 0 {
		return slots.MaxSlots - 1
	}
	return min(arena.New(o.MaxBytes).Slots(), slots.MaxSlots) - 1 // slot 0 is never issued
}

func (o *Options) fill(serial uint32) {
	if o.ReuseAfter == 0 {
		o.ReuseAfter = 1024
	}
	o.ReuseAfter = max(o.ReuseAfter, 0)
	if o.Tag == 0 {
		o.Tag = uint8((serial-1)%255 + 1)
	}
	if o.FixedStep == 0 {
		o.FixedStep = 1.0 / 60
	}
	if o.MaxFixedSteps == 0 {
		o.MaxFixedSteps = 8
	}
	if o.MaxUnread == 0 {
		o.MaxUnread = MaxUnread
	}
	o.Workers = max(o.Workers, 1)
	o.Breaker.fill()
}
