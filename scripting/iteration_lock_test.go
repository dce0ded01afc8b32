package scripting_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
)

// intruder is Go code that scripts call and that tries to change the world under
// them. An idle one does not try: in the world that the other is compared with.
type intruder struct {
	captured *snapshot.Snapshot
	kept0    *scripting.Snapshot // of the host
	ring     *scripting.Ring
	*game
	idle    bool
	strikes int
	worlds  ecs.Worlds // with one world, the one that is under attack
	other   *ecs.World
	all     []ecs.Entity

	call, end string // of the attack, for texts that are loaded later
	kept      []string
}

// keep notes a failure, to be compared with the other world's.
func (x *intruder) keep(err error) { x.kept = append(x.kept, err.Error()) }

// tick is a step that may fail.
func (x *intruder) tick() {
	if err := x.host.Step(1.0 / 64); err != nil {
		x.keep(err)
	}
}

// extra is a component that no entity has, listed one that lives in a pool.
type (
	extra  struct{ N int32 }
	listed struct{ N int32 }
)

// besieged is how many entities there are: enough for a chunk that is handed over by
// itself, so few that others are gathered.
const besieged = 70

// inUse is more than what worlds of this size use of their memory, in bytes.
const inUse = 4 << 20

// newIntruder makes a world with long chunks and short ones, pooled components,
// children and a migration that waits to be put in force.
func newIntruder(t *testing.T, idle bool, workers int) *intruder {
	x := &intruder{idle: idle, other: ecs.NewWorld()}
	t.Cleanup(func() { x.other.Close() })
	x.game = newGameOf(t, ecs.Options{Workers: workers, Tag: 9}, scripting.Limits{LogLines: -1})
	r := x.game
	ecs.Register[extra](r.world)
	ecs.Register[extra](x.other)
	x.worlds.Make = func(string, ecs.Options) (*ecs.World, error) { return r.world, nil }
	if _, err := x.worlds.Open("main", ecs.Options{}); err != nil {
		t.Fatal(err)
	}
	positions, velocities := ecs.Register[Position](r.world), ecs.Register[Velocity](r.world)
	lists := ecs.Register[listed](r.world, ecs.Sparse)
	for i := range besieged {
		e := r.world.Spawn(positions.With(Position{X: float64(i)}))
		if x.all = append(x.all, e); i%3 == 0 {
			velocities.Set(e, Velocity{X: 1})
		}
		if i%5 == 0 {
			lists.Set(e, listed{int32(-i)})
		}
		if i > 1 && i%7 == 0 {
			r.world.SetParent(e, x.all[1])
		}
	}
	captured, err := snapshot.Capture(r.world)
	if err != nil {
		t.Fatal(err)
	}
	x.captured = captured
	x.ring = newRing(t, r.host, snapshot.RingOptions{})
	if err = x.ring.Capture(); err != nil {
		t.Fatal(err)
	}
	if x.kept0, err = r.host.Capture(); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]any{"strike": x.Strike, "hand": x, "back": func(f func()) { f() }} {
		if err := r.host.Expose(name, value); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// Strike tries everything; each attempt must be refused. What must work is done in
// both worlds.
func (x *intruder) Strike() {
	if x.strikes++; x.strikes > 3 {
		return
	}
	for name, attempt := range x.attempts() {
		if x.idle {
			break
		}
		if err := attempted(attempt); !errors.Is(err, ecs.ErrIterating) {
			x.Errorf("%s: %v, want ErrIterating", name, err)
		}
	}
	looks := x.looks()
	for _, name := range slices.Sorted(maps.Keys(looks)) {
		if err := attempted(looks[name]); err != nil {
			x.Errorf("%s: %v", name, err)
		}
	}
}

// attempted makes an error of a panic.
func attempted(attempt func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err, _ = r.(error)
		}
	}()
	return attempt()
}

// attempts are the methods that change the structure of a world, by name.
func (x *intruder) attempts() map[string]func() error {
	w := x.world
	e, q := x.all[1], w.Query()
	lists := ecs.Register[listed](w, ecs.Sparse)
	p, v, n := ecs.Register[Position](w), ecs.Register[Velocity](w), ecs.Register[extra](w)
	in := ecs.Register[extra](x.other).With(extra{})
	kin := w.ChildOf()
	second := func(_ any, err error) error { return err }
	return map[string]func() error{
		"Raw.Retain":          func() error { return w.Raw().Retain(ecs.RegisterEvent[retained](w).ID(), ecs.Retention{Ticks: 1}) },
		"World.Add":           func() error { return w.Add(e, n.With(extra{})) },
		"World.AddAll":        func() error { return second(w.AddAll(q, n.With(extra{}))) },
		"World.Close":         func() error { return w.Close() },
		"World.Copy":          func() error { return second(w.Copy(e)) },
		"World.Despawn":       func() error { return w.Despawn(e) },
		"World.DespawnAll":    func() error { return second(w.DespawnAll(q)) },
		"World.Exchange":      func() error { return w.Exchange(e, []ecs.ComponentRef{p.ID()}, n.With(extra{})) },
		"World.ExchangeAll":   func() error { return second(w.ExchangeAll(q, []ecs.ComponentRef{p.ID()}, n.With(extra{}))) },
		"World.FlushDespawns": func() error { return second(w.FlushDespawns()) },
		"World.Group":         func() error { return w.Group(p, v) },
		"World.Grow":          func() error { return w.Grow(100, p, v) },
		"World.Instantiate":   func() error { return second(w.Instantiate(e, 2)) },
		"World.MarkPrefab":    func() error { return w.MarkPrefab(e) },
		"Raw.Migrate":         func() error { return w.Raw().Migrate().Prepare() },
		"World.Remove":        func() error { return w.Remove(e, p.ID()) },
		"World.RemoveAll":     func() error { return second(w.RemoveAll(q, p.ID())) },
		"Raw.Reserve":         func() error { return second(w.Raw().Reserve()) },
		"World.Reset":         func() error { return w.Reset() },
		"World.Run":           func() error { return w.Run("inner", func(*ecs.Tick) error { return nil }) },
		"Raw.Capture":         func() error { _, err := snapshot.Capture(w); return err },
		"Raw.Restore":         func() error { return snapshot.Restore(w, x.captured) },
		"Raw.Claim":           func() error { return w.Raw().Claim() },
		"Raw.RunClaimed":      func() error { return w.Raw().RunClaimed("inner", func(*ecs.Tick) error { return nil }) },
		"Raw.StepClaimed":     func() error { return w.Raw().StepClaimed(context.Background(), 1) },
		"World.SetParent":     func() error { return w.SetParent(x.all[2], e) },
		"World.Spawn":         func() error { w.Spawn(p.With(Position{})); return nil },
		"World.SpawnMany":     func() error { return w.SpawnMany(1000, nil, p.With(Position{})) },
		"World.SpawnPrefab":   func() error { return second(w.SpawnPrefab(&ecs.Prefab{Values: []ecs.Value{p.With(Position{})}})) },
		"World.Step":          func() error { return w.Step(1) },
		"World.Transfer":      func() error { return second(w.Transfer(e, x.other)) },
		"World.TransferTree":  func() error { return second(w.TransferTree(e, x.other)) },
		"World.TrySpawn":      func() error { return second(w.TrySpawn()) },
		"into the world":      func() error { return second(x.other.Transfer(x.other.Spawn(in), w)) },
		"Component.Remove":    func() error { return p.Remove(e) },
		"Component.Set":       func() error { return n.Set(e, extra{}) },
		"Component.Sort":      func() error { return lists.Sort(func(a, b *listed) int { return int(a.N - b.N) }) },
		"Relation.Set":        func() error { return kin.Set(x.all[2], e) },
		"Relation.SetAfter":   func() error { return kin.SetAfter(x.all[7], x.all[14]) },
		"Relation.SetAt":      func() error { return kin.SetAt(x.all[7], e, 0) },
		"Relation.SetBefore":  func() error { return kin.SetBefore(x.all[14], x.all[7]) },
		"Commands.Apply": func() error {
			c := w.NewCommands()
			c.Despawn(e)
			defer c.Drop()
			return c.Apply()
		},
		"Migration.Prepare":  func() error { return w.Raw().Migrate().Prepare() },
		"Migration.Commit":   func() error { w.Raw().Migrate().Commit(); return nil },
		"Worlds.Close":       func() error { return x.worlds.Close("main") },
		"Worlds.CloseAll":    func() error { return x.worlds.CloseAll() },
		"Host.Load":          func() error { return x.host.Load(x.folder) },
		"Host.Step":          func() error { return x.host.Step(1) },
		"Host.StepContext":   func() error { return x.host.StepContext(context.Background(), 1) },
		"Host.StepWith":      func() error { return x.host.StepWith(context.Background(), 1, nil) },
		"Host.TryOut":        func() error { return x.host.TryOut(func() error { return nil }) },
		"Host.LoadContext":   func() error { return x.host.LoadContext(context.Background(), x.folder) },
		"Host.SetLimits":     func() error { return x.host.SetLimits(scripting.Limits{}) },
		"Host.Unload":        func() error { return x.host.Unload("a.lua") },
		"Host.Close":         func() error { return x.host.Close() },
		"Host.Capture":       func() error { return second(x.host.Capture()) },
		"Host.Update":        func() error { return x.host.Update(&scripting.Snapshot{}) },
		"Host.Restore":       func() error { return second(x.host.Restore(x.kept0)) },
		"Host.UpdateScripts": func() error { return x.host.UpdateScripts(&scripting.Scripts{}) },
		"Ring.Capture":       func() error { return x.ring.Capture() },
		"Ring.Restore":       func() error { return second(x.ring.Restore(0)) },
		"Host.LoadScene":     func() error { return x.host.LoadScene("camp") },
		"Host.UnloadScene":   func() error { return x.host.UnloadScene("camp") },
		"Host.WriteScene": func() error {
			_, _, err := x.host.WriteScene(w.Query(), scripting.SceneLua)
			return err
		},
		"Host.RestoreScripts": func() error {
			return second(x.host.RestoreScripts(x.kept0.Scripts(), func() error { return nil }))
		},
	}
}

// looks are methods that change something that no loop depends on.
func (x *intruder) looks() map[string]func() error {
	w := x.world
	p := ecs.Register[Position](w)
	id, _ := w.Raw().ComponentNamed("Velocity")
	return map[string]func() error{
		"Raw.Compact": func() error { w.Raw().Compact(); return nil },
		"Raw.Index": func() error {
			index, err := w.Raw().Index(p.ID(), w.Raw().Schema(p.ID()).Fields[0].Name)
			if err == nil {
				index.Count(0, 1)
			}
			return err
		},
		"World.Check":      func() error { return w.Check() },
		"Raw.Guard":        func() error { w.Raw().Guard()(); return nil },
		"Raw.Hold":         func() error { w.Raw().Hold().Release(); return nil },
		"World.Query":      func() error { w.Query(ecs.Read(p)).Count(); return nil },
		"Raw.Edit":         func() error { w.Raw().Edit(x.all[3], id); return nil },
		"World.Stats":      func() error { _ = w.Stats().String(); return nil },
		"Component.Set":    func() error { v, _ := p.Get(x.all[3]); return p.Set(x.all[3], v) },
		"Migration.Drop":   func() error { w.Raw().Migrate().Drop(); return nil },
		"Migration.Rename": func() error { _ = w.Raw().Migrate().Rename("Velocity", "Speed"); return nil }, // takes effect with Commit
	}
}

// retained is an event whose retention an intruder changes.
type retained struct{ N int32 }

// others are the methods that change nothing of what loops and the undo of a call
// rest on: they read, they record, or they add to lists of types and functions.
var others = map[string]string{
	"World": "Alive Checksum ChildOf Children DespawnLater Entities Len NewCommands Observe Parent Random Raw Relation " +
		"Schedule Time Unobserve Violations",
	"Raw": "At ChangesAsked ComponentCount ComponentNamed Components Compose Declared Default Define DefineEvent Dropped EventBytes EventNamed EventNames EventSchema EventStats EventType GoType Has " +
		"BeginClaimed CallersFrom IsPrefab Losses Memory MemoryMap ObserverCount OnBegin OnChange OnHeap Pointer Pooled ProvideNamed Reader Ready Release RelationNamed Relations ResourceNamed " +
		"Reported ResourceNames Restores Room RowsWith Ruled Schema Seed SetInvariants Sets Since Slots Spent Subscribe Tag TextBytes Together Touch Turn Unsubscribe ValueAt Version Workers",
	"Component": "Edit Get Has ID Mut Observe Of Peek Reserve Since With",
	"Relation":  "Ancestors BreadthFirst Count Depth DepthFirst ID IsAncestor Len Name Options PostOrder SetPolicy Sources SourcesAfter Target",
	"Commands": "Add Assign Blend Bytes Changes Copy CountDespawn CountMove Despawn DespawnLater Do Drop Exchange FewSets Len Mark Merge MostMoved NewSets Patch Preview Relate Remove Rewind Send SetParent " +
		"Spawn SpawnPrefab Spawned",
	"Migration": "Component Event",
	"Worlds":    "All Issuer Len Named Numbered Open",
	"Host":      "Reads Asked Assigned Console PlaceOf Check CheckNotes CheckTexts Evolution Expose Faults LastReload Limits OnReload Refused Renamed Stage Source Texts Explain Kernels Modules Ran RunKernel Running SceneEntity SceneOf SceneSchema Scenes StageContext StageProgram StageTexts Systems Unrepeatable Usage World",
}

// TestMethodsAreKnown finds methods that nobody has thought of: each either is
// tried by the intruder or stands in the list of those that do no harm.
func TestMethodsAreKnown(t *testing.T) {
	x := newIntruder(t, true, 1)
	tried := x.attempts()
	looked := x.looks()
	for _, v := range []any{x.world, x.world.Raw(), ecs.Register[Position](x.world), x.world.ChildOf(), x.world.NewCommands(), x.world.Raw().Migrate(), &x.worlds, x.host} {
		typ := reflect.TypeOf(v)
		name := strings.TrimSuffix(typ.String()[strings.LastIndex(strings.Split(typ.String(), "[")[0], ".")+1:], "[github.com/perigee-ecs/perigee/scripting_test.Position]")
		for i := range typ.NumMethod() {
			method := typ.Method(i).Name
			if madeForTests(typ.Method(i)) {
				continue
			}
			full := name + "." + method
			known := tried[full] != nil || looked[full] != nil || slices.Contains(strings.Fields(others[name]), method)
			if !known {
				t.Errorf("%s: may Go code that a script calls do that while Lua iterates? Try it in attempts, or list it", full)
			}
		}
	}
}

// madeForTests reports whether a method stands in a file of tests.
func madeForTests(m reflect.Method) bool {
	file, _ := runtime.FuncForPC(m.Func.Pointer()).FileLine(m.Func.Pointer())
	return strings.HasSuffix(file, "_test.go")
}

// calls are the ways in which a script reaches Go code.
var calls = map[string]string{
	"function": `host.strike()`,
	"method":   `host.hand:Strike()`,
	"callback": `host.back(function() host.strike() end)`,
	"inner":    `local co = coroutine.wrap(function() pcall(table.sort, { 1, 2 }, function() host.strike() return false end) end) co()`,
}

// form is a way in which scripts run; @ stands for the call.
type form struct {
	text  string
	drive func(x *intruder) // after the first tick, nil: nothing more
}

const rowBody = ` p.x = p.x + 1 @ p.y = p.x `

var forms = map[string]form{
	"each":            {text: `ecs.system "s" { query = { P }, each = function(e, p)` + rowBody + `end }`},
	"each off":        {text: `ecs.system "s" { query = { P }, kernel = "off", each = function(e, p)` + rowBody + `end }`},
	"each of several": {text: `ecs.system "s" { query = { P, V }, kernel = "off", each = function(e, p, v)` + rowBody + `v.x = 5 end }`},
	"each in part":    {text: `ecs.system "s" { query = { P }, each = function(e, p) p.y = p.y + 2 if p.x == 33 then @ end p.x = p.x + 1 end }`},
	"each optional":   {text: `ecs.system "s" { query = { P, optional = { V } }, kernel = "off", each = function(e, p, v)` + rowBody + ` if v then v.x = 1 end end }`},
	"each with when":  {text: `ecs.system "s" { query = { P }, when = function() @ return true end, each = function(e, p) p.x = p.x + 1 end }`},
	"each changed":    {text: `ecs.system "s" { query = { P, changed = { P } }, kernel = "off", each = function(e, p)` + rowBody + `end }`},
	"batch":           {text: `ecs.system "s" { query = { P }, batch = function(b) local x = b:write(P, "x") @ for i = 1, b.n do x[i] = x[i] + 1 end end }`},
	"batch of few": {text: `ecs.system "s" { query = { P, V }, batch = function(b)
		local y, x = b:col(P, "y"), b:write(P, "x") y:add(1) @ y:add(2) for i = 1, b.n do x[i] = i end end }`},
	"batch with when": {text: `ecs.system "s" { query = { P }, when = function() @ return true end, batch = function(b) b:col(P, "x"):add(1) end }`},
	"run":             {text: `ecs.system "s" { run = function() @ for e in ecs.entities { P } do @ ecs.set(e, P { y = 3 }) end end }`},
	"events": {text: `local E = ecs.event("E", { n = ecs.u8(1) })
		ecs.system "a" { run = function() ecs.emit(E) ecs.emit(E) end }
		ecs.system "s" { on = E, after = { "a" }, each = function(ev) @ ecs.emit(E { n = ev.n }) end }`},
	"observers": {text: `ecs.on_set(P, function(e, p) @ ecs.set(e, V { x = p.x }) end) ecs.on_add(V, function(e, v) @ ecs.log(v.x) end)
		ecs.on_remove(V, function(e, v) @ ecs.log(v.x) end) ecs.on_despawn(function(e) @ end) ecs.on_spawn(function(e) @ end)
		ecs.system "s" { run = function() local e, first = ecs.spawn(P, V), ecs.find { V } for e in ecs.entities { P, V } do
			ecs.set(e, P { x = 1 }) ecs.remove(e, V) break end ecs.despawn(first) end }`},
	"timers":   {text: `ecs.on_start(function() ecs.after(0, "h") ecs.every(0.01, "h") end) ecs.handler("h", function() @ ecs.spawn(P) end)`},
	"on_start": {text: `ecs.on_start(function() ecs.spawn(P) @ ecs.spawn(V) end)`},
	"on_error": {text: `ecs.system "s" { run = function() error "x" end } ecs.on_error(function() @ end)`},
	"callable": {text: `local k = ecs.kernel("k", { P }, function(e, p)` + rowBody + `end) ecs.system "s" { run = function() @ k() end }`},
	"callable in part": {text: `local k = ecs.kernel("k", { P }, function(e, p) p.y = p.y + 1 if p.x == 12 then @ end p.x = p.x + 1 end)
		ecs.system "s" { run = function() k() k() end }`},
	"callable in batch": {text: `local k = ecs.kernel("k", { P }, function(e, p)` + rowBody + `end, { kernel = "off" })
		ecs.system "s" { query = { P }, batch = function(b) k() end }`},
	"kernel of the host": {text: `ecs.kernel("k", { P }, function(e, p)` + rowBody + `end)`, drive: func(x *intruder) {
		if err := x.world.Run("host", func(t *ecs.Tick) error { return x.host.RunKernel(t, "k") }); err != nil {
			x.keep(err)
		}
	}},
	"a step without the host": {text: `ecs.system "s" { query = { P }, kernel = "off", each = function(e, p)` + rowBody + `end }`, drive: func(x *intruder) {
		if err := x.world.Step(1); err != nil {
			x.keep(err)
		}
	}},
	"reload": {text: `ecs.component("C", { n = ecs.u8(1) }) ecs.on_start(function() ecs.spawn(ecs.component("C", { n = ecs.u8(1) })) end)
		ecs.on_unload(function() @ return 1 end)`, drive: func(x *intruder) {
		x.write("a.lua", attack(`ecs.component("C", { n = ecs.u8(1), m = ecs.u8() }, { migrate = function(old) @ return { m = old.n } end })
			@ ecs.on_reload(function() @ end)`, x.call, x.end))
		x.host.Stage([]string{"a.lua"}, nil)
		x.tick()
	}},
	"top level": {text: `@ ecs.prefab("Q", { P { x = 3 } })`},
}

// attack puts the call into a text, with what ends the call in an error.
func attack(text, call, end string) string {
	return `local host = require "host" ` + strings.ReplaceAll(text, "@", call+" "+end+" ")
}

// TestHeld: whatever Go code a script calls, in whatever form it runs, cannot change
// the structure of the world meanwhile, and leaves no trace in it. Calls that succeed
// and calls that fail after it are both tried: the undo writes to places that must
// be where they were.
func TestHeld(t *testing.T) {
	for name, f := range forms {
		for call, text := range calls {
			for _, end := range []string{"", `error("after it", 0)`} {
				for _, workers := range []int{1, 3} {
					if workers > 1 && (call != "function" || end != "") || workers == 1 && raceEnabled {
						continue
					}
					t.Run(fmt.Sprint(name, " ", call, " ", end, workers), func(t *testing.T) {
						worlds := [2]*intruder{newIntruder(t, false, workers), newIntruder(t, true, workers)}
						for _, x := range worlds {
							x.perform(f, text, end)
						}
						unharmed(t, worlds[0], worlds[1])
					})
				}
			}
		}
	}
}

func (x *intruder) perform(f form, call, end string) {
	x.call, x.end = call, end
	if strings.Contains(call, "coroutine") {
		x.call = strings.Replace(call, "host.strike()", "host.strike() "+end, 1)
	}
	x.write("a.lua", attack(f.text, call, end))
	if err := x.host.Load(x.folder); err != nil {
		x.keep(err)
	}
	x.tick()
	x.tick()
	if f.drive != nil {
		f.drive(x)
	}
	if err := x.world.Check(); err != nil {
		x.Fatal(err)
	}
	if x.strikes == 0 {
		x.Fatal("no script called the host's code")
	}
}

// unharmed demands that the intruder's world is the one that was left alone.
func unharmed(t *testing.T, x, twin *intruder) {
	t.Helper()
	if x.strikes != twin.strikes || !slices.Equal(x.kept, twin.kept) {
		t.Errorf("%d strikes, want %d; errors %q, want %q", x.strikes, twin.strikes, x.kept, twin.kept)
	}
	if got, want := x.world.Checksum(), twin.world.Checksum(); got != want {
		t.Errorf("checksum %x, want %x", got, want)
	}
	if !bytes.Equal(x.world.Raw().Memory()[:inUse], twin.world.Raw().Memory()[:inUse]) {
		t.Error("the memory differs from that of the world that was left alone")
	}
}
