package front

import (
	"fmt"
	"slices"

	lua "github.com/yuin/gopher-lua"
)

const (
	maxUpvalues = 255       // counted in a byte by the VM
	maxCode     = 1<<17 - 1 // the reach of a jump
	maxFields   = 25550     // the reach of one constructor, see FieldsPerFlush

	// keepsUpvalues marks the line of a goto that leaves no captured local:
	// the instruction in front of its jump would close those of all outer
	// blocks.
	keepsUpvalues = 1 << 24
)

// finish patches what cannot be said in a syntax tree and checks what the
// compiler does not.
func (u *unit) finish(proto *lua.FunctionProto) *Error {
	fail := func(format string, args ...any) *Error {
		return &Error{Script: proto.SourceName, Line: proto.LineDefined, Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case len(proto.DbgUpvalues) > maxUpvalues:
		return fail("function uses %d locals of the functions around it, more than %d", len(proto.DbgUpvalues), maxUpvalues)
	case len(proto.Code) > maxCode:
		return fail("function is too long: %d instructions, more than %d", len(proto.Code), maxCode)
	}
	for i, constant := range proto.Constants {
		if fn := u.function(constant); fn != nil {
			proto.Constants[i] = fn
		}
	}
	weighKeys(proto)
	for pc, line := range proto.DbgSourcePositions {
		if line&keepsUpvalues == 0 {
			continue
		}
		proto.DbgSourcePositions[pc] = line &^ keepsUpvalues
		if int(proto.Code[pc]>>26) == lua.OP_CLOSE {
			proto.Code[pc] = uint32(lua.OP_NOP) << 26
		}
	}
	for _, inner := range proto.FunctionPrototypes {
		if fault := u.finish(inner); fault != nil {
			return fault
		}
	}
	return nil
}

// weighKeys has long constant keys looked up by the instruction for any key, which is
// charged by their length; that for names is one step.
func weighKeys(proto *lua.FunctionProto) {
	long := func(constant lua.LValue) bool {
		name, ok := constant.(lua.LString)
		return ok && len(name) > maxName
	}
	if !slices.ContainsFunc(proto.Constants, long) {
		return
	}
	for pc, code := range proto.Code {
		op, key := int(code>>26), code&0x1ff
		switch op {
		case lua.OP_GETTABLEKS:
			op, key = lua.OP_GETTABLE, code>>9&0x1ff
		case lua.OP_SETTABLEKS:
			op = lua.OP_SETTABLE
		default:
			continue
		}
		if key&0x100 == 0 || long(proto.Constants[key&0xff]) { // in a register there may be any
			proto.Code[pc] = code&(1<<26-1) | uint32(op)<<26
		}
	}
}
