package kit_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// field is a world with the kit and the handles to fill it.
type field struct {
	*ecs.World
	kit      *kit.Kit
	position ecs.Component[kit.Position]
	velocity ecs.Component[kit.Velocity]
	collider ecs.Component[kit.Collider]
	box      ecs.Component[kit.Box]
	edge     ecs.Component[kit.Edge]
	hits     ecs.Event[kit.Collision]
	reader   *ecs.Reader
}

func newField(t testing.TB) *field { return newWarnedField(t, func(string) {}) }

func newWarnedField(t testing.TB, warn func(string)) *field {
	return newFieldOf(t, kit.Options{Warn: warn})
}

// newRoomyField is newField where a test may have as many events as it likes.
func newRoomyField(t testing.TB) *field {
	f := newFieldOf(t, kit.Options{Warn: func(string) {}, Limit: 1 << 30})
	ecs.Resource[kit.Collisions](f.World).Limit = 10_000
	return f
}

func newFieldOf(t testing.TB, options kit.Options) *field {
	w, err := ecs.Open(ecs.Options{Tag: 7})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	k, err := kit.Install(w, options)
	if err != nil {
		t.Fatal(err)
	}
	hits := ecs.RegisterEvent[kit.Collision](w)
	return &field{w, k, ecs.Register[kit.Position](w), ecs.Register[kit.Velocity](w),
		ecs.Register[kit.Collider](w), ecs.Register[kit.Box](w), ecs.Register[kit.Edge](w), hits, hits.Reader("test")}
}

func (f *field) step(t testing.TB, dt float64) {
	t.Helper()
	if err := f.Step(dt); err != nil {
		t.Fatal(err)
	}
}

// scatter fills the field with random circles: bullets that look for enemies,
// enemies that look for each other now and then, and a few large ones.
func (f *field) scatter(r *rand.Rand, n int, extent float64) {
	for range n {
		c := kit.Collider{Radius: r.Float32() * 8, Layer: r.Uint32N(8), Mask: r.Uint32N(8)}
		if r.IntN(50) == 0 {
			c.Radius = r.Float32() * float32(extent)
		}
		p := kit.Position{X: (r.Float64() - 0.3) * extent, Y: (r.Float64() - 0.3) * extent}
		f.Spawn(f.position.With(p), f.collider.With(c))
	}
}

// bruteForce compares everyone with everyone.
func (f *field) bruteForce() []kit.Collision {
	var found []kit.Collision
	q := f.Query(ecs.Read(f.position), ecs.Read(f.collider))
	for a, ra := range ecs.Rows2(q, f.position, f.collider) {
		for b, rb := range ecs.Rows2(q, f.position, f.collider) {
			sees, seen := ra.B.Mask&rb.B.Layer != 0, rb.B.Mask&ra.B.Layer != 0
			if a != b && sees && (!seen || a < b) && touch(ra, rb) {
				found = append(found, kit.Collision{A: a, B: b})
			}
		}
	}
	return found
}

func touch(a, b ecs.Row2[kit.Position, kit.Collider]) bool {
	dx, dy := a.A.X-b.A.X, a.A.Y-b.A.Y
	r := float64(a.B.Radius) + float64(b.B.Radius)
	return float64(dx*dx)+float64(dy*dy) <= r*r
}

func sorted(hits []kit.Collision) []kit.Collision {
	slices.SortFunc(hits, func(a, b kit.Collision) int {
		if a.A != b.A {
			return int(a.A.Index()) - int(b.A.Index())
		}
		return int(a.B.Index()) - int(b.B.Index())
	})
	return hits
}

func TestCollisionsMatchBruteForce(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		extent := math.Pow(10, r.Float64()*5-1) // from a heap to a desert
		f := newField(t)
		f.scatter(r, 1+r.IntN(300), extent)
		f.step(t, 0)
		got, want := sorted(slices.Collect(f.hits.Read(f.reader))), sorted(f.bruteForce())
		if ecs.Resource[kit.Collisions](f.World).Dropped > 0 {
			got, want = nil, want[:0]
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, extent %g: %d pairs, brute force finds %d", seed, extent, len(got), len(want))
		}
	}
}

func TestNearestMatchesBruteForce(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		f := newField(t)
		f.scatter(r, 200, 500)
		f.step(t, 0)
		for range 50 {
			x, y, reach, mask := r.Float64()*500, r.Float64()*500, r.Float64()*100, r.Uint32N(8)
			if got, want := f.kit.Nearest(x, y, reach, mask), f.nearest(x, y, reach, mask); got != want {
				t.Fatalf("seed %d: nearest(%g, %g, %g, %d) = %v, want %v", seed, x, y, reach, mask, got, want)
			}
		}
	}
}

func (f *field) nearest(x, y, reach float64, mask uint32) (best ecs.Entity) {
	square := reach * reach
	for e, r := range ecs.Rows2(f.Query(ecs.Read(f.position), ecs.Read(f.collider)), f.position, f.collider) {
		dx, dy := r.A.X-x, r.A.Y-y
		if d := float64(dx*dx) + float64(dy*dy); r.B.Layer&mask != 0 && d <= square {
			best, square = e, d
		}
	}
	return best
}

func TestNearestPassesOverTheDead(t *testing.T) {
	f := newField(t)
	near := f.Spawn(f.position.With(kit.Position{X: 1}), f.collider.With(kit.Collider{Layer: 1}))
	next := f.Spawn(f.position.With(kit.Position{X: 2}), f.collider.With(kit.Collider{Layer: 1}))
	f.step(t, 0)
	if err := f.Despawn(near); err != nil {
		t.Fatal(err)
	}
	if got := f.kit.Nearest(0, 0, 10, 1); got != next {
		t.Errorf("nearest is %v, want %v", got, next)
	}
	if got := f.kit.Nearest(math.NaN(), 0, 10, 1); got != 0 {
		t.Errorf("nearest to nowhere is %v, want none", got)
	}
}

// Whoever looks is a; if both look, the one with the smaller handle is.
func TestWhoIsA(t *testing.T) {
	for _, c := range []struct {
		first, second kit.Collider
		want          string
	}{
		{kit.Collider{Layer: 1}, kit.Collider{Layer: 2}, ""},
		{kit.Collider{Layer: 1, Mask: 2}, kit.Collider{Layer: 2}, "first second"},
		{kit.Collider{Layer: 1}, kit.Collider{Layer: 2, Mask: 1}, "second first"},
		{kit.Collider{Layer: 1, Mask: 2}, kit.Collider{Layer: 2, Mask: 1}, "first second"},
		{kit.Collider{Mask: 2}, kit.Collider{Layer: 2, Mask: 1}, "first second"},
		{kit.Collider{Layer: 4, Mask: 8}, kit.Collider{Layer: 4, Mask: 8}, ""},
	} {
		f := newField(t)
		first := f.Spawn(f.position.With(kit.Position{}), f.collider.With(c.first))
		second := f.Spawn(f.position.With(kit.Position{}), f.collider.With(c.second))
		names := map[ecs.Entity]string{first: "first", second: "second"}
		f.step(t, 0)
		got := ""
		for hit := range f.hits.Read(f.reader) {
			got += names[hit.A] + " " + names[hit.B]
		}
		if got != c.want {
			t.Errorf("%+v, %+v: %q, want %q", c.first, c.second, got, c.want)
		}
	}
}

func TestTheLimitCounts(t *testing.T) {
	f := newField(t)
	for range 10 {
		f.Spawn(f.position.With(kit.Position{}), f.collider.With(kit.Collider{Layer: 1, Mask: 1}))
	}
	counts := ecs.Resource[kit.Collisions](f.World)
	counts.Limit = 30
	f.step(t, 0)
	if n := f.reader.Len(); n != 30 || counts.Pairs != 45 || counts.Dropped != 15 {
		t.Errorf("%d events, %+v", n, *counts)
	}
	counts.Limit = -1
	f.step(t, 0)
	if counts.Pairs != 90 || counts.Dropped != 60 {
		t.Errorf("after a negative limit: %+v", *counts)
	}
}

func TestNumbersThatAreNone(t *testing.T) {
	f := newField(t)
	ecs.Resource[kit.Arena](f.World).Edge = kit.None // an edge would bring them back
	for _, x := range []float64{0, math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300} {
		for _, r := range []float32{1, -1, float32(math.NaN()), float32(math.Inf(1))} {
			f.Spawn(f.position.With(kit.Position{X: x}), f.collider.With(kit.Collider{Radius: r, Layer: 1, Mask: 1}),
				f.velocity.With(kit.Velocity{X: x}))
		}
	}
	f.step(t, 0)
	f.step(t, 1)
	if n := f.reader.Len(); n != 0 {
		t.Errorf("%d collisions of colliders that are nowhere", n)
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	run := func() (sums []uint64) {
		f := newField(t)
		f.swarm(2000, true)
		for range 50 {
			f.step(t, 1.0/60)
			sums = append(sums, f.Checksum())
			for hit := range f.hits.Read(f.reader) {
				sums = append(sums, uint64(hit.A), uint64(hit.B))
			}
		}
		return sums
	}
	if a, b := run(), run(); !slices.Equal(a, b) {
		t.Error("two worlds of the same history differ")
	}
}

// swarm spawns moving circles; one in ten is a bullet that looks for the
// others, or, with everyone, all look for all.
func (f *field) swarm(n int, everyone bool) {
	r := rand.New(rand.NewPCG(1, 1))
	arena := ecs.Resource[kit.Arena](f.World)
	arena.Width, arena.Height = 2000, 2000
	for i := range n {
		c := kit.Collider{Radius: 5, Layer: 1}
		switch {
		case everyone:
			c.Mask = 1
		case i%10 == 0:
			c = kit.Collider{Radius: 2, Layer: 2, Mask: 1}
		}
		f.Spawn(f.position.With(kit.Position{X: r.Float64() * 2000, Y: r.Float64() * 2000}),
			f.velocity.With(kit.Velocity{X: r.NormFloat64() * 50, Y: r.NormFloat64() * 50}), f.collider.With(c))
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	f := newField(t)
	f.swarm(3000, true)
	step := func() {
		f.step(t, 1.0/60)
		for range f.reader.Events() {
		}
	}
	for range 200 {
		step()
	}
	if n := testing.AllocsPerRun(100, step); n > 0 {
		t.Errorf("%v allocations per tick", n)
	}
}

func BenchmarkCollide(b *testing.B) {
	for _, everyone := range []bool{false, true} {
		b.Run(fmt.Sprintf("everyone=%v", everyone), func(b *testing.B) {
			f := newField(b)
			f.swarm(10_000, everyone)
			b.ReportAllocs()
			for b.Loop() {
				f.step(b, 1.0/60)
				for range f.reader.Events() {
				}
			}
			for _, s := range f.Schedule().Stats(nil) {
				b.ReportMetric(float64(s.Total.Microseconds())/float64(s.Runs), s.Name+"-µs")
			}
			b.ReportMetric(float64(ecs.Resource[kit.Collisions](f.World).Pairs)/float64(b.N), "pairs")
		})
	}
}

// TestACrowdIsBounded: on one spot are more than can be compared, and far from it
// an ordinary world, in which nothing may be missed.
func TestACrowdIsBounded(t *testing.T) {
	for _, form := range []string{"before", "after"} { // the crowd comes first in the query, or last
		var warned []string
		f := newFieldOf(t, kit.Options{Warn: func(text string) { warned = append(warned, text) }, Limit: 1_000_000, Work: 100_000})
		counts := ecs.Resource[kit.Collisions](f.World)
		everyone := kit.Collider{Radius: 1, Layer: 1, Mask: 1}
		crowd := func() {
			for range 3000 {
				f.Spawn(f.position.With(kit.Position{X: 5000, Y: -5000}), f.collider.With(everyone))
			}
		}
		if form == "before" {
			crowd()
		}
		far := map[ecs.Entity]bool{}
		r := rand.New(rand.NewPCG(1, 9))
		for range 1000 {
			far[f.Spawn(f.position.With(kit.Position{X: r.Float64() * 100, Y: r.Float64() * 100}), f.collider.With(everyone))] = true
		}
		f.step(t, 0)
		want := slices.DeleteFunc(slices.Collect(f.hits.Read(f.reader)), func(h kit.Collision) bool { return !far[h.A] })
		if form == "after" {
			crowd()
		}
		for range 3 {
			f.step(t, 0)
			all := slices.Collect(f.hits.Read(f.reader))
			got := slices.DeleteFunc(slices.Clone(all), func(h kit.Collision) bool { return !far[h.A] })
			if !slices.Equal(sorted(got), sorted(want)) {
				t.Errorf("crowd %s: %d pairs far from it, want %d", form, len(got), len(want))
			}
			if n := len(all); n > 100_000+32*4000 {
				t.Errorf("crowd %s: %d pairs were compared", form, n)
			}
		}
		if counts.Cut == 0 || len(warned) != 1 || !strings.Contains(warned[0], "3000 colliders crowd around 5000, -5000, among 4000 in all") {
			t.Errorf("crowd %s: %d cut, warned %q", form, counts.Cut, warned)
		}
		for e := range f.Entities() {
			if !far[e] {
				f.position.Set(e, kit.Position{X: float64(e.Index()%64) * 50, Y: 1e6 + float64(e.Index()/64)*50})
			}
		}
		for range 700 { // calm, and then the crowd comes together again
			f.step(t, 0)
		}
		for e := range f.Entities() {
			f.position.Set(e, kit.Position{})
		}
		f.step(t, 0)
		f.step(t, 0)
		if len(warned) != 2 {
			t.Errorf("crowd %s: warned %q", form, warned)
		}
	}
}

// TestSearchesInACrowdAreBounded: what they miss is counted as well.
func TestSearchesInACrowdAreBounded(t *testing.T) {
	f := newField(t)
	counts := ecs.Resource[kit.Collisions](f.World)
	counts.Work = 10_000
	for range 2000 {
		f.Spawn(f.position.With(kit.Position{}), f.collider.With(kit.Collider{Radius: 1, Layer: 1}))
	}
	alone := f.Spawn(f.position.With(kit.Position{X: 1000}), f.collider.With(kit.Collider{Radius: 1, Layer: 1}))
	f.step(t, 0)
	for range 100 {
		if f.kit.Nearest(0, 0, 10, 1) == 0 || f.kit.Nearest(1000, 0, 10, 1) != alone {
			t.Fatal("a search finds nothing")
		}
	}
	f.step(t, 0)
	if counts.Cut != 95 { // five of them fit into the work
		t.Errorf("%d searches were cut", counts.Cut)
	}
}

// TestNumbersOutOfAllBounds: whatever scripts write, a tick ends, and memory is
// that of the colliders.
func TestNumbersOutOfAllBounds(t *testing.T) {
	odd := []float64{0, 1, -1, 1e-300, 5e-324, 1e9, -1e9, 999999999, 1e18, 1e300, -1e300, math.MaxFloat64,
		math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1), math.SmallestNonzeroFloat32, math.MaxFloat32, 0x1p63, -0x1p63}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 5))
		pick := func() float64 { return odd[r.IntN(len(odd))] }
		f := newField(t)
		arena, counts := ecs.Resource[kit.Arena](f.World), ecs.Resource[kit.Collisions](f.World)
		arena.Width, arena.Height, arena.Edge = pick(), pick(), kit.Rule(r.UintN(7))
		counts.Limit, counts.Work = int(int64(pick())), int(int64(pick()))
		for range 300 {
			f.Spawn(f.position.With(kit.Position{X: pick(), Y: pick()}), f.velocity.With(kit.Velocity{X: pick(), Y: pick()}),
				f.edge.With(kit.Edge{Rule: kit.Rule(r.UintN(7))}),
				f.collider.With(kit.Collider{Radius: float32(pick()), Layer: r.Uint32(), Mask: r.Uint32()}))
		}
		for range 5 {
			f.step(t, 1e-3)
			f.kit.Nearest(pick(), pick(), pick(), r.Uint32())
		}
		if err := f.Check(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLargeOnesAreBounded: a quarter of all is so large that everyone meets it.
func TestLargeOnesAreBounded(t *testing.T) {
	f := newField(t)
	counts := ecs.Resource[kit.Collisions](f.World)
	counts.Work = 50_000
	for i := range 4000 {
		c := kit.Collider{Radius: 1, Layer: 1, Mask: 1}
		if i%6 == 0 {
			c.Radius = 5000
		}
		f.Spawn(f.position.With(kit.Position{X: float64(i) * 3}), f.collider.With(c))
	}
	f.step(t, 0)
	if most := uint64(50_000 + 32*4000); counts.Pairs > most || counts.Cut == 0 {
		t.Errorf("%d pairs, %d searches cut", counts.Pairs, counts.Cut)
	}
}

// TestCrowdsKeepToTheWork: whatever stands on one spot, and however few of them look, colliders are
// compared no more often than the work says, boxes half as often. A crowd for which the work is
// enough is whole.
func TestCrowdsKeepToTheWork(t *testing.T) {
	const work = 400_000
	for _, test := range []struct {
		name         string
		bodies, look int
		boxes, whole bool
		most         int // comparisons, where boxes count twice
	}{
		{"few", 630, 630, false, true, work},
		{"many", 3000, 3000, false, false, work},
		{"boxes", 3000, 3000, true, false, work},
		{"few boxes", 440, 440, true, true, work},
		{"few that look", 6000, 60, false, true, work},
		{"very many", 8000, 8000, false, false, work},
		{"so many that each has the least", 16_000, 16_000, false, false, 32 * 16_000},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newField(t)
			box := ecs.Register[kit.Box](f.World)
			counts := ecs.Resource[kit.Collisions](f.World)
			counts.Work = work
			for i := range test.bodies {
				c := kit.Collider{Radius: 5, Layer: 1}
				if i < test.look {
					c.Mask = 1
				}
				e := f.Spawn(f.position.With(kit.Position{X: 10, Y: 10}), f.collider.With(c))
				if test.boxes {
					box.Set(e, kit.Box{Width: 4, Height: 4})
				}
			}
			f.step(t, 0)
			all := uint64(test.look*(test.bodies-test.look) + test.look*(test.look-1)/2)
			if compared := f.kit.Compared(); compared > test.most || compared < int(counts.Pairs) {
				t.Errorf("%d comparisons, %d may be; %d pairs were found", compared, test.most, counts.Pairs)
			}
			if whole := counts.Cut == 0; whole != test.whole || whole != (counts.Pairs == all) {
				t.Errorf("%d searches were cut, %d of %d pairs found", counts.Cut, counts.Pairs, all)
			}
		})
	}
}

// TestACrowdTakesPartOfAFrame: three million comparisons are what a tick has time for, see Cost, and
// however many there are, none has more than 32 beyond that.
func TestACrowdTakesPartOfAFrame(t *testing.T) {
	for _, spots := range []int{1, 5} {
		f := newField(t)
		for i := range 60_000 {
			f.Spawn(f.position.With(kit.Position{X: float64(i%spots) * 3}), f.collider.With(kit.Collider{Radius: 1, Layer: 1, Mask: 1}))
			if n := i + 1; n == 10_000 || n == 30_000 || n == 60_000 {
				f.step(t, 0)
				if compared := f.kit.Compared(); compared < 500_000 || compared > 3_000_000 {
					t.Errorf("%d colliders on %d spots: %d comparisons", n, spots, compared)
				}
			}
		}
		if counts := ecs.Resource[kit.Collisions](f.World); counts.Cut == 0 || counts.Pairs != counts.Dropped+uint64(3*counts.Limit) {
			t.Errorf("%d spots: %+v", spots, *counts)
		}
	}
}

// TestScriptsLowerTheBounds: a script may lower the work and the events of collisions, never raise
// them above what the host has set, or above what the kit has without that.
func TestScriptsLowerTheBounds(t *testing.T) {
	for _, test := range []struct {
		name        string
		options     kit.Options
		write       string // by the script
		limit, work int
	}{
		{"the kit's", kit.Options{}, "", 10_000, 3_000_000},
		{"raised above the kit's", kit.Options{}, "Co.work = 2^53 Co.limit = 2^53", 10_000, 3_000_000},
		{"lowered", kit.Options{}, "Co.work = 200000 Co.limit = 7", 7, 200_000},
		{"raised above the host's", kit.Options{Limit: 20, Work: 300_000}, "Co.work = 2^53 Co.limit = 2^53", 20, 300_000},
		{"the host's", kit.Options{Limit: 20_000, Work: 5_000_000}, "", 20_000, 5_000_000},
		{"below zero", kit.Options{}, "Co.work = -2^53 Co.limit = -2^53", 0, 32 * 2500},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.options.Warn = func(string) {}
			f := newFieldOf(t, test.options)
			host, err := scripting.New(f.World, scripting.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer host.Close()
			if err := host.Load(fstest.MapFS{"a.lua": {Data: []byte(`local ecs = require "ecs" local Co = ecs.resource("Collisions")
ecs.system "s" { run = function() ` + test.write + ` end }`)}}); err != nil {
				t.Fatal(err)
			}
			for range 2500 {
				f.Spawn(f.position.With(kit.Position{X: 5, Y: 5}), f.collider.With(kit.Collider{Radius: 1, Layer: 1, Mask: 1}))
			}
			if err := host.Step(0.01); err != nil {
				t.Fatal(err)
			}
			counts := ecs.Resource[kit.Collisions](f.World)
			if got := f.reader.Len(); got != test.limit {
				t.Errorf("%d events, want %d", got, test.limit)
			}
			if counts.Pairs > uint64(test.work) || test.limit > 0 && test.work < 3_000_000 && counts.Pairs < uint64(test.work)/3 {
				t.Errorf("%d pairs, and %d comparisons may be", counts.Pairs, test.work)
			}
			if counts.Cut == 0 && test.work < 3_000_000 {
				t.Error("no search was cut")
			}
			if got := f.kit.Index().Work; got != max(test.work, -1) && test.write == "" {
				t.Errorf("searches may do %d comparisons", got)
			}
		})
	}
}

// TestTheLimitFallsAnywhere: whatever pair the limit falls on, the events are the first ones, and all others
// are counted.
func TestTheLimitFallsAnywhere(t *testing.T) {
	for _, boxes := range []bool{false, true} {
		r := rand.New(rand.NewPCG(1, 2))
		f := newField(t)
		f.scatter(r, 60, 20)
		if boxes {
			ecs.Register[kit.Box](f.World).Set(slices.Collect(f.Entities())[0], kit.Box{Width: 3, Height: 2})
		}
		counts := ecs.Resource[kit.Collisions](f.World)
		f.step(t, 0)
		all := slices.Collect(f.hits.Read(f.reader))
		if len(all) < 50 {
			t.Fatalf("%d pairs", len(all))
		}
		for limit := range len(all) + 2 {
			*counts = kit.Collisions{Limit: limit, Work: counts.Work}
			f.step(t, 0)
			most := min(limit, len(all))
			if got := slices.Collect(f.hits.Read(f.reader)); !slices.Equal(got, all[:most]) ||
				counts.Pairs != uint64(len(all)) || counts.Dropped != uint64(len(all)-most) {
				t.Errorf("boxes %v, limit %d: %d events, %+v; want %d of %d", boxes, limit, len(got), *counts, most, len(all))
			}
		}
	}
}

func BenchmarkCrowd(b *testing.B) {
	for _, n := range []int{1000, 20_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := newField(b)
			for range n {
				f.Spawn(f.position.With(kit.Position{}), f.collider.With(kit.Collider{Radius: 5, Layer: 1, Mask: 1}))
			}
			for b.Loop() {
				f.step(b, 1.0/60)
				for range f.reader.Events() {
				}
			}
		})
	}
}

// TestTheIndexOfTheKitIsTheKits: nobody can take the colliders out of it, or put others in.
func TestTheIndexOfTheKitIsTheKits(t *testing.T) {
	f := newField(t)
	e := f.Spawn(f.position.With(kit.Position{X: 5}), f.collider.With(kit.Collider{Radius: 1, Layer: 1}))
	for _, when := range []string{"before the first tick", "after it"} {
		x := f.kit.Index()
		x.Clear()
		if x.Add(kit.Body{Entity: e, X: 500, Layer: 1}) {
			t.Errorf("%s: another body was added", when)
		}
		if when == "after it" {
			break
		}
		f.step(t, 1)
	}
	if hits, _ := f.kit.Index().Within(nil, 5, 0, 1000, kit.Filter{}); len(hits) != 1 || hits[0].Distance != 0 {
		t.Errorf("found %v, want the collider where it is", hits)
	}
}

// BenchmarkCrowds: many stand on few spots.
func BenchmarkCrowds(b *testing.B) {
	for _, spots := range []int{1, 35, 1000} {
		b.Run(fmt.Sprint(spots), func(b *testing.B) {
			f := newField(b)
			r := rand.New(rand.NewPCG(1, 1))
			at := make([]kit.Position, spots)
			for i := range at {
				at[i] = kit.Position{X: r.Float64() * 8, Y: r.Float64() * 8}
			}
			for range 30_000 {
				f.Spawn(f.position.With(at[r.IntN(spots)]), f.collider.With(kit.Collider{Radius: 1, Layer: 1 << r.IntN(2), Mask: 1}))
			}
			for b.Loop() {
				f.step(b, 1.0/60)
				for range f.reader.Events() {
				}
			}
		})
	}
}
