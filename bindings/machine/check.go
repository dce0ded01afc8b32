package machine

import (
	"errors"
	"fmt"
	"unsafe"
)

// Check returns what is wrong with a table, nil if all invariants hold. O(table).
func (t *Table) Check() error {
	for _, check := range []func(*Table) error{checkParts, checkList, checkSlots, checkDict} {
		if err := check(t); err != nil {
			return err
		}
	}
	return nil
}

// stale reports whether a value on the heap has a pointer that it must not have.
func stale(v Value) bool { return v.n < tagStr && v.p != nil }

func checkParts(t *Table) error {
	switch {
	case t.shape == nil:
		return errors.New("a table without a shape")
	case (t.shape == t.shape.heap.keyed) != (t.dict != nil):
		return errors.New("a table has a dictionary, or its shape says so, but not both")
	case t.sealed && len(t.shape.keys) > 0 && !t.shape.fixed:
		return errors.New("a sealed table has a shape that places which assign remember")
	case t.nums != nil && t.items != nil:
		return errors.New("a table has two lists")
	}
	return nil
}

func checkList(t *Table) error {
	n := t.Len()
	if n > 0 && t.getInt(n).n == tagNil {
		return fmt.Errorf("the last item, %d, is nil", n)
	}
	if t.dict != nil && t.dict.get(&Value{n: Number(float64(n + 1)).n}).n != tagNil {
		return fmt.Errorf("the length %d is no border: there is a key after it", n)
	}
	for i, x := range t.nums {
		if x >= tagStr {
			return fmt.Errorf("item %d of a list of numbers is no number", i+1)
		}
	}
	for i, x := range t.items[:cap(t.items)] {
		if stale(x) {
			return fmt.Errorf("item %d keeps a pointer beside a number", i+1)
		}
	}
	return nil
}

func checkSlots(t *Table) error {
	if t.shape.heap.root.retired {
		return errors.New("a heap has a retired root")
	}
	if len(t.shape.keys) > int(t.room) {
		return fmt.Errorf("%d keys have room for %d values", len(t.shape.keys), t.room)
	}
	for i, v := range unsafe.Slice((*Value)(t.slots), t.room) {
		if stale(v) {
			return fmt.Errorf("slot %d keeps a pointer beside a number", i)
		}
	}
	return t.shape.check()
}

func (s *Shape) check() error {
	for i, k := range s.keys {
		switch {
		case k.hash != hashOf(k.s):
			return fmt.Errorf("key %q of a shape has another hash", k.s)
		case len(k.s) > longestKey:
			return fmt.Errorf("a shape keeps a text of %d bytes", len(k.s))
		case s.find(k) != i, s.find(NewStr(k.s)) != i:
			return fmt.Errorf("key %q of a shape is not found", k.s)
		case s.events&eventBit(k) != eventBit(k):
			return fmt.Errorf("a shape forgets the event %s", k.s)
		}
	}
	for _, next := range s.few {
		if n := len(s.keys); len(next.keys) != n+1 || n > 0 && next.keys[n-1] != s.keys[n-1] {
			return errors.New("a next shape has other keys")
		}
	}
	return nil
}

func checkDict(t *Table) error {
	d := t.dict
	if d == nil {
		return nil
	}
	if (d.index != nil) != (cap(d.entries) > fewEntries) || d.index != nil && len(d.index) != 2*cap(d.entries) {
		return errors.New("the index of a dictionary has another size")
	}
	live, whole := 0, 0
	for i := range d.entries {
		e := &d.entries[i]
		if err := d.checkEntry(t, i); err != nil {
			return err
		}
		if e.value.n != tagNil {
			live++
		}
		if isWhole(&e.key) {
			whole++
		}
	}
	switch {
	case live != d.live && d.far == nil:
		return fmt.Errorf("a dictionary counts %d live entries of %d", d.live, live)
	case whole != d.whole:
		return fmt.Errorf("a dictionary counts %d whole numbers of %d", d.whole, whole)
	}
	return nil
}

func (d *dict) checkEntry(t *Table, i int) error {
	e := &d.entries[i]
	switch {
	case stale(e.key) || stale(e.value):
		return fmt.Errorf("entry %d keeps a pointer beside a number", i)
	case i < d.head && e.value.n != tagNil:
		return fmt.Errorf("entry %d is live before the head at %d", i, d.head)
	case e.key.n == tagErased:
		if e.value.n != tagNil {
			return errors.New("an erased entry has a value")
		}
		return nil
	case e.key.n == tagNil, e.key.n == 1<<63, e.key.n < tagBase && e.key.Float() != e.key.Float():
		return fmt.Errorf("entry %d has a key that is nil or no number", i)
	case d.find(&e.key) != i:
		return fmt.Errorf("entry %d is found at %d", i, d.find(&e.key))
	case isWhole(&e.key) && e.key.Float() <= float64(t.Len()):
		return fmt.Errorf("key %v is in the list and in the dictionary", e.key.Float())
	}
	return nil
}
