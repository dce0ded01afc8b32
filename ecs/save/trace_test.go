package save_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
)

// told is all that a world has beside the memory of its arena, a line for each part that is no list or struct: what no
// field says, such as the capacity of a list, is not told. Of an empty list it is the same whether there is one.
type told struct {
	lines []string
	seen  map[any]int
}

func tell(w *ecs.World) []string {
	t := &told{seen: map[any]int{}}
	t.value("world", reflect.ValueOf(w))
	return append(t.lines, fmt.Sprintf("checksum %x", w.Checksum()), fmt.Sprintf("stats %v", w.Stats()))
}

func (t *told) say(path string, v any) { t.lines = append(t.lines, fmt.Sprint(path, " ", v)) }

func (t *told) value(path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() == "internal/abi" || v.Type().String() == "*reflect.rtype" {
			t.say(path, v.IsNil())
			return
		}
		key := [2]any{v.Pointer(), v.Type()}
		n, seen := t.seen[key]
		if !seen {
			n = len(t.seen)
			t.seen[key] = n
		}
		if t.say(path, n); !seen {
			t.value(path, v.Elem())
		}
	case reflect.Interface:
		if t.say(path, v.IsNil()); !v.IsNil() {
			t.value(path+"."+v.Elem().Type().String(), v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			t.value(path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		t.say(path, v.Len())
		if kind := v.Type().Elem().Kind(); v.Kind() == reflect.Slice && v.Len() > 200 && (kind == reflect.Struct || kind < reflect.Array) { // its bytes
			h := fnv.New64()
			_, _ = h.Write(unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*int(v.Type().Elem().Size())))
			t.say(path, h.Sum64())
			return
		}
		for i := range v.Len() {
			t.value(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		t.say(path, len(keys))
		for _, k := range keys {
			t.value(fmt.Sprintf("%s[%v]", path, k), v.MapIndex(k))
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		t.say(path, v.IsNil())
	default:
		t.say(path, v)
	}
}

// shelf is a storage that refuses while full is true.
type shelf struct {
	lamps map[ecs.Entity]*lamp
	list  []ecs.Entity
	full  *bool
}

type lamp struct{ X int32 }

func (s *shelf) Len() int                { return len(s.list) }
func (s *shelf) At(i int) ecs.Entity     { return s.list[i] }
func (s *shelf) Find(e ecs.Entity) *lamp { return s.lamps[e] }
func (s *shelf) Reserve(ecs.Entity) error {
	if *s.full {
		return errNoRoom
	}
	return nil
}

func (s *shelf) Put(e ecs.Entity, v lamp) {
	if s.lamps[e] == nil {
		s.list = append(s.list, e)
	}
	s.lamps[e] = &v
}

func (s *shelf) Remove(e ecs.Entity) {
	delete(s.lamps, e)
	s.list = slices.DeleteFunc(s.list, func(o ecs.Entity) bool { return o == e })
}

var errNoRoom = errors.New("full")

// withLamp registers a component in a shelf, and spawns one if it should.
func withLamp(w *ecs.World, full *bool, spawn bool) {
	c := ecs.Register[lamp](w, ecs.Stored(func() ecs.Storage[lamp] { return &shelf{lamps: map[ecs.Entity]*lamp{}, full: full} }))
	if spawn {
		w.Spawn(c.With(lamp{1}))
	}
}

// unchanged holds a world after a call against what it was before, to the last field.
func unchanged(t *testing.T, what string, w *ecs.World, call func() error, want error) {
	t.Helper()
	before, commands := tell(w), w.NewCommands()
	most := commands.MostMoved()
	if err := call(); !errors.Is(err, want) || (err == nil) != (want == nil) {
		t.Errorf("%s: %v", what, err)
	}
	after, told := tell(w), 0
	for i := range min(len(after), len(before)) {
		if after[i] != before[i] && told < 5 {
			told++
			t.Errorf("%s: %s, before: %s", what, after[i], before[i])
		}
	}
	if len(after) != len(before) {
		t.Errorf("%s: a world of %d parts had %d", what, len(after), len(before))
	}
	if now := commands.MostMoved(); now != most {
		t.Errorf("%s: MostMoved was %d and is %d", what, most, now)
	}
	must(t, w.Check())
}

// TestNoTraceOfWhatIsNotLoaded: a check, and a load that is refused, leave a world as it was, however late it is refused, and
// whether the save has types that the world lacks or not.
func TestNoTraceOfWhatIsNotLoaded(t *testing.T) {
	for _, adopts := range []bool{true, false} {
		full := false
		begin := func(tag uint16, names ...string) *ecs.World {
			w := foreign(t, tag, names...)
			for _, name := range []string{"a", "b", "c"} {
				_, err := w.Raw().Define(ecs.Schema{Name: name, Fields: []ecs.Field{{Name: "n", Kind: ecs.F64, Len: 500}}}, false)
				must(t, err)
			}
			return w
		}
		from := func(tag uint16) *save.File {
			w := begin(tag)
			withLamp(w, new(bool), true)
			var all []ecs.Value
			for _, name := range []string{"a", "b", "c"} {
				id, _ := w.Raw().ComponentNamed(name)
				all = append(all, w.Raw().ValueAt(id, w.Raw().Default(id)))
			}
			w.Spawn(all...)
			must(t, w.MarkPrefab(w.Spawn()))
			if adopts {
				id, err := w.Raw().Define(ecs.Schema{Name: "pooled", Fields: []ecs.Field{{Name: "n", Kind: ecs.F64, Len: 4000}}}, true)
				must(t, err)
				w.Spawn(w.Raw().ValueAt(id, w.Raw().Default(id)))
				_, err = w.Raw().DefineEvent(ecs.Schema{Name: "news", Fields: []ecs.Field{{Name: "n", Kind: ecs.F64}}})
				must(t, err)
			}
			return opened(t, w)
		}
		w := begin(5)
		withLamp(w, &full, false)
		_, err := w.Raw().DefineEvent(ecs.Schema{Name: "old", Fields: []ecs.Field{{Name: "n", Kind: ecs.F64}}})
		must(t, err)
		w.Spawn()
		f, other := from(5), from(6)
		try := func(what string, f *save.File, how func(*save.File, *ecs.World, save.LoadOptions) (*save.Report, error), want error) {
			t.Helper()
			unchanged(t, fmt.Sprintf("%s, adopts: %v", what, adopts), w, func() error { _, err := how(f, w, adopting); return err }, want)
		}
		try("a check", f, (*save.File).Check, nil)
		try("a check of another tag", other, (*save.File).Check, ecs.ErrConflict)
		try("a load with another tag", other, (*save.File).Load, ecs.ErrConflict)
		full = true
		try("a load into a storage that is full", f, (*save.File).Load, errNoRoom)
		full = false
		_, err = f.Load(w, adopting)
		must(t, err)
		must(t, w.Check())
	}
}
