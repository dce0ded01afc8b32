package tx

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// undo is what a call keeps of the memory that it writes, so that it can be put back.
// It counts as changes of the call do, before anything is copied: see [Runner.MakeRoom].
//
// Invariant: Bytes is the sum of what the pieces take, those apart that were released.
type undo struct {
	List  []saved // in the order in which they were saved
	rooms rooms   // for old bytes
	Bytes int
}

// saved is a piece of memory as it was: n bytes, or a value with Go pointers.
type saved struct {
	at, old unsafe.Pointer
	n       uintptr
	value   reflect.Value
	Column  bool // one of many rows: it outlives the call for one of them
}

// PerSaved is what a piece takes besides its bytes.
const PerSaved = int(unsafe.Sizeof(saved{}))

// Save keeps n bytes at p.
func (u *undo) Save(p unsafe.Pointer, n uintptr) {
	copy(u.Reserve(p, int(n)), value.BytesAt(p, n))
	u.List[len(u.List)-1].Column = false
}

// Reserve returns room for n bytes at p, part of a column, which the caller copies
// before it changes them.
func (u *undo) Reserve(p unsafe.Pointer, n int) []byte {
	old := u.rooms.make(n)
	u.List = append(u.List, saved{at: p, old: unsafe.Pointer(unsafe.SliceData(old)), n: uintptr(n), Column: true})
	u.Bytes += n + PerSaved
	return old
}

// SaveGo keeps a value with Go pointers.
func (u *undo) SaveGo(p unsafe.Pointer, t reflect.Type) {
	v := reflect.New(t).Elem()
	v.Set(reflect.NewAt(t, p).Elem())
	u.List = append(u.List, saved{at: p, value: v})
	u.Bytes += int(t.Size()) + PerSaved
}

// Old returns the bytes of the i-th piece as they were.
func (u *undo) Old(i int) []byte { return value.BytesAt(u.List[i].old, u.List[i].n) }

// Release forgets the i-th piece, which was not changed after all.
func (u *undo) Release(i int) {
	x := &u.List[i]
	u.Bytes -= int(x.n) + PerSaved
	u.rooms.giveBack(value.BytesAt(x.old, x.n))
	if *x = (saved{Column: true}); i == len(u.List)-1 {
		u.List = u.List[:i]
	}
}

// undoMark is how far an undo had come.
type undoMark struct {
	pieces, bytes int
	rooms         rooms
}

func (u *undo) Mark() undoMark { return undoMark{len(u.List), u.Bytes, u.rooms} }

// Cut forgets the pieces since a mark; none from before was released meanwhile.
func (u *undo) Cut(to undoMark) {
	clear(u.List[to.pieces:])
	u.List, u.Bytes = u.List[:to.pieces], to.bytes
	u.rooms.at, u.rooms.used = to.rooms.at, to.rooms.used
}

// restore puts back the pieces from an index on that are wanted, newest first.
func (u *undo) restore(from int, wanted func(*saved) bool) {
	for i := len(u.List) - 1; i >= from; i-- {
		if x := &u.List[i]; wanted(x) {
			x.putBack()
		}
	}
}

func (x *saved) putBack() {
	if x.value.IsValid() {
		reflect.NewAt(x.value.Type(), x.at).Elem().Set(x.value)
		return
	}
	copy(value.BytesAt(x.at, x.n), value.BytesAt(x.old, x.n))
}

// PutBack puts back n bytes at p, which are part of a column that was kept.
func (u *undo) PutBack(p unsafe.Pointer, n uintptr) {
	for i := range u.List {
		x := &u.List[i]
		into := uintptr(p) - uintptr(x.at)
		switch {
		case !x.Column || uintptr(p) < uintptr(x.at):
		case x.value.IsValid():
			if into == 0 {
				x.putBack()
			}
		case into+n <= x.n:
			copy(value.BytesAt(p, n), value.BytesAt(unsafe.Add(x.old, into), n))
		}
	}
}

// forget empties it, but for the room of a usual call.
func (u *undo) forget() {
	u.List, u.Bytes = Emptied(u.List), 0
	u.rooms.empty()
}

// rooms are memory for bytes, in pages that are filled one after the other.
type rooms struct {
	pages    [][]byte
	at, used int      // the page that is being filled, and how far
	spare    [][]byte // given back, and not at the end
}

const (
	leastPage = 16 << 10
	mostPage  = 1 << 20
	// keptRoom is how much stays for the next call, and mostSpare how many rooms that
	// were given back are remembered.
	keptRoom  = 64 << 20
	mostSpare = 8
)

// make returns room for n bytes, which hold anything.
func (r *rooms) make(n int) []byte {
	for i, s := range r.spare {
		if len(s) == n {
			r.spare = slices.Delete(r.spare, i, i+1)
			return s
		}
	}
	for ; r.at < len(r.pages); r.at, r.used = r.at+1, 0 {
		if page := r.pages[r.at]; len(page)-r.used >= n {
			r.used += n
			return page[r.used-n : r.used : r.used]
		}
	}
	page := make([]byte, max(n, min(leastPage<<min(len(r.pages), 16), mostPage)))
	r.pages = append(r.pages, page)
	r.used = n
	return page[:n:n]
}

// giveBack takes room that is no longer needed.
func (r *rooms) giveBack(room []byte) {
	if n := len(room); n > 0 && r.at < len(r.pages) && r.used >= n && &r.pages[r.at][r.used-n] == &room[0] {
		r.used -= n
		return
	}
	if len(r.spare) < mostSpare {
		r.spare = append(r.spare, room)
	}
}

// empty takes all room back.
func (r *rooms) empty() {
	clear(r.spare)
	r.spare, r.at, r.used = r.spare[:0], 0, 0
	kept := 0
	for i, page := range r.pages {
		if kept += len(page); kept > keptRoom {
			clear(r.pages[i:])
			r.pages = r.pages[:i]
			return
		}
	}
}

// Bytes is what the changes of a call take: those that its system has recorded in this
// tick, and what it must keep to take back what it has written.
func (c *Call) Bytes() int { return c.Tick.Commands.Bytes() + c.Undo.Bytes }

// Affords reports whether the running call may keep so many bytes more.
func (r *Runner) Affords(bytes int) bool {
	limit := int(r.Limits.CommandBytes)
	return limit <= 0 || r.Call.Bytes()+bytes <= limit
}

// BytesOfChanges is what CommandBytes limits.
const BytesOfChanges = "bytes of changes in one tick of a system, with what must be kept to take them back"

// MakeRoom is called before a call keeps so many bytes for its undo. It ends the call
// when they are too many, in the function fn if nothing in L says where.
func (r *Runner) MakeRoom(L *lua.LState, bytes int, fn *lua.FunctionProto) {
	if r.Affords(bytes) {
		return
	}
	e := diag.Reached("CommandBytes", "too much: used %s of %s %s",
		diag.Grouped(int64(r.Call.Bytes()+bytes)), diag.Grouped(r.Limits.CommandBytes), BytesOfChanges)
	if e.Put(fault.Here(L)); e.Line == 0 && fn != nil {
		e.Put(fault.OfFunction(L, fn))
	}
	if meter, ok := L.Context().(interface{ Refuse(error) }); ok {
		meter.Refuse(e) // whatever the script catches
	}
	fault.Raise(L, e)
}

// SaveField keeps one field of a struct of Go's: what others write to the rest
// of it in the meantime is theirs.
func (r *Runner) SaveField(L *lua.LState, p unsafe.Pointer, f *ecs.Field, whole reflect.Type) {
	u, n := &r.Call.Undo, max(f.Len, 1)
	switch f.Kind {
	case ecs.Struct:
		r.MakeRoom(L, int(whole.Size())+PerSaved, nil)
		u.SaveGo(p, whole) // it may hold strings
	case ecs.String:
		text := reflect.TypeFor[string]()
		r.MakeRoom(L, n*(int(text.Size())+PerSaved), nil)
		for i := range n {
			u.SaveGo(unsafe.Add(p, f.Offset+uintptr(i)*f.Stride), text)
		}
	default:
		r.MakeRoom(L, int(f.Stride)*n+PerSaved, nil)
		u.Save(unsafe.Add(p, f.Offset), f.Stride*uintptr(n))
	}
}

// Mark is how far the records of a call had come before a row.
type Mark struct {
	commands                  ecs.Mark
	dates                     ecs.DatesMark
	undo, timers, read, wrote int
	drawn                     int
}

func (c *Call) Mark() (at Mark) {
	c.MarkAt(&at)
	return at
}

// MarkAt is Mark for a caller that marks each row: it copies nothing twice.
func (c *Call) MarkAt(at *Mark) {
	at.commands, at.dates = c.Tick.Commands.Mark(), c.Dates.Mark()
	at.undo, at.timers, at.read, at.wrote, at.drawn = len(c.Undo.List), len(c.Timers), len(c.read), len(c.Wrote.list), len(c.Drawn.List)
	c.Wrote.marked = at.wrote
}

// Rewind takes back what was done since a mark, but for columns: those are kept
// once for many rows, and UndoRow puts one row back. What was written elsewhere
// stays noted: putting it back twice does no harm.
func (c *Call) Rewind(to Mark) {
	undoWrites(c.Wrote.list[to.wrote:])
	for _, r := range slices.Backward(c.read[to.read:]) {
		r.reader.Rewind(r.at)
	}
	c.Dates.RewindLooks(to.dates)
	c.Undo.restore(to.undo, func(u *saved) bool { return !u.Column })
	c.Tick.Commands.Rewind(to.commands)
	for _, p := range c.Timers[to.timers:] {
		if p.Timer != nil {
			c.Waiting[p.Timer.Script]--
		}
	}
	c.Drawn.cut(to.drawn)
	clear(c.Timers[to.timers:])
	c.Timers, c.read, c.Wrote.list = c.Timers[:to.timers], c.read[:to.read], c.Wrote.list[:to.wrote]
}
