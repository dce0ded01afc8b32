package machine

import (
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	lua "github.com/yuin/gopher-lua"
)

// Why a value is nil that an instruction cannot use: the field from which it was read has another
// name, the index is none of the list, or a function of the host has given nil. The instructions just
// before say what was read from where. Where they do not, nothing is said: a hint that may be wrong
// costs more than none.

// whyNil says more about the nth part of what stands at the instruction of the innermost function
// of Lua, if that is nil and was read from a table: which name is near, or where the list ends. If
// a function has returned it, the host may know why.
func (th *Thread) whyNil(n int, v Value) string {
	f, ok := th.lua()
	if !ok || v.n != tagNil || th.vm.Meant == nil {
		return ""
	}
	register, ok := f.register(n)
	if !ok {
		return ""
	}
	pc := f.PC()
	if at, ok := f.written(register, pc); ok && int(f.Proto().Code[at]>>26) == lua.OP_MOVE { // of a variable
		register, pc = int(f.Proto().Code[at])&0x1ff, at
	}
	if at, ok := f.written(register, pc); ok && int(f.Proto().Code[at]>>26) == lua.OP_CALL {
		if th.vm.WhyNil == nil || int(f.Proto().Code[at]>>18)&0xff != register {
			return ""
		}
		return th.vm.WhyNil(th.vm.source().Name(f.Proto(), at, 0))
	}
	t, key := f.readBefore(register, pc)
	if t == nil || t.follow(key).n != tagNil {
		return ""
	}
	if key.n == tagStr {
		words := th.meant(t, key.Str().s, false)
		if words == "" && th.vm.WhyMissing != nil {
			words = th.vm.WhyMissing(t, key.Str().s)
		}
		return words
	}
	if key.n >= tagBase {
		return ""
	}
	return t.outside(key)
}

// Joins reports whether the innermost function of Lua joins texts just now.
func (th *Thread) Joins() bool {
	f, ok := th.lua()
	if !ok {
		return false
	}
	op := int(f.Proto().Code[f.PC()] >> 26)
	return op == lua.OP_CONCAT || op == lua.OP_CALL && f.Register(int(f.Proto().Code[f.PC()]>>18)&0xff).Function() == th.vm.Builtin(Concat)
}

// NilArgument says how the text writes the nth argument of the running native, which is nil, and why
// it is; "" where nobody knows, or where the native was not called by a text.
func (th *Thread) NilArgument(n int) string {
	var native Frame
	level := 0
	for f := range th.Frames {
		if level == 0 {
			native, level = f, 1
			continue
		}
		before, ok := 0, native.Native() && !f.Native()
		if ok {
			before, ok = writtenCall(f, native)
		}
		if !ok || before != 0 {
			return ""
		}
		break
	}
	why := th.whyNil(n, Nil)
	if name := th.NameOf(n); name != "" {
		why = diag.Format(": %q is nil", name) + why
	}
	return why
}

// meant asks what a script may have meant by a field of a table, and of those that __index leads to.
func (th *Thread) meant(t *Table, field string, called bool) (words string) {
	for level := 0; t != nil && words == "" && level < mostFollowed; t, level = t.nextAsked(), level+1 {
		var steps int
		words, steps = th.vm.Meant(t, field, called)
		th.vm.charge(th, steps)
	}
	return words
}

// calledIn returns the table and the field that the innermost function of Lua calls, nil where it calls
// something else.
func (th *Thread) calledIn() (t *Table, field string) {
	if t, field = th.CalledField(); t != nil {
		return t, field
	}
	f, ok := th.lua()
	if !ok {
		return nil, ""
	}
	t, key := f.readBefore(int(f.Proto().Code[f.PC()]>>18)&0xff, f.PC())
	if key.n != tagStr {
		return nil, ""
	}
	return t, key.Str().s
}

// outside says why a list has nothing under a number; "" for a table that is no list.
func (t *Table) outside(key Value) string {
	of, count := t, 0
	for level := 0; of != nil && count == 0 && level < mostFollowed; of, level = of.nextAsked(), level+1 {
		count = of.Len()
	}
	switch x := key.Float(); {
	case count == 0 && t.empty():
		return ": the table is empty"
	case count == 0:
		return ""
	case x != math.Trunc(x):
		return ": the index is " + Written(key) + ", and indexes of a list are whole numbers"
	case x < 1:
		return ": the index is " + Written(key) + ", and a list begins at 1"
	case x > float64(count):
		return diag.Format(": the index is %s, and the list has %s", Written(key), diag.Plural(count, "item"))
	}
	return ""
}

// empty reports whether a table, and those that are asked for what it lacks, have nothing.
func (t *Table) empty() bool {
	for level := 0; t != nil && level < mostFollowed; t, level = t.nextAsked(), level+1 {
		if k, _, _ := t.Next(Nil); !k.IsNil() {
			return false
		}
	}
	return t == nil
}

// mostFollowed is how many tables are asked one after the other by __index for a hint.
const mostFollowed = 8

// nextAsked returns the table that is asked for what this one lacks, nil for none.
func (t *Table) nextAsked() *Table {
	if t.Metatable() == nil {
		return nil
	}
	return t.Metatable().GetString("__index").Table()
}

// follow reads a field past functions of __index, which it does not call.
func (t *Table) follow(key Value) Value {
	for level := 0; t != nil && level < mostFollowed; t, level = t.nextAsked(), level+1 {
		if v := t.Get(key); v.n != tagNil {
			return v
		}
	}
	return Nil
}

// register returns the register that has the nth part of what stands at the instruction of a frame.
func (f Frame) register(n int) (int, bool) {
	word := f.Proto().Code[f.PC()]
	a, b, c := int(word>>18)&0xff, int(word)&0x1ff, int(word>>9)&0x1ff
	r := -1
	switch op := int(word >> 26); {
	case n == Indexed && (op == lua.OP_SETTABLE || op == lua.OP_SETTABLEKS):
		r = a
	case n == Indexed:
		r = b
	case op == lua.OP_CONCAT:
		r = b + n - 1
	case op == lua.OP_CALL || op == lua.OP_TAILCALL: // of what joins a chain
		r = a + n
	case n == 1:
		r = b
	case n == 2:
		r = c
	}
	return r, r >= 0 && r < 256
}

// compares reports whether the instruction of a frame compares two values of these kinds.
func (f Frame) compares(x, y Value) bool {
	word := f.Proto().Code[f.PC()]
	op := int(word >> 26)
	return (op == lua.OP_LT || op == lua.OP_LE) && f.Operand(int(word)&0x1ff).Kind() == x.Kind() && f.Operand(int(word>>9)&0x1ff).Kind() == y.Kind()
}

// readBefore returns the table and the key from which a register was read before an instruction;
// nil where it was not, or where that is not certain any more.
func (f Frame) readBefore(register, pc int) (*Table, Value) {
	at, ok := f.written(register, pc)
	if !ok {
		return nil, Nil
	}
	word := f.Proto().Code[at]
	if op := int(word >> 26); op != lua.OP_GETTABLE && op != lua.OP_GETTABLEKS {
		return nil, Nil
	}
	t, key := f.held(int(word)&0x1ff, at, mostFollowed), f.held(int(word>>9)&0x1ff, at, mostFollowed)
	return t.Table(), key
}

// held returns the value that a register or a constant had at an instruction that was run just
// now, Nil where that is not certain.
func (f Frame) held(operand, at, depth int) Value {
	switch {
	case operand&256 != 0:
		return f.Operand(operand)
	case depth == 0:
		return Nil
	case f.unwritten(operand, at):
		return f.Register(operand)
	}
	from, ok := f.written(operand, at)
	if !ok {
		return Nil
	}
	word := f.Proto().Code[from]
	b := int(word) & 0x1ff
	switch int(word >> 26) {
	case lua.OP_MOVE:
		return f.held(b, from, depth-1)
	case lua.OP_LOADK:
		return f.Operand(256 | int(word)&0x3ffff)
	case lua.OP_GETUPVAL:
		if b < len(f.Function().up) {
			return f.Function().up[b].Get()
		}
	case lua.OP_GETTABLE, lua.OP_GETTABLEKS:
		if t := f.held(b, from, depth-1).Table(); t != nil {
			return t.follow(f.held(int(word>>9)&0x1ff, from, depth-1))
		}
	}
	return Nil
}

// written returns the last instruction before another one that has written a register, if none in
// between may leap.
func (f Frame) written(register, before int) (int, bool) {
	code := f.Proto().Code
	for i := before - 1; i >= 0 && i > before-longestCall; i-- {
		switch {
		case leaps(code[i]):
			return 0, false
		case writes(code[i], register):
			return i, !f.captures(i)
		}
	}
	return 0, false
}

// captures reports whether a word belongs to an instruction before it that makes a function: it then says
// what the function captures, and does nothing.
func (f Frame) captures(i int) bool {
	for ; i >= 0; i-- {
		switch int(f.Proto().Code[i] >> 26) {
		case lua.OP_CLOSURE:
			return true
		case lua.OP_MOVE, lua.OP_GETUPVAL:
		default:
			return false
		}
	}
	return false
}

// unwritten reports whether no instruction from one on has written a register, up to where the frame is.
func (f Frame) unwritten(register, from int) bool {
	return !slices.ContainsFunc(f.Proto().Code[from:f.PC()], func(word uint32) bool {
		return leaps(word) || writes(word, register) || int(word>>26) == lua.OP_CLOSURE
	})
}

// writes reports whether an instruction puts something into a register, or might.
func writes(word uint32, register int) bool {
	a := int(word>>18) & 0xff
	switch int(word >> 26) {
	case lua.OP_SETTABLE, lua.OP_SETTABLEKS, lua.OP_SETGLOBAL, lua.OP_SETUPVAL, lua.OP_SETLIST, lua.OP_CLOSE, lua.OP_NOP:
		return false
	case lua.OP_CALL, lua.OP_LOADNIL, lua.OP_VARARG, lua.OP_SELF: // several
		return a <= register
	}
	return a == register
}

// leaps reports whether what runs after an instruction may be another one than the next.
func leaps(word uint32) bool {
	switch int(word >> 26) {
	case lua.OP_JMP, lua.OP_EQ, lua.OP_LT, lua.OP_LE, lua.OP_TEST, lua.OP_TESTSET, lua.OP_LOADBOOL, lua.OP_FORLOOP, lua.OP_FORPREP, lua.OP_TFORLOOP, lua.OP_RETURN, lua.OP_TAILCALL:
		return true
	}
	return false
}
