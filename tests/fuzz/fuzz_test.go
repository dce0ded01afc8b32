package fuzz

import (
	"math/rand/v2"
	"testing"
)

// seed gives a fuzzer programs of some length to begin with.
func seed(f *testing.F, n uint64) {
	for i := range uint64(12) {
		r := rand.New(rand.NewPCG(n, i))
		data := make([]byte, 40+i*40)
		for k := range data {
			data[k] = byte(r.Uint32())
		}
		f.Add(data)
	}
}

func fuzzPart(f *testing.F, focus int) {
	seed(f, uint64(focus))
	f.Fuzz(func(t *testing.T, data []byte) { judge(t, data, focus) })
}

// FuzzStage replaces programs of all sorts by others while they run. Each fuzzer
// is called by name:
//
//	go test ./tests/fuzz -fuzz FuzzStage -parallel 1 -fuzzminimizetime 0x -fuzztime 10m
func FuzzStage(f *testing.F) { fuzzPart(f, anything) }

// FuzzPrefabs prefers prefabs, families and what is spawned of them.
func FuzzPrefabs(f *testing.F) { fuzzPart(f, prefabs) }

// FuzzTimers prefers timers and their data.
func FuzzTimers(f *testing.F) { fuzzPart(f, timers) }

// FuzzEvents prefers events and those who read them.
func FuzzEvents(f *testing.F) { fuzzPart(f, events) }

// FuzzLogs prefers what scripts say, and how they fail.
func FuzzLogs(f *testing.F) { fuzzPart(f, logs) }

// FuzzCheck changes the text of programs: pieces are cut, doubled and swapped, so
// that what is wrong is found at load, or is not wrong after all.
func FuzzCheck(f *testing.F) {
	seed(f, loads)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 8 || len(data) > 2000 {
			return
		}
		first := program(data[8:], loads)
		play(t, mangle(first, data[:8]), first)
		if t.Failed() {
			t.Fatal(mangle(first, data[:8]))
		}
	})
}

// mangle cuts a piece out of a text, doubles another and swaps two.
func mangle(text string, by []byte) string {
	at := func(i int) int { return (int(by[i])*256 + int(by[i+1])) % (len(text) + 1) }
	a, b := min(at(0), at(2)), max(at(0), at(2))
	b = min(b, a+200)
	piece := text[a:b]
	switch by[4] % 4 {
	case 0:
		text = text[:a] + text[b:]
	case 1:
		n := int(by[5])
		for ; n > 0 && len(text) < 100_000; n-- {
			text = text[:a] + piece + text[a:]
		}
	case 2:
		c := (int(by[6])*256 + int(by[7])) % (len(text) + 1)
		text = text[:c] + piece + text[c:]
	default:
		text = text[:a] + string(by[5:8]) + text[b:]
	}
	return text
}
