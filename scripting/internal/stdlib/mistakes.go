//go:build !machine

package stdlib

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	lua "github.com/yuin/gopher-lua"
)

// explainMistakes gives the two most common errors, indexing nil and calling nil, the
// words of Lua. The VM's own words are "non-table object" and "non-function object".
//
// The VM asks the metatables of plain values before it raises such an error, so these
// metatables hold functions that raise a better one. Scripts cannot see or change them.
func explainMistakes(L *lua.LState) {
	meta := newTable(bind([]unbound{{"__index", indexMistake}, {"__newindex", indexMistake}, {"__call", callMistake}}))
	for _, value := range []lua.LValue{lua.LNil, lua.LTrue, lua.LNumber(0), &lua.LFunction{}, L} {
		L.SetMetatable(value, meta)
	}
}

// indexMistake raises the error of v[key] on a value that has no fields.
func indexMistake(a args) int {
	var key lua.LValue
	if isText(a.Get(2)) {
		key = lua.LString(plainText(a.Get(2)))
	}
	raiseAt(a.LState, 1, fault.NotIndexable(a.LState, a.Get(1), key))
	return 0
}

// callMistake raises the error of a call of a value that is no function, with the name
// that it has in the script, if any.
func callMistake(a args) int {
	e := fault.NotCallable(a.LState, a.Get(1))
	if t, field := fault.CalledField(a.LState); t != nil && a.Get(1) == lua.LNil {
		meant, steps := Meant(t, field, lua.LTFunction)
		charge(a.LState, steps)
		e.Message += meant
	}
	raiseAt(a.LState, 1, e)
	return 0
}

// Meant says what a script may have meant by a field that a table does not have: one of the
// table whose value has the wanted type, or one of Lua that is not here. It takes as long as
// that many instructions.
// The caller charges the steps: a script could catch the error and try again in a
// loop.
func Meant(t *lua.LTable, field string, wanted lua.LValueType) (words string, steps int) {
	if why, known := withheld[field]; known && t.RawGetString("clock") != lua.LNil {
		return ": os." + field + " is not available to scripts" + why, 0
	}
	var names []string
	key, v := t.Next(lua.LNil)
	for looked := 0; key != lua.LNil && looked < maxMeant; looked++ {
		if name, ok := key.(lua.LString); ok && v.Type() == wanted {
			names = append(names, string(name))
		}
		key, v = t.Next(key)
	}
	return diag.DidYouMean(field, names), diag.StepsToSuggest(field, names)
}

// maxMeant is how many fields of a table are looked at for a wrong name.
const maxMeant = 100

// withheld are the functions of os that no script has, with what to use.
var withheld = map[string]string{
	"exit": ": the host decides when it ends", "execute": "", "remove": "", "rename": "", "tmpname": "", "getenv": "", "setlocale": "",
	"date": ": os.time gives the seconds", "difftime": ": subtract the times",
}
