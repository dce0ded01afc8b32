package save_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// moreComponents adds components to a manifest that no entity has.
func moreComponents(t testing.TB, n int, fields string, size int) func(string, []byte) []byte {
	var list any
	must(t, json.Unmarshal([]byte(fields), &list))
	return jsonWith(t, "manifest.json", func(m map[string]any) {
		all := m["components"].([]any)
		for i := range n {
			all = append(all, map[string]any{"name": fmt.Sprint("bomb", i), "kept": "chunks", "size": size, "entities": 0, "fields": list})
		}
		m["components"] = all
	})
}

// TestLayoutBombs: a manifest of a few bytes that describes values with millions of elements, or lists of
// lists of nothing, is refused before memory and time are spent on it, by all that read manifests.
func TestLayoutBombs(t *testing.T) {
	s := declare(t, 3).fill(t, 6)
	good := s.text(t, save.Options{})
	must(t, s.Close())
	other := declare(t, 3)
	nothing := `[]`
	for range 3 {
		nothing = `[{"name":"a","kind":"struct","len":60000,"fields":` + nothing + `}]`
	}
	for what, change := range map[string]func(string, []byte) []byte{
		"lists of lists of nothing": moreComponents(t, 1, nothing, 8),
		"many large values":         moreComponents(t, 100, `[{"name":"a","kind":"struct","len":4000000,"fields":[{"name":"x","kind":"u8"},{"name":"y","kind":"u16"}]}]`, 16000000),
	} {
		text := forge(t, good, change)
		before := memory()
		if judgeForged(t, other.World, text) {
			t.Errorf("%s: it was loaded", what)
		}
		f, err := save.Open(bytes.NewReader(text), int64(len(text)))
		if err == nil {
			err = f.CSV(io.Discard, "position")
		}
		if !errors.Is(err, save.ErrDamaged) && !errors.Is(err, save.ErrTooLarge) {
			t.Errorf("%s: as CSV: %v", what, err)
		}
		if took := memory() - before; took > 64<<20+8*uint64(len(text)) {
			t.Errorf("%s: it took %d MB", what, took>>20)
		}
	}
}

// small is a save of one entity with a position and a tag.
func small(t testing.TB) []byte {
	s := declare(t, 3)
	s.Spawn(s.position.With(position{1, 2}), s.tag.With(tag{}))
	return s.text(t, save.Options{})
}

// jsonWith changes a part of JSON.
func jsonWith(t testing.TB, part string, change func(m map[string]any)) func(string, []byte) []byte {
	return func(name string, data []byte) []byte {
		if name != part {
			return data
		}
		var m map[string]any
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		must(t, d.Decode(&m))
		change(m)
		data, err := json.Marshal(m)
		must(t, err)
		return data
	}
}

// items returns a list of JSON, which may be null.
func items(v any) []any {
	list, _ := v.([]any)
	return list
}

// TestBytesThatAreNoColumn: a component that claims to have bytes and has no column for them.
func TestBytesThatAreNoColumn(t *testing.T) {
	text := forge(t, small(t), jsonWith(t, "manifest.json", func(m map[string]any) {
		for _, c := range m["components"].([]any) {
			if c := c.(map[string]any); c["name"] == "tag" {
				c["size"] = 8
			}
		}
	}))
	if judgeForged(t, declare(t, 3).World, text) {
		t.Error("it was loaded")
	}
	text = forge(t, text, jsonWith(t, "state.json", func(m map[string]any) {
		for _, s := range m["sets"].([]any) {
			s := s.(map[string]any)
			if len(items(s["components"])) < 2 {
				continue
			}
			for _, c := range items(s["chunks"]) {
				c := c.(map[string]any)
				c["versions"] = append(c["versions"].([]any), 1)
			}
		}
	}))
	if judgeForged(t, declare(t, 3).World, text) {
		t.Error("it was loaded")
	}
	export(t, text)
}

// export writes all components of a save, which may be forged.
func export(t testing.TB, text []byte) {
	f, err := save.Open(bytes.NewReader(text), int64(len(text)))
	must(t, err)
	for _, c := range f.Components() {
		if err := f.CSV(io.Discard, c.Name); err != nil && !errors.Is(err, save.ErrDamaged) && !errors.Is(err, ecs.ErrUnknown) {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

// TestForgedOrder: the components of a set in another order, with a table that agrees. What is refused by a load
// is refused by an export.
func TestForgedOrder(t *testing.T) {
	s := declare(t, 3)
	s.Spawn(s.position.With(position{1, 2}), s.soul.With(soul{Alive: true}))
	i, j := 0, 0
	text := forge(t, s.text(t, save.Options{}), jsonWith(t, "manifest.json", func(m map[string]any) {
		list := items(m["components"])
		at := func(name string) int {
			return slices.IndexFunc(list, func(c any) bool { return c.(map[string]any)["name"] == name })
		}
		i, j = at("position"), at("soul")
		list[i], list[j] = list[j], list[i]
	}))
	text = forge(t, text, jsonWith(t, "state.json", func(m map[string]any) {
		for _, s := range m["sets"].([]any) {
			ids := items(s.(map[string]any)["components"])
			for k := range ids {
				switch fmt.Sprint(ids[k]) {
				case fmt.Sprint(i):
					ids[k] = j
				case fmt.Sprint(j):
					ids[k] = i
				}
			}
		}
	}))
	if judgeForged(t, declare(t, 3).World, text) {
		t.Error("it was loaded")
	}
	export(t, text)
}

// lists is a resource that is many lists, none of which is nil.
type lists struct{ All [][]bool }

func (l lists) Clone() lists { return l }

// TestWhatIsWrittenIsRead: a text full of brackets is no bomb, and what Open would refuse is not written.
func TestWhatIsWrittenIsRead(t *testing.T) {
	s := declare(t, 3)
	s.score.Names = []string{strings.Repeat("[{", 1<<20)}
	text := s.text(t, save.Options{})
	other := declare(t, 3)
	_, err := load(other.World, text, save.LoadOptions{})
	must(t, err)
	if other.score.Names[0] != s.score.Names[0] {
		t.Error("another text came back")
	}
	s.score.Names = nil
	ecs.Provide(s.World, &lists{slices.Repeat([][]bool{{}}, 1<<20+1)})
	captured, err := snapshot.Capture(s.World)
	must(t, err)
	if err := save.Write(io.Discard, captured, save.Options{}); !errors.Is(err, save.ErrTooLarge) {
		t.Errorf("a save that nobody can read was written: %v", err)
	}
}

// TestManyParts: a save of many small parts is read in a time that grows as they do.
func TestManyParts(t *testing.T) {
	took := func(n int) time.Duration {
		sections := map[string][]byte{}
		for i := range n {
			sections[fmt.Sprint("part", i)] = nil
		}
		text := declare(t, 3).text(t, save.Options{Sections: sections})
		f, err := save.Open(bytes.NewReader(text), int64(len(text)))
		must(t, err)
		began := time.Now()
		must(t, f.Verify())
		return time.Since(began)
	}
	if few, many := took(1000), took(30_000); many > 200*few+time.Second {
		t.Errorf("1,000 parts take %v, 30,000 %v", few, many)
	}
}
