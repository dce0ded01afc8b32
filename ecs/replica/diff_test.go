package replica_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/replica"
)

// TestDifferences: a difference makes the part of what it was, whatever the two are.
func TestDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		from := make([]byte, r.IntN(50))
		for i := range from {
			from[i] = byte(r.IntN(256))
		}
		part := make([]byte, r.IntN(50))
		copy(part, from)
		for range r.IntN(4) {
			if len(part) > 0 {
				part[r.IntN(len(part))]++
			}
		}
		got, ok := replica.Patch(from, len(part), replica.Difference(from, part))
		if !ok || !bytes.Equal(got, part) {
			t.Fatalf("%x becomes %x, want %x (%v)", from, got, part, ok)
		}
	}
}

// TestDifferencesAreSmall: they have the words that differ, and single ones between those.
func TestDifferencesAreSmall(t *testing.T) {
	for n := range 20 {
		from := make([]byte, n)
		if d := replica.Difference(from, from); len(d) > 0 {
			t.Errorf("%d bytes that are the same: %x", n, d)
		}
		if got, want := replica.Difference(from, append(bytes.Clone(from), 1, 2)), []byte{byte(n), 2, 1, 2}; !bytes.Equal(got, want) {
			t.Errorf("%d bytes, and two more: %x, want %x", n, got, want)
		}
		for i := range n {
			part := bytes.Clone(from)
			part[i] = 1
			begin := i / 4 * 4
			end := min(begin+4, n)
			want := append([]byte{byte(begin), byte(end - begin)}, part[begin:end]...)
			if got := replica.Difference(from, part); !bytes.Equal(got, want) {
				t.Errorf("byte %d of %d has changed: %x, want %x", i, n, got, want)
			}
		}
	}
	from, part := make([]byte, 40), make([]byte, 40)
	part[5], part[13], part[33] = 1, 1, 1
	want := slices.Concat([]byte{4, 12}, part[4:16], []byte{16, 4}, part[32:36])
	if got := replica.Difference(from, part); !bytes.Equal(got, want) {
		t.Errorf("three words: %x, want %x", got, want)
	}
}
