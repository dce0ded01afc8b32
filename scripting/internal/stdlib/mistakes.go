package stdlib

import (
	"fmt"

	"github.com/perigee-ecs/perigee/bindings/diag"
	lua "github.com/yuin/gopher-lua"
)

// explainMistakes words the two most common errors of all, indexing and calling
// nil, as Lua does. The VM speaks of non-table and non-function objects. It asks
// the metatables of plain values first; scripts cannot see or set those.
func explainMistakes(L *lua.LState) {
	meta := newTable(bind([]entry{{"__index", indexMistake}, {"__newindex", indexMistake}, {"__call", callMistake}}))
	for _, value := range []lua.LValue{lua.LNil, lua.LTrue, lua.LNumber(0), &lua.LFunction{}, L} {
		L.SetMetatable(value, meta)
	}
}

func indexMistake(a args) int {
	if isText(a.Get(2)) {
		raise(a.LState, "attempt to index a %s value with key %q", typeName(a.Get(1)), diag.Cut(plainText(a.Get(2))))
	}
	raise(a.LState, "attempt to index a %s value", typeName(a.Get(1)))
	return 0
}

// callMistake tells the name under which the value was called, if it has one.
func callMistake(a args) int {
	name := " "
	if frame, ok := a.GetStack(0); ok {
		if _, err := a.GetInfo("n", frame, nil); err == nil && isName(frame.Name) {
			name = fmt.Sprintf(" %q, ", frame.Name)
		}
	}
	raise(a.LState, "attempt to call%sa %s value", name, typeName(a.Get(1)))
	return 0
}

func isName(text string) bool {
	letters := letterClass('w')
	letters.add('_')
	for i := range len(text) {
		if !letters.has(text[i]) {
			return false
		}
	}
	return text != ""
}
