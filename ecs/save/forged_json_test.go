package save_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
)

// forgedJSON calls do with texts of JSON that come of one change each: a key is left out, an item is there twice or not, a value is
// another one.
func forgedJSON(t testing.TB, text []byte, others []string, do func(what string, text []byte)) {
	var root any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	must(t, d.Decode(&root))
	emit := func(what string) {
		changed, err := json.Marshal(root)
		must(t, err)
		do(what, changed)
	}
	var walk func(path string, v any, set func(any))
	walk = func(path string, v any, set func(any)) {
		for _, o := range others {
			set(json.RawMessage(o))
			emit(path + " = " + o)
		}
		set(v)
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				inner := v[k]
				delete(v, k)
				emit("without " + path + "." + k)
				v[k] = inner
				walk(path+"."+k, inner, func(o any) { v[k] = o })
			}
		case []any:
			for i, inner := range v[:min(len(v), 3)] {
				walk(fmt.Sprintf("%s[%d]", path, i), inner, func(o any) { v[i] = o })
			}
			if len(v) > 0 {
				set(append([]any{v[0]}, v...))
				emit("twice the first of " + path)
				set(v[1:])
				emit("without the first of " + path)
				set(v)
			}
		}
	}
	walk("", root, func(v any) { root = v })
}

// TestForgedJSON: a save with one key less, an item more, or another value at one place, is refused with a name, or is a world
// that goes on.
func TestForgedJSON(t *testing.T) {
	s, o := declare(t, 3), declare(t, 3)
	for _, w := range []*sample{s, o} {
		must(t, w.Schedule().Add(ecs.System{Name: "fails", Every: 0.1, Run: func(t *ecs.Tick) error {
			if t.World.Len() == 1 {
				return errors.New("planned")
			}
			return nil
		}}))
		w.shots.Reader("waits")
		w.Query().Added(w.position)
	}
	e := s.Spawn()
	_ = s.Step(0.1)
	must(t, s.Despawn(e))
	good := s.fill(t, 8).text(t, save.Options{})
	others := []string{"null", "0", "-1", "3", "16777217", "18446744073709551615", "1e300", `""`, `"x"`, "true", "[]", "{}", "[null]", `"nan"`}
	n, loaded := 0, 0
	for _, part := range []string{"manifest.json", "state.json", "resources.json"} {
		var text []byte
		forge(t, good, func(name string, data []byte) []byte {
			if name == part {
				text = data
			}
			return data
		})
		forgedJSON(t, text, others, func(what string, changed []byte) {
			if n++; n%max(47 / *damages, 1) != 0 {
				return
			}
			t.Run(part+what, func(t *testing.T) {
				if judgeForged(t, o.World, forge(t, good, func(name string, data []byte) []byte {
					if name == part {
						return changed
					}
					return data
				})) {
					loaded++
				}
			})
		})
	}
	if t.Logf("%d of %d are taken", loaded, n); loaded == 0 {
		t.Error("the judge sees too little")
	}
}
