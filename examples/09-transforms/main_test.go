package main

import (
	"bytes"
	"math"
	"os"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

func TestOutput(t *testing.T) {
	want, err := os.ReadFile("testdata/output.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := run(&got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("output:\n%swant:\n%s", got.Bytes(), want)
	}
}

// forest makes n nodes in trees with four children each, and returns the roots.
func forest(tb testing.TB, n int) (*family, []ecs.Entity) {
	tb.Helper()
	const roots = 10
	w := ecs.NewWorld()
	tb.Cleanup(func() { w.Close() })
	f, err := newFamily(w)
	if err != nil {
		tb.Fatal(err)
	}
	var all []ecs.Entity
	for i := range n {
		parent := ecs.Entity(0)
		if i >= roots {
			parent = all[(i-roots)/4]
		}
		e, err := f.spawn(parent, kit.Transform{X: 1, Angle: float64(i), Scale: 1})
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, e)
	}
	return f, all[:roots]
}

// TestEveryNodeIsWhereItsPathLeads compares with a walk up from each node.
func TestEveryNodeIsWhereItsPathLeads(t *testing.T) {
	f, roots := forest(t, 500)
	if err := f.Step(1); err != nil {
		t.Fatal(err)
	}
	f.local.Edit(roots[3]).Angle++
	if err := f.Step(1); err != nil {
		t.Fatal(err)
	}
	for e := range f.Entities() {
		var path []kit.Transform
		for up := e; up != 0; up = f.Parent(up) {
			l, _ := f.local.Get(up)
			path = append(path, l)
		}
		want := kit.GlobalTransform{Scale: 1}
		for i := range path {
			want = want.Then(path[len(path)-1-i])
		}
		if got, _ := f.global.Get(e); math.Hypot(got.X-want.X, got.Y-want.Y) > 1e-9 {
			t.Fatalf("%v is at %+v, want %+v", e, got, want)
		}
	}
}

// BenchmarkTenThousandNodes turns every root in each tick, or nothing.
func BenchmarkTenThousandNodes(b *testing.B) {
	for name, n := range map[string]int{"every root turns": 10, "nothing turns": 0} {
		b.Run(name, func(b *testing.B) {
			f, roots := forest(b, 10_000)
			for b.Loop() {
				for _, root := range roots[:n] {
					f.local.Edit(root).Angle++
				}
				if err := f.Step(1); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/node")
		})
	}
}
