package exec

import (
	"math"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
)

// rowBlocks runs an each function that only computes with the fields of its rows for many of
// them at once: the fields go from the columns into vectors and back, and there are no tables.
//
// Nothing of a block is stored before all of it is known to be right. A row that comes to
// something else than to compute, or to a value that its field cannot hold, is run by itself
// after those before it.
type rowBlocks struct {
	x      *EachRunner
	rows   *machine.Rows
	fields []blockField // those that the function reads or assigns
	args   []machine.Value
	charge int      // what a row costs, beside its instructions
	differ []uint64 // by term: the rows of the block at hand in which a value differs
	ran    int      // rows since it came to one that is run by itself
	wait   int      // rows that are run by themselves after such a row
	left   int      // of them
}

// blockField is a field in a vector.
type blockField struct {
	*ecs.Field
	term     int
	at       int // among the fields of rows
	filled   bool
	assigned bool
}

// newRowBlocks returns nil if the function does more than to compute, for every row.
func (x *EachRunner) newRowBlocks() *rowBlocks {
	fn := x.shape.Function
	if lua.IsGo(fn) {
		return nil
	}
	b := &rowBlocks{x: x, args: make([]machine.Value, len(x.shape.Args)+1), differ: make([]uint64, len(x.Terms))}
	var fields []machine.RowField
	var shared []int
	for k := range x.shape.Args {
		switch arg := &x.shape.Args[k]; {
		case arg.Kind == ArgContext:
			shared = append(shared, k+1)
		case arg.Kind == ArgRow && !slices.Contains(x.s.Query.Optional, x.Terms[arg.Term]):
			r := x.tables[arg.Term]
			if r.Keeps {
				return nil
			}
			b.charge += r.steps
			for i := range r.cells {
				if f := r.cells[i].Field; r.cells[i].scalar() && f.Kind != ecs.String && f.Kind != ecs.Opaque {
					b.fields = append(b.fields, blockField{Field: f, term: arg.Term, at: len(fields)})
					fields = append(fields, machine.RowField{Param: k + 1, Key: f.Name, Truth: f.Kind == ecs.Bool, Names: f.Names})
				}
			}
		}
	}
	if b.rows = lua.VM(x.m.Main).PlanRows((*machine.Function)(fn), fields, shared); b.rows == nil {
		return nil
	}
	for i := range b.fields {
		b.fields[i].filled, b.fields[i].assigned = b.rows.Filled(i), b.rows.Assigned(i)
	}
	b.fields = slices.DeleteFunc(b.fields, func(f blockField) bool { return !f.filled && !f.assigned })
	return b
}

// run runs as many rows from the one at hand on as it can, and reports whether these were any.
func (b *rowBlocks) run() bool {
	if b == nil || len(b.x.faults.parked) > 0 || b.x.commands.Len() > 0 {
		return false
	}
	x, first := b.x, b.x.next
	if b.left > 0 {
		b.left--
		return false
	}
	if !b.rows.Ready(len(x.hand.Entities) - first) {
		return false
	}
	for k, arg := range x.shape.Args {
		if arg.Kind == ArgContext {
			b.args[k+1] = x.fixed[k]
		}
	}
	if !b.rows.Open((*machine.Function)(x.shape.Function), b.args) {
		b.rest()
		return false
	}
	for {
		n := b.rows.Next(len(x.hand.Entities)-x.next, b.charge)
		if n == 0 {
			break
		}
		done := b.block(n)
		x.next += done
		if b.ran += done; done < n {
			b.rest()
			break
		}
	}
	b.rows.Close()
	return x.next > first
}

// rest has rows run by themselves: the more of them, the fewer there were in blocks meanwhile.
func (b *rowBlocks) rest() {
	if b.wait = min(2*b.wait+1, mostAlone); b.ran > rowsPerStop {
		b.wait = 1
	}
	b.left, b.ran = b.wait, 0
}

const (
	// rowsPerStop is how many rows have to be run before it pays that blocks stop at one.
	rowsPerStop = 128
	// mostAlone is how many rows are run by themselves at most before a block is tried again.
	mostAlone = 2048
)

// block runs a block of n rows, or of those before one that is to be run by itself. It returns
// how many it has run.
func (b *rowBlocks) block(n int) int {
	for n > 0 && b.fill(n) {
		steps, done := b.rows.Run()
		if done == n {
			if done = b.compare(n); done == n {
				if !b.affords() {
					return 0
				}
				value.Take(b.x.thread, int(steps))
				b.store(n)
				return n
			}
		}
		n = b.rows.Shorten(done)
	}
	return 0
}

// fill puts the fields of the next n rows into their vectors. It reports whether it could.
func (b *rowBlocks) fill(n int) bool {
	v, first := b.x.hand, b.x.next
	if b.rows.ReadsNumber() {
		to := b.rows.Numbers()
		for i, e := range v.Entities[first : first+n] {
			to[i] = float64(e)
		}
	}
	for k := range b.fields {
		if f := &b.fields[k]; f.filled && !f.load(&v.Columns[f.term], first, b.rows.Vector(f.at)) {
			return false
		}
	}
	return true
}

// load reads the field of rows from the first one on. It reports whether they all hold what
// fields of their kind have.
func (f *blockField) load(c *rows.Column, first int, to []float64) bool {
	p := unsafe.Add(c.At(first), f.Offset)
	switch {
	case c.Base != nil && f.Kind == ecs.F64:
		for i := range to {
			if to[i] = *(*float64)(unsafe.Add(p, uintptr(i)*c.Stride)); to[i] != to[i] {
				to[i] = machine.Number(to[i]).Float()
			}
		}
	case c.Base != nil && f.Kind == ecs.F32:
		for i := range to {
			if to[i] = float64(*(*float32)(unsafe.Add(p, uintptr(i)*c.Stride))); to[i] != to[i] {
				to[i] = machine.Number(to[i]).Float()
			}
		}
	default:
		for i := range to {
			to[i] = machine.Number(f.Kind.Load(unsafe.Add(c.At(first+i), f.Offset))).Float()
			if f.Kind == ecs.Enum && int(to[i]) >= len(f.Names) {
				return false
			}
		}
	}
	return true
}

// compare finds out which of the n rows differ by now. It returns the first one with a value that
// its field cannot hold, and n if there is none.
func (b *rowBlocks) compare(n int) int {
	v := b.x.hand
	clear(b.differ)
	for k := range b.fields {
		f := &b.fields[k]
		if !f.assigned {
			continue
		}
		all := v.Chunk != nil && v.Columns[f.term].Saved && slices.Contains(b.x.changes, f.term)
		mask, refused := f.compare(&v.Columns[f.term], b.x.next, b.rows.Vector(f.at), all)
		b.differ[f.term] |= mask
		n = min(n, refused)
	}
	return n
}

// compare returns a mask of the rows in which the field is another one than what is given, and
// the first row that cannot have it. Where all is set, nobody asks for the mask.
func (f *blockField) compare(c *rows.Column, first int, given []float64, all bool) (mask uint64, refused int) {
	if all && (f.Kind == ecs.F64 || f.Kind == ecs.F32) {
		return 0, len(given)
	}
	for i, x := range given {
		if f.differs(unsafe.Add(c.At(first+i), f.Offset), x) {
			if f.Kind.Fit(x) != nil {
				return mask, i
			}
			mask |= 1 << i
		}
	}
	return mask, len(given)
}

// differs reports whether a number is another one than that of the field at p, after what the
// field makes of it.
func (f *blockField) differs(p unsafe.Pointer, x float64) bool {
	switch f.Kind {
	case ecs.F64:
		return math.Float64bits(x) != math.Float64bits(machine.Number(*(*float64)(p)).Float())
	case ecs.F32:
		now := *(*float32)(p)
		return math.Float32bits(float32(x)) != math.Float32bits(now) && math.Float64bits(x) != math.Float64bits(float64(now))
	}
	return x != f.Kind.Load(p)
}

// affords reports whether there is room to keep the columns that change.
func (b *rowBlocks) affords() bool {
	bytes, v := 0, b.x.hand
	for term, mask := range b.differ {
		if c := &v.Columns[term]; mask != 0 && !c.Saved {
			bytes += tx.UndoOf(v, c)
		}
	}
	return bytes == 0 || b.x.m.Tx.Affords(bytes)
}

// store stores the fields of the n rows, which end their turns.
func (b *rowBlocks) store(n int) {
	x, v, first := b.x, b.x.hand, b.x.next
	for i := 0; i < n; {
		_, end := v.Within(first + i)
		end = min(end-first, n)
		some := (^uint64(0) >> (64 - (end - i))) << i
		for term, mask := range b.differ {
			if mask&some != 0 {
				x.change(x.thread, v, term)
			}
		}
		if len(x.changes) > 0 {
			x.passed(v, first+end-1, false)
		}
		i = end
	}
	for k := range b.fields {
		if f := &b.fields[k]; f.assigned {
			f.store(&v.Columns[f.term], first, b.rows.Vector(f.at))
		}
	}
}

// store stores a field. A number that is not exact in Lua stays as it is.
func (f *blockField) store(c *rows.Column, first int, given []float64) {
	p := unsafe.Add(c.At(first), f.Offset)
	switch {
	case c.Base != nil && f.Kind == ecs.F64:
		for i, x := range given {
			if at := unsafe.Add(p, uintptr(i)*c.Stride); x == x || f.differs(at, x) {
				*(*float64)(at) = x
			}
		}
	case c.Base != nil && f.Kind == ecs.F32:
		for i, x := range given {
			if at := unsafe.Add(p, uintptr(i)*c.Stride); x == x || f.differs(at, x) {
				*(*float32)(at) = float32(x)
			}
		}
	default:
		for i, x := range given {
			if at := unsafe.Add(c.At(first+i), f.Offset); f.differs(at, x) {
				f.Kind.Store(at, x)
			}
		}
	}
}
