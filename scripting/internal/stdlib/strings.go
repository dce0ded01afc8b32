package stdlib

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

func (lib *Library) strings() []entry {
	return []entry{
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

// clip turns positions that may count from the end into a range of the text,
// as first byte and the byte after the last.
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

func stringSub(a args) int {
	text := a.text(1)
	from, to := clip(len(text), a.integer(2), a.integerOr(3, -1))
	a.Push(part(a.LState, text, from, to))
	return 1
}

// letters are the texts of one byte, of which there are many.
var letters = func() (all [256]lua.LValue) {
	for i := range all {
		all[i] = lua.LString([]byte{byte(i)})
	}
	return all
}()

// part returns a part of a text. It is a text of its own: one that shared the memory of
// the whole would keep all of it, of which those who hold the part show nothing.
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

func stringReverse(a args) int {
	newText(a.LState, len(a.text(1)))
	text := []byte(a.text(1))
	slices.Reverse(text)
	return a.results(lua.LString(text))
}

// mapBytes shifts the ASCII letters of a range; the C locale knows no others.
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

// stringMetatable gives strings their methods and arithmetic. Scripts cannot
// see it: all of them share it.
func (lib *Library) stringMetatable() *lua.LTable {
	meta := newTable(bind([]entry{
		{"__add", arithmetic("__add", func(x, y float64) float64 { return x + y })},
		{"__sub", arithmetic("__sub", func(x, y float64) float64 { return x - y })},
		{"__mul", arithmetic("__mul", func(x, y float64) float64 { return x * y })},
		{"__div", arithmetic("__div", func(x, y float64) float64 { return x / y })},
		{"__mod", arithmetic("__mod", Modulo)},
		{"__pow", arithmetic("__pow", Power)},
		{"__unm", arithmetic("__unm", func(x, _ float64) float64 { return -x })},
	}))
	meta.RawSetString("__index", newTable(lib.tables["string"]))
	meta.RawSetString("__metatable", lua.LFalse)
	meta.RawSetString("__call", bind([]entry{{"__call", callMistake}})[0].fn)
	return meta
}

// arithmetic converts texts to numbers as Lua does; the VM takes "010" for
// eight. If that fails it is the other operand's turn.
func arithmetic(event string, f func(x, y float64) float64) func(args) int {
	return func(a args) int {
		left, right := a.Get(1), a.Get(2)
		if event == "__unm" {
			right = left
		}
		x, ok := toNumber(a.LState, left)
		y, ok2 := toNumber(a.LState, right)
		if ok && ok2 {
			return a.results(lua.LNumber(f(x, y)))
		}
		culprit := left
		if ok {
			culprit = right
		}
		for _, operand := range [...]lua.LValue{left, right} {
			if handler, ok := metafield(a.LState, operand, event).(*lua.LFunction); ok {
				return a.results(a.callOne(handler, left, right))
			}
		}
		raise(a.LState, "attempt to perform arithmetic on a %s value", typeName(culprit))
		return 0
	}
}
