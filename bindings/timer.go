package bindings

import (
	"container/heap"
	"math"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// timers call handlers when their time has come.
type timers struct {
	*core
	handlers map[string]*handler // in force, by name
}

// functions deal with timers.
func (m *timers) functions() map[string]func(*args) int {
	return map[string]func(*args) int{"handler": declareHandler, "after": m.after, "every": m.every, "cancel": cancel}
}

// begin puts the handlers of a new script in force, and notes them in handled.
func (m *timers) begin(s *Script, handled map[string]bool) {
	for _, h := range s.handlers {
		m.handlers[h.name], handled[h.name] = h, true
	}
}

// retire ends the handlers of an old script.
func (m *timers) retire(s *Script) {
	for _, h := range s.handlers {
		delete(m.handlers, h.name)
	}
}

// lives reports whether a call of that name is one of a handler in force.
func (m *timers) lives(name string) bool {
	handler, ok := strings.CutPrefix(name, timerPrefix)
	return ok && m.handlers[handler] != nil
}

// declareHandler is ecs.handler(name, function(data, ctx) … end).
func declareHandler(a *args) int {
	s := a.declares()
	h := &handler{name: a.named(1), fn: a.function(2)}
	h.context.Lend(h.fn, 1)
	h.at = fault.Here(a.L)
	if first, taken := s.first("handler", h.name, h.at); taken {
		a.problemAt(fault.Argument(1), "handler %q is declared twice, first in %s", h.name, first.String())
	}
	s.handlers = append(s.handlers, h)
	return 0
}

// after is ecs.after(seconds, handler, data); it returns a number for cancel.
func (m *timers) after(a *args) int { return m.set(a, false) }

// every is ecs.every(seconds, handler, data).
func (m *timers) every(a *args) int { return m.set(a, true) }

func (m *timers) set(a *args, repeat bool) int {
	c := a.acting()
	seconds, name := a.timerArgs()
	if !(seconds >= 0 && seconds < 1e9) || repeat && seconds < 1e-3 {
		a.wrong(1, "expected seconds from %v up, got %v", map[bool]float64{false: 0, true: 0.001}[repeat], seconds)
	}
	if m.handlers[name] == nil {
		a.failAt(fault.Argument(2), "unknown handler %q%s: declare it with ecs.handler", name, value.Meant(a.L, name, m.handlerNames()))
	}
	script := m.handlers[name].at.Script
	a.mayWait(c, script)
	a.tx.Timers.Last++
	t := &tx.Timer{Id: a.tx.Timers.Last, At: max(c.Tick.Time, a.tx.Timers.Now) + seconds, Handler: name, Script: script, Data: a.plain(a.L.Get(3))}
	if repeat {
		t.Every = seconds
	}
	c.Timers = append(c.Timers, tx.PendingTimer{Timer: t})
	a.L.Push(lua.LNumber(t.Id))
	return 1
}

// timerArgs reads the seconds and the name of the handler, and knows the two mistakes
// that everybody makes: to swap them, and to give a function.
func (a *args) timerArgs() (seconds float64, name string) {
	first, second := a.L.Get(1).Type(), a.L.Get(2).Type()
	switch {
	case (first == lua.LTString || first == lua.LTFunction) && second == lua.LTNumber:
		a.fail("the seconds come first, then the name of a handler: write ecs.%s(%s, %s)", a.name, a.L.Get(2), a.handlerShown(1))
	case second == lua.LTFunction:
		a.wrong(2, "expected the name of a handler, got a function: write ecs.handler(\"name\", function(data, ctx) … end) at the top level, and here ecs.%s(seconds, \"name\")", a.name)
	}
	return a.number(1), a.text(2)
}

// handlerShown writes an argument that is to be the name of a handler.
func (a *args) handlerShown(i int) string {
	if s, ok := a.L.Get(i).(lua.LString); ok && len(s) <= value.ShownText {
		return strconv.Quote(string(s))
	}
	return `"name"`
}

// ownerOf returns the script that declares a handler, "" for none.
func (m *timers) ownerOf(handler string) string {
	if h := m.handlers[handler]; h != nil {
		return h.at.Script
	}
	return ""
}

func (m *timers) handlerNames() []string {
	var names []string
	for name := range m.handlers {
		names = append(names, name)
	}
	return names
}

// cancel is ecs.cancel(id); a timer that has run already is ignored.
func cancel(a *args) int {
	c := a.acting()
	id := a.number(1)
	if !(id >= 1 && id < 1<<53) || id != math.Trunc(id) {
		a.wrong(1, "expected what ecs.after or ecs.every returned, got %v", id)
	}
	c.Timers = append(c.Timers, tx.PendingTimer{Cancel: uint64(id)})
	return 0
}

// mayWait raises an error when a script has too many timers waiting for it.
func (a *args) mayWait(c *tx.Call, script string) {
	a.within(a.tx.Timers.Waiting[script]+c.Waiting[script], a.opts.Limits.Timers, "timers of one script", "Timers")
	if c.Waiting == nil {
		c.Waiting = map[string]int{}
	}
	c.Waiting[script]++
}

// run calls the handlers of all timers that are due at a time. Timers made
// by the handlers wait for the next tick, whatever their time. Each call is a
// transaction; report gets the failures.
//
// A timer whose call fails is not lost: it is tried again after a second, two
// seconds and so on up to a minute, and at once when its handler was reloaded. A
// chain of timers, each set by the one before, so survives a bad save. One that repeats
// keeps its rhythm, without the times at which it has failed or nobody declared its
// handler. When a script has used up what it may use in a tick, its other timers wait for
// the next one.
func (m *timers) run(now float64, report func(error)) {
	t := &m.tx.Timers
	t.Now = now
	var made []*tx.Timer // by the handlers, or of scripts that have used up all
	spent := map[string]bool{}
	for newest := t.Last; len(t.Queue) > 0 && t.Queue[0].At <= now+1e-9; {
		x := heap.Pop(t).(*tx.Timer)
		if x.Id > newest || spent[x.Script] {
			made = append(made, x)
			continue
		}
		h := m.handlers[x.Handler]
		if h == nil {
			t.Orphan(x, report)
			continue
		}
		undone, err := m.fire(h, x)
		if undone && m.opts.Budget != nil && m.opts.Budget.Spent(x.Script) {
			spent[x.Script] = true
		}
		if err != nil {
			report(err)
		}
		if t.Known[x.Id] != nil {
			t.Again(x, undone)
		}
	}
	for _, x := range made {
		if t.Known[x.Id] != nil {
			t.Insert(x)
		}
	}
}

// timerPrefix begins the names of calls of handlers.
const timerPrefix = "timer "

// fire calls the handler of a timer. What one that fails has written into the timer's
// data is taken back.
func (m *timers) fire(h *handler, x *tx.Timer) (undone bool, err error) {
	name, before := timerPrefix+x.Handler, x.Data
	undone, err = m.between(name, h.at, func(t *ecs.Tick) error {
		t.N, t.Time = t.N+1, m.tx.Timers.Now // of the tick that is about to begin
		return m.tx.Invoke(t, h.at.Script, name, func(L *lua.LState) {
			before = plainCopy(L, x.Data)
			L.Push(h.fn)
			L.Push(x.Data)
			L.Push(m.exec.Fill(&h.context, t))
			L.Call(2, 0)
		})
	})
	if undone {
		x.Data = before
	}
	return undone, err
}
