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
	"github.com/perigee-ecs/perigee/scripting/record"
)

// idle has one Place, which inputs move.
const idle = `local ecs = require "ecs" local P = ecs.native("Place") ecs.on_start(function() ecs.spawn(P) end)`

// differs plays a recording in a new game, and returns the first difference.
func differs(t *testing.T, data []byte) *record.Divergence {
	t.Helper()
	p, err := open(t, data).Play(newGame(t, setting{workers: 1, seed: 5}).s, record.PlayOptions{})
	must(t, err)
	for {
		d, err := p.Step()
		if errors.Is(err, record.ErrEnd) || d != nil {
			return d
		}
		must(t, err)
	}
}

// TestRefusedStepsHaveNotBeen: the inputs of a step that is refused wait for the next one, in a recording and in a rollback.
func TestRefusedStepsHaveNotBeen(t *testing.T) {
	ended, end := context.WithCancel(context.Background())
	end()
	for what, refused := range map[string]func(s *record.Session) error{
		"a context that has ended": func(s *record.Session) error { return s.StepContext(ended, 0.02) },
		"a negative time":          func(s *record.Session) error { return s.Step(-1) },
	} {
		g := newGame(t, setting{workers: 1, seed: 5})
		g.load(idle)
		b, err := g.s.Rollback(snapshot.RingOptions{})
		must(t, err)
		var file bytes.Buffer
		rec, err := g.s.Record(&file, record.Options{})
		must(t, err)
		must(t, g.s.Step(0.02))
		must(t, g.move.Post(1, Move{DX: 7}))
		must(t, g.hit.Emit(1, Hit{3}))
		if refused(g.s) == nil {
			t.Fatal(what, "was not refused")
		}
		must(t, g.move.Post(1, Move{Jump: true}))
		must(t, g.s.Step(0.02))
		want := g.world.Checksum()
		must(t, b.Rewind(1))
		must(t, b.Forward(2))
		if g.world.Checksum() != want {
			t.Errorf("%s: tick 2 is another world when it is run again", what)
		}
		must(t, rec.Close())
		if d := differs(t, file.Bytes()); d != nil {
			t.Errorf("%s: the replay is another game: %v", what, d)
		}
	}
}

// TestStepsThatAreCutBeforeTheTick: a context that ends when the host has begun, and the world has not, ends the recording.
func TestStepsThatAreCutBeforeTheTick(t *testing.T) {
	g := newGame(t, setting{workers: 1, seed: 5})
	ctx, cancel := context.WithCancel(context.Background())
	g.roll = func() float64 { cancel(); return 1 }
	g.load(`require("ecs").on_start(function() require("host").roll() end)`)
	var file bytes.Buffer
	rec, err := g.s.Record(&file, record.Options{})
	must(t, err)
	if err := g.s.StepContext(ctx, 0.02); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, tick := g.world.Time(); tick != 0 || rec.Err() == nil {
		t.Errorf("tick %d: %v", tick, rec.Err())
	}
}

// order is what its codec cannot write if it is 13 or 17.
type order struct{ N int }

type orderCodec struct{}

func (orderCodec) Append(to []byte, v order) ([]byte, error) {
	switch v.N {
	case 13:
		return nil, errors.New("13 cannot be written")
	case 17:
		panic("17 cannot be written, either")
	}
	return append(to, byte(v.N)), nil
}

func (orderCodec) Read(data []byte) (order, error) { return order{int(data[0])}, nil }

// TestInputsThatCannotBeWritten: the game goes on with all inputs of the tick. Recorder.Err says why the recording has
// ended; a rollback begins anew, and Step says why.
func TestInputsThatCannotBeWritten(t *testing.T) {
	for i, rewinds := range []bool{false, true, false, true} {
		bad := []int{13, 17}[i/2]
		g := newGame(t, setting{workers: 1, seed: 5})
		sum := 0
		in, err := record.Command(g.s, "order", func(_ *ecs.Tick, _ uint64, v order) error { sum += v.N; return nil }, record.Codec[order](orderCodec{}))
		must(t, err)
		g.load(idle)
		var b *record.Rollback
		if rewinds {
			b, err = g.s.Rollback(snapshot.RingOptions{})
			must(t, err)
		}
		var file bytes.Buffer
		rec, err := g.s.Record(&file, record.Options{})
		must(t, err)
		must(t, g.s.Step(0.02))
		must(t, in.Post(1, order{bad}))
		must(t, in.Post(2, order{100}))
		if err := g.s.Step(0.02); (err != nil) != rewinds {
			t.Error(err)
		}
		must(t, g.s.Step(0.02))
		if _, now := g.world.Time(); sum != 100+bad || now != 3 || rec.Err() == nil {
			t.Errorf("tick %d, want 3; orders done: %d, want %d; Recorder.Err: %v", now, sum, 100+bad, rec.Err())
		}
		if oldest, newest := b.Range(); rewinds && (oldest != 2 || newest != 3) {
			t.Error(oldest, newest)
		}
	}
}

// TestAnotherGameOfTheSameTick: a game that is restored beside a session ends the recording, and has a rollback begin anew, also
// when it is in the tick that was made last.
func TestAnotherGameOfTheSameTick(t *testing.T) {
	played := func(x float64) *game {
		g := newGame(t, setting{workers: 1, seed: 5})
		g.load(idle)
		must(t, g.move.Post(1, Move{DX: x}))
		return g
	}
	other := played(1000)
	for range 5 {
		must(t, other.s.Step(0.02))
	}
	kept, err := other.host.Capture()
	must(t, err)
	g := played(1)
	b, err := g.s.Rollback(snapshot.RingOptions{})
	must(t, err)
	rec, err := g.s.Record(io.Discard, record.Options{})
	must(t, err)
	for range 5 {
		must(t, g.s.Step(0.02))
	}
	must(t, b.Look(3))
	must(t, b.Return())
	must(t, b.Rewind(4))
	must(t, b.Forward(5))
	must(t, g.s.Step(0.02))
	must(t, b.Rewind(5))
	must(t, rec.Err())
	_, err = g.host.Restore(kept)
	must(t, err)
	for _, err := range []error{b.Forward(6), b.Look(5)} {
		if !errors.Is(err, snapshot.ErrNotKept) {
			t.Error(err)
		}
	}
	must(t, g.s.Step(0.02))
	if oldest, newest := b.Range(); rec.Err() == nil || oldest != 6 || newest != 6 {
		t.Errorf("ticks %d to %d can be run again; %v", oldest, newest, rec.Err())
	}
	must(t, b.Rewind(6))
}

// rolls has two entities, of which a function of the host changes one.
const rolls = `local ecs, host = require "ecs", require "host" local P = ecs.native("Place")
local Other = ecs.component("Other", { v = ecs.f64(0) })
ecs.on_start(function() ecs.spawn(P) ecs.spawn(Other) end)
ecs.system "rolls" { query = { Other }, each = function(e, o) o.v = host.roll() end }`

// accused plays a recording, in which the host rolls another number from a tick on, and returns what differs.
func accused(t *testing.T, data []byte, from uint64, prepare func(g *game)) *record.Divergence {
	t.Helper()
	g := newGame(t, setting{workers: 1, seed: 5})
	prepare(g)
	p, err := open(t, data).Play(g.s, record.PlayOptions{})
	must(t, err)
	for {
		if p.Tick()+1 == from {
			g.roll = func() float64 { return 2 }
		}
		if d, err := p.Step(); err != nil || d != nil {
			must(t, err)
			return d
		}
	}
}

// TestDigestsAfterARewind: a divergence after a rewind names what differs, and nothing else.
func TestDigestsAfterARewind(t *testing.T) {
	g := newGame(t, setting{workers: 1, seed: 5})
	g.load(rolls)
	b, err := g.s.Rollback(snapshot.RingOptions{})
	must(t, err)
	var file bytes.Buffer
	rec, err := g.s.Record(&file, record.Options{})
	must(t, err)
	for range 5 {
		must(t, g.s.Step(0.02))
	}
	must(t, g.move.Post(1, Move{DX: 7}))
	must(t, g.s.Step(0.02))
	must(t, b.Rewind(5))
	must(t, b.Forward(6)) // as before
	must(t, g.s.Step(0.02))
	must(t, rec.Close())
	if d := accused(t, file.Bytes(), 7, func(*game) {}); d.Tick != 7 || fmt.Sprint(d.Components) != "[Other]" {
		t.Errorf("only Other differs: %v", d)
	}
}

// TestDigestsOfWhatTheProgramFilled: a divergence does not name what the program has filled before the first tick and nothing has changed.
func TestDigestsOfWhatTheProgramFilled(t *testing.T) {
	fill := func(g *game) {
		places := ecs.Register[place](g.world, ecs.Named("Place"))
		g.world.Spawn(places.With(place{1, 2}))
	}
	g := newGame(t, setting{workers: 1, seed: 5})
	fill(g)
	g.load(strings.Replace(rolls, "ecs.spawn(P) ", "", 1))
	var file bytes.Buffer
	rec, err := g.s.Record(&file, record.Options{})
	must(t, err)
	for range 3 {
		must(t, g.s.Step(0.02))
	}
	must(t, rec.Close())
	if d := accused(t, file.Bytes(), 3, fill); d.Tick != 3 || fmt.Sprint(d.Components) != "[Other]" {
		t.Errorf("only Other differs: %v", d)
	}
}
