package bindings

import (
	"reflect"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// TestResetForgetsAll: a call that is used again knows nothing of the one before.
// Its fields are not named here one by one, so that a new one cannot be left out.
func TestResetForgetsAll(t *testing.T) {
	c := &call{
		&ecs.Tick{}, "system", "a.lua", 7, true, true,
		undo{list: []saved{{n: 1}}, bytes: 1}, []pendingTimer{{cancel: 1}}, []position{{at: 1}}, []written{{}}, ecs.Dates{},
		[]Loan{&context{}},
		recorded{1, 2, 3}, 4, map[string]int{"a.lua": 1},
	}
	w := ecs.NewWorld()
	defer w.Close()
	id := ecs.Register[written](w).ID()
	if c.dates.Look(w.Query().Changed(id)); c.dates.Mark() == 0 {
		t.Fatal("a look is not noted")
	}
	c.reset()
	if c.dates.Mark() != 0 {
		t.Error("a look is noted still")
	}
	c.dates = ecs.Dates{}
	for v, i := reflect.ValueOf(c).Elem(), 0; i < v.NumField(); i++ {
		f, name := v.Field(i), v.Type().Field(i).Name
		switch {
		case f.Kind() == reflect.Slice || f.Kind() == reflect.Map:
			if f.Len() > 0 {
				t.Errorf("%s is not empty", name)
			}
		case name == "undo":
			if u := &c.undo; len(u.list) > 0 || u.bytes != 0 || u.rooms.at != 0 || u.rooms.used != 0 {
				t.Errorf("%+v is not empty", u)
			}
		case !f.IsZero():
			t.Errorf("%s is not zero", name)
		}
	}
	if c.undo.list[:1][0].n != 0 || c.timers[:1][0].cancel != 0 || c.read[:1][0].at != 0 || c.loans[:1][0] != nil {
		t.Error("what the room of a slice holds is held on to")
	}
}
