package machine

import (
	"fmt"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	lua "github.com/yuin/gopher-lua"
)

// What the machine itself raises: instructions whose values are of the wrong kind, and
// calls that use too much.

// NotIndexable is the error of a look for a field in a value that has none, with the words
// of the text for the value where the innermost function of Lua looks for it. key is Nil
// where it cannot be said.
func (th *Thread) NotIndexable(v, key Value) *diag.Error {
	words, named, why := "", false, ""
	if f, ok := th.lua(); ok && f.indexes(v) {
		words = th.Named(Indexed, v)
		named = words[0] == '"'
	}
	if named {
		why = th.whyNil(Indexed, v)
	} else {
		words = diag.CutAt(asValue(v), diag.LongestPart)
	}
	words = "attempt to index " + words
	if key.n == tagNil {
		return &diag.Error{Message: words + why}
	}
	if named {
		words += ","
	}
	if v.n < tagBase && th.vm.MeantOfNumber != nil {
		why = th.vm.MeantOfNumber(v.Float())
	}
	written := ""
	if key.n == tagStr {
		written = diag.Format("%q", diag.Cut(Written(key)))
	} else {
		written = th.vm.textOf(&key)
	}
	return &diag.Error{Message: words + " with key " + written + th.withoutColon(v) + why}
}

// withoutColon says how to call the innermost function of Lua, where it is declared with a colon
// and its self is a value without fields.
func (th *Thread) withoutColon(v Value) string {
	f, ok := th.lua()
	if !ok || v.n == tagTable || th.NameOf(Indexed) != "self" {
		return ""
	}
	p := f.Proto()
	if p.NumParameters == 0 || len(p.DbgLocals) == 0 || p.DbgLocals[0].Name != "self" {
		return ""
	}
	return ": a function that is declared with a colon is called with one, such as t:name(…)"
}

// indexes reports whether the instruction of a frame reads or sets a field of a value of
// the kind of v.
func (f Frame) indexes(v Value) bool {
	word := f.Proto().Code[f.PC()]
	a, b := int(word>>18)&0xff, int(word)&0x1ff
	switch int(word >> 26) {
	case lua.OP_GETTABLE, lua.OP_GETTABLEKS, lua.OP_SELF:
		return f.Operand(b).Kind() == v.Kind()
	case lua.OP_SETTABLE, lua.OP_SETTABLEKS:
		return f.Operand(a).Kind() == v.Kind()
	}
	return false
}

// notIndexed is what a look for a field in a value that has none raises.
func (th *Thread) notIndexed(v, key Value) *Raised {
	if key.n != tagStr && key.n >= tagBase {
		key = Nil
	}
	return th.raising(th.NotIndexable(v, key))
}

// NotCallable is the error of a call of a value that is no function, at the instruction of
// the innermost function of Lua.
func (th *Thread) NotCallable(v Value) *diag.Error {
	f, ok := th.lua()
	if !ok {
		return diag.New("attempt to call %s", asValue(v))
	}
	word := f.Proto().Code[f.PC()]
	if int(word>>26) == lua.OP_TFORLOOP {
		return diag.NoIterator(th.Named(1, v), v.Kind().String()).On(th.InLoop(1))
	}
	words, name := th.Named(0, v), callName(f)
	if words[0] == '"' {
		name = ""
	}
	if v.n == tagNil && (name != "" || strings.Contains(words, ":")) {
		words += Use(f.Register(int(word>>18)&0xff + 1))
	}
	if name != "" {
		words = diag.Format("%q, ", name) + words
	}
	return diag.New("attempt to call %s", words)
}

// notCalled is what a call of a value that is no function raises.
func (th *Thread) notCalled(v Value) *Raised {
	if len(th.frames) == 0 || th.innermost().kind() != ofLua { // a primitive or Go has called
		e := diag.New("attempt to call %s", asValue(clean(v)))
		th.trace(e)
		return &Raised{th.vm.text(e.Message), e}
	}
	e := th.NotCallable(clean(v))
	if v.n == tagNil && th.vm.Meant != nil {
		if t, field := th.calledIn(); t != nil {
			words := th.meant(t, field, true)
			if words == "" && t.Metatable() == nil && (t.Len() > 0 || t.empty()) {
				words = th.meantOfList(field)
			}
			e.Message += words
		} else if method, of := th.calledMethod(); of.n == tagStr && th.vm.MeantOfText != nil {
			e.Message += th.vm.MeantOfText(method)
		} else if of.n == tagTable && of.Table().Metatable() == nil {
			e.Message += th.meantOfList(method)
		} else if of.n == tagTable {
			words := th.meant(of.Table(), method, true)
			if meta := of.Table().Metatable(); words == "" && meta.GetString("__index").IsNil() && !meta.GetString(method).IsNil() {
				words = ": its metatable has it, but no __index: write Class.__index = Class"
			}
			e.Message += words
		}
	}
	return th.raising(e)
}

// calledMethod returns the method that the innermost function of Lua calls and the value of which
// it calls it, Nil where it calls something else. What has loaded the callee says whether it is a
// method.
func (th *Thread) calledMethod() (name string, of Value) {
	f, ok := th.lua()
	if !ok {
		return "", Nil
	}
	code, pc := f.Proto().Code, f.PC()
	a := code[pc] >> 18 & 0xff
	for i := pc - 1; i >= 0 && i > pc-longestCall; i-- {
		if code[i]>>18&0xff != a {
			continue
		}
		if int(code[i]>>26) == lua.OP_SELF {
			if name := f.Operand(int(code[i] >> 9 & 0x1ff)); name.n == tagStr {
				return name.Str().s, f.Register(int(a) + 1)
			}
		}
		break
	}
	return "", Nil
}

// meantOfList says how to do with a table without methods what is called as its method, or as a
// function in it; "" for any other name.
func (th *Thread) meantOfList(method string) string {
	function, ok := listFunctions[method]
	if !ok {
		return ""
	}
	list, _, _ := strings.Cut(th.NameOf(0), ":")
	list = strings.TrimSuffix(list, "."+method)
	if list == "" {
		list = "list"
	}
	if function == "#" {
		return diag.Format(": a table has no methods of its own, write #%s", list)
	}
	return diag.Format(": a table has no methods of its own, write table.%s(%s, …)", function, list)
}

// listFunctions are the functions of the library table by the names that they have there and in
// other languages.
var listFunctions = map[string]string{
	"insert": "insert", "append": "insert", "push": "insert", "add": "insert",
	"remove": "remove", "pop": "remove",
	"concat": "concat", "join": "concat",
	"sort": "sort", "maxn": "maxn",
	"len": "#", "length": "#", "size": "#", "count": "#",
}

// longestCall is how many instructions before a call are looked at.
const longestCall = 64

// notComputed is what an operator on values that are no numbers raises.
func (th *Thread) notComputed(x, y Value) *Raised {
	n, v := 1, x
	if _, ok := th.number(x); ok {
		n, v = 2, y
	}
	e := diag.New("attempt to perform arithmetic on %s%s", th.Named(n, v), th.whyNil(n, v))
	if v.n == tagStr {
		e.And(diag.Format(", %q, which is no number", v.Str().s))
		if f, ok := th.lua(); ok && int(f.Proto().Code[f.PC()]>>26) == lua.OP_ADD {
			e.And(": texts are joined by ..")
		}
	}
	return th.raising(e)
}

func (th *Thread) failLength(v Value) {
	th.Failf("attempt to get the length of %s%s", th.Named(1, v), th.whyNil(1, v))
}

func (th *Thread) failCompare(x, y Value) {
	e := diag.New("attempt to compare %s with %s", TypeName(x), TypeName(y))
	if f, ok := th.lua(); ok && f.compares(x, y) {
		n, v := 1, x
		if odd(y, x) {
			n, v = 2, y
		}
		name := th.NameOf(n)
		switch {
		case name == "":
		case v.n == tagNil:
			e.Message += diag.Format(": %q is nil", name) + th.whyNil(n, v)
		case v.n == tagStr && y.Kind() != x.Kind():
			e.Message += diag.Format(": %q is the text %q", name, diag.Cut(v.Str().s))
			if _, ok := th.number(v); ok {
				e.Message += ", use tonumber"
			}
		case y.Kind() != x.Kind() && v.Kind() != KindUserdata: // TypeName has said all of these
			e.Message += diag.Format(": %q is %s", name, KindName(v))
		}
	}
	th.Fail(e)
}

// odd reports whether of two values that have no order y is the one to speak of: nil, else what
// is neither a number nor a text, else the text.
func odd(y, x Value) bool {
	rank := func(v Value) int {
		switch {
		case v.n == tagNil:
			return 3
		case v.n < tagBase:
			return 0
		case v.n == tagStr:
			return 1
		}
		return 2
	}
	return rank(y) > rank(x)
}

// failConcat raises the error of a chain of the operator .., whose nth and following operands
// are x and y. Where the chain goes on after y, that is what a metamethod has made of the
// rest, and has no name.
func (th *Thread) failConcat(n int, x, y Value) {
	v, words := x, ""
	if x.isText() {
		n, v = n+1, y
		if th.chained(n+1).Line > 0 {
			words = asValue(v)
		}
	}
	if words == "" {
		words = th.Named(n, v) + th.whyNil(n, v)
	}
	e := diag.New("attempt to concatenate %s", words)
	if at := th.chained(n); at.Line > 0 {
		e.Put(at)
	}
	th.Fail(e)
}

// chained returns the place of the nth operand of the chain at which the innermost function
// of Lua is; nowhere where the text does not say it, or there is no such operand.
func (th *Thread) chained(n int) diag.Place {
	if f, ok := th.lua(); ok {
		return th.vm.source().Part(f.Proto(), f.PC(), Argument(n))
	}
	return diag.Place{}
}

func (th *Thread) failFor(f *frame, in *ins) {
	for i, which := range []string{"first value", "last value", "step"} {
		v := th.stack[int(f.base)+int(in.a>>4)+i]
		switch {
		case v.n < tagBase:
		case v.n == tagStr:
			th.Fail(diag.New(`a "for" needs numbers, and its %s is the text %q: use tonumber`, which, v.Str().s).On(th.InLoop(i + 1)))
		default:
			th.Fail(diag.New(`a "for" needs numbers, and its %s is %s`, which, KindName(v)).On(th.InLoop(i + 1)))
		}
	}
}

func (th *Thread) failHops() {
	th.Failf("more than %d tables are asked in a row by __index or __newindex; perhaps they lead in a circle", maxHops)
}

// overflow is the error of one call more than there may be.
func (th *Thread) overflow() *diag.Error {
	return &diag.Error{Kind: diag.Overflow, Message: fmt.Sprintf("stack overflow: more than %s calls in each other", diag.Grouped(int64(th.vm.Depth)))}
}

// tooManyCallbacks is the error of one more call from Go inside of as many as there may be.
func (th *Thread) tooManyCallbacks() *diag.Error {
	who := "built-in functions"
	if c := th.call; c.fn != nil && c.fn.Name() != "" {
		who = diag.Format("%q and its like", c.fn.Name())
	}
	return diag.Reached("Callbacks", "stack overflow: %s call functions back, %s deep in each other of %s", who, diag.Grouped(int64(th.vm.inGo)), diag.Grouped(int64(th.vm.Callbacks)))
}

// tooManyValues is the error of calls that hold more values than they may.
func (th *Thread) tooManyValues() *diag.Error {
	return &diag.Error{Kind: diag.Registers, Message: fmt.Sprintf("stack overflow: the calls in each other hold more than %s values", diag.Grouped(int64(th.vm.Registers)))}
}

// tooDeep is the error of one more protected call or resume inside of as many as there
// may be.
func (th *Thread) tooDeep() *diag.Error {
	return diag.Reached("Nesting", "stack overflow: protected calls and coroutines are %d deep in each other of %d", th.vm.nested+1, th.vm.Nesting)
}
