package bench

// Health regenerates up to a maximum.
type Health struct {
	HP, Max float64
	Regen   float64 // per second
}

// Spring is a value that swings, and how fast it changes.
type Spring struct{ Value, Speed float64 }

// Anchor is what a spring pulls towards.
type Anchor struct{ Target, Stiffness, Damping float64 }

// Particle shrinks and fades while it ages, and then begins anew.
type Particle struct {
	Age, Life   float64 // in seconds
	Width       float64 // when it was new
	Size, Alpha float64
}

// spring is a damped spring: multiplications and additions only.
func spring() workload {
	return pairs[Spring, Anchor]{
		name: "spring",
		start: func(r *random) (Spring, Anchor) {
			return Spring{Value: r.within(-1, 1)}, Anchor{r.within(-1, 1), r.within(10, 40), r.within(0.5, 2)}
		},
		loop: func(s []Spring, a []Anchor, dt float64) {
			a = a[:len(s)]
			for i := range s {
				s, a := &s[i], &a[i]
				pull := float64((a.Target-s.Value)*a.Stiffness) - float64(s.Speed*a.Damping)
				s.Speed += float64(pull * dt)
				s.Value += float64(s.Speed * dt)
			}
		},
	}.workload()
}

// regen is health that comes back: a sum with a clamp. Few reach their maximum
// while it is measured.
func regen() workload {
	start := func(r *random) Health {
		return Health{HP: r.within(0, 100), Max: r.within(100, 200), Regen: r.within(0, 1)}
	}
	return single("regen", start, func(h []Health, dt float64) {
		for i := range h {
			h := &h[i]
			h.HP = min(h.Max, h.HP+float64(h.Regen*dt))
		}
	})
}

// fade is a particle that ages: a division, and a branch that is rarely taken.
func fade() workload {
	start := func(r *random) Particle {
		life := r.within(1, 3)
		return Particle{Age: life * r.next(), Life: life, Width: r.within(1, 4)}
	}
	return single("fade", start, func(p []Particle, dt float64) {
		for i := range p {
			p := &p[i]
			p.Age += dt
			if p.Age >= p.Life {
				p.Age -= p.Life
			}
			left := 1 - p.Age/p.Life
			p.Alpha = left * left
			p.Size = p.Width * (0.25 + float64(0.75*left))
		}
	})
}
