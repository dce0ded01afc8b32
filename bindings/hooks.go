package bindings

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// origin is where a script has declared something.
type origin struct {
	script string
	line   int
}

// origin returns the place of the call of a builtin.
func (a *args) origin() (at origin) {
	at.script, at.line = fault.Here(a.L)
	return at
}

// between runs a function of a script between two ticks, in a transaction of its own:
// run is the call. undone reports that the call has failed, so that nothing of it
// remains and it may be made again. The error tells more than that: a command that
// cannot be applied, or an observer that fails, comes after the call, whose other
// commands are done.
func (m *Module) between(name string, at origin, run func(*ecs.Tick) error) (undone bool, err error) {
	undone = true
	err = m.world.Run(name, func(t *ecs.Tick) error {
		err := run(t)
		undone = err != nil
		return err
	})
	return undone, at.locate(err, name)
}

// locate puts the place to those of joined errors that are the run's own and come from
// the world. A script's own know theirs.
func (at origin) locate(err error, run string) error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var list []error
		for _, one := range many.Unwrap() {
			list = append(list, at.locate(one, run))
		}
		return errors.Join(list...)
	}
	sys, ok := err.(*ecs.SystemError)
	if _, known := errors.AsType[*diag.Error](err); known || !ok || sys.System != run {
		return err
	}
	return &diag.Error{
		Script: at.script, Line: at.line, System: run, Tick: sys.Tick,
		Message: sys.Err.Error(), GoStack: string(sys.Stack), Err: err,
	}
}

// start is an ecs.on_start function.
type start struct {
	at origin
	fn *lua.LFunction
}

// Place returns where a system or an observer of the script is declared: the world
// knows its name alone.
func (s *Script) Place(name string) (script string, line int, ok bool) {
	for _, sys := range s.Systems {
		if sys.Name == name {
			return sys.Script, sys.Line, true
		}
	}
	for _, o := range s.observers {
		if o.name == name {
			return o.script, o.line, true
		}
	}
	return "", 0, false
}

// reaction is an ecs.on_error function. One that has failed is not called again
// until its script is loaded anew: a fault in what deals with faults must not
// make more of them.
type reaction struct {
	script  string
	at      origin
	fn      *lua.LFunction
	context exec.Context
	failed  bool
}

// declareOnError is ecs.on_error(function(err, ctx) … end).
func declareOnError(a *args) int {
	s := a.declares()
	r := &reaction{script: s.Name, at: a.origin(), fn: a.function(1)}
	r.context.Lend(r.fn, 1)
	s.reactions = append(s.reactions, r)
	return 0
}

// addReactions takes in those of a new script; they are called in the order of
// their scripts' names.
func (m *Module) addReactions(s *Script) {
	m.reactions = append(m.reactions, s.reactions...)
	slices.SortStableFunc(m.reactions, func(a, b *reaction) int { return cmp.Compare(a.script, b.script) })
}

func (m *Module) dropReactions(s *Script) {
	m.reactions = slices.DeleteFunc(m.reactions, func(r *reaction) bool { return slices.Contains(s.reactions, r) })
}

// reactionPrefix begins the names of calls of on_error functions.
const reactionPrefix = "on_error "

// React tells the on_error functions of a fault, each in a transaction of its
// own; report gets the failures. Call it between two ticks.
func (m *Module) React(e *diag.Error, report func(error)) {
	for _, r := range slices.Clone(m.reactions) {
		if r.failed {
			continue
		}
		name := reactionPrefix + r.script
		_, err := m.between(name, r.at, func(t *ecs.Tick) error {
			return m.tx.Invoke(t, r.script, name, func(L *lua.LState) {
				L.Push(r.fn)
				L.Push(m.faultTable(e))
				L.Push(m.exec.Fill(&r.context, t))
				L.Call(2, 0)
			})
		})
		if err != nil {
			r.failed = true
			report(err)
		}
	}
}

// faultTable is what an on_error function gets.
func (m *Module) faultTable(e *diag.Error) *lua.LTable {
	t := m.main.CreateTable(0, 10)
	t.RawSetString("script", lua.LString(e.Script))
	t.RawSetString("line", lua.LNumber(e.Line))
	t.RawSetString("system", lua.LString(e.System))
	t.RawSetString("message", lua.LString(e.Message))
	t.RawSetString("text", lua.LString(e.Error()))
	t.RawSetString("tick", lua.LNumber(e.Tick))
	t.RawSetString("times", lua.LNumber(max(e.Times, 1)))
	t.RawSetString("parked", lua.LBool(e.Parked))
	if e.Entity != 0 {
		t.RawSetString("entity", lua.LNumber(e.Entity))
	}
	return t
}

// swapHook is what a script does when its version ends, and welcome what the next
// version does with the value that it hands over.
type swapHook struct {
	fn      *lua.LFunction
	at      origin
	context exec.Context
}

// declareUnload is ecs.on_unload(function(ctx) … return value end).
func declareUnload(a *args) int {
	s := a.declares()
	f := &swapHook{fn: a.function(1), at: a.origin()}
	if s.onUnload != nil {
		a.problem("ecs.on_unload is declared twice, first in line %d: only one value can be handed over", s.onUnload.at.line)
	}
	s.onUnload = f
	return 0
}

// declareReload is ecs.on_reload(function(value, ctx) … end).
func declareReload(a *args) int {
	s := a.declares()
	w := &swapHook{fn: a.function(1), at: a.origin()}
	w.context.Lend(w.fn, 1)
	s.onReload = append(s.onReload, w)
	return 0
}

// Unload runs the on_unload function of a script whose version has ended, in a
// transaction of its own and within the limits of a call. It returns what the
// function hands over: plain data, nil when there is none or when it failed; and what
// of it is left behind, in words.
func (m *Module) Unload(s *Script) (handed lua.LValue, left string, err error) {
	handed = lua.LNil
	if s.onUnload == nil {
		return handed, "", nil
	}
	name := "on_unload " + s.Name
	undone, err := m.between(name, s.onUnload.at, func(t *ecs.Tick) error {
		return m.tx.Invoke(t, s.Name, name, func(L *lua.LState) {
			m.tx.Call.Once = true
			L.Push(s.onUnload.fn)
			L.Push(m.exec.Fill(&s.onUnload.context, t))
			L.Call(1, 1)
			a := &args{m, L, "on_unload"}
			handed, left = a.handOver(L.Get(-1))
			L.Pop(1)
		})
	})
	if undone {
		handed, left = lua.LNil, "all of it: the function has failed"
	}
	if e, ok := errors.AsType[*diag.Error](err); ok && e.Line == 0 {
		e.Line = s.onUnload.at.line // what it handed over was wrong
	}
	return handed, left, err
}

// TakesHandover reports whether the script has on_reload functions.
func (s *Script) TakesHandover() bool { return len(s.onReload) > 0 }

// Reloaded runs the on_reload functions of a script that has taken the place of
// an older version, with what that one has handed over. Each is a transaction;
// report gets the failures.
func (m *Module) Reloaded(s *Script, handed lua.LValue, report func(error)) {
	name := "on_reload " + s.Name
	for _, w := range s.onReload {
		_, err := m.between(name, w.at, func(t *ecs.Tick) error {
			return m.tx.Invoke(t, s.Name, name, func(L *lua.LState) {
				m.tx.Call.Once = true
				L.Push(w.fn)
				L.Push(handed)
				L.Push(m.exec.Fill(&w.context, t))
				L.Call(2, 0)
			})
		})
		if err != nil {
			report(err)
		}
	}
}

// observer is ecs.on_add and its kin as a script declared it.
type observer struct {
	name    string
	script  string
	line    int
	on      ecs.Trigger
	comp    *decl.Component // nil for spawn and despawn
	fn      *lua.LFunction
	row     *exec.Row
	context exec.Context
}

// verbs are the names of the changes, for observers that have none of their own.
func verb(on ecs.Trigger) string {
	return map[ecs.Trigger]string{
		ecs.OnAdd: "on_add", ecs.OnSet: "on_set", ecs.OnRemove: "on_remove",
		ecs.OnSpawn: "on_spawn", ecs.OnDespawn: "on_despawn",
	}[on]
}

// observe makes the builtin for one kind of change:
// ecs.on_add([name,] component, function(e, fields, ctx) … end).
func observe(on ecs.Trigger) func(*args) int {
	return func(a *args) int {
		s := a.declares()
		o := &observer{on: on}
		script, line := fault.Here(a.L)
		o.script, o.line = script, line
		i := 1
		if _, named := a.L.Get(1).(lua.LString); named {
			o.name = a.named(1)
			i++
		}
		if on&(ecs.OnSpawn|ecs.OnDespawn) == 0 {
			o.comp = a.component(i)
			i++
		}
		o.fn = a.function(i)
		takes := observerGets
		if o.comp == nil {
			takes = notifiedOf
		}
		if at, why := entityIndexed(o.fn, "the function", takes); why != "" {
			a.note(&diag.Error{Script: script, Line: at, Message: "ecs." + a.name + ": " + why})
		}
		o.name = s.observerName(o, script, line)
		s.observers = append(s.observers, o)
		return 0
	}
}

// observerName makes a name that no other observer has: the script and what the
// script calls it, or the line and what it watches.
func (s *Script) observerName(o *observer, script string, line int) string {
	name := fmt.Sprintf("%s:%s", script, o.name)
	if o.name == "" {
		name = fmt.Sprintf("%s:%d %s", script, line, verb(o.on))
		if o.comp != nil {
			name += " " + o.comp.Name
		}
	}
	for plain, n := name, 0; s.again("observer", name); {
		n = max(n+1, s.named["observer "+plain]) // one that looks like a number may be taken
		name = fmt.Sprintf("%s #%d", plain, n)
	}
	return name
}

// buildObserver makes the world's observer, once the component is committed.
func (m *Module) buildObserver(o *observer) ecs.Observer {
	out := ecs.Observer{Name: o.name, On: o.on}
	if o.comp != nil {
		out.Component = o.comp.ID
		o.row = m.exec.NewLoan(o.comp.Schema, o.fn, 1, "of an observer", sealedNotice)
		o.context.Lend(o.fn, 2)
	} else {
		o.context.Lend(o.fn, 1)
	}
	out.Run = func(t *ecs.Tick, n ecs.Notice) error {
		if o.row != nil {
			defer o.row.Recall(m.exec)
		}
		return m.tx.Invoke(t, o.script, o.name, func(L *lua.LState) {
			m.tx.Call.Entity = n.Entity
			L.Push(o.fn)
			L.Push(lua.LNumber(n.Entity))
			count := 2
			if o.comp != nil {
				L.Push(m.noticed(L, o, n))
				count++
			}
			L.Push(m.exec.Fill(&o.context, t))
			L.Call(count, 0)
		})
	}
	return out
}

// sealedNotice is said to whoever writes to what an observer gets.
const sealedNotice = "what an observer gets is a copy, and cannot be changed: use ecs.update or ecs.set for the entity"

// noticed returns the fields that an observer gets: the value as it is, or as
// it was when it was removed. They are a copy: ecs.set changes the world.
func (m *Module) noticed(L *lua.LState, o *observer, n ecs.Notice) lua.LValue {
	p := n.Old
	if n.Trigger != ecs.OnRemove {
		p = m.world.Raw().Pointer(n.Entity, o.comp.ID)
	}
	switch {
	case p == nil:
		return lua.LNil
	case o.comp.Tag():
		return lua.LTrue
	}
	return o.row.Fill(L, p)
}

const (
	// maxHandover bounds how many entries a version hands over.
	maxHandover = 250_000
	// handoverTable and handedEntry are about what a copy takes, in bytes.
	handoverTable = 300
	handoverEntry = 64
	// maxLeft is how many of the things that are left behind are named.
	maxLeft = 5
)

// handover copies what a version hands over to the next: numbers, strings, booleans and
// tables of them, which may contain each other and themselves. What else there is would
// be code of the old version, or lead to it: it is left behind, and named.
type handover struct {
	a     *args
	made  map[*lua.LTable]*lua.LTable
	queue []pendingCopy
	count int
	left  []string
	more  int // that are left behind and not named
}

// pendingCopy is a table whose copy is still to be filled.
type pendingCopy struct {
	from, to *lua.LTable
	path     string
}

// handOver returns the copy, and what is left behind, in words.
func (a *args) handOver(v lua.LValue) (handed lua.LValue, left string) {
	h := &handover{a: a, made: map[*lua.LTable]*lua.LTable{}}
	handed = h.copied(v, "")
	for len(h.queue) > 0 {
		next := h.queue[0]
		h.queue = h.queue[1:]
		value.Pairs(next.from, func(k, item lua.LValue) { h.entry(next, k, item) })
	}
	if h.more > 0 {
		h.left = append(h.left, fmt.Sprintf("%s more", diag.Grouped(int64(h.more))))
	}
	return handed, strings.Join(h.left, "; ")
}

func (h *handover) entry(in pendingCopy, k, item lua.LValue) {
	if h.count++; h.count > maxHandover {
		h.a.fail("what is handed over has more than %s entries", diag.Grouped(maxHandover))
	}
	value.Charge(h.a.L, stepsPerEntry)
	value.ChargeBytes(h.a.L, handoverEntry)
	path := in.path + pathOf(k, in.path == "")
	key := h.copied(k, path+" (the key)")
	if key == lua.LNil {
		return
	}
	in.to.RawSet(key, h.copied(item, path))
}

// pathOf is how a script writes the access to a key.
func pathOf(k lua.LValue, first bool) string {
	switch k := k.(type) {
	case lua.LString:
		if first {
			return diag.Cut(string(k))
		}
		return "." + diag.Cut(string(k))
	case lua.LNumber, lua.LBool:
		return "[" + k.String() + "]"
	}
	return "[a " + k.Type().String() + "]"
}

// copied returns a value of the new version, nil for what is left behind.
func (h *handover) copied(v lua.LValue, path string) lua.LValue {
	switch v := v.(type) {
	case lua.LNumber, lua.LString, lua.LBool, *lua.LNilType:
		return v
	case *lua.LTable:
		if t := h.made[v]; t != nil {
			return t
		}
		if v.Metatable != lua.LNil && value.Over(v) != "" {
			h.leave(path, "it was over with its call")
			return lua.LNil
		}
		if v.Metatable != lua.LNil && value.Unwrap(v) == v {
			h.leave(path, "its metatable; its entries are handed over")
		}
		value.ChargeBytes(h.a.L, handoverTable)
		t := h.a.L.NewTable()
		h.made[v] = t
		if len(path) > longestPath {
			path = path[:longestPath] + "…"
		}
		h.queue = append(h.queue, pendingCopy{v, t, path})
		return t
	}
	h.leave(path, value.Describe(v))
	return lua.LNil
}

// longestPath is where the names of deep entries are cut.
const longestPath = 80

func (h *handover) leave(path, why string) {
	if len(h.left) >= maxLeft {
		h.more++
		return
	}
	if path == "" {
		path = "all of it"
	}
	h.left = append(h.left, path+": "+why)
}
