package stdlib

import (
	"fmt"

	"github.com/perigee-ecs/perigee/bindings/diag"
	lua "github.com/yuin/gopher-lua"
)

// explainMistakes gives the two most common errors, indexing nil and calling nil, the
// words of Lua. The VM's own words are "non-table object" and "non-function object".
//
// The VM asks the metatables of plain values before it raises such an error, so these
// metatables hold functions that raise a better one. Scripts cannot see or change them.
func explainMistakes(L *lua.LState) {
	meta := newTable(bind([]entry{{"__index", indexMistake}, {"__newindex", indexMistake}, {"__call", callMistake}}))
	for _, value := range []lua.LValue{lua.LNil, lua.LTrue, lua.LNumber(0), &lua.LFunction{}, L} {
		L.SetMetatable(value, meta)
	}
}

// indexMistake raises the error of v[key] on a value that has no fields.
func indexMistake(a args) int {
	if isText(a.Get(2)) {
		raise(a.LState, "attempt to index a %s value with key %q", typeName(a.Get(1)), diag.Cut(plainText(a.Get(2))))
	}
	raise(a.LState, "attempt to index a %s value", typeName(a.Get(1)))
	return 0
}

// callMistake raises the error of a call of a value that is no function, with the name
// that it has in the script, if any.
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

// isName reports whether a text could be the name of a variable or field.
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
