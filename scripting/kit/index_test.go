package kit

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// place is a world of bodies, in an index and as a plain list.
type place struct {
	world  *ecs.World
	index  *Index
	bodies []body
	r      *rand.Rand
	scale  float64
}

// shapesOfWorlds are the ways in which a world may be filled: what they return is one
// coordinate.
var shapesOfWorlds = map[string]func(r *rand.Rand, scale float64) float64{
	"evenly":    func(r *rand.Rand, scale float64) float64 { return (r.Float64() - 0.5) * scale },
	"one spot":  func(*rand.Rand, float64) float64 { return 37 },
	"in heaps":  func(r *rand.Rand, scale float64) float64 { return float64(r.IntN(3))*scale*50 + r.Float64() },
	"round":     func(r *rand.Rand, scale float64) float64 { return float64(r.IntN(8)-4) * 1024 },
	"far":       func(r *rand.Rand, scale float64) float64 { return 999_999_000 + r.Float64()*999 },
	"extreme":   func(r *rand.Rand, scale float64) float64 { return extremes[r.IntN(len(extremes))] },
	"some away": func(r *rand.Rand, scale float64) float64 { return r.NormFloat64() * math.Exp(r.Float64()*20) },
}

var extremes = []float64{0, 1, -1, 1e-300, 5e-324, 1e9, -1e9, 999_999_999, -999_999_999, 1e18, 1e300, -1e300,
	math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1), 0x1p63}

// newPlace fills a world with n bodies, and has some of them die once they are in the index.
func newPlace(t *testing.T, r *rand.Rand, n int, coordinate func(*rand.Rand, float64) float64) *place {
	t.Helper()
	w := ecs.NewWorld()
	t.Cleanup(func() { w.Close() })
	p := &place{world: w, index: NewIndex(w), r: r, scale: math.Pow(10, r.Float64()*5-1)}
	for range n {
		b := Body{Entity: w.Spawn(), X: coordinate(r, p.scale), Y: coordinate(r, p.scale), Layer: r.Uint32N(8)}
		switch r.IntN(4) {
		case 0:
			b.Radius = r.Float32() * float32(p.scale) / 20
		case 1:
			b.Width, b.Height = r.Float32()*float32(p.scale)/20, r.Float32()*2
		case 2:
			b.Radius = r.Float32() * float32(p.scale) * float32(r.IntN(2))
		}
		sane := known(b.X) && known(b.Y) && b.Layer != 0
		if added := p.index.Add(b); added != sane {
			t.Fatalf("Add(%+v) is %v", b, added)
		}
		if sane {
			p.bodies = append(p.bodies, p.index.all[len(p.index.all)-1])
		}
	}
	for _, b := range p.bodies {
		if r.IntN(5) == 0 {
			if err := w.Despawn(b.entity); err != nil {
				t.Fatal(err)
			}
			w.Spawn() // somebody else may get the slot
		}
	}
	return p
}

// model is the slow search: it looks at all bodies. distance returns the square of a body's
// distance, and whether it is found.
func (p *place) model(f Filter, distance func(b *body) (float64, bool)) []Hit {
	var all []Hit
	for i := range p.bodies {
		b := &p.bodies[i]
		d, ok := distance(b)
		layers := f.Mask == 0 || b.layer&f.Mask != 0
		if ok && layers && b.entity != f.Except && p.world.Alive(b.entity) && (f.Keep == nil || f.Keep(b.entity)) {
			all = append(all, Hit{b.entity, d})
		}
	}
	slices.SortFunc(all, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Entity, b.Entity))
	})
	if f.Most > 0 && len(all) > f.Most {
		all = all[:f.Most]
	}
	for i := range all {
		all[i].Distance = math.Sqrt(all[i].Distance)
	}
	return all
}

// filter makes a random filter.
func (p *place) filter() (f Filter) {
	if p.r.IntN(2) == 0 {
		f.Mask = p.r.Uint32N(8)
	}
	if p.r.IntN(3) == 0 {
		f.Most = 1 + p.r.IntN(20)
	}
	if len(p.bodies) > 0 && p.r.IntN(2) == 0 {
		f.Except = p.bodies[p.r.IntN(len(p.bodies))].entity
	}
	if p.r.IntN(4) == 0 {
		f.Keep = func(e ecs.Entity) bool { return e.Index()%3 != 0 }
	}
	return f
}

// judge compares what a search has found with the model.
func (p *place) judge(t *testing.T, what string, got []Hit, whole bool, want []Hit) {
	t.Helper()
	if before := (Hit{Distance: -7}); len(got) == 0 || got[0] != before {
		t.Fatalf("%s has not left what was in dst", what)
	}
	if got = got[1:]; !whole || !slices.Equal(got, want) {
		t.Fatalf("%s found %d (whole %v)\n%v\nand the model %d\n%v", what, len(got), whole, got, len(want), want)
	}
}

// TestSearchesMatchTheModel: in worlds of all shapes, each search finds what a look at all
// bodies finds, in the same order, with the same distances.
func TestSearchesMatchTheModel(t *testing.T) {
	for name, coordinate := range shapesOfWorlds {
		t.Run(name, func(t *testing.T) {
			found := 0
			for seed := range uint64(25) {
				r := rand.New(rand.NewPCG(seed, 3))
				p := newPlace(t, r, r.IntN(400)*r.IntN(2), coordinate)
				for range 40 {
					found += p.compare(t, coordinate)
				}
			}
			if found < 500 {
				t.Errorf("the searches have found %d in all: that judges nothing", found)
			}
		})
	}
}

// compare makes each search once, and compares it with the model. It returns how many they found.
func (p *place) compare(t *testing.T, coordinate func(*rand.Rand, float64) float64) int {
	t.Helper()
	x, y, x2, y2, f := coordinate(p.r, p.scale), coordinate(p.r, p.scale), coordinate(p.r, p.scale), coordinate(p.r, p.scale), p.filter()
	radius := math.Exp(p.r.Float64()*24 - 8)
	switch p.r.IntN(8) {
	case 0:
		radius = extremes[p.r.IntN(len(extremes))]
	case 1:
		radius = math.Abs(x - x2) // somebody may be just there
	}
	dst := []Hit{{Distance: -7}}
	at := func(b *body) (float64, bool) {
		dx, dy := b.x-x, b.y-y
		d := float64(dx*dx) + float64(dy*dy)
		return d, known(x) && known(y) && radius >= 0 && d <= radius*radius
	}
	want := p.model(f, at)
	got, whole := p.index.Within(dst, x, y, radius, f)
	p.judge(t, "Within", got, whole, want)
	if n, whole := p.index.Count(x, y, radius, f); n != len(want) || !whole {
		t.Fatalf("Count is %d (whole %v), want %d", n, whole, len(want))
	}

	f.Most = p.r.IntN(30)
	want = nil
	if f.Most > 0 {
		want = p.model(f, at)
	}
	got, whole = p.index.Nearest(dst, x, y, radius, f.Most, f)
	p.judge(t, "Nearest", got, whole, want)

	f = p.filter()
	want = p.model(f, func(b *body) (float64, bool) {
		dx, dy := b.x-(x/2+x2/2), b.y-(y/2+y2/2)
		return float64(dx*dx) + float64(dy*dy), known(x) && known(y) && known(x2) && known(y2) &&
			b.x >= min(x, x2) && b.x <= max(x, x2) && b.y >= min(y, y2) && b.y <= max(y, y2)
	})
	got, whole = p.index.InBox(dst, x, y, x2, y2, f)
	p.judge(t, "InBox", got, whole, want)

	f = p.filter()
	ray := newSegment(x, y, x2, y2)
	want = p.model(f, func(b *body) (float64, bool) {
		d, ok := ray.meets(b)
		return d * d, ok && known(x) && known(y) && known(x2) && known(y2)
	})
	got, whole = p.index.Ray(dst, x, y, x2, y2, f)
	p.judge(t, "Ray", got, whole, want)
	first, whole := p.index.First(x, y, x2, y2, f)
	if len(want) == 0 {
		want = []Hit{{}}
	}
	p.judge(t, "First", []Hit{dst[0], first}, whole, want[:1])
	return len(got)
}

// TestRaysMeetShapes: where a ray meets circles and boxes, by hand.
func TestRaysMeetShapes(t *testing.T) {
	circle := Body{X: 10, Y: 0, Radius: 2, Layer: 1}
	box := Body{X: 10, Y: 0, Width: 6, Height: 2, Layer: 1}
	for _, c := range []struct {
		name           string
		body           Body
		x1, y1, x2, y2 float64
		want           float64 // -1: no hit
	}{
		{"head on", circle, 0, 0, 100, 0, 8},
		{"from the other side", circle, 100, 0, 0, 0, 88},
		{"up", Body{Radius: 2, X: 5, Y: 10, Layer: 1}, 5, 0, 5, 20, 8},
		{"it ends before", circle, 0, 0, 7.9, 0, -1},
		{"it ends in it", circle, 0, 0, 9, 0, 8},
		{"it goes away", circle, 0, 0, -100, 0, -1},
		{"it begins in it", circle, 9, 1, 100, 1, 0},
		{"it begins behind it", circle, 12.5, 0, 100, 0, -1},
		{"it passes by", circle, 0, 2.1, 100, 2.1, -1},
		{"it touches", circle, 0, 2, 100, 2, 10},
		{"a point in it", circle, 9, 0, 9, 0, 0},
		{"a point beside it", circle, 7, 0, 7, 0, -1},
		{"a point is hit", Body{X: 3, Y: 4, Layer: 1}, 0, 0, 6, 8, 5},
		{"a box, head on", box, 0, 0, 100, 0, 7},
		{"a box, from above", box, 12, 50, 12, -50, 49},
		{"a box, past its corner", box, 12.9, 2, 14.1, 0, -1},
		{"a box, along its side", box, 0, 1, 100, 1, 7},
		{"a box, beside its side", box, 0, 1.01, 100, 1.01, -1},
		{"from within a box", box, 10, 0, 100, 0, 0},
		{"far from the origin", Body{X: 9e8, Y: 9e8, Radius: 0.5, Layer: 1}, 9e8 - 100, 9e8, 9e8 + 100, 9e8, 99.5},
	} {
		x := NewIndex(nil)
		c.body.Entity = 5
		x.Add(c.body)
		hit, _ := x.First(c.x1, c.y1, c.x2, c.y2, Filter{})
		if found := hit.Entity != 0; found != (c.want >= 0) || found && math.Abs(hit.Distance-c.want) > 1e-6 {
			t.Errorf("%s: %+v, want %g", c.name, hit, c.want)
		}
	}
}

// TestAnIndexIsFilledAgain: what was cleared is not found any more.
func TestAnIndexIsFilledAgain(t *testing.T) {
	x := NewIndex(nil)
	x.Add(Body{Entity: 1, Layer: 1})
	if n, _ := x.Count(0, 0, 1, Filter{}); n != 1 {
		t.Errorf("%d found, want 1", n)
	}
	x.Add(Body{Entity: 2, Layer: 1})
	if n, _ := x.Count(0, 0, 1, Filter{}); n != 2 {
		t.Errorf("%d found after another Add, want 2", n)
	}
	x.Clear()
	if n, _ := x.Count(0, 0, 1, Filter{}); n != 0 || x.Len() != 0 {
		t.Errorf("%d found after Clear, of %d", n, x.Len())
	}
	x.Add(Body{Entity: 3, Layer: 1})
	if hits, _ := x.Within(nil, 0, 0, 1, Filter{}); len(hits) != 1 || hits[0].Entity != 3 {
		t.Errorf("%v found after Clear and Add", hits)
	}
}

// TestSearchesOfACrowdAreBounded: ten thousand searches on a spot where fifty thousand are.
func TestSearchesOfACrowdAreBounded(t *testing.T) {
	x := NewIndex(nil)
	x.Work = 1_000_000
	for i := range 50_000 {
		x.Add(Body{Entity: ecs.Entity(i + 1), X: 7, Y: 7, Radius: 1, Layer: 1})
	}
	x.Add(Body{Entity: 99_999, X: 5000, Y: 7, Radius: 1, Layer: 1})
	var hits []Hit
	compared, whole, cut := 0, 0, 0
	for i := range 10_000 {
		var all bool
		switch i % 4 {
		case 0:
			hits, all = x.Within(hits[:0], 7, 7, 1, Filter{})
		case 1:
			hits, all = x.InBox(hits[:0], 0, 0, 10, 10, Filter{})
		case 2:
			hits, all = x.Nearest(hits[:0], 7, 8, 10, 100_000, Filter{})
		case 3:
			hits, all = x.Ray(hits[:0], 0, 7, 100, 7, Filter{})
		}
		compared += len(hits) // everything that it looks at is a hit
		if len(hits) == 0 {
			t.Fatal("a search finds nothing")
		}
		if all {
			whole++
		} else {
			cut++
		}
		if hits, all = x.Within(hits[:0], 5000, 7, 2, Filter{}); !all || len(hits) != 1 {
			t.Fatalf("far from the crowd %d are found, whole %v", len(hits), all)
		}
	}
	if most := 1_000_000 + 64*10_000; compared > most || whole < 5 || x.Cut() != uint64(cut) {
		t.Errorf("%d comparisons, want at most %d; %d searches were whole, want some; Cut is %d", compared, most, whole, x.Cut())
	}
}

// TestSearchesAllocateNothing: once its memory has grown.
func TestSearchesAllocateNothing(t *testing.T) {
	source := rand.NewPCG(1, 1)
	r := rand.New(source)
	x := NewIndex(nil)
	hits := make([]Hit, 0, 4096)
	round := func() {
		source.Seed(1, 1) // the same each time, so that nothing has to grow
		x.Clear()
		for i := range 2000 {
			x.Add(Body{Entity: ecs.Entity(i + 1), X: r.Float64() * 1000, Y: r.Float64() * 1000, Radius: 3, Layer: 1})
		}
		for range 50 {
			at := r.Float64() * 1000
			hits, _ = x.Within(hits[:0], at, at, 50, Filter{Mask: 1})
			hits, _ = x.InBox(hits[:0], at, at, at+30, at+90, Filter{})
			hits, _ = x.Nearest(hits[:0], at, at, 1000, 8, Filter{})
			hits, _ = x.Ray(hits[:0], 0, at, 1000, at, Filter{})
			_, _ = x.First(0, at, 1000, at, Filter{})
			_, _ = x.Count(at, at, 20, Filter{})
		}
	}
	if n := testing.AllocsPerRun(3, round); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestMemoryOfAnIndexIsBounded: searches of all sizes make eight widths of cells at most.
func TestMemoryOfAnIndexIsBounded(t *testing.T) {
	x := NewIndex(nil)
	for i := range 1000 {
		x.Add(Body{Entity: ecs.Entity(i + 1), X: float64(i), Layer: 1})
	}
	for radius := 1e-3; radius < 1e12; radius *= 2 {
		_, _ = x.Within(nil, 0, 0, radius, Filter{})
	}
	if x.n != maxLevels {
		t.Errorf("%d widths, want %d", x.n, maxLevels)
	}
}

// BenchmarkSearch has 10,000 bodies on 2000 by 2000; "all" is the loop over all of them.
func BenchmarkSearch(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	x := NewIndex(nil)
	for i := range 10_000 {
		x.Add(Body{Entity: ecs.Entity(i + 1), X: r.Float64() * 2000, Y: r.Float64() * 2000, Radius: 5, Layer: 1})
	}
	x.Work = math.MaxInt
	hits := make([]Hit, 0, 10_000)
	at := func() float64 { return r.Float64() * 2000 }
	for _, c := range []struct {
		name   string
		search func()
	}{
		{"all", func() {
			px, py := at(), at()
			s := x.newSearch(hits[:0], px, py, Filter{})
			s.square = 50 * 50
			s.compare(x.all)
			_, _ = x.finish(&s)
		}},
		{"within 50", func() { hits, _ = x.Within(hits[:0], at(), at(), 50, Filter{}) }},
		{"within 300", func() { hits, _ = x.Within(hits[:0], at(), at(), 300, Filter{}) }},
		{"count 50", func() { _, _ = x.Count(at(), at(), 50, Filter{}) }},
		{"box 100", func() { px, py := at(), at(); hits, _ = x.InBox(hits[:0], px, py, px+100, py+100, Filter{}) }},
		{"nearest 1", func() { hits, _ = x.Nearest(hits[:0], at(), at(), math.Inf(1), 1, Filter{}) }},
		{"nearest 1, reach 100", func() { hits, _ = x.Nearest(hits[:0], at(), at(), 100, 1, Filter{}) }},
		{"nearest 10", func() { hits, _ = x.Nearest(hits[:0], at(), at(), math.Inf(1), 10, Filter{}) }},
		{"ray 500", func() { px, py := at(), at(); hits, _ = x.Ray(hits[:0], px, py, px+400, py+300, Filter{}) }},
		{"first 500", func() { px, py := at(), at(); _, _ = x.First(px, py, px+400, py+300, Filter{}) }},
		{"cells", func() { x.refill(x.all); x.level(50) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.search()
			}
		})
	}
}

// TestTheShareFollowsWhatIsAdded: a search of an empty index sets the share of none, however many
// are added after it.
func TestTheShareFollowsWhatIsAdded(t *testing.T) {
	x := NewIndex(nil)
	if n, _ := x.Count(0, 0, 1, Filter{}); n != 0 {
		t.Fatal(n)
	}
	const bodies, searches = 4000, 8000
	for i := range bodies {
		x.Add(Body{Entity: ecs.Entity(i + 1), Layer: 1})
	}
	compared := 0
	for range searches {
		n, _ := x.Count(0, 0, 1, Filter{})
		compared += n
	}
	if most := defaultWork + searches*defaultWork/bodies; compared > most || compared <= defaultWork {
		t.Errorf("%d comparisons, want at most %d, and more than %d: so many are free", compared, most, defaultWork)
	}
}

// TestASearchThatIsNotPaidForDoesNothing: it makes no cells of another width, and goes no further.
func TestASearchThatIsNotPaidForDoesNothing(t *testing.T) {
	x := NewIndex(nil)
	for i := range 1000 {
		x.Add(Body{Entity: ecs.Entity(i + 1), X: float64(i), Radius: 1, Layer: 1})
	}
	for name, search := range map[string]func() (int, bool){
		"Within": func() (int, bool) { hits, whole := x.Within(nil, 0, 0, 5, Filter{}); return len(hits), whole },
		"Count":  func() (int, bool) { return x.Count(0, 0, 5, Filter{}) },
		"InBox":  func() (int, bool) { hits, whole := x.InBox(nil, 0, 0, 5, 5, Filter{}); return len(hits), whole },
		"Nearest": func() (int, bool) {
			hits, whole := x.Nearest(nil, 0, 0, math.Inf(1), 5, Filter{})
			return len(hits), whole
		},
		"Ray": func() (int, bool) { hits, whole := x.Ray(nil, 0, 0, 50, 0, Filter{}); return len(hits), whole },
	} {
		for left := range 5 { // how often it is paid for, from nothing on
			x.refill(x.all)
			asked := 0
			x.pay = func(int) bool { asked++; return asked <= left }
			n, whole := search()
			if whole && asked > left || !whole && n > 0 {
				t.Errorf("%s, paid %d times: %d hits, whole %v", name, left, n, whole)
			}
			if asked > left+1 || x.n > left {
				t.Errorf("%s, paid %d times: it has asked %d times, and made %d widths of cells", name, left, asked, x.n)
			}
		}
		x.pay = nil
		if n, whole := search(); n == 0 || !whole {
			t.Errorf("%s, free: %d hits, whole %v", name, n, whole)
		}
	}
}

// TestKeepMaySearchNothing: a search in the Keep of another one would share its memory.
func TestKeepMaySearchNothing(t *testing.T) {
	x := NewIndex(nil)
	for i := range 100 {
		x.Add(Body{Entity: ecs.Entity(i + 1), X: float64(i % 10), Y: float64(i / 10), Radius: 0.4, Layer: 1})
	}
	inner := 0
	keep := func(ecs.Entity) bool {
		for _, search := range []func() (int, bool){
			func() (int, bool) { hits, whole := x.Within(nil, 8, 8, 1, Filter{}); return len(hits), whole },
			func() (int, bool) { return x.Count(8, 8, 1, Filter{}) },
			func() (int, bool) { hits, whole := x.InBox(nil, 0, 0, 9, 9, Filter{}); return len(hits), whole },
			func() (int, bool) { hits, whole := x.Nearest(nil, 0, 0, 9, 9, Filter{}); return len(hits), whole },
			func() (int, bool) { hits, whole := x.Ray(nil, 0, 0, 9, 9, Filter{}); return len(hits), whole },
			func() (int, bool) { hit, whole := x.First(0, 0, 9, 9, Filter{}); return int(hit.Entity), whole },
		} {
			if n, whole := search(); n > 0 || whole {
				t.Fatalf("a search within a search has found %d, whole %v", n, whole)
			}
			inner++
		}
		return true
	}
	if hits, whole := x.Within(nil, 0, 0, 100, Filter{Keep: keep}); len(hits) != 100 || !whole || inner != 600 {
		t.Errorf("%d found, whole %v; %d searches within", len(hits), whole, inner)
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = x.Count(0, 0, 100, Filter{Keep: func(ecs.Entity) bool { panic("no") }})
	}()
	if n, whole := x.Count(0, 0, 100, Filter{}); n != 100 || !whole {
		t.Errorf("after a Keep that has panicked: %d found, whole %v", n, whole)
	}
}
