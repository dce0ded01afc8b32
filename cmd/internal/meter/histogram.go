// Package meter keeps count of how long ticks and systems take.
//
// There are two nouns. A [Histogram] holds any number of durations in a fixed
// amount of memory. A [Meter] has one for the ticks of a world and one for each
// of its systems.
package meter

import (
	"math/bits"
	"time"
)

// fine is how many bits of a duration below its highest one are kept: buckets
// are 1/32 of their value wide, so a quantile is within 3 % of the truth.
const fine = 5

// Histogram counts durations. The zero Histogram is empty and ready.
//
// Why not keep the durations? A game runs for hours at 60 ticks a second, with
// dozens of systems; what is wanted at the end are four numbers of each.
type Histogram struct {
	counts [(64 - fine + 1) << fine]uint32
	n      uint64
	sum    time.Duration
	most   time.Duration
}

// Add counts d; below zero counts as zero.
func (h *Histogram) Add(d time.Duration) {
	d = max(d, 0)
	h.counts[bucket(uint64(d))]++
	h.n++
	h.sum += d
	h.most = max(h.most, d)
}

// Len returns how many durations were added.
func (h *Histogram) Len() uint64 { return h.n }

// Sum returns all of them added up.
func (h *Histogram) Sum() time.Duration { return h.sum }

// Max returns the longest.
func (h *Histogram) Max() time.Duration { return h.most }

// Mean returns the average, zero when there is none.
func (h *Histogram) Mean() time.Duration {
	return h.sum / time.Duration(max(h.n, 1))
}

// Quantile returns the duration that the part q of all durations, from 0 to 1,
// do not exceed. It is exact for 0 and 1 and within 3 % in between.
func (h *Histogram) Quantile(q float64) time.Duration {
	rank := uint64(q * float64(h.n))
	for i, c := range h.counts {
		if uint64(c) > rank {
			return min(time.Duration(upper(i)), h.most)
		}
		rank -= uint64(c)
	}
	return h.most
}

// bucket returns the bucket of v: v itself while it is small, then its highest
// bit and the fine bits below.
func bucket(v uint64) int {
	if v < 1<<fine {
		return int(v)
	}
	shift := bits.Len64(v) - 1 - fine
	return shift<<fine + int(v>>shift)
}

// upper returns the largest value of bucket i.
func upper(i int) uint64 {
	if i < 2<<fine {
		return uint64(i)
	}
	shift := i>>fine - 1
	return (uint64(i-shift<<fine)+1)<<shift - 1
}
