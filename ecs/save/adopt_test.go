package save_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// foreign opens a world with the components that are named, and the first of its entities has all of them: those whose
// names begin with s in pools.
func foreign(t testing.TB, tag uint16, names ...string) *ecs.World {
	t.Helper()
	w, err := ecs.Open(ecs.Options{Tag: tag, MaxBytes: 16 << 20})
	must(t, err)
	t.Cleanup(func() { w.Close() })
	var values []ecs.Value
	for _, name := range names {
		id, err := w.Raw().Define(ecs.Schema{Name: name, Fields: []ecs.Field{{Name: "n", Kind: ecs.F64}}}, name[0] == 's')
		must(t, err)
		values = append(values, w.Raw().ValueAt(id, w.Raw().Default(id)))
	}
	w.Spawn(values...)
	return w
}

// opened opens a save of a world.
func opened(t testing.TB, w *ecs.World) *save.File {
	t.Helper()
	kept, err := snapshot.Capture(w)
	must(t, err)
	var b bytes.Buffer
	must(t, save.Write(&b, kept, save.Options{}))
	f, err := save.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	must(t, err)
	return f
}

// adopting are options that take all that the world does not know.
var adopting = save.LoadOptions{Adopts: func(string, bool) bool { return true }}

// TestAdoptedTypesComeWithTheRest: a component that the world does not have comes with the load alone, and each value of the others
// is converted once.
func TestAdoptedTypesComeWithTheRest(t *testing.T) {
	from := foreign(t, 5, "a", "b", "sparse")
	f := opened(t, from)
	w, err := ecs.Open(ecs.Options{Tag: 5, MaxBytes: 16 << 20})
	must(t, err)
	t.Cleanup(func() { w.Close() })
	_, err = w.Raw().Define(ecs.Schema{Name: "a", Version: 2, Fields: []ecs.Field{{Name: "m", Kind: ecs.F64}}}, false)
	must(t, err)
	calls, before := 0, w.Raw().ComponentCount()
	options := adopting
	options.Migrate = func(old, now *ecs.Schema) ecs.Convert {
		return func(ecs.Entity, unsafe.Pointer, unsafe.Pointer) error { calls++; return nil }
	}
	report, err := f.Check(w, options)
	must(t, err)
	if calls != 1 || w.Raw().ComponentCount() != before || strings.Count(report.String(), "unseen") != 2 {
		t.Errorf("a check: %d calls, %d components: %v", calls, w.Raw().ComponentCount(), report)
	}
	must(t, w.Check())
	calls = 0
	_, err = f.Load(w, options)
	must(t, err)
	must(t, w.Check())
	if calls != 1 || w.Raw().ComponentCount() != before+2 {
		t.Errorf("a load: %d calls, %d components", calls, w.Raw().ComponentCount())
	}
	for _, name := range []string{"a", "b", "sparse"} {
		if id, ok := w.Raw().ComponentNamed(name); !ok || w.Query(ecs.Read(id)).Count() != 1 {
			t.Errorf("%s is not there", name)
		}
	}
}

// TestRefusedLoadsLeaveNoTypes: a load that cannot be leaves the numbers of components for others, however late that is found.
func TestRefusedLoadsLeaveNoTypes(t *testing.T) {
	w := foreign(t, 5, "a")
	before := w.Raw().ComponentCount()
	for i := range 5 {
		_, err := opened(t, foreign(t, 6, fmt.Sprintf("b%d", i), fmt.Sprintf("s%d", i))).Load(w, adopting)
		if !errors.Is(err, ecs.ErrConflict) || !strings.Contains(err.Error(), "tag") || w.Raw().ComponentCount() != before {
			t.Fatalf("%d: %v, %d components", i, err, w.Raw().ComponentCount())
		}
	}
	must(t, w.Check())
	_, err := opened(t, foreign(t, 5, "b", "sparse", "a")).Load(w, adopting)
	must(t, err)
	must(t, w.Check())
}

// TestWhatHasNoRoomLeavesNoType: that the values of an unseen type have no room in the world is found before the world has the type.
func TestWhatHasNoRoomLeavesNoType(t *testing.T) {
	from, err := ecs.Open(ecs.Options{Tag: 5, MaxBytes: 64 << 20})
	must(t, err)
	t.Cleanup(func() { from.Close() })
	id, err := from.Raw().Define(ecs.Schema{Name: "wide", Fields: []ecs.Field{{Name: "n", Kind: ecs.F64, Len: 64}}}, false)
	must(t, err)
	for range 60_000 {
		from.Spawn(from.Raw().ValueAt(id, from.Raw().Default(id)))
	}
	w := foreign(t, 5, "a")
	before := w.Raw().ComponentCount()
	if _, err := opened(t, from).Load(w, adopting); !errors.Is(err, ecs.ErrArenaFull) || w.Raw().ComponentCount() != before {
		t.Errorf("%v, %d components", err, w.Raw().ComponentCount()-before)
	}
	must(t, w.Check())
}

// TestAFullWorldAdoptsNothing: Check finds, as Load does, that there is no number left.
func TestAFullWorldAdoptsNothing(t *testing.T) {
	var names []string
	for i := range ecs.MaxComponents - 1 - foreign(t, 5).Raw().ComponentCount() {
		names = append(names, fmt.Sprintf("c%d", i))
	}
	w, f := foreign(t, 5, names...), opened(t, foreign(t, 5, "one", "two"))
	for _, try := range []func(*ecs.World, save.LoadOptions) (*save.Report, error){f.Check, f.Load} {
		if _, err := try(w, adopting); !errors.Is(err, ecs.ErrConflict) || !strings.Contains(err.Error(), "at most") {
			t.Error(err)
		}
	}
	if w.Raw().ComponentCount() != ecs.MaxComponents-1 {
		t.Error("the world has got a component")
	}
	_, err := opened(t, foreign(t, 5, "one")).Load(w, adopting)
	must(t, err)
}
