package record_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/record"
)

var (
	games = flag.Int("record.games", 16, "how many random games are recorded and run again")
	seed0 = flag.Uint64("record.seed", 0, "seed of the random games; 0: another one each time")
)

// Move is what a player orders.
type Move struct {
	DX, DY float64
	Jump   bool
}

// Wind is a resource that the host writes.
type Wind struct{ X float64 }

// Hit is an event of the host.
type Hit struct{ N float64 }

// place is shared with scripts.
type place struct{ X, Y float64 }

// game is a host with declared inputs.
type game struct {
	t     testing.TB
	world *ecs.World
	host  *scripting.Host
	s     *record.Session
	move  *record.CommandInput[Move]
	hit   *record.EventInput[Hit]
	wind  *Wind
	files fstest.MapFS
	roll  func() float64 // host.roll
}

// setting is how a game is opened.
type setting struct {
	workers   int
	noKernels bool
	seed      uint64
	held      int64 // Limits.Held
}

func newGame(t testing.TB, o setting) *game {
	t.Helper()
	w, err := ecs.Open(ecs.Options{Seed: o.seed, Tag: 9, Workers: o.workers, FixedStep: 0.02, MaxBytes: 16 << 20})
	must(t, err)
	t.Cleanup(func() { w.Close() })
	g := &game{t: t, world: w, wind: &Wind{}, files: fstest.MapFS{}, roll: func() float64 { return 1 }}
	ecs.Register[place](w, ecs.Named("Place"))
	ecs.Provide(w, g.wind)
	hits := ecs.RegisterEvent[Hit](w)
	g.host, err = scripting.New(w, scripting.Options{
		Logger: slog.New(slog.DiscardHandler), NoKernels: o.noKernels, OnError: func(*scripting.Error) {}, OnKernel: func(scripting.KernelStatus) {},
		Limits: scripting.Limits{Time: -1, Held: o.held}, OnReload: func(r scripting.Reload) {},
	})
	must(t, err)
	t.Cleanup(func() { g.host.Close() })
	must(t, g.host.Expose("roll", func() float64 { return g.roll() }))
	g.s, err = record.New(g.host)
	must(t, err)
	t.Cleanup(func() { g.s.Close() })
	places := ecs.Register[place](w, ecs.Named("Place"))
	all := w.Query(ecs.Write(places))
	g.move, err = record.Command(g.s, "move", func(t *ecs.Tick, from uint64, m Move) error {
		for c := range all.Chunks() {
			for i := range places.Mut(c) {
				places.Mut(c)[i].X += m.DX * float64(from)
			}
		}
		if m.Jump {
			t.Commands.Spawn(places.With(place{m.DX, m.DY + t.Random().Float64()}))
		}
		return nil
	})
	must(t, err)
	g.hit, err = record.Event(g.s, "hit", hits)
	must(t, err)
	must(t, record.Resource(g.s, "wind", g.wind))
	return g
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (g *game) load(text string) {
	g.t.Helper()
	g.files["a.lua"] = &fstest.MapFile{Data: []byte(text)}
	if err := g.host.Load(g.files); err != nil {
		g.t.Fatalf("%v\n%s", err, text)
	}
}

// inputs posts what players do before a tick, the same for a seed and a tick.
func (g *game) inputs(seed, tick uint64) {
	g.t.Helper()
	r := rand.New(rand.NewPCG(seed, tick))
	for range r.IntN(3) {
		must(g.t, g.move.Post(uint64(r.IntN(3)), Move{DX: r.NormFloat64(), DY: r.Float64(), Jump: r.IntN(5) == 0}))
	}
	if r.IntN(4) == 0 {
		must(g.t, g.hit.Emit(0, Hit{float64(r.IntN(9))}))
	}
	if r.IntN(3) == 0 {
		g.wind.X = r.NormFloat64()
	}
}

// parts are what random games are made of; %d is another number each time.
var parts = []string{
	`ecs.system "drift%d" { query = { Place }, each = function(e, p, ctx) p.x = p.x + p.y * ctx.dt p.y = p.y * 0.99 + %d end }`,
	`local Age%d = ecs.component("Age%d", { n = ecs.u16(0), f = ecs.f32(1) }, { sparse = true }) ecs.system "age%d" { run = function() local e = ecs.find { Place } if e then if ecs.random(3) == 1 then ecs.remove(e, Age%d) else ecs.add(e, Age%d { n = ecs.random(99) }) end end end }`,
	`ecs.system "count%d" { run = function() S.n = S.n + ecs.count { Place } S.list[#S.list %% 5 + 1] = S.n end }`,
	`ecs.system "spawn%d" { every = 0.1, run = function() if ecs.count { Place } < 80 then ecs.spawn(Place { x = ecs.random(9), y = math.random() }, Hot) end end }`,
	`ecs.system "kill%d" { every = 0.3, run = function() for e in ecs.entities { Place } do if ecs.random(5) == 1 then ecs.despawn(e) end end end }`,
	`ecs.system "fail%d" { query = { Place }, each = function(e, p) if p.x > %d and (e + S.n) %% 4 < 1 then error("row") end p.x = p.x + 0.5 end }`,
	`ecs.handler("late%d", function(d) d.n = d.n + 1 S.late = d.n end) ecs.on_start(function() ecs.every(0.07 + %d / 50, "late%d", { n = 0 }) end)`,
	`ecs.system "roll%d" { run = function() S.rolled = (S.rolled or 0) + host.roll() end }`,
	`ecs.on_despawn(function(e) S.gone = (S.gone or 0) + 1 end)`,
	`ecs.system "parent%d" { every = 0.2, run = function() local e = ecs.find { Place } if e then ecs.set_parent(ecs.spawn(Hot), e) end end }`,
	`local Name%d = ecs.component("Name%d", { n = ecs.i8(0), at = ecs.array and ecs.f32(2) or ecs.f32(1) }) ecs.system "name%d" { every = 0.3, run = function() local e = ecs.find { Place } if e then ecs.add(e, Name%d) end end }`,
	`local k%d = 0 ecs.on_save(function() return k%d end) ecs.on_load(function(v) k%d = v end) ecs.system "local%d" { run = function() k%d = k%d + ecs.random(4) S.k = k%d end }`,
	`ecs.system "fixed%d" { fixed = true, run = function(ctx) S.fixed = (S.fixed or 0) + ctx.dt end }`,
}

// text writes a random game.
func text(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 3))
	var b strings.Builder
	b.WriteString(`local ecs, host = require "ecs", require "host"
local Place = ecs.native("Place")
local Hot = ecs.tag("Hot")
local S = ecs.state("s", { n = 0, list = {} })
ecs.on_start(function() for i = 1, 9 do ecs.spawn(Place { x = i, y = -i }) end end)
`)
	saved := false
	for i := range 5 + r.IntN(7) {
		part := parts[r.IntN(len(parts))]
		if strings.Contains(part, "on_save") {
			if saved {
				continue
			}
			saved = true
		}
		b.WriteString(strings.NewReplacer("%d", fmt.Sprint(i+2), "%%", "%").Replace(part) + "\n")
	}
	return b.String()
}

// save gives a file another text, and stages it.
func (g *game) save(name, text string) {
	g.files[name] = &fstest.MapFile{Data: []byte(text)}
	g.host.Stage([]string{name}, nil)
}

func seeds(t *testing.T) uint64 {
	seed := *seed0
	if seed == 0 {
		seed = rand.Uint64() >> 1
	}
	t.Logf("-record.seed=%d", seed)
	return seed
}

// open opens a recording, which must be whole.
func open(t testing.TB, data []byte) *record.Recording {
	t.Helper()
	r, err := record.Open(bytes.NewReader(data), int64(len(data)))
	must(t, err)
	if d := r.Damage(); d != nil {
		t.Fatal(d)
	}
	return r
}

// TestReplaysAreTheRun: random games with inputs, and with reloads in the middle, are run again from
// their recordings by other numbers of workers, with kernels and without.
func TestReplaysAreTheRun(t *testing.T) {
	n, seed := *games, seeds(t)
	if testing.Short() {
		n = min(n, 4)
	}
	for i := range n {
		replayed(t, seed+uint64(i), setting{workers: []int{1, 4}[i%2], noKernels: i%4 < 2, seed: seed})
	}
}

func replayed(t *testing.T, seed uint64, o setting) {
	r := rand.New(rand.NewPCG(seed, 4))
	what := fmt.Sprintf("-record.seed=%d -record.games=1\n", seed)
	ticks := uint64(20 + r.IntN(40))
	g := newGame(t, o)
	g.load(text(seed))
	var file bytes.Buffer
	rec, err := g.s.Record(&file, record.Options{})
	must(t, err)
	var sums []uint64
	for tick := range ticks {
		if r.IntN(12) == 0 {
			g.save("a.lua", text(seed+1+tick%3))
		}
		if r.IntN(30) == 0 {
			g.save("b.lua", `local ecs = require "ecs" local d = ecs.data("t.json") ecs.system "b" { run = function() ecs.state("s").b = d.n end }`)
			g.save("t.json", fmt.Sprintf(`{ "n": %d }`, tick))
		}
		if r.IntN(30) == 0 {
			g.save("c.lua", "if")
		}
		g.inputs(seed, tick)
		must(t, g.s.Step([]float64{0.02, 1.0 / 60, 0.05}[r.IntN(3)]))
		sums = append(sums, g.world.Checksum())
	}
	must(t, rec.Close())

	o.workers, o.noKernels = 5-o.workers, !o.noKernels
	again := newGame(t, o)
	p, err := open(t, file.Bytes()).Play(again.s, record.PlayOptions{})
	if err != nil {
		t.Fatal(what, err)
	}
	for i, sum := range sums {
		d, err := p.Step()
		if d != nil || err != nil {
			t.Fatalf("%s%v %v\n%s", what, d, err, text(seed))
		}
		if got := again.world.Checksum(); got != sum {
			t.Fatalf("%stick %d: checksum %x, want %x", what, i+1, got, sum)
		}
	}
	if _, err := p.Step(); !errors.Is(err, record.ErrEnd) {
		t.Fatal(err)
	}
	t.Logf("%d ticks, %d bytes", ticks, file.Len())
}

const planted = `local ecs, host = require "ecs", require "host"
local Place = ecs.native("Place")
local Health = ecs.component("Health", { hp = ecs.i32(100), armor = ecs.f64(1) })
ecs.on_start(function() for i = 1, 40 do ecs.spawn(Place { x = i }, Health { armor = i }) end end)
ecs.system "aaa.moves" { query = { Place }, each = function(e, p) p.x = p.x + 1 end }
ecs.system "hurts" { phase = "physics", run = function(ctx)
  for e in ecs.entities { Health } do
    local h = ecs.get(e, Health)
    if h.armor == ctx.tick % 40 + 1 then ecs.set(e, Health { hp = h.hp - host.roll(), armor = h.armor }) end
  end
end }
ecs.system "spreads" { phase = "render", query = { Health, Place }, each = function(e, h, p) p.y = p.y + h.hp end }
`

// TestBisectNamesWhatIsPlanted: a function of the host returns another value in the replay. The first tick,
// the system, the entity and the field are found, however many values differ a system later.
func TestBisectNamesWhatIsPlanted(t *testing.T) {
	for _, from := range []uint64{1, 5, 61, 64, 65, 100} {
		g := newGame(t, setting{workers: 1})
		g.load(planted)
		var file bytes.Buffer
		rec, err := g.s.Record(&file, record.Options{})
		must(t, err)
		for tick := range uint64(120) {
			g.inputs(3, tick+1)
			must(t, g.s.Step(1.0/64))
		}
		must(t, rec.Close())

		again := newGame(t, setting{workers: 1, noKernels: true})
		again.roll = func() float64 {
			if _, now := again.world.Time(); now >= from { // within the tick
				return 3
			}
			return 1
		}
		p, err := open(t, file.Bytes()).Play(again.s, record.PlayOptions{})
		must(t, err)
		d, err := p.Bisect(t.Context(), 0)
		must(t, err)
		if d == nil {
			t.Fatalf("from %d: nothing differs", from)
		}
		writers := []string{"hurts"}
		if d.Tick == 1 { // on_start has made the entity
			writers = []string{"", "hurts"}
		}
		if d.Tick < from || d.System != writers[0] || !slices.Equal(d.Writers, writers) || d.Component != "Health" || d.Field != "hp" {
			t.Errorf("from %d: %v", from, d)
		}
		if d.Recorded == d.Replayed || !strings.Contains(d.String(), "Health.hp of entity") {
			t.Errorf("from %d: %v", from, d)
		}
	}
}

// TestReplayNamesWhatItEndsAlone: the replay has less memory than the recorded run had.
func TestReplayNamesWhatItEndsAlone(t *testing.T) {
	g := newGame(t, setting{workers: 1})
	g.load(`local ecs = require "ecs"
local Health = ecs.component("Health", { hp = ecs.f32(0) })
ecs.on_start(function() ecs.spawn(Health) end)
local kept = {}
ecs.system "keeps" { query = { Health }, each = function(e, health)
  kept[#kept + 1] = string.rep("x", 100000) .. #kept
  health.hp = health.hp + 1
end }`)
	var file bytes.Buffer
	rec, err := g.s.Record(&file, record.Options{})
	must(t, err)
	for range 60 {
		must(t, g.s.Step(1.0/64))
	}
	must(t, rec.Close())
	for _, held := range []int64{0, 2 << 20} {
		again := newGame(t, setting{workers: 1, held: held})
		p, err := open(t, file.Bytes()).Play(again.s, record.PlayOptions{})
		must(t, err)
		d, err := p.Bisect(t.Context(), 0)
		must(t, err)
		ended := again.host.Unrepeatable() > 0
		if (d != nil) != (held > 0) || ended != (held > 0) {
			t.Fatalf("%d bytes: %v; ended: %v", held, d, ended)
		}
		if d != nil && (d.EndedAlone == 0 || d.EndedAlone > d.Tick || d.Ended != 0 || !strings.Contains(d.String(), "ended a call of a script in the replay alone")) {
			t.Errorf("%+v: %v", d, d)
		}
	}
}

// TestRewindGoesForwardAgain: a session that is rewound, and gets the same inputs, is the one that
// was not; with another input in the past it is the one that had it in time. So says its recording.
func TestRewindGoesForwardAgain(t *testing.T) {
	seed := seeds(t)
	for i := range uint64(6) {
		rewound(t, seed+i, setting{workers: []int{1, 4}[i%2], noKernels: i%4 < 2, seed: seed})
	}
}

func rewound(t *testing.T, seed uint64, o setting) {
	const ticks = 50
	r := rand.New(rand.NewPCG(seed, 5))
	what := fmt.Sprintf("-record.seed=%d", seed)
	late := map[uint64]Move{}
	for range 5 {
		late[1+uint64(r.IntN(ticks-1))] = Move{DX: r.Float64(), Jump: true}
	}
	straight := newGame(t, o)
	straight.load(text(seed))
	for tick := range uint64(ticks) {
		straight.inputs(seed, tick)
		if m, is := late[tick+1]; is {
			must(t, straight.move.Post(7, m))
		}
		must(t, straight.s.Step(0.03))
	}

	g := newGame(t, o)
	g.load(text(seed))
	back, err := g.s.Rollback(snapshot.RingOptions{Ticks: 20, Bytes: int64(r.IntN(2)) * (800 << 10)})
	must(t, err)
	var file bytes.Buffer
	rec, err := g.s.Record(&file, record.Options{})
	must(t, err)
	for tick := uint64(1); tick <= ticks; tick++ {
		g.inputs(seed, tick-1)
		must(t, g.s.Step(0.03))
		if m, is := late[tick]; is { // it comes some ticks too late, or at once
			must(t, g.move.PostAt(tick, 7, m))
			must(t, back.Rewind(tick-1))
			must(t, back.Forward(tick))
		}
		if oldest, newest := back.Range(); newest != tick || newest-oldest > 20 {
			t.Fatal(what, oldest, newest)
		} else if r.IntN(4) == 0 {
			to := oldest + r.Uint64N(newest-oldest+1)
			must(t, back.Rewind(to))
			if _, now := g.world.Time(); now != to {
				t.Fatal(what, now, to)
			}
			must(t, back.Forward(tick))
		}
	}
	if got, want := g.world.Checksum(), straight.world.Checksum(); got != want {
		t.Fatalf("%s: checksum %x, want %x", what, got, want)
	}
	must(t, rec.Close())
	if err := back.Rewind(5); !errors.Is(err, snapshot.ErrNotKept) {
		t.Fatal(what, err)
	}
	again := newGame(t, o)
	p, err := open(t, file.Bytes()).Play(again.s, record.PlayOptions{})
	must(t, err)
	if d, err := p.Bisect(t.Context(), 0); d != nil || err != nil {
		t.Fatal(what, d, err)
	}
	if got, want := again.world.Checksum(), straight.world.Checksum(); got != want || p.Tick() != ticks {
		t.Fatalf("%s: replayed checksum %x, want %x in tick %d", what, got, want, p.Tick())
	}
}
