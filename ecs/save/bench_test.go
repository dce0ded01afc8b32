package save_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// million opens a world of a million entities of 56 MB, of three kinds.
func million(b *testing.B) *ecs.World {
	w, err := ecs.Open(ecs.Options{MaxBytes: 1 << 30, Tag: 3})
	must(b, err)
	b.Cleanup(func() { w.Close() })
	type place struct{ X, Y float64 }
	type speed struct{ X, Y float64 }
	type health struct{ HP, Max, Regen float32 }
	p, v, h := ecs.Register[place](w), ecs.Register[speed](w), ecs.Register[health](w)
	for i := range 1_000_000 {
		values := []ecs.Value{p.With(place{float64(i), 1})}
		if i%2 == 0 {
			values = append(values, v.With(speed{1, float64(i)}))
		}
		if i%4 == 0 {
			values = append(values, h.With(health{50, 100, 5}))
		}
		w.Spawn(values...)
	}
	return w
}

// BenchmarkMillion: captured (for so long a tick is held), written, loaded; beside a copy of as many
// bytes.
func BenchmarkMillion(b *testing.B) {
	w := million(b)
	s, err := snapshot.Capture(w)
	must(b, err)
	var text bytes.Buffer
	must(b, save.Write(&text, s, save.Options{}))
	b.Run("copy", func(b *testing.B) {
		to := make([]byte, text.Len())
		b.SetBytes(int64(text.Len()))
		for b.Loop() {
			copy(to, text.Bytes())
		}
	})
	b.Run("update", func(b *testing.B) {
		b.SetBytes(int64(text.Len()))
		for b.Loop() {
			must(b, s.Update(w))
		}
	})
	b.Run("capture", func(b *testing.B) {
		b.SetBytes(int64(text.Len()))
		for b.Loop() {
			_, err := snapshot.Capture(w)
			must(b, err)
		}
	})
	b.Run("write", func(b *testing.B) {
		b.SetBytes(int64(text.Len()))
		for b.Loop() {
			must(b, save.Write(io.Discard, s, save.Options{}))
		}
	})
	b.Run("load", func(b *testing.B) {
		b.SetBytes(int64(text.Len()))
		for b.Loop() {
			_, err := load(w, text.Bytes(), save.LoadOptions{})
			must(b, err)
		}
	})
}
