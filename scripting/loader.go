package scripting

import (
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
	"github.com/perigee-ecs/perigee/scripting/internal/lualib"
	lua "github.com/yuin/gopher-lua"
)

// module is one script that has run.
type module struct {
	name     string
	text     []byte
	proto    *lua.FunctionProto
	kernels  *kernel.Script
	script   *bindings.Script
	env      *lua.LTable // its globals
	exports  lua.LValue
	requires []string        // modules that it asked for
	former   bindings.Former // tables that earlier versions have returned
}

// loader runs a set of scripts whose text is new, and those that depend on
// them, without touching what is live.
type loader struct {
	host   *Host
	texts  map[string]*source // to be run; removed ones are not there
	gone   map[string]bool
	fresh  map[string]*module
	order  []*module // in which they finished
	stack  []string  // scripts that are being run, outermost first
	failed map[string]bool
}

// maxRounds is how often a set is run again for the sake of changed fields. Once
// is enough, but where a script that declares them requires one that fetches the
// component or event by name.
const maxRounds = 2

const fetchedEarly = "it fetches a component or an event by name before the file that changes its fields has declared it: require that file instead"

// load runs a set of texts and those that depend on it. When they change the
// fields of a component or an event, scripts that use it in another way than by
// require are run as well, which takes a second run of all.
func (h *Host) load(texts map[string]*source) *loader {
	var first []string
	for rounds := 0; ; rounds++ {
		l := h.loadSet(texts, first)
		stay, _, fresh := l.split()
		affected, changing := h.module.Affected(stay, fresh)
		if len(affected) == 0 {
			return l
		}
		if rounds == maxRounds {
			for _, s := range fresh {
				if slices.Contains(affected, s.Name) {
					s.Problems = append(s.Problems, &Error{Script: s.Name, Message: fetchedEarly})
				}
			}
			return l
		}
		h.module.Abandon()
		texts, first = maps.Clone(texts), changing
		for _, name := range affected {
			if m := h.live[name]; m != nil && texts[name] == nil {
				texts[name] = &source{name: name, text: m.text, proto: m.proto, kernels: m.kernels}
			}
		}
	}
}

// loadSet runs the texts in alphabetical order, what they require first, and
// before all others those that are to be the first.
func (h *Host) loadSet(texts map[string]*source, first []string) *loader {
	l := &loader{host: h, texts: map[string]*source{}, gone: map[string]bool{}, fresh: map[string]*module{}, failed: map[string]bool{}}
	for name, s := range texts {
		if s.removed {
			l.gone[name] = true
		} else {
			l.texts[name] = s
		}
	}
	l.addDependents()
	h.loader = l
	h.module.Begin()
	for _, name := range slices.Concat(first, slices.Sorted(maps.Keys(l.texts))) {
		if l.texts[name] != nil {
			l.ensure(nil, name)
		}
	}
	h.loader = nil
	return l
}

// addDependents adds the live scripts that require, directly or not, one whose
// text changes or goes.
func (l *loader) addDependents() {
	for again := true; again; {
		again = false
		for name, m := range l.host.live {
			if l.texts[name] != nil || l.gone[name] || !slices.ContainsFunc(m.requires, l.changes) {
				continue
			}
			l.texts[name] = &source{name: name, text: m.text, proto: m.proto, kernels: m.kernels}
			again = true
		}
	}
}

func (l *loader) changes(name string) bool { return l.texts[name] != nil || l.gone[name] }

// ensure runs a script unless it has run in this load: on the state of the
// script that requires it, or of its own accord when L is nil.
func (l *loader) ensure(L *lua.LState, name string) *module {
	if m := l.fresh[name]; m != nil || l.failed[name] {
		return m
	}
	s := l.texts[name]
	m := &module{name: name, text: s.text, proto: s.proto, kernels: s.kernels, exports: lua.LTrue}
	if s.problem != nil {
		m.script = &bindings.Script{Name: name, Problems: []*Error{s.problem}}
	} else {
		l.stack = append(l.stack, name)
		var env *lua.LTable
		m.script = l.host.module.Declare(L, name, func(L *lua.LState) { env = l.run(L, m) })
		l.stack = l.stack[:len(l.stack)-1]
		if env != nil { // the top level ran to its end
			m.script.Problems = append(m.script.Problems, l.host.unknownNames(m, env)...)
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

// run runs a script's top level in an environment of its own, which it returns.
func (l *loader) run(L *lua.LState, m *module) *lua.LTable {
	fn := L.NewFunctionFromProto(m.proto)
	env := l.host.environment(m)
	fn.Env, m.env = env, env
	L.Push(fn)
	L.Call(0, 1)
	if v := L.Get(-1); v != lua.LNil {
		m.exports = v
	}
	L.Pop(1)
	return env
}

// environment makes the globals of one script. Reading a name that nobody has
// set is an error: it is a typing mistake far more often than a question.
func (h *Host) environment(m *module) *lua.LTable {
	env := h.library.Env()
	var api, host *lua.LTable
	env.RawSetString("require", h.state.NewFunction(func(L *lua.LState) int {
		name := L.CheckString(1)
		switch name {
		case "ecs":
			if api == nil {
				api = h.module.Table(L)
			}
			L.Push(api)
		case "host":
			if host == nil {
				host = h.hostTable(L)
			}
			L.Push(host)
		default:
			L.Push(h.require(L, m, name))
		}
		return 1
	}))
	refuseUnknown(h.state, env, m.text)
	return env
}

// refuseUnknown makes it an error to read a global that nobody has set, and says
// which name of the script's text was meant.
func refuseUnknown(L *lua.LState, env *lua.LTable, text []byte) {
	meta := L.NewTable()
	meta.RawSetString("__index", L.NewFunction(func(L *lua.LState) int {
		name := L.Get(2).String()
		lualib.Charge(L, len(text)/4) // to look for what it could mean
		L.RaiseError("unknown name %q%s", name, bindings.DidYouMean(name, names(env, text)))
		return 0
	}))
	env.Metatable = meta
}

// names lists what a script could have meant: its globals, and the other words
// of its text, among them its locals.
func names(env *lua.LTable, text []byte) []string {
	var list []string
	env.ForEach(func(k, _ lua.LValue) { list = append(list, k.String()) })
	return append(list, strings.FieldsFunc(string(text), func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})...)
}

// hostTable makes a script's own table of what the host exposed.
func (h *Host) hostTable(L *lua.LState) *lua.LTable {
	t := L.CreateTable(0, len(h.exposed))
	names := slices.Sorted(maps.Keys(h.exposed))
	for _, name := range names {
		t.RawSetString(name, h.exposed[name])
	}
	meta := L.NewTable()
	meta.RawSetString("__index", L.NewFunction(func(L *lua.LState) int {
		name := L.Get(2).String()
		L.RaiseError("the host exposes no %q%s", name, bindings.DidYouMean(name, slices.Clone(names)))
		return 0
	}))
	meta.RawSetString("__metatable", lua.LFalse)
	t.Metatable = meta
	return t
}

// require finds another script of the folder and returns what it returned.
func (h *Host) require(L *lua.LState, from *module, name string) lua.LValue {
	l := h.loader
	if l == nil {
		L.RaiseError("require %q: scripts are required at the top level, not while systems run", name)
	}
	file, ok := l.resolve(from.name, name)
	if !ok {
		L.RaiseError("module %q not found%s", name, bindings.DidYouMean(name, l.moduleNames()))
	}
	if !slices.Contains(from.requires, file) {
		from.requires = append(from.requires, file)
	}
	if at := slices.Index(l.stack, file); at >= 0 {
		L.RaiseError("require goes in a circle: %s", strings.Join(append(slices.Clone(l.stack[at:]), file), " → "))
	}
	if l.texts[file] == nil {
		return h.live[file].exports
	}
	m := l.ensure(L, file)
	if m == nil {
		L.RaiseError("module %q has errors of its own", name)
	}
	return m.exports
}

// resolve turns the name that a script requires into the path of a file:
// "steer" and "ai.steer" from the root, "./steer" and "../lib/x" from the
// folder of the script. A folder stands for its init.lua.
func (l *loader) resolve(from, name string) (string, bool) {
	base := strings.TrimSuffix(name, ".lua")
	if strings.HasPrefix(base, "./") || strings.HasPrefix(base, "../") {
		base = path.Join(path.Dir(from), base)
	} else {
		base = path.Clean(strings.ReplaceAll(base, ".", "/"))
	}
	for _, file := range []string{base + ".lua", base + "/init.lua"} {
		if l.texts[file] != nil || l.host.live[file] != nil && !l.gone[file] {
			return file, true
		}
	}
	return "", false
}

// moduleNames lists what could be required, dotted.
func (l *loader) moduleNames() []string {
	names := []string{"ecs", "host"}
	for file := range l.texts {
		names = append(names, dotted(file))
	}
	for file := range l.host.live {
		names = append(names, dotted(file))
	}
	return names
}

func dotted(file string) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(file, ".lua"), "/init"), "/", ".")
}
