package fuzz

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestGrammar demands that programs are worth playing: most of them load, and of
// what can happen, all kinds do.
func TestGrammar(t *testing.T) {
	const programs = 240
	loaded := 0
	var all strings.Builder
	for i := range uint64(programs) {
		r := rand.New(rand.NewPCG(i, 99))
		data := make([]byte, 300)
		for k := range data {
			data[k] = byte(r.Uint32())
		}
		w := play(t, program(data[:150], int(i%6)), program(data[150:], int(i%6)))
		text := strings.Join(w.faults, "\n") + strings.Join(w.lines, "\n")
		if !strings.Contains(text, "problem") {
			loaded++
		}
		all.WriteString(text)
	}
	t.Logf("%d of %d programs loaded", loaded, programs)
	if loaded < programs/3 {
		t.Errorf("only %d of %d programs loaded", loaded, programs)
	}
	for _, found := range []string{"reload ok", "reload refused", "Limits.Instructions", "Limits.Depth", "Limits.Timers", "Limits.Declared", "Limits.Spawned", "entity "} {
		if !strings.Contains(all.String(), found) {
			t.Errorf("no program came to %q", found)
		}
	}
}
