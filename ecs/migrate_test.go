package ecs_test

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/testmain"
)

// form is a layout with n numbers, and more behind them when n is above 2; form 0
// is a tag.
func form(name string, n int) ecs.Schema {
	s := ecs.Schema{Name: name, Version: n + 1}
	for i := range n {
		s.Fields = append(s.Fields, ecs.Field{Name: fmt.Sprintf("f%d", i), Kind: ecs.U16})
	}
	if n > 2 {
		s.Fields = append(s.Fields, ecs.Field{Name: "wide", Kind: ecs.F64, Len: n})
	}
	return s
}

// number is the first field of a form.
func number(p unsafe.Pointer) uint16 { return *(*uint16)(p) }

// migrateWorld is a world whose entities have numbers in four components, two of them in
// pools, and a map that says the same.
type migrateWorld struct {
	*testing.T
	*rand.Rand
	world *ecs.World
	ids   [4]ecs.ComponentID
	model map[ecs.Entity][4]uint16 // 0: absent
}

func newMigrateWorld(t *testing.T, seed uint64) *migrateWorld {
	h := &migrateWorld{t, rand.New(rand.NewPCG(seed, 3)), ecs.NewWorld(), [4]ecs.ComponentID{}, map[ecs.Entity][4]uint16{}}
	for i, n := range []int{1, 2, 1, 3} {
		id, err := h.world.Raw().Define(form(fmt.Sprint("c", i), n), i >= 2)
		if err != nil {
			t.Fatal(err)
		}
		h.ids[i] = id
	}
	return h
}

// step spawns an entity, or ends one.
func (h *migrateWorld) step() {
	list := slices.Sorted(maps.Keys(h.model))
	if len(list) > 0 && h.IntN(3) == 0 {
		e := list[h.IntN(len(list))]
		if err := h.world.Despawn(e); err != nil {
			h.Fatal(err)
		}
		delete(h.model, e)
		return
	}
	var has [4]uint16
	var values []ecs.Value
	for i := range has {
		if h.IntN(2) == 0 {
			continue
		}
		has[i] = uint16(1 + h.IntN(60000))
		data := make([]byte, h.world.Raw().Schema(h.ids[i]).Size+8)
		binary.NativeEndian.PutUint16(data, has[i])
		values = append(values, h.world.Raw().ValueAt(h.ids[i], unsafe.Pointer(unsafe.SliceData(data))))
	}
	h.model[h.world.Spawn(values...)] = has
}

// migrate gives some components another form; some conversions fail.
func (h *migrateWorld) migrate() {
	m, fails := h.world.Raw().Migrate(), h.IntN(4) == 0
	for i, id := range h.ids {
		if h.IntN(2) == 0 {
			continue
		}
		err := m.Component(form(h.world.Raw().Schema(id).Name, 1+h.IntN(6)), func(e ecs.Entity, from, to unsafe.Pointer) error {
			if h.model[e][i] != number(from) {
				h.Fatalf("component %d of entity %v comes with %d, want %d", i, e, number(from), h.model[e][i])
			}
			if fails && h.IntN(50) == 0 {
				return errors.New("planned")
			}
			*(*uint16)(to) = number(from)
			return nil
		})
		if err != nil {
			h.Fatal(err)
		}
	}
	before := h.world.Checksum()
	err := m.Prepare()
	if h.world.Checksum() != before {
		h.Fatal("preparing has changed something")
	}
	switch {
	case err != nil:
	case h.IntN(5) == 0:
		m.Drop()
	default:
		m.Commit()
	}
}

// compare holds the world and what a query shows against the map.
func (h *migrateWorld) compare(pooled *ecs.Query) {
	if err := h.world.Check(); err != nil {
		h.Fatal(err)
	}
	rows := 0
	for e, has := range h.model {
		for i, id := range h.ids {
			p := h.world.Raw().Pointer(e, id)
			if (p != nil) != (has[i] > 0) || p != nil && number(p) != has[i] {
				h.Fatalf("entity %v, component %d: %v, want %d", e, i, p, has[i])
			}
		}
		if has[2] > 0 && has[0] > 0 {
			rows++
		}
	}
	for c := range pooled.Chunks() {
		base, size := c.Column(h.ids[2], false), h.world.Raw().Schema(h.ids[2]).Size
		for i, e := range c.Entities() {
			rows--
			if p := unsafe.Add(base, uintptr(i)*size); number(p) != h.model[e][2] {
				h.Fatalf("a query shows %d for %v, want %d", number(p), e, h.model[e][2])
			}
		}
	}
	if rows != 0 || h.world.Len() != len(h.model) {
		h.Fatalf("the query shows %d rows too few; %d entities, want %d", rows, h.world.Len(), len(h.model))
	}
}

// TestMigrationKeepsEverything changes the layouts of columns and of pools at
// random, in a world that changes as well, and compares with a map.
func TestMigrationKeepsEverything(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			testmain.OneGoroutine(t)
			h := newMigrateWorld(t, seed)
			defer h.world.Close()
			pooled := h.world.Query(ecs.Read(h.ids[2]), ecs.Read(h.ids[0]))
			for range 12 {
				for range h.IntN(300) {
					h.step()
				}
				h.migrate()
				h.compare(pooled)
			}
		})
	}
}

func TestMigrationOfTagsAndEvents(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	tag, err := w.Raw().Define(form("tag", 0), false)
	if err != nil {
		t.Fatal(err)
	}
	event, err := w.Raw().DefineEvent(form("event", 1))
	if err != nil {
		t.Fatal(err)
	}
	list := []ecs.Entity{w.Spawn(w.Raw().ValueAt(tag, nil)), w.Spawn(w.Raw().ValueAt(tag, nil))}
	reader := w.Raw().Reader(event)
	c := w.NewCommands()
	n := uint64(7)
	c.Send(event, unsafe.Pointer(&n))
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
	wide := form("tag", 2)
	wide.Default = []byte{5, 0, 6, 0}
	m := w.Raw().Migrate()
	if err := errors.Join(m.Component(wide, nil), m.Event(form("event", 4), func(e ecs.Entity, from, to unsafe.Pointer) error {
		*(*uint16)(unsafe.Add(to, 6)) = number(from)
		return nil
	}), m.Prepare()); err != nil {
		t.Fatal(err)
	}
	m.Commit()
	for _, e := range list {
		if p := w.Raw().Pointer(e, tag); p == nil || *(*[2]uint16)(p) != [2]uint16{5, 6} {
			t.Errorf("%v has %v", e, p)
		}
	}
	for p := range reader.Events() {
		if got := *(*[4]uint16)(p); got != [4]uint16{0, 0, 0, 7} {
			t.Errorf("event %v", got)
		}
	}
	if reader.Position() != 1 {
		t.Errorf("%d events were read", reader.Position())
	}
	m = w.Raw().Migrate()
	if err := errors.Join(m.Component(form("tag", 0), nil), m.Prepare()); err != nil {
		t.Fatal(err)
	}
	m.Commit()
	if err := w.Check(); err != nil || !w.Raw().Has(list[1], tag) {
		t.Errorf("%v, has %v", err, w.Raw().Has(list[1], tag))
	}
}

func TestMigrationIsAllOrNothing(t *testing.T) {
	w, err := ecs.Open(ecs.Options{MaxBytes: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	type Go struct{ N int64 }
	ecs.Register[Go](w)
	m := w.Raw().Migrate()
	if err := m.Component(form("Go", 1), nil); !errors.Is(err, ecs.ErrConflict) {
		t.Errorf("a component of Go's: %v", err)
	}
	if err := m.Component(form("none", 1), nil); !errors.Is(err, ecs.ErrUnknown) {
		t.Errorf("an unknown one: %v", err)
	}
	if err := m.Event(form("none", 1), nil); !errors.Is(err, ecs.ErrUnknown) {
		t.Errorf("an unknown event: %v", err)
	}
	id, err := w.Raw().Define(form("c", 1), false)
	if err != nil {
		t.Fatal(err)
	}
	for range 12_000 {
		w.Spawn(w.Raw().ValueAt(id, nil))
	}
	before, used := w.Checksum(), w.Stats().ArenaBytes
	m = w.Raw().Migrate()
	if err := m.Component(form("c", 40), nil); err != nil {
		t.Fatal(err)
	}
	if err := m.Prepare(); !errors.Is(err, ecs.ErrArenaFull) {
		t.Errorf("a migration without room: %v", err)
	}
	if w.Checksum() != before || w.Stats().ArenaBytes != used {
		t.Errorf("it left something behind: %d bytes in use, were %d", w.Stats().ArenaBytes, used)
	}
	for c := range w.Query(ecs.Read(id)).Chunks() {
		m = w.Raw().Migrate()
		if err := errors.Join(m.Component(form("c", 2), nil), m.Prepare()); !errors.Is(err, ecs.ErrIterating) {
			t.Errorf("inside of a query of %d rows: %v", c.Len(), err)
		}
		break
	}
	if err := w.Check(); err != nil {
		t.Error(err)
	}
}

// relatedWorld is a world in which much is said about entities beside their values: who
// is whose child, who is a prefab, which pools are in step, in which order they
// are, and who has to be told of changes.
type relatedWorld struct {
	*testing.T
	world      *ecs.World
	cell, pool ecs.ComponentID // defined at run time, of numbers: in chunks, and in a pool
	fenced     ecs.Component[fenced]
	wool       ecs.Component[wool]
	rides      *ecs.Relation
	es         []ecs.Entity
	told       []string
}

type (
	fenced struct{}
	wool   struct{ N int64 }
)

// newRelatedWorld makes twelve entities: all have both numbers and wool, every third is
// fenced; the second and third are children of the first, which is a prefab with
// them, the fifth rides on the fourth. Pools are grouped and sorted, the greatest
// number first.
func newRelatedWorld(t *testing.T) *relatedWorld {
	w := ecs.NewWorld()
	t.Cleanup(func() { w.Close() })
	r := &relatedWorld{T: t, world: w, fenced: ecs.Register[fenced](w), wool: ecs.Register[wool](w, ecs.Sparse)}
	r.cell, r.pool = r.define("cell", false), r.define("pool", true)
	for i := range 12 {
		n := uint64(i + 1)
		p := unsafe.Pointer(&n)
		e := w.Spawn(w.Raw().ValueAt(r.cell, p), w.Raw().ValueAt(r.pool, p), r.wool.With(wool{int64(i)}))
		if r.es = append(r.es, e); i%3 == 0 {
			r.must(r.fenced.Set(e, fenced{}))
		}
	}
	var err error
	r.rides, err = w.Relation("rides", ecs.RelationOptions{})
	r.must(err, w.SetParent(r.es[2], r.es[0]), w.SetParent(r.es[1], r.es[0]), w.MarkPrefab(r.es[0]),
		r.rides.Set(r.es[4], r.es[3]))
	r.must(w.Group(r.wool, r.pool), r.wool.Sort(func(a, b *wool) int { return cmp.Compare(b.N, a.N) }))
	for on, name := range map[ecs.Trigger]string{ecs.OnAdd: "add", ecs.OnSet: "set", ecs.OnRemove: "remove"} {
		r.must(w.Observe(ecs.Observer{Name: name, On: on, Component: r.pool, Run: func(_ *ecs.Tick, n ecs.Notice) error {
			r.told = append(r.told, name)
			return nil
		}}))
	}
	r.must(w.Step(0))
	return r
}

func (r *relatedWorld) define(name string, sparse bool) ecs.ComponentID {
	id, err := r.world.Raw().Define(form(name, 1), sparse)
	r.must(err)
	return id
}

func (r *relatedWorld) must(errs ...error) {
	r.Helper()
	if err := errors.Join(errs...); err != nil {
		r.Fatal(err)
	}
}

// says writes down all that a migration must keep.
func (r *relatedWorld) says() string {
	w, text := r.world, ""
	for _, e := range r.es {
		text += fmt.Sprintln(e, number(w.Raw().Pointer(e, r.cell)), number(w.Raw().Pointer(e, r.pool)), w.Raw().Components(e, nil),
			slices.Collect(w.Children(e)), w.Parent(e), r.rides.Target(e), slices.Collect(r.rides.Sources(e)), w.Raw().IsPrefab(e))
	}
	for _, q := range []*ecs.Query{
		w.Query(ecs.Read(r.cell)), w.Query(ecs.Read(r.pool)).Prefabs(), w.Query(ecs.Read(r.wool), ecs.Read(r.pool)),
		w.Query(ecs.Read(r.fenced)), w.Query(ecs.Read(r.pool)).Without(r.fenced), w.Query(ecs.Read(r.cell)).ChildrenOf(r.es[0]).Prefabs(),
	} {
		for c := range q.Chunks() {
			text += fmt.Sprint(c.Entities())
		}
		text += "\n"
	}
	return text
}

// TestAMigrationKeepsWhatStandsBesideValues: links, marks, tags, groups and the
// order of pools, whether values grow, shrink or go away.
func TestAMigrationKeepsWhatStandsBesideValues(t *testing.T) {
	for _, n := range []int{2, 6, 1} {
		r := newRelatedWorld(t)
		before := r.says()
		for range 2 {
			m := r.world.Raw().Migrate()
			keep := func(_ ecs.Entity, from, to unsafe.Pointer) error { *(*uint16)(to) = number(from); return nil }
			r.must(m.Component(form("cell", n), keep), m.Component(form("pool", n), keep), m.Prepare())
			m.Commit()
			if after := r.says(); after != before {
				t.Errorf("form %d: before\n%safter\n%s", n, before, after)
			}
			r.must(r.world.Check())
		}
		r.must(r.world.Step(0))
		if len(r.told) > 0 {
			t.Errorf("observers were told of %v, which is no change that anybody made", r.told)
		}
		r.goesOn()
	}
}

// goesOn changes the world after a migration: groups keep their step, observers
// hear, copies of a prefab have the new form, and the dead leave no links.
func (r *relatedWorld) goesOn() {
	r.Helper()
	w := r.world
	r.must(w.Remove(r.es[7], r.pool), w.Add(r.es[7], w.Raw().ValueAt(r.pool, nil)), w.Despawn(r.es[3]))
	copies, err := w.Instantiate(r.es[0], 3)
	r.must(err, w.Step(0), w.Check())
	for _, e := range copies {
		if w.Raw().IsPrefab(e) || number(w.Raw().Pointer(e, r.pool)) != 1 || len(slices.Collect(w.Children(e))) != 2 {
			r.Errorf("the copy %v has %d and the children %v", e, number(w.Raw().Pointer(e, r.pool)), slices.Collect(w.Children(e)))
		}
	}
	// Three trees of three come; one value goes and comes; one entity dies.
	slices.Sort(r.told)
	want := append(slices.Repeat([]string{"add"}, 10), "remove", "remove")
	if !slices.Equal(r.told, want) || r.rides.Target(r.es[4]) != 0 {
		r.Errorf("observers were told of %v; %v still rides on %v", r.told, r.es[4], r.rides.Target(r.es[4]))
	}
}

// TestAMigrationWaitsForObservers, because removed values that they have yet to
// see would be of the old form.
func TestAMigrationWaitsForObservers(t *testing.T) {
	r := newRelatedWorld(t)
	r.must(r.world.Remove(r.es[5], r.pool))
	m := r.world.Raw().Migrate()
	r.must(m.Component(form("pool", 4), nil))
	if err := m.Prepare(); !errors.Is(err, ecs.ErrIterating) {
		t.Errorf("before they were told: %v", err)
	}
	r.must(r.world.Step(0), m.Component(form("pool", 4), nil), m.Prepare())
	m.Commit()
	r.must(r.world.Check())
}

// TestRename: values, numbers and handles go over to the new name, with the same
// fields and with others; before the commit, and after a drop, nothing has changed.
func TestRename(t *testing.T) {
	for _, wider := range []bool{false, true} {
		r := newRelatedWorld(t)
		w, before := r.world, r.says()
		value := w.Raw().ValueAt(r.cell, nil)
		m := w.Raw().Migrate()
		fields := func() {
			if wider {
				r.must(m.Component(form("cage", 6), func(_ ecs.Entity, from, to unsafe.Pointer) error { *(*uint16)(to) = number(from); return nil }))
			}
		}
		r.must(m.Rename("cell", "cage"), m.Rename("pool", "pond"))
		fields()
		r.must(m.Prepare())
		if id, ok := w.Raw().ComponentNamed("cell"); !ok || id != r.cell || w.Raw().Schema(id).Name != "cell" {
			t.Error("renamed before the commit")
		}
		m.Drop()
		m.Commit() // of nothing
		if _, ok := w.Raw().ComponentNamed("cage"); ok || r.says() != before {
			t.Error("renamed after a drop")
		}
		m = w.Raw().Migrate()
		r.must(m.Rename("cell", "cage"), m.Rename("pool", "pond"))
		fields()
		r.must(m.Prepare())
		m.Commit()
		r.must(w.Check())
		id, ok := w.Raw().ComponentNamed("cage")
		_, old := w.Raw().ComponentNamed("cell")
		if !ok || old || id != r.cell || w.Raw().Schema(id).Name != "cage" || r.says() != before {
			t.Errorf("wider %v: %v %v %v\nbefore\n%safter\n%s", wider, id, ok, old, before, r.says())
		}
		if err := w.Add(r.es[0], value); (err != nil) != wider {
			t.Errorf("a value from before: %v", err)
		}
		// The old name is free for another.
		if other, err := w.Raw().Define(form("cell", 2), false); err != nil || other == id {
			t.Errorf("the old name: %v %v", other, err)
		}
		r.goesOn()
	}
}

func TestRenameIsRefused(t *testing.T) {
	r := newRelatedWorld(t)
	m := r.world.Raw().Migrate()
	for names, want := range map[[2]string]error{
		{"nobody", "x"}:  ecs.ErrUnknown,
		{"cell", "pool"}: ecs.ErrConflict,
		{"cell", "cell"}: ecs.ErrConflict,
		{"cell", ""}:     ecs.ErrConflict,
		{"wool", "x"}:    ecs.ErrConflict,
	} {
		if err := m.Rename(names[0], names[1]); !errors.Is(err, want) {
			t.Errorf("%v: %v, want %v", names, err, want)
		}
	}
	r.must(m.Rename("cell", "x"))
	if err := m.Rename("pool", "x"); !errors.Is(err, ecs.ErrConflict) {
		t.Errorf("one name for two: %v", err)
	}
}

// TestASpawnLikeTheLastOneAfterAMigration: a value that was made before it has bytes
// of another layout, and is refused though the last entity came with the very same
// one.
func TestASpawnLikeTheLastOneAfterAMigration(t *testing.T) {
	w := ecs.NewWorld()
	id, err := w.Raw().Define(form("n", 2), false)
	if err != nil {
		t.Fatal(err)
	}
	bytes := [2]uint16{7, 9}
	old := w.Raw().ValueAt(id, unsafe.Pointer(&bytes))
	w.Spawn(old)
	w.Spawn(old)
	m := w.Raw().Migrate()
	if err := errors.Join(m.Component(form("n", 1), nil), m.Prepare()); err != nil {
		t.Fatal(err)
	}
	m.Commit()
	if e, err := w.TrySpawn(old); !errors.Is(err, ecs.ErrConflict) {
		t.Errorf("a value from before the migration made %v, %v", e, err)
	}
	if e := w.Spawn(w.Raw().ValueAt(id, unsafe.Pointer(&bytes))); number(w.Raw().Pointer(e, id)) != 7 {
		t.Error("a value made after it is not what the entity has")
	}
	if err := w.Check(); err != nil {
		t.Error(err)
	}
}

// TestRowsWith counts rows of archetypes once, with all that is in them, and those of pools; observers
// are counted by what they wait for.
func TestRowsWith(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	raw := w.Raw()
	var ids []ecs.ComponentID
	for i, n := range []int{1, 2, 1} { // of 2, 4 and 2 bytes, the last in a pool
		id, err := raw.Define(form(fmt.Sprint("r", i), n), i == 2)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	value := func(i int) ecs.Value { return raw.ValueAt(ids[i], nil) }
	w.Spawn(value(0))
	w.Spawn(value(0), value(1))
	w.Spawn(value(1), value(2))
	w.Spawn(value(2))
	for _, c := range []struct {
		of    []ecs.ComponentID
		rows  int
		bytes int64
	}{
		{nil, 0, 0}, {[]ecs.ComponentID{60_000}, 0, 0},
		{ids[:1], 2, 8 + 2 + 8 + 6}, {ids[1:2], 2, 8 + 6 + 8 + 4}, {ids[2:], 2, 2 * (8 + 2)},
		{ids[:2], 3, 8 + 2 + 8 + 6 + 8 + 4}, {ids, 5, 8 + 2 + 8 + 6 + 8 + 4 + 2*(8+2)},
	} {
		if rows, bytes := raw.RowsWith(c.of...); rows != c.rows || bytes != c.bytes {
			t.Errorf("%v: %d rows of %d bytes, want %d of %d", c.of, rows, bytes, c.rows, c.bytes)
		}
	}
	run := func(*ecs.Tick, ecs.Notice) error { return nil }
	for name, on := range map[string]ecs.Trigger{"a": ecs.OnAdd, "b": ecs.OnAdd | ecs.OnRemove, "c": ecs.OnSpawn} {
		if err := w.Observe(ecs.Observer{Name: name, On: on, Component: ids[0], Run: run}); err != nil {
			t.Fatal(err)
		}
	}
	w.Unobserve("a")
	if add, both, other := raw.ObserverCount(ids[0], ecs.OnAdd), raw.ObserverCount(ids[0], ecs.OnAdd|ecs.OnRemove|ecs.OnSpawn), raw.ObserverCount(60_000, ecs.OnAdd); add != 1 || both != 2 || other != 0 {
		t.Errorf("%d, %d and %d observers, want 1, 2 and 0", add, both, other)
	}
}
