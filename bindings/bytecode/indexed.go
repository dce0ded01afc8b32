package bytecode

import lua "github.com/yuin/gopher-lua"

// Indexed finds where a function indexes a parameter before it branches for the first time:
// the instruction, and the key when it is a constant. It is -1 when the function does not,
// or when the parameter may have got another value.
func Indexed(p *lua.FunctionProto, parameter int) (pc int, key lua.LValue) {
	if replaced(p, parameter) {
		return -1, nil
	}
	for pc, word := range p.Code {
		op, a, b, c := Parts(word)
		switch op {
		case lua.OP_JMP, lua.OP_TEST, lua.OP_TESTSET, lua.OP_EQ, lua.OP_LT, lua.OP_LE,
			lua.OP_FORPREP, lua.OP_FORLOOP, lua.OP_TFORLOOP, lua.OP_RETURN, lua.OP_TAILCALL:
			return -1, nil
		case lua.OP_SETTABLE, lua.OP_SETTABLEKS:
			b, c = a, b
		case lua.OP_GETTABLE, lua.OP_GETTABLEKS, lua.OP_SELF:
		default:
			continue
		}
		if b == parameter {
			return pc, keyAt(p, pc, c)
		}
	}
	return -1, nil
}

// keyAt returns the constant that an operand of an instruction stands for: its own, or
// the last that went into the register; nil when there is none.
func keyAt(p *lua.FunctionProto, pc, operand int) lua.LValue {
	if constant, ok := Constant(operand); ok {
		return p.Constants[constant]
	}
	for at := pc - 1; at >= 0; at-- {
		if op, a, _, _ := Parts(p.Code[at]); a == operand && op == lua.OP_LOADK {
			return p.Constants[Bx(p.Code[at])]
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
		op, a, b, _ := Parts(p.Code[pc])
		switch op {
		case lua.OP_CLOSURE:
			inner := p.FunctionPrototypes[Bx(p.Code[pc])]
			for i := range int(inner.NumUpvalues) {
				op, _, from, _ := Parts(p.Code[pc+1+i])
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
		switch op, _, b, _ := Parts(p.Code[pc]); op {
		case lua.OP_SETUPVAL:
			if b == upvalue {
				return true
			}
		case lua.OP_CLOSURE:
			inner := p.FunctionPrototypes[Bx(p.Code[pc])]
			for i := range int(inner.NumUpvalues) {
				op, _, from, _ := Parts(p.Code[pc+1+i])
				if op == lua.OP_GETUPVAL && from == upvalue && assigns(inner, i) {
					return true
				}
			}
			pc += int(inner.NumUpvalues)
		}
	}
	return false
}
