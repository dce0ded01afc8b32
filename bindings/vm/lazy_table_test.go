package vm

import (
	"math"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// squad has what a LazyTable reads by itself and what it leaves to the table.
type squad struct {
	Size  float64
	Mates [3]ecs.Entity
	Ranks [2]int16
	At    struct{ X float32 }
	Ready bool
}

func lazySquad(t *testing.T) (*LazyTable, *lua.LState) {
	t.Helper()
	w := ecs.NewWorld()
	t.Cleanup(func() { w.Close() })
	id := ecs.Register[squad](w).ID()
	given := squad{Size: 2.5, Mates: [3]ecs.Entity{7, 8, 9}, Ranks: [2]int16{-1, 4}, Ready: true}
	given.At.X = 1.5
	l := &LazyTable{}
	l.CopyFrom(w.Raw().Schema(id), unsafe.Pointer(&given))
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	t.Cleanup(L.Close)
	return l, L
}

// TestLazyReadsWithoutATable reads fields and elements, and finds that what it cannot
// read is left to the table.
func TestLazyReadsWithoutATable(t *testing.T) {
	l, _ := lazySquad(t)
	var r Register
	read := func(name string) bool { return l.Get(&FieldCache{}, name, &r) }
	if !read("size") || r.Value != nil || r.Number != 2.5 {
		t.Errorf("size: %v", r)
	}
	if !read("ready") || r.Value != lua.LTrue {
		t.Errorf("ready: %v", r)
	}
	if !read("none") || r.Value != lua.LNil {
		t.Errorf("no such field: %v", r)
	}
	if read("at") {
		t.Error("a struct was read without a table")
	}
	if !read("mates") {
		t.Fatal("an array was not read")
	}
	mates := r.Value.(*LazyTable)
	for i, want := range map[int]float64{1: 7, 3: 9} {
		if !mates.Element(i, &r) || r.Number != want {
			t.Errorf("mates[%d]: %v", i, r)
		}
	}
	if !mates.Element(4, &r) || r.Value != lua.LNil {
		t.Errorf("mates[4]: %v", r)
	}
	if mates.Root() != l || l.Root() != l {
		t.Error("an array does not know whose it is")
	}
	if l.table != nil || mates.table != nil {
		t.Error("a table was made")
	}
	if read("ranks") {
		t.Error("a second array was read without a table, and the first forgotten")
	}
}

// TestLazyTableIsOne makes the table after parts were read: all of them are the same
// from then on, and the table is what counts.
func TestLazyTableIsOne(t *testing.T) {
	l, L := lazySquad(t)
	var r Register
	cache := &FieldCache{}
	l.Get(cache, "mates", &r)
	mates := r.Value.(*LazyTable)
	mates.Table(L).RawSetInt(2, lua.LNumber(80))
	if mates.Element(2, &r) {
		t.Error("an element was read beside its table")
	}
	table := l.Table(L)
	if table != l.Table(L) || table.RawGetString("mates") != lua.LValue(mates.Table(L)) {
		t.Error("not the same tables")
	}
	if v := table.RawGetString("at").(*lua.LTable).RawGetString("x"); v != lua.LNumber(1.5) {
		t.Errorf("at.x = %v", v)
	}
	if l.Get(cache, "size", &r) {
		t.Error("a field was read beside its table")
	}
}

// list makes a table of numbers.
type list struct{ made *lua.LTable }

func (l *list) Materialise(numbers []float64) *lua.LTable {
	l.made = lua.NewState(lua.Options{SkipOpenLibs: true}).NewTable()
	for i, n := range numbers {
		l.made.RawSetInt(i+1, lua.LNumber(n))
	}
	return l.made
}

// TestColumnHasPlaces: a column is read and written at the places of its numbers. It has
// none for other keys, and none at all once there is a table, which has what was written.
func TestColumnHasPlaces(t *testing.T) {
	c, numbers := &list{}, []float64{5, 6, 7}
	l := &LazyTable{}
	l.StandFor(c, numbers)
	for i := range numbers {
		if l.Place(float64(i+1)) != &numbers[i] {
			t.Errorf("the place of %d is another one", i+1)
		}
	}
	for _, key := range []float64{0, -1, 4, 1.5, 1 << 62, 1e300, -1e300, math.Inf(1), math.Inf(-1), math.NaN()} {
		if l.Place(key) != nil {
			t.Errorf("there is a place of %v", key)
		}
	}
	var r Register
	if !l.Element(4, &r) || r.Value != lua.LNil {
		t.Errorf("after the last element there is %v", r)
	}
	if l.OpenPlace(2) != nil {
		t.Error("an element of a column that is not open can be assigned")
	}
	l.Open()
	if l.OpenPlace(4) != nil || l.OpenPlace(1.5) != nil {
		t.Error("what is no element can be assigned")
	}
	*l.OpenPlace(2) = 60
	if l.Table(nil) != c.made || c.made.RawGetInt(2) != lua.LNumber(60) {
		t.Error("the table does not have what was written")
	}
	if l.Place(2) != nil || l.OpenPlace(2) != nil || l.Element(2, &r) {
		t.Error("an element was read beside its table")
	}
}
