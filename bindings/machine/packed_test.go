package machine

import (
	"math"
	"testing"
)

// TestPackedItemsAreTheirNumbers: a list that was filled at once has what was filled in, for every
// kind of number, and a text in it ends that it can be read at once.
func TestPackedItemsAreTheirNumbers(t *testing.T) {
	heap := NewHeap()
	list := heap.NewTable(0, 0)
	numbers := []float64{0, math.Copysign(0, -1), 1.5, math.Inf(1), math.Inf(-1), math.MaxFloat64, math.NaN(), math.Float64frombits(math.MaxUint64)}
	items := list.Fill(len(numbers) + 1)
	for i, x := range numbers {
		items[i] = Pack(x)
		if !PackedNumber(items[i]) || PackedNaN(items[i]) != (x != x) {
			t.Errorf("%v: number %t, NaN %t", x, PackedNumber(items[i]), PackedNaN(items[i]))
		}
	}
	items[len(numbers)] = PackBool(true)
	for i, x := range numbers {
		if got := list.GetInt(i + 1); !got.IsNumber() || got.Float() != x && x == x {
			t.Errorf("item %d is %s, want %v", i+1, show(got), x)
		}
	}
	if got := list.GetInt(len(numbers) + 1); got != True || PackedNumber(items[len(numbers)]) {
		t.Errorf("the last item is %s", show(got))
	}
	if err := list.Check(); err != nil {
		t.Error(err)
	}
	if again, ok := list.Packed(); !ok || len(again) != len(items) || Unpack(again[2]) != Number(1.5) {
		t.Errorf("items: %v, %t", again, ok)
	}
	before := heap.Taken
	if list.Fill(3); list.Len() != 3 || heap.Taken != before {
		t.Errorf("%d items, %d bytes more", list.Len(), heap.Taken-before)
	}
	list.SetInt(2, String("a"))
	if _, ok := list.Packed(); ok {
		t.Error("a list with a text has packed items only")
	}
}

// TestSealedListsAsk: each way to assign an item of a sealed list asks __newindex, and none
// does when it is open again.
func TestSealedListsAsk(t *testing.T) {
	h := newHost(Options{})
	list, meta := h.vm.Heap.NewTable(0, 0), h.vm.Heap.NewTable(0, 0)
	asked := 0
	meta.SetString("__newindex", OfFunction(NewNative("", func(c *Call) { asked++ })))
	list.SetMetatable(meta)
	h.env.SetString("t", OfTable(list))
	for _, filled := range []Value{Number(1), String("a"), True} {
		list.Fill(2)
		list.SetInt(1, filled)
		list.SetInt(2, filled)
		for _, sealed := range []bool{true, false} {
			list.Seal(sealed)
			asked = 0
			if _, r := h.run(t, `local i, one = 2, 1
				t[1] = 7 t[i] = 8 t[one] = "b" t[i] = nil t[i] = 9`); r != nil {
				t.Fatal(r)
			}
			switch {
			case sealed && (asked != 5 || list.GetInt(1) != filled || list.GetInt(2) != filled):
				t.Errorf("sealed: asked %d times, and it has %s, %s", asked, show(list.GetInt(1)), show(list.GetInt(2)))
			case !sealed && (asked != 1 || show(list.GetInt(1)) != `"b"` || !list.GetInt(2).IsNil()):
				t.Errorf("open: asked %d times, and it has %s, %s", asked, show(list.GetInt(1)), show(list.GetInt(2)))
			}
		}
	}
}

// TestFilledListsHaveNothingElse: keys that a list had got behind its end are gone when it is
// filled anew.
func TestFilledListsHaveNothingElse(t *testing.T) {
	for name, fill := range map[string]func(*Table){
		"packed": func(list *Table) { list.Fill(3) },
		"kept":   func(list *Table) { list.Keep(3) },
	} {
		list := NewHeap().NewTable(0, 0)
		list.SetString("key", True)
		for i := range list.Fill(10) {
			list.SetInt(i+1, Number(1))
		}
		list.SetInt(250, True)
		fill(list)
		if err := list.Check(); err != nil || list.Entries() != 3 || !list.GetInt(250).IsNil() {
			t.Errorf("%s: %d entries, %v", name, list.Entries(), err)
		}
	}
}
