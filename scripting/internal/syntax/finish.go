package syntax

import (
	"slices"

	lua "github.com/yuin/gopher-lua"
)

const (
	maxUpvalues = 255       // counted in a byte by the VM
	maxCode     = 1<<17 - 1 // the reach of a jump
	maxFields   = 25550     // the reach of one constructor, see FieldsPerFlush
)

// finish patches what cannot be said in a syntax tree, turns the numbers of places
// into lines, and checks what the compiler does not.
func (u *unit) finish(proto *lua.FunctionProto) *Error {
	begin := u.places.at(proto.LineDefined)
	fail := func(format string, args ...any) *Error {
		return errorAt(proto.SourceName, begin.pos, format, args...)
	}
	switch {
	case len(proto.DbgUpvalues) > maxUpvalues:
		return fail("function uses %d locals of the functions around it, more than %d", len(proto.DbgUpvalues), maxUpvalues)
	case len(proto.Code) > maxCode:
		return fail("function is too long: %d instructions, more than %d", len(proto.Code), maxCode)
	}
	for i, constant := range proto.Constants {
		if meant := u.stoodFor(constant); meant != nil {
			proto.Constants[i] = meant
		}
	}
	weighKeys(proto)
	u.place(proto)
	for _, inner := range proto.FunctionPrototypes {
		if fault := u.finish(inner); fault != nil {
			return fault
		}
	}
	return nil
}

// place turns the numbers of places in a prototype into lines, and keeps the places.
func (u *unit) place(proto *lua.FunctionProto) {
	begin := u.places.at(proto.LineDefined)
	code := &Code{Function: begin.function, form: begin.form, Places: make([]Pos, len(proto.Code))}
	for pc, number := range proto.DbgSourcePositions {
		place := u.places.at(number)
		code.Places[pc] = place.pos
		proto.DbgSourcePositions[pc] = place.pos.Line()
		if place.keepsUpvalues && int(proto.Code[pc]>>26) == lua.OP_CLOSE {
			proto.Code[pc] = uint32(lua.OP_NOP) << 26
		}
	}
	proto.LineDefined = begin.pos.Line()
	proto.LastLineDefined = u.places.at(proto.LastLineDefined).pos.Line()
	u.codes[proto] = code
}

// weighKeys has constant keys that are no names looked up by the instruction for any
// key. Long texts are charged by their length there, where the instruction for names is
// one step; and -0 is a text to the compiler, see [markNegativeZeros].
func weighKeys(proto *lua.FunctionProto) {
	other := func(constant lua.LValue) bool {
		name, ok := constant.(lua.LString)
		return !ok || len(name) > maxName
	}
	if !slices.ContainsFunc(proto.Constants, other) {
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
		if key&0x100 == 0 || other(proto.Constants[key&0xff]) { // in a register there may be any
			proto.Code[pc] = code&(1<<26-1) | uint32(op)<<26
		}
	}
}
