package syntax

import (
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/bytecode"
	lua "github.com/yuin/gopher-lua"
)

// The last stage: what gopher-lua's compiler has made becomes a prototype with lines,
// with places beside it, and with instructions that no tree can say. After it the
// prototypes belong to the Program and nothing changes them.

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
	weighKeys(proto)
	countLoops(proto)
	u.place(proto)
	trim(proto)
	for _, inner := range proto.FunctionPrototypes {
		// The recursion is bounded by maxNesting, as functions nest.
		if fault := u.finish(inner); fault != nil {
			return fault
		}
	}
	return nil
}

// countLoops counts the variables of numeric loops among the registers of a function. The
// compiler leaves out one after which the loop needs no other register.
func countLoops(proto *lua.FunctionProto) {
	for _, word := range proto.Code {
		if bytecode.Op(word) == lua.OP_FORLOOP {
			proto.NumUsedRegisters = max(proto.NumUsedRegisters, uint8(bytecode.A(word)+4))
		}
	}
}

// trim gives a prototype copies of what it consists of, in their own length. The
// compiler makes buffers for a thousand instructions for each function: 16 KB, of which
// a small one needs 100 bytes, for as long as the script is loaded.
func trim(proto *lua.FunctionProto) {
	proto.Code = exact(proto.Code)
	proto.Constants = exact(proto.Constants)
	proto.FunctionPrototypes = exact(proto.FunctionPrototypes)
	proto.DbgSourcePositions = exact(proto.DbgSourcePositions)
	proto.DbgLocals = exact(proto.DbgLocals)
	proto.DbgCalls = exact(proto.DbgCalls)
	proto.DbgUpvalues = exact(proto.DbgUpvalues)
}

// exact copies a list. Why not slices.Clone? Its copy of an empty list holds on to the
// memory of the original.
func exact[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return append(make([]T, 0, len(list)), list...)
}

// place turns the numbers of places in a prototype into lines, keeps the places, and makes
// of instructions what their places say.
func (u *unit) place(proto *lua.FunctionProto) {
	begin := u.places.at(proto.LineDefined)
	code := &Code{Function: begin.function, Begin: begin.pos, Places: make([]Pos, len(proto.Code))}
	for pc, number := range proto.DbgSourcePositions {
		place, word := u.places.at(number), proto.Code[pc]
		code.Places[pc] = place.pos
		proto.DbgSourcePositions[pc] = place.pos.Line()
		switch op := bytecode.Op(word); {
		case place.loads != nil && op == lua.OP_GETGLOBAL:
			proto.Code[pc] = bytecode.MakeBx(lua.OP_LOADK, bytecode.A(word), constant(proto, place.loads))
		case place.keepsUpvalues && op == lua.OP_CLOSE:
			proto.Code[pc] = bytecode.Make(lua.OP_NOP, 0, 0, 0)
		}
	}
	proto.LineDefined = begin.pos.Line()
	proto.LastLineDefined = u.places.at(proto.LastLineDefined).pos.Line()
	u.codes[proto] = code
}

// constant adds a constant to a prototype, unless it has it, and returns its index. -0
// equals 0 and is another constant.
// The search takes O(constants), once for each instruction that loads a value of
// ours.
func constant(proto *lua.FunctionProto, value lua.LValue) int {
	at := slices.IndexFunc(proto.Constants, func(known lua.LValue) bool { return known == value && negative(known) == negative(value) })
	if at < 0 {
		at = len(proto.Constants)
		proto.Constants = append(proto.Constants, value)
	}
	return at
}

// negative reports whether a value is a number with a minus sign, -0 included.
func negative(value lua.LValue) bool {
	number, ok := value.(lua.LNumber)
	return ok && math.Signbit(float64(number))
}

// weighKeys has long constant keys looked up by the instruction for any key, which is
// charged by their length; that for names is one step.
// Without it a script could hash a long text for the price of one instruction.
func weighKeys(proto *lua.FunctionProto) {
	long := func(constant lua.LValue) bool {
		name, ok := constant.(lua.LString)
		return ok && len(name) > maxName
	}
	if !slices.ContainsFunc(proto.Constants, long) {
		return
	}
	for pc, word := range proto.Code {
		op, a, b, c := bytecode.Parts(word)
		key := b
		switch op {
		case lua.OP_GETTABLEKS:
			op, key = lua.OP_GETTABLE, c
		case lua.OP_SETTABLEKS:
			op = lua.OP_SETTABLE
		default:
			continue
		}
		if i, isConstant := bytecode.Constant(key); !isConstant || long(proto.Constants[i]) { // in a register there may be any
			proto.Code[pc] = bytecode.Make(op, a, b, c)
		}
	}
}
