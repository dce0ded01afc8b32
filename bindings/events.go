package bindings

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// declareEvent is ecs.event(name, fields).
func declareEvent(a *args) int {
	s := a.declares()
	name := a.named(1)
	e := &decl.Event{Name: name, Schema: &ecs.Schema{Name: name}}
	e.Script, e.Line = fault.Here(a.L)
	if a.L.GetTop() >= 2 {
		fields, defaults := a.fields(2, name)
		e.Schema.Fields = fields
		a.keepFields(fields)
		a.layout(e, defaults)
	}
	a.admitEvent(s, e)
	a.L.Push(wrap(e, a.m.types.event))
	return 1
}

func (a *args) layout(e *decl.Event, defaults map[string]lua.LValue) {
	if err := e.Schema.Layout(); err != nil {
		a.problem("%v", err)
		e.Broken = true
		return
	}
	a.m.setDefaults(e.Schema, defaults)
}

// admitEvent checks a declaration against what exists; the same one twice is
// one event.
func (a *args) admitEvent(s *Script, e *decl.Event) {
	known := a.m.staged.events[e.Name]
	if known == nil {
		known = a.m.eventInForce(e.Name)
	}
	switch {
	case e.Name == "":
		e.Broken = true
	case known == nil || known.Broken || e.Broken:
	case a.m.staged.events[e.Name] != nil && !known.Schema.Same(e.Schema):
		a.problem("event %q is declared with other fields in %s:%d", e.Name, known.Script, known.Line)
		e.Broken = true
	case known.Ready && known.GoType && !known.Schema.Same(e.Schema):
		a.problem("event %q is declared by the Go host with other fields: use ecs.native_event(%q)", e.Name, e.Name)
		e.Broken = true
	case known.Ready && !known.Schema.Same(e.Schema):
		e.Changes, e.ID = known.Schema, known.ID
	case known.Ready:
		e.ID, e.Ready, e.GoType = known.ID, true, known.GoType
	default:
		e.Changes, e.ID = known.Changes, known.ID // declared in this load before
	}
	a.m.staged.events[e.Name] = e
	s.events = append(s.events, e)
	s.uses = append(s.uses, "event "+e.Name)
}

// declareNativeEvent is ecs.native_event(name): an event of the Go host.
func declareNativeEvent(a *args) int {
	a.declaring()
	name := a.text(1)
	e := &decl.Event{Name: name, Schema: &ecs.Schema{Name: name}, Broken: true}
	if known := a.m.eventInForce(name); known != nil {
		a.m.script.uses = append(a.m.script.uses, "event "+name)
		if e = a.m.staged.events[name]; e == nil {
			e = known
			a.m.script.fetched = append(a.m.script.fetched, "event "+name)
		}
	} else {
		a.m.unsure(a.L)
		a.problem("unknown native event %q%s", name, value.Meant(a.L, name, a.m.eventNames()))
	}
	a.L.Push(wrap(e, a.m.types.event))
	return 1
}

func (m *Module) nativeEvent(id ecs.EventID) *decl.Event {
	schema := m.world.Raw().EventSchema(id)
	if e := m.events[schema.Name]; e != nil {
		return e
	}
	e := &decl.Event{Name: schema.Name, Schema: schema, Ready: true, ID: id, GoType: m.world.Raw().EventType(id) != nil}
	m.events[schema.Name] = e
	issue(m.issuedEvents, e.Name, e)
	return e
}

func (m *Module) eventNames() []string {
	names := m.eventNamesInForce()
	for name := range m.staged.events {
		names = append(names, name)
	}
	return names
}

// callEvent is the call of an event with a table.
func (m *Module) callEvent(L *lua.LState) int {
	a := m.called(L, "event value")
	e := a.event(1)
	value.Alloc(L, e.Schema.Size)
	data := make([]uint64, e.Schema.Size/8+1)
	v := &decl.EventValue{Event: e, Data: value.PointerTo(data), Form: e.Form}
	copy(value.BytesAt(v.Data, e.Schema.Size), e.Schema.Default)
	if L.GetTop() >= 2 {
		a.fill(e.Schema, e.Broken, v.Data, a.table(2), nil)
	}
	L.Push(wrap(v, m.types.eventValue))
	return 1
}

// event reads an event argument.
func (a *args) event(i int) *decl.Event {
	if ud, ok := a.L.Get(i).(*lua.LUserData); ok {
		if e, ok := ud.Value.(*decl.Event); ok {
			return e
		}
	}
	a.expected(i, "an event")
	return nil
}

// emit is ecs.emit(Damage{ … }), or ecs.emit(Damage) for its defaults.
func emit(a *args) int {
	c := a.changing()
	if ud, ok := a.L.Get(1).(*lua.LUserData); ok {
		if v, ok := ud.Value.(*decl.EventValue); ok {
			if v.Form != v.Event.Form {
				a.fail("an event value of %q from before its fields changed: make it anew", v.Event.Name)
			}
			a.send(c, v.Event, v.Data)
			return 0
		}
		if e, ok := ud.Value.(*decl.Event); ok {
			value.Alloc(a.L, e.Schema.Size)
			data := make([]uint64, e.Schema.Size/8+1)
			copy(value.BytesAt(value.PointerTo(data), e.Schema.Size), e.Schema.Default)
			a.send(c, e, value.PointerTo(data))
			return 0
		}
	}
	a.expected(1, "an event with its fields, such as Damage{ amount = 5 }")
	return 0
}

func (a *args) send(c *tx.Call, e *decl.Event, data unsafe.Pointer) {
	if !e.Ready {
		a.fail("event %q does not exist: its script was not accepted", e.Name)
	}
	c.Tick.Commands.Send(e.ID, data)
}

// reader returns the reader of a system for an event. It lives as long as the
// system, over reloads.
func (m *Module) reader(system string, id ecs.EventID) *ecs.Reader {
	key := readerKey{system, id}
	if m.readers[key] == nil {
		m.readers[key] = m.world.Raw().Reader(id).Named(system)
	}
	return m.readers[key]
}

// lives reports whether what calls itself so may ask for events again: a system, the
// handler of a timer, an observer, a handler of errors.
func (m *Module) lives(name string) bool {
	if handler, ok := strings.CutPrefix(name, timerPrefix); ok && m.handlers[handler] != nil {
		return true
	}
	if script, ok := strings.CutPrefix(name, reactionPrefix); ok && slices.ContainsFunc(m.reactions, func(r *reaction) bool { return r.script == script }) {
		return true
	}
	_, isSystem := m.world.Schedule().Health(name)
	return isSystem || m.observing[name]
}

// eventRun calls a function for each event of one type.
//
// When a call fails, the whole tick of the system is undone and its events wait
// for the next run, as if they had not been read; only the event that failed is
// not tried again by the same code, so that it cannot hold up the others.
type eventRun struct {
	m      *Module
	s      *exec.System
	row    *exec.Row
	at     uint64          // number of the event at hand
	failed map[uint64]bool // events that failed
}

// sealedEvent is said to whoever writes to an event.
const sealedEvent = "an event cannot be changed, as it has been sent: set its fields where it is emitted, or keep the new value in a local variable"

func (m *Module) eventRunner(s *exec.System) func(*ecs.Tick) error {
	x := &eventRun{m: m, s: s, row: m.exec.NewLoan(s.On.Schema, s.Each, 0, "event", sealedEvent), failed: map[uint64]bool{}}
	s.Context.Lend(s.Each, 1)
	m.reader(s.Name, s.On.ID) // from now on, not from the first run
	whole := m.tx.Function(func(L *lua.LState) { x.run(L, m.tx.Call.Tick, m.reader(s.Name, s.On.ID)) })
	return func(t *ecs.Tick) error {
		reader := m.reader(s.Name, s.On.ID)
		if reader.Len() == 0 && s.When == nil {
			return nil
		}
		err := m.tx.Perform(t, s.Script, s.Name, whole)
		if err == nil {
			clear(x.failed)
		} else {
			x.row.Recall(m.exec)
			x.failed[x.at] = true
		}
		return err
	}
}

func (x *eventRun) run(L *lua.LState, t *ecs.Tick, reader *ecs.Reader) {
	ctx := x.m.exec.Fill(&x.s.Context, t)
	if !x.m.exec.Due(L, x.s, ctx) {
		return
	}
	for p := range x.m.tx.Call.Reads(reader).Events() {
		if x.at = reader.Position() - 1; x.failed[x.at] {
			continue
		}
		L.Push(x.s.Each)
		L.Push(x.row.Fill(L, p))
		L.Push(ctx)
		L.Call(2, 0)
		x.row.Recall(x.m.exec)
	}
}

// events is for ev in ecs.events(Damage): the events since this system's last
// look, each as a table. The first look finds those that were sent in this tick so far:
// what is older is still there or not for the sake of others.
func events(a *args) int {
	c, e := a.acting(), a.event(1)
	if !e.Ready {
		a.fail("event %q does not exist: its script was not accepted", e.Name)
	}
	value.Charge(a.L, value.StepsPerIterator)
	reader := a.m.readers[readerKey{c.Name, e.ID}]
	switch {
	case reader != nil:
	case c.Once: // nothing is to wait for it
		reader = a.m.world.Raw().Reader(e.ID)
		defer reader.Close()
		reader.RewindTick()
	default:
		reader = a.m.reader(c.Name, e.ID)
		reader.RewindTick()
	}
	if !c.Once {
		c.Reads(reader)
	}
	list, meta := a.L.NewTable(), a.m.eventMeta(e)
	n := len(e.Schema.Fields)
	for p := range reader.Events() {
		value.Charge(a.L, value.StepsPerEvent+2*n*value.StepsPerItem)
		value.ChargeBytes(a.L, (n+1)*value.PerKey)
		t := a.L.CreateTable(0, len(e.Schema.Fields))
		for i := range e.Schema.Fields {
			t.RawSetString(e.Schema.Fields[i].Name, value.Load(a.L, &e.Schema.Fields[i], p))
		}
		t.Metatable = meta
		list.Append(t)
	}
	next := 0
	a.L.Push(holding(a.L, func(L *lua.LState) int {
		next++
		L.Push(list.RawGetInt(next))
		return 1
	}, list))
	return 1
}

// eventMeta returns the metatable of the events that ecs.events gives: names that are no
// fields are errors, as in a system with on.
func (m *Module) eventMeta(e *decl.Event) *lua.LTable {
	if e.Meta != nil {
		return e.Meta
	}
	meta := exec.NewMetatable(m.main, nil)
	unknown := m.main.NewFunction(func(L *lua.LState) int {
		name, r := L.Get(2).String(), exec.Row{Schema: e.Schema}
		if f := r.Schema.Field(name); f == nil {
			r.Unknown(L, name)
		} else if f.Kind == ecs.Opaque {
			fault.Raisef(L, "field %q of %q holds what scripts cannot read", name, r.Schema.Name)
		}
		L.Push(lua.LNil) // one that the script has set to nil
		return 1
	})
	meta.RawSetString("__index", unknown)
	meta.RawSetString("__newindex", unknown)
	meta.RawSetString(value.CopyKey, lua.LTrue)
	e.Meta = meta
	return meta
}
