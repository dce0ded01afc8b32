package main

import "github.com/perigee-ecs/perigee/ecs"

// bodies is a world of entities with a Transform, a Velocity and a Health, in
// columns or in pools: what the absolute targets are about.
type bodies struct {
	world     *ecs.World
	transform ecs.Component[Transform]
	velocity  ecs.Component[Velocity]
	health    ecs.Component[Health]
	all       *ecs.Query
	es        []ecs.Entity
}

// newBodies opens a world of n of them. With ecs.Sparse they are in pools.
func newBodies(n int, where ...ecs.ComponentOption) *bodies {
	w := ecs.NewWorld()
	b := &bodies{world: w, transform: ecs.Register[Transform](w, where...),
		velocity: ecs.Register[Velocity](w, where...), health: ecs.Register[Health](w, where...)}
	b.all = w.Query(ecs.Write(b.transform), ecs.Read(b.velocity), ecs.Write(b.health))
	for i := range n {
		b.es = append(b.es, w.Spawn(b.transform.With(placed(i)), b.velocity.With(speed), b.health.With(hurt)))
	}
	return b
}

// placed is the i-th body's transform, hurt everybody's health.
func placed(i int) Transform { return Transform{X: float64(i % 1000), Y: 1, Scale: 1} }

var hurt = Health{Now: 1, Max: 100}

// frame is the length of a step: a power of two, so that sums are exact.
const frame = 1.0 / 64

// turnAll is the work on one component, moveAll on two, updateAll on three.
func turnAll(t []Transform) {
	for i := range t {
		t[i].Angle += frame
	}
}

func moveAll(t []Transform, v []Velocity) {
	v = v[:len(t)]
	for i := range t {
		t[i].X += v[i].X * frame
		t[i].Y += v[i].Y * frame
	}
}

func updateAll(t []Transform, v []Velocity, h []Health) {
	v, h = v[:len(t)], h[:len(t)]
	for i := range t {
		t[i].X += v[i].X * frame
		t[i].Y += v[i].Y * frame
		h[i].Now = min(h[i].Max, h[i].Now+frame)
	}
}

// bounceAll is physics: what leaves the box comes back.
func bounceAll(t []Transform, v []Velocity, dt float64) {
	v = v[:len(t)]
	for i := range t {
		t[i].X += v[i].X * dt
		t[i].Y += v[i].Y * dt
		if t[i].X < 0 || t[i].X > 1000 {
			v[i].X = -v[i].X
		}
		if t[i].Y < 0 || t[i].Y > 1000 {
			v[i].Y = -v[i].Y
		}
	}
}

func (b *bodies) trial(steps ...func()) *trial {
	return &trial{steps: steps, sum: b.sum, close: func() { b.world.Close() }}
}

func (b *bodies) sum() float64 {
	s := 0.0
	for c := range b.world.Query(ecs.Read(b.transform), ecs.Read(b.velocity), ecs.Read(b.health)).Chunks() {
		s += sumBodies(b.transform.Of(c), b.velocity.Of(c), b.health.Of(c))
	}
	return s
}

func sumBodies(t []Transform, v []Velocity, h []Health) float64 {
	s := 0.0
	for i := range t {
		s += t[i].X + t[i].Y + t[i].Angle + v[i].X + v[i].Y + h[i].Now
	}
	return s
}

// slices is bodies in plain slices: the floor, and the judge.
type slices struct {
	t []Transform
	v []Velocity
	h []Health
}

func newSlices(n int) *slices {
	s := &slices{}
	for i := range n {
		s.t, s.v, s.h = append(s.t, placed(i)), append(s.v, speed), append(s.h, hurt)
	}
	return s
}

func (s *slices) trial(step func()) *trial {
	return &trial{steps: []func(){step}, sum: func() float64 { return sumBodies(s.t, s.v, s.h) }}
}
