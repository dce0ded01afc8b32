package bench

import (
	"slices"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
)

// systemName is what the one system of each world is called, in Lua too.
const systemName = "bounce"

// populated is a world with the workload's entities.
type populated struct {
	world    *ecs.World
	position ecs.Component[Position]
	velocity ecs.Component[Velocity]
	stats    []ecs.SystemStats
}

func populate(n int) *populated {
	w := ecs.NewWorld()
	g := &populated{world: w, position: ecs.Register[Position](w), velocity: ecs.Register[Velocity](w)}
	r := newRandom()
	for range n {
		p, v := start(r)
		w.Spawn(g.position.With(p), g.velocity.With(v))
	}
	return g
}

// entry wraps a world whose schedule holds the one system.
func (g *populated) entry(step func(dt float64) error, close func() error) *entry {
	return &entry{
		tick:  func() error { return step(dt) },
		spent: g.spent, positions: g.positions, close: close,
	}
}

// spent returns how long the system has run so far.
func (g *populated) spent() time.Duration {
	g.stats = g.world.Schedule().Stats(g.stats[:0])
	i := slices.IndexFunc(g.stats, func(s ecs.SystemStats) bool { return s.Name == systemName })
	return g.stats[i].Total
}

// positions returns them in the order of spawning, which is that of the chunks.
func (g *populated) positions() []Position {
	var all []Position
	for c := range g.world.Query(ecs.Read(g.position)).Chunks() {
		all = append(all, g.position.Of(c)...)
	}
	return all
}
