package formula

import (
	"maps"
	"math"
)

// Instr is an instruction of WebAssembly. Op is its number, as the specification gives it,
// with a prefix in the high byte. Imm is the number of a local, an integer, or the bits of
// a float64; a constant vector has them in both halves. No other instruction has anything
// after its number.
type Instr struct {
	Op  uint16
	Imm uint64
}

// Numbers of instructions with something after them, and types of locals.
const (
	LocalGet = 0x20
	LocalSet = 0x21
	ConstI32 = 0x41
	ConstI64 = 0x42
	ConstF64 = 0x44
	ConstV   = 0xFD0C

	vectorAnd    = 0xFD4E
	vectorAndNot = 0xFD4F
	vectorXor    = 0xFD51

	I32  = 0x7F
	I64  = 0x7E
	F64  = 0x7C
	V128 = 0x7B
)

// Code is a program as instructions, which begin and end with an empty stack.
type Code struct {
	List []Instr
	// Locals has the types of the locals that the code needs besides those of its arguments.
	Locals []byte
	// Results has the locals of the results, and Guard that of the guard, -1 if the program
	// is total. In scalar code the guard is an i32, 1 or 0; in vectors all bits of a lane are
	// alike.
	Results []int
	Guard   int
	// Early is how many instructions of List lead to the guard. A caller who looks at it
	// there keeps neither it nor the arguments through the rest.
	Early int
}

// Scalar returns code for one row. Args has the locals of the arguments, f64, which it only
// reads; first is the number of its own first local.
func (p *Program) Scalar(args []int, first int) *Code {
	return (&writer{p: p, args: args, first: first}).write()
}

// Vector returns code for two rows at once. The arguments are v128.
func (p *Program) Vector(args []int, first int) *Code {
	return (&writer{p: p, args: args, first: first, vector: true}).write()
}

// writer makes code of a program.
type writer struct {
	Code
	p      *Program
	args   []int
	first  int
	vector bool
	local  map[*node]int
	left   map[*node]int // how often a node is still an operand or a result
}

func (w *writer) write() *Code {
	w.local, w.left = map[*node]int{}, maps.Clone(w.p.uses)
	for _, n := range w.p.nodes {
		w.local[n] = w.node(n)
		if n == w.p.guard {
			w.Early = len(w.List)
		}
	}
	for _, r := range w.p.results {
		w.Results = append(w.Results, w.local[r])
	}
	w.Guard = -1
	if w.p.guard != nil {
		w.Guard = w.local[w.p.guard]
	}
	return &w.Code
}

func (w *writer) emit(op uint16, imm uint64) { w.List = append(w.List, Instr{op, imm}) }

// node writes an operation and returns the local of its result.
func (w *writer) node(n *node) int {
	o := &operations[n.op]
	switch {
	case n.op == argument:
		return w.args[n.bits]
	case w.vector && o.vector == 0 && n.args[0].op != literal: // other bits for the same
		return w.local[n.args[0]]
	case n.op == choose && !w.vector:
		w.chooseBits(n)
		return w.set(n.kind)
	}
	if w.vector && n.op == choose && w.masked(n) {
		return w.set(n.kind)
	}
	if w.vector && (n.op == abs || n.op == neg) {
		w.signBit(n)
		return w.set(n.kind)
	}
	for _, a := range w.ordered(n) {
		w.push(a)
	}
	switch {
	case n.op == shl || n.op == shr:
		if w.vector {
			w.emit(ConstI32, n.bits)
		} else {
			w.emit(ConstI64, n.bits)
		}
	}
	if w.vector {
		w.emit(o.vector, 0)
	} else {
		w.emit(o.scalar, 0)
	}
	return w.set(n.kind)
}

// ordered returns the operands of an operation. Where their order makes no difference, the first
// is one that nobody needs afterwards, a constant at best: the machine's instruction puts the
// result in its place, and another one would have to be copied before.
func (w *writer) ordered(n *node) []*node {
	for _, a := range n.args {
		w.left[a]--
	}
	if !operations[n.op].commutes {
		return n.args
	}
	x, y := n.args[0], n.args[1]
	if x.op != literal && (y.op == literal || w.left[x] > 0 && w.left[y] == 0) {
		return []*node{y, x}
	}
	return n.args
}

// signBit clears or turns the signs of a vector. The instructions of wazero for that make their
// constant from nothing, which takes two or three of the machine's, and a load is one.
func (w *writer) signBit(n *node) {
	op, mask := uint16(vectorXor), uint64(signBit)
	if n.op == abs {
		op, mask = vectorAnd, ^mask
	}
	w.emit(ConstV, mask)
	w.push(w.ordered(n)[0])
	w.emit(op, 0)
}

// chooseBits chooses by the bits of numbers: wazero makes a jump of a select of floats,
// and a conditional move of one of integers.
func (w *writer) chooseBits(n *node) {
	for _, a := range n.args[:2] {
		switch {
		case a.op == literal:
			w.emit(ConstI64, a.bits)
		default:
			w.push(a)
			if a.kind == float {
				w.emit(operations[bits].scalar, 0)
			}
		}
	}
	w.push(n.args[2])
	w.emit(operations[choose].scalar, 0)
	if n.kind == float {
		w.emit(operations[unbits].scalar, 0)
	}
}

// masked writes a choice of vectors one of whose sides is 0; false: it is not such a one.
func (w *writer) masked(n *node) bool {
	isZero := func(n *node) bool { return n.op == literal && n.bits == 0 }
	switch {
	case isZero(n.args[1]):
		w.push(n.args[0])
		w.push(n.args[2])
		w.emit(vectorAnd, 0)
	case isZero(n.args[0]):
		w.push(n.args[1])
		w.push(n.args[2])
		w.emit(vectorAndNot, 0)
	default:
		return false
	}
	return true
}

// push leaves a value on the stack.
func (w *writer) push(n *node) {
	switch {
	case n.op != literal:
		w.emit(LocalGet, uint64(w.local[n]))
	case w.vector:
		w.emit(ConstV, n.bits)
	case n.kind == float:
		w.emit(ConstF64, n.bits)
	default:
		w.emit(ConstI64, n.bits)
	}
}

// set moves the value on the stack to a local of its own.
func (w *writer) set(k kind) int {
	t := [...]byte{float: F64, whole: I64, mask: I32}[k]
	if w.vector {
		t = V128
	}
	l := w.first + len(w.Locals)
	w.Locals = append(w.Locals, t)
	w.emit(LocalSet, uint64(l))
	return l
}

// isFinite reports whether the bits are those of a number that Go can write as a constant.
func isFinite(bits uint64) bool {
	v := math.Float64frombits(bits)
	return v-v == 0 && (v != 0 || bits == 0)
}
