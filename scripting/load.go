package scripting

import (
	"crypto/sha256"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
)

// module is one script that has run: its text, what it has declared, and what it has
// returned to other scripts. A reload makes a new module. A module never changes, except the
// values in its environment.
type module struct {
	name       string
	text       []byte
	program    *program
	script     *bindings.Declarations
	env        *lua.LTable // its globals
	exports    lua.LValue
	silent     bool             // it has returned no value
	requires   []string         // the scripts that it requires directly
	asks       []string         // the data files that it has asked for
	forwarding proxy.Forwarding // tables that earlier versions have returned
	hash       [32]byte         // see digest
	sizes      map[string]int   // how many entries its tables had after its load; see ownTables
	used       used             // what its top level has used
}

// digest is the SHA-256 of the text, for those who compare texts.
func (m *module) digest() [32]byte {
	if m.hash == [32]byte{} {
		m.hash = sha256.Sum256(m.text)
	}
	return m.hash
}

// source returns the text that the module was made of, to run it again.
func (m *module) source() *source {
	return &source{name: m.name, text: m.text, program: m.program, requires: m.requires, asks: m.asks}
}

// sources returns the texts of the live modules.
func (vm *interpreter) sources() map[string]*source {
	all := make(map[string]*source, len(vm.live))
	for name, m := range vm.live {
		all[name] = m.source()
	}
	return all
}

// loader runs a set of scripts whose text is new, and the scripts that depend on them. What
// is live stays as it is, because top levels only declare.
//
// Invariant: each script of texts is in order once it has run, and then either in fresh
// or in failed; the scripts on the stack are those that have begun and not finished.
type loader struct {
	vm     *interpreter
	texts  map[string]*source // to be run; removed files are not there
	gone   map[string]bool    // scripts that are removed
	data   dataSet            // data files that change, and those that are read in this load
	fresh  map[string]*module // scripts that have run without a problem
	order  []*module          // modules of fresh, in the order in which they have ended
	begun  []*module          // modules in the order in which they have begun
	stack  []string           // scripts that are being run, outermost first
	failed map[string]bool    // scripts that have problems
	inner  used               // what scripts have used that the one that runs has required

	changed tableChanges // after the top levels of all scripts; made when it is first asked for
	brief   bool         // a step waits: see most and checked
}

// What a step looks for that runs a set. To find one problem of hostile texts takes up to half a millisecond, to check
// a token up to half a microsecond.
const (
	maxInStep     = 5    // problems of one kind of a file
	checkedInStep = 5000 // tokens of the scripts whose calls are checked
)

// most is how many problems of one kind of a file are looked for. The dry run of a set, for which no step waits, has
// found the others.
func (l *loader) most() int {
	if l.brief {
		return maxInStep
	}
	return maxProblems
}

// checked returns the modules whose calls are checked.
func (l *loader) checked(modules []*module) []*module {
	tokens := int64(0)
	for i, m := range modules {
		if m.program != nil {
			tokens += m.program.tokens
		}
		if l.brief && tokens > checkedInStep {
			return modules[:i]
		}
	}
	return modules
}

// load runs a set of texts and the scripts that depend on them.
//
// When the set changes the fields of a component or an event, a script that declares the
// same has to run again, too, although it requires no file of the set. Which scripts
// those are is known after a run only; so all run once more together, with the
// scripts of the new fields first. Before that, modules that stay are put back to the
// snapshot. Each round runs more scripts than the one before it, so this ends.
func (vm *interpreter) load(texts map[string]*source, kept *holdings) *loader {
	var first []string
	for {
		l := vm.loadSet(texts, first)
		stay, _, _ := l.split()
		affected, changing := vm.binding.Affected(stay)
		if len(affected) == 0 {
			return l
		}
		vm.binding.Abandon()
		kept.restore()
		vm.offered = l.data.read
		texts, first = maps.Clone(texts), changing
		for _, name := range affected {
			texts[name] = vm.live[name].source()
		}
	}
}

// newLoader divides a set of texts into scripts that have to run and files that are gone.
func (vm *interpreter) newLoader(texts map[string]*source) *loader {
	l := &loader{vm: vm, texts: map[string]*source{}, gone: map[string]bool{}, fresh: map[string]*module{}, failed: map[string]bool{}}
	l.data.begin(vm)
	for name, s := range texts {
		if isDataFile(name) {
			l.data.changed[name] = s
		} else if s.removed {
			l.gone[name] = true
		} else {
			l.texts[name] = s
		}
	}
	return l
}

// loadSet runs the texts in alphabetical order, so that each load of the same files does
// the same. A script that is required runs before the one that requires it, and those
// named in first run before all others.
func (vm *interpreter) loadSet(texts map[string]*source, first []string) *loader {
	l := vm.newLoader(texts)
	l.brief = !vm.limiter.loading && !vm.limiter.dry
	vm.compiling = compileBudget()
	l.addDependents(vm.sources())
	vm.limiter.allowUntried(vm.lastUse(l))
	vm.loader = l
	defer func() { vm.loader = nil }() // also when a function of the host ends the goroutine
	vm.binding.Begin()
	for _, name := range slices.Concat(first, slices.Sorted(maps.Keys(l.texts))) {
		if l.texts[name] != nil {
			l.ensure(nil, name)
		}
	}
	return l
}

// addDependents adds the live scripts that require, directly or not, a script which
// changes or goes, or that have asked for a data file which does: they hold values of its old
// version.
func (l *loader) addDependents(live map[string]*source) {
	for again := true; again; {
		again = false
		for name, s := range live {
			if l.changes(name) || !slices.ContainsFunc(s.requires, l.changes) && !slices.ContainsFunc(s.asks, l.changes) {
				continue
			}
			l.texts[name] = s
			again = true
		}
	}
}

// changes reports whether a file belongs to the set: its script runs, it is gone, or it is a data
// file that changes.
func (l *loader) changes(name string) bool {
	return l.texts[name] != nil || l.gone[name] || l.data.changed[name] != nil
}

// ensure runs a script, unless it has run in this load, and returns its module, or nil if
// it has problems. It runs on the thread of the script that requires it; if L is nil, on a
// thread of its own.
func (l *loader) ensure(L *lua.LState, name string) *module {
	if m := l.fresh[name]; m != nil || l.failed[name] {
		return m
	}
	s := l.texts[name]
	m := &module{name: name, text: s.text, program: s.program, exports: lua.LTrue}
	if len(s.problems) > 0 {
		m.script = &bindings.Declarations{Name: name}
		for _, e := range s.problems { // copies: the text may be tried again while the game reads these
			problem := *e
			m.script.Problems = append(m.script.Problems, &problem)
		}
	} else {
		l.stack, l.begun = append(l.stack, name), append(l.begun, m)
		outer, before := l.inner, l.vm.limiter.soFar()
		l.inner = used{}
		var env *lua.LTable
		m.script = l.vm.binding.Declare(L, name, func(L *lua.LState) {
			m.script = l.vm.binding.Declaring()
			env = l.run(L, m)
		})
		all := l.vm.limiter.soFar().minus(before)
		m.used, l.inner = all.minus(l.inner), outer.plus(all)
		l.deep(m.script.Problems)
		l.stack = l.stack[:len(l.stack)-1]
		m.asks = l.data.asked[name]
		if env != nil { // the top level ran to its end
			m.script.Problems = append(m.script.Problems, l.unknownNames(m, env)...)
			m.script.Problems = append(m.script.Problems, l.callCheck(m).rows(false)...)
		}
		// A module that returns nothing may be what has ended the top level: then its
		// problem says more than the error in the same line.
		for _, e := range l.silentModules(m) {
			m.script.Problems = slices.DeleteFunc(m.script.Problems, func(p *Error) bool { return env == nil && p.Script == e.Script && p.Line == e.Line })
			m.script.Problems = append(m.script.Problems, e)
		}
	}
	l.order = append(l.order, m)
	if len(m.script.Problems) > 0 {
		l.failed[name] = true
		return nil
	}
	l.fresh[name] = m
	return m
}

// callbacksOfRequire is how many callbacks a file takes that another one requires: a protected
// call and the top level.
const callbacksOfRequire = 2

// deep words the error of too many callbacks in each other, if most of them are files that
// require each other in a row.
func (l *loader) deep(problems []*Error) {
	n := len(l.stack)
	for _, e := range problems {
		if e.Limit == "Callbacks" && 4*callbacksOfRequire*n > 3*l.vm.limits.Callbacks {
			*e = *diag.Reached("Callbacks", "%d files require each other in a row, which is too deep", n).
				And(diag.Format(": begin %s with a require of %s, so that the row is half as long", l.stack[0], l.stack[n/2])).On(e.At())
		}
	}
}

// run runs a script's top level in an environment of its own, which it returns. What the
// script returns are the module's exports; true stands for nothing, as in Lua 5.1.
func (l *loader) run(L *lua.LState, m *module) *lua.LTable {
	fn := L.NewFunctionFromProto(m.program.Proto)
	env := l.vm.environment(m)
	m.env = env
	lua.SetEnv(fn, env)
	L.Push(fn)
	L.Call(0, 1)
	if v := L.Get(-1); v != lua.LNil {
		m.exports = v
	} else {
		m.silent = true
	}
	L.Pop(1)
	return env
}

// require returns what another script of the folder has returned, and runs it first if
// it is part of the load. Only top levels may require: a module that appears while
// systems run would make the order of loading depend on the game.
func (vm *interpreter) require(L *lua.LState, from *module, name string) lua.LValue {
	l := vm.loader
	if l == nil {
		fault.RaiseAt(L, fault.Argument(1), "%s", requiredInGame(name).Message)
	}
	file, ok := l.resolve(from.name, name)
	if !ok {
		fault.RaiseAt(L, fault.Argument(1), "module %q not found%s", name, l.meant(L, name))
	}
	if !slices.Contains(from.requires, file) {
		from.requires = append(from.requires, file)
	}
	if at := slices.Index(l.stack, file); at >= 0 {
		fault.RaiseAt(L, fault.Argument(1), "require goes in a circle: %s", strings.Join(append(slices.Clone(l.stack[at:]), file), " → "))
	}
	if l.texts[file] == nil {
		return vm.live[file].exports
	}
	m := l.ensure(L, file)
	if m == nil {
		echo := diag.New("module %q has errors of its own", name)
		echo.Echo = true
		fault.Raise(L, echo)
	}
	return m.exports
}

// requiredInGame is the error of a require while systems run.
func requiredInGame(name string) *Error {
	return diag.New("require %q: scripts are required at the top level, not while systems run", diag.Cut(name))
}

// resolve turns the name that a script requires into the path of a file:
// "steer" and "ai.steer" from the root, "./steer" and "../lib/x" from the
// folder of the script. A folder stands for its init.lua.
func (l *loader) resolve(from, name string) (string, bool) {
	for _, file := range requirable(from, name) {
		if l.texts[file] != nil || l.vm.live[file] != nil && !l.gone[file] {
			return file, true
		}
	}
	return "", false
}

// requirable lists the files that a name may stand for, the first one that there is counts.
func requirable(from, name string) []string {
	base := strings.TrimSuffix(name, ".lua")
	if strings.HasPrefix(base, "./") || strings.HasPrefix(base, "../") {
		base = path.Join(path.Dir(from), base)
	} else {
		base = path.Clean(strings.ReplaceAll(base, ".", "/"))
	}
	return []string{base + ".lua", base + "/init.lua"}
}

// meant says what has become of a module that is not found, or which one may be meant.
func (l *loader) meant(L *lua.LState, name string) string {
	file := strings.ReplaceAll(strings.TrimSuffix(name, ".lua"), ".", "/") + ".lua"
	switch {
	case l.gone[file]:
		return ": " + diag.Cut(file) + " is removed by the same load"
	case isDataFile(file):
		return diag.Format(": in the folder %s lie tables and no scripts; read one with ecs.data(%q)", path.Dir(file), diag.Cut(file))
	}
	names := l.moduleNames()
	slices.Sort(names)
	for _, known := range names {
		if strings.HasSuffix(known, "."+name) {
			return diag.Format(" (did you mean %q?)", known)
		}
	}
	return suggestion(L, name, names)
}

// moduleNames lists the names that could be required, with dots, for "did you mean".
func (l *loader) moduleNames() []string {
	names := []string{"ecs", "host"}
	for file := range l.texts {
		names = append(names, dotted(file))
	}
	for file := range l.vm.live {
		names = append(names, dotted(file))
	}
	return names
}

// dotted is the name by which a file is usually required.
func dotted(file string) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(file, ".lua"), "/init"), "/", ".")
}
