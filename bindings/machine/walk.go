package machine

import "unsafe"

// Walk counts what values hold: each object once, by what it really takes, with all that
// it leads to. Cycles are followed once. The values of a walk belong to one heap, and of
// the walks of a heap the last one that has begun is good.
//
// Scripts may run between two steps. What is there when the walk begins, and stays where it
// is, is counted.
//
// Invariant: an object in todo has the walk's mark.
type Walk struct {
	// Held says what a Go value of a userdata takes. Nil: nothing is known of Go values.
	Held func(v any) int64

	heap  *Heap
	mark  uint32
	bytes int64
	todo  []visit
	met   []*Table // which nobody else may hold, and who would make them anew would count them again
}

// visit is an object whose content is to be followed: the list of a table from item on, and
// its keys from key on, as long as they are those of built; the registers of a coroutine from
// item on, and its frames from key on.
type visit struct {
	object    Value
	item, key int
	built     uint32
}

// walkChunk is how many places of a table are looked at in a row, and stackChunk how many of a
// coroutine's stacks.
const walkChunk, stackChunk = 64, 1024

// Begin begins a walk, and forgets the last one.
func (w *Walk) Begin(h *Heap) {
	h.walks++
	w.heap, w.mark, w.bytes, w.todo, w.met = h, h.walks, 0, w.todo[:0], nil
}

// End lets go of all values. A walk that is done need not begin again.
func (w *Walk) End() {
	clear(w.todo[:cap(w.todo)])
	w.todo, w.met = w.todo[:0], nil
}

// Bytes returns what was counted since the walk began.
func (w *Walk) Bytes() int64 { return w.bytes }

// Add counts bytes that belong to what is followed.
func (w *Walk) Add(bytes int) { w.bytes += int64(bytes) }

// Claim has a table not be followed until Enter: what leads to it does not count it.
func (w *Walk) Claim(t *Table) { t.mark = w.mark }

// Enter counts a table that was claimed.
func (w *Walk) Enter(t *Table) {
	t.mark = w.mark
	w.table(t)
}

// Step follows about n of the values that are to be followed, and returns how many are left
// of n; more than 0 if there are no values any more. O(n).
func (w *Walk) Step(n int) (left int) {
	for n > 0 && len(w.todo) > 0 {
		n -= w.follow()
	}
	if len(w.todo) == 0 {
		return max(n, 1)
	}
	return 0
}

// meet marks an object, and reports whether it is met for the first time.
func (w *Walk) meet(mark *uint32) bool {
	if *mark == w.mark {
		return false
	}
	*mark = w.mark
	return true
}

// Push counts a value, and has what it leads to be followed.
func (w *Walk) Push(v Value) {
	if v.n < tagStr {
		return
	}
	switch v.n {
	case tagStr:
		w.text((*Str)(v.p))
	case tagTable:
		if t := (*Table)(v.p); w.meet(&t.mark) {
			w.table(t)
			if t.unfilled() == nil && t.Foreign() != nil {
				w.met = append(w.met, t)
			}
		}
	case tagFunc:
		if f := (*Function)(v.p); w.meet(&f.mark) {
			w.bytes += int64(unsafe.Sizeof(*f)) + int64(8*len(f.up))
			w.todo = append(w.todo, visit{object: v})
		}
	case tagThread:
		if th := (*Thread)(v.p); w.meet(&th.mark) {
			w.bytes += th.bytes()
			w.todo = append(w.todo, visit{object: v})
		}
	case tagUser:
		w.userdata((*Userdata)(v.p))
	}
}

func (w *Walk) text(s *Str) {
	if w.meet(&s.mark) {
		w.bytes += int64(unsafe.Sizeof(*s)) + int64(len(s.s))
	}
}

// table counts a table at once, whatever it holds: a large one is found when it is met.
func (w *Walk) table(t *Table) {
	w.bytes += int64(t.Bytes())
	if t.blank > 0 {
		if w.bytes -= int64(tableBytes); w.meet(&t.block().mark) {
			w.bytes += int64(unsafe.Sizeof(blanks{}))
		}
	}
	if w.meet(&t.shape.mark) {
		w.bytes += int64(t.shape.bytes())
		for _, k := range t.shape.keys {
			w.text(k)
		}
	}
	if len(t.items) > 0 || len(t.shape.keys) > 0 || t.dict != nil || t.meta != nil {
		w.todo = append(w.todo, visit{object: OfTable(t)})
	}
}

func (w *Walk) userdata(u *Userdata) {
	if !w.meet(&u.mark) {
		return
	}
	w.bytes += int64(unsafe.Sizeof(*u))
	if w.Held != nil {
		w.bytes += w.Held(u.Value)
	}
	if u.meta != nil {
		w.Push(OfTable(u.meta))
	}
}

// follow goes on with the last object to be followed, and returns how many values it has
// looked at.
func (w *Walk) follow() int {
	last := len(w.todo) - 1
	x := w.todo[last]
	w.todo = w.todo[:last]
	switch x.object.n {
	case tagTable:
		return w.fields(x)
	case tagFunc:
		return w.captured((*Function)(x.object.p))
	case tagThread:
		return w.stacks(x)
	}
	return 1
}

// fields looks at the next places of a table.
func (w *Walk) fields(x visit) int {
	t := (*Table)(x.object.p)
	if x.item == 0 && x.key == 0 && t.meta != nil {
		w.Push(OfTable(t.meta))
	}
	at := len(w.todo)
	w.todo = append(w.todo, x) // it stays until all was seen, below what it leads to
	n, done := w.places(t, &x)
	if !done {
		w.todo[at] = x
		return n
	}
	end := len(w.todo) - 1
	w.todo[at] = w.todo[end]
	w.todo = w.todo[:end]
	return n
}

// places looks at up to walkChunk places of a table, and reports whether they were the
// last ones.
func (w *Walk) places(t *Table, x *visit) (n int, done bool) {
	for ; x.item < len(t.items); x.item++ {
		if n++; n > walkChunk {
			return n, false
		}
		w.Push(t.items[x.item])
	}
	d := t.dict
	if d == nil {
		for i := range t.shape.keys {
			w.Push(*t.slot(uintptr(i) * 16))
		}
		return n + len(t.shape.keys) + 1, true
	}
	if d.far != nil && d.far.list != nil {
		return n + 1, true
	}
	if d.far != nil {
		return d.far.content.Walk(w), true
	}
	if x.built != d.built {
		x.key, x.built = 0, d.built // places have changed: what was seen is not counted again
	}
	for ; x.key < len(d.entries); x.key++ {
		if n++; n > walkChunk {
			return n, false
		}
		w.Push(d.entries[x.key].key)
		w.Push(d.entries[x.key].value)
	}
	return n + 1, true
}

// captured looks at what a function leads to.
func (w *Walk) captured(f *Function) int {
	if f.env != nil {
		w.Push(OfTable(f.env))
	}
	for _, c := range f.up {
		if c != nil && w.meet(&c.mark) {
			w.bytes += int64(unsafe.Sizeof(*c))
			w.Push(c.Get())
		}
	}
	return 1 + len(f.up)
}

// stacks looks at the next values and frames of a coroutine.
func (w *Walk) stacks(x visit) int {
	th := (*Thread)(x.object.p)
	if x.item == 0 && x.key == 0 && th.body != nil {
		w.Push(OfFunction(th.body))
	}
	at := len(w.todo)
	w.todo = append(w.todo, x) // it stays until all was seen, below what it leads to
	n := w.registers(th, &x.item)
	n += w.calls(th, &x.key, stackChunk-n)
	if x.item < len(th.stack) || x.key < cap(th.frames) {
		w.todo[at] = x
		return n
	}
	end := len(w.todo) - 1
	w.todo[at] = w.todo[end]
	w.todo = w.todo[:end]
	return n + 1
}

// registers looks at the next registers of a coroutine, from a place on, and returns how many
// these were.
//
// Of a suspended one it lets go of what calls that are over have left there: behind the registers
// in use, and as pointers of values that are numbers by now. No walk would find it, and the
// collector would keep it. The same goes for its frames.
func (w *Walk) registers(th *Thread, from *int) int {
	used, first := th.used(), *from
	last := min(first+stackChunk, len(th.stack))
	for i := first; i < min(last, used); i++ {
		if th.status == Suspended {
			th.stack[i] = clean(th.stack[i])
		}
		w.Push(th.stack[i])
	}
	if th.status == Suspended && last > used {
		clear(th.stack[max(first, used):last])
	}
	*from = max(first, last)
	return max(last-first, 0)
}

// calls looks at up to n of the next frames of a coroutine, from one on, and returns how many
// these were.
func (w *Walk) calls(th *Thread, from *int, n int) int {
	first, all := *from, th.frames[:cap(th.frames)]
	last := min(first+n, len(all))
	for i := first; i < min(last, len(th.frames)); i++ {
		if fn := all[i].fn; fn != nil {
			w.Push(OfFunction(fn))
		}
	}
	if th.status == Suspended && last > len(th.frames) {
		clear(all[max(first, len(th.frames)):last])
		for c := th.call.inner; c != nil; c = c.inner {
			c.fn = nil
		}
	}
	*from = max(first, last)
	return max(last-first, 0)
}

// bytes returns what a coroutine takes, without its values.
func (th *Thread) bytes() int64 {
	return int64(unsafe.Sizeof(*th)) + 16*int64(cap(th.stack)) + int64(unsafe.Sizeof(frame{}))*int64(cap(th.frames))
}
