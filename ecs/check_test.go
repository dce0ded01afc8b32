package ecs

import (
	"math"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/internal/testmain"
)

// The types that internal tests share: a column, another, a tag, an arena pool
// and a heap pool.
type (
	Position struct{ X, Y float64 }
	Velocity struct{ X, Y float64 }
	Frozen   struct{}
	Burning  struct{ Left float32 }
	Label    struct{ Text string }
)

// sample is a small world that has some of everything: two full chunks and one
// that is not, pools of several chunks, a hierarchy, events and a free list.
type sample struct {
	w        *World
	position Component[Position]
	velocity Component[Velocity]
	burning  Component[Burning]
	label    Component[Label]
	event    Event[Position]
	reader   *Reader
	family   []Entity // a parent and its three children
	es       []Entity
}

func newSample(t testing.TB) *sample {
	t.Helper()
	w, err := Open(Options{MaxBytes: 16 << 20, ReuseAfter: -1, Tag: 9})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	s := &sample{
		w: w, position: Register[Position](w), velocity: Register[Velocity](w, Tracked),
		burning: Register[Burning](w, Sparse), label: Register[Label](w), event: RegisterEvent[Position](w),
	}
	for i := range 16000 {
		e := w.Spawn(s.position.With(Position{X: float64(i)}), s.burning.With(Burning{1}), s.label.With(Label{"x"}))
		s.es = append(s.es, e)
	}
	for range 4 {
		s.family = append(s.family, w.Spawn(s.velocity.With(Velocity{})))
	}
	for _, child := range s.family[1:] {
		must(t, w.SetParent(child, s.family[0]))
	}
	for range 3 {
		must(t, w.Despawn(s.es[len(s.es)-1]))
		s.es = s.es[:len(s.es)-1]
	}
	s.reader = w.newReader(s.event.ID())
	w.compareTracked()
	must(t, w.Check())
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// corruptShadow changes the copy of a tracked value.
func (s *sample) corruptShadow(change func(*Velocity)) {
	s.w.trackers[0].shadow.Changed(0, func(_ uint64, p unsafe.Pointer) bool { change((*Velocity)(p)); return false })
}

// arch returns the archetype of an entity, and its record.
func (s *sample) arch(e Entity) *archetype { a, _ := s.w.find(e); return a }

func (s *sample) links(i int) *links { return s.w.ChildOf().of(s.family[i]) }

func (s *sample) flames() *arenaPool { return s.w.components[s.burning.ID()].pool.(*arenaPool) }

func (s *sample) labels() *heapPool[Label] {
	return s.w.components[s.label.ID()].pool.(*heapPool[Label])
}

// TestCheckFindsEachCorruption breaks every invariant on purpose, one at a time.
// A check that cannot fail would prove nothing in any other test.
func TestCheckFindsEachCorruption(t *testing.T) {
	testmain.OneGoroutine(t)
	for name, corrupt := range map[string]func(s *sample){
		"archetype: a chunk of another":            func(s *sample) { s.arch(s.es[0]).chunks[0].layout = s.w.empty().layouts[0] },
		"archetype: more rows than fit":            func(s *sample) { s.arch(s.es[0]).chunks[0].n++ },
		"archetype: a hole before the last chunk":  func(s *sample) { s.arch(s.es[0]).chunks[0].n-- },
		"archetype: an empty chunk before others":  func(s *sample) { s.arch(s.es[0]).chunks[0].n = 0 },
		"archetype: a row of a dead entity":        func(s *sample) { s.w.slots.Release(uint64(s.es[0])) },
		"archetype: a row of an invented entity":   func(s *sample) { s.arch(s.es[0]).chunks[0].Entities()[3] = 77 },
		"archetype: rows swapped":                  func(s *sample) { c := s.arch(s.es[0]).chunks[0].Entities(); c[0], c[1] = c[1], c[0] },
		"archetype: count":                         func(s *sample) { s.arch(s.es[0]).count++; s.w.empty().count-- },
		"archetype: not found by its mask":         func(s *sample) { delete(s.w.byMask, s.arch(s.es[0]).mask) },
		"archetype: table lacks a component":       func(s *sample) { s.arch(s.es[0]).layouts[0].offsets[s.position.ID()] = 0 },
		"archetype: table invents a component":     func(s *sample) { s.arch(s.family[0]).layouts[0].offsets[s.position.ID()] = 64 },
		"archetype: the directory leads astray":    func(s *sample) { s.w.arena.Directory()[s.arch(s.es[0]).layouts[0].table] += 64 },
		"archetype: a table of another length":     func(s *sample) { *(*uint32)(s.w.arena.At(s.w.arena.Directory()[s.arch(s.es[0]).layouts[0].table]))++ },
		"record: archetype does not exist":         func(s *sample) { s.w.slots.Record(uint64(s.es[0])).Table = 9999 },
		"record: chunk does not exist":             func(s *sample) { s.w.slots.Record(uint64(s.es[0])).Chunk = 1 << 20 },
		"record: chunk was never made":             func(s *sample) { s.w.slots.Record(uint64(s.es[0])).Chunk = 1 },
		"record: another archetype":                func(s *sample) { s.w.slots.Record(uint64(s.es[0])).Table = 1 },
		"record: another chunk":                    func(s *sample) { s.w.slots.Record(uint64(s.es[0])).Chunk = s.arch(s.es[0]).chunks[1].unit },
		"record: another row":                      func(s *sample) { s.w.slots.Record(uint64(s.es[0])).Row++ },
		"record: placed entity sent to limbo":      func(s *sample) { s.w.slots.Record(uint64(s.es[0])).Table = limbo },
		"record: reserved entity called placed":    func(s *sample) { s.place(s.w.NewCommands().Spawn()) },
		"slots: an entity that nobody issued":      func(s *sample) { s.w.slots.Issue(); s.w.slots.Release(uint64(s.family[3])) },
		"arena: a chunk freed that is in use":      func(s *sample) { a := s.arch(s.es[0]); s.w.arena.Free(a.chunks[0].unit, a.layouts[0].units) },
		"arena: a chunk lost":                      func(s *sample) { s.w.arena.Alloc(1) },
		"arena: two chunks in one place":           func(s *sample) { c := s.flames().rows.chunks; c[1].unit = c[0].unit },
		"pool: place names another row":            func(s *sample) { s.flames().at(s.es[0]).row++ },
		"pool: place names another chunk":          func(s *sample) { s.flames().at(s.es[0]).unit++ },
		"pool: place missing":                      func(s *sample) { *s.flames().at(s.es[0]) = poolPlace{} },
		"pool: place of an entity that has no row": func(s *sample) { *s.flames().at(s.family[0]) = poolPlace{3, 3} },
		"pool: page of places missing":             func(s *sample) { s.flames().sparse[0] = 0 },
		"pool: count":                              func(s *sample) { s.flames().rows.count++ },
		"pool: a hole before the last chunk":       func(s *sample) { s.flames().rows.chunks[0].n-- },
		"pool: row of a dead entity":               func(s *sample) { s.flames().swapIn(s.es[0], s.stranger()) },
		"heap pool: place names another row":       func(s *sample) { s.labels().index.Put(s.es[0].Index(), s.labels().row(s.es[0])+1) },
		"heap pool: place missing":                 func(s *sample) { s.labels().index.Remove(s.es[0].Index()) },
		"heap pool: place without a row":           func(s *sample) { s.labels().index.Put(s.family[0].Index(), 0) },
		"heap pool: a value more than handles":     func(s *sample) { p := s.labels(); p.data = append(p.data, Label{}) },
		"heap pool: row of a dead entity":          func(s *sample) { s.labels().handles[0] = s.stranger() },
		"hierarchy: child names another parent":    func(s *sample) { s.links(1).Target = s.family[2] },
		"hierarchy: child not listed":              func(s *sample) { s.links(0).Last = s.family[2]; s.links(2).Next = 0 },
		"hierarchy: list goes on past its end":     func(s *sample) { s.links(0).Last = s.family[2] },
		"hierarchy: back link":                     func(s *sample) { s.links(2).Prev = s.family[3] },
		"hierarchy: list comes round":              func(s *sample) { s.links(3).Next = s.family[1] },
		"hierarchy: child without links":           func(s *sample) { s.w.ChildOf().links.remove(s.family[1]) },
		"hierarchy: links to nobody":               func(s *sample) { s.w.ChildOf().makeRoom(s.es[0], s.es[1]) },
		"relation: a source counted too many":      func(s *sample) { s.links(0).Count++ },
		"relation: sources counted too many":       func(s *sample) { s.w.ChildOf().count++ },
		"tracked: a value written unseen":          func(s *sample) { v := s.velocity.Peek(s.family[0]); v.X++ },
		"tracked: another value in the shadow":     func(s *sample) { s.corruptShadow(func(v *Velocity) { v.Y++ }) },
		"tracked: a comparison that is to come":    func(s *sample) { s.w.trackers[0].compared = 1 << 40; s.velocity.Edit(s.family[1]).X++ },
		"tracked: rows of a comparison to come":    func(s *sample) { s.w.trackers[0].compared = 0 },
		"tracked: a row that is gone":              func(s *sample) { s.w.trackers[0].shadow.Prune(s.w.version, func(uint64) bool { return false }) },
		"prefab: a child that is none":             func(s *sample) { s.w.MarkPrefab(s.es[0]); s.adopt(s.es[0], s.es[1]) },
		"cascade: a mark left behind":              func(s *sample) { s.w.cascade.mark(s.es[0]) },
		"cascade: a search left behind":            func(s *sample) { s.w.cascade.order = s.es[:1] },
		"events: reader before what is kept":       func(s *sample) { s.w.events.streams[0].first = 5 },
		"events: reader past the end":              func(s *sample) { s.reader.next = 99 },
		"events: ticks that ended":                 func(s *sample) { s.w.events.streams[0].ends = []uint64{1} },
		"archetype: a spare chunk with rows":       func(s *sample) { s.w.Grow(5000, s.position); s.arch(s.es[0]).spare[0].n = 1 },
		"archetype: a spare chunk of another": func(s *sample) {
			s.w.Grow(5000, s.velocity)
			s.arch(s.family[0]).spare[0].layout = s.w.empty().layouts[0]
		},
		"archetype: an edge astray":           func(s *sample) { s.w.empty().edges[s.position.ID()].with = s.arch(s.family[0]).id },
		"spawn: the last one's way astray":    func(s *sample) { s.w.Spawn(); s.w.lastSpawn.to = s.arch(s.family[0]) },
		"archetype: an edge back astray":      func(s *sample) { s.w.empty().edges[s.position.ID()].without = s.arch(s.family[0]).id },
		"archetype: rows due after a batch":   func(s *sample) { s.w.empty().due = 1 },
		"component: another place in a table": func(s *sample) { s.position.info.where[s.arch(s.es[0]).layouts[0].table] += 64 },
		"component: a place where it is not":  func(s *sample) { s.position.info.where[limbo] = 64 },
		"component: traits":                   func(s *sample) { s.burning.info.traits &^= pooledTrait },
		"component: excludes, but not mutually": func(s *sample) {
			s.position.info.rules.excludes = []*component{s.velocity.info}
		},
		"archetype: units":                    func(s *sample) { s.arch(s.es[0]).units++ },
		"archetype: units of a pool":          func(s *sample) { s.flames().rows.units++ },
		"archetype: a version of another":     func(s *sample) { s.arch(s.es[0]).layouts[0].columnSlots[s.position.ID()].version++ },
		"archetype: a column slot astray":     func(s *sample) { s.arch(s.es[0]).layouts[0].columnSlots[s.position.ID()].offset += 64 },
		"archetype: a column of another size": func(s *sample) { s.arch(s.es[0]).columns[0].size-- },
		"archetype: a column missing":         func(s *sample) { s.arch(s.es[0]).columns = nil },
		"archetype: a column that overlaps": func(s *sample) {
			l := s.arch(s.es[0]).layouts[0]
			l.columns[0] += arena.Unit
			l.offsets[s.position.ID()] += arena.Unit
			l.columnSlots[s.position.ID()].offset += arena.Unit
			s.position.info.where[l.table] += arena.Unit
		},
		"archetype: a layout not found":            func(s *sample) { s.arch(s.es[0]).layouts[0].table = 0 },
		"component: another number":                func(s *sample) { s.position.info.id++ },
		"archetype: another number":                func(s *sample) { s.arch(s.es[0]).id++ },
		"chunk: not at its unit":                   func(s *sample) { s.w.chunks[s.arch(s.es[0]).chunks[0].unit] = &Chunk{} },
		"pool: not known to hold data":             func(s *sample) { s.w.dataPools = s.w.dataPools[1:] },
		"component: an observer that nobody added": func(s *sample) { s.position.info.observed = OnSet },
		"component: a hook that is not known": func(s *sample) {
			s.position.info.rules.hooks.removed = func(Entity, unsafe.Pointer) {}
		},
		"archetype: what is watched":     func(s *sample) { s.arch(s.es[0]).noticed = removable{true, s.w.removalEra} },
		"archetype: rows called prefabs": func(s *sample) { s.arch(s.es[0]).prefab = true },
		"prefab: an archetype not known": func(s *sample) { s.w.MarkPrefab(s.es[0]); s.w.templates = nil },
		"notices: a cause left behind":   func(s *sample) { s.w.notices.causes = make([]noticeCause, 1) },
		"notices: what nobody saw":       func(s *sample) { s.w.notices.unseen = map[unseenChange]bool{{}: true} },
		"notices: values of no notice":   func(s *sample) { s.w.notices.data = make([]uint64, 1) },
		"notices: a match for no notice": func(s *sample) { s.w.notices.passed = make([]*watcher, 1) },
		"later: unknown":                 func(s *sample) { s.w.DespawnLater(s.es[0]); clear(s.w.deferred.known) },
		"later: nobody named":            func(s *sample) { s.w.deferred.known = map[Entity]bool{s.es[0]: true} },
	} {
		s := newSample(t)
		corrupt(s)
		if s.w.Check() == nil {
			t.Errorf("%s: went unnoticed", name)
		}
	}
}

// adopt makes a child of an entity without asking whether that may be.
func (s *sample) adopt(parent, child Entity) {
	r := s.w.ChildOf()
	r.makeRoom(child, parent)
	r.chain(child, parent, 0)
}

// place gives a reserved entity a record that no row agrees with.
func (s *sample) place(e Entity) {
	r := s.w.slots.Record(uint64(e))
	r.Table, r.Chunk = s.arch(s.es[0]).layouts[0].table, s.arch(s.es[0]).chunks[0].unit
}

// stranger returns a dead handle whose slot number is that of no row.
func (s *sample) stranger() Entity { return s.family[0] + 1<<32 }

// swapIn puts a handle and its place where another's were.
func (p *arenaPool) swapIn(old, e Entity) {
	at := *p.at(old)
	*p.at(old), *p.at(e) = poolPlace{}, at
	*(*Entity)(unsafe.Add(p.store.chunks[at.unit].base, uintptr(at.row)*8)) = e
}

func TestCheckReportsAllThatIsBroken(t *testing.T) {
	s := newSample(t)
	s.links(2).Prev = s.family[3]
	s.flames().rows.count++
	err, ok := s.w.Check().(interface{ Unwrap() []error })
	if !ok || len(err.Unwrap()) != 2 {
		t.Errorf("two things are broken, Check says %v", s.w.Check())
	}
}

// hull is a component with Go pointers, and an entity that must be hashed
// without the tag of its world.
type hull struct {
	Name   string
	Crew   []string
	Owner  Entity
	Armour [2]int32
	Angle  float32
	Notes  map[string]int // has no order to hash in: left out
}

// aim is a component whose bytes are not all fields.
type aim struct {
	On     bool
	Target Entity
	Small  uint8
	Path   [2]struct {
		A uint8
		B float64
	}
	Grid [2][2]int16
}

// history makes the same world each time, but for the last change.
func history(t *testing.T, tag uint16, change func(*fleet)) uint64 {
	t.Helper()
	w := open(t, Options{Tag: tag, ReuseAfter: -1})
	f := &fleet{
		World: w, position: Register[Position](w), frozen: Register[Frozen](w), burning: Register[Burning](w, Sparse),
		hull: Register[hull](w), aim: Register[aim](w),
	}
	for i := range 50 {
		e := w.Spawn(f.position.With(Position{X: float64(i)}))
		f.es = append(f.es, e)
		must(t, f.aim.Set(e, aim{Target: f.es[i/2]}))
		if i%3 == 0 {
			must(t, f.burning.Set(e, Burning{float32(i)}))
			must(t, f.hull.Set(e, hull{Name: "ship", Crew: []string{"a", "b"}, Owner: f.es[0]}))
		}
		if i%7 == 0 {
			must(t, w.SetParent(e, f.es[i/7]*Entity(min(i, 1))))
		}
	}
	must(t, w.Despawn(f.es[5]))
	if change != nil {
		change(f)
	}
	must(t, w.Check())
	return w.Checksum()
}

type fleet struct {
	*World
	position Component[Position]
	frozen   Component[Frozen]
	burning  Component[Burning]
	hull     Component[hull]
	aim      Component[aim]
	es       []Entity
}

func TestEqualHistoriesHaveEqualChecksums(t *testing.T) {
	first := history(t, 1, nil)
	if again := history(t, 1, nil); again != first {
		t.Error("the same history twice has two checksums")
	}
	if other := history(t, 200, nil); other != first {
		t.Error("the tag of the world is part of its checksum")
	}
	if read := history(t, 7, func(f *fleet) {
		f.Step(1)
		f.Query(Read(f.position)).Count()
		f.NewCommands().Spawn()
	}); read != first {
		t.Error("a checksum tells of something else than entities and values")
	}
	if padding := history(t, 7, func(f *fleet) {
		var v aim
		p := unsafe.Slice((*byte)(f.edit(f.es[1], f.aim.ID())), unsafe.Sizeof(v))
		p[1], p[unsafe.Offsetof(v.Target)-1], p[unsafe.Offsetof(v.Small)+1] = 0xFF, 0xFF, 0xFF // between the fields
	}); padding != first {
		t.Error("bytes between the fields are part of the checksum")
	}
}

// TestAnySingleChangeChangesTheChecksum.
func TestAnySingleChangeChangesTheChecksum(t *testing.T) {
	seen := map[uint64]string{history(t, 1, nil): "no change"}
	for name, change := range map[string]func(*fleet){
		"a column":           func(f *fleet) { f.position.Edit(f.es[9]).Y = 1e-300 },
		"a sign":             func(f *fleet) { p := f.position.Edit(f.es[9]); p.Y = -p.Y },
		"a pool":             func(f *fleet) { f.burning.Edit(f.es[9]).Left++ },
		"a bool":             func(f *fleet) { f.aim.Edit(f.es[9]).On = true },
		"the last byte":      func(f *fleet) { f.aim.Edit(f.es[9]).Small = 1 },
		"a reference":        func(f *fleet) { f.aim.Edit(f.es[9]).Target = f.es[1] },
		"a nested field":     func(f *fleet) { f.aim.Edit(f.es[9]).Path[1].B = 1 },
		"an array of arrays": func(f *fleet) { f.aim.Edit(f.es[9]).Grid[1][1] = 1 },
		"a string":           func(f *fleet) { f.hull.Edit(f.es[9]).Name = "shiq" },
		"an empty string":    func(f *fleet) { f.hull.Edit(f.es[9]).Name = "" },
		"where strings end":  func(f *fleet) { f.hull.Edit(f.es[9]).Crew = []string{"ab"} },
		"a longer slice":     func(f *fleet) { f.hull.Edit(f.es[9]).Crew = []string{"a", "b", ""} },
		"a heap reference":   func(f *fleet) { f.hull.Edit(f.es[9]).Owner = f.es[1] },
		"a heap array":       func(f *fleet) { f.hull.Edit(f.es[9]).Armour[1] = 1 },
		"a heap float":       func(f *fleet) { f.hull.Edit(f.es[9]).Angle = 1 },
		"a tag":              func(f *fleet) { f.frozen.Set(f.es[9], Frozen{}) },
		"a component less":   func(f *fleet) { f.burning.Remove(f.es[9]) },
		"an entity more":     func(f *fleet) { f.Spawn() },
		"an entity less":     func(f *fleet) { f.Despawn(f.es[9]) },
		"another generation": func(f *fleet) { f.Despawn(f.es[49]); f.Spawn(f.position.With(Position{X: 49})) },
		"a parent":           func(f *fleet) { f.SetParent(f.es[9], f.es[10]) },
		"an order":           func(f *fleet) { f.SetParent(f.es[7], f.es[1]); f.SetParent(f.es[9], f.es[1]) },
		"the other order":    func(f *fleet) { f.SetParent(f.es[9], f.es[1]); f.SetParent(f.es[7], f.es[1]) },
	} {
		sum := history(t, 1, change)
		if other, taken := seen[sum]; taken {
			t.Errorf("%s has the checksum of %s", name, other)
		}
		seen[sum] = name
	}
}

// TestChecksumHasOneNaN holds that the form of a NaN, which depends on the processor, is not
// seen; the sign of a zero is.
func TestChecksumHasOneNaN(t *testing.T) {
	type plain struct {
		D float64
		S [2]float32
	}
	type pointing struct {
		Text string
		D    []float64
		S    float32
	}
	sum := func(d uint64, s uint32) uint64 {
		w := open(t, Options{})
		big, small := math.Float64frombits(d), math.Float32frombits(s)
		w.Spawn(Register[plain](w).With(plain{big, [2]float32{1, small}}), Register[pointing](w).With(pointing{"", []float64{big}, small}))
		return w.Checksum()
	}
	one := sum(0x7FF8000000000001, 0x7FC00000)
	if sum(0xFFF8000000000000, 0x7FC00000) != one || sum(0x7FF8000000000000, 0xFFC00001) != one {
		t.Error("the checksum shows the bits of a NaN")
	}
	if sum(0, 0) == sum(1<<63, 0) || sum(0, 0) == sum(0, 1<<31) {
		t.Error("the checksum does not show the sign of a zero")
	}
}
