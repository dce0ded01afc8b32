package save_test

import (
	"bytes"
	"errors"
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
