package kerneltest

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/detmath"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/library/maths"
)

// This file holds the evaluator and what it is called with. It is slow, and meant to be
// compared with the comments of package ir line by line: each operation is one case, and
// what a row leaves behind is written at one place.

// Call is one call of a kernel: what it gets, and what has become of it. Notes are the
// changes of the rows that are finished.
type Call struct {
	Columns        []uint32 // by term: the address of row 0, Absent where the rows lack it
	Entities       uint32   // the address of the handle of row 0
	Rows, Next     int
	Fuel           int64
	Random         uint64
	DT, Time, Tick float64
	Inputs         []float64
	Lists          [][]float64
	Mark           uint8
	Kin            bool
	NoteBytes      int // bytes for notes

	Full, Dry bool
	Notes     []Note
}

// Absent is the address of a column that the rows lack.
const Absent = math.MaxUint32

// Note is a change that a row asks for.
type Note struct {
	Call   int
	Values []float64
}

// Machine evaluates kernels over a memory. It follows the tree and keeps each value in
// a place of its own, so it shares with what it judges neither how a vector is packed, nor
// when a value is loaded, nor in which order a record is read. Only the functions of Lua's
// library and its remainder are those of package library, whose tests judge them. It says
// what a kernel means.
type Machine struct {
	World  *World
	memory []byte
	f      *ir.Func
	call   *Call
	row    int
	values []value // by local
	random uint64
	fuel   int64
	notes  []Note
}

// Why a second implementation, and not the VM? What passes and wasm get is no Lua any more,
// and most of what is drawn for them has no text in Lua.

// value is what a local holds: a handle has all 64 bits, all else is a number. Places
// are addresses, truths 0 and 1.
type value struct {
	n float64
	h uint64
}

// signal says where control goes after a statement.
type signal uint8

const (
	goesOn  signal = iota
	leaving        // to the label
	stopped        // the row is left as it was
)

// Run runs the rows of a call over a memory, and changes both.
func (m *Machine) Run(f *ir.Func, memory []byte, c *Call) {
	m.f, m.memory, m.call = f, memory, c
	m.values = make([]value, len(f.Locals))
	m.random, m.fuel, m.notes = c.Random, c.Fuel, nil
	for i, in := range f.Inputs {
		m.values[in.Local] = value{n: c.Inputs[i]}
	}
	m.poison()
	m.list(f.Once)
	for m.row = c.Next; m.row < c.Rows; m.row++ {
		if !m.runRow() {
			break
		}
		m.commit()
	}
	c.Next = m.row
}

// poison gives locals a value that nobody may read. Check forbids it; a pass that breaks
// the rule in a way that Check does not see gives results that differ.
func (m *Machine) poison() {
	for local := range m.values {
		if m.f.InputOf(local) == nil {
			m.values[local] = value{-777.25, 777}
		}
	}
}

// commit makes what a row has done part of the call: a row that stops has changed nothing in
// it.
func (m *Machine) commit() {
	c := m.call
	for i, in := range m.f.Inputs {
		if in.Store {
			c.Inputs[i] = m.values[in.Local].n
		}
	}
	c.Random, c.Fuel, c.Notes = m.random, m.fuel, slices.Clone(m.notes)
}

// runRow runs one row; false: it is as it was.
func (m *Machine) runRow() bool {
	for i := range m.f.Fields {
		m.values[m.f.Fields[i].Local] = m.loaded(&m.f.Fields[i])
	}
	if to, _ := m.list(m.f.Body); to == stopped {
		return false
	}
	for i := range m.f.Fields {
		if f := &m.f.Fields[i]; f.Checked() && !m.holds(f) {
			return false
		}
	}
	for i := range m.f.Fields {
		if f := &m.f.Fields[i]; f.Store {
			m.store(f)
		}
	}
	return true
}

// address returns where a field of the row lies; false: the rows lack its column.
func (m *Machine) address(f *ir.Field) (at uint32, ok bool) {
	column := &m.f.Columns[f.Column]
	base := m.call.Entities
	if column.Term != ir.Entities {
		base = m.call.Columns[column.Term]
	}
	return base + uint32(m.row)*column.Stride + f.Offset, base != Absent
}

// loaded is what a field of the row holds; 0 and false of a column that the rows lack.
func (m *Machine) loaded(f *ir.Field) value {
	at, ok := m.address(f)
	if !ok {
		return value{}
	}
	return m.read(f.Kind, f.Type(), at)
}

// read returns what is at an address, as a local of a type has it.
func (m *Machine) read(k ecs.Kind, t ir.Type, at uint32) value {
	b := m.memory[at:]
	little := binary.LittleEndian
	switch k {
	case ecs.Bool:
		return truth(b[0] != 0)
	case ecs.U8, ecs.Enum:
		return value{n: float64(b[0])}
	case ecs.I8:
		return value{n: float64(int8(b[0]))}
	case ecs.U16:
		return value{n: float64(little.Uint16(b))}
	case ecs.I16:
		return value{n: float64(int16(little.Uint16(b)))}
	case ecs.U32:
		return value{n: float64(little.Uint32(b))}
	case ecs.I32:
		return value{n: float64(int32(little.Uint32(b)))}
	case ecs.I64:
		return value{n: float64(int64(little.Uint64(b)))}
	case ecs.F32:
		return value{n: float64(math.Float32frombits(little.Uint32(b)))}
	case ecs.F64:
		return value{n: math.Float64frombits(little.Uint64(b))}
	}
	bits := little.Uint64(b) // U64 and Ref
	if t == ir.Handle {
		return value{h: bits}
	}
	return value{n: float64(bits)}
}

// isWide reports whether a field is left alone while its number is the one that it had:
// it may hold an integer that a number cannot tell from its neighbours.
func isWide(f *ir.Field) bool {
	return f.Kind == ecs.I64 || f.Kind == ecs.U64 || f.Kind == ecs.Ref
}

// changed reports whether the local of a field is not what the field holds.
func (m *Machine) changed(f *ir.Field) bool {
	before, now := m.loaded(f), m.values[f.Local]
	return before.n != now.n || f.AsHandle && before.h != now.h
}

// holds reports whether a field can hold what its local has.
func (m *Machine) holds(f *ir.Field) bool {
	v := m.values[f.Local]
	low, high := f.Kind.Range()
	switch {
	case isWide(f) && !m.changed(f):
		return true
	case f.AsHandle:
		return v.h <= uint64(high)
	case f.Kind == ecs.I64:
		low, high = -1<<53, 1<<53
	case f.Kind == ecs.U64:
		high = 1 << 53
	}
	return v.n == math.Trunc(v.n) && v.n >= low && v.n <= high
}

// store writes the local of a field back, if it may.
func (m *Machine) store(f *ir.Field) {
	at, ok := m.address(f)
	if !ok || isWide(f) && !m.changed(f) {
		return
	}
	v, b, little := m.values[f.Local], m.memory[at:], binary.LittleEndian
	switch f.Kind {
	case ecs.Bool, ecs.U8, ecs.Enum:
		b[0] = uint8(v.n)
	case ecs.I8:
		b[0] = uint8(int8(v.n))
	case ecs.U16:
		little.PutUint16(b, uint16(v.n))
	case ecs.I16:
		little.PutUint16(b, uint16(int16(v.n)))
	case ecs.U32:
		little.PutUint32(b, uint32(v.n))
	case ecs.I32:
		little.PutUint32(b, uint32(int32(v.n)))
	case ecs.I64:
		little.PutUint64(b, uint64(int64(v.n)))
	case ecs.F32:
		little.PutUint32(b, math.Float32bits(float32(v.n)))
	case ecs.F64:
		little.PutUint64(b, math.Float64bits(v.n))
	default:
		if !f.AsHandle {
			v.h = uint64(v.n)
		}
		little.PutUint64(b, v.h)
	}
}

// list runs statements up to one from which control goes elsewhere.
func (m *Machine) list(stmts []*ir.Stmt) (to signal, label int) {
	for _, s := range stmts {
		if to, label = m.stmt(s); to != goesOn {
			return to, label
		}
	}
	return goesOn, 0
}

// stmt runs one statement.
func (m *Machine) stmt(s *ir.Stmt) (to signal, label int) {
	switch s.Kind {
	case ir.Set:
		v, ok := m.expr(s.Value)
		if !ok {
			return stopped, 0
		}
		m.values[s.Local] = v
	case ir.If:
		v, ok := m.expr(s.Value)
		switch {
		case !ok:
			return stopped, 0
		case v.n != 0:
			return m.list(s.Body)
		}
		return m.list(s.Else)
	case ir.Block:
		if to, label = m.list(s.Body); to == leaving && label == s.Label {
			return goesOn, 0
		}
		return to, label
	case ir.Loop:
		return m.loop(s)
	case ir.Leave:
		return leaving, s.Label
	case ir.Stop:
		return stopped, 0
	}
	return goesOn, 0
}

// loop goes around until something leaves, or the fuel is gone. Fuel is taken after a turn,
// and a kernel whose loops take none has an end by itself: the drawn ones count.
func (m *Machine) loop(s *ir.Stmt) (to signal, label int) {
	for {
		if to, label = m.list(s.Body); to != goesOn {
			return to, label
		}
		if m.fuel -= int64(s.Cost); m.fuel < 0 {
			m.call.Dry = true
			return stopped, 0
		}
	}
}

// truth is a Bool.
func truth(b bool) value {
	if b {
		return value{n: 1}
	}
	return value{}
}

// expr evaluates a tree, operands in the order in which they run; false: the row stops.
func (m *Machine) expr(e *ir.Expr) (v value, ok bool) {
	if e.Lazy {
		return m.lazy(e)
	}
	x := make([]value, len(e.Args))
	if e.Op != ir.Do { // it looks at its operands one by one
		for i, a := range e.Args {
			if x[i], ok = m.expr(a); !ok {
				return v, false
			}
		}
	}
	switch e.Op {
	case ir.Random, ir.Draw:
		v = m.draw(e, x)
	case ir.Invoke:
		args := make([]float64, len(x))
		for i := range x {
			args[i] = x[i].n
		}
		v = value{n: m.World.Invoke(e.HostCall, args)}
	case ir.Touched, ir.Alive, ir.Record, ir.Find, ir.Fetch, ir.Ask:
		v = m.look(e, x)
	case ir.Step:
		v = value{n: x[0].n + math.Trunc(x[1].n)}
	case ir.Load:
		v = m.read(e.Kind, e.Type, uint32(x[0].n)+e.Offset)
	case ir.Here:
		at, _ := m.address(&ir.Field{Column: e.Column})
		v = value{n: float64(at)}
	case ir.Item:
		v = value{n: m.item(e.List, x[0].n)}
	case ir.Do:
		return m.note(e)
	case ir.Get:
		v = m.values[e.Local]
	case ir.Tee:
		v = x[0]
		m.values[e.Local] = v
	case ir.Sincos:
		sine, cosine := value{n: detmath.Sin(x[0].n)}, value{n: detmath.Cos(x[0].n)}
		m.values[e.Local], m.values[e.Cosine] = sine, cosine
		if v = sine; e.Name == ir.Cosine {
			v = cosine
		}
	case ir.Pick:
		if v = x[1]; x[2].n != 0 {
			v = x[0]
		}
	default:
		v = value{n: m.compute(e, x)}
		if e.Op == ir.Const && e.Type == ir.Handle {
			v = value{h: uint64(e.Value)}
		}
	}
	if e.Type == ir.Num32 {
		v.n = float64(float32(v.n))
	}
	return v, true
}

// lazy evaluates no more operands than it needs.
func (m *Machine) lazy(e *ir.Expr) (v value, ok bool) {
	first := e.First()
	if v, ok = m.expr(e.Args[first]); !ok {
		return v, false
	}
	switch {
	case e.Op == ir.Pick && v.n != 0:
		return m.expr(e.Args[0])
	case e.Op != ir.Pick && (v.n != 0) == (e.Op == ir.Or):
		return v, true
	}
	return m.expr(e.Args[1])
}

// compute evaluates what depends on its operands alone, or is the same for all rows.
func (m *Machine) compute(e *ir.Expr, x []value) float64 {
	switch e.Op {
	case ir.Const:
		return e.Value
	case ir.DT:
		return m.call.DT
	case ir.Time:
		return m.call.Time
	case ir.Tick:
		return m.call.Tick
	case ir.Present:
		return truth(m.call.Columns[m.f.Columns[e.Column].Term] != Absent).n
	case ir.Call:
		return m.hosted(e.Name, x)
	case ir.Number:
		return float64(x[0].h)
	case ir.Eq, ir.Ne:
		equal := x[0].n == x[1].n
		if e.Args[0].Type == ir.Handle {
			equal = float64(x[0].h) == float64(x[1].h) // as Lua, to which they are numbers
		}
		return truth(equal == (e.Op == ir.Eq)).n
	case ir.Lt, ir.Le, ir.And, ir.Or, ir.Not:
		return truth(decide(e.Op, x)).n
	}
	return arithmetic(e.Op, x)
}

// decide computes an operation that gives a Bool from its operands alone.
func decide(op ir.Op, x []value) bool {
	switch op {
	case ir.Lt:
		return x[0].n < x[1].n
	case ir.Le:
		return x[0].n <= x[1].n
	case ir.And:
		return x[0].n != 0 && x[1].n != 0
	case ir.Or:
		return x[0].n != 0 || x[1].n != 0
	}
	return x[0].n == 0 // Not
}

// arithmetic computes in float64. That of float32 is the same, rounded once: a sum, product,
// quotient or root of float32 comes out right by way of float64, see vector, round.go.
func arithmetic(op ir.Op, x []value) float64 {
	switch op {
	case ir.Add:
		return x[0].n + x[1].n
	case ir.Sub:
		return x[0].n - x[1].n
	case ir.Mul:
		return x[0].n * x[1].n
	case ir.Div:
		return x[0].n / x[1].n
	case ir.Mod:
		return detmath.Modulo(x[0].n, x[1].n)
	case ir.Neg:
		return -x[0].n
	case ir.Abs:
		return math.Abs(x[0].n)
	case ir.Ceil:
		return math.Ceil(x[0].n)
	case ir.Floor:
		return math.Floor(x[0].n)
	case ir.Sqrt:
		return math.Sqrt(x[0].n)
	case ir.Zero:
		return x[0].n + 0
	case ir.Widen, ir.Narrow: // the type of the result rounds
		return x[0].n
	}
	panic("no operation " + op.String())
}

// hosted calls a function of Lua's library.
func (m *Machine) hosted(name string, x []value) float64 {
	unary, binary := maths.Functions()
	if f := unary[name]; f != nil {
		return f(x[0].n)
	}
	return binary[name](x[0].n, x[1].n)
}

// draw takes the next number of the generator, which is SplitMix64.
func (m *Machine) draw(e *ir.Expr, x []value) value {
	m.random += 0x9E3779B97F4A7C15
	z := m.random
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	z ^= z >> 31
	if e.Op == ir.Random {
		return value{n: float64(z>>11) / (1 << 53)}
	}
	return value{n: x[0].n + float64(z%uint64(x[1].n-x[0].n+1))}
}

// item returns an item of a list, the first where there is none.
func (m *Machine) item(list int, index float64) float64 {
	items := m.call.Lists[list]
	if at := math.Trunc(index); at >= 1 && at <= float64(len(items)) {
		return items[int(at)-1]
	}
	return items[0]
}

// handleOf returns the handle that an expression gives; a number that is no whole one is
// one that no world gives out.
func handleOf(e *ir.Expr, v value) uint64 {
	if e.Type == ir.Handle {
		return v.h
	}
	if v.n != math.Trunc(v.n) || math.Abs(v.n) >= 1<<63 {
		return math.MaxUint64
	}
	return uint64(int64(v.n))
}

// look asks about entities. Those of the world that live are in its list.
func (m *Machine) look(e *ir.Expr, x []value) value {
	if e.Op == ir.Find {
		return value{n: m.World.find(uint32(x[0].n), e.Component)}
	}
	h := handleOf(e.Args[0], x[0])
	switch e.Op {
	case ir.Touched:
		return truth(m.memory[m.World.mark(h)] == m.call.Mark)
	case ir.Alive:
		return truth(m.World.alive(h))
	case ir.Fetch:
		return value{n: m.World.Fetch(e.HostCall, x[0].n)}
	case ir.Ask:
		return value{n: m.World.Ask(e.HostCall, x[0].n)}
	}
	return value{n: m.World.record(h)}
}

// note notes a change; its value is false where Lua may refuse it.
func (m *Machine) note(e *ir.Expr) (v value, ok bool) {
	call := &m.f.HostCalls[e.HostCall]
	used := ir.NoteSize(len(e.Args))
	for _, n := range m.notes {
		used += ir.NoteSize(len(n.Values))
	}
	if used > m.call.NoteBytes {
		m.call.Full = true
		return v, false
	}
	if call.AboutEntity() {
		about, ok := m.expr(e.Args[0])
		if !ok {
			return v, false
		}
		mark := &m.memory[m.World.mark(handleOf(e.Args[0], about))]
		if call.Op == "despawn" && m.call.Kin && *mark&0x7F == m.call.Mark&0x7F {
			return v, false // others may die with it
		}
		if m.f.ReadsMarks() {
			*mark = m.call.Mark
		}
	}
	return m.noteValues(e, call)
}

// noteValues checks the values of a change one by one, as Lua does, and notes it.
func (m *Machine) noteValues(e *ir.Expr, call *ir.HostCall) (v value, ok bool) {
	n, kinds := Note{Call: e.HostCall}, call.Kinds()
	for i, a := range e.Args {
		x, ok := m.expr(a)
		if !ok {
			return v, false
		}
		switch {
		case i == 0 && call.AboutEntity():
			h := handleOf(a, x)
			if !m.World.alive(h) {
				return v, true
			}
			x.n = float64(h)
		case !fits(kinds[i-len(e.Args)+len(kinds)], x.n):
			return v, true
		}
		n.Values = append(n.Values, x.n)
	}
	m.notes = append(m.notes, n)
	return truth(true), true
}

// fits reports whether a field of a kind can hold a number.
func fits(k ecs.Kind, v float64) bool {
	switch k {
	case ecs.F32, ecs.F64, ecs.Bool, ecs.Enum:
		return true
	}
	low, high := k.Range()
	return v == math.Trunc(v) && v >= low && v <= high
}
