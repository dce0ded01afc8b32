package scripting

import (
	"fmt"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings"
	lua "github.com/yuin/gopher-lua"
)

// unknownNames finds what the functions of a script name and nothing can have
// set. It would be an error when they run; so a misspelt name is told at the save.
// env is the script's environment after its top level has run.
func (vm *interpreter) unknownNames(m *module, env *lua.LTable) []*Error {
	return append(unknownGlobals(m, env), vm.unknownMembers(m, env)...)
}

// unknownGlobals finds the globals that functions read and that neither the
// library, nor the top level, nor any assignment in the text has set. A script
// that uses _G may set what it likes under names that nobody can foresee: nothing
// is said of it before it runs.
func unknownGlobals(m *module, env *lua.LTable) []*Error {
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
		meant := howToRequire(name)
		if meant == "" {
			meant = bindings.DidYouMean(name, names(env, m.text))
		}
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

// unknownMembers finds the fields of the script's ecs and host tables that they
// do not have, and that it sets nowhere.
func (vm *interpreter) unknownMembers(m *module, env *lua.LTable) []*Error {
	reads, sets := members(m.proto)
	known := map[string]bool{}
	for _, s := range sets {
		known[s.table+"."+s.name] = true
	}
	var problems []*Error
	for _, r := range reads {
		if strings.HasPrefix(r.table, fileTable) {
			continue // it may get more fields later
		}
		t := vm.required(env, r.table)
		if t == nil || known[r.table+"."+r.name] || t.RawGetString(r.name) != lua.LNil {
			continue
		}
		e := &Error{Script: m.name, Line: r.line, Message: noSuchField(t, r.table, r.name)}
		if !slices.ContainsFunc(problems, func(p *Error) bool { return p.Line == e.Line && p.Message == e.Message }) {
			problems = append(problems, e)
		}
	}
	return problems
}

// silentModules finds the fields that a script looks for in files which return nothing:
// require gives true for them, which has none. Whoever has forgotten the return reads
// otherwise that a boolean was indexed, in another file.
func (l *loader) silentModules(m *module) []*Error {
	if m.env == nil {
		return nil
	}
	if require, ok := m.env.RawGetString("require").(*lua.LFunction); !ok || !require.IsG {
		return nil
	}
	reads, sets := members(m.proto)
	var problems []*Error
	for _, use := range append(reads, sets...) {
		name, isFile := strings.CutPrefix(use.table, fileTable)
		if !isFile {
			continue
		}
		file, _ := l.resolve(m.name, name)
		other := l.fresh[file]
		if other == nil && l.texts[file] == nil {
			other = l.vm.live[file]
		}
		if other == nil || !other.silent {
			continue
		}
		message := fmt.Sprintf("there is no %q: %s returns nothing; end it with a return, such as return { %s = … }", use.name, file, use.name)
		problems = append(problems, &Error{Script: m.name, Line: use.line, Message: message})
	}
	return problems
}

// required returns a script's own ecs or host table; nil when it has put another
// require into the place of the host's.
func (vm *interpreter) required(env *lua.LTable, name string) *lua.LTable {
	require, ok := env.RawGetString("require").(*lua.LFunction)
	if !ok || !require.IsG {
		return nil
	}
	if err := vm.state.CallByParam(lua.P{Fn: require, NRet: 1, Protect: true}, lua.LString(name)); err != nil {
		return nil
	}
	t, _ := vm.state.Get(-1).(*lua.LTable)
	vm.state.Pop(1)
	return t
}

// noSuchField says what an access to a field that the table lacks says when it runs.
func noSuchField(t *lua.LTable, table, name string) string {
	var names []string
	t.ForEach(func(k, _ lua.LValue) { names = append(names, k.String()) })
	if table == "host" {
		return fmt.Sprintf("the host exposes no %q%s", name, bindings.DidYouMean(name, names))
	}
	return bindings.Lacks(name, names)
}
