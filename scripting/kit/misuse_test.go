package kit_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/misuse"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// wrongUses are calls of package kit in a world that has one, and for one that has none.
type wrongUses struct {
	*misuse.Calls
	*field
	bare  *ecs.World
	own   *kit.Index
	view  *kit.Screen
	arena *kit.Arena
}

func newWrongUses(t *testing.T, api *misuse.API, seed uint64) *wrongUses {
	c := &wrongUses{Calls: misuse.NewCalls(t, api, seed), bare: ecs.NewWorld()}
	t.Cleanup(func() { _ = c.bare.Close() })
	c.field = newField(t)
	c.scatter(c.Rand, 100, 200)
	c.step(t, 0.1)
	c.own, c.arena = kit.NewIndex(c.World), ecs.Resource[kit.Arena](c.World)
	played := ecs.NewWorld()
	t.Cleanup(func() { _ = played.Close() })
	var err error
	c.view, err = kit.InstallView(played)
	must(t, err)
	closed := ecs.NewWorld()
	must(t, closed.Close())
	list, err := kit.NewDrawList(c.World)
	must(t, err)
	c.Receivers = map[string][]any{"DrawList": {&kit.DrawList{}, list}, "Drawable": {&kit.Drawable{}, &kit.Drawable{Shape: &kit.Shape{Turns: true}}}, "Kit": {c.kit}, "Screen": {&kit.Screen{}, c.view}, "Index": {c.own, c.kit.Index()}, "GlobalTransform": {kit.GlobalTransform{}, kit.GlobalTransform{Scale: math.NaN()}}}
	c.Functions = map[string]any{"InstallView": kit.InstallView, "ParseKey": kit.ParseKey, "Install": kit.Install, "NewIndex": kit.NewIndex, "NewDrawList": kit.NewDrawList}
	misuse.Offer(c.Calls, c.World, nil, c.bare, closed)
	misuse.Offer(c.Calls, kit.Options{})
	misuse.Offer(c.Calls, kit.Signal{}, kit.Signal{Kind: 255, Key: 255}, kit.Signal{Kind: kit.Released}, kit.Signal{Kind: kit.PointerMoved, X: math.NaN()}, kit.Signal{Key: 3, Down: true})
	misuse.Offer(c.Calls, "", "a", "space", "nonsense")
	misuse.Offer(c.Calls, kit.Filter{}, kit.Filter{Mask: 1, Most: -1}, kit.Filter{Keep: func(ecs.Entity) bool { return true }}, kit.Filter{Keep: func(ecs.Entity) bool { return false }, Except: ^ecs.Entity(0)})
	misuse.Offer(c.Calls, kit.Body{}, kit.Body{Entity: 1, X: math.NaN(), Layer: 1}, kit.Body{Radius: -1, Layer: 1}, kit.Body{Entity: 7, X: 1, Layer: 1}, kit.Body{Width: float32(math.Inf(1)), Layer: 1})
	misuse.Offer(c.Calls, nil, func(string, any) error { return nil }, func(string, any) error { return ecs.ErrRange })
	misuse.Offer(c.Calls, 0, -1, 1, 1<<40, math.MinInt)
	misuse.Offer(c.Calls, 0, 1, -5, 1e9, 1e300, math.NaN(), math.Inf(1), math.Inf(-1))
	return c
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestWrongUsesHaveDocumentedOutcomes: errors with a name, panics that the doc speaks of, or
// success; and a kit that is there stays as it is.
func TestWrongUsesHaveDocumentedOutcomes(t *testing.T) {
	api := &misuse.API{
		Situations: []string{"outside", "elsewhere", "loop", "system", "goroutine", "beside", "observer", "warn", "keep", "keep elsewhere", "script", "closed", "zero"},
		Prefix:     "ecs",
		Named: misuse.Among(ecs.ErrIterating, ecs.ErrClosed, ecs.ErrDead, ecs.ErrArenaFull, ecs.ErrEntityLimit, ecs.ErrUnknown, ecs.ErrConflict, ecs.ErrRange,
			scripting.ErrClosed),
	}
	api.Exported(t, ".")
	for seed := range uint64(10) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			c := newWrongUses(t, api, seed)
			for _, where := range api.Situations {
				for name := c.Next(where); name != "" && !t.Failed(); name = c.Next(where) {
					c.inSituation(where, name)
				}
			}
		})
	}
	api.Print(t)
}

// inSituation makes a call where a world may be, and looks whether all is well.
func (c *wrongUses) inSituation(where, name string) {
	w := c.World
	call := func() { c.Call(name, where, false) }
	elsewhere := func() { c.Call(name, where, true) }
	switch where {
	case "outside":
		call()
	case "elsewhere":
		elsewhere()
	case "loop":
		for range w.Query(ecs.Read(c.position)).Chunks() {
			call()
			break
		}
	case "system", "goroutine", "beside":
		c.inSystem(where == "beside", map[bool]func(){true: elsewhere, false: call}[where == "goroutine"])
	case "observer":
		c.Expect("Observe", w.Observe(ecs.Observer{Name: "o", On: ecs.OnSpawn, Run: func(*ecs.Tick, ecs.Notice) error {
			w.Unobserve("o")
			call()
			return nil
		}}))
		w.Spawn()
		c.Expect("Step", w.Step(0.1))
	case "warn":
		c.inWarning(call)
	case "keep":
		c.inSearch(call)
	case "keep elsewhere":
		c.inSearch(elsewhere)
	case "script":
		c.inScript(call)
	case "closed":
		c.Expect("Close", errors.Join(w.Close(), c.bare.Close()))
		call()
		return
	case "zero":
		c.Receivers = map[string][]any{"Kit": {&kit.Kit{}, (*kit.Kit)(nil)}, "Index": {&kit.Index{}, (*kit.Index)(nil)}, "GlobalTransform": {kit.GlobalTransform{}}, "Screen": {&kit.Screen{}, (*kit.Screen)(nil)},
			"DrawList": {&kit.DrawList{}, (*kit.DrawList)(nil)}, "Drawable": {&kit.Drawable{}, (*kit.Drawable)(nil)}}
		call()
		return
	}
	c.Expect("Check", errors.Join(w.Check(), c.bare.Check()))
	if ecs.Resource[kit.Arena](w) != c.arena {
		c.Fault("the kit has another arena than its scripts")
	}
	c.Expect("Step", w.Step(0.1))
}

// inSystem makes a call in a system that runs once.
func (c *wrongUses) inSystem(parallel bool, call func()) {
	done := false
	s := c.Schedule()
	others := []string{"misuse", "other"}
	must(c, s.Change(nil, []ecs.System{{Name: others[0], Parallel: parallel, Run: func(*ecs.Tick) error {
		if !done {
			done = true
			call()
		}
		return nil
	}}, {Name: others[1], Parallel: true, Run: func(*ecs.Tick) error { return nil }}}))
	c.Expect("Step", c.Step(0.1))
	must(c, s.Change(others, nil))
}

// inWarning makes a call when the kit of another world warns of a crowd.
func (c *wrongUses) inWarning(call func()) {
	warned := false
	f := newWarnedField(c.TB, func(string) {
		if !warned {
			warned = true
			call()
		}
	})
	c.Receivers["Kit"], c.Receivers["Index"] = []any{f.kit}, []any{f.kit.Index()}
	defer func() { c.Receivers["Kit"], c.Receivers["Index"] = []any{c.kit}, []any{c.own, c.kit.Index()} }()
	ecs.Resource[kit.Collisions](f.World).Work = -1
	for range 200 {
		f.Spawn(f.position.With(kit.Position{X: 5, Y: 5}), f.collider.With(kit.Collider{Radius: 1, Layer: 1, Mask: 1}))
	}
	c.Expect("Step", f.Step(0.001))
	if !warned {
		c.Fatal("the kit has not warned")
	}
}

// inSearch makes a call when an index asks whether to keep what it has found, and looks whether
// the search goes on as if there had been none.
func (c *wrongUses) inSearch(call func()) {
	c.own.Clear()
	for e := range c.Entities() {
		c.own.Add(kit.Body{Entity: e, X: c.Float64() * 10, Y: c.Float64() * 10, Radius: 1, Layer: 1})
	}
	want, _ := c.own.Nearest(nil, 5, 5, 100, 40, kit.Filter{Keep: func(ecs.Entity) bool { return true }})
	asked := 0
	hits, _ := c.own.Nearest(nil, 5, 5, 100, 40, kit.Filter{Keep: func(ecs.Entity) bool {
		if asked++; asked == 3 {
			call()
		}
		return true
	}})
	if fmt.Sprint(hits) != fmt.Sprint(want) || len(want) == 0 {
		c.Fault("a search found other entities than without a call in Keep: %d and %d", len(hits), len(want))
	}
}

// inScript makes a call in a function that a script calls.
func (c *wrongUses) inScript(call func()) {
	host, err := scripting.New(c.World, scripting.Options{})
	must(c, err)
	must(c, c.kit.Expose(host.Expose))
	must(c, host.Expose("misuse", call))
	must(c, host.Load(fstest.MapFS{"a.lua": {Data: []byte(`local done
local ecs, host = require "ecs", require "host"
ecs.system "misuse" { run = function(ctx) if host.nearest(1, 1, 50, 1) and not done then done = true host.misuse() end end }`)}}))
	c.Expect("Step", host.Step(0.1))
	must(c, host.Close())
}
