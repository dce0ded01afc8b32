package kit_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// family is a field with entities that have places in each other.
type family struct {
	*field
	local  ecs.Component[kit.Transform]
	global ecs.Component[kit.GlobalTransform]
	all    []ecs.Entity
}

func newFamily(t testing.TB) *family {
	f := newField(t)
	ecs.Resource[kit.Arena](f.World).Edge = kit.None
	return &family{field: f, local: ecs.Register[kit.Transform](f.World), global: ecs.Register[kit.GlobalTransform](f.World)}
}

// add spawns an entity below a parent, 0 for none.
func (f *family) add(t testing.TB, parent ecs.Entity, values ...ecs.Value) ecs.Entity {
	t.Helper()
	e := f.Spawn(values...)
	f.all = append(f.all, e)
	if parent != 0 {
		if err := f.SetParent(e, parent); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// want is the model: where an entity is by the way from it up to the top.
func (f *family) want(e ecs.Entity) kit.GlobalTransform {
	local, _ := f.local.Get(e)
	parent := f.Parent(e)
	position, has := f.position.Get(parent)
	switch own, moves := f.position.Get(e); {
	case parent != 0 && f.local.Has(parent):
		return f.want(parent).Then(local)
	case parent != 0 && has:
		return kit.GlobalTransform{X: position.X, Y: position.Y, Scale: 1}.Then(local)
	case parent == 0 && moves:
		return kit.GlobalTransform{X: own.X, Y: own.Y, Angle: local.Angle, Scale: local.Scale}
	}
	return kit.GlobalTransform{Scale: 1}.Then(local)
}

// judge compares all entities with the model.
func (f *family) judge(t *testing.T, seed uint64, tick int) {
	t.Helper()
	for _, e := range f.all {
		if !f.local.Has(e) { // the dead have none
			continue
		}
		want := f.want(e)
		got, ok := f.global.Get(e)
		if position, has := f.position.Get(e); has && (position != kit.Position{X: want.X, Y: want.Y}) {
			t.Fatalf("seed %d, tick %d: %v has the position %v, want %v", seed, tick, e, position, want)
		}
		if !ok || got != want {
			t.Fatalf("seed %d, tick %d: %v is at %+v, want %+v", seed, tick, e, got, want)
		}
	}
}

// TestTransformsMatchTheModel: random families in which everything changes: places, parents,
// components, and who is alive.
func TestTransformsMatchTheModel(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 21))
		f := newFamily(t)
		for range 5 + r.IntN(60) {
			f.grow(t, r)
		}
		for tick := range 15 {
			for range r.IntN(4) * r.IntN(3) {
				f.disturb(t, r)
			}
			f.step(t, 0.25)
			f.judge(t, seed, tick)
		}
	}
}

// grow adds a random entity.
func (f *family) grow(t *testing.T, r *rand.Rand) {
	t.Helper()
	var values []ecs.Value
	parent := ecs.Entity(0)
	if len(f.all) > 0 && r.IntN(4) > 0 {
		if parent = f.all[r.IntN(len(f.all))]; !f.Alive(parent) {
			parent = 0
		}
	}
	if r.IntN(6) > 0 {
		values = append(values, f.local.With(kit.Transform{X: r.NormFloat64(), Y: r.NormFloat64(), Angle: r.Float64() * 6, Scale: 0.5 + r.Float64()}))
	}
	if r.IntN(2) == 0 {
		values = append(values, f.position.With(kit.Position{X: r.NormFloat64() * 10}))
		if parent == 0 {
			values = append(values, f.velocity.With(kit.Velocity{X: r.NormFloat64() * float64(r.IntN(2))}))
		}
	}
	f.add(t, parent, values...)
}

// disturb changes something.
func (f *family) disturb(t *testing.T, r *rand.Rand) {
	t.Helper()
	e := f.all[r.IntN(len(f.all))]
	if !f.Alive(e) {
		return
	}
	switch r.IntN(7) {
	case 0:
		if p := f.local.Edit(e); p != nil {
			p.Angle += 0.5
		}
	case 1:
		if p := f.position.Edit(e); p != nil {
			p.X++
		}
	case 2:
		_ = f.SetParent(e, f.all[r.IntN(len(f.all))]) // a circle or a dead parent is refused
	case 3:
		_ = f.SetParent(e, 0)
	case 4:
		_ = f.Despawn(e)
	case 5:
		_ = f.Remove(e, f.local)
	case 6:
		f.grow(t, r)
	}
}

// TestATransformComesWithAPlace: what the components require of each other, and their defaults.
func TestATransformComesWithAPlace(t *testing.T) {
	s := newScripted(t, scripting.Limits{}, `
local Transform, GlobalTransform = ecs.native("Transform"), ecs.native("GlobalTransform")
ecs.on_start(function()
  local ship = ecs.spawn(Position { x = 100, y = 100 }, Velocity { x = 60 }, Transform { angle = math.pi / 2 })
  local gun = ecs.spawn(Transform { x = 10 }, Position {}, Collider { radius = 1, layer = 4 })
  ecs.set_parent(gun, ship)
end)
ecs.system "look" { phase = "render", every = 1, run = function()
  local gun = host.nearest(0, 0, 1/0, 4)
  local at, place = ecs.get(gun, Position), ecs.get(gun, GlobalTransform)
  assert(math.abs(at.x - 160) < 1e-9 and math.abs(at.y - 110) < 1e-9, at.x .. ", " .. at.y)
  assert(place.x == at.x and place.y == at.y and place.scale == 1 and place.angle == math.pi / 2)
end }`)
	s.step(t, 1)
	if len(s.faults) > 0 || s.host.Usage()[0].Calls != 2 {
		t.Errorf("%v, %d calls", s.faults, s.host.Usage()[0].Calls)
	}
}

// TestWhatDoesNotMoveIsNotWritten: a family at rest counts as unchanged, and one whose top moves
// is the only one that is placed.
func TestWhatDoesNotMoveIsNotWritten(t *testing.T) {
	f := newFamily(t)
	changed := f.Query(ecs.Read(f.global)).Changed(f.global)
	top := f.add(t, 0, f.position.With(kit.Position{}), f.local.With(kit.Transform{Scale: 1}))
	f.add(t, top, f.local.With(kit.Transform{X: 1, Scale: 1}))
	f.step(t, 1)
	for range changed.Chunks() {
	}
	f.step(t, 1)
	for range changed.Chunks() {
		t.Error("nothing has moved, and a place was written")
	}
	f.position.Edit(top).X = 5
	f.step(t, 1)
	if got, _ := f.global.Get(f.all[1]); got.X != 6 {
		t.Errorf("the child is at %+v, want 6", got)
	}
}

// TestTheDeepestChain: as deep as parents may go.
func TestTheDeepestChain(t *testing.T) {
	f := newFamily(t)
	e := ecs.Entity(0)
	for range 1024 {
		e = f.add(t, e, f.local.With(kit.Transform{X: 1, Scale: 1}))
	}
	f.step(t, 1)
	if got, _ := f.global.Get(e); got.X != 1024 {
		t.Errorf("the last one is at %+v, want 1024", got)
	}
	f.local.Edit(f.all[0]).Angle = math.Pi
	f.step(t, 1)
	if got, _ := f.global.Get(e); math.Abs(got.X+1022) > 1e-9 {
		t.Errorf("after a turn the last one is at %+v, want -1022", got)
	}
}

// TestDeeperChains: a chain whose top got a parent again and again is deeper than links alone make one.
func TestDeeperChains(t *testing.T) {
	f := newFamily(t)
	const n = 5000
	bottom := f.add(t, 0, f.local.With(kit.Transform{X: 1, Scale: 1}))
	top := bottom
	for range n - 1 {
		e := f.add(t, 0, f.local.With(kit.Transform{X: 1, Scale: 1}))
		if err := f.SetParent(top, e); err != nil {
			t.Fatal(err)
		}
		top = e
	}
	f.step(t, 1)
	if got, _ := f.global.Get(bottom); got.X != n {
		t.Errorf("the last one is at %+v, want %d", got, n)
	}
	f.local.Edit(top).Angle = math.Pi
	f.step(t, 1)
	if got, _ := f.global.Get(bottom); math.Abs(got.X+n-2) > 1e-6 {
		t.Errorf("after a turn the last one is at %+v, want %d", got, 2-n)
	}
}

// BenchmarkTransform has 10,000 entities in chains, or in trees, of which all are placed in each
// tick; at rest, of which none moves.
func BenchmarkTransform(b *testing.B) {
	for _, c := range []struct {
		name   string
		parent func(i int) int // of the ith; below zero: none
		rest   bool
	}{
		{"chains of 1000", func(i int) int { return map[bool]int{true: -1, false: i - 1}[i%1000 == 0] }, false},
		{"trees", func(i int) int { return (i - 10) / 4 }, false},
		{"at rest", func(i int) int { return (i - 10) / 4 }, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			f := newFamily(b)
			for i := range 10_000 {
				parent := ecs.Entity(0)
				if p := c.parent(i); p >= 0 && i >= 10 {
					parent = f.all[p]
				}
				f.add(b, parent, f.local.With(kit.Transform{X: 1, Angle: 1, Scale: 1}))
			}
			f.step(b, 1)
			b.ReportAllocs()
			for b.Loop() {
				if !c.rest {
					f.local.Edit(f.all[0]).X++
				}
				f.step(b, 1)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/entity")
		})
	}
}

// TestWhatIsNoNumberIsWrittenOnce: a place that is no number, however it came about, is not a new
// one in each tick.
func TestWhatIsNoNumberIsWrittenOnce(t *testing.T) {
	f := newFamily(t)
	changed := f.Query(ecs.Read(f.global), ecs.Read(f.position)).Changed(f.global, f.position)
	top := f.add(t, 0, f.position.With(kit.Position{X: math.NaN()}), f.local.With(kit.Transform{Scale: 1}))
	f.add(t, top, f.local.With(kit.Transform{X: 1, Angle: math.NaN(), Scale: math.Inf(1)}), f.position.With(kit.Position{}))
	for range 2 {
		f.step(t, 1)
	}
	for range changed.Chunks() {
	}
	f.step(t, 1)
	for range changed.Chunks() {
		t.Error("nothing has moved, and a place was written")
	}
	if got, _ := f.position.Get(f.all[1]); !math.IsNaN(got.X) {
		t.Errorf("the child is at %v", got)
	}
}
