//go:build machine

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
	for _, word := range p.Code {
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
		i, constant := bytecode.Constant(key)
		if !constant {
			return nil, false
		}
		fields[fault.Written(p.Constants[i])] |= what
	}
	return fields, true
}
