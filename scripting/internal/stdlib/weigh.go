//go:build !machine

package stdlib

import (
	"math"

	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/vmstate"
	lua "github.com/yuin/gopher-lua"
)

// What single instructions cost, beyond the one step that each of them is. The budget
// pays before the work is done, but for the growth of tables, which is known only after
// it.

// What run does with an instruction before the VM executes it. Most instructions are one
// step, whatever they work on.
const (
	plain         = iota // one step
	onTexts              // more than one step if it compares texts
	onMany               // more than one step if it moves many values
	onCalls              // more than one step if the function has many arguments or registers
	fetching             // reads a field by a name: see fetch
	fetchingAny          // reads a field by any key
	counting             // begins a numeric for, which needs numbers: see checkFor
	storing              // assigns to a table, which may grow: see store
	storingGlobal        // assigns to a global
	numeric              // run executes it itself on numbers: see compute
	weighed              // weigh says how many steps it is
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

// About how many bytes the VM allocates. The figures are a little too high, so that a script
// within its limit of bytes is within it in memory, too.
const (
	tableBytes    = 96
	itemBytes     = 40  // an item: its place in a list that grows by doubling, and a number in it
	keyBytes      = 128 // a key and its value: their places in two maps and a list
	firstBytes    = 640 // the maps of a table, which are made with its first key
	functionBytes = 80
	outerBytes    = 80 // a captured variable, which outlives its block
)

// valuesPerStep is how many values can be moved in the time of a step.
const valuesPerStep = 8

// operand returns the value that an instruction names: of a register, or a constant of the
// function.
func (s *state) operand(f *vmstate.Frame, rk int) lua.LValue {
	if constant, ok := bytecode.Constant(rk); ok {
		return f.Fn.Proto.Constants[constant]
	}
	return s.Reg.Array[f.LocalBase+rk]
}

// listed returns how many values an instruction moves. It says n for n − 1 values, and
// zero for all values from a register to the top of the stack.
func (s *state) listed(n, register int) int {
	if n == 0 {
		return s.Reg.Top - register - 1
	}
	return n - 1
}

// comparesText reports whether the left side of a comparison may be a text.
func (s *state) comparesText(f *vmstate.Frame, code uint32) bool {
	left := bytecode.B(code)
	if _, constant := bytecode.Constant(left); constant {
		return true
	}
	_, text := s.Reg.Array[f.LocalBase+left].(lua.LString)
	return text
}

// callsWide reports whether a call may take long because of its arguments, or because of
// the registers of its function, which the VM clears.
func (s *state) callsWide(f *vmstate.Frame, code uint32) bool {
	fn, ok := s.Reg.Array[f.LocalBase+bytecode.A(code)].(*lua.LFunction)
	return movesMany(code) || ok && !fn.IsG && fn.Proto.NumUsedRegisters > 2*valuesPerStep
}

// movesMany reports whether an instruction moves more than a few values, or all up to the
// top.
func movesMany(code uint32) bool { return bytecode.B(code) == 0 || bytecode.B(code) > valuesPerStep }

// weigh counts the steps of the next instruction beyond one, before it is executed: a
// script that has used up its budget does not get to do the work.
func (b *Budget) weigh(L *lua.LState, s *state, f *vmstate.Frame, code uint32) {
	if bytecode.Op(code) == lua.OP_TAILCALL {
		checkRoom(L, s, f, code)
	}
	b.measure(s, f, code)
	b.halt(L)
}

// counts reports whether a numeric for has numbers as its first value, last value and
// step.
func (s *state) counts(f *vmstate.Frame, code uint32) bool {
	first := f.LocalBase + bytecode.A(code)
	values := s.Reg.Array[first : first+3]
	_, init := values[0].(lua.LNumber)
	_, limit := values[1].(lua.LNumber)
	_, step := values[2].(lua.LNumber)
	return init && limit && step
}

// checkFor raises an error if a numeric for has something else than numbers. The VM's own
// error does not say which value it was.
func checkFor(L *lua.LState, s *state, f *vmstate.Frame, code uint32) {
	first := f.LocalBase + bytecode.A(code)
	for i, which := range []string{"first value", "last value", "step"} {
		switch v := s.Reg.Array[first+i].(type) {
		case lua.LNumber:
		case lua.LString:
			fault.Raise(L, diag.New(`a "for" needs numbers, and its %s is the text %q: use tonumber`, which, string(v)).On(fault.InLoop(L, i+1)))
		default:
			fault.Raise(L, diag.New(`a "for" needs numbers, and its %s is %s`, which, fault.Kind(v)).On(fault.InLoop(L, i+1)))
		}
	}
}

// checkRoom raises an error if the VM has no registers left for a tail call. The VM
// notices it in the middle of the call, when it has forgotten in which line it was.
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

// spareRegisters is how many registers the VM uses after those of a call.
const spareRegisters = 8

// measure counts what an instruction takes by what it works on: texts by their length, new
// tables and functions by their size, calls and returns by their values.
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
			b.ahead -= int64(HoleSteps(t))
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

// moved counts values that are copied or cleared. A few are part of the instruction.
func (b *Budget) moved(n int) {
	if n >= valuesPerStep {
		b.ahead -= int64(n / valuesPerStep)
	}
}

// weighCall counts the arguments of a call and the registers of its function.
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

// compareSteps returns how many steps it takes to compare two texts in order, beyond one:
// 0 if they soon differ. A comparison goes on as long as the texts are equal.
func compareSteps(x, y string) int {
	n := min(len(x), len(y))
	if n <= short || x[:short] != y[:short] {
		return 0
	}
	return n / readPerStep
}

// HoleSteps returns how many steps #t takes to go back over holes at the end of a list.
func HoleSteps(t *lua.LTable) int {
	list := vmstate.TableOf(t).Array
	if n := len(list); n == 0 || list[n-1] != lua.LNil {
		return 0
	}
	return (len(list) - t.Len()) / valuesPerStep
}

// store executes an assignment to a field of a table, and counts the bytes by which the
// table has grown. To set an index far after the end of a list fills the list up to it;
// that is counted before it is done.
// A table without a metatable takes the VM's own function and two comparisons of
// lengths: this is the path of nearly all assignments.
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

// storeGlobal executes an assignment to a global: a field of the table of globals, which
// may have a metatable.
func (b *Budget) storeGlobal(L *lua.LState, s *state, f *vmstate.Frame, code uint32) {
	b.assign(L, f.Fn.Env, f.Fn.Proto.Constants[bytecode.Bx(code)], s.Reg.Array[f.LocalBase+bytecode.A(code)])
}

// Size is how much a table holds: items of its list, and keys, removed ones included.
type Size struct{ items, keys int }

// SizeOf returns the size of a table.
func SizeOf(t *lua.LTable) Size {
	return Size{len(vmstate.TableOf(t).Array), len(vmstate.TableOf(t).Keys)}
}

// Gap returns by how many items the list of a table grows when the item at an index is
// set.
func Gap(t *lua.LTable, index float64) int { return gapTo(t, index) }

// MostGrown is how many bytes a table grows by at most when one item or key is set that
// follows the others.
const MostGrown = firstBytes + 2*keyBytes

// Grown returns by how many bytes a table has grown since it had the size, by one
// assignment. A gap in a list was counted before it was filled.
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

// StepsOf returns how many steps it takes to make small values of so many bytes in all.
func StepsOf(bytes int64) int64 { return bytes / bytesPerStepGrown }

// NewTable returns how many bytes a new table takes that has room for items and keys.
func NewTable(items, keys int) int64 { return tableBytes + 16*int64(items) + 32*int64(keys) }

// Short is the length up to which a text costs nothing extra when it is compared or used as
// a key.
const Short = short

// weighKey counts the steps to look for a long key, which is hashed byte by byte.
func (b *Budget) weighKey(L *lua.LState, key lua.LValue) {
	if key, ok := key.(lua.LString); ok && len(key) > short {
		b.ahead -= int64(len(key) / bytesPerStep)
		b.halt(L)
	}
}

// weighGap counts the bytes that fill a list up to a key.
func (b *Budget) weighGap(L *lua.LState, t *lua.LTable, key lua.LValue) {
	if n, ok := key.(lua.LNumber); ok {
		if gap := gapTo(t, float64(n)); gap > 1 {
			b.grow(int64(gap) * itemBytes)
			b.halt(L)
		}
	}
}

// gapTo returns by how many items a list grows when the item at an index is set. Only a
// whole number is an index of a list, and only one below the VM's own bound.
func gapTo(t *lua.LTable, index float64) int {
	n := len(vmstate.TableOf(t).Array)
	if index <= float64(n) || index >= float64(lua.MaxArrayIndex) || index != math.Trunc(index) {
		return 0
	}
	return int(index) - n
}

// halt raises an error if the script must stop. It costs one comparison if nothing is due.
// Whoever lowers ahead calls it before the script may see a result; what cannot raise
// an error there leaves it to the next instruction.
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
