package stdlib

import (
	"math"

	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/vmstate"
	lua "github.com/yuin/gopher-lua"
)

// What is known of an instruction before it is executed.
const (
	plain       = iota
	onTexts     // it is more than one step if it compares texts
	onMany      // if it moves many values
	onCalls     // if the arguments or the registers of the function are many
	fetching    // it looks a field up by a name: see fetch
	fetchingAny // the same by any key
	counting    // it needs numbers: see checkFor
	storing     // a table may grow by it: see store
	storingGlobal
	numeric // of numbers it is ours: see compute
	weighed // it may be more in other ways: see weigh
)

// classes say it by the code of the instruction. The operators on texts and the
// concatenation are functions of the library, which charge for themselves.
var classes = [64]uint8{
	lua.OP_EQ: onTexts, lua.OP_LT: onTexts, lua.OP_LE: onTexts,
	lua.OP_MOD: numeric, lua.OP_POW: numeric, lua.OP_LEN: weighed,
	lua.OP_GETGLOBAL: fetching, lua.OP_GETTABLEKS: fetching, lua.OP_SELF: fetching, lua.OP_GETTABLE: fetchingAny,
	lua.OP_NEWTABLE: weighed, lua.OP_CLOSURE: weighed, lua.OP_SETLIST: weighed,
	lua.OP_CALL: onCalls, lua.OP_TAILCALL: onCalls,
	lua.OP_RETURN: onMany, lua.OP_VARARG: onMany, lua.OP_LOADNIL: onMany, lua.OP_MOVEN: weighed,
	lua.OP_FORPREP:  counting,
	lua.OP_SETTABLE: storing, lua.OP_SETTABLEKS: storing, lua.OP_SETGLOBAL: storingGlobal,
}

// About how many bytes the machine allocates.
const (
	tableBytes    = 96
	itemBytes     = 40 // of a list that grows by doubling, and the number in it
	keyBytes      = 128
	firstBytes    = 640 // with the first key of a table come its maps
	functionBytes = 80
	outerBytes    = 80 // a variable that outlives its block
)

// valuesPerStep is how many values are moved for a step.
const valuesPerStep = 8

// operand returns what an instruction names: a register, or a constant of the function.
func (s *state) operand(f *vmstate.Frame, rk int) lua.LValue {
	if constant, ok := bytecode.Constant(rk); ok {
		return f.Fn.Proto.Constants[constant]
	}
	return s.Reg.Array[f.LocalBase+rk]
}

// listed returns how many values an instruction moves that says n, and where it says
// zero all up to the top, which follow a register.
func (s *state) listed(n, register int) int {
	if n == 0 {
		return s.Reg.Top - register - 1
	}
	return n - 1
}

// comparesText reports whether the left side of a comparison may be a text.
func (s *state) comparesText(f *vmstate.Frame, code uint32) bool {
	x := code & 0x1ff
	if x&0x100 != 0 {
		return true
	}
	_, text := s.Reg.Array[f.LocalBase+int(x)].(lua.LString)
	return text
}

// callsWide reports whether a call may take long for its arguments or its registers.
func (s *state) callsWide(f *vmstate.Frame, code uint32) bool {
	fn, ok := s.Reg.Array[f.LocalBase+bytecode.A(code)].(*lua.LFunction)
	return movesMany(code) || ok && !fn.IsG && fn.Proto.NumUsedRegisters > 2*valuesPerStep
}

// movesMany reports whether an instruction moves more than a few values, or all that
// there are.
func movesMany(code uint32) bool { return bytecode.B(code) == 0 || bytecode.B(code) > valuesPerStep }

// weigh counts what the next instruction takes beyond one step, before it is executed.
func (b *Budget) weigh(L *lua.LState, s *state, f *vmstate.Frame, code uint32) {
	if bytecode.Op(code) == lua.OP_TAILCALL {
		checkRoom(L, s, f, code)
	}
	b.measure(s, f, code)
	b.halt(L)
}

// counts reports whether a numeric for gets numbers.
func (s *state) counts(f *vmstate.Frame, code uint32) bool {
	first := f.LocalBase + bytecode.A(code)
	values := s.Reg.Array[first : first+3]
	_, init := values[0].(lua.LNumber)
	_, limit := values[1].(lua.LNumber)
	_, step := values[2].(lua.LNumber)
	return init && limit && step
}

// checkFor raises an error when a numeric for gets something else than numbers; the
// machine would not say what it got.
func checkFor(L *lua.LState, s *state, f *vmstate.Frame, code uint32) {
	first := f.LocalBase + bytecode.A(code)
	for i, which := range []string{"first value", "last value", "step"} {
		switch v := s.Reg.Array[first+i].(type) {
		case lua.LNumber:
		case lua.LString:
			fault.Raisef(L, `a "for" needs numbers, and its %s is the text %q: use tonumber`, which, diag.Cut(string(v)))
		default:
			fault.Raisef(L, `a "for" needs numbers, and its %s is %s`, which, diag.Article(v.Type().String()))
		}
	}
}

// checkRoom raises an error when the machine has no registers for a tail call. It would
// find out in the middle of the call, and break before it has said in which line.
func checkRoom(L *lua.LState, s *state, f *vmstate.Frame, code uint32) {
	register := f.LocalBase + bytecode.A(code)
	fn, ok := s.Reg.Array[register].(*lua.LFunction)
	if !ok || fn.IsG || s.Reg.MaxSize <= 0 {
		return
	}
	n := s.listed(bytecode.B(code), register)
	if fn.Proto.IsVarArg != 0 {
		n *= 2
	}
	if f.Base+n+int(fn.Proto.NumUsedRegisters)+spareRegisters > s.Reg.MaxSize {
		L.RaiseError("registry overflow")
	}
}

// spareRegisters are for what the machine puts after those of a call.
const spareRegisters = 8

func (b *Budget) measure(s *state, f *vmstate.Frame, code uint32) {
	first, x, y := bytecode.A(code), bytecode.B(code), bytecode.C(code)
	switch bytecode.Op(code) {
	case lua.OP_LT, lua.OP_LE:
		if left, ok := s.operand(f, x).(lua.LString); ok && len(left) > short {
			if right, ok := s.operand(f, y).(lua.LString); ok {
				b.ahead -= int64(compareSteps(string(left), string(right)))
			}
		}
	case lua.OP_EQ:
		if left, ok := s.operand(f, x).(lua.LString); ok && len(left) > short {
			if right, ok := s.operand(f, y).(lua.LString); ok && len(left) == len(right) {
				b.ahead -= int64(len(left) / bytesPerStep)
			}
		}
	case lua.OP_LEN:
		if t, ok := s.operand(f, x).(*lua.LTable); ok {
			b.ahead -= int64(holeSteps(t))
		}
	case lua.OP_NEWTABLE:
		b.grow(NewTable(x, y))
	case lua.OP_CLOSURE:
		p := f.Fn.Proto.FunctionPrototypes[bytecode.Bx(code)]
		outer := int64(p.NumUpvalues)
		b.grow(functionBytes + outerBytes*outer)
		b.ahead -= outer * int64(f.Fn.Proto.NumUsedRegisters) / 16 // to find the variables
	case lua.OP_SETLIST:
		if x > 0 {
			x++ // it says how many, where others say one more
		}
		b.grow(itemBytes / 2 * int64(s.listed(x, f.LocalBase+first)))
	case lua.OP_CALL, lua.OP_TAILCALL:
		b.weighCall(s, f.LocalBase+first, x)
	case lua.OP_RETURN:
		b.moved(s.listed(x, f.LocalBase+first-1))
	case lua.OP_VARARG:
		if x == 0 {
			b.moved(f.NArgs)
		}
		b.moved(x)
	case lua.OP_LOADNIL:
		b.moved(x - first)
	case lua.OP_MOVEN:
		b.moved(y)
	}
}

// moved counts values that are copied or cleared.
func (b *Budget) moved(n int) {
	if n >= valuesPerStep {
		b.ahead -= int64(n / valuesPerStep)
	}
}

// weighCall counts what a call takes for its arguments and for the registers of the
// function.
func (b *Budget) weighCall(s *state, register, arguments int) {
	n := s.listed(arguments, register)
	fn, ok := s.Reg.Array[register].(*lua.LFunction)
	if ok && !fn.IsG {
		if fn.Proto.IsVarArg != 0 {
			n *= 4 // they change places, or go into a table
		}
		n += int(fn.Proto.NumUsedRegisters)
	}
	if n > 2*valuesPerStep {
		b.moved(n)
	}
}

// compareSteps is what it takes to compare two texts in order, which goes on as long
// as they are equal. Whether they differ soon is looked at first.
func compareSteps(x, y string) int {
	n := min(len(x), len(y))
	if n <= short || x[:short] != y[:short] {
		return 0
	}
	return n / readPerStep
}

// holeSteps is what #t takes for the holes at the end of a list, which it passes one
// by one.
func holeSteps(t *lua.LTable) int {
	list := vmstate.TableOf(t).Array
	if n := len(list); n == 0 || list[n-1] != lua.LNil {
		return 0
	}
	return (len(list) - t.Len()) / valuesPerStep
}

// store executes an assignment to a field of a table and counts by what the table has
// grown. An index far beyond the end of a list, up to which the list is filled, is
// counted before.
func (b *Budget) store(L *lua.LState, s *state, f *vmstate.Frame, code uint32, base *vmstate.Frame) {
	op := bytecode.Op(code)
	object, ok := s.Reg.Array[f.LocalBase+bytecode.A(code)].(*lua.LTable)
	if !ok {
		instructions[op](L, code, base)
		return
	}
	t := vmstate.TableOf(object)
	if int(op) == lua.OP_SETTABLE {
		b.weighKey(L, s.operand(f, bytecode.B(code)))
	}
	if t.Metatable != lua.LNil {
		b.assign(L, object, s.operand(f, bytecode.B(code)), s.operand(f, bytecode.C(code)))
		return
	}
	if int(op) == lua.OP_SETTABLE {
		b.weighGap(L, object, s.operand(f, bytecode.B(code)))
	}
	keys, items := len(t.Keys), len(t.Array)
	instructions[op](L, code, base)
	if len(t.Keys) > keys || len(t.Array) == items+1 {
		b.grow(Size{items, keys}.Grown(object))
	}
}

// storeGlobal is store for a global.
func (b *Budget) storeGlobal(L *lua.LState, s *state, f *vmstate.Frame, code uint32) {
	b.assign(L, f.Fn.Env, f.Fn.Proto.Constants[bytecode.Bx(code)], s.Reg.Array[f.LocalBase+bytecode.A(code)])
}

// Size is how much a table holds: items of its list, and keys, removed ones included.
type Size struct{ items, keys int }

// SizeOf returns the size of a table.
func SizeOf(t *lua.LTable) Size {
	return Size{len(vmstate.TableOf(t).Array), len(vmstate.TableOf(t).Keys)}
}

// Gap returns by how many items the list of a table grows when one is set.
func Gap(t *lua.LTable, index float64) int { return gapTo(t, index) }

// MostGrown is how many bytes a table grows by at most when one item or key is set, next
// to those that there are.
const MostGrown = firstBytes + 2*keyBytes

// Grown returns by how many bytes a table has grown since it had the size, by one
// assignment. What a gap takes was counted before.
func (s Size) Grown(t *lua.LTable) int64 {
	now, bytes := SizeOf(t), int64(0)
	if now.items == s.items+1 {
		bytes = itemBytes
	}
	if now.keys > s.keys {
		bytes += int64(now.keys-s.keys) * keyBytes
		if now.keys > farKeys { // to make room for more takes as much again
			bytes += int64(now.keys-s.keys) * keyBytes
		}
		if s.keys == 0 {
			bytes += firstBytes
		}
	}
	return bytes
}

// StepsOf returns how many steps it takes to make small values of so many bytes.
func StepsOf(bytes int64) int64 { return bytes / bytesPerStepGrown }

// NewTable returns how many bytes a new table takes with room for items and keys.
func NewTable(items, keys int) int64 { return tableBytes + 16*int64(items) + 32*int64(keys) }

// Holes returns how many steps #t takes beyond one.
func Holes(t *lua.LTable) int64 { return int64(holeSteps(t)) }

// Short is the length up to which a text costs nothing extra where it is compared or
// looked for.
const Short = short

// weighKey counts what it takes to find a long key.
func (b *Budget) weighKey(L *lua.LState, key lua.LValue) {
	if key, ok := key.(lua.LString); ok && len(key) > short {
		b.ahead -= int64(len(key) / bytesPerStep)
		b.halt(L)
	}
}

// weighGap counts what it takes to fill a list up to a key.
func (b *Budget) weighGap(L *lua.LState, t *lua.LTable, key lua.LValue) {
	if n, ok := key.(lua.LNumber); ok {
		if gap := gapTo(t, float64(n)); gap > 1 {
			b.grow(int64(gap) * itemBytes)
			b.halt(L)
		}
	}
}

// gapTo returns by how many items a list grows when one is set.
func gapTo(t *lua.LTable, index float64) int {
	n := len(vmstate.TableOf(t).Array)
	if index <= float64(n) || index >= float64(lua.MaxArrayIndex) || index != math.Trunc(index) {
		return 0
	}
	return int(index) - n
}

// halt raises an error when the script is to stop.
func (b *Budget) halt(L *lua.LState) {
	if b.ahead >= 0 {
		return
	}
	if b.cause == nil && b.left() < b.inspect {
		b.spotted(L)
	}
	if b.due() != nil {
		fault.Raise(L, fault.Caught(b.cause, nil))
	}
}
