package bench

// The modes of a guard, in the order of the enum.
const (
	rest uint8 = iota
	watch
	chase
	flee
)

// Guard is in one of four modes and leaves each for another reason.
type Guard struct {
	Mode    uint8   `ecs:"mode,enum=rest|watch|chase|flee"`
	Stamina float64 // 0 to 100
	Timer   float64 // seconds until the guard has had enough of what it does
	Nerve   float64 // how many times as fast as others
}

// states is a machine of four states. Which guard is in which is as good as
// random, so the branches are, too.
func states() workload {
	start := func(r *random) Guard {
		g := Guard{Stamina: r.within(20, 100), Nerve: r.within(0.5, 2)}
		g.Timer = r.within(0, 2)
		g.Mode = uint8(r.next() * 4)
		return g
	}
	return single("states", start, func(g []Guard, dt float64) {
		for i := range g {
			g[i].step(dt)
		}
	})
}

// step is one step of the state machine.
func (g *Guard) step(dt float64) {
	switch g.Mode {
	case rest:
		g.Stamina += float64(10 * dt)
		if g.Stamina >= 100 {
			g.Mode, g.Timer = watch, 2
		}
	case watch:
		g.Timer -= float64(g.Nerve * dt)
		if g.Timer <= 0 {
			g.Mode = chase
		}
	case chase:
		g.Stamina -= float64(25 * dt)
		if g.Stamina <= 20 {
			g.Mode, g.Timer = flee, 1.5
		}
	case flee:
		g.Stamina -= float64(5 * dt)
		g.Timer -= dt
		if g.Timer <= 0 {
			g.Mode = rest
		}
	}
}
