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
	c, ev = ecs.Register[aim](o), ecs.RegisterEvent[aim](o)
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
