package save_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
)

type (
	wideBefore  struct{ A, B float32 }
	wideLess    struct{ A float32 }
	wideNow     struct{ A, B float32 }
	wideAndMore struct {
		A, B float32
		C    [1000]float32
	}
)

// world opens a world of so many bytes that saves of others with the tag can be loaded into.
func world(t *testing.T, bytes int64) *ecs.World {
	w, err := ecs.Open(ecs.Options{Tag: 3, MaxBytes: bytes})
	must(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

// TestFieldsThatAreGone: a load that would lose the values of a field is refused with its name, and goes on where that is wanted.
func TestFieldsThatAreGone(t *testing.T) {
	from := world(t, 16<<20)
	c := ecs.Register[wideBefore](from, ecs.Named("Wide"))
	e := from.Spawn(c.With(wideBefore{1, 2}))
	f := opened(t, from)

	w := world(t, 16<<20)
	less := ecs.Register[wideLess](w, ecs.Named("Wide"))
	before := w.Checksum()
	if _, err := f.Load(w, save.LoadOptions{}); !errors.Is(err, save.ErrLoss) || !strings.Contains(err.Error(), "field b would be lost") {
		t.Error(err)
	}
	if w.Checksum() != before || w.Alive(e) {
		t.Error("a load that was refused has changed the world")
	}
	report, err := f.Load(w, save.LoadOptions{Lose: true})
	must(t, err)
	if len(report.Changes) != 1 || !report.Changes[0].Lost {
		t.Errorf("%+v", report.Changes)
	}
	if v, _ := less.Get(e); v.A != 1 {
		t.Error(v)
	}
}

type (
	secret    struct{ A, b float32 }
	secretNow struct{ A, C float32 }
)

// TestHiddenFieldsThatAreGone: bytes of fields that are not exported are found again only in the type that they were of. Everything
// else loses them, which is said.
func TestHiddenFieldsThatAreGone(t *testing.T) {
	from := world(t, 16<<20)
	c := ecs.Register[secret](from, ecs.Named("Secret"))
	e := from.Spawn(c.With(secret{1, 2}))
	f := opened(t, from)

	same := world(t, 16<<20)
	again := ecs.Register[secret](same, ecs.Named("Secret"))
	_, err := f.Load(same, save.LoadOptions{})
	must(t, err)
	if v, _ := again.Get(e); v.b != 2 {
		t.Error(v)
	}

	w := world(t, 16<<20)
	now := ecs.Register[secretNow](w, ecs.Named("Secret"))
	if _, err := f.Load(w, save.LoadOptions{}); !errors.Is(err, save.ErrLoss) || !strings.Contains(err.Error(), "not exported") {
		t.Error(err)
	}
	_, err = f.Load(w, save.LoadOptions{Lose: true})
	must(t, err)
	if v, _ := now.Get(e); v != (secretNow{A: 1}) {
		t.Error(v)
	}
}

// TestWhatWaitsComesBack: an entity that is to die at the end of a step does so after a load, and an observer that was parked stays
// parked.
func TestWhatWaitsComesBack(t *testing.T) {
	calls := 0
	open := func() (*ecs.World, ecs.Component[wideNow]) {
		w := world(t, 16<<20)
		c := ecs.Register[wideNow](w)
		must(t, w.Observe(ecs.Observer{Name: "fails", On: ecs.OnAdd, Component: c.ID(), Run: func(*ecs.Tick, ecs.Notice) error {
			calls++
			return errors.New("it does not work")
		}}))
		return w, c
	}
	from, c := open()
	for before := -1; calls != before; { // until it is parked
		before = calls
		from.Spawn(c.With(wideNow{}))
		_ = from.Step(0.01) // the observer fails, as it should
	}
	doomed := from.Spawn()
	must(t, from.DespawnLater(doomed))
	f := opened(t, from)

	w, c := open()
	_, err := f.Load(w, save.LoadOptions{})
	must(t, err)
	calls = 0
	w.Spawn(c.With(wideNow{}))
	if !w.Alive(doomed) {
		t.Fatal("it died too early")
	}
	must(t, w.Step(0.01))
	if w.Alive(doomed) {
		t.Error("an entity that was to die lives")
	}
	if calls > 0 {
		t.Error("an observer that was parked is called")
	}
}

// TestHandlesThatWait: the handle of an entity that commands are to spawn is issued, also in a save that was made before.
func TestHandlesThatWait(t *testing.T) {
	from := world(t, 16<<20)
	c := ecs.Register[wideNow](from)
	from.Spawn(c.With(wideNow{}))
	reserved := from.NewCommands().Spawn(c.With(wideNow{}))
	f := opened(t, from)
	next := from.Spawn()

	w := world(t, 16<<20)
	ecs.Register[wideNow](w)
	_, err := f.Load(w, save.LoadOptions{})
	must(t, err)
	if w.Alive(reserved) != from.Alive(reserved) {
		t.Errorf("%v is alive: %v", reserved, w.Alive(reserved))
	}
	if e := w.Spawn(); e != next || e == reserved {
		t.Errorf("the next entity is %v, it was %v before; %v waits", e, next, reserved)
	}
	must(t, w.Check())
}

// TestComponentsThatAreTheSame: a save in which two components are the same one of this world is damaged.
func TestComponentsThatAreTheSame(t *testing.T) {
	from := world(t, 16<<20)
	one, other := ecs.Register[wideBefore](from, ecs.Named("One")), ecs.Register[wideNow](from, ecs.Named("Two"))
	from.Spawn(one.With(wideBefore{1, 2}))
	from.Spawn(other.With(wideNow{3, 4}))
	from.Spawn(one.With(wideBefore{1, 2}), other.With(wideNow{3, 4}))
	text := forge(t, written(t, from), func(name string, data []byte) []byte {
		if name == "manifest.json" {
			return bytes.ReplaceAll(data, []byte(`"Two"`), []byte(`"One"`))
		}
		return data
	})
	w := world(t, 16<<20)
	ecs.Register[wideBefore](w, ecs.Named("One"))
	ecs.Register[wideNow](w, ecs.Named("Two"))
	if _, err := load(w, text, save.LoadOptions{Lose: true}); !errors.Is(err, save.ErrDamaged) || !strings.Contains(err.Error(), "twice") {
		t.Error(err)
	}
}

// TestValuesThatGrow: a load of values that have become larger than the world may be is refused before memory for them is taken.
func TestValuesThatGrow(t *testing.T) {
	from := world(t, 64<<20)
	c := ecs.Register[wideBefore](from, ecs.Named("Wide"))
	must(t, from.SpawnMany(50_000, nil, c.With(wideBefore{1, 2})))
	f := opened(t, from)
	w := world(t, 16<<20)
	ecs.Register[wideAndMore](w, ecs.Named("Wide"))
	before := memory()
	_, err := f.Load(w, save.LoadOptions{})
	if took := memory() - before; !errors.Is(err, ecs.ErrArenaFull) || took > 64<<20 {
		t.Errorf("%d MB were taken: %v", took>>20, err)
	}
}
