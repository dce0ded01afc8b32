package ecs

import "testing"

func BenchmarkQuery(b *testing.B) {
	w := NewWorld()
	defer w.Close()
	pos, vel := Register[Position](w), Register[Velocity](w)
	for i := range 10000 {
		w.Spawn(pos.With(Position{float64(i), 0}), vel.With(Velocity{1, 2}))
	}
	q := w.Query(Write(pos), Read(vel))
	b.ReportAllocs()
	for b.Loop() {
		for c := range q.Chunks() {
			p, v := pos.Mut(c), vel.Of(c)
			v = v[:len(p)]
			for i := range p {
				p[i].X += v[i].X
				p[i].Y += v[i].Y
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10000, "ns/entity")
}

func BenchmarkSlices(b *testing.B) {
	p, v := make([]Position, 10000), make([]Velocity, 10000)
	for b.Loop() {
		v := v[:len(p)]
		for i := range p {
			p[i].X += v[i].X
			p[i].Y += v[i].Y
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10000, "ns/entity")
}

func BenchmarkSpawnDespawn(b *testing.B) {
	w := NewWorld()
	defer w.Close()
	pos, vel := Register[Position](w), Register[Velocity](w)
	b.ReportAllocs()
	for b.Loop() {
		e := w.Spawn(pos.With(Position{1, 0}), vel.With(Velocity{1, 2}))
		w.Despawn(e)
	}
}

func BenchmarkAddRemove(b *testing.B) {
	w := NewWorld()
	defer w.Close()
	pos, vel := Register[Position](w), Register[Velocity](w)
	e := w.Spawn(pos.With(Position{1, 0}))
	b.ReportAllocs()
	for b.Loop() {
		vel.Set(e, Velocity{})
		vel.Remove(e)
	}
}

func BenchmarkNewWorld(b *testing.B) {
	for b.Loop() {
		NewWorld().Close()
	}
}

func BenchmarkGet(b *testing.B) {
	w := NewWorld()
	defer w.Close()
	pos := Register[Position](w)
	var es []Entity
	for range 1000 {
		es = append(es, w.Spawn(pos.With(Position{1, 0})))
	}
	s := 0.0
	for b.Loop() {
		for _, e := range es {
			p, _ := pos.Get(e)
			s += p.X
		}
	}
}
