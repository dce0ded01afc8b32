package machine

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"
)

// TestCheckNotices breaks each invariant of a table on purpose.
func TestCheckNotices(t *testing.T) {
	h := NewHeap()
	record := func() *Table {
		o := h.NewTable(0, 2)
		o.SetString("x", Number(1))
		o.SetString("y", Number(2))
		return o
	}
	list := func() *Table {
		o := h.NewTable(4, 0)
		for i := 1; i <= 4; i++ {
			o.SetInt(i, Number(1))
		}
		return o
	}
	texts := func() *Table {
		o := list()
		o.SetInt(1, String("a"))
		return o
	}
	keyed := func() *Table {
		o := h.NewTable(0, 0)
		for i := range 20 {
			o.Set(Number(float64(i)+0.5), Number(1))
		}
		o.SetInt(100, True)
		return o
	}
	other := func(s *Shape) *Shape { c := *s; return &c }
	pointer := unsafe.Pointer(h)
	for name, c := range map[string]struct {
		make   func() *Table
		damage func(*Table)
		want   string
	}{
		"slots of no shape":     {record, func(o *Table) { o.shape = nil }, "without a shape"},
		"a dictionary too many": {record, func(o *Table) { o.dict = &dict{} }, "not both"},
		"no dictionary":         {keyed, func(o *Table) { o.dict = nil }, "not both"},
		"two lists":             {list, func(o *Table) { o.items = []Value{True} }, "two lists"},
		"nil at the end":        {list, func(o *Table) { o.nums[3] = tagNil }, "the last item"},
		"no border":             {keyed, func(o *Table) { o.dict.entries[2].key = Number(1); o.dict.whole++; o.dict.rebuild(o, 1) }, "no border"},
		"a text among numbers":  {list, func(o *Table) { o.nums[1] = tagStr }, "of a list of numbers"},
		"a pointer in the list": {texts, func(o *Table) { o.items[1].p = pointer }, "item 2 keeps"},
		"a pointer in its room": {texts, func(o *Table) { o.Remove(4); o.items[:4][3] = Value{p: pointer} }, "item 4 keeps"},
		"a pointer in a slot":   {record, func(o *Table) { o.slot(16).p = pointer }, "slot 1 keeps"},
		"a pointer in an entry": {keyed, func(o *Table) { o.dict.entries[3].value.p = pointer }, "entry 3 keeps"},
		"no room":               {record, func(o *Table) { o.room = 1 }, "room for 1"},
		"another hash":          {record, func(o *Table) { o.shape = other(o.shape); o.shape.keys = []*Str{{s: "x", hash: 1}} }, "another hash"},
		"a long key": {record, func(o *Table) {
			k := NewStr(strings.Repeat("x", 99))
			k.key()
			o.shape = other(o.shape)
			o.shape.keys = []*Str{k}
		}, "99 bytes"},
		"a key twice":             {record, func(o *Table) { s := other(o.shape); s.keys = []*Str{s.keys[0], s.keys[0]}; o.shape = s }, "not found"},
		"a forgotten event":       {record, func(o *Table) { k := NewStr("__index"); k.key(); o.shape = other(o.shape); o.shape.keys = []*Str{k} }, "forgets"},
		"a strange next shape":    {record, func(o *Table) { o.shape = other(o.shape); o.shape.few = []*Shape{h.root} }, "other keys"},
		"a wrong count":           {keyed, func(o *Table) { o.dict.live-- }, "live entries"},
		"a wrong count of wholes": {keyed, func(o *Table) { o.dict.whole++ }, "whole numbers"},
		"a wrong head":            {keyed, func(o *Table) { o.dict.head = 5 }, "before the head"},
		"an index too short":      {keyed, func(o *Table) { o.dict.index = append(o.dict.index, o.dict.index...) }, "another size"},
		"a lost place":            {keyed, func(o *Table) { clear(o.dict.index) }, "is found at"},
		"a value of nothing":      {keyed, func(o *Table) { o.dict.entries[4].key = Value{n: tagErased} }, "erased"},
		"a key that is nil":       {keyed, func(o *Table) { o.dict.entries[4].key = Nil }, "that is nil"},
		"a key in both parts":     {keyed, func(o *Table) { o.nums = make([]uint64, 100); o.nums[99] = tagTrue }, "in the list and"},
		"a retired root":          {record, func(o *Table) { o.shape.heap.root.retired = true }, "retired"},
	} {
		h.root.retired = false
		o := c.make()
		if err := o.Check(); err != nil {
			t.Fatalf("%s: %v before the damage", name, err)
		}
		c.damage(o)
		err := o.Check()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Check says %v, want %q", name, err, c.want)
		}
	}
}

// TestNoStalePointers: registers leave a pointer beside a number; nothing on the heap gets it.
func TestNoStalePointers(t *testing.T) {
	h := NewHeap()
	dirty := func(f float64) Value { return Value{p: unsafe.Pointer(h), n: Number(f).n} }
	o := h.NewTable(2, 2)
	for i := range 200 {
		o.Set(dirty(float64(i)*1.5), dirty(1))
		o.SetInt(i, dirty(2))
		o.SetString(fmt.Sprint("k", i), dirty(3))
		o.Insert(1, dirty(4))
		o.SetInt(i+300, Value{p: unsafe.Pointer(h), n: tagTrue})
		if i == 50 {
			o.SetInt(3, String("text")) // a list for all values from here on
		}
		if err := o.Check(); err != nil {
			t.Fatal(err)
		}
	}
	o.setList(o.Len()+1, []Value{dirty(1), dirty(2)})
	if err := o.Check(); err != nil {
		t.Error(err)
	}
	if c := NewUpvalue(dirty(1)); c.own.p != nil {
		t.Error("a captured local keeps a pointer beside a number")
	}
}
