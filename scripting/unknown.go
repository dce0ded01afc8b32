package scripting

import (
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/bindings"
	lua "github.com/yuin/gopher-lua"
)

// unknownNames finds the globals that the functions of a script read and that
// nothing can have set: neither the library, nor the top level, which has run,
// nor any assignment in the text. They would be errors when the functions run;
// so a misspelt name is told at the save. A script that uses _G may set what it
// likes under names that nobody can foresee: nothing is said of it before it runs.
func unknownNames(m *module, env *lua.LTable) []*Error {
	reads, sets := map[string][]int{}, map[string]bool{}
	globals(m.proto, reads, sets)
	if len(reads["_G"]) > 0 || sets["_G"] {
		return nil
	}
	var problems []*Error
	for name, lines := range reads {
		if sets[name] || env.RawGetString(name) != lua.LNil {
			continue
		}
		meant := bindings.DidYouMean(name, names(env, m.text))
		slices.Sort(lines)
		for _, line := range slices.Compact(lines) {
			e := &Error{Script: m.name, Line: line, Message: fmt.Sprintf("unknown name %q%s", name, meant)}
			problems = append(problems, e)
		}
	}
	return problems
}

// globals collects the names that functions read, with the lines, and set. The
// machine's code is looked at rather than the tree, because it knows of each name
// whether it is a local.
func globals(proto *lua.FunctionProto, reads map[string][]int, sets map[string]bool) {
	for at, instruction := range proto.Code {
		// An instruction has its code in the highest six bits, the number of a
		// constant in the lowest eighteen.
		constant := func() string { return proto.Constants[instruction&(1<<18-1)].String() }
		switch int(instruction >> 26) {
		case lua.OP_GETGLOBAL:
			reads[constant()] = append(reads[constant()], proto.DbgSourcePositions[at])
		case lua.OP_SETGLOBAL:
			sets[constant()] = true
		}
	}
	for _, inner := range proto.FunctionPrototypes {
		globals(inner, reads, sets)
	}
}
