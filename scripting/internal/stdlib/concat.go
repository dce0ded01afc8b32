//go:build !machine

package stdlib

import (
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/internal/numbers"
	lua "github.com/yuin/gopher-lua"
)

// Two operators that package syntax turns into calls: .. and the statement t[#t] = nil.
// Both functions are constants of prototypes, so they must not depend on one Library.

// concat is the operator .. on all operands of one expression, joined from the right as
// Lua does. Neighbours that are texts are joined at once: a .. b .. c makes one text and
// not two.
func concat(a args) int {
	last := a.GetTop()
	if last == 0 {
		return a.results(lua.LString(""))
	}
	result := a.Get(last)
	for last > 1 {
		first := last
		for first > 1 && isText(a.Get(first-1)) {
			first--
		}
		if isText(result) && first < last {
			result = join(a, first, last-1, result)
			last = first
			continue
		}
		result = a.concatObjects(last, a.Get(last-1), result)
		last--
	}
	return a.results(result)
}

// isText reports whether a value is a string or a number, which the library takes for a
// text.
func isText(v lua.LValue) bool {
	return v.Type() == lua.LTString || v.Type() == lua.LTNumber
}

// join puts the operands from first to last, all of them texts, in front of another text.
// It takes O(bytes) for any number of operands. Two are the common case, which needs
// no list.
func join(a args, first, last int, end lua.LValue) lua.LValue {
	if first == last {
		left, right := plainText(a.Get(first)), plainText(end)
		newText(a.LState, len(left)+len(right))
		return lua.LString(left + right)
	}
	pieces := make([]string, 0, last-first+2)
	size := 0
	for i := first; i <= last; i++ {
		pieces = append(pieces, plainText(a.Get(i)))
		size += len(pieces[i-first])
	}
	pieces = append(pieces, plainText(end))
	newText(a.LState, size+len(pieces[len(pieces)-1]))
	return lua.LString(strings.Join(pieces, ""))
}

// plainText returns the text of a string or a number.
// The caller has asked isText.
func plainText(v lua.LValue) string {
	if n, ok := v.(lua.LNumber); ok {
		return numbers.Format(float64(n))
	}
	return string(v.(lua.LString))
}

// concatObjects calls the metamethod of either operand, and raises an error if there is
// none. The right operand is the nth.
func (a args) concatObjects(n int, left, right lua.LValue) lua.LValue {
	handler, ok := metafield(a.LState, left, "__concat").(*lua.LFunction)
	if !ok {
		handler, ok = metafield(a.LState, right, "__concat").(*lua.LFunction)
	}
	if !ok {
		culprit := left
		if isText(left) {
			culprit = right
		} else {
			n--
		}
		at := fault.InCall(a.LState, fault.Argument(n))
		if culprit != a.Get(n) {
			n = none // the text has no name for what a metamethod has returned
		}
		raiseAt(a.LState, 1, diag.New("attempt to concatenate %s", fault.Named(a.LState, n, culprit)).On(at))
	}
	return a.callOne(handler, left, right)
}

// none stands for a part that an instruction does not have.
const none = 1 << 20

// callOne calls a function and returns its first result.
func (a args) callOne(fn *lua.LFunction, arguments ...lua.LValue) lua.LValue {
	a.Push(fn)
	for _, v := range arguments {
		a.Push(v)
	}
	a.Call(len(arguments), 1)
	result := a.Get(-1)
	a.Pop(1)
	return result
}

// pop is the statement t[#t] = nil. It makes the list of the table shorter. A plain
// assignment would leave a nil at its end, which each later # would have to pass.
func pop(a args) int {
	t, ok := a.Get(1).(*lua.LTable)
	if ok && t.Metatable == lua.LNil {
		if n := listLength(a.LState, t); n > 0 {
			removeAt(t, n)
		} else {
			t.RawSet(lua.LNumber(0), lua.LNil) // #t is 0, so the statement is t[0] = nil
		}
		return 0
	}
	n := lua.LNumber(a.length(a.Get(1)))
	assignTo(a.LState, a.Get(1), n, lua.LNil)
	return 0
}

// length is the operator #. An error names the type, where the VM would not.
func (a args) length(v lua.LValue) int {
	switch v.(type) {
	case *lua.LTable, lua.LString:
	default:
		if metafield(a.LState, v, "__len") == lua.LNil {
			raise(a.LState, "attempt to get the length of %s", fault.Named(a.LState, 1, v))
		}
	}
	return a.ObjLen(v)
}
