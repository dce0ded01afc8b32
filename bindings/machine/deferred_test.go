package machine

import (
	"fmt"
	"math"
	"testing"
	"unsafe"
)

// halves is the source of a list of numbers that stand at a place.
type halves struct{}

func (s halves) Item(at unsafe.Pointer, i int) uint64 {
	return Pack(*(*float64)(unsafe.Add(at, 8*i)) / 2)
}

func (s halves) Items(items []uint64, at unsafe.Pointer) {
	for i := range items {
		items[i] = s.Item(at, i)
	}
}

// TestADeferredListIsAsIfItWereFilled: whatever is done first to a list that is not filled, and
// then, it is as with a list that is; and the table keeps its invariants.
func TestADeferredListIsAsIfItWereFilled(t *testing.T) {
	const n = 40
	number := func(x float64) Value { return Number(x) }
	word := String("b")
	uses := map[string]func(t *Table) any{
		"get": func(t *Table) any {
			return []Value{t.GetInt(1), t.GetInt(n), t.GetInt(0), t.GetInt(n + 1), t.Get(number(1.5)), t.Get(number(math.NaN()))}
		},
		"text":   func(t *Table) any { return []Value{t.GetString("x"), t.GetStr(NewStr("n"))} },
		"length": func(t *Table) any { return t.Len() },
		"many": func(t *Table) any {
			sum := 0.0
			for i := range n {
				sum += t.GetInt(i + 1).Float()
			}
			return sum
		},
		"next": func(t *Table) any { k, v, _ := t.Next(Nil); return fmt.Sprint(k, v) },
		"after": func(t *Table) any {
			k, v, _ := t.Next(number(n - 1))
			l, w, _ := t.Next(number(n))
			return fmt.Sprint(k, v, l, w)
		},
		"set":        func(t *Table) any { return t.Set(number(3), number(33)) },
		"set last":   func(t *Table) any { t.SetInt(n, Nil); return t.Len() },
		"append":     func(t *Table) any { t.SetInt(t.Len()+1, number(1)); return t.Len() },
		"set far":    func(t *Table) any { t.SetInt(1000, number(1)); return t.GetInt(1000) },
		"set text":   func(t *Table) any { t.SetString("x", number(1)); return t.GetString("x") },
		"remove key": func(t *Table) any { t.SetString("x", Nil); return t.Set(number(1.5), Nil) },
		"no key":     func(t *Table) any { return t.Set(Nil, number(1)) },
		"a text":     func(t *Table) any { t.SetInt(2, word); return t.GetInt(2).Str().String() },
		"insert":     func(t *Table) any { t.Insert(2, number(9)); return t.Len() },
		"remove":     func(t *Table) any { return t.Remove(2) },
		"items":      func(t *Table) any { return t.Items(nil, 2, 5) },
		"set items":  func(t *Table) any { t.SetItems(2, []Value{number(1), number(2)}); return t.GetInt(3) },
		"maxn":       func(t *Table) any { return t.MaxN() },
		"packed":     func(t *Table) any { items, ok := t.Packed(); return fmt.Sprint(items, ok) },
		"entries":    func(t *Table) any { return t.Entries() },
		"clear":      func(t *Table) any { t.Clear(); return t.Len() },
		"metatable":  func(t *Table) any { t.SetMetatable(t.Heap().NewTable(0, 0)); return t.Metatable() != nil },
		"none":       func(t *Table) any { return t.Metatable() == nil },
		"restore":    func(t *Table) any { t.RestoreLen(n - 1); return t.Len() },
		"move": func(t *Table) any {
			to := t.Heap().NewTable(0, 0)
			t.MoveTo(to)
			return fmt.Sprint(t.Len(), to.Len(), to.GetInt(7))
		},
		"share": func(t *Table) any { return t.Foreign() == nil },
	}
	numbers := make([]float64, n)
	for i := range numbers {
		numbers[i] = float64(3 * i)
	}
	at := unsafe.Pointer(unsafe.SliceData(numbers))
	h := NewHeap()
	again := h.NewDeferred(halves{}, n)
	for first, use := range uses {
		for then, use2 := range uses {
			if (first == "clear" || first == "move") && (then == "items" || then == "insert" || then == "remove") {
				continue // of items that there are
			}
			filled := h.NewTable(n, 0)
			halves{}.Items(filled.Fill(n), at)
			want := fmt.Sprint(use(filled), use2(filled), filled.Len(), filled.GetInt(5))
			for _, list := range []*Table{h.NewDeferred(halves{}, n).Begin(at, nil), again.Begin(at, nil)} {
				if got := fmt.Sprint(use(list), use2(list), list.Len(), list.GetInt(5)); got != want {
					t.Errorf("%s, then %s: %s, want %s", first, then, got, want)
				}
				if err := list.Check(); err != nil {
					t.Errorf("%s, then %s: %v", first, then, err)
				}
			}
			if again.Untouched(OfTable(filled)) {
				t.Error("another list is taken for the one that was begun")
			}
		}
	}
}

// TestAListReadsNoMoreThanItMust: single items are read where they are, and a list of which
// much is read is filled.
func TestAListReadsNoMoreThanItMust(t *testing.T) {
	numbers := make([]float64, 160)
	h := NewHeap()
	l := h.NewDeferred(halves{}, len(numbers))
	list := l.Begin(unsafe.Pointer(unsafe.SliceData(numbers)), nil)
	before := h.Taken
	for i := range 10 {
		list.GetInt(i + 1)
		numbers[i] = 7 // nobody may do that before the list is settled
	}
	if !l.Untouched(OfTable(list)) || h.Taken != before || list.GetInt(1).Float() != 3.5 || l.Untouched(OfTable(list)) || h.Taken == before {
		t.Error("the list is filled too early, too late, or at no cost")
	}
	numbers[0] = 9
	if list.GetInt(1).Float() != 3.5 {
		t.Error("a list that is filled is read elsewhere")
	}
	l.Begin(unsafe.Pointer(unsafe.SliceData(numbers)), nil)
	h.EndDeferred()
	defer func() {
		if recover() == nil {
			t.Error("a list may be read when its items may be others")
		}
	}()
	list.GetInt(1)
}

// TestAListThatIsFilledHasNoGate: what kept readers away from a list that was not filled is gone
// with the filling, for a table with a metatable is slower to read.
func TestAListThatIsFilledHasNoGate(t *testing.T) {
	numbers := make([]float64, 4)
	h := NewHeap()
	meta := h.NewTable(0, 0)
	for _, want := range []*Table{nil, meta} {
		list := h.NewDeferred(halves{}, len(numbers)).Begin(unsafe.Pointer(unsafe.SliceData(numbers)), want)
		list.SetInt(1, Number(1))
		if list.meta != want {
			t.Errorf("the list has %p as its metatable, want %p", list.meta, want)
		}
	}
}

// TestSettle: the lists of the thread that the host has begun on and of the one that runs are
// filled, by themselves and under a key; those that have outlived their items are left alone.
func TestSettle(t *testing.T) {
	numbers := []float64{2, 4}
	at := unsafe.Pointer(unsafe.SliceData(numbers))
	vm := New(Options{})
	h := vm.Heap
	list := func(th *Thread, register int, keyed bool) *Deferred {
		l := h.NewDeferred(halves{}, len(numbers))
		v := OfTable(l.Begin(at, nil))
		if keyed {
			k := h.NewKeys("x", "list")
			tab := k.New()
			k.Set(tab, 1, v)
			v = OfTable(tab)
		}
		for len(th.stack) <= register {
			th.stack = append(th.stack, Nil)
		}
		th.stack[register] = v
		return l
	}
	begun := vm.NewThread(nil)
	begun.call, begun.root.top = &begun.root, 3
	stale := list(begun, 0, false)
	h.EndDeferred()
	filled := map[string]*Deferred{"a list": list(begun, 1, false), "a list under a key": list(begun, 2, true)}
	if n := begun.used(); n < 3 {
		t.Fatalf("the thread uses %d registers", n)
	}
	vm.Settle(begun)
	for name, l := range filled {
		if l.table.unfilled() != nil {
			t.Errorf("%s in a register of the thread that the host has begun on is not filled", name)
		}
	}
	if stale.table.unfilled() == nil {
		t.Error("a list that has outlived its items is filled")
	}
}
