package bench

// What the two workloads here and their Lua files agree on.
const (
	size  = 1000.0 // edge of the box, in world units
	speed = 100.0  // largest velocity on an axis, in world units per second
)

// Position is exported for reflection: its name is what Lua knows it by.
type Position struct{ X, Y float64 }

// Velocity is in world units per second.
type Velocity struct{ X, Y float64 }

// The same in single precision; Lua knows them by the same names.
type (
	position32 struct{ X, Y float32 }
	velocity32 struct{ X, Y float32 }
)

// body returns where the next entity begins, and how fast.
func body(r *random) (Position, Velocity) {
	p := Position{r.within(0, size), r.within(0, size)}
	return p, Velocity{r.within(-speed, speed), r.within(-speed, speed)}
}

// body32 draws a position and a velocity like body, and rounds them to 32 bits.
func body32(r *random) (position32, velocity32) {
	p, v := body(r)
	return position32{float32(p.X), float32(p.Y)}, velocity32{float32(v.X), float32(v.Y)}
}

// integrate is the system without a branch: all that it costs is memory and the
// way there.
func integrate() workload {
	return pairs[Position, Velocity]{name: "integrate", start: body, loop: integrateLoop}.workload()
}

// bounce is the system that stands for all: it moves, looks, and turns.
func bounce() workload {
	return pairs[Position, Velocity]{name: "bounce", both: true, start: body, loop: bounceLoop}.workload()
}

// bounceF32 is bounce in single precision: the fields, and with precision = "f32"
// the arithmetic, too.
func bounceF32() workload {
	return pairs[position32, velocity32]{
		name: "bounce-f32", names: [2]string{"Position", "Velocity"}, both: true, start: body32, loop: bounceLoop32,
	}.workload()
}

// integrateLoop is the system as a Go programmer writes it, as are the others
// here: chunks of a query and plain slices run the same loop. The slice
// expression is the hint that ends bounds checks.
//
// Why the conversions? They forbid fusing multiplication and addition, which
// Lua cannot do: all ways have to agree to the bit.
func integrateLoop(p []Position, v []Velocity, dt float64) {
	v = v[:len(p)]
	for i := range p {
		a, b := &p[i], &v[i]
		a.X += float64(b.X * dt)
		a.Y += float64(b.Y * dt)
	}
}

// bounceLoop moves positions by velocities and turns them around at the edges: the
// loop that all others are compared with.
func bounceLoop(p []Position, v []Velocity, dt float64) {
	v = v[:len(p)]
	for i := range p {
		a, b := &p[i], &v[i]
		a.X += float64(b.X * dt)
		a.Y += float64(b.Y * dt)
		if a.X < 0 || a.X > size {
			b.X = -b.X
		}
		if a.Y < 0 || a.Y > size {
			b.Y = -b.Y
		}
	}
}

// bounceLoop32 is bounceLoop in 32 bits.
func bounceLoop32(p []position32, v []velocity32, step float64) {
	dt := float32(step)
	v = v[:len(p)]
	for i := range p {
		a, b := &p[i], &v[i]
		a.X += float32(b.X * dt)
		a.Y += float32(b.Y * dt)
		if a.X < 0 || a.X > size {
			b.X = -b.X
		}
		if a.Y < 0 || a.Y > size {
			b.Y = -b.Y
		}
	}
}
