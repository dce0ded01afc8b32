package bindings

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
)

// readers are those of the events that scripts wait for. A system has one for each
// event, which lives as long as the system, over reloads.
//
// Invariant: each key of asked is one of open, and by counts the values of asked.
type readers struct {
	*core
	open  map[readerKey]*ecs.Reader
	asked map[readerKey]string // those that a call of ecs.events has opened: the script whose call it was
	by    map[string]int       // how many of these each script has
}

func newReaders(c *core) *readers {
	return &readers{c, map[readerKey]*ecs.Reader{}, map[readerKey]string{}, map[string]int{}}
}

type readerKey struct {
	system string
	event  ecs.EventID
}

// reader returns the reader of a system for an event.
func (m *readers) reader(system string, id ecs.EventID) *ecs.Reader {
	key := readerKey{system, id}
	if m.open[key] == nil {
		m.open[key] = m.world.Raw().Reader(id).Named(system)
	}
	return m.open[key]
}

// shareOfReaders is into how many parts Limits.Declarations is divided of which each script has one when all
// scripts together have that many readers.
const shareOfReaders = 50

// mayRead raises an error where too many readers were opened by ecs.events: each takes memory, and some time of each
// step.
func (a *args) mayRead(m *readers, script string) {
	limit := a.opts.Limits.Declarations
	if limit < 0 || len(m.asked) < limit || m.by[script] < limit/shareOfReaders {
		return
	}
	a.reached("Declarations", "ecs.events: scripts read too many events: %s of %s that systems, observers and handlers read, each of them for itself: "+
		"read an event in one system, and keep what others need of it", diag.Grouped(int64(len(m.asked))), diag.Grouped(int64(limit)))
}

// ask opens the reader that a call of ecs.events needs.
func (m *readers) ask(script, system string, id ecs.EventID) *ecs.Reader {
	r := m.reader(system, id)
	m.asked[readerKey{system, id}] = script
	m.by[script]++
	return r
}

// end closes a reader.
func (m *readers) end(key readerKey) {
	m.open[key].Close()
	delete(m.open, key)
	m.unask(key)
}

// unask forgets that ecs.events has opened a reader, and returns the script whose call it was.
func (m *readers) unask(key readerKey) (script string, asked bool) {
	if script, asked = m.asked[key]; asked {
		delete(m.asked, key)
		if m.by[script]--; m.by[script] == 0 {
			delete(m.by, script)
		}
	}
	return script, asked
}

// close closes the readers of those that do not live any more.
func (m *readers) close(lives func(name string) bool) {
	for key := range m.open {
		if !lives(key.system) {
			m.end(key)
		}
	}
}

// inherit gives the readers of callbacks that end to those that take their place, and closes
// those of callbacks without an heir.
func (m *readers) inherit(heirs map[string]string) {
	type inherited struct {
		*ecs.Reader
		script string
		asked  bool
	}
	passed := map[readerKey]inherited{}
	for key, r := range m.open {
		heir, ends := heirs[key.system]
		if ends && heir == "" {
			m.end(key)
		} else if ends {
			script, asked := m.unask(key)
			delete(m.open, key)
			passed[readerKey{heir, key.event}] = inherited{r.Named(heir), script, asked}
		}
	}
	for key, r := range passed {
		if m.open[key] = r.Reader; r.asked {
			m.asked[key] = r.script
			m.by[r.script]++
		}
	}
}

// reactionPrefix begins the names of calls of on_error functions.
const reactionPrefix = "on_error "

// subscriber is a function of a script that may read events under a name which no author has
// chosen, as the names of systems and handlers are: an observer, or an on_error function.
type subscriber struct {
	name   string // which its readers have
	script string
	called string // what the author calls it, else what it waits for
	code   uint64
}

// subscribers lists the subscribers of scripts in their order.
func subscribers(scripts []*Declarations) (list []subscriber) {
	for _, s := range scripts {
		for _, o := range s.observers {
			list = append(list, subscriber{o.name, s.Name, o.called, bytecode.Digest(lua.Proto(o.fn))})
		}
		for _, r := range s.reactions {
			list = append(list, subscriber{reactionPrefix + s.Name, s.Name, "on_error", bytecode.Digest(lua.Proto(r.fn))})
		}
	}
	return list
}

// heirs says which new subscriber takes the place of each that ends; "": none. It is the one
// that is called the same and has the same code, in the same file before others, else the
// next in the file that is called the same, else one of another file: files get other names.
func heirs(gone, fresh []*Declarations) map[string]string {
	heirs, heirOf, old, now := map[string]string{}, map[string]string{}, subscribers(gone), subscribers(fresh)
	for _, c := range old {
		heirs[c.name] = "" // its readers are closed, but for an heir
	}
	for _, alike := range []func(subscriber) subscriber{
		func(c subscriber) subscriber { return subscriber{"", c.script, c.called, c.code} },
		func(c subscriber) subscriber { return subscriber{"", "", c.called, c.code} },
		func(c subscriber) subscriber { return subscriber{"", c.script, c.called, 0} },
		func(c subscriber) subscriber { return subscriber{"", "", c.called, 0} },
	} {
		free := map[subscriber][]string{}
		for _, c := range now {
			if heirOf[c.name] == "" {
				free[alike(c)] = append(free[alike(c)], c.name)
			}
		}
		for _, c := range old {
			if names := free[alike(c)]; heirs[c.name] == "" && len(names) > 0 && heirOf[names[0]] == "" {
				heirs[c.name], heirOf[names[0]], free[alike(c)] = names[0], c.name, names[1:]
			}
		}
	}
	return heirs
}

// waiting counts, by event, those that some reader has not read, of readers that are not dropped. O(readers).
func (m *readers) waiting(dropped map[string]string) map[ecs.EventID]int {
	most := map[ecs.EventID]int{}
	for key, r := range m.open {
		if n := r.Len(); n > most[key.event] && dropped[key.system] == "" {
			most[key.event] = n
		}
	}
	return most
}

// unread counts the events that those who read have not read, by their names. O(readers).
func (m *readers) unread() map[string]int {
	left := map[string]int{}
	for key, r := range m.open {
		if n := r.Len(); n > 0 {
			left[key.system] += n
		}
	}
	return left
}

// emit is ecs.emit(Damage{ … }), or ecs.emit(Damage) for its defaults.
func emit(a *args) int {
	c := a.changing()
	switch v := a.emitted(1).(type) {
	case *decl.EventValue:
		if v.Form != v.Event.Form {
			a.fail("an event value of %q from before its fields changed: make it anew", v.Event.Name)
		}
		a.send(c, v.Event, v.Data)
	case *decl.Event:
		value.Alloc(a.L, v.Schema.Size)
		a.send(c, v, newStruct(v.Schema))
	}
	return 0
}

// emitted reads an event with its fields, or an event alone.
func (a *args) emitted(i int) any {
	if ud := lua.UserDataAt(a.L, i); ud != nil {
		switch ud.Value.(type) {
		case *decl.EventValue, *decl.Event:
			return ud.Value
		}
	}
	if a.namedByText(i) {
		return a.eventNamed(a.text(i))
	}
	a.wrong(i, "expected an event with its fields, such as Damage{ amount = 5 }, got %s", a.noEvent(a.L.Get(i)))
	return nil
}

func (a *args) send(c *tx.Call, e *decl.Event, data unsafe.Pointer) {
	if !e.Ready {
		a.fail("event %q does not exist: its script was not accepted", e.Name)
	}
	value.ChargeCopy(a.L, e.Schema.Size)
	if full := a.tx.NoEvent(e.ID); full != nil {
		a.raise(full)
	}
	c.Tick.Commands.Send(e.ID, data)
}

// eventRun calls a function for each event of one type.
//
// When a call fails, the whole tick of the system is undone and its events wait
// for the next run, as if they had not been read; only the event that failed is
// not tried again by the same code, so that it cannot hold up the others.
type eventRun struct {
	m      *readers
	s      *exec.System
	row    *exec.RowTable
	record exec.Recorder
	at     uint64 // number of the event at hand
}

// sealedEvent is said to whoever writes to an event.
const sealedEvent = "an event cannot be changed, as it has been sent: set its fields where it is emitted, or keep the new value in a local variable"

func (m *readers) eventRunner(s *exec.System) func(*ecs.Tick) error {
	x := &eventRun{m: m, s: s, row: m.exec.NewLoan(s.On.Schema, s.Each, 0, "event", sealedEvent), record: m.exec.NewRecorder(s)}
	s.Context.Lend(s.Each, 1)
	m.reader(s.Name, s.On.ID) // from now on, not from the first run
	whole := m.tx.Function(func(L *lua.LState) { x.run(L, m.tx.Call.Tick, m.reader(s.Name, s.On.ID)) })
	return func(t *ecs.Tick) error {
		reader := m.reader(s.Name, s.On.ID)
		if reader.Len() == 0 && s.When == nil {
			return nil
		}
		if refused, err := m.tx.Refuses(t, s.Name, s.Place, 0); refused {
			s.Ran.Refused++
			return err
		}
		err := m.tx.Perform(t, s.Script, s.Name, whole)
		if err == nil {
			clear(s.FailedEvents)
		} else {
			x.row.Recall(m.exec)
			x.fails(!m.tx.Cut(err)) // which is not for what the event holds
		}
		return err
	}
}

// fails notes that the call for the event at hand has failed, and whether it is passed over.
func (x *eventRun) fails(passed bool) {
	if x.s.FailedEvents == nil {
		x.s.FailedEvents = map[uint64]bool{}
	}
	x.s.FailedEvents[x.at] = passed
}

func (x *eventRun) run(L *lua.LState, t *ecs.Tick, reader *ecs.Reader) {
	x.m.tx.Call.Ran = x.s.Ran
	ctx := x.m.exec.Fill(&x.s.Context, t)
	x.record.Begin()
	defer x.record.End()
	if !x.m.exec.Due(L, x.s, &x.record, ctx) {
		return
	}
	for p := range x.m.tx.Call.Reads(reader).Events() {
		if x.at = reader.Position() - 1; x.s.FailedEvents[x.at] {
			continue
		}
		x.record.ByVM(1, 1)
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
func (m *readers) events(a *args) int {
	c, e := a.acting(), a.event(1)
	if !e.Ready {
		a.fail("event %q does not exist: its script was not accepted", e.Name)
	}
	value.Charge(a.L, value.StepsPerIterator)
	reader := m.open[readerKey{c.Name, e.ID}]
	switch {
	case reader != nil:
	case c.Once: // nothing is to wait for it
		reader = a.world.Raw().Reader(e.ID)
		defer reader.Close()
		reader.RewindTick()
	default:
		a.mayRead(m, c.Script)
		reader = m.ask(c.Script, c.Name, e.ID)
		reader.RewindTick()
	}
	if !c.Once {
		c.Reads(reader)
	}
	list, meta := a.L.NewTable(), a.eventMeta(e)
	n := len(e.Schema.Fields)
	for p := range reader.Events() {
		value.Charge(a.L, value.StepsPerEvent+2*n*value.StepsPerItem)
		value.ChargeBytes(a.L, (n+1)*value.PerKey)
		t := e.Copier.Table(a.L, e.Schema, p, false)
		lua.SetMetatable(t, meta)
		list.Append(t)
	}
	next := 0
	a.L.Push(a.L.NewClosure(func(L *lua.LState) int {
		next++
		L.Push(list.RawGetInt(next))
		return 1
	}, list))
	return 1
}

// eventMeta returns the metatable of the events that ecs.events gives: names that are no
// fields are errors, as in a system with on.
func (m *core) eventMeta(e *decl.Event) *lua.LTable {
	if e.Meta != nil {
		return e.Meta
	}
	meta := exec.NewMetatable(m.main, nil)
	unknown := m.main.NewFunction(func(L *lua.LState) int {
		name, r := fault.Written(L.Get(2)), exec.RowTable{Schema: e.Schema}
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
	meta.RawSetString(proxy.CopyKey, lua.LTrue)
	e.Meta = meta
	return meta
}
