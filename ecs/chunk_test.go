package ecs

import (
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/perigee-ecs/perigee/ecs/internal/mask"
	"github.com/perigee-ecs/perigee/internal/testmain"
)

// TestRowsOfAnyWidth: a chunk holds at least minRows rows, wide ones get longer
// chunks, those that are wider still few rows, and small ones waste little.
func TestRowsOfAnyWidth(t *testing.T) {
	for _, c := range []struct {
		fields  []Field
		units   int
		atLeast int
	}{
		{nil, 1, 2000}, // handles alone
		{[]Field{{Name: "x", Kind: U8}}, 1, 1800},
		{[]Field{{Name: "x", Kind: F64, Len: 2}}, 1, 675},
		{[]Field{{Name: "x", Kind: F64, Len: 120}}, 1, 16},
		{[]Field{{Name: "x", Kind: F64, Len: 130}}, 2, 16},
		{[]Field{{Name: "x", Kind: F64, Len: 510}}, 4, 15},
		{[]Field{{Name: "x", Kind: F64, Len: 4096}}, 4, 1},
		{[]Field{{Name: "x", Kind: F64, Len: 4096}, {Name: "y", Kind: F64, Len: 4096}, {Name: "z", Kind: F64, Len: 4096}}, 8, 1},
	} {
		w := open(t, Options{MaxBytes: 32 << 20})
		id, err := w.define(Schema{Name: "C", Fields: c.fields}, false)
		must(t, err)
		e := w.Spawn(w.valueAt(id, nil))
		a, _ := w.find(e)
		if l := a.layouts[0]; l.units != c.units || l.capacity < c.atLeast {
			t.Errorf("rows of %d bytes: chunks of %d units with %d rows, want %d units and at least %d rows", w.schemaByID(id).Size, l.units, l.capacity, c.units, c.atLeast)
		}
	}
}

// TestWideRowsShareOneChunkLonger: the only chunk of an archetype grows to 8,192
// rows, or to 1 MiB, before there is a second one.
func TestWideRowsShareOneChunkLonger(t *testing.T) {
	for _, c := range []struct{ words, rows, units int }{
		{7, singleRows, 40},            // 64 bytes in a row: 8,192 rows are 512 KiB and some padding
		{15, singleRows, longestUnits}, // 128 bytes: just not as many, because of the padding
		{63, 2047, longestUnits},       // 512 bytes: what fits into 1 MiB
		{4096, 32, longestUnits},       // 32 KiB: no row more than 31 fits into 1 MiB
	} {
		w := open(t, Options{MaxBytes: 64 << 20})
		id, err := w.define(Schema{Name: "C", Fields: []Field{{Name: "x", Kind: F64, Len: c.words}}}, false)
		must(t, err)
		a, _ := w.find(w.Spawn(w.valueAt(id, nil)))
		for range c.rows - 1 {
			w.Spawn(w.valueAt(id, nil))
		}
		if len(a.chunks) > 2 || a.chunks[0].n < c.rows-64 || a.chunks[0].layout.units != c.units {
			t.Errorf("%d rows of %d words: %d chunks, the first of %d rows in %d units, want %d units",
				c.rows, c.words, len(a.chunks), a.chunks[0].n, a.chunks[0].layout.units, c.units)
		}
		must(t, w.Check())
	}
}

// TestChunksGrowWithTheirArchetype: one chunk up to 256 KiB, then from the first
// size to the last, each new chunk at most a quarter of what is there; and back,
// when the entities go.
func TestChunksGrowWithTheirArchetype(t *testing.T) {
	testmain.OneGoroutine(t)
	const n = 600_000                                          // the last size needs an archetype of 12 MiB
	w := open(t, Options{MaxEntities: n, MaxBytes: 256 << 20}) // under the race detector less by default
	position := Register[Position](w)
	var es []Entity
	seen := map[int]bool{}
	for range n {
		e := w.Spawn(position.With(Position{X: 1}))
		es = append(es, e)
		a, _ := w.find(e)
		last := a.chunks[len(a.chunks)-1].layout
		if len(a.chunks) > 1 && a.units <= singleUnits {
			t.Fatalf("%d chunks share %d units", len(a.chunks), a.units)
		}
		if before := a.units - last.units; a.units > singleUnits && last.units > 1 && last.units*growthShare > before {
			t.Fatalf("a chunk of %d units was added to %d units", last.units, before)
		}
		seen[last.units] = true
	}
	if len(seen) != len(chunkSizes) {
		t.Errorf("sizes %v were used, want %d of them", seen, len(chunkSizes))
	}
	must(t, w.Check())
	for i := range es {
		must(t, w.Despawn(es[int64(i)*7919%int64(len(es))])) // the number is prime: a shuffle
	}
	must(t, w.Check())
	if a := w.byMask[mask.Of(uint32(position.ID()))]; a.units != 0 || len(a.chunks) != 0 {
		t.Errorf("%d units and %d chunks are left of an empty archetype", a.units, len(a.chunks))
	}
}

// TestColumnsOfRandomSizesDoNotOverlap: for any set of sizes, columns and the handles lie
// side by side inside the chunks of every layout, each aligned to a cache line.
func TestColumnsOfRandomSizesDoNotOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, err := Open(Options{MaxBytes: 16 << 20})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		var values []Value
		for i, n := range rapid.SliceOfN(rapid.IntRange(0, 600), 1, 12).Draw(t, "sizes") {
			var fields []Field
			if n > 0 {
				fields = []Field{{Name: "x", Kind: U8, Len: n}}
			}
			id, err := w.define(Schema{Name: string(rune('a' + i)), Fields: fields}, false)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, w.valueAt(id, nil))
		}
		a, _ := w.find(w.Spawn(values...))
		for range len(chunkSizes) - 1 {
			if err := w.addTable(a); err != nil {
				t.Fatal(err)
			}
		}
		for _, l := range a.layouts {
			end := uintptr(l.capacity) * unsafe.Sizeof(Entity(0))
			for i, c := range a.columns {
				at := l.columns[i]
				if at < end || at%cacheLine != 0 || l.offsets[c.id] != uint32(at) {
					t.Fatalf("column %d of %d bytes begins at %d, the one before ends at %d", c.id, c.size, at, end)
				}
				end = at + c.size*uintptr(l.capacity)
			}
			if end > uintptr(l.units)*ChunkBytes || l.capacity < 1 || l.capacity < minRows && a.layouts[0].units < minUnits {
				t.Fatalf("%d rows need %d bytes of %d", l.capacity, end, l.units*ChunkBytes)
			}
		}
	})
}

// TestFullChunksWasteLittle: the target is four fifths of a chunk in use.
func TestFullChunksWasteLittle(t *testing.T) {
	for _, size := range []int{1, 4, 12, 16, 24, 64, 100, 250} {
		w := open(t, Options{MaxBytes: 64 << 20})
		id, err := w.define(Schema{Name: "C", Fields: []Field{{Name: "x", Kind: U8, Len: size}}}, false)
		must(t, err)
		for range 20_000 {
			w.Spawn(w.valueAt(id, nil))
		}
		s := w.Stats()
		raw := float64(20_000 * (size + 8))
		a := w.byMask[mask.Of(uint32(id))]
		if used := float64(a.units * ChunkBytes); raw/used < 0.8 || s.Utilization < 0.8 {
			t.Errorf("rows of %d bytes use %.0f%% of their chunks", size+8, 100*raw/used)
		}
	}
}

// TestAChunkShowsItsColumns: lengths, handles, raw memory and what is not there.
func TestAChunkShowsItsColumns(t *testing.T) {
	z := newMixedWorld(t)
	var es []Entity
	for range 1500 {
		es = append(es, z.Spawn(z.position.With(Position{1, 2}), z.frozen.With(Frozen{})))
	}
	es = append([]Entity{z.byMix["pf"], z.byMix["pfb"], z.byMix["pfl"], z.byMix["pfbl"]}, es...)
	var got []Entity
	for c := range z.Query(Read(z.position)).With(z.frozen).Chunks() {
		got = append(got, c.Entities()...)
		p, f := z.position.Of(c), z.frozen.Of(c)
		if len(p) != c.Len() || len(f) != c.Len() || len(c.Entities()) != c.Len() {
			t.Fatalf("a chunk of %d rows has columns of %d and %d", c.Len(), len(p), len(f))
		}
		if unsafe.Pointer(&p[0]) != c.Column(z.position.ID(), false) {
			t.Error("the raw column is elsewhere")
		}
		if z.burning.Of(c) != nil || z.label.Mut(c) != nil || c.Column(z.label.ID(), true) != nil {
			t.Error("a chunk of columns shows a pool")
		}
		before := c.Version(z.position.ID())
		c.Column(z.frozen.ID(), true)
		if z.position.Mut(c); c.Version(z.position.ID()) < before || c.Version(z.position.ID()) != z.Raw().Version() {
			t.Errorf("written at version %d, says %d", z.Raw().Version(), c.Version(z.position.ID()))
		}
	}
	slices.Sort(got)
	if slices.Sort(es); !slices.Equal(got, es) {
		t.Errorf("%d rows, want %d", len(got), len(es))
	}
}

// TestRandomMovesKeepOtherValues: an entity that goes through many sets of components
// keeps the value of each that it does not lose.
func TestRandomMovesKeepOtherValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, err := Open(Options{MaxBytes: 64 << 20})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		ids := make([]ComponentID, 6)
		for i := range ids {
			if ids[i], err = w.define(Schema{Name: string(rune('a' + i)), Fields: []Field{{Name: "x", Kind: U64, Len: 1 + 3*i}}}, false); err != nil {
				t.Fatal(err)
			}
		}
		es, want := spawnMany(w, 20), make([][6]uint64, 20)
		for n := range rapid.IntRange(1, 200).Draw(t, "moves") {
			who, what := rapid.IntRange(0, 19).Draw(t, "who"), rapid.IntRange(0, 5).Draw(t, "what")
			if want[who][what] != 0 {
				want[who][what] = 0
				err = w.Remove(es[who], ids[what])
			} else {
				v := [16]uint64{uint64(n + 1)}
				want[who][what] = uint64(n + 1)
				err = w.Add(es[who], w.valueAt(ids[what], unsafe.Pointer(&v)))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for who, e := range es {
			for what, id := range ids {
				got := uint64(0)
				if p := (*uint64)(w.pointer(e, id)); p != nil {
					got = *p
				}
				if got != want[who][what] {
					t.Fatalf("%v: component %d is %d, want %d", e, what, got, want[who][what])
				}
			}
		}
		if err := w.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestAViewIsAWindow on rows of a chunk or of a pool's page: handles, columns
// and stamps are those of the rows.
func TestAViewIsAWindow(t *testing.T) {
	s := newSample(t)
	for name, c := range map[string]*Chunk{
		"chunk": s.arch(s.es[0]).chunks[0], "arena pool": s.flames().page(0), "heap pool": s.labels().page(0),
	} {
		whole := c.Entities()
		v := c.rows(5, 7)
		v = v.rows(1, 3) // a window of a window
		if !slices.Equal(v.Entities(), whole[6:9]) || v.entity() != whole[6] || v.Len() != 3 {
			t.Errorf("%s: the view has %v", name, v.Entities())
		}
		for _, info := range s.w.components {
			all, some := c.Column(info.id, false), v.Column(info.id, false)
			if (all == nil) != (some == nil) || all != nil && some != unsafe.Add(all, 6*info.size) {
				t.Errorf("%s: column %q begins at %v, the view's at %v", name, info.schema.Name, all, some)
			}
			if all == nil {
				continue
			}
			s.w.version++
			if v.Column(info.id, true); c.Version(info.id) != s.w.version {
				t.Errorf("%s: writing %q through the view left no stamp", name, info.schema.Name)
			}
		}
	}
	v := s.arch(s.es[0]).chunks[0].rows(6, 2)
	if p := s.position.Mut(&v); len(p) != 2 || p[0].X != 6 || s.position.Of(&v)[1].X != 7 {
		t.Errorf("the view's positions are %v", p)
	}
}
