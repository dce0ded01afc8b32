package bindings

import (
	"errors"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

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
