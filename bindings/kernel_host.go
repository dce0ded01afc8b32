package bindings

import (
	"math"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/fence"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/symbol"
	"github.com/perigee-ecs/perigee/ecs"
)

// KernelHost answers what a kernel cannot find out by itself, and makes the changes that it
// has noted, as the functions of ecs would at the same place. Where those would raise an
// error, or where that is not certain, the kernel stops and the VM runs the row.
//
// The changes of a row wait until the kernel has gone on to the next row. A row at which it
// stops must leave nothing behind, not even a handle that was issued and given back: the
// next entity would get another handle than without the kernel.
type KernelHost struct {
	m       *core
	list    []hostCall
	refs    []any         // the components that the kernel finds by itself
	schemas []*ecs.Schema // of all that it knows, when it was compiled
	values  []ecs.Value   // scratch
	notes   changeBudget
	spawned changeBudget
	bytes   changeBudget
	sets    changeBudget
	emits   bool
	moves   struct { // of entities that the kernel changes or ends
		each, given int // moves by a call, and bytes that they record or give, at most
		bytes       int // of notes of a call, at least; 0: there are no such calls
		despawns    bool
	}
	changes []ecs.ComponentID    // that come and go; nil until asked for
	charge  func(steps int) bool // counts work of functions of the host's own
	never   bool                 // a spawn is too large: it is an error of the script
}

// hostCall is a call with what its changes are made of.
type hostCall struct {
	symbol.HostCall
	size      int   // numbers in a note
	copies    int64 // bytes of long values, but of a set
	templates []template
	made      ecs.Prefab // of a spawn
	caller    ecs.Caller
}

// NewKernelHost makes the host calls of one kernel. refs are the components of other
// entities that the kernel finds in memory by itself.
func (m *Binding) NewKernelHost(list []symbol.HostCall, refs []any) *KernelHost {
	s := &KernelHost{m: m.core, refs: refs, charge: m.core.tx.Charge}
	for _, at := range list {
		one := hostCall{HostCall: at, size: 1}
		if at.Op == "spawn" || at.Op == "emit" {
			one.size = 0
		}
		for _, p := range at.Parts {
			one.size += len(p.Fields)
		}
		one.copies = one.long()
		one.caller.Code = diag.Place{Script: at.Script, Line: at.Line, Column: at.Column}
		s.list = append(s.list, one)
		s.measure(&one)
	}
	s.resolve(func(_ bool, schema *ecs.Schema) { s.schemas = append(s.schemas, schema) })
	return s
}

// resolve visits everything that the kernel knows by name, always in the same order: whether
// it exists now, and its schema.
func (s *KernelHost) resolve(visit func(ready bool, schema *ecs.Schema)) {
	for _, t := range s.refs {
		visitRef(t, visit)
	}
	for i := range s.list {
		for _, p := range s.list[i].Parts {
			visitRef(p.Ref, visit)
		}
	}
}

// visitRef visits a component or an event, and of a prefab all values and children. A value
// from before its fields have changed counts as missing.
func visitRef(thing any, visit func(ready bool, schema *ecs.Schema)) {
	switch x := thing.(type) {
	case *decl.Component:
		visit(x.Ready, x.Schema)
	case *decl.Event:
		visit(x.Ready, x.Schema)
	case *decl.Prefab:
		for _, v := range x.Values {
			visit(v.Comp.Ready && v.Form == v.Comp.Form, nil)
		}
		for _, child := range x.Children {
			visitRef(child, visit)
		}
	}
}

// Ready reports whether the kernel can run now: everything that it names exists, and has the
// fields that it was compiled for. Then numbers gets the numbers of the components. It is
// asked before each run, because a load may have changed any of them since.
func (s *KernelHost) Ready(numbers []uint32) bool {
	if len(s.schemas) == 0 {
		return !s.never
	}
	ok, at := !s.never, 0
	s.resolve(func(ready bool, schema *ecs.Schema) {
		ok = ok && ready && s.fits(at, schema)
		at++
	})
	for i, t := range s.refs {
		c := t.(*decl.Component)
		ok = ok && !s.m.world.Raw().Pooled(c.ID)
		numbers[i] = uint32(c.ID)
	}
	return ok
}

// fits reports whether something has the fields for which the kernel was compiled. A
// component gets another schema when the world defines it, so equal fields are enough. What
// was made from the old schema is forgotten: the defaults may differ.
func (s *KernelHost) fits(at int, schema *ecs.Schema) bool {
	if s.schemas[at] == schema {
		return true
	}
	if schema == nil || !s.schemas[at].Same(schema) {
		return false
	}
	s.schemas[at] = schema
	for i := range s.list {
		s.list[i].templates = nil // made with the defaults of the other
	}
	return true
}

// entity turns a number into a handle that was issued by this world.
func (s *KernelHost) entity(n float64) (ecs.Entity, bool) {
	e, why := value.ToEntity(n)
	return e, why == "" && s.m.ours(e) && !s.promised(e)
}

// promised reports whether a handle is one that a spawn of this run has been given, or that a
// spawn which the kernel has noted may get: its generation is higher than any that its slot
// has had, and the slot is free. Lua knows such entities already, and the kernel does not.
func (s *KernelHost) promised(e ecs.Entity) bool {
	w := s.m.world
	at, memory := w.Raw().MemoryMap(), w.Raw().Memory()
	if memory == nil || e.Index() == 0 || e.Index() >= at.Slots {
		return false
	}
	record := (*[4]uint32)(unsafe.Pointer(&memory[at.Records+16*e.Index()]))
	stamp := uint32(e >> 24)
	return record[0] == stamp && record[1] == 0 || record[0] == 0 && record[3] < stamp
}

// Fetch is ecs.get and ecs.has for components in pools: the address of the value, nil when
// the entity has none. A component with Go pointers can only be tested; for one that is there
// Fetch returns some address in the memory of the world.
func (s *KernelHost) Fetch(call int, entity float64) (unsafe.Pointer, bool) {
	c := s.list[call].Parts[0].Ref.(*decl.Component)
	e, ok := s.entity(entity)
	if !ok {
		return nil, false
	}
	p := s.m.world.Raw().Pointer(e, c.ID)
	if p != nil && c.Heap {
		p = unsafe.Pointer(unsafe.SliceData(s.m.world.Raw().Memory()))
	}
	return p, true
}

// Ask is ecs.parent; 0 means that there is no parent. Where the function would raise an error
// it returns NaN, at which the kernel stops.
func (s *KernelHost) Ask(_ int, entity float64) float64 {
	e, ok := s.entity(entity)
	if !ok {
		return math.NaN()
	}
	return float64(s.m.world.Parent(e))
}

// Invoke is a call of a function of the host's own. It leaves the row to Lua where the script has
// used up its instructions, which is an error there.
func (s *KernelHost) Invoke(call int, args *[fence.MostNumbers]float64) float64 {
	return s.list[call].Parts[0].Ref.(*fence.Question).Numbers(s.charge, args)
}

// roomForSets returns how many changes of a kernel surely stay within the limit of sets of
// components. Where its components cannot bring about too many sets, there is no bound.
func (s *KernelHost) roomForSets(c *tx.Call) int {
	room := s.m.tx.RoomForSets(c)
	if s.changes == nil {
		for i := range s.list {
			for _, p := range s.list[i].Parts {
				s.changes = appendComponents(s.changes, p.Ref)
			}
		}
	}
	if c.Tick.Commands.FewSets(max(room, 0), s.changes) {
		return math.MaxInt
	}
	return room - c.Tick.Commands.NewSets(max(room, 0))
}

// appendComponents lists the numbers of a component, or of those of a prefab and its
// children.
func appendComponents(list []ecs.ComponentID, thing any) []ecs.ComponentID {
	switch x := thing.(type) {
	case *decl.Component:
		list = append(list, x.ID)
	case *decl.Prefab:
		for _, v := range x.Values {
			list = append(list, v.Comp.ID)
		}
		for _, child := range x.Children {
			list = appendComponents(list, child)
		}
	}
	return list
}

// template is memory for the values of one part of a host call. It is used for every call,
// since commands copy what they get.
type template struct {
	value *decl.Value // of a component
	event *decl.Event
	data  []uint64 // of the event
}

// End makes the changes that a kernel has noted for finished rows, in their order. A note is
// the number of its call, then its values as the bits of numbers.
func (s *KernelHost) End(notes []uint64) {
	defer func() { s.m.noted = nil }()
	for len(notes) > 0 {
		at := &s.list[notes[0]]
		end := 1 + at.size
		s.m.noted = at
		s.make(at, notes[1:end])
		notes = notes[end:]
	}
}

// make records one change. There is room for it: Begin has said how much may be noted.
func (s *KernelHost) make(at *hostCall, values []uint64) {
	c := s.m.tx.Call
	commands := c.Tick.Commands
	if len(at.templates) != len(at.Parts) {
		s.prepare(at)
	}
	if at.copies > 0 {
		s.spend(at.copies)
	}
	switch at.Op {
	case "spawn":
		at.made.Values = s.fill(at, values, at.made.Values[:0])
		commands.SpawnPrefab(&at.made)
		return
	case "emit":
		p, m := &at.Parts[0], &at.templates[0]
		data := value.PointerTo(m.data)
		copy(value.BytesAt(data, m.event.Schema.Size), m.event.Schema.Default)
		value.PutFields(p.Fields, data, values)
		commands.Send(m.event.ID, data)
		return
	}
	e := ecs.Entity(math.Float64frombits(values[0]))
	switch at.Op {
	case "despawn":
		commands.CountDespawn(e, s.m.tx.ChangesLeft(c))
		commands.Despawn(e)
	case "remove":
		for _, m := range at.templates {
			commands.CountMove(e, m.value.Comp.ID)
			commands.Remove(e, m.value.Comp.ID)
		}
	case "add":
		s.values = s.fill(at, values[1:], s.values[:0])
		commands.CountMove(e)
		commands.Add(e, s.values...)
	case "set":
		s.set(at, e, values[1:])
	}
}

// prepare makes the templates of a call, before its first change.
func (s *KernelHost) prepare(at *hostCall) {
	a := &args{core: s.m, L: s.m.tx.Thread, name: at.Op}
	at.templates, at.made = make([]template, len(at.Parts)), ecs.Prefab{}
	for i := range at.Parts {
		p, m := &at.Parts[i], &at.templates[i]
		switch x := p.Ref.(type) {
		case *decl.Component:
			m.value = s.blank(x, p.Fields)
		case *decl.Event:
			m.event, m.data = x, make([]uint64, x.Schema.Size/8+1)
		case *decl.Prefab:
			if at.made.Name == "" {
				at.made.Name = x.Name
			}
			at.made.Children = append(at.made.Children, a.build(x).Children...)
		}
	}
}

// blank makes a value some fields of which each change gives. The others have their
// defaults.
func (s *KernelHost) blank(c *decl.Component, fields []ecs.Field) *decl.Value {
	v := &decl.Value{Comp: c, Data: s.m.newData(c), Form: c.Form}
	for i := range fields {
		v.Given = value.Pieces(v.Given, &fields[i], 0, lua.LNil)
	}
	return v
}

// fill appends the values that a call lists. They are valid until the next fill.
func (s *KernelHost) fill(at *hostCall, values []uint64, list []ecs.Value) []ecs.Value {
	for i := range at.Parts {
		p, m := &at.Parts[i], &at.templates[i]
		if x, ok := p.Ref.(*decl.Prefab); ok {
			for _, v := range x.Values {
				list = append(list, s.m.ecsValue(v))
			}
			continue
		}
		value.PutFields(p.Fields, m.value.Data, values)
		values = values[len(p.Fields):]
		list = append(list, s.m.ecsValue(m.value))
	}
	return list
}

// set is ecs.set.
func (s *KernelHost) set(at *hostCall, e ecs.Entity, values []uint64) {
	a := &args{core: s.m, L: s.m.tx.Thread, name: at.Op}
	for i := range at.Parts {
		p, v := &at.Parts[i], at.templates[i].value
		value.PutFields(p.Fields, v.Data, values)
		values = values[len(p.Fields):]
		has := s.m.world.Raw().Has(e, v.Comp.ID)
		if !has {
			s.m.tx.Call.Tick.Commands.CountMove(e)
		}
		if n := copied(v, has); n >= value.LongValue {
			s.spend(int64(n))
		}
		a.patch(s.m.tx.Call, e, v)
	}
}

// nsPerStep is what a step of the VM counts as among the nanoseconds of rows.
const nsPerStep = 10

// spend counts long values of so many bytes that a change has copied. The compiler says how much a row
// may need at most, so that there is as much left.
func (s *KernelHost) spend(bytes int64) {
	if b := s.m.tx.Budget; b != nil {
		b.SpendOnRows(s.m.tx.Call.Script, bytes/value.BytesPerStep*nsPerStep)
	}
}

// long returns how many bytes of long values a change copies, whatever entity it is about.
func (at *hostCall) long() (bytes int64) {
	if at.Op == "set" {
		return 0
	}
	for _, p := range at.Parts {
		n := int64(0)
		switch x := p.Ref.(type) {
		case *decl.Prefab:
			n = x.Bytes
		case *decl.Component:
			n = int64(x.Schema.Size)
		case *decl.Event:
			n = int64(x.Schema.Size)
		}
		if n >= int64(value.LongValue) {
			bytes += n
		}
	}
	return bytes
}

// changeBudget is how fast something can grow with the notes of a kernel: by each at most, for
// so many bytes of notes.
type changeBudget struct{ each, bytes int }

// atMost takes over another budget if that grows faster. The kernel may make any of its calls
// in any row, so the fastest one counts.
func (p *changeBudget) atMost(o changeBudget) {
	if o.each*max(p.bytes, 1) > p.each*o.bytes {
		*p = o
	}
}

// room returns how many bytes of notes there may be, so that something grows by no more than
// left.
func (p changeBudget) room(left int) int {
	const enough = 1 << 30
	if p.each == 0 || left > enough {
		return enough
	}
	return max(left, 0) * p.bytes / p.each
}

// measure notes how fast a call uses up what the limits leave. It is called once for each
// call, when the kernel is made.
func (s *KernelHost) measure(at *hostCall) {
	bytes := 8 * (1 + at.size)
	switch at.Op {
	case "get", "has", "parent", "host":
		return // nothing is noted
	case "spawn":
		n := at.entities()
		s.never = s.never || n > maxFamily
		s.spawned.atMost(changeBudget{n, bytes})
		s.sets.atMost(changeBudget{n, bytes})
		s.notes.atMost(changeBudget{2 * n, bytes}) // each, and its place below its parent
	case "set", "remove":
		s.notes.atMost(changeBudget{len(at.Parts), bytes})
		s.sets.atMost(changeBudget{len(at.Parts), bytes})
	case "emit", "despawn", "set_parent":
		s.emits = s.emits || at.Op == "emit"
		s.notes.atMost(changeBudget{1, bytes})
	default:
		s.sets.atMost(changeBudget{1, bytes})
		s.notes.atMost(changeBudget{1, bytes})
	}
	s.bytes.atMost(changeBudget{int(min(at.recorded(), math.MaxInt32)), bytes})
	switch at.Op {
	case "despawn", "remove", "add", "set":
		m := &s.moves
		m.each, m.given = max(m.each, len(at.Parts), 1), max(m.given, int(min(at.recorded(), math.MaxInt32)))
		if m.despawns = m.despawns || at.Op == "despawn"; m.bytes == 0 || bytes < m.bytes {
			m.bytes = bytes
		}
	}
}

// recorded returns how many bytes of commands a change of the call takes at most. It may be
// too much: then the VM runs some rows more.
func (at *hostCall) recorded() int64 {
	n := int64(decl.PerNode)
	for _, p := range at.Parts {
		switch x := p.Ref.(type) {
		case *decl.Prefab:
			n += x.Bytes
		case *decl.Component:
			n += decl.PerValue + int64(x.Schema.Size)
		case *decl.Event:
			n += int64(x.Schema.Size)
		}
	}
	return 4 * n // with the commands themselves, and a mask for each byte
}

// entities returns how many a spawn makes, its children included.
func (at *hostCall) entities() int {
	n := 1
	for _, p := range at.Parts {
		if f, ok := p.Ref.(*decl.Prefab); ok {
			n += f.Size - 1
		}
	}
	return n
}

// Begin is called before the kernel runs. It returns how many bytes of notes surely stay
// within the limits. Near a limit it may return 0: then the VM runs the rows, and the error
// has the place at which the limit is reached.
func (s *KernelHost) Begin() int {
	c, limits := s.m.tx.Call, &s.m.opts.Limits
	now := c.Since()
	usage := &s.m.tx.Usage
	mine, all := usage.By[c.Script].Plus(now), usage.All.Plus(now)
	changes := min(
		spare(limits.Commands, c.Tick.Commands.Changes()),
		max(usage.Part(limits.Commands, limits.TickCommands)-mine.Commands, spare(limits.TickCommands, all.Commands)))
	bytes := min(
		spare(int(limits.CommandBytes), c.Bytes()),
		max(usage.Part(int(limits.CommandBytes), int(limits.TickCommandBytes))-mine.Bytes, spare(int(limits.TickCommandBytes), all.Bytes)))
	room := min(s.notes.room(changes), s.bytes.room(bytes))
	if s.moves.bytes > 0 {
		room = min(room, s.roomForMoves(changes, bytes))
	}
	if s.emits && limits.EventBytes > 0 && s.m.world.Raw().EventBytes() >= limits.EventBytes {
		return 0
	}
	if s.sets.each > 0 {
		room = min(room, s.sets.room(s.roomForSets(c)))
	}
	if s.spawned.each == 0 {
		return room
	}
	return min(room, s.spawned.room(min(
		s.m.world.Raw().Room(), spare(limits.Spawned, c.Tick.Commands.Spawned()),
		max(usage.Part(limits.Spawned, limits.TickSpawned)-mine.Spawned, spare(limits.TickSpawned, all.Spawned)))))
}

// roomForMoves is Begin for what moves and ends: how much that is depends on the entities, which nobody
// knows before the kernel has run. Each counts as the largest of the world, and where the kernel despawns,
// as all entities that could die with one.
func (s *KernelHost) roomForMoves(changes, bytes int) int {
	m, most := &s.moves, s.m.tx.Call.Tick.Commands.MostMoved()
	family := 1
	if m.despawns {
		for r := range s.m.world.Raw().Relations() {
			family += r.Len()
		}
	}
	room := changeBudget{m.each*most*family + m.given, m.bytes}.room(bytes)
	if most == 0 {
		room = math.MaxInt
	}
	if family > 1 {
		room = min(room, changeBudget{family, m.bytes}.room(changes))
	}
	return room
}

// spare returns how much of a limit is spare.
func spare(limit, used int) int {
	if limit <= 0 {
		return math.MaxInt
	}
	return limit - used
}

// Resolve returns what a value stands for; false means that it is an ordinary value.
func (m *Binding) Resolve(v lua.LValue) (symbol.Symbol, bool) {
	switch v := v.(type) {
	case *lua.LFunction:
		if name, q := m.fence.Question(v); q != nil {
			return symbol.Symbol{Kind: symbol.Function, Name: name, Ref: q, Takes: q.Args, Second: q.Second}, true
		}
		if !lua.IsGo(v) {
			break
		}
		for _, table := range [][]builtinEntry{m.functions, m.drawing} {
			if name, ok := nameIn(table, v); ok {
				return symbol.Symbol{Kind: symbol.Function, Name: "ecs." + name}, true
			}
		}
	case *lua.LUserData:
		return m.resolveData(v.Value)
	}
	return symbol.Symbol{}, false
}

// resolveData is Resolve for the userdata that declarations return. What was refused resolves
// to nothing, because the kernel could never be Ready.
func (m *Binding) resolveData(data any) (symbol.Symbol, bool) {
	switch x := data.(type) {
	case *decl.Component:
		k := symbol.Symbol{Kind: symbol.Component, Name: x.Name, Schema: x.Schema, Ref: x, Pooled: x.Sparse || x.Ready && m.ground.traits(x).pooled, Ruled: x.Ready && m.ground.traits(x).ruled}
		if x.Heap {
			k.Unreachable = exec.OnHeap
		}
		return k, !x.Broken
	case *decl.Event:
		return symbol.Symbol{Kind: symbol.Event, Name: x.Name, Schema: x.Schema, Ref: x}, !x.Broken
	case *decl.Prefab:
		return symbol.Symbol{Kind: symbol.Prefab, Name: x.Name, Bytes: uintptr(x.Bytes), Ref: x}, true
	case *resource:
		return symbol.Symbol{Kind: symbol.Resource, Name: x.name, Schema: x.schema, Field: func(name string) (float64, bool, bool) { return m.resourceField(x, name) }}, true
	}
	return symbol.Symbol{}, false
}

// resourceField reads a field of a resource as it is now. Kernels ask again before each run.
func (m *Binding) resourceField(r *resource, name string) (v float64, truth, ok bool) {
	f := r.schema.Field(name)
	if f == nil {
		return 0, false, false
	}
	return m.ground.field(r.name, r.typ, f)
}
