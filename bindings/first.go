package bindings

import (
	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/diag"
	lua "github.com/yuin/gopher-lua"
)

// The first parameter of an each function, and of an observer, is the entity. Whoever
// forgets it asks a number for a field, and nothing in "attempt to index a number
// value" says so. Where every call comes there, before anything that it decides, the text
// alone shows it, and so it is reported at the load. After a branch it is not: a function
// that has other callers, too, may have asked what it got.

// eachTakes, observerGets and notifiedOf say what such functions get.
const (
	eachTakes    = "each takes the entity, then the query's components in order, then ctx"
	observerGets = "it takes the entity, then the fields, then ctx"
	notifiedOf   = "it takes the entity, then ctx"
)

// entityIndexed finds where a function asks its first parameter for a field before it
// branches for the first time, and says what is wrong with it. whose is what the function is called, takes what it gets.
func entityIndexed(f *lua.LFunction, whose, takes string) (line int, why string) {
	p := f.Proto
	if p.NumParameters == 0 || len(p.DbgLocals) == 0 || replaced(p, 0) {
		return 0, ""
	}
	for pc, word := range p.Code {
		op, a, b, c := bytecode.Parts(word)
		if op == lua.OP_SETTABLE || op == lua.OP_SETTABLEKS {
			a, b, c = -1, a, b
		}
		switch op {
		case lua.OP_JMP, lua.OP_TEST, lua.OP_TESTSET, lua.OP_EQ, lua.OP_LT, lua.OP_LE,
			lua.OP_FORPREP, lua.OP_FORLOOP, lua.OP_TFORLOOP, lua.OP_RETURN, lua.OP_TAILCALL:
			return 0, ""
		case lua.OP_GETTABLE, lua.OP_GETTABLEKS, lua.OP_SETTABLE, lua.OP_SETTABLEKS, lua.OP_SELF:
		default:
			continue
		}
		if b != 0 {
			continue
		}
		has := "and has no fields"
		if name, ok := keyAt(p, pc, c).(lua.LString); ok {
			has = diag.Format("which has no field %q", string(name))
		}
		return p.DbgSourcePositions[pc], diag.Format("the first parameter of %s, %q, is the entity, a number, %s: %s", whose, p.DbgLocals[0].Name, has, takes)
	}
	return 0, ""
}

// keyAt returns the constant that an operand of an instruction stands for: its own, or
// the last that went into the register; nil when there is none.
func keyAt(p *lua.FunctionProto, pc, operand int) lua.LValue {
	const isConstant = 1 << 8
	if operand >= isConstant {
		return p.Constants[operand-isConstant]
	}
	for at := pc - 1; at >= 0; at-- {
		if op, a, _, _ := bytecode.Parts(p.Code[at]); a == operand && op == lua.OP_LOADK {
			return p.Constants[bytecode.Bx(p.Code[at])]
		} else if a == operand {
			break
		}
	}
	return nil
}

// replaced reports whether a register may get another value, by the function or by one
// inside of it.
func replaced(p *lua.FunctionProto, register int) bool {
	for pc := 0; pc < len(p.Code); pc++ {
		op, a, b, _ := bytecode.Parts(p.Code[pc])
		switch op {
		case lua.OP_CLOSURE:
			inner := p.FunctionPrototypes[bytecode.Bx(p.Code[pc])]
			for i := range int(inner.NumUpvalues) {
				op, _, from, _ := bytecode.Parts(p.Code[pc+1+i])
				if op == lua.OP_MOVE && from == register && assigns(inner, i) {
					return true
				}
			}
			pc += int(inner.NumUpvalues)
			if a == register {
				return true
			}
		case lua.OP_SETTABLE, lua.OP_SETTABLEKS, lua.OP_SETUPVAL, lua.OP_SETGLOBAL, lua.OP_SETLIST,
			lua.OP_JMP, lua.OP_TEST, lua.OP_EQ, lua.OP_LT, lua.OP_LE, lua.OP_NOP, lua.OP_CLOSE, lua.OP_RETURN:
		case lua.OP_LOADNIL:
			if a <= register && register <= b {
				return true
			}
		default:
			if a == register {
				return true
			}
		}
	}
	return false
}

// assigns reports whether a function, or one inside of it, assigns an outer local.
func assigns(p *lua.FunctionProto, upvalue int) bool {
	for pc := 0; pc < len(p.Code); pc++ {
		switch op, _, b, _ := bytecode.Parts(p.Code[pc]); op {
		case lua.OP_SETUPVAL:
			if b == upvalue {
				return true
			}
		case lua.OP_CLOSURE:
			inner := p.FunctionPrototypes[bytecode.Bx(p.Code[pc])]
			for i := range int(inner.NumUpvalues) {
				op, _, from, _ := bytecode.Parts(p.Code[pc+1+i])
				if op == lua.OP_GETUPVAL && from == upvalue && assigns(inner, i) {
					return true
				}
			}
			pc += int(inner.NumUpvalues)
		}
	}
	return false
}
