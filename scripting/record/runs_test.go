package record_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/scripting/record"
	"github.com/perigee-ecs/perigee/scripting/saves"
)

// counted is the planted game with a counter that no snapshot has.
const counted = planted + `
local n = 0
local state = ecs.state("season", { n = 0 })
ecs.system "zcounts" { run = function() n = n + 1 state.n = n end }
`

// TestBisectOfGamesThatKeepLocals: nothing can go back to what a local of a file was. The tick that differs is found all
// the same, and the Divergence says that nobody has seen who has written the value.
func TestBisectOfGamesThatKeepLocals(t *testing.T) {
	const from = 61
	g := newGame(t, setting{workers: 1})
	g.load(counted)
	var file bytes.Buffer
	rec, err := g.s.Record(&file, record.Options{Keyframes: saves.Keyframes{}, Every: 20})
	must(t, err)
	for range 120 {
		must(t, g.s.Step(1.0/64))
	}
	must(t, rec.Close())

	again := newGame(t, setting{workers: 1})
	again.roll = func() float64 {
		if _, now := again.world.Time(); now >= from {
			return 3
		}
		return 1
	}
	p, err := open(t, file.Bytes()).Play(again.s, record.PlayOptions{})
	must(t, err)
	d, err := p.Bisect(t.Context(), 0)
	must(t, err)
	if d == nil || d.Tick != from || !d.Once || d.Component != "Health" || d.Field != "hp" || len(d.Writers) > 0 || d.Scripts || d.Keyframe != 0 || !strings.Contains(d.String(), "beside ecs.state") {
		t.Errorf("%v", d)
	}

	// From a keyframe on, what differs is the counter, and the Divergence says why that may be.
	again = newGame(t, setting{workers: 1})
	p, err = open(t, file.Bytes()).Play(again.s, record.PlayOptions{Keyframes: saves.Keyframes{}, At: 45})
	must(t, err)
	d, err = p.Bisect(t.Context(), 0)
	must(t, err)
	if d == nil || d.Tick != 41 || !d.Scripts || d.Keyframe != 40 || !strings.Contains(d.String(), "replay from the beginning") {
		t.Errorf("%v", d)
	}
}

// TestALoadEndsARecording: a save that is loaded beside the session is another run. What was recorded before stays
// whole, and the recorder says why there is no more.
func TestALoadEndsARecording(t *testing.T) {
	g := newGame(t, setting{workers: 1})
	g.load(planted)
	var file, kept bytes.Buffer
	rec, err := g.s.Record(&file, record.Options{Keyframes: saves.Keyframes{}, Every: 50})
	must(t, err)
	for tick := range 30 {
		if tick == 10 {
			must(t, saves.Keyframes{}.Save(g.host, &kept))
		}
		must(t, g.s.Step(0.1))
	}
	must(t, saves.Keyframes{}.Load(g.host, &kept))
	must(t, g.s.Step(0.1))
	if err := rec.Err(); err == nil || !strings.Contains(err.Error(), "has ended with tick 30") || !strings.Contains(err.Error(), "a save was loaded") {
		t.Error(err)
	}
	if err := rec.Close(); err == nil {
		t.Error("Close has not said it")
	}
	r := open(t, file.Bytes())
	if from, to := r.Range(); r.Damage() != nil || from != 0 || to != 30 {
		t.Errorf("from %d to %d: %v", from, to, r.Damage())
	}
	rec, err = g.s.Record(&file, record.Options{Keyframes: saves.Keyframes{}})
	must(t, err)
	must(t, g.s.Step(0.1))
	must(t, rec.Close())
}

// TestReplayWithOtherScripts: from which tick on other scripts make another game, and in what. A comment makes none.
func TestReplayWithOtherScripts(t *testing.T) {
	g := newGame(t, setting{workers: 1})
	g.load(planted)
	var file bytes.Buffer
	rec, err := g.s.Record(&file, record.Options{})
	must(t, err)
	for tick := range 60 {
		if tick == 20 {
			g.save("a.lua", planted+"-- saved while it was recorded")
		}
		must(t, g.s.Step(1.0/64))
	}
	must(t, rec.Close())
	for _, of := range []struct {
		old, new string
		want     uint64
		system   string
	}{
		{"-- nothing", "-- nothing", 0, ""},
		{"h.hp - host.roll()", "h.hp - host.roll() - (ctx.tick > 33 and 1 or 0)", 34, "hurts"},
		{"p.x = p.x + 1", "p.x = p.x + 2", 1, "aaa.moves"},
	} {
		again := newGame(t, setting{workers: 1})
		text := strings.Replace(planted, of.old, of.new, 1) + "-- a comment"
		p, err := open(t, file.Bytes()).Play(again.s, record.PlayOptions{Scripts: fstest.MapFS{"a.lua": {Data: []byte(text)}}})
		must(t, err)
		d, err := p.Bisect(t.Context(), 0)
		must(t, err)
		switch {
		case of.want == 0 && d != nil:
			t.Errorf("%s: %v", of.new, d)
		case of.want > 0 && (d == nil || d.Tick != of.want || d.System != of.system || d.Scripts || d.Once):
			t.Errorf("%s: %v", of.new, d)
		}
	}
}
