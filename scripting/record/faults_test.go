package record_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/record"
)

// disk is a file that fails at a write, of which a part is written, or at a sync.
type disk struct {
	bytes.Buffer
	writes, failing int
	syncs           error
}

var errFull = errors.New("no space left")

func (d *disk) Write(p []byte) (int, error) {
	if d.writes++; d.writes == d.failing {
		n, _ := d.Buffer.Write(p[:len(p)/2])
		return n, errFull
	}
	return d.Buffer.Write(p)
}

func (d *disk) Sync() error { return d.syncs }

const counting = `local ecs = require "ecs" local P = ecs.native("Place")
ecs.on_start(function() ecs.spawn(P) end) ecs.system "a" { query = { P }, each = function(e, p) p.x = p.x + 1 end }`

// TestFullDisk: at whatever write a disk is full, the game goes on, Err says it, and the ticks before
// are good.
func TestFullDisk(t *testing.T) {
	for failing := 2; failing <= 9; failing++ {
		g := newGame(t, setting{workers: 1, noKernels: true})
		g.load(counting)
		d := &disk{failing: failing}
		rec, err := g.s.Record(d, record.Options{})
		must(t, err)
		for tick := 1; tick <= 8; tick++ {
			must(t, g.s.Step(0.1))
			if failed := rec.Err() != nil; failed != (tick >= failing-1) || failed && !errors.Is(rec.Err(), errFull) {
				t.Fatalf("write %d fails: after tick %d: %v", failing, tick, rec.Err())
			}
		}
		if err := rec.Close(); failing <= 9 && !errors.Is(err, errFull) && failing != 10 {
			t.Errorf("write %d fails: Close: %v", failing, err)
		}
		if ticks, err := readAll(t, d.Bytes()); err == nil || int(ticks) != failing-2 {
			t.Errorf("write %d fails: %d ticks, %v", failing, ticks, err)
		}
	}
	g := newGame(t, setting{workers: 1})
	if _, err := g.s.Record(&disk{failing: 1}, record.Options{}); !errors.Is(err, errFull) {
		t.Error(err)
	}
	d := &disk{syncs: errFull}
	rec, err := g.s.Record(d, record.Options{})
	must(t, err)
	must(t, g.s.Step(0.1))
	if err := rec.Close(); !errors.Is(err, errFull) {
		t.Error(err)
	}
}

// TestCutStepEndsARecording, which is good up to the tick before; a rollback begins anew.
func TestCutStepEndsARecording(t *testing.T) {
	g := newGame(t, setting{workers: 1, noKernels: true})
	g.load(counting)
	ctx, cancel := context.WithCancel(context.Background())
	must(t, g.world.Schedule().Add(ecs.System{Name: "zz", Phase: ecs.Render, Run: func(tick *ecs.Tick) error {
		if tick.N == 4 {
			cancel()
		}
		return nil
	}}, ecs.System{Name: "zzz", Phase: ecs.Audio, Run: func(*ecs.Tick) error { return nil }}))
	var file bytes.Buffer
	rec, err := g.s.Record(&file, record.Options{})
	must(t, err)
	back, err := g.s.Rollback(snapshot.RingOptions{})
	must(t, err)
	for range 3 {
		must(t, g.s.StepContext(ctx, 0.1))
	}
	if err := g.s.StepContext(ctx, 0.1); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := rec.Close(); err == nil || !strings.Contains(err.Error(), "tick 4 was cut short") {
		t.Error(err)
	}
	if ticks, err := readAll(t, file.Bytes()); ticks != 3 || err == nil {
		t.Errorf("%d ticks, %v", ticks, err)
	}
	if err := back.Rewind(3); !errors.Is(err, snapshot.ErrNotKept) {
		t.Error(err)
	}
	must(t, g.s.Step(0.1))
	must(t, g.s.Step(0.1))
	must(t, back.Rewind(5))
}

// keep keeps hosts in memory: a keyframe is the number of one.
type keep struct{ all []*scripting.Snapshot }

func (k *keep) Save(h *scripting.Host, w io.Writer) error {
	s, err := h.Capture()
	if err == nil {
		k.all = append(k.all, s)
		_, err = fmt.Fprintf(w, "%d %s", len(k.all)-1, strings.Repeat("x", 3<<20))
	}
	return err
}

func (k *keep) Load(h *scripting.Host, r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	var n int
	if _, err := fmt.Sscan(string(text[:10]), &n); err != nil || len(text) < 3<<20 {
		return fmt.Errorf("%d bytes, %v", len(text), err)
	}
	_, err = h.Restore(k.all[n])
	return err
}

// TestKeyframes: a recording can begin in the middle of a game, and a replay at a keyframe, with the
// scripts that were in force then. A difference after it is named all the same.
func TestKeyframes(t *testing.T) {
	g, k := newGame(t, setting{workers: 1}), &keep{}
	g.load(planted)
	for range 5 {
		must(t, g.s.Step(0.1))
	}
	var file bytes.Buffer
	if _, err := g.s.Record(&file, record.Options{}); !errors.Is(err, ecs.ErrConflict) {
		t.Fatal(err)
	}
	rec, err := g.s.Record(&file, record.Options{Keyframes: k, Every: 20})
	must(t, err)
	for tick := range uint64(70) {
		if tick == 30 {
			g.save("a.lua", planted+"ecs.system \"more\" { query = { Health }, each = function(e, h) h.armor = h.armor + 0 end }")
		}
		g.inputs(1, tick)
		must(t, g.s.Step(0.1))
	}
	must(t, rec.Close())
	r := open(t, file.Bytes())
	if start, last := r.Range(); start != 5 || last != 75 {
		t.Fatal(start, last)
	}
	for at, first := range map[uint64]uint64{0: 5, 24: 5, 25: 25, 44: 25, 50: 45, 99: 65} {
		for _, wrong := range []bool{false, true} {
			again := newGame(t, setting{workers: 1})
			if wrong {
				again.roll = func() float64 { return 2 }
			}
			p, err := r.Play(again.s, record.PlayOptions{Keyframes: k, At: at})
			must(t, err)
			if p.Tick() != first {
				t.Fatalf("at %d: tick %d, want %d", at, p.Tick(), first)
			}
			d, err := p.Bisect(t.Context(), 0)
			switch {
			case err != nil:
				t.Fatal(err)
			case !wrong && (d != nil || again.world.Checksum() != g.world.Checksum()):
				t.Errorf("at %d: %v", at, d)
			case wrong && (d == nil || d.Component != "Health" || d.Field != "hp" || d.System != "hurts"):
				t.Errorf("at %d: %v", at, d)
			}
		}
	}
	again := newGame(t, setting{workers: 1})
	if _, err := r.Play(again.s, record.PlayOptions{}); !errors.Is(err, record.ErrDiffers) {
		t.Error(err)
	}
}

// TestSparseRecordings take some bytes for each tick, and name the first that differs.
func TestSparseRecordings(t *testing.T) {
	g := newGame(t, setting{workers: 1})
	g.load(planted)
	var file bytes.Buffer
	rec, err := g.s.Record(&file, record.Options{Sparse: true})
	must(t, err)
	before := file.Len()
	for range 100 {
		must(t, g.s.Step(0.1))
	}
	if n := (file.Len() - before) / 100; n > 70 { // with the resource
		t.Errorf("%d bytes a tick", n)
	}
	must(t, rec.Close())
	again := newGame(t, setting{workers: 4})
	again.roll = func() float64 {
		if _, now := again.world.Time(); now >= 50 {
			return 9
		}
		return 1
	}
	p, err := open(t, file.Bytes()).Play(again.s, record.PlayOptions{})
	must(t, err)
	d, err := p.Bisect(t.Context(), 0)
	must(t, err)
	if d == nil || d.Tick != 50 || d.Component != "" || len(d.Components) > 0 || d.String() != "tick 50 differs" {
		t.Errorf("%v", d)
	}
}

// TestNothingIsNoGame: nil and zero values return errors or nothing.
func TestNothingIsNoGame(t *testing.T) {
	if _, err := record.New(nil); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
	if _, err := record.Open(nil, 5); !errors.Is(err, record.ErrDamaged) {
		t.Error(err)
	}
	for _, s := range []*record.Session{nil, {}} {
		_, err := record.Command(s, "x", func(*ecs.Tick, uint64, bool) error { return nil })
		_, back := s.Rollback(snapshot.RingOptions{})
		_, rec := s.Record(io.Discard, record.Options{})
		for i, err := range []error{err, back, rec, s.Step(1), s.StepContext(t.Context(), 1), record.Resource(s, "r", new(float64))} {
			if !errors.Is(err, scripting.ErrClosed) {
				t.Errorf("%d: %v", i, err)
			}
		}
		must(t, s.Close())
		_ = s.Host()
	}
	for _, b := range []*record.Rollback{nil, {}} {
		b.Close()
		if b.Bytes() != 0 || !errors.Is(b.Rewind(0), snapshot.ErrNotKept) || !errors.Is(b.Forward(0), snapshot.ErrNotKept) {
			t.Error("a rollback of nothing")
		}
	}
	for _, p := range []*record.Player{nil, {}} {
		_, err := p.Step()
		_, bisect := p.Bisect(t.Context(), 0)
		if err == nil || bisect == nil || p.Skip() == nil || p.Err() != nil || p.Tick() != 0 {
			t.Error("a player of nothing")
		}
	}
	var r *record.Recording
	if _, err := r.Play(nil, record.PlayOptions{}); err == nil || r.Damage() != nil || r.Header().Seed != 0 || r.Folder() == nil {
		t.Error("a recording of nothing")
	}
	var rec *record.Recorder
	must(t, rec.Close())
	must(t, rec.Err())
	if d := (*record.Divergence)(nil); d.String() != "no difference" {
		t.Error(d)
	}
	g := newGame(t, setting{workers: 1})
	for name, err := range map[string]error{
		"the name is taken": record.Resource(g.s, "wind", g.wind),
		"the value is nil":  record.Resource[float64](g.s, "x", nil),
		"needs a name":      record.Resource(g.s, "", new(float64)),
		"have no codec":     record.Resource(g.s, "y", new(map[string]int)),
		"int have no codec": record.Resource(g.s, "z", new(int)),
		"which is not nil":  record.Resource(g.s, "v", new(int8), record.Codec[int8](nil)),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
}
