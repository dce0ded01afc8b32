package library

import (
	"cmp"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/internal/numbers"
	"github.com/perigee-ecs/perigee/scripting/internal/library/notes"
)

// The functions that a script finds without a table: errors, metatables, traversal, raw
// access, conversions. Those that can take longer than a step charge for it themselves,
// as each call of them is one instruction to the machine.

// base lists the functions that stand in the environment itself. Protected calls are the
// machine's own: they are frames, and no calls of Go.
func (lib *Library) base() []builtin {
	next := native("next", lib.next)
	return []builtin{
		native("assert", lib.assert),
		native("error", lib.raiseError),
		native("getmetatable", lib.getMetatable),
		native("ipairs", lib.ipairs()),
		next,
		native("pairs", lib.pairs(next.fn)),
		{"pcall", lib.vm.Builtin(machine.Protect)},
		native("print", lib.print),
		native("rawequal", rawEqual),
		native("rawget", lib.rawGet),
		native("rawset", lib.rawSet),
		native("select", selectArgs),
		native("setmetatable", lib.setMetatable),
		native("tonumber", tonumber),
		native("tostring", lib.tostring),
		native("type", typeFunction()),
		native("unpack", lib.unpack),
		{"xpcall", lib.vm.Builtin(machine.ProtectHandled)},
	}
}

// assert passes its arguments on if the first is true. As in Lua 5.2, the message may be
// of any type; a text gets the place of the call, so that the error says where it is.
func (lib *Library) assert(c *machine.Call) {
	a := args{c}
	if a.any(1).Truth() {
		a.Return(a.Len())
		return
	}
	switch message := a.Arg(2); {
	case message.IsNil():
		a.raise("assertion failed!")
	case isText(message):
		lib.endWith(a, message, 1)
	default:
		a.End(&diag.Error{}, message)
	}
}

// freeLevels is how far outwards the place of a level is looked for at no charge, and
// levelsPerStep how many levels further out a step takes.
const freeLevels, levelsPerStep = 1 << 10, 2

// raiseError is error: a text gets the place of the function at the level, 1 for the
// caller.
func (lib *Library) raiseError(c *machine.Call) {
	a := args{c}
	value, level := a.Arg(1), a.integerOr(2, 1)
	if !isText(value) {
		a.End(&diag.Error{}, value)
		return
	}
	if value.IsString() && level > 0 {
		a.Alloc(value.Str().Len())
	}
	lib.endWith(a, value, level)
}

// endWith ends a call with a text as its error. If a protected call has returned this text,
// the script passes that error on: it keeps its first place and its limit.
func (lib *Library) endWith(a args, value machine.Value, level int) {
	text, e := plainText(value), &diag.Error{}
	if known := lib.caught.Find(text); known != nil {
		*e = *known
		e.Trace = nil
	} else {
		if len(text) > diag.LongestShown && !a.Thread().Catches() {
			text = diag.CutShown(text) // reports show no more of it, and nobody else gets it
			value = machine.String(text)
		}
		e.Message = text
	}
	if level > 0 {
		if far := min(level, a.Thread().Calls()) - freeLevels; far > 0 {
			a.Charge(far / levelsPerStep)
		}
		at := a.Thread().Level(level)
		if e.Line == 0 {
			e.Put(at)
		}
		value = machine.String(machine.Prefix(at) + text)
	}
	a.End(e, value)
}

// getMetatable returns the metatable of a table. For any other value it returns at most
// the field __metatable: all texts share one metatable, and so do objects of the host,
// and scripts must not reach each other through it.
func (lib *Library) getMetatable(c *machine.Call) {
	value := args{c}.any(1)
	meta := lib.vm.Meta(value)
	if meta == nil {
		c.Push(machine.Nil)
		return
	}
	shown := meta.GetStr(lib.keys.metatable)
	switch value.Kind() {
	case machine.KindTable:
		if shown.IsNil() {
			shown = machine.OfTable(meta)
		}
	case machine.KindString, machine.KindUserdata:
		if shown.IsNil() || shown.IsTable() {
			shown = machine.False
		}
	default:
		shown = machine.Nil
	}
	c.Push(shown)
}

// setMetatable sets the metatable of a table, unless the old one is protected by
// __metatable.
func (lib *Library) setMetatable(c *machine.Call) {
	a := args{c}
	t, meta := lib.proxy(a, 1), a.Arg(2)
	if !meta.IsTable() && (!meta.IsNil() || a.Len() < 2) {
		a.expected(2, "nil or table")
	}
	if old := t.Metatable(); old != nil && !old.GetStr(lib.keys.metatable).IsNil() {
		a.raise("cannot change a protected metatable")
	}
	t.SetMetatable(meta.Table())
	a.Push(a.Arg(1))
}

// next is the function next: the key after another one, and its value. Places that it passes
// without a value, of removed keys and of holes in the list, count as steps.
func (lib *Library) next(c *machine.Call) {
	a := args{c}
	t := lib.table(a, 1)
	a.hashing(a.Arg(2))
	key, value, passed := t.Next(a.Arg(2))
	if passed < 0 {
		a.raiseAt(1, machine.NoNext(a.Arg(2)))
	}
	if passed >= valuesPerStep {
		a.Charge(passed / valuesPerStep)
	}
	a.Push(key)
	if !key.IsNil() {
		a.Push(value)
	}
}

// pairs returns the function pairs. Its loops get the machine's own next, which is no call.
// Those over a table of the host's get the library's, which looks behind a proxy.
func (lib *Library) pairs(behind *machine.Function) machine.Native {
	plain := lib.vm.Builtin(machine.Next)
	return func(c *machine.Call) {
		next := plain
		if t := lib.proxy(args{c}, 1); t != lib.unwrap(t) {
			next = behind
		}
		c.Push(machine.OfFunction(next))
		c.Push(c.Arg(1))
		c.Push(machine.Nil)
	}
}

// ipairs returns the function ipairs. It ends at the first nil, and calls no metamethod,
// as in Lua 5.1.
func (lib *Library) ipairs() machine.Native {
	step := machine.NewStepper("ipairs", func(c *machine.Call) {
		a := args{c}
		i := a.integer(2) + 1
		value := lib.table(a, 1).GetInt(i)
		if value.IsNil() {
			a.Push(machine.Nil)
			return
		}
		a.pushNumber(float64(i))
		a.Push(value)
	})
	return func(c *machine.Call) {
		a := args{c}
		if meta := lib.proxy(a, 1).Metatable(); meta != nil {
			if why := meta.GetStr(lib.keys.noList); why.IsString() {
				a.raise("%s", why.Str().String())
			}
		}
		a.Push(machine.OfFunction(step))
		a.Push(a.Arg(1))
		a.pushNumber(0)
	}
}

// print joins its arguments with tabs and gives the line to Options.Print.
func (lib *Library) print(c *machine.Call) {
	a := args{c}
	most := cmp.Or(lib.opts.MaxPrint, longest)
	var line []byte
	length := 0
	for i := 1; i <= a.Len(); i++ {
		if i > 1 {
			line, length = append(line, '\t'), length+1
		}
		text := lib.toText(a, a.Arg(i))
		a.Text(length, len(text))
		length += len(text)
		line = append(line, text[:min(len(text), max(most-len(line), 0))]...)
	}
	if lib.opts.Print != nil {
		lib.opts.Print(a.Thread(), string(line), length)
	}
}

// rawEqual compares without __eq. Long texts are charged for: they are compared byte by
// byte.
func rawEqual(c *machine.Call) {
	a := args{c}
	a.hashing(a.any(1))
	a.Push(machine.Bool(a.Arg(1).Equal(a.any(2))))
}

// rawGet reads a key without __index.
// A proxy shows its content here: it is empty itself.
func (lib *Library) rawGet(c *machine.Call) {
	a := args{c}
	a.hashing(a.any(2))
	a.Push(lib.table(a, 1).Get(a.Arg(2)))
}

// rawSet sets a key without __newindex.
func (lib *Library) rawSet(c *machine.Call) {
	a := args{c}
	t, key := lib.proxy(a, 1), a.any(2)
	value := a.any(3)
	switch {
	case key.IsNil():
		a.raise("table index is nil")
	case key.IsNumber() && key.Float() != key.Float():
		a.raise("table index is NaN")
	}
	a.hashing(key)
	lib.put(a, t, key, value)
	a.Push(a.Arg(1))
}

// selectArgs is select: the number of arguments for "#", or the arguments from the nth on.
// The results are on the stack already; their number says which of them are meant.
func selectArgs(c *machine.Call) {
	a := args{c}
	if v := a.Arg(1); v.IsString() && v.Str().String() == "#" {
		a.pushNumber(float64(a.Len() - 1))
		return
	}
	n, top := a.integer(1), a.Len()
	switch {
	case n < 0:
		n += top
	case n > top:
		n = top
	}
	if n < 1 {
		a.fail(1, "index out of range")
	}
	a.Return(top - n)
}

// tonumber reads a number, in base 10 as the operators do, in any other base as C's
// strtoul does. A long text is charged for.
func tonumber(c *machine.Call) {
	a := args{c}
	value := a.any(1)
	base := a.integerOr(2, 10)
	if base == 10 {
		a.pushNumberOrNil(a.toNumber(value))
		return
	}
	if base < 2 || base > 36 {
		a.fail(2, "base out of range")
	}
	text := a.text(1)
	if len(text) > short {
		a.Charge(len(text) / readPerStep)
		a.Alloc(2 * len(text))
	}
	a.pushNumberOrNil(numbers.ParseInteger(text, base))
}

// pushNumberOrNil pushes a number, and nil if there is no number.
func (a args) pushNumberOrNil(v float64, ok bool) {
	if !ok {
		a.Push(machine.Nil)
		return
	}
	a.pushNumber(v)
}

// tostring is the function tostring; see toText.
func (lib *Library) tostring(c *machine.Call) {
	a := args{c}
	switch v := a.any(1); {
	case v.IsString():
		a.Push(v)
	case v.IsNumber():
		a.writing(v.Float())
		var digits [32]byte
		a.pushBytes(numbers.Append(digits[:0], v.Float()))
	default:
		a.pushText(lib.toText(a, v))
	}
}

// identityBytes is about how much memory the number of a value takes. identitySteps is how
// long it takes to give a value its number, and to forget it when the value is gone.
// identityText is how long it takes to write it.
const (
	identityBytes = 128
	identitySteps = 300
	identityText  = 15
)

// Text returns the text of a value as tostring does, for the call that runs on a thread. A
// __tostring of a script may raise an error.
func (lib *Library) Text(th *machine.Thread, value machine.Value) string {
	return lib.toText(args{th.Current()}, value)
}

// toText is tostring: numbers as C writes them, tables and userdata by __tostring,
// everything else by its type and a number that counts up.
func (lib *Library) toText(a args, value machine.Value) string {
	switch value.Kind() {
	case machine.KindString:
		return value.Str().String()
	case machine.KindNumber:
		a.writing(value.Float())
		return numbers.Format(value.Float())
	}
	handler := metafield(value, lib.keys.tostring)
	if !handler.IsFunction() {
		a.Alloc(identityBytes)
		text, fresh := lib.identity(value)
		if a.Charge(identityText); fresh {
			a.Charge(identitySteps)
		}
		return text
	}
	text := a.Call1(handler, value)
	if !text.IsString() {
		a.raise("%q must return a string", "__tostring")
	}
	return text.Str().String()
}

// Identities are the numbers in the texts of values.
func (lib *Library) Identities() *notes.Identities { return lib.ids }

// identity returns the text of a value that has no text of its own, and whether the value
// has got its number by that.
func (lib *Library) identity(v machine.Value) (text string, fresh bool) {
	switch v.Kind() {
	case machine.KindTable:
		return notes.Text(lib.ids, "table", v.Table())
	case machine.KindFunction:
		return notes.Text(lib.ids, "function", v.Function())
	case machine.KindThread:
		return notes.Text(lib.ids, "thread", v.Thread())
	case machine.KindUserdata:
		return notes.Text(lib.ids, "userdata", v.Userdata())
	case machine.KindBoolean:
		if v.Truth() {
			return "true", false
		}
		return "false", false
	}
	return "nil", false
}

// typeFunction returns the function type. Its results are made once.
func typeFunction() machine.Native {
	var names [machine.KindUserdata + 1]machine.Value
	for kind := range names {
		names[kind] = machine.String(machine.Kind(kind).String())
	}
	return func(c *machine.Call) { c.Push(names[args{c}.any(1).Kind()]) }
}

// maxResults is how many values one call may return, fewer than a stack can have.
const maxResults = 8000

// unpack returns the items of a list, from an index to another one, as values.
// The bounds may be any two ints, so their distance is computed without a sign.
func (lib *Library) unpack(c *machine.Call) {
	a := args{c}
	t := lib.table(a, 1)
	first, last := a.integerOr(2, 1), a.integerOr(3, -1)
	if a.Arg(3).IsNil() {
		last = listLength(t)
	}
	if first > last {
		a.Return(0)
		return
	}
	n := uint(last) - uint(first)
	if n >= maxResults {
		a.raise("too many results to unpack")
	}
	a.Charge(int(n))
	for i := uint(0); i <= n; i++ {
		a.Push(t.GetInt(first + int(i)))
	}
}
