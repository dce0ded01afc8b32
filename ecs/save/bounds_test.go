package save_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// written writes a world.
func written(t testing.TB, w *ecs.World) []byte {
	t.Helper()
	s, err := snapshot.Capture(w)
	must(t, err)
	var b bytes.Buffer
	must(t, save.Write(&b, s, save.Options{}))
	return b.Bytes()
}

// bare opens a world in which nothing is declared.
func bare(t testing.TB) *ecs.World {
	t.Helper()
	w, err := ecs.Open(ecs.Options{MaxBytes: 16 << 20, Tag: 3, Seed: 7})
	must(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

// TestWhatStandsForObjectsIsCounted: null, or a number, makes a struct in a list of structs as an object does.
func TestWhatStandsForObjectsIsCounted(t *testing.T) {
	good, other := small(t), declare(t, 3)
	for _, list := range []string{`"systems":[null`, `"syst\u0065ms":[0`, `"SYSTEMS" : [true`, `"relations":[],"systems":[""`} {
		item := list[strings.LastIndex(list, "[")+1:]
		text := forge(t, good, replacing("state.json", `{"tag":`, `{`+list+strings.Repeat(","+item, 1<<20)+`],"tag":`))
		before := memory()
		_, err := load(other.World, text, save.LoadOptions{Lose: true})
		if took := memory() - before; !errors.Is(err, save.ErrTooLarge) || took > 4*uint64(len(text)) {
			t.Errorf("%s…: a file of %d MB took %d MB: %v", list, len(text)>>20, took>>20, err)
		}
	}
	text := forge(t, good, replacing("state.json", `"free_count":`, `"deferred":[0`+strings.Repeat(",0", 1<<20)+`],"free_count":`))
	if _, err := load(other.World, text, save.LoadOptions{Lose: true}); errors.Is(err, save.ErrTooLarge) {
		t.Errorf("a list of numbers is one node: %v", err)
	}
}

type (
	plate    struct{ A [1000]int64 }
	backpack struct {
		Items []plate
		Pad   string
	}
)

func (b backpack) Clone() backpack { return backpack{slices.Clone(b.Items), b.Pad} }

// TestDecodedValuesAreBounded: what values of Go types become in memory is bounded by what the save has of them, and by
// Options.MaxBytes.
func TestDecodedValuesAreBounded(t *testing.T) {
	short := `{"Items":[{},{},{},{},{},{},{},{}],"Pad":""}`
	pad := strings.Repeat("x", len(short)-len(`{"Items":null,"Pad":""}`))
	long := `{"Items":null,"Pad":"` + pad + `"}`
	textOf := func(n int) []byte {
		w := bare(t)
		c := ecs.Register[backpack](w)
		for range n {
			w.Spawn(c.With(backpack{Pad: pad}))
		}
		return forge(t, written(t, w), func(name string, data []byte) []byte {
			if strings.HasPrefix(name, "heap/") {
				return bytes.ReplaceAll(data, []byte(long), []byte(short))
			}
			return data
		})
	}
	o := bare(t)
	c := ecs.Register[backpack](o)
	_, err := load(o, textOf(100), save.LoadOptions{}) // as of a version whose plates had no field
	must(t, err)
	for e := range o.Entities() {
		if got, _ := c.Get(e); len(got.Items) != 8 {
			t.Fatalf("%d items", len(got.Items))
		}
	}
	before := memory()
	_, err = load(o, textOf(1500), save.LoadOptions{})
	if took := memory() - before; !errors.Is(err, save.ErrTooLarge) || took > 40<<20 {
		t.Errorf("a world of 16 MB took %d MB for values: %v", took>>20, err)
	}
}

// beep is an event without bytes.
type beep struct{}

// beeping is a save in which some beeps wait.
func beeping(t *testing.T, emitted int) []byte {
	w := bare(t)
	ev := ecs.RegisterEvent[beep](w)
	must(t, ev.Retain(ecs.Retention{Ticks: 9}))
	for range emitted {
		must(t, ev.Emit(beep{}))
	}
	return written(t, w)
}

// TestDiffOfEventsWithoutBytes: they take no byte in a save, and none in a comparison.
func TestDiffOfEventsWithoutBytes(t *testing.T) {
	none, one, some := reopened(t, beeping(t, 0)), reopened(t, beeping(t, 1)), reopened(t, beeping(t, 300))
	for _, c := range []struct {
		a, b *save.File
		want []string
	}{
		{some, some, nil},
		{none, one, []string{"event #0 beep new"}},
		{one, some, []string{"event #1 beep new:  -> 299 events"}},
		{some, none, []string{"event #0 beep gone: 300 events -> "}},
	} {
		if got := differences(t, c.a, c.b); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	number := binary.LittleEndian.AppendUint64(nil, 300)
	many := reopened(t, forge(t, beeping(t, 300), func(name string, data []byte) []byte {
		switch {
		case name == "manifest.json":
			return bytes.ReplaceAll(data, []byte(`"waiting": 300`), []byte(`"waiting": 16777216`))
		case strings.HasPrefix(name, "events/"):
			return bytes.ReplaceAll(data, number, binary.LittleEndian.AppendUint64(nil, 1<<24))
		}
		return data
	}))
	before := memory()
	got := differences(t, some, many)
	if took := memory() - before; took > 4<<20 || len(got) != 1 {
		t.Errorf("%d differences, %d MB", len(got), took>>20)
	}
}

// TestReportsAreBounded: what is lost of a save that says it of many things is an error that can be shown, and a report
// in a time that grows as it does.
func TestReportsAreBounded(t *testing.T) {
	var list []string
	for i := range 5000 {
		list = append(list, fmt.Sprintf(`{"type":"t%d","json":1}`, i))
	}
	list = append(list, `{"type":"`+strings.Repeat("x", 1<<20)+`","json":1}`)
	text := forge(t, small(t), func(name string, data []byte) []byte {
		if name == "resources.json" {
			return []byte("[" + strings.Join(list, ",") + "]")
		}
		return data
	})
	o := declare(t, 3)
	report, err := load(o.World, text, save.LoadOptions{})
	if !errors.Is(err, save.ErrLoss) || len(err.Error()) > 8<<10 || !strings.Contains(err.Error(), "t7:") || !strings.HasSuffix(err.Error(), " more") {
		t.Errorf("an error of %d bytes: %.120s", len(err.Error()), err)
	}
	before := memory()
	if shown := report.String(); strings.Count(shown, "\n") != 5001 || memory()-before > 16<<20 {
		t.Errorf("%d bytes took %d MB", len(shown), (memory()-before)>>20)
	}
}
