package machine

import (
	"fmt"
	"testing"
)

// TestTablesOfKeys: a table that is made with keys has them at known places, which a script
// reads and assigns by name; with too many keys, or a long one, it has them in a dictionary,
// and no places.
func TestTablesOfKeys(t *testing.T) {
	long := make([]string, maxKeys+1)
	for i := range long {
		long[i] = fmt.Sprint("k", i)
	}
	for _, names := range [][]string{{"x"}, {"x", "y", "z"}, long[:9], long[:maxKeys], long, {string(make([]byte, longestKey+1)), "y"}} {
		h := NewHeap()
		k := h.NewKeys(names...)
		for range 3 {
			tab := k.New()
			for i := range names {
				if v := tab.GetString(names[i]); !v.IsNil() {
					t.Fatalf("%d keys: a new table has %v under the %dth", len(names), v, i)
				}
				k.Set(tab, i, Number(float64(i)))
			}
			places := k.Values(tab)
			if (places == nil) != (len(names) > maxKeys || len(names[0]) > longestKey) {
				t.Fatalf("%d keys: %d places", len(names), len(places))
			}
			for i := range places {
				places[i].PutNumber(float64(10 * i))
				if got := tab.GetString(names[i]); got.Float() != float64(10*i) {
					t.Fatalf("%d keys: the %dth is %v", len(names), i, got)
				}
				places[i].Put(String("text"))
				places[i].Put(True)
				if places[i].p != nil {
					t.Fatal("a place keeps what it had")
				}
			}
			if tab.SetString("another key", True); k.Values(tab) != nil && len(names) < maxKeys {
				t.Errorf("%d keys: a table with one more has places", len(names))
			}
			if h.shapes > maxShapes/2 {
				t.Fatal("each table makes shapes")
			}
		}
		h.newTree()
		if tab := k.New(); len(names) <= maxKeys && len(names[0]) <= longestKey && (tab.shape.retired || k.Values(tab) == nil) {
			t.Errorf("%d keys: a table in a new tree has no places", len(names))
		}
	}
}
