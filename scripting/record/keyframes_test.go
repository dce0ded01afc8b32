package record_test

import (
	"bytes"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/record"
	"github.com/perigee-ecs/perigee/scripting/saves"
)

// TestSavesAreKeyframes: a recording that begins in the middle of a game, with a save, is run again
// by a program that has not played the beginning.
func TestSavesAreKeyframes(t *testing.T) {
	g := newGame(t, setting{workers: 1})
	g.load(planted)
	for range 5 {
		must(t, g.s.Step(0.1))
	}
	var file bytes.Buffer
	rec, err := g.s.Record(&file, record.Options{Keyframes: saves.Keyframes{}, Every: 20})
	must(t, err)
	for tick := range uint64(70) {
		g.inputs(1, tick)
		must(t, g.s.Step(0.1))
	}
	must(t, rec.Close())
	for at, first := range map[uint64]uint64{0: 5, 50: 45} {
		again := newGame(t, setting{workers: 4, noKernels: true})
		p, err := open(t, file.Bytes()).Play(again.s, record.PlayOptions{Keyframes: saves.Keyframes{}, At: at})
		must(t, err)
		if p.Tick() != first {
			t.Fatalf("at %d: tick %d, want %d", at, p.Tick(), first)
		}
		if d, err := p.Bisect(t.Context(), 0); d != nil || err != nil || again.world.Checksum() != g.world.Checksum() {
			t.Errorf("at %d: %v %v", at, d, err)
		}
	}
}
