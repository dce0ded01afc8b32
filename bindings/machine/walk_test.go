package machine

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// held counts what values hold, so many places at a time.
func held(h *Heap, n int, values ...Value) int64 {
	w := Walk{Held: heldBy}
	w.Begin(h)
	for _, v := range values {
		w.Push(v)
	}
	for w.Step(n) == 0 {
	}
	return w.Bytes()
}

// alive returns the live bytes of Go's heap.
func alive() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what a pool has kept once more
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestHeldIsWhatTheRuntimeNeeds: a walk counts what Go's heap has, to a tenth.
func TestHeldIsWhatTheRuntimeNeeds(t *testing.T) {
	for name, fill := range map[string]func(h *Heap, t *Table, i int){
		"numbers": func(_ *Heap, t *Table, i int) { t.SetInt(i, Number(float64(i))) },
		"keys":    func(_ *Heap, t *Table, i int) { t.SetString(fmt.Sprint("key", i), True) },
		"sparse":  func(_ *Heap, t *Table, i int) { t.SetInt(i*7919, True) },
		"texts":   func(_ *Heap, t *Table, i int) { t.SetInt(i, String(strings.Repeat("x", 100))) },
		"copies":  func(_ *Heap, t *Table, i int) { t.SetInt(i, Text(CopyStr("a few bytes of text"))) },
		"records": func(h *Heap, t *Table, i int) {
			o := h.NewTable(0, 3)
			for _, k := range []string{"x", "y", "z"} {
				o.SetString(k, Number(1))
			}
			t.SetInt(i, OfTable(o))
		},
		"grown": func(h *Heap, t *Table, i int) {
			o := h.NewTable(0, 0)
			for _, k := range []string{"x", "y", "z", "w"} {
				o.SetString(k, True)
			}
			t.SetInt(i, OfTable(o))
		},
		"lists": func(h *Heap, t *Table, i int) {
			o := h.NewTable(4, 0)
			for j := range 4 {
				o.SetInt(j+1, Number(1))
			}
			t.SetInt(i, OfTable(o))
		},
		"removed": func(_ *Heap, t *Table, i int) {
			t.SetString(fmt.Sprint("k", i), True)
			t.SetString(fmt.Sprint("k", i-4), Nil)
		},
		"userdata": func(_ *Heap, t *Table, i int) { t.SetInt(i, OfUserdata(NewUserdata(nil))) },
	} {
		h := NewHeap()
		root := h.NewTable(0, 0)
		before := alive()
		for i := 1; i <= 20000; i++ {
			fill(h, root, i)
		}
		took := alive() - before
		counted := held(h, 1000, OfTable(root))
		if name == "removed" {
			if counted > 20000 {
				t.Errorf("a table from which all was removed holds %d bytes", counted)
			}
			continue
		}
		if counted < took-took/8 || counted > took+took/8 {
			t.Errorf("%s: the walk counts %d bytes, the runtime has %d", name, counted, took)
		}
		if h.Taken < counted/2 && !strings.Contains("texts copies userdata", name) {
			t.Errorf("%s: %d bytes were taken, and %d are held", name, h.Taken, counted)
		}
		runtime.KeepAlive(root)
	}
}

// TestWalkFollowsEverythingOnce: cycles end, what is shared counts once, steps add up.
func TestWalkFollowsEverythingOnce(t *testing.T) {
	h := NewHeap()
	a, b, meta := h.NewTable(0, 1), h.NewTable(0, 1), h.NewTable(0, 1)
	a.SetString("b", OfTable(b))
	b.SetString("a", OfTable(a))
	a.SetMetatable(meta)
	meta.SetString("big", String(strings.Repeat("x", 1000)))
	one := held(h, 1, OfTable(a))
	if all := held(h, 1000, OfTable(a), OfTable(b), OfTable(a)); one != all || one < 1000 || one > 2500 {
		t.Errorf("in steps of one: %d bytes; in one step, with what it leads to beside: %d", one, all)
	}
	keeper := NewNative("keep", func(*Call) {}, OfTable(a))
	data := NewUserdata(holder{})
	if got := held(h, 10, OfUserdata(data), OfFunction(keeper)); got < one+5000 {
		t.Errorf("what a userdata leads to: %d bytes, want %d and 5,000", got, one)
	}
	w := Walk{Held: heldBy}
	w.Begin(h)
	w.Claim(b)
	w.Push(OfTable(a))
	for w.Step(1) == 0 {
	}
	part := w.Bytes()
	w.Enter(b)
	for w.Step(1) == 0 {
	}
	if part >= one || w.Bytes() != one {
		t.Errorf("without what was claimed %d bytes, then %d, want %d", part, w.Bytes(), one)
	}
}

type holder struct{}

func heldBy(v any) int64 {
	if _, ok := v.(holder); ok {
		return 5000
	}
	return 0
}

// TestWalkBesideChanges: what stays in its table is counted whatever else comes and goes.
func TestWalkBesideChanges(t *testing.T) {
	h := NewHeap()
	root := h.NewTable(0, 0)
	for i := range 2000 {
		root.SetString(fmt.Sprint("k", i), Text(NewStr(strings.Repeat("x", 100))))
	}
	w := Walk{Held: heldBy}
	w.Begin(h)
	w.Push(OfTable(root))
	for i := 0; w.Step(50) == 0; i++ {
		for j := range 40 {
			if k := (i*40 + j) % 2000; k >= 1000 {
				root.SetString(fmt.Sprint("k", k), Nil)
			}
			if i < 200 {
				root.SetString(fmt.Sprint("new", i*40+j), True)
			}
		}
	}
	if w.Bytes() < 1000*100 {
		t.Errorf("%d bytes were counted of more than 100,000 that stayed", w.Bytes())
	}
}

// TestWalkCountsBlanks: who keeps one table of those that were made together keeps them all, and
// who keeps more of them keeps no more.
func TestWalkCountsBlanks(t *testing.T) {
	h := NewHeap()
	var blanks Blanks
	var kept []Value
	for range 100 * 64 {
		kept = append(kept, OfTable(blanks.Next(h)))
	}
	all := held(h, 1000, kept...)
	content := h.NewTable(0, 1)
	content.SetString("key", True)
	content.MoveTo(kept[1].Table())
	if one := held(h, 1000, kept[0], kept[1]); one < all/100 || one > all/50 || all < int64(tableBytes*len(kept)) || all > int64(tableBytes*len(kept))*11/10 {
		t.Errorf("%d bytes for two of the first ones, %d for all", one, all)
	}
}
