package main

import (
	"bytes"
	"math"
	"os"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
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
func forest(tb testing.TB, n int) (*transforms, []ecs.Entity) {
	tb.Helper()
	const roots = 10
	w := ecs.NewWorld()
	tb.Cleanup(func() { w.Close() })
	t := newTransforms(w)
	var all []ecs.Entity
	for i := range n {
		parent := ecs.Entity(0)
		if i >= roots {
			parent = all[(i-roots)/4]
		}
		e, err := t.spawn(parent, Local{X: 1, Angle: float64(i), Scale: 1})
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, e)
	}
	return t, all[:roots]
}

// TestEveryNodeIsWhereItsPathLeads compares with a walk up from each node.
func TestEveryNodeIsWhereItsPathLeads(t *testing.T) {
	tr, _ := forest(t, 500)
	if err := tr.run(nil); err != nil || tr.placed != 500 {
		t.Fatalf("placed %d: %v", tr.placed, err)
	}
	for e := range tr.world.Entities() {
		var path []Local
		for up := e; up != 0; up = tr.world.Parent(up) {
			l, _ := tr.local.Get(up)
			path = append(path, l)
		}
		want := Global{Scale: 1}
		for i := range path {
			want = want.then(path[len(path)-1-i])
		}
		if got, _ := tr.global.Get(e); math.Hypot(got.X-want.X, got.Y-want.Y) > 1e-9 {
			t.Fatalf("%v is at %+v, want %+v", e, got, want)
		}
	}
	if err := tr.run(nil); err != nil || tr.placed != 0 {
		t.Errorf("nothing has moved, %d placed: %v", tr.placed, err)
	}
}

// BenchmarkTenThousandNodes moves every root, or one.
func BenchmarkTenThousandNodes(b *testing.B) {
	for name, n := range map[string]int{"every root moves": 10, "one root moves": 1} {
		b.Run(name, func(b *testing.B) {
			t, roots := forest(b, 10_000)
			if err := t.run(nil); err != nil {
				b.Fatal(err)
			}
			placed := 0
			for b.Loop() {
				for i, root := range roots[:n] {
					if err := t.move(root, Local{X: float64(i), Scale: 1}); err != nil {
						b.Fatal(err)
					}
				}
				if err := t.run(nil); err != nil {
					b.Fatal(err)
				}
				placed += t.placed
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(placed), "ns/node")
		})
	}
}
