package library

import (
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/machine"
)

// The functions of string that do not search, and the metatable of texts. A function
// that makes a text counts its bytes before it makes it.

// strings lists the functions of the table string.
func (lib *Library) strings() []builtin {
	return []builtin{
		native("byte", stringByte),
		native("char", lib.stringChar),
		native("find", lib.find),
		native("format", lib.format),
		native("gmatch", lib.gmatch),
		native("gsub", lib.gsub),
		native("len", func(c *machine.Call) { c.Push(machine.Number(float64(len(args{c}.text(1))))) }),
		native("lower", lib.mapBytes('A', 'Z', 'a'-'A')),
		native("match", lib.match),
		native("rep", lib.stringRep),
		native("reverse", lib.stringReverse),
		native("sub", lib.stringSub),
		native("upper", lib.mapBytes('a', 'z', 256-('a'-'A'))),
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
func (lib *Library) stringSub(c *machine.Call) {
	a := args{c}
	text := a.text(1)
	from, to := clip(len(text), a.integer(2), a.integerOr(3, -1))
	a.Push(lib.part(a, text, from, to))
}

// part returns a part of a text, as a text of its own. If it shared the memory of the
// whole, it would keep all of it alive, and the memory that a script holds could not be
// counted.
func (lib *Library) part(a args, text string, from, to int) machine.Value {
	switch n := to - from; {
	case n == len(text):
		return machine.String(text)
	case n == 0:
		return machine.String("")
	case n == 1:
		return lib.letter(text[from])
	case n > short:
		a.Alloc(n)
	}
	return machine.Text(machine.CopyStr(text[from:to]))
}

// stringByte is string.byte: the bytes of a range, as numbers.
func stringByte(c *machine.Call) {
	a := args{c}
	text := a.text(1)
	first := a.integerOr(2, 1)
	from, to := clip(len(text), first, a.integerOr(3, first))
	if to-from > maxResults {
		a.raise("string slice too long")
	}
	if to-from > 1 {
		a.Charge(to - from - 1)
	}
	if from == to {
		a.Return(0)
	}
	for i := from; i < to; i++ {
		a.pushNumber(float64(text[i]))
	}
}

// stringChar is string.char: a text of the given bytes.
func (lib *Library) stringChar(c *machine.Call) {
	a := args{c}
	a.newText(a.Len())
	text := lib.take()
	for i := range a.Len() {
		code := a.integer(i + 1)
		if code < 0 || code > 255 {
			a.fail(i+1, "invalid value")
		}
		text = append(text, byte(code))
	}
	lib.pushShort(a, text)
	lib.keep(text)
}

// stringRep is string.rep.
func (lib *Library) stringRep(c *machine.Call) {
	a := args{c}
	text, n := a.text(1), max(a.integer(2), 0)
	if text == "" {
		n = 0
	}
	if text != "" && n > longest/len(text) {
		a.tooLong(a.number(2) * float64(len(text)))
	}
	a.newText(len(text) * n)
	if n > 16 || len(text)*n > mostScratch {
		a.pushText(strings.Repeat(text, n))
		return
	}
	out := lib.take()
	for range n {
		out = append(out, text...)
	}
	a.pushBytes(out)
	lib.keep(out)
}

// stringReverse is string.reverse.
func (lib *Library) stringReverse(c *machine.Call) {
	a := args{c}
	source := a.text(1)
	a.newText(len(source))
	text := append(lib.take(), source...)
	slices.Reverse(text)
	a.pushBytes(text)
	lib.keep(text)
}

// mapBytes makes lower or upper: it shifts the ASCII letters of a range. The C locale has
// no other letters.
func (lib *Library) mapBytes(low, high, shift byte) machine.Native {
	return func(c *machine.Call) {
		a := args{c}
		source := a.text(1)
		a.newText(2 * len(source))
		a.Charge(len(source) / readPerStep)
		text := append(lib.take(), source...)
		for i, b := range text {
			if b-low <= high-low {
				text[i] = b + shift
			}
		}
		lib.pushShort(a, text)
		lib.keep(text)
	}
}

// pushShort is pushBytes for what often has one byte alone.
func (lib *Library) pushShort(a args, text []byte) {
	if len(text) == 1 {
		a.Push(lib.letter(text[0]))
		return
	}
	a.pushBytes(text)
}

// textMetatable makes the metatable of texts, which gives them methods. All scripts share
// it, so no script can read or change it.
// Its methods stand in a table of their own: what a script assigns to its table string
// changes nothing for texts.
func (lib *Library) textMetatable() *machine.Table {
	meta := lib.vm.Heap.NewTable(0, 2)
	meta.SetString("__index", machine.OfTable(lib.newTable("string", lib.tables["string"], 0)))
	meta.SetString("__metatable", machine.False)
	return meta
}
