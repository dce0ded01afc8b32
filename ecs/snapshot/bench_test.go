package snapshot_test

import (
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// demo fills a world as the demo game does: ships of a few sets of components, of 40 to 60 bytes
// each, and a rare component in a pool. The functions write all columns, or a few of them.
func demo(b *testing.B, n int) (w *ecs.World, all, few func()) {
	b.Helper()
	w = ecs.NewWorld()
	b.Cleanup(func() { w.Close() })
	p, v, h := ecs.Register[position](w), ecs.Register[velocity](w), ecs.Register[heat](w)
	u := ecs.Register[burning](w, ecs.Sparse)
	must(b, w.SpawnMany(n*6/10, nil, p.With(position{}), v.With(velocity{1, 2}), h.With(heat{3})))
	must(b, w.SpawnMany(n*3/10, nil, p.With(position{}), v.With(velocity{1, 2})))
	must(b, w.SpawnMany(n/10, nil, p.With(position{}), h.With(heat{4}), u.With(burning{5})))
	moving, rare := w.Query(ecs.Write(p), ecs.Write(v)), w.Query(ecs.Write(u))
	all = func() {
		for c := range w.Query(ecs.Write(p)).Chunks() {
			p.Mut(c)[0].X++
			if c := v.Mut(c); c != nil {
				c[0].X++
			}
			if c := h.Mut(c); c != nil {
				c[0].V++
			}
		}
		for c := range rare.Chunks() {
			u.Mut(c)[0].Left++
		}
		must(b, w.Step(0))
	}
	few = func() {
		for c := range rare.Chunks() {
			u.Mut(c)[0].Left++
		}
		must(b, w.Step(0))
	}
	for range moving.Chunks() {
		break
	}
	return w, all, few
}

// used returns the bytes that a snapshot of the world copies.
func used(b *testing.B, w *ecs.World) int64 {
	s, err := snapshot.Capture(w)
	must(b, err)
	return s.Bytes()
}

// BenchmarkMemcpy copies as many bytes as a snapshot of everything, in one piece.
func BenchmarkMemcpy(b *testing.B) { sizes(b, memcpy) }

func memcpy(b *testing.B, n int) {
	w, _, _ := demo(b, n)
	size := used(b, w)
	from, to := make([]byte, size), make([]byte, size)
	copy(from, to)
	b.SetBytes(size)
	for b.Loop() {
		copy(to, from)
	}
}

// sizes runs a benchmark for worlds of several sizes.
func sizes(b *testing.B, run func(*testing.B, int)) {
	for _, s := range []struct {
		name string
		n    int
	}{{"10k", 10_000}, {"1M", 1_000_000}} {
		b.Run(s.name, func(b *testing.B) { run(b, s.n) })
	}
}

// BenchmarkUpdateOther copies everything into memory that was used before: two worlds take turns,
// so that nothing can be shared.
func BenchmarkUpdateOther(b *testing.B) { sizes(b, updateOther) }

func updateOther(b *testing.B, n int) {
	w, _, _ := demo(b, n)
	other := ecs.NewWorld()
	defer other.Close()
	s, err := snapshot.Capture(w)
	must(b, err)
	size := s.Bytes()
	must(b, s.Update(other))
	must(b, s.Update(w))
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		must(b, s.Update(other))
		must(b, s.Update(w))
	}
}

// BenchmarkRing captures after each tick: one in which all columns are written, and one that writes
// the rare component.
func BenchmarkRing(b *testing.B) {
	sizes(b, func(b *testing.B, n int) {
		b.Run("all", func(b *testing.B) { ring(b, n, true) })
		b.Run("few", func(b *testing.B) { ring(b, n, false) })
	})
}

func ring(b *testing.B, n int, everything bool) {
	w, all, few := demo(b, n)
	r, err := snapshot.NewRing(w, snapshot.RingOptions{Ticks: 4})
	must(b, err)
	tick := few
	if everything {
		tick = all
	}
	for range 8 {
		tick()
		must(b, r.Capture())
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		tick()
		b.StartTimer()
		must(b, r.Capture())
	}
}

// BenchmarkRestore goes back over a tick in which all columns were written.
func BenchmarkRestore(b *testing.B) { sizes(b, restore) }

func restore(b *testing.B, n int) {
	w, all, _ := demo(b, n)
	s, err := snapshot.Capture(w)
	must(b, err)
	for range b.N {
		b.StopTimer()
		all()
		b.StartTimer()
		must(b, snapshot.Restore(w, s))
	}
}
