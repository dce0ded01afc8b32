package record_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
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

// fails makes keyframes that cannot be finished, after some bytes of them.
type fails struct {
	saves.Keyframes
	written int
	at      map[uint64]bool // the ticks at which it fails
}

func (f fails) Save(h *scripting.Host, w io.Writer) error {
	if _, now := h.World().Time(); !f.at[now] {
		return f.Keyframes.Save(h, w)
	}
	if _, err := w.Write(make([]byte, f.written)); err != nil {
		return err
	}
	return errors.New("planned")
}

// TestKeyframesThatFail are left out, however much of them was written. The recording goes on, and so does a replay from
// those that there are.
func TestKeyframesThatFail(t *testing.T) {
	for _, written := range []int{0, 100, 5 << 20} {
		g := newGame(t, setting{workers: 1})
		g.load(planted)
		var file bytes.Buffer
		keys := fails{written: written, at: map[uint64]bool{0: true, 20: true, 40: true}}
		rec, err := g.s.Record(&file, record.Options{Keyframes: keys, Every: 10})
		must(t, err)
		for tick := range uint64(45) {
			g.inputs(1, tick)
			must(t, g.s.Step(0.1))
			if missed := rec.Missed() != nil; rec.Err() != nil || missed != (tick+1 >= 20 && tick+1 < 30 || tick+1 >= 40) {
				t.Fatalf("tick %d: %v, %v", tick+1, rec.Err(), rec.Missed())
			}
		}
		if !strings.Contains(rec.Missed().Error(), "no keyframe of tick 40: planned") {
			t.Error(rec.Missed())
		}
		must(t, rec.Close())
		for at, first := range map[uint64]uint64{0: 0, 25: 10, 45: 30} {
			again := newGame(t, setting{workers: 1})
			p, err := open(t, file.Bytes()).Play(again.s, record.PlayOptions{Keyframes: keys, At: at})
			must(t, err)
			if p.Tick() != first {
				t.Fatalf("at %d: tick %d, want %d", at, p.Tick(), first)
			}
			if d, err := p.Bisect(t.Context(), 0); d != nil || err != nil || again.world.Checksum() != g.world.Checksum() {
				t.Errorf("at %d: %v %v", at, d, err)
			}
		}
	}
	g := newGame(t, setting{workers: 1})
	must(t, g.s.Step(0.1))
	if _, err := g.s.Record(io.Discard, record.Options{Keyframes: fails{at: map[uint64]bool{1: true}}}); err == nil || !strings.Contains(err.Error(), "planned") {
		t.Errorf("a recording without the keyframe that it begins with: %v", err)
	}
}
