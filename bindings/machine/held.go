package machine

import (
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// A function that works on numbers alone can hold fields of its parameters in registers: it
// never asks for the tables. Whoever calls it puts the numbers there, and finds there what it
// has assigned.
//
// Such a function has no effect before it returns. Where it would have one, fail, or come
// upon something else than numbers, it stops, and can be called again as it is written. So
// what is rare, such as a call in a branch, costs those rows only that come to it.

// HeldField is a field of a parameter, which is counted from 0.
type HeldField struct {
	Param int
	Key   string
}

// Hold returns a function that does what fn does, with fields of its parameters in registers:
// those are behind all others, in the order of the fields. It returns nil if it would stop in
// any case. fn copies none of these parameters.
func (vm *VM) Hold(fn *Function, fields []HeldField) *Function {
	p := fn.proto
	if p == nil || p.vararg {
		return nil
	}
	held := vm.newProto(p.source)
	held.fields, held.held = fields, true
	held.translate()
	if !held.held || held.size > maxRegisters || !held.holds() {
		return nil
	}
	held.plain = held.code
	if held.alwaysStops() {
		return nil
	}
	held.code = held.join()
	return &Function{proto: held, env: fn.env, up: fn.up}
}

// maxRegisters is how many registers an instruction can name.
const maxRegisters = 1 << 15 / int(valueSize)

// Follow gives a function that holds fields the globals of the one from which it was made.
func (f *Function) Follow(of *Function) { f.env = of.env }

// Held returns the index of the register of the first field that a function holds.
func (f *Function) Held() int { return f.proto.size - scratch - len(f.proto.fields) }

// stops makes instructions that have an effect stop the function. A call of a function that
// computes a number of one number has no effect.
func (t *translator) stops() {
	switch int(t.word >> 26) {
	case lua.OP_MOVE, lua.OP_MOVEN, lua.OP_LOADK, lua.OP_LOADBOOL, lua.OP_LOADNIL, lua.OP_GETUPVAL, lua.OP_GETGLOBAL,
		lua.OP_GETTABLE, lua.OP_GETTABLEKS, lua.OP_ADD, lua.OP_SUB, lua.OP_MUL, lua.OP_DIV, lua.OP_MOD, lua.OP_POW,
		lua.OP_UNM, lua.OP_NOT, lua.OP_LEN, lua.OP_JMP, lua.OP_EQ, lua.OP_LT, lua.OP_LE, lua.OP_TEST, lua.OP_TESTSET,
		lua.OP_FORLOOP, lua.OP_FORPREP, lua.OP_RETURN, lua.OP_NOP:
		return
	case lua.OP_CALL:
		if t.b == 2 && t.c == 2 {
			t.in.op = xJoinedPure
			return
		}
	case lua.OP_SETTABLEKS:
		if t.in.op == xSetHeld {
			return
		}
	}
	*t.in = ins{op: xJoinedStop}
}

// alwaysStops reports whether the function stops before it comes to a branch.
func (p *proto) alwaysStops() bool {
	j := &joiner{p: p}
	for i := 0; ; {
		if p.code[i].op == xJoinedStop {
			return true
		}
		next := j.next(i)
		if len(next) != 1 || next[0] <= i {
			return false
		}
		i = next[0]
	}
}

// holds reports whether every assignment to a field, and every look at one of a table that
// has some in registers, was translated to a register.
func (p *proto) holds() bool {
	for pc, word := range p.source.Code {
		op, a, b := int(word>>26), int(word>>18)&0xff, int(word)&0x1ff
		switch in := &p.code[pc]; op {
		case lua.OP_SETTABLEKS:
			if in.op != xSetHeld && in.op != xJoinedStop {
				return false
			}
		case lua.OP_GETTABLE, lua.OP_GETTABLEKS:
			if p.ofField(b) && in.op != xMove {
				return false
			}
		default:
			if writes(op, a, p) {
				return false
			}
		}
	}
	return true
}

// ofField reports whether a register is a parameter that has fields in registers.
func (p *proto) ofField(r int) bool {
	return slices.ContainsFunc(p.fields, func(f HeldField) bool { return f.Param == r })
}

// writes reports whether an instruction may replace a parameter that has fields in registers.
func writes(op, a int, p *proto) bool {
	switch op {
	case lua.OP_JMP, lua.OP_EQ, lua.OP_LT, lua.OP_LE, lua.OP_TEST, lua.OP_RETURN, lua.OP_NOP:
		return false
	}
	return p.ofField(a)
}

// heldAt returns the register of a field, which an operand names, of a parameter.
func (t *translator) heldAt(param, key int) (register int, ok bool) {
	name, isText := Nil, false
	if t.p.held {
		name, isText = t.key(key)
	}
	if !isText {
		return 0, false
	}
	i := slices.IndexFunc(t.p.fields, func(f HeldField) bool { return f.Param == param && f.Key == name.Str().s })
	return t.p.sizeOf() + i, i >= 0
}

// sizeOf returns how many registers a function needs for itself, before it is translated.
func (p *proto) sizeOf() int { return max(int(p.source.NumUsedRegisters), p.params+1) + heldGap }

// heldGap is how many registers lie between those that the compiler has counted and those of
// fields: of some functions it counts too few.
const heldGap = 8

// bail stops a function that holds fields.
func (th *Thread) bail() {
	panic(&Raised{Value: th.vm.text("a function that computes with numbers has come upon something else")})
}
