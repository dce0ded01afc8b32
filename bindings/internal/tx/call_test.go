package tx

import (
	"reflect"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/sketch"
)

type noLoan struct{}

func (noLoan) Recall() {}

// TestResetForgetsAll: a call that is used again knows nothing of the one before.
// Its fields are not named here one by one, so that a new one cannot be left out.
func TestResetForgetsAll(t *testing.T) {
	c := &Call{
		&ecs.Tick{}, "system", "a.lua", 7, true, true, &rows.Ran{},
		undo{List: []saved{{n: 1}}, Bytes: 1}, []PendingTimer{{Cancel: 1}}, Drawn{[]sketch.Stroke{{Kind: sketch.Text, Text: "x"}}, 1}, []readerPosition{{at: 1}}, StateWrites{list: []Written{{Len: 1}}, marked: 1}, ecs.Dates{},
		[]Loan{noLoan{}}, nil, nil,
		recorded{1, 2, 3}, 4, true, map[string]int{"a.lua": 1}, recorded{1, 2, 3}, true,
	}
	w := ecs.NewWorld()
	defer w.Close()
	id := ecs.Register[Written](w).ID()
	if c.Dates.Look(w.Query().Changed(id)); c.Dates.Mark() == 0 {
		t.Fatal("a look is not noted")
	}
	c.reset()
	if c.Dates.Mark() != 0 {
		t.Error("a look is noted still")
	}
	c.Dates = ecs.Dates{}
	for v, i := reflect.ValueOf(c).Elem(), 0; i < v.NumField(); i++ {
		f, name := v.Field(i), v.Type().Field(i).Name
		switch {
		case f.Kind() == reflect.Slice || f.Kind() == reflect.Map:
			if f.Len() > 0 {
				t.Errorf("%s is not empty", name)
			}
		case name == "Undo":
			if u := &c.Undo; len(u.List) > 0 || u.Bytes != 0 || u.rooms.at != 0 || u.rooms.used != 0 {
				t.Errorf("%+v is not empty", u)
			}
		case name == "Drawn":
			if d := &c.Drawn; len(d.List) > 0 || d.Texts != 0 || d.List[:1][0] != (sketch.Stroke{}) {
				t.Errorf("%+v is not empty", d)
			}
		case name == "Wrote": // where the latest stood is a guess at most
			if w := &c.Wrote; len(w.list) > 0 || w.marked != 0 || w.list[:1][0].Len != 0 {
				t.Errorf("%+v is not empty", w)
			}
		case !f.IsZero():
			t.Errorf("%s is not zero", name)
		}
	}
	if c.Undo.List[:1][0].n != 0 || c.Timers[:1][0].Cancel != 0 || c.read[:1][0].at != 0 || c.loans[:1][0] != nil {
		t.Error("what the room of a slice holds is held on to")
	}
}
