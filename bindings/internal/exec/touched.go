package exec

import (
	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	gopher "github.com/yuin/gopher-lua"
)

// touch says what a function does to a field of a table that it gets.
type touch uint8

const (
	reads touch = 1 << iota
	assigns
)

// touched returns what a function does to the fields of the table that it gets as its n-th
// parameter, from 0; false where that may be anything: it may keep the table, or uses keys
// that it computes.
func touched(f *lua.LFunction, n int) (fields map[string]touch, ok bool) {
	if MayKeep(f, n, false) {
		return nil, false
	}
	fields = map[string]touch{}
	if lua.IsGo(f) || n >= int(lua.Proto(f).NumParameters) {
		return fields, true
	}
	p := lua.Proto(f)
	for pc, word := range p.Code {
		op, a, b, c := bytecode.Parts(word)
		key, what := 0, touch(0)
		switch {
		case (op == gopher.OP_GETTABLE || op == gopher.OP_GETTABLEKS) && b == n:
			key, what = c, reads
		case (op == gopher.OP_SETTABLE || op == gopher.OP_SETTABLEKS) && a == n:
			key, what = b, assigns
		case op == gopher.OP_SELF && b == n, op == gopher.OP_LEN && b == n:
			return nil, false
		default:
			continue
		}
		name := keyAt(p, pc, op, key)
		if name == nil {
			return nil, false
		}
		fields[fault.Written(name)] |= what
	}
	return fields, true
}

// keyAt returns the constant that is the key of an instruction, nil where it is computed. The
// compiler writes names of fields into a register first, which keeps them up to there.
func keyAt(p *lua.FunctionProto, pc, op, key int) lua.LValue {
	if i, constant := bytecode.Constant(key); constant {
		return p.Constants[i]
	}
	if op != gopher.OP_GETTABLEKS && op != gopher.OP_SETTABLEKS {
		return nil
	}
	for pc--; pc >= 0; pc-- {
		if word := p.Code[pc]; bytecode.Op(word) == gopher.OP_LOADK && bytecode.A(word) == key {
			return p.Constants[bytecode.Bx(word)]
		}
	}
	return nil
}
