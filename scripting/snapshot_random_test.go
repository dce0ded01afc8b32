package scripting_test

import (
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
	"github.com/perigee-ecs/perigee/scripting/kit"
)

var (
	keptGames = flag.Int("kept.games", 40, "how many random games are captured and restored")
	keptSeed  = flag.Uint64("kept.seed", 0, "seed of the random games; 0: another one each time")
)

// keptHead begins the file of each random game. All that decides what happens is in the world, in
// state tables, in timers, or kept by on_save.
const keptHead = "local ecs, host = require \"ecs\", require \"host\"\n" + textOf + `
local At, Body, Way = ecs.native("Position"), ecs.native("Collider"), ecs.native("Velocity")
local Pos = ecs.component("Pos", { x = ecs.f64(0), y = ecs.f64(0) })
local Vel = ecs.component("Vel", { x = ecs.f64(1), y = ecs.f64(0) })
local Age = ecs.component("Age", { n = ecs.u16(0) }, { sparse = true })
local Hot = ecs.tag("Hot")
local Hit = ecs.event("Hit", { n = ecs.f64(0), who = ecs.entity() })
local Ping = ecs.event("Ping", { n = ecs.f64(0) })
local S = ecs.state("s", { n = 0, list = { 3, 1, 2 }, flag = true, seen = {} })
local seen = S.seen
local count, book = 0, { pages = {} }
ecs.on_save(function() local text = tostring({}) .. tostring(book) return { count = count, book = book, again = book } end)
ecs.on_load(function(v) local text = tostring(v) .. tostring({}) count, book = v.count, v.book assert(v.again == book) end)
local function change(T)
  local n = ecs.random(6)
  T.list = T.list or {}
`

// keptParts are what random games are made of; %[1]d is another number each time.
var keptParts = []string{
	`ecs.system "move%[1]d" { query = { Pos, Vel }, each = function(e, p, v, ctx) p.x = p.x + v.x * ctx.dt p.y = p.y + v.y * %[1]d end }`,
	`ecs.system "turn%[1]d" { query = { Vel, changed = { Vel } }, each = function(e, v) v.y = v.y / 2 + %[1]d if v.y > 3 then v.y = -v.y end end }`,
	`ecs.system "fail%[1]d" { query = { Pos, optional = { Age } }, each = function(e, p, a) if p.x > %[1]d and (e + S.n) %% 3 < 1 then error("row") end p.x = p.x + 0.1 end }`,
	`ecs.system "spawn%[1]d" { every = 0.15, run = function() if ecs.count { Pos } < 60 then ecs.spawn(Pos { x = ecs.random(9) }, Vel { x = ecs.random() }) end S.n = S.n + 1 end }`,
	`ecs.system "kill%[1]d" { every = 0.35, run = function() for e in ecs.entities { Pos } do if ecs.random(4) == 1 then ecs.despawn(e) else ecs.add(e, Age { n = ecs.random(100) }) end end end }`,
	`ecs.system "on%[1]d" { on = Hit, each = function(ev) seen[ev.who] = (seen[ev.who] or 0) + ev.n if ev.n %% 4 == 1 then error("event") end end }`,
	`ecs.system "emit%[1]d" { when = function() return ecs.random(3) > 1 end, run = function() for i = 1, ecs.random(3) do ecs.emit(Hit { n = ecs.random(8), who = ecs.find { Pos } or 0 }) end ecs.emit(Ping { n = S.n }) end }`,
	`ecs.system "poll%[1]d" { run = function(ctx) if ctx.tick %% %[1]d == 0 then for ev in ecs.events(Ping) do S["ping" .. ev.n %% 5] = ctx.tick S.n = S.n + 1 end end end }`,
	`ecs.handler("late%[1]d", function(data) data.n = data.n + 1 data[#data + 1] = { data.n } S.late = data.n if data.n %% 3 == 0 then error("timer") end end)
	 ecs.on_start(function() ecs.every(0.1 + %[1]d / 50, "late%[1]d", { n = 0, same = "x" }) end)`,
	`ecs.handler("once%[1]d", function(data) S.once = (S.once or 0) + 1 S["t" .. data.k] = data.when ecs.after(ecs.random() / 2, "once%[1]d", { k = ecs.random(5), when = S.once, 0/0, -1/0 }) end)
	 ecs.on_start(function() ecs.after(0.2, "once%[1]d", { k = 1 }) end)`,
	`ecs.on_add(Age, function(e, a) S.ages = (S.ages or 0) + a.n if S.ages %% 5 == 0 then ecs.emit(Ping { n = e %% 7 }) end end)`,
	`ecs.on_despawn(function(e) seen[e] = nil S.gone = (S.gone or 0) + 1 if S.gone %% 4 == 0 then error("observer") end end)`,
	`ecs.system "change%[1]d" { run = function(ctx) if ctx.tick %% 2 == 0 then change(S) end end }`,
	`local T%[1]d = ecs.state("t%[1]d", { list = { "a", { deep = { S = 1 } } }, [true] = false, [-1.5] = "x" }) ecs.system "other%[1]d" { run = function() change(T%[1]d) T%[1]d.peer = S if ecs.random(9) == 1 then S.peer = T%[1]d.list end end }`,
	`ecs.system "undone%[1]d" { run = function() change(S) if ecs.random(3) == 1 then error("undone") end end }`,
	`local k%[1]d = ecs.kernel("k%[1]d", { Pos, Vel }, function(e, p, v) if p.x > 20 then error("kernel") end p.y = p.y + 1 end) ecs.system "calls%[1]d" { run = function() k%[1]d() end }`,
	`ecs.system "locals%[1]d" { run = function(ctx) count = count + ecs.random(5) book.pages[#book.pages %% 7 + 1] = { count, at = ctx.time } S.count = count end }`,
	`ecs.system "reads%[1]d" { query = { Pos }, each = function(e, p) p.x = p.x + S.n / 1000 + count end }`,
	`ecs.system "toggle%[1]d" { every = 0.25, run = function() ecs.enable("move%[1]d?", S.n %% 2 == 0) end }`,
	`ecs.system "parent%[1]d" { every = 0.2, run = function() local e = ecs.find { Pos } if e then local c = ecs.spawn(Age, Hot) ecs.set_parent(c, e) S.kids = #ecs.children(e) end end }`,
	`ecs.system "fixed%[1]d" { fixed = true, run = function(ctx) S.fixed = (S.fixed or 0) + ctx.dt seen[-1] = math.random() end }`,
	`ecs.system "looks%[1]d" { phase = "input", every = %[1]d / 20, run = function(ctx) S.near = { host.nearest(%[1]d, 0, 20, 3), (host.count_within(ctx.tick, 9, 30, 1)), #host.within(9, 9, 60, 3), (host.ray(0, 0, 90, 50, 3)) } end }
	 ecs.system "comes%[1]d" { every = 0.1, run = function() if ecs.count { At } < 30 then ecs.spawn(At { x = ecs.random(90), y = ecs.random(50) }, Body { radius = 3, layer = ecs.random(3), mask = 1 }, Way { x = 30, y = S.n %% 40 }) end end }
	 ecs.system "leaves%[1]d" { phase = "animation", query = { At }, each = function(e, at) if host.nearest(at.x, at.y, 5, 1) == e then at.x = at.x + %[1]d end if at.y > 45 then ecs.despawn(e) end end }`,
	`ecs.handler("asks%[1]d", function() S.asked = (S.asked or 0) + host.nearest(%[1]d * 9, 20, 90, 1) %% 1000 end) ecs.on_start(function() ecs.spawn(At { x = 20, y = 20 }, Body { radius = 2, layer = 1 }, Way { x = 55 }) ecs.every(0.15, "asks%[1]d", {}) end)`,
	`ecs.system "texts%[1]d" { run = function(ctx) S.list = S.list or {} S.kept = S.kept or { ctx.tick } S["text" .. ctx.tick %% 4] = tostring({}) .. tostring(S.kept) .. tostring(function() end) if ctx.tick %% 5 == 0 then S.kept = { } end S.of = tostring(S.list) end }`,
	`ecs.handler("names%[1]d", function(data) S.named = tostring(data) .. tostring(data.inner) end) ecs.on_start(function() ecs.every(0.1, "names%[1]d", { inner = {} }) end)`,
	`local tags%[1]d = {} for i = 1, 7 do tags%[1]d[i] = ecs.tag("T" .. i) end
	 ecs.system "sets%[1]d" { run = function() S.sets = (S.sets or 0) + %[1]d local l = {} for b = 1, 7 do if math.floor(S.sets / 2 ^ b) %% 2 == 1 then l[#l + 1] = tags%[1]d[b] end end if #l > 0 then ecs.despawn(ecs.spawn(unpack(l))) ecs.spawn(unpack(l)) end end }
	 ecs.system "swept%[1]d" { every = 0.3, run = function() ecs.despawn_all { any = tags%[1]d } end }`,
	`ecs.system "numbers%[1]d" { run = function() S.nan, S.zero, S.inf = 0/0, -0.0 * S.n, 1/0 S["\255\0" .. #S.list] = "\254" S.nz = 1 / S.zero end }`,
}

// onError makes scripts hear of faults.
const onError = `ecs.on_error(function(err) S.faults = (S.faults or 0) + 1 S.last = err.text if S.faults % 5 == 0 then error("reaction") end end)`

// lastLooks asks for what has changed since a system's own last look, which begins anew in another process.
const lastLooks = `ecs.system "looks" { run = function() S.looked = (S.looked or 0) + ecs.count { Vel, changed = { Vel } } end }`

// keptText writes a random game.
func keptText(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 3))
	var b strings.Builder
	b.WriteString(keptHead)
	for i := range 3 + r.IntN(6) {
		op := stateOps[r.IntN(len(stateOps))]
		for strings.Contains(op, "T.n = nil") || strings.Contains(op, "was") { // S.n stays a number
			op = stateOps[r.IntN(len(stateOps))]
		}
		if strings.Contains(op, "%[") {
			op = fmt.Sprintf(op, 1+r.IntN(6))
		}
		fmt.Fprintf(&b, "  if n == %d then %s end\n", 1+i%6, op)
	}
	b.WriteString("end\n")
	for i := range 5 + r.IntN(9) {
		part := keptParts[r.IntN(len(keptParts))]
		b.WriteString(strings.NewReplacer("%[1]d", fmt.Sprint(i+2), "%%", "%").Replace(part) + "\n")
	}
	b.WriteString(`ecs.on_start(function() S.started = (S.started or 0) + 1 for i = 1, 9 do ecs.spawn(Pos { x = i }, Vel) end end)
ecs.system "zz.show" { phase = "render", run = function(ctx)
  local all = {}
  for k, v in pairs(S) do all[#all + 1] = tostring(k) .. "=" .. (type(v) == "table" and text(v, 2) or string.format(type(v) == "number" and "%.17g" or "%s", tostring(v))) end
  ecs.log(ctx.tick .. " " .. table.concat(all, " ") .. " # " .. text(book, 0) .. count)
end }`)
	return b.String()
}

// keptGame is a random game that is running.
type keptGame struct {
	t     *testing.T
	world *ecs.World
	host  *scripting.Host
	logs  []string
	trace []string
}

// newKeptGame opens a game. Two of the same arguments do the same.
func newKeptGame(t *testing.T, text string, seed uint64, workers int, noKernels bool) *keptGame {
	t.Helper()
	w, err := ecs.Open(ecs.Options{Seed: seed, Tag: 9, Workers: workers, FixedStep: 0.02, MaxBytes: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	stock, err := kit.Install(w, kit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := &keptGame{t: t, world: w}
	g.host, err = scripting.New(w, scripting.Options{Logger: slog.New(&logbook{lines: &g.logs}), NoKernels: noKernels, OnError: func(*scripting.Error) {}, OnKernel: func(scripting.KernelStatus) {}, Limits: scripting.Limits{LogLines: -1, Archetypes: 40}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.host.Close() })
	if err := stock.Expose(g.host.Expose); err != nil {
		t.Fatal(err)
	}
	if err := g.host.Load(fstest.MapFS{"a.lua": newFile(text)}); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return g
}

// play makes ticks, and notes all that can be seen after each.
func (g *keptGame) play(ticks int) {
	g.t.Helper()
	for range ticks {
		g.logs = nil
		if err := g.host.Step(0.05); err != nil {
			g.t.Fatal(err)
		}
		if err := g.world.Check(); err != nil {
			g.t.Fatal(err)
		}
		h := make([]string, 0)
		for _, name := range g.world.Schedule().Names() {
			s, _ := g.world.Schedule().Health(name)
			h = append(h, s.String())
		}
		g.trace = append(g.trace, fmt.Sprintf("checksum %x random %x %s %v", g.world.Checksum(), g.world.Random().State(), strings.Join(g.logs, "|"), h))
	}
}

// sameTrace compares what two games have shown.
func sameTrace(t *testing.T, what string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d ticks, want %d", what, len(got), len(want))
	}
	for i := range got {
		if got[i] == want[i] {
			continue
		}
		a, b := strings.Fields(got[i]), strings.Fields(want[i])
		for j := range min(len(a), len(b)) {
			if a[j] != b[j] {
				t.Fatalf("%s: tick %d differs: %v\nwant %v\n%s\n%s", what, i, a[j], b[j], got[i], want[i])
			}
		}
		t.Fatalf("%s: tick %d differs:\n%s\n%s", what, i, got[i], want[i])
	}
}

// TestRestoredGamesGoOn: a random game that is captured in each tick, goes astray and is restored, and
// one that goes on from a save in another host, are the game that was never stopped.
func TestRestoredGamesGoOn(t *testing.T) {
	sideBySide(t)
	seed := *keptSeed
	if seed == 0 {
		seed = rand.Uint64() >> 1
	}
	games := *keptGames
	if testing.Short() {
		games = min(games, 8)
	}
	t.Logf("-kept.seed=%d", seed)
	for i := range games {
		restoredGame(t, seed+uint64(i), []int{1, 4}[i%2], i%4 < 2)
	}
}

func restoredGame(t *testing.T, seed uint64, workers int, noKernels bool) {
	r := rand.New(rand.NewPCG(seed, 4))
	text := keptText(seed)
	here := r.IntN(3) == 0
	if here {
		text += "\n" + lastLooks
	}
	if r.IntN(2) == 0 {
		text += "\n" + onError
	}
	before, astray, after := 1+r.IntN(30), r.IntN(25), 5+r.IntN(25)
	what := fmt.Sprintf("-kept.seed=%d -kept.games=1, %d workers, kernels %v, %d+%d ticks (astray %d)\n%s\n", seed, workers, !noKernels, before, after, astray, text)
	straight := newKeptGame(t, text, seed, workers, noKernels)
	straight.play(before + after)
	want := straight.trace

	g := newKeptGame(t, text, seed, workers, noKernels)
	s := &scripting.Snapshot{}
	for range before {
		g.play(1)
		if err := g.host.Update(s); err != nil {
			t.Fatalf("%s%v", what, err)
		}
	}
	encoded := slices.Clone(s.Scripts().Encode())
	g.play(astray)
	for range 2 { // a snapshot can be restored again
		g.trace = g.trace[:before]
		if found, err := g.host.Restore(s); err != nil || len(found.Notes) > 0 {
			t.Fatal(what, found, err)
		}
		if err := g.world.Check(); err != nil {
			t.Fatal(what, err)
		}
		if again := s.Scripts().Encode(); string(again) != string(encoded) {
			t.Fatal(what, "a snapshot has changed")
		}
		g.play(after)
		sameTrace(t, what+"restored", g.trace, want)
	}
	if here {
		return
	}
	scripts, err := scripting.ReadScripts(encoded, scripting.Limits{})
	if err != nil {
		t.Fatalf("%s%v\n%s", what, err, encoded)
	}
	if string(scripts.Encode()) != string(encoded) {
		t.Fatalf("%sencoded again:\n%s\n%s", what, scripts.Encode(), encoded)
	}
	other := newKeptGame(t, text, seed+1, workers, !noKernels)
	other.play(r.IntN(3))
	found, err := other.host.RestoreScripts(scripts, func() error { return snapshot.Restore(other.world, s.World()) })
	if err != nil || fmt.Sprint(found) != "{[] [] [] []}" {
		t.Fatal(what, found, err)
	}
	other.trace = nil
	other.play(after)
	sameTrace(t, what+"loaded", other.trace, want[before:])
}
