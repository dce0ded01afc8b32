package machine

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var seedFlag = flag.Uint64("seed", 0, "seed of the random tables; 0: another one each time")
var tables = flag.Int("tables", 300, "how many random tables are compared with the model")

// model is a table as slow and as plain as it can be: what is set is in a map.
type model struct {
	values map[Value]Value
	text   map[string]*Str // one Str for each text, so that map keys are equal
}

func newModel() *model { return &model{values: map[Value]Value{}, text: map[string]*Str{}} }

// key returns a key as the map has it.
func (m *model) key(k Value) Value {
	if s := k.Str(); s != nil {
		if m.text[s.s] == nil {
			m.text[s.s] = NewStr(s.s)
		}
		return Text(m.text[s.s])
	}
	if k.IsNumber() && k.Float() == 0 {
		return Number(0)
	}
	return clean(k)
}

func (m *model) set(k, v Value) {
	k = m.key(k)
	if v.IsNil() {
		delete(m.values, k)
		return
	}
	m.values[k] = clean(v)
}

func (m *model) get(k Value) Value {
	if v, ok := m.values[m.key(k)]; ok {
		return v
	}
	return Nil
}

// tableTester draws operations for a table and its model.
type tableTester struct {
	*testing.T
	rand  *rand.Rand
	heap  *Heap
	table *Table
	model *model
	log   []string
	texts []*Str
	kind  int
}

func (x *tableTester) fail(format string, v ...any) {
	x.Helper()
	x.Fatalf("%s\nafter %s", fmt.Sprintf(format, v...), strings.Join(x.log[max(0, len(x.log)-40):], " "))
}

// randomKey draws keys of which some come again.
func (x *tableTester) randomKey() Value {
	near := x.table.Len() + x.rand.IntN(40) - 20
	switch n := x.rand.IntN(12); {
	case x.kind == 1 && n < 9, n < 3:
		return Number(float64(near))
	case x.kind == 2 && n < 9, n < 6:
		k := x.texts[x.rand.IntN(len(x.texts))]
		if x.rand.IntN(2) == 0 {
			k = NewStr(strings.Clone(k.s))
		}
		return Text(k)
	case n < 9:
		return Number(float64(x.rand.IntN(200)))
	case n == 9:
		return Number([]float64{0.5, -1, math.Copysign(0, -1), 1e300, -0.25, 1 << 53, 1 << 62, 0x1p63, -0x1p63, math.Inf(1), 70000}[x.rand.IntN(11)])
	case n == 10:
		return Bool(x.rand.IntN(2) == 0)
	}
	return OfTable(x.table)
}

func (x *tableTester) randomValue() Value {
	stale := x.table.slots
	switch n := x.rand.IntN(10); {
	case n < 3:
		return Nil
	case n < 8 || x.kind == 1 && len(x.log) < 200:
		v := Number(float64(x.rand.IntN(1000)))
		v.p = stale // as a register may have it
		return v
	case n == 8:
		return Bool(x.rand.IntN(2) == 0)
	}
	return Text(x.texts[x.rand.IntN(len(x.texts))])
}

func show(v Value) string {
	switch v.Kind() {
	case KindNumber:
		return fmt.Sprint(v.Float())
	case KindString:
		return fmt.Sprintf("%q", v.Str().s)
	case KindBoolean:
		return fmt.Sprint(v.Truth())
	}
	return v.Kind().String()
}

func (x *tableTester) step() {
	switch n := x.rand.IntN(100); {
	case n < 60:
		k, v := x.randomKey(), x.randomValue()
		x.log = append(x.log, fmt.Sprintf("[%s]=%s", show(k), show(v)))
		x.assign(k, v)
	case n < 80:
		k := x.randomKey()
		if got, want := x.table.Get(k), x.model.get(k); !got.Equal(want) {
			x.fail("[%s] is %s, want %s", show(k), show(got), show(want))
		}
	case n < 84:
		x.log = append(x.log, "append")
		for range x.rand.IntN(30) {
			x.assign(Number(float64(x.table.Len()+1)), x.randomValue())
		}
	case n < 88:
		x.log = append(x.log, "pop")
		for n := x.rand.IntN(30); n > 0 && x.table.Len() > 0; n-- {
			x.assign(Number(float64(x.table.Len())), Nil)
		}
	case n < 90:
		x.insert()
	case n < 92:
		x.remove()
	case n < 93:
		x.log = append(x.log, "down")
		for i := x.table.Len() + x.rand.IntN(100); i > x.table.Len(); i-- {
			x.assign(Number(float64(i)), x.randomValue())
		}
	case n < 94:
		x.walk(true)
	case n < 95:
		x.several()
	case n < 96:
		x.log = append(x.log, "append one")
		i, v := x.table.Len()+1, x.randomValue()
		if x.table.put(float64(i), &v) {
			x.model.set(Number(float64(i)), v)
		}
	case n < 97:
		x.undo()
	default:
		x.walk(false)
	}
}

// undo sets some keys and takes that back, newest first: the list then ends where it did.
func (x *tableTester) undo() {
	type written struct {
		k, old Value
		n      int
	}
	var list []written
	x.log = append(x.log, "undo")
	for range x.rand.IntN(40) {
		k := x.randomKey()
		list = append(list, written{k, x.model.get(k), x.table.Len()})
		x.assign(k, x.randomValue())
	}
	for _, w := range slices.Backward(list) {
		x.assign(w.k, w.old)
		x.table.RestoreLen(w.n)
		if n := x.table.Len(); n != w.n {
			x.fail("it has %d items, want %d", n, w.n)
		}
	}
}

// assign sets a value in both, by one of the ways that there are.
func (x *tableTester) assign(k, v Value) {
	x.model.set(k, v)
	s := k.Str()
	switch n := x.rand.IntN(3); {
	case s != nil && n == 0:
		x.table.SetStr(s, v)
	case s != nil && n == 1:
		x.table.SetString(s.s, v)
	default:
		if !x.table.Set(k, v) {
			x.fail("[%s] cannot be set", show(k))
		}
	}
}

func (x *tableTester) insert() {
	n := x.table.Len()
	i, v := 1+x.rand.IntN(n+1), x.randomValue()
	x.log = append(x.log, fmt.Sprintf("insert(%d,%s)", i, show(v)))
	for j := n; j >= i; j-- {
		x.model.set(Number(float64(j+1)), x.model.get(Number(float64(j))))
	}
	x.model.set(Number(float64(i)), v)
	x.table.Insert(i, v)
}

func (x *tableTester) remove() {
	n := x.table.Len()
	if n == 0 {
		return
	}
	i := 1 + x.rand.IntN(n)
	x.log = append(x.log, fmt.Sprintf("remove(%d)", i))
	want := x.model.get(Number(float64(i)))
	for j := i; j <= n; j++ {
		next := Nil
		if j < n {
			next = x.model.get(Number(float64(j + 1)))
		}
		x.model.set(Number(float64(j)), next)
	}
	if got := x.table.Remove(i); !got.Equal(want) {
		x.fail("remove(%d) is %s, want %s", i, show(got), show(want))
	}
}

// several sets some items at once, over the end of the list or within it, and reads them.
func (x *tableTester) several() {
	first := 1 + x.rand.IntN(x.table.Len()+1)
	values := make([]Value, x.rand.IntN(12))
	for i := range values {
		values[i] = x.randomValue()
		x.model.set(Number(float64(first+i)), values[i])
	}
	x.log = append(x.log, fmt.Sprintf("set %d from %d", len(values), first))
	x.table.SetItems(first, values)
	last := min(first+len(values)-1, x.table.Len())
	if first > last {
		return
	}
	for i, v := range x.table.Items(nil, first, last) {
		if !v.Equal(x.model.get(Number(float64(first + i)))) {
			x.fail("item %d is %s", first+i, show(v))
		}
	}
}

// walk goes through all keys as pairs does, and removes or changes some of them on the way.
func (x *tableTester) walk(clear bool) {
	x.log = append(x.log, "pairs")
	seen := map[Value]bool{}
	items, last := true, 0.0
	for k, v, passed := x.table.Next(Nil); !k.IsNil(); k, v, passed = x.table.Next(k) {
		if passed < 0 {
			x.fail("the key after is not known")
		}
		x.log = append(x.log, show(k))
		key := x.model.key(k)
		if seen[key] {
			x.fail("pairs passes %s twice", show(k))
		}
		if seen[key] = true; !v.Equal(x.model.get(k)) {
			x.fail("pairs has %s at %s, want %s", show(v), show(k), show(x.model.get(k)))
		}
		if item := k.IsNumber() && k.Float() == last+1 && items; !item && k.IsNumber() && k.Float() > last && k.Float() <= float64(x.table.Len()) {
			last = k.Float() // after a hole
		} else if item {
			last++
		} else {
			items = false
		}
		if clear || x.rand.IntN(4) == 0 {
			x.assign(k, Nil)
			delete(seen, key)
		} else if x.rand.IntN(4) == 0 {
			v := x.randomValue()
			if x.assign(k, v); v.IsNil() {
				delete(seen, key)
			}
		}
		if x.rand.IntN(16) == 0 {
			break
		}
		if clear && len(seen) > 0 {
			x.fail("something stays")
		}
	}
}

// all compares every key, and the order of pairs with that of a second walk.
func (x *tableTester) all() {
	if err := x.table.Check(); err != nil {
		x.fail("%v", err)
	}
	n := x.table.Len()
	if n > 0 && x.model.get(Number(float64(n))).IsNil() || !x.model.get(Number(float64(n+1))).IsNil() {
		x.fail("%d is no border", n)
	}
	count := 0
	for k, v, passed := x.table.Next(Nil); !k.IsNil(); k, v, passed = x.table.Next(k) {
		if passed < 0 || !v.Equal(x.model.get(k)) || v.IsNil() {
			x.fail("pairs has %s at %s, want %s", show(v), show(k), show(x.model.get(k)))
		}
		count++
	}
	if count != len(x.model.values) {
		x.fail("pairs has %d keys of %d", count, len(x.model.values))
	}
	for k, v := range x.model.values {
		if !x.table.Get(k).Equal(v) {
			x.fail("[%s] is %s, want %s", show(k), show(x.table.Get(k)), show(v))
		}
	}
}

// TestTableAgainstModel compares random operations with a Go map.
func TestTableAgainstModel(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed=%d", seed)
	heap := NewHeap()
	for i := range *tables {
		x := &tableTester{T: t, rand: rand.New(rand.NewPCG(seed, uint64(i))), heap: heap, model: newModel(), kind: i % 3}
		x.table = heap.NewTable(x.rand.IntN(6), x.rand.IntN(10))
		for j := range []int{5, 40, 300}[x.rand.IntN(3)] {
			x.texts = append(x.texts, NewStr(fmt.Sprintf("k%d", j)))
		}
		for range 1 + x.rand.IntN(20) {
			for range x.rand.IntN(40) {
				x.step()
			}
			x.all()
		}
	}
}
