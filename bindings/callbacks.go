package bindings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/running"
	"github.com/perigee-ecs/perigee/ecs"
)

// callbacks are the functions of scripts that run when something happens: observers,
// handlers of errors, and what runs when a version of a script begins or ends.
type callbacks struct {
	*core
	reactions []*reaction
	observing map[string]bool // observers that are in force, by name
}

// callbackFunctions declare callbacks.
func callbackFunctions() map[string]func(*args) int {
	return map[string]func(*args) int{
		"on_add": observe(ecs.OnAdd), "on_set": observe(ecs.OnSet), "on_remove": observe(ecs.OnRemove),
		"on_spawn": observe(ecs.OnSpawn), "on_despawn": observe(ecs.OnDespawn),
		"on_start": declareStart, "on_error": declareOnError, "on_unload": declareUnload, "on_reload": declareReload,
		"on_save": declareSave, "on_load": declareLoad,
	}
}

// between runs a function of a script between two ticks, in a transaction of its own:
// run is the call. undone reports that the call has failed, so that nothing of it
// remains and it may be made again. The error tells more than that: a command that
// cannot be applied, or an observer that fails, comes after the call, whose other
// commands are done.
func (c *core) between(name string, at diag.Place, run func(*ecs.Tick) error) (undone bool, err error) {
	undone = true
	err = c.world.Raw().RunClaimed(name, func(t *ecs.Tick) error {
		err := run(t)
		undone = err != nil
		return err
	})
	return undone, inRun(err, name, at)
}

// inRun puts the place to those of joined errors that are the run's own and come from
// the world. A script's own know theirs.
func inRun(err error, run string, at diag.Place) error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var list []error
		for _, one := range many.Unwrap() {
			list = append(list, inRun(one, run, at))
		}
		return errors.Join(list...)
	}
	sys, ok := err.(*ecs.SystemError)
	if _, known := errors.AsType[*diag.Error](err); known || !ok || sys.System != run {
		return err
	}
	e := &diag.Error{System: run, Tick: sys.Tick, Message: sys.Err.Error(), GoStack: string(sys.Stack), Err: err}
	return e.On(at)
}

// declareOnError is ecs.on_error(function(err, ctx) … end).
func declareOnError(a *args) int {
	s := a.declares()
	r := &reaction{script: s.Name, at: fault.Here(a.L), fn: a.function(1)}
	r.context.Lend(r.fn, 1)
	s.reactions = append(s.reactions, r)
	return 0
}

// begin puts the callbacks of a new script in force; order is called after that of the last one.
func (m *callbacks) begin(s *Declarations) error {
	for _, o := range s.observers {
		if err := m.world.Observe(m.buildObserver(o)); err != nil {
			return err
		}
		m.observing[o.name] = true
	}
	m.reactions = append(m.reactions, s.reactions...)
	return nil
}

// order has handlers of errors called in the order of their scripts' names.
func (m *callbacks) order() {
	slices.SortStableFunc(m.reactions, func(a, b *reaction) int { return cmp.Compare(a.script, b.script) })
}

// retire ends the callbacks of an old script.
func (m *callbacks) retire(s *Declarations) {
	for _, o := range s.observers {
		m.world.Unobserve(o.name)
		delete(m.observing, o.name)
	}
	m.reactions = slices.DeleteFunc(m.reactions, func(r *reaction) bool { return r.script == s.Name })
}

// lives reports whether a call of that name is one of a callback in force, which may ask
// for events again.
func (m *callbacks) lives(name string) bool {
	script, isReaction := strings.CutPrefix(name, reactionPrefix)
	return m.observing[name] || isReaction && slices.ContainsFunc(m.reactions, func(r *reaction) bool { return r.script == script })
}

// react tells the on_error functions of a fault, each in a transaction of its
// own; report gets the failures. Functions of a script that has used up what it may use in this tick
// are not called. Call it between two ticks.
func (m *callbacks) react(e *diag.Error, report func(error)) {
	text := sync.OnceValue(func() lua.LString { return lua.LString(e.Error()) })
	for _, r := range slices.Clone(m.reactions) {
		if r.failed {
			continue
		}
		name := reactionPrefix + r.script
		_, n := m.world.Time()
		if refused, err := m.tx.Bars(n, name, r.at, 0); refused {
			if err != nil {
				report(err)
			}
			continue
		}
		_, err := m.between(name, r.at, func(t *ecs.Tick) error {
			return m.tx.Invoke(t, r.script, name, func(L *lua.LState) {
				value.Charge(L, stepsOfFault)
				L.Push(r.fn)
				L.Push(m.faultTable(e, text()))
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

// stepsOfFault is what it takes to tell an on_error function of a fault, in instructions, beside the call.
const stepsOfFault = 300

// faultTable is what an on_error function gets: the fault, and all of it as a text.
func (m *callbacks) faultTable(e *diag.Error, text lua.LString) *lua.LTable {
	t := m.main.CreateTable(0, 10)
	t.RawSetString("script", lua.LString(e.Script))
	t.RawSetString("line", lua.LNumber(e.Line))
	t.RawSetString("column", lua.LNumber(e.Column))
	t.RawSetString("system", lua.LString(e.System))
	t.RawSetString("message", lua.LString(e.Message))
	t.RawSetString("text", text)
	t.RawSetString("tick", lua.LNumber(e.Tick))
	t.RawSetString("times", lua.LNumber(max(e.Times, 1)))
	t.RawSetString("parked", lua.LBool(e.Parked))
	if e.Entity != 0 {
		t.RawSetString("entity", lua.LNumber(e.Entity))
	}
	return t
}

// declareUnload is ecs.on_unload(function(ctx) … return value end).
func declareUnload(a *args) int {
	s := a.declares()
	f := &swapHook{fn: a.function(1), at: fault.Here(a.L)}
	if s.onUnload != nil {
		a.problem("ecs.on_unload is declared twice, first in %s: only one value can be handed over", s.onUnload.at.String())
	}
	s.onUnload = f
	return 0
}

// declareReload is ecs.on_reload(function(value, ctx) … end).
func declareReload(a *args) int {
	s := a.declares()
	w := &swapHook{fn: a.function(1), at: fault.Here(a.L)}
	w.context.Lend(w.fn, 1)
	s.onReload = append(s.onReload, w)
	return 0
}

// unloadPrefix begins the names of the runs of on_unload functions.
const unloadPrefix = "on_unload "

// unloadAll is [Binding.Unload] for scripts that have an on_unload function.
func (m *callbacks) unloadAll(bound, others []*Declarations) (handed map[*Declarations]Unloaded, failed []*diag.Error) {
	handed = map[*Declarations]Unloaded{}
	if len(bound) > 0 {
		var names []string
		for _, s := range bound {
			names = append(names, s.Name)
		}
		undone, err := m.between(unloadPrefix+diag.Cut(strings.Join(names, ", ")), bound[0].onUnload.at, func(t *ecs.Tick) error {
			return m.tx.AllOrNone(func() error {
				for _, s := range bound {
					v, left, err := m.unload(t, s)
					if err != nil {
						failed = append(failed, value.Caught(err))
						continue // all of them are told at once
					}
					handed[s] = Unloaded{Value: v, Left: left}
				}
				if len(failed) > 0 {
					return failed[0]
				}
				return nil
			})
		})
		if undone {
			if len(failed) == 0 { // the world has refused the run
				failed = append(failed, value.Caught(err))
			}
			for _, e := range faultsIn(err) { // of observers, which had to hear of earlier changes
				if !slices.Contains(failed, e) {
					m.exec.Reports = append(m.exec.Reports, e)
				}
			}
			return nil, failed
		}
		x := handed[bound[0]]
		x.Err = err
		handed[bound[0]] = x
	}
	for _, s := range others {
		x := Unloaded{Value: lua.LNil}
		undone, err := m.between(unloadPrefix+s.Name, s.onUnload.at, func(t *ecs.Tick) (err error) {
			x.Value, x.Left, err = m.unload(t, s)
			return err
		})
		if x.Err = err; undone {
			x.Value, x.Left = lua.LNil, "all of it: the function has failed"
		}
		handed[s] = x
	}
	return handed, nil
}

// unload calls the on_unload function of a script. It returns plain data, and what of it is left behind,
// in words.
func (m *callbacks) unload(t *ecs.Tick, s *Declarations) (handed lua.LValue, left string, err error) {
	handed = lua.LNil
	err = m.tx.Invoke(t, s.Name, unloadPrefix+s.Name, func(L *lua.LState) {
		m.tx.Call.Once = true
		L.Push(s.onUnload.fn)
		L.Push(m.exec.Fill(&s.onUnload.context, t))
		L.Call(1, 1)
		a := &args{core: m.core, L: L, name: "on_unload"}
		handed, left = value.HandOver(L, L.Get(-1), a.fail)
		L.Pop(1)
	})
	if e, ok := errors.AsType[*diag.Error](err); ok && e.Line == 0 {
		e.Put(s.onUnload.at) // what it handed over was wrong
	}
	return handed, left, err
}

// reloaded runs the on_reload functions of a script that has taken the place of
// an older version, with a copy of what that one has handed over: a function that fails
// may have changed it before. Each is a transaction; report gets the failures. It
// returns whether all have succeeded.
func (m *callbacks) reloaded(s *Declarations, handed lua.LValue, report func(error)) (taken bool) {
	name := "on_reload " + s.Name
	taken = true
	if len(s.onReload) > 0 {
		handed = value.CopyTables(m.main, handed)
	}
	for _, w := range s.onReload {
		undone, err := m.between(name, w.at, func(t *ecs.Tick) error {
			return m.tx.Invoke(t, s.Name, name, func(L *lua.LState) {
				m.tx.Call.Once = true
				L.Push(w.fn)
				L.Push(handed)
				L.Push(m.exec.Fill(&w.context, t))
				L.Call(2, 0)
			})
		})
		taken = taken && !undone
		if err != nil {
			report(err)
		}
	}
	return taken
}

// verb is the name of a change, for observers that have none of their own.
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
		o.at = fault.Here(a.L)
		i := 1
		if a.nameFirst() {
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
		if e := entityIndexed(a.L, o.fn, "the function", takes); e != nil {
			e.Message = a.spelled() + ": " + e.Message
			a.note(e)
		}
		o.name = s.observerName(o)
		s.observers = append(s.observers, o)
		return 0
	}
}

// observerName makes a name that no other observer has: the script and what the
// script calls it, or the line and what it watches.
func (s *Declarations) observerName(o *observer) string {
	name := fmt.Sprintf("%s:%s", o.at.Script, o.name)
	if o.called = o.name; o.name == "" {
		o.called = verb(o.on)
		if o.comp != nil {
			o.called += " " + o.comp.Name
		}
		name = fmt.Sprintf("%s:%d %s", o.at.Script, o.at.Line, o.called)
	}
	for plain, n := name, 0; s.again("observer", name); {
		n = max(n+1, s.named["observer "+plain]) // one that looks like a number may be taken
		name = fmt.Sprintf("%s #%d", plain, n)
	}
	return name
}

// buildObserver makes the world's observer, once the component is committed.
func (m *callbacks) buildObserver(o *observer) ecs.Observer {
	out := ecs.Observer{Name: o.name, On: o.on}
	if o.comp != nil {
		out.Component = o.comp.ID
		o.row = m.exec.NewLoan(o.comp.Schema, o.fn, 1, "of an observer", sealedNotice)
		o.context.Lend(o.fn, 2)
	} else {
		o.context.Lend(o.fn, 1)
	}
	out.Run = func(t *ecs.Tick, n ecs.Notice) error {
		if refused, err := m.tx.Refuses(t, o.name, o.at, 0); refused {
			return err // it has passed, and gets no more changes in this tick
		}
		if o.row != nil {
			defer o.row.Recall(m.exec)
		}
		return m.tx.Invoke(t, o.at.Script, o.name, func(L *lua.LState) {
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
func (m *callbacks) noticed(L *lua.LState, o *observer, n ecs.Notice) lua.LValue {
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

// declareStart is ecs.on_start(function(ctx) … end).
func declareStart(a *args) int {
	s := a.declares()
	s.starts = append(s.starts, start{at: fault.Here(a.L), fn: a.function(1)})
	return 0
}

// start runs a script's on_start functions from a number on, up to the first
// that fails. Each is a transaction. It returns how many have run, those before
// from included, and whether these are all there are. The error may also tell of what
// those that have run could not do.
func (m *callbacks) start(s *Declarations, from int) (done int, all bool, err error) {
	for done = from; done < len(s.starts); done++ {
		var ctx exec.Context
		undone, e := m.between("on_start "+s.Name, s.starts[done].at, func(t *ecs.Tick) error {
			return m.tx.Invoke(t, s.Name, "on_start", func(L *lua.LState) {
				m.tx.Call.Once = true
				L.Push(s.starts[done].fn)
				L.Push(m.exec.Fill(&ctx, t))
				L.Call(1, 0)
			})
		})
		startOf(s.Name, e)
		if err = errors.Join(err, e); undone {
			return done, false, err
		}
	}
	return done, len(s.starts) > 0, err
}

// startOf names the file of an on_start function in an error that stands in another file: all
// files may have such a function.
func startOf(file string, err error) {
	if e, ok := errors.AsType[*diag.Error](err); ok && e.System == "on_start" && e.Script != file {
		e.System += " of " + file
	}
}

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
func (m *timers) begin(s *Declarations, handled map[string]bool) {
	for _, h := range s.handlers {
		m.handlers[h.name], handled[h.name] = h, true
	}
}

// retire ends the handlers of an old script.
func (m *timers) retire(s *Declarations) {
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
	least := 0.0
	if repeat {
		least = shortestBeat
	}
	switch {
	case seconds >= mostDelay:
		a.wrong(1, "expected seconds below %s, got %v", diag.Grouped(mostDelay), seconds)
	case !(seconds >= least):
		a.wrong(1, "expected seconds from %v up, got %v", least, seconds)
	}
	if m.handlers[name] == nil {
		a.unknownHandler(name, m.handlerNames())
	}
	script, data := m.handlers[name].at.Script, value.CopyPlain(a.L, a.L.Get(3), a.fail)
	a.mayWait(c, script)
	if a.tx.Timers.Last >= mostTimerID { // as in a forged save
		a.fail("no timer can be made any more: there were %s", diag.Grouped(mostTimerID))
	}
	a.tx.Timers.Last++
	t := &tx.Timer{Id: a.tx.Timers.Last, At: max(c.Tick.Time, a.tx.Timers.Now) + seconds, Handler: name, Script: script, Data: data, Ordered: fault.Here(a.L)}
	t.Ordered.Text = nil // which is not to live as long as a timer
	if repeat {
		t.Every = seconds
	}
	c.Timers = append(c.Timers, tx.PendingTimer{Timer: t})
	return a.result(lua.LNumber(t.Id))
}

// unknownHandler raises an error for the name of no handler.
func (a *args) unknownHandler(name string, handlers []string) {
	a.failAt(fault.Argument(2), "unknown handler %q%s: declare it with ecs.handler", name, value.Meant(a.L, name, handlers))
}

// timerArgs reads the seconds and the name of the handler, and knows the two mistakes
// that everybody makes: to swap them, and to give a function.
func (a *args) timerArgs() (seconds float64, name string) {
	a.notSwapped()
	a.noFunction(2)
	return a.number(1), a.text(2)
}

// notSwapped refuses a handler's name before the seconds.
func (a *args) notSwapped() {
	first, second := a.L.Get(1).Type(), a.L.Get(2).Type()
	if (first == lua.LTString || first == lua.LTFunction) && second == lua.LTNumber {
		a.failAt(fault.Argument(1), "the seconds come first, then the name of a handler: write ecs.%s(%s, %s)", a.name, a.L.Get(2), a.handlerShown(1))
	}
}

// noFunction refuses a function in the place of a handler's name.
func (a *args) noFunction(i int) {
	if a.L.Get(i).Type() == lua.LTFunction {
		a.wrong(i, "expected the name of a handler, got a function: write ecs.handler(\"name\", function(data, ctx) … end) at the top level, and here ecs.%s(seconds, \"name\")", a.name)
	}
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

func (m *timers) handlerNames() []string { return slices.Collect(maps.Keys(m.handlers)) }

// cancel is ecs.cancel(id); a timer that has run already is ignored.
func cancel(a *args) int {
	c := a.acting()
	c.Timers = append(c.Timers, tx.PendingTimer{Cancel: a.timerID(1)})
	return 0
}

// timerID reads what stands for a timer.
func (a *args) timerID(i int) uint64 {
	id := a.number(i)
	if !(id >= 1 && id <= mostTimerID) || id != math.Trunc(id) {
		a.wrong(i, "expected what ecs.after or ecs.every returned, got %v", id)
	}
	return uint64(id)
}

// mayWait raises an error when a script has too many timers waiting for it.
func (a *args) mayWait(c *tx.Call, script string) {
	a.withinBudget(a.tx.Timers.Waiting[script]+c.Waiting[script], a.opts.Limits.Timers, "timers of one script", "Timers")
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
	t.Begin(now)
	var made []*tx.Timer   // by the handlers
	var lost *lostHandlers // made for the first: most ticks have none
	spent := map[string]bool{}
	newest := t.Last
	for x := t.Due(spent); x != nil; x = t.Due(spent) {
		if x.Id > newest {
			made = append(made, x)
			continue
		}
		h := m.handlers[x.Handler]
		if h == nil {
			if lost == nil {
				lost = &lostHandlers{timers: m}
			}
			if e := lost.fault(x); e != nil {
				report(e)
			}
			t.Orphan(x)
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
	if lost != nil && lost.told > mostLost {
		report(lost.others())
	}
}

// lostHandlers are those that timers of one tick are for and that nobody declares any more.
type lostHandlers struct {
	*timers
	quota diag.Quota
	meant map[string]string // by their names
	told  int               // timers, those included of which nothing was said
}

// mostLost is how many timers of one tick are told one by one whose handlers are gone: ten thousand of them may be due
// at once, and the step waits until that is written.
const mostLost = 20

// others says of how many timers nothing was said.
func (l *lostHandlers) others() *diag.Error {
	return diag.New("so it is with %s of this tick: no script declares their handlers any more",
		diag.Plural(l.told-mostLost, "other timer")).On(diag.Place{Script: "timer"})
}

// fault says that nobody declares the handler of a timer any more; nil where that was said of many others in this tick.
func (l *lostHandlers) fault(x *tx.Timer) *diag.Error {
	if l.told++; l.told > mostLost {
		return nil
	}
	meant, known := l.meant[x.Handler]
	if !known {
		if l.meant == nil {
			l.meant = map[string]string{}
		}
		meant = l.quota.DidYouMean(x.Handler, l.handlerNames)
		l.meant[x.Handler] = meant
	}
	return diag.New("no script declares the handler %q any more%s; the timer that was ordered in %s waits for it",
		x.Handler, meant, x.Ordered.String()).On(diag.Place{Script: "timer"})
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
			before = value.CopyTables(L, x.Data)
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

// askForSlot is ecs.save("slot") and ecs.load("slot"): the host does it after the tick, if the call does
// not fail.
func askForSlot(a *args) int {
	c, slot := a.acting(), a.slot(1)
	if !a.opts.Slots {
		a.fail("this game does not let scripts save and load: perigee run has --slots for it, and a host can allow it (Options.Slots)")
	}
	c.Timers = append(c.Timers, tx.PendingTimer{Slot: running.SlotRequest{Load: a.name == "load", Slot: slot}})
	return 0
}

// slot reads the name of a slot, which becomes the name of a file.
func (a *args) slot(i int) string {
	name := a.title(i)
	if odd := strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"); odd != "" || name == "" || name[0] == '.' || len(name) > 100 {
		a.wrong(i, "expected the name of a slot, of letters, digits, dots, dashes and underscores, got %s", value.Describe(a.L.Get(i)))
	}
	return name
}

// Asked returns the saves and loads that scripts have asked for since the last call, in order.
func (m *Binding) Asked() []running.SlotRequest {
	list := m.tx.Timers.Asked
	m.tx.Timers.Asked = nil
	return list
}
