package scripting

import (
	"cmp"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/scripting/internal/analysis"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// unknownNames finds names in the functions of a script that nothing can have set. They
// would be errors when the functions run; so a misspelt name is found when the file is
// saved. env is the script's environment after its top level has run.
func (l *loader) unknownNames(m *module, env *lua.LTable) []*Error {
	return append(l.unknownGlobals(m, env), l.unknownMembers(m, env)...)
}

// unknownGlobals finds the globals that functions read and that neither the library, nor
// the top level, nor any assignment in the text has set. A script that uses _G may set any
// name, so nothing is known about it before it runs.
func (l *loader) unknownGlobals(m *module, env *lua.LTable) []*Error {
	var quota diag.Quota
	tree := m.program.learned().Tree
	globals, sets := tree.Names.Globals, map[string]bool{}
	for _, g := range globals {
		if g.Name == "_G" {
			return nil
		}
		sets[g.Name] = sets[g.Name] || g.Set
	}
	var problems []*Error
	for _, g := range globals {
		if sets[g.Name] || env.RawGetString(g.Name) != lua.LNil {
			continue
		}
		if len(problems) == min(maxUnknown, l.most()) {
			break
		}
		meant := cmp.Or(howToGet(tree, g.Name, g.Pos), l.vm.inRequired(m, g.Name))
		if meant == "" {
			meant = unknownName(g.Name, quota.DidYouMean(g.Name, func() []string { return names(env, tree.Visible(g.Pos)) }))
		}
		problems = add(problems, errorAt(m, g.Pos, "unknown name %q%s", g.Name, meant))
	}
	return problems
}

// newGlobals finds the globals that a misspelt name or a forgotten local has made: those that functions set and
// whose name is near that of a local there, and those that the text sets once and reads nowhere. A script
// that uses _G may read any of them.
func (vm *interpreter) newGlobals(m *module) (notes []*Error) {
	tree := m.program.learned().Tree
	var quota diag.Quota
	type use struct {
		first     syntax.Pos
		sets      int
		read, top bool
	}
	uses, order := map[string]*use{}, []string{}
	for _, g := range tree.Names.Globals {
		u := uses[g.Name]
		if u == nil {
			u = &use{}
			uses[g.Name] = u
		}
		if g.Name == "_G" {
			return nil
		}
		if !g.Set {
			u.read = true
		} else if u.sets++; u.sets == 1 {
			u.first = g.Pos
			order = append(order, g.Name)
		}
	}
	for _, s := range tree.Body {
		if a, ok := s.(*syntax.Assign); ok {
			for _, target := range a.Lhs {
				if name, ok := target.(*syntax.Name); ok && uses[name.Value] != nil {
					uses[name.Value].top = true
				}
			}
		}
	}
	library := vm.library.Env()
	for _, name := range order {
		u := uses[name]
		alone := u.sets == 1 && !u.read
		if len(notes) == maxUnknown || !alone && u.top || library.RawGetString(name) != lua.LNil {
			continue
		}
		locals := func() []string {
			return slices.DeleteFunc(tree.Visible(u.first), func(v string) bool { return uses[v] != nil && uses[v].sets > 0 })
		}
		switch near := quota.DidYouMean(name, locals); {
		case near != "":
			notes = append(notes, errorAt(m, u.first, "%q becomes a global%s or write local)", name, strings.TrimSuffix(near, ")")))
		case alone:
			notes = append(notes, errorAt(m, u.first, "%q becomes a global, and nothing reads it: write local, if it is needed", name))
		}
	}
	return notes
}

// inRequired says of a name which of the scripts that a script requires has a global of it:
// there it stays.
func (vm *interpreter) inRequired(m *module, name string) string {
	for _, file := range m.requires {
		other := vm.live[file]
		if vm.loader != nil && vm.loader.fresh[file] != nil {
			other = vm.loader.fresh[file]
		}
		if other != nil && other.env != nil && other.env.RawGetString(name) != lua.LNil {
			return diag.Format(": %s has it, but each file has its own variables: return it there, such as return { %s = %s }", file, name, name)
		}
	}
	return ""
}

// maxUnknown is how many unknown names of a file are reported: for each the whole text is
// searched for names that it may stand for.
const maxUnknown = 100

// errorAt returns a fault at a place in a script.
func errorAt(m *module, at syntax.Pos, format string, args ...any) *Error {
	return diag.New(format, args...).On(m.program.place(at))
}

// maxProblems is how many problems of one kind a file reports: each is compared with
// those before it, and the text is searched for its line.
const maxProblems = 1000

// add adds a problem, unless there is the same problem in that line already.
func add(problems []*Error, e *Error) []*Error {
	if len(problems) >= maxProblems || slices.ContainsFunc(problems, func(p *Error) bool { return p.Line == e.Line && p.Message == e.Message }) {
		return problems
	}
	e.Quote()
	return append(problems, e)
}

// unknownMembers finds the fields of the tables ecs and host that do not exist, and
// assignments to any: nobody would call or read what is assigned there.
func (l *loader) unknownMembers(m *module, env *lua.LTable) []*Error {
	vm := l.vm
	fields, set := m.program.learned().Fields, map[string]bool{}
	for _, use := range fields {
		set[use.Module+"."+use.Name] = set[use.Module+"."+use.Name] || use.Set
	}
	var problems []*Error
	for _, use := range fields {
		if len(problems) >= l.most() {
			break
		}
		if use.Module != "ecs" && use.Module != "host" || use.Reach > analysis.Sometimes {
			continue // a file's table may get more fields later, and another host may have more
		}
		t := vm.required(env, use.Module)
		switch {
		case t == nil || set[use.Module+"."+use.Name] && !use.Set:
		case use.Set:
			problems = add(problems, errorAt(m, use.Pos, "%s", vm.fixedField(use.Module, use.Name).Message))
		case t.RawGetString(use.Name) == lua.LNil:
			problems = add(problems, errorAt(m, use.Pos, "%s", vm.noSuchField(t, use.Module, use.Name).Message))
		}
	}
	return problems
}

// fixedField is the error of an assignment to a field of ecs or host.
func (vm *interpreter) fixedField(table, name string) *Error {
	if table == "host" {
		return diag.New("host.%s cannot be assigned: the host alone says what host has; keep it in a local variable", diag.Cut(name))
	}
	return vm.binding.Fixed(name)
}

// missingFields finds the fields that a script calls or computes with, of tables of the
// standard library that have none of the name. A script that uses the table in another way,
// looks for such a field or sets one, or asks for _G or the version of Lua, may do so
// because there are others.
func (l *loader) missingFields(m *module) []*Error {
	if m.env == nil {
		return nil
	}
	open := map[string]bool{} // the tables of which nothing is known for certain
	read := m.program.learned()
	for _, g := range read.Tree.Names.Globals {
		if g.Name == "_G" || g.Name == "_VERSION" {
			return nil
		}
		open[g.Name] = open[g.Name] || g.Set
	}
	lacks := func(use analysis.GlobalField) *lua.LTable {
		t, _ := m.env.RawGetString(use.Table).(*lua.LTable)
		if t == nil || lua.Metatable(t) != lua.LNil || t.RawGetString(use.Name) != lua.LNil {
			return nil
		}
		return t
	}
	uses := read.Globals
	for _, use := range uses {
		handed := use.Name == "" || use.Need == analysis.Anything && lacks(use) != nil
		open[use.Table] = open[use.Table] || handed
	}
	var problems []*Error
	for _, use := range uses {
		t := lacks(use)
		if open[use.Table] || t == nil || len(problems) >= l.most() {
			continue
		}
		does, wanted := "call", lua.LTFunction
		if use.Need == analysis.Numeric {
			does, wanted = "perform arithmetic on", lua.LTNumber
		}
		meant := meant(t, use.Name, wanted)
		problems = add(problems, errorAt(m, use.Pos, "attempt to %s %q, a nil value%s", does, use.Table+"."+use.Name, meant))
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
	if require, ok := m.env.RawGetString("require").(*lua.LFunction); !ok || !lua.IsGo(require) {
		return nil
	}
	var problems []*Error
	said := map[string]bool{} // one place for each file that returns nothing
	for _, use := range m.program.learned().Fields {
		if use.Module == "ecs" || use.Module == "host" {
			continue
		}
		file, other := l.other(m.name, use.Module)
		if other == nil || !other.silent || said[file] {
			continue
		}
		said[file] = true
		problems = add(problems, errorAt(m, use.Pos, "there is no %q: %s returns nothing; end it with a return, such as return { %s = … }", use.Name, file, use.Name))
	}
	return problems
}

// other returns the file that a script requires, and its module, nil where it is not known.
func (l *loader) other(from, name string) (string, *module) {
	file, _ := l.resolve(from, name)
	if m := l.fresh[file]; m != nil || l.changes(file) {
		return file, m
	}
	return file, l.vm.live[file]
}

// required returns a script's own ecs or host table; nil when it has put another
// require into the place of the host's.
func (vm *interpreter) required(env *lua.LTable, name string) *lua.LTable {
	require, ok := env.RawGetString("require").(*lua.LFunction)
	if !ok || !lua.IsGo(require) {
		return nil
	}
	if err := vm.state.CallByParam(lua.P{Fn: require, NRet: 1, Protect: true}, lua.LString(name)); err != nil {
		return nil
	}
	t, _ := proxy.TableOf(vm.state.Get(-1))
	vm.state.Pop(1)
	return t
}

// noSuchField is the error of an access to a field that a table does not have.
func (vm *interpreter) noSuchField(t *lua.LTable, table, name string) *Error {
	if table == "host" {
		var names []string
		t.ForEach(func(k, _ lua.LValue) { names = append(names, k.String()) })
		return diag.New("the host exposes no %q%s", name, diag.DidYouMean(name, names))
	}
	return vm.binding.Lacks(name)
}
