package save_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
)

// TestCSV: fields of all kinds, elements and structs, tags, values with pointers, and text that a
// spreadsheet would run.
func TestCSV(t *testing.T) {
	s := declare(t, 3)
	e := s.Spawn(
		s.position.With(position{1.5, -2}), s.name.With(name{"=1+1,\"x\""}), s.tag.With(tag{}), s.fuse.With(fuse{0.25}),
		s.soul.With(soul{Alive: true, Marks: [3]bool{false, true}, Mood: 1, At: [2]struct{ Col, Row int16 }{{-1, 2}, {3, 4}}}),
	)
	text := s.text(t, save.Options{})
	f, err := save.Open(bytes.NewReader(text), int64(len(text)))
	must(t, err)
	handle := strings.TrimSpace(string(strings.Split(csv(t, f, "tag"), "\n")[1]))
	for component, want := range map[string]string{
		"position": "entity,x,y\nE,1.5,-2\n",
		"tag":      "entity\nE\n",
		"fuse":     "entity,left\nE,0.25\n",
		"name":     "entity,value\nE,\"{\"\"Text\"\":\"\"=1+1,\\\"\"x\\\"\"\"\"}\"\n",
		"soul": "entity,alive,marks[1],marks[2],marks[3],owner,mood,at[1].col,at[1].row,at[2].col,at[2].row\n" +
			"E,true,false,true,false,0,angry,-1,2,3,4\n",
	} {
		if got := csv(t, f, component); got != strings.ReplaceAll(want, "E,", handle+",") && got != strings.ReplaceAll(want, "E\n", handle+"\n") {
			t.Errorf("%s:\n%s", component, got)
		}
	}
	if err := f.CSV(&bytes.Buffer{}, "none"); !errors.Is(err, ecs.ErrUnknown) {
		t.Error(err)
	}
	_ = e
}

func csv(t *testing.T, f *save.File, component string) string {
	t.Helper()
	var b bytes.Buffer
	must(t, f.CSV(&b, component))
	return b.String()
}

// TestValues: each value lies as the schema says, values with Go pointers have none, and the first error
// ends it.
func TestValues(t *testing.T) {
	s := declare(t, 3).fill(t, 9)
	f := s.opened(t, save.Options{})
	layout, err := f.Schema("position")
	must(t, err)
	n := 0
	must(t, f.Values("position", func(e ecs.Entity, value []byte) error {
		n++
		p, ok := s.position.Get(e)
		for field, want := range map[string]float32{"x": p.X, "y": p.Y} {
			at := layout.Field(field).Offset
			if got := math.Float32frombits(binary.LittleEndian.Uint32(value[at:])); !ok || got != want {
				t.Errorf("%v: %s is %v, want %v", e, field, got, want)
			}
		}
		return nil
	}))
	if n != 8 {
		t.Errorf("%d values", n)
	}
	if layout, err := f.Schema("name"); layout != nil || err != nil {
		t.Errorf("%v, %v", layout, err)
	}
	n = 0
	if err := f.Values("name", func(ecs.Entity, []byte) error { n++; return errFull }); !errors.Is(err, errFull) || n != 1 {
		t.Errorf("%v after %d values", err, n)
	}
	if _, err := f.Schema("none"); !errors.Is(err, ecs.ErrUnknown) {
		t.Error(err)
	}
	if err := f.Values("position", nil); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
}
