package save_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// aim is a component, and an event, of a handle.
type aim struct{ At ecs.Entity }

// TestFieldsOfEntitiesHoldAnyNumber: a field of entities may have a number that is no handle, as a sentinel of the program.
func TestFieldsOfEntitiesHoldAnyNumber(t *testing.T) {
	const sentinel = ^ecs.Entity(0)
	w := bare(t)
	c, ev := ecs.Register[aim](w), ecs.RegisterEvent[aim](w)
	e := w.Spawn(c.With(aim{sentinel}))
	must(t, ev.Emit(aim{sentinel}))
	o := bare(t)
	c = ecs.Register[aim](o)
	ecs.RegisterEvent[aim](o)
	_, err := load(o, written(t, w), save.LoadOptions{})
	must(t, err)
	if v, _ := c.Get(e); v.At != sentinel {
		t.Errorf("%d came back", v.At)
	}
	if o.Alive(sentinel) {
		t.Error("it is alive")
	}
}

// moods is a component, and an event, of two enums of two words.
type moods struct {
	Pair [2]struct {
		Mood uint8 `ecs:"mood,enum=calm|angry"`
	}
}

// openMoods opens a world of moods, which are kept in one way or another.
func openMoods(t *testing.T, options ...ecs.ComponentOption) (*ecs.World, ecs.Component[moods], ecs.Event[moods]) {
	w := bare(t)
	return w, ecs.Register[moods](w, options...), ecs.RegisterEvent[moods](w)
}

// TestEnumsAreTheirWords: an enum of a save is one of its words, wherever it stands. A save of which it is not is not written.
func TestEnumsAreTheirWords(t *testing.T) {
	var good, bad moods
	good.Pair[0].Mood, good.Pair[1].Mood = 1, 1
	bad.Pair[0].Mood, bad.Pair[1].Mood = 1, 200
	for where, options := range map[string][]ecs.ComponentOption{"archetypes/": nil, "pools/": {ecs.Sparse}, "events/": nil} {
		w, c, ev := openMoods(t, options...)
		var e ecs.Entity
		for range 50 {
			e = w.Spawn(c.With(good))
			must(t, ev.Emit(good))
		}
		text := forge(t, written(t, w), func(name string, data []byte) []byte {
			if strings.HasPrefix(name, where) {
				return bytes.ReplaceAll(data, bytes.Repeat([]byte{1, 1}, 50), bytes.Repeat([]byte{1, 200}, 50))
			}
			return data
		})
		o, _, _ := openMoods(t, options...)
		if _, err := load(o, text, save.LoadOptions{}); !errors.Is(err, save.ErrDamaged) || !strings.Contains(err.Error(), `"mood"`) {
			t.Errorf("%s: %v", where, err)
		}
		if where == "events/" {
			must(t, ev.Emit(bad))
		} else {
			*c.Edit(e) = bad
		}
		s, err := snapshot.Capture(w)
		must(t, err)
		if err := save.Write(io.Discard, s, save.Options{}); !errors.Is(err, ecs.ErrRange) || where != "events/" && !strings.Contains(err.Error(), e.String()) {
			t.Errorf("%s: it was written: %v", where, err)
		}
	}
}

// TestResourcesOfTypesOfOneName: of resources whose types nothing tells apart no save is written that no world could load.
func TestResourcesOfTypesOfOneName(t *testing.T) {
	w := bare(t)
	{
		type config struct{ N int }
		ecs.Provide(w, &config{1})
	}
	{
		type config struct{ N int }
		ecs.Provide(w, &config{2})
	}
	s, err := snapshot.Capture(w)
	must(t, err)
	if err := save.Write(io.Discard, s, save.Options{}); !errors.Is(err, ecs.ErrConflict) || !strings.Contains(err.Error(), "save_test.config") {
		t.Error(err)
	}
}

// TestATypeThatIsNotTheOnlyOne: a save that says of which name a type was, and not of which package, is no save of the first
// one of two.
func TestATypeThatIsNotTheOnlyOne(t *testing.T) {
	w := bare(t)
	{
		type config struct{ N int }
		ecs.Provide(w, &config{1})
	}
	text := written(t, w)
	type config struct{ N int }
	o := bare(t)
	{
		type config struct{ N int }
		ecs.Provide(o, &config{7})
	}
	second := ecs.Provide(o, &config{8})
	if _, err := load(o, text, save.LoadOptions{}); !errors.Is(err, save.ErrLoss) {
		t.Error(err)
	}
	if _, err := load(o, text, save.LoadOptions{Lose: true}); err != nil || second.N != 8 {
		t.Error(err, second.N)
	}
}

// Types in each other: eight, and eight times eight.
type (
	box[T any]   struct{ In T }
	eight[T any] struct {
		In box[box[box[box[box[box[box[T]]]]]]]
	}
	deep struct {
		In eight[eight[eight[struct{ X float32 }]]]
	}
	deeper struct {
		In eight[eight[eight[eight[eight[eight[eight[eight[eight[eight[eight[eight[eight[deep]]]]]]]]]]]]]
	}
)

// TestStructsInStructs: what is written of structs in each other is read, and what would be refused is not written.
func TestStructsInStructs(t *testing.T) {
	w := bare(t)
	w.Spawn(ecs.Register[deep](w).With(deep{}))
	text := written(t, w)
	o := bare(t)
	ecs.Register[deep](o)
	_, err := load(o, text, save.LoadOptions{})
	must(t, err)
	ecs.Register[deeper](w)
	s, err := snapshot.Capture(w)
	must(t, err)
	if err := save.Write(io.Discard, s, save.Options{}); !errors.Is(err, save.ErrTooLarge) {
		t.Error(err)
	}
}
