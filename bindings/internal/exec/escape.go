package exec

import (
	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
	gopher "github.com/yuin/gopher-lua"
)

// Escape analysis: whether anybody but the registers of the running function may have a table
// that it gets. Where nobody does, a list in it need not be filled before it is used.

// holding says what registers of a function may hold at an instruction: a table whose fields
// may be lists, or such a list.
type holding struct{ tables, lists registers }

// registers is a set of registers.
type registers [4]uint64

func (s *registers) has(r int) bool { return s[r>>6]>>(r&63)&1 != 0 }
func (s *registers) drop(r int)     { s[r>>6] &^= 1 << (r & 63) }
func (s *registers) add(r int)      { s[r>>6] |= 1 << (r & 63) }

// holds reports whether a register may hold a table or a list; no constant does.
func (h *holding) holds(r int) bool { return r < 256 && (h.tables.has(r) || h.lists.has(r)) }

func (h *holding) drop(r int) {
	h.tables.drop(r)
	h.lists.drop(r)
}

// holdsAny reports whether one of the registers from..to, without the last, may hold one.
func (h *holding) holdsAny(from, to int) bool {
	for r := from; r < min(to, 256); r++ {
		if h.holds(r) {
			return true
		}
	}
	return false
}

func (h *holding) dropFrom(from, to int) {
	for r := from; r < min(to, 256); r++ {
		h.drop(r)
	}
}

// move has a register hold what another one does.
func (h *holding) move(to, from int) {
	table, list := h.tables.has(from), h.lists.has(from)
	h.drop(to)
	if table {
		h.tables.add(to)
	}
	if list {
		h.lists.add(to)
	}
}

// join adds what another way to the same instruction leaves, and reports whether that was more.
func (h *holding) join(o *holding) (more bool) {
	for i := range h.tables {
		more = more || o.tables[i]&^h.tables[i] != 0 || o.lists[i]&^h.lists[i] != 0
		h.tables[i] |= o.tables[i]
		h.lists[i] |= o.lists[i]
	}
	return more
}

// escaping is one analysis of a function.
type escaping struct {
	p        *lua.FunctionProto
	isList   func(field string) bool
	captured registers // by functions inside, at any time
	known    map[int]*holding
	todo     []int
	steps    int
	kept     bool // something may have been kept
}

// mostEscapeSteps is how many instructions are looked at: a function that takes more is too
// long for an answer.
const mostEscapeSteps = 4000

// Escapes reports whether a table, or a list in it, may be held by anybody but registers of the
// function at an instruction before which it is in a register. isList says which fields are
// lists; nil says that what is in the register is one itself.
func Escapes(p *lua.FunctionProto, pc, register int, isList func(field string) bool) bool {
	x := &escaping{p: p, isList: isList, known: map[int]*holding{}}
	x.capture()
	first := &holding{}
	if isList == nil {
		first.lists.add(register)
	} else {
		first.tables.add(register)
	}
	x.reach(pc, first)
	for len(x.todo) > 0 && !x.kept {
		at := x.todo[len(x.todo)-1]
		x.todo = x.todo[:len(x.todo)-1]
		if x.steps++; x.steps > mostEscapeSteps {
			return true
		}
		now := *x.known[at]
		x.follow(at, &now)
	}
	return x.kept
}

// capture notes the registers that functions inside capture.
func (x *escaping) capture() {
	for pc, word := range x.p.Code {
		if bytecode.Op(word) != gopher.OP_CLOSURE {
			continue
		}
		for i := range int(x.p.FunctionPrototypes[bytecode.Bx(word)].NumUpvalues) {
			if op, _, b, _ := bytecode.Parts(x.p.Code[pc+1+i]); op == gopher.OP_MOVE {
				x.captured.add(b)
			}
		}
	}
}

// reach notes what registers may hold before an instruction.
func (x *escaping) reach(pc int, h *holding) {
	for i := range x.captured {
		x.kept = x.kept || (h.tables[i]|h.lists[i])&x.captured[i] != 0
	}
	if *h == (holding{}) {
		return // nothing is left to be kept
	}
	known := x.known[pc]
	if known == nil {
		copied := *h
		x.known[pc] = &copied
	} else if !known.join(h) {
		return
	}
	x.todo = append(x.todo, pc)
}

// follow executes an instruction on what registers may hold.
func (x *escaping) follow(pc int, h *holding) {
	op, a, b, c := bytecode.Parts(x.p.Code[pc])
	next := pc + 1
	switch op {
	case gopher.OP_MOVE:
		h.move(a, b)
	case gopher.OP_MOVEN:
		h.move(a, b)
		for ; c > 0; c-- {
			h.move(bytecode.A(x.p.Code[next]), bytecode.B(x.p.Code[next]))
			next++
		}
	case gopher.OP_GETTABLE, gopher.OP_GETTABLEKS:
		x.kept = h.holds(c) // a function __index gets the key
		list := h.tables.has(b) && x.mayBeList(pc, op, c)
		if h.drop(a); list {
			h.lists.add(a)
		}
	case gopher.OP_LOADK, gopher.OP_GETUPVAL, gopher.OP_GETGLOBAL, gopher.OP_NEWTABLE, gopher.OP_NOT, gopher.OP_LEN:
		h.drop(a)
	case gopher.OP_LOADNIL:
		h.dropFrom(a, b+1)
	case gopher.OP_SETTABLE, gopher.OP_SETTABLEKS:
		x.kept = h.holds(b) || h.holds(c)
	case gopher.OP_LOADBOOL:
		h.drop(a)
		if c != 0 {
			next++
		}
	case gopher.OP_CLOSURE:
		h.drop(a)
		next += int(x.p.FunctionPrototypes[bytecode.Bx(x.p.Code[pc])].NumUpvalues)
	case gopher.OP_CLOSE, gopher.OP_NOP:
	default:
		x.branch(pc, op, h)
		return
	}
	x.reach(next, h)
}

// branch is follow for instructions that go on elsewhere, and for those that give values away.
func (x *escaping) branch(pc, op int, h *holding) {
	_, a, b, c := bytecode.Parts(x.p.Code[pc])
	switch op {
	case gopher.OP_JMP, gopher.OP_FORPREP:
		x.reach(bytecode.Target(pc, x.p.Code[pc]), h)
		return
	case gopher.OP_FORLOOP:
		h.drop(a + 3)
		x.reach(bytecode.Target(pc, x.p.Code[pc]), h)
	case gopher.OP_EQ, gopher.OP_TEST:
		x.reach(pc+2, h)
	case gopher.OP_TESTSET:
		x.reach(pc+2, h)
		if c != 0 {
			h.move(a, b)
		} else {
			h.drop(a) // it gets false or nil
		}
	case gopher.OP_LT, gopher.OP_LE:
		x.kept = h.holds(b) || h.holds(c)
		x.reach(pc+2, h)
	case gopher.OP_CALL:
		x.kept = h.holdsAny(a, lastOf(a, b))
		h.dropFrom(a, a+c-1)
	case gopher.OP_TFORLOOP:
		x.kept = h.holdsAny(a, a+3)
		h.dropFrom(a+2, a+3+c)
		x.reach(pc+2, h)
	case gopher.OP_TAILCALL:
		x.kept = h.holdsAny(a, lastOf(a, b))
		return
	case gopher.OP_RETURN:
		x.kept = h.holdsAny(a, lastOf(a, b)-min(b, 1))
		return
	case gopher.OP_VARARG:
		h.dropFrom(a, a+b-1)
	case gopher.OP_SELF:
		x.kept = h.holds(b)
		h.dropFrom(a, a+2)
	case gopher.OP_ADD, gopher.OP_SUB, gopher.OP_MUL, gopher.OP_DIV, gopher.OP_MOD, gopher.OP_POW, gopher.OP_UNM:
		x.kept = h.holds(b) || h.holds(c) // the other operand may have a metatable
		h.drop(a)
	case gopher.OP_CONCAT:
		x.kept = h.holdsAny(b, c+1)
		h.drop(a)
	case gopher.OP_SETUPVAL, gopher.OP_SETGLOBAL:
		x.kept = h.holds(a)
	default: // SETLIST
		x.kept = h.holdsAny(a, 256)
		if c == 0 {
			pc++ // the number of the list's part
		}
	}
	x.reach(pc+1, h)
}

// lastOf returns the register after those of a call or a return.
func lastOf(a, b int) int {
	if b == 0 {
		return 256
	}
	return a + b
}

// mayBeList reports whether what an instruction reads of a table may be a list.
func (x *escaping) mayBeList(pc, op, key int) bool {
	name, ok := keyAt(x.p, pc, op, key).(lua.LString)
	return !ok || x.isList == nil || x.isList(string(name))
}

// returned is a call of a function that returns a table with lists, or a list alone.
type returned struct {
	p     *lua.FunctionProto
	pc    int
	of    *ecs.Schema
	alone bool
}

// mostEscapes is how many answers are kept: functions come and go with reloads.
const mostEscapes = 1 << 10

// ResultEscapes reports whether anybody but the function that has called the running one may
// have the table that it returns, with the fields of a schema, or the list if it is alone.
func (m *Executor) ResultEscapes(L *lua.LState, s *ecs.Schema, alone bool) bool {
	p, pc := lua.Caller(L)
	if p == nil {
		return true
	}
	at := returned{p, pc, s, alone}
	yes, ok := m.escapes[at]
	if !ok {
		if len(m.escapes) >= mostEscapes || m.escapes == nil {
			m.escapes = map[returned]bool{}
		}
		yes = at.escapes()
		m.escapes[at] = yes
	}
	return yes
}

func (at returned) escapes() bool {
	word, isList := at.p.Code[at.pc], value.DeferredField(at.of)
	if at.alone {
		isList = nil
	}
	return bytecode.C(word) != 2 || Escapes(at.p, at.pc+1, bytecode.A(word), isList)
}
