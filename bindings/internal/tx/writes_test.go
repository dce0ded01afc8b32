package tx

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/lua"
)

// TestWritesAreTakenBack: whatever is written into a few tables, with marks between, what was
// noted is enough to have what was there at the last mark, and at the beginning; and a key that
// has a value and gets others is noted once.
func TestWritesAreTakenBack(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	keys := []lua.Value{lua.Text("x"), lua.Text("y"), lua.Text("x"), lua.Number(1), lua.Number(2), lua.Number(3), lua.Number(4), lua.Number(0.5), lua.Bool(true), lua.Bool(false)}
	given := []lua.Value{lua.Nil, lua.Number(1), lua.Number(2), lua.Text("a"), lua.Bool(true), lua.Bool(false)}
	shown := func(tables []*lua.LTable) string {
		text := ""
		for _, table := range tables {
			text += fmt.Sprintf("#%d", table.Len())
			for _, k := range keys {
				text += fmt.Sprintf(" %v", lua.FromValue(lua.RawGet(table, k)))
			}
		}
		return text
	}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		var w StateWrites
		tables := []*lua.LTable{L.NewTable(), L.NewTable()}
		write := func() {
			x := Written{Content: tables[r.IntN(2)], Key: keys[r.IntN(len(keys))]}
			v := given[r.IntN(len(given))]
			x.Old, x.Len = lua.RawGet(x.Content, x.Key), x.Content.Len()
			if !w.Noted(&x, v) {
				w.Note(x)
			}
			Put(x.Content, x.Key, v)
		}
		for range r.IntN(8) {
			write()
		}
		w = StateWrites{}
		first, marked, at := shown(tables), shown(tables), 0
		for range 60 {
			switch r.IntN(8) {
			case 0:
				marked, at = shown(tables), len(w.list)
				w.marked = at
			case 1:
				undoWrites(w.list[at:])
				if w.list = w.list[:at]; shown(tables) != marked {
					t.Fatalf("seed %d: %s after a rewind, want %s", seed, shown(tables), marked)
				}
			default:
				write()
			}
		}
		if undoWrites(w.list); shown(tables) != first {
			t.Fatalf("seed %d: %s, want %s", seed, shown(tables), first)
		}
	}
	var w StateWrites
	table := L.NewTable()
	for i := range 1000 {
		x := Written{Content: table, Key: keys[i%2], Old: lua.RawGet(table, keys[i%2]), Len: table.Len()}
		if !w.Noted(&x, lua.Number(float64(i))) {
			w.Note(x)
		}
		Put(table, x.Key, lua.Number(float64(i)))
	}
	if len(w.list) > 4 {
		t.Errorf("%d notes of two keys", len(w.list))
	}
	for _, many := range []int{100, 1000, 50_000} {
		w = StateWrites{}
		for i := range 4 * many {
			key := lua.Number(float64(i % many))
			x := Written{Content: table, Key: key, Old: lua.RawGet(table, key), Len: table.Len()}
			if !w.Noted(&x, key) {
				w.Note(x)
			}
			Put(table, key, key)
		}
		if n := len(w.list); n > 2*many {
			t.Errorf("%d notes of %d keys", n, many)
		}
	}
	if w.forget(); cap(w.list) > keptWrites || len(w.latest) > 0 {
		t.Errorf("room for %d notes, %d places stay for the next call", cap(w.list), len(w.latest))
	}
}
