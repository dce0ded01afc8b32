package kit_test

import (
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

func TestEdges(t *testing.T) {
	const out, in = 30.0, 5.0
	for _, c := range []struct {
		rule       kit.Rule
		x, v       float64
		wantX      float64
		wantV      float64
		wantsAlive bool
	}{
		{kit.None, -out, -1, -out, -1, true},
		{kit.Bounce, -out, -1, out, 1, true},
		{kit.Bounce, 100 + out, 1, 100 - out, -1, true},
		{kit.Bounce, 100 + out, -1, 100 - out, -1, true},
		{kit.Bounce, -1e9, -1, 100, 1, true},
		{kit.Bounce, 1e9, 1, 0, -1, true},
		{kit.Wrap, -out, -1, 100 - out, -1, true},
		{kit.Wrap, 100 + out, 1, out, 1, true},
		{kit.Wrap, -1e-20, 1, 0, 1, true},
		{kit.Stop, -out, -1, 0, 0, true},
		{kit.Stop, 100 + out, 1, 100, 0, true},
		{kit.Despawn, -out, -1, -out, -1, false},
		{kit.Bounce, in, 3, in, 3, true},
		{kit.Stop, in, 3, in, 3, true},
		{kit.Despawn, 0, 3, 0, 3, true},
		{kit.Despawn, 100, 3, 100, 3, true},
		{kit.Rule(99), -out, -1, -out, -1, true},
	} {
		for _, own := range []bool{false, true} {
			f := newField(t)
			arena := ecs.Resource[kit.Arena](f.World)
			arena.Width, arena.Height, arena.Edge = 100, 0, c.rule
			e := f.Spawn(f.position.With(kit.Position{X: c.x, Y: -7}), f.velocity.With(kit.Velocity{X: c.v}))
			if own {
				arena.Edge = kit.Rule(1+c.rule) % 5
				f.edge.Set(e, kit.Edge{Rule: c.rule})
			}
			f.step(t, 0)
			p, alive := f.position.Get(e)
			v, _ := f.velocity.Get(e)
			if alive != c.wantsAlive || alive && (p.X != c.wantX || v.X != c.wantV || p.Y != -7) {
				t.Errorf("rule %d at %g, own %v: alive %v, %+v, %+v", c.rule, c.x, own, alive, p, v)
			}
		}
	}
}

func TestMoveIntegrates(t *testing.T) {
	f := newField(t)
	e := f.Spawn(f.position.With(kit.Position{X: 1, Y: 2}), f.velocity.With(kit.Velocity{X: 10, Y: -4}))
	still := f.Spawn(f.position.With(kit.Position{X: 1, Y: 2}))
	f.step(t, 0.25)
	if p, _ := f.position.Get(e); p != (kit.Position{X: 3.5, Y: 1}) {
		t.Errorf("moved to %+v", p)
	}
	if p, _ := f.position.Get(still); p != (kit.Position{X: 1, Y: 2}) {
		t.Errorf("something without a velocity moved to %+v", p)
	}
}
