package bindings

import (
	"fmt"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

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
