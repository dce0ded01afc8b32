package detmath_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/detmath"
	"github.com/perigee-ecs/perigee/internal/golden"
)

// TestBits holds the bits of results to the file in testdata. Run on another machine, it
// shows that the bits are the same there:
//
//	GOARCH=arm64 go test -exec qemu-aarch64-static ./ecs/detmath -run Bits
//
// The file changes when a formula does, and with it the checksum of every game: a change to
// tell of.
func TestBits(t *testing.T) {
	const count = 100_000
	two := maps.Clone(ofTwo)
	two["Mod"], two["Modulo"] = detmath.Mod, detmath.Modulo
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(ofOne)) {
		h, random := fnv.New64a(), rand.New(rand.NewPCG(1, 3))
		for i := range count {
			_ = binary.Write(h, binary.LittleEndian, visible(ofOne[name](argumentOf(random, i))))
		}
		fmt.Fprintf(&b, "%-7s %016x\n", name, h.Sum64())
	}
	for _, name := range slices.Sorted(maps.Keys(two)) {
		h, random := fnv.New64a(), rand.New(rand.NewPCG(1, 4))
		for i := range count {
			_ = binary.Write(h, binary.LittleEndian, visible(two[name](argumentOf(random, i), argumentOf(random, i/8))))
		}
		fmt.Fprintf(&b, "%-7s %016x\n", name, h.Sum64())
	}
	golden.Expect(t, "testdata/bits.txt", b.String())
}

// visible returns the bits of a result; all that are not-a-number are one.
func visible(v float64) uint64 {
	if v != v {
		v = math.NaN()
	}
	return math.Float64bits(v)
}

// TestSincosIsSinAndCos holds that sharing a reduction changes nothing.
func TestSincosIsSinAndCos(t *testing.T) {
	random := rand.New(rand.NewPCG(*seed, 5))
	for i := range 20_000 {
		x := argumentOf(random, i)
		s, c := detmath.Sincos(x)
		if visible(s) != visible(detmath.Sin(x)) || visible(c) != visible(detmath.Cos(x)) {
			t.Fatalf("seed %d: Sincos(%g) is %g, %g", *seed, x, s, c)
		}
	}
}
