//go:build !machine

package stdlib

import (
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/ecs/detmath"
	lua "github.com/yuin/gopher-lua"
)

// The functions of string that do not search, and the metatable of texts. A function
// that makes a text counts its bytes before it makes it.

// strings lists the functions of the table string.
func (lib *Library) strings() []unbound {
	return []unbound{
		{"byte", stringByte},
		{"char", stringChar},
		{"find", lib.find},
		{"format", lib.format},
		{"gmatch", lib.gmatch},
		{"gsub", lib.gsub},
		{"len", func(a args) int { return a.results(lua.LNumber(len(a.text(1)))) }},
		{"lower", mapBytes('A', 'Z', 'a'-'A')},
		{"match", lib.match},
		{"rep", stringRep},
		{"reverse", stringReverse},
		{"sub", stringSub},
		{"upper", mapBytes('a', 'z', 'A'-'a')},
	}
}

// clip turns positions, which may count from the end, into a range of the text: its first
// byte, and the byte after its last one.
func clip(length, first, last int) (from, to int) {
	if first < 0 {
		first = max(length+first+1, 1)
	}
	if last < 0 {
		last = length + last + 1
	}
	from, to = max(first, 1)-1, min(last, length)
	if from >= to {
		return 0, 0
	}
	return from, to
}

// stringSub is string.sub.
func stringSub(a args) int {
	text := a.text(1)
	from, to := clip(len(text), a.integer(2), a.integerOr(3, -1))
	a.Push(part(a.LState, text, from, to))
	return 1
}

// letters are all texts of one byte. Scripts make many of them, so each is made once.
var letters = func() (all [256]lua.LValue) {
	for i := range all {
		all[i] = lua.LString([]byte{byte(i)})
	}
	return all
}()

// part returns a part of a text, as a text of its own. If it shared the memory of the
// whole, it would keep all of it alive, and the memory that a script holds could not be
// counted.
func part(L *lua.LState, text string, from, to int) lua.LValue {
	switch n := to - from; {
	case n == len(text):
		return lua.LString(text)
	case n == 0:
		return lua.LString("")
	case n == 1:
		return letters[text[from]]
	case n > short:
		alloc(L, n)
	}
	return lua.LString(strings.Clone(text[from:to]))
}

// stringByte is string.byte: the bytes of a range, as numbers.
func stringByte(a args) int {
	text := a.text(1)
	first := a.integerOr(2, 1)
	from, to := clip(len(text), first, a.integerOr(3, first))
	if to-from > maxResults {
		raise(a.LState, "string slice too long")
	}
	charge(a.LState, to-from-1)
	for _, c := range []byte(text[from:to]) {
		a.Push(lua.LNumber(c))
	}
	return to - from
}

// stringChar is string.char: a text of the given bytes.
func stringChar(a args) int {
	newText(a.LState, a.GetTop())
	text := make([]byte, a.GetTop())
	for i := range text {
		code := a.integer(i + 1)
		if code < 0 || code > 255 {
			a.fail(i+1, "invalid value")
		}
		text[i] = byte(code)
	}
	return a.results(lua.LString(text))
}

// stringRep is string.rep.
func stringRep(a args) int {
	text, n := a.text(1), max(a.integer(2), 0)
	if text == "" {
		n = 0
	}
	if text != "" && n > longest/len(text) {
		n = longest/len(text) + 1 // the message need not say by how much it is too long
	}
	newText(a.LState, len(text)*n)
	return a.results(lua.LString(strings.Repeat(text, n)))
}

// stringReverse is string.reverse.
func stringReverse(a args) int {
	newText(a.LState, len(a.text(1)))
	text := []byte(a.text(1))
	slices.Reverse(text)
	return a.results(lua.LString(text))
}

// mapBytes makes lower or upper: it shifts the ASCII letters of a range. The C locale has
// no other letters.
func mapBytes(low, high byte, shift int) func(args) int {
	return func(a args) int {
		newText(a.LState, 2*len(a.text(1)))
		charge(a.LState, len(a.text(1))/readPerStep)
		text := []byte(a.text(1))
		for i, c := range text {
			if low <= c && c <= high {
				text[i] = byte(int(c) + shift)
			}
		}
		return a.results(lua.LString(text))
	}
}

// stringMetatable makes the metatable of strings, which gives them methods and arithmetic.
// All scripts share it, so no script can read or change it.
// Its methods stand in a table of their own: what a script assigns to its table string
// changes nothing for texts.
func (lib *Library) stringMetatable() *lua.LTable {
	meta := newTable(bind([]unbound{
		{"__add", arithmetic("__add", func(x, y float64) float64 { return x + y })},
		{"__sub", arithmetic("__sub", func(x, y float64) float64 { return x - y })},
		{"__mul", arithmetic("__mul", func(x, y float64) float64 { return x * y })},
		{"__div", arithmetic("__div", func(x, y float64) float64 { return x / y })},
		{"__mod", arithmetic("__mod", detmath.Modulo)},
		{"__pow", arithmetic("__pow", detmath.Pow)},
		{"__unm", arithmetic("__unm", func(x, _ float64) float64 { return -x })},
		{"__newindex", indexMistake},
	}))
	meta.RawSetString("__index", newTable(lib.tables["string"]))
	meta.RawSetString("__metatable", lua.LFalse)
	meta.RawSetString("__call", bind([]unbound{{"__call", callMistake}})[0].fn)
	return meta
}

// arithmetic makes an operator on texts of numbers. It reads numbers as Lua does; the VM
// itself would take "010" for eight. If an operand is no number, the metamethod of either
// operand is called.
func arithmetic(event string, f func(x, y float64) float64) func(args) int {
	return func(a args) int {
		left, right := a.Get(1), a.Get(2)
		if event == "__unm" {
			right = left
		}
		x, ok := toNumber(a.LState, left)
		y, ok2 := toNumber(a.LState, right)
		if ok && ok2 {
			v := f(x, y)
			if event != "__unm" {
				v += 0 // -0 becomes 0, as of numbers; a minus turns the sign
			}
			return a.results(lua.LNumber(v))
		}
		n, culprit := 1, left
		if ok {
			n, culprit = 2, right
		}
		for _, operand := range [...]lua.LValue{left, right} {
			if handler, ok := metafield(a.LState, operand, event).(*lua.LFunction); ok {
				return a.results(a.callOne(handler, left, right))
			}
		}
		raise(a.LState, "attempt to perform arithmetic on %s", fault.Named(a.LState, n, culprit))
		return 0
	}
}
