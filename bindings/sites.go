package bindings

import (
	"math"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// KernelSite is a place in a function that asks the world for something, or
// changes it: what Op says, a function of ecs. Parts are the values that it
// lists, after the entity.
type KernelSite struct {
	Op    string
	Parts []KernelPart
}

// KernelPart is a component, an event or a prefab. Fields are those of which the
// site gives the numbers, in order: 1 for true, the place of its name for an enum.
type KernelPart struct {
	Thing  any // of a Known
	Fields []ecs.Field
}

// Sites answers what a kernel asks, and makes its changes, as the functions of
// ecs would at the same place. Where those would raise an error it says no, and
// where it is not sure that they would not: the Lua machine runs the row then.
//
// The changes of a row wait until the kernel has gone on to another one: a row at
// which it stops must leave nothing behind, not even a handle that was issued and
// given back, because the next entity would get another.
type Sites struct {
	m       *Module
	list    []KernelSite
	row     int // of the changes that wait
	waiting []change
	values  []uint64 // of these, one after the other
	spawns  int      // entities that they make
}

// change is one that waits; its values end in front of end.
type change struct{ site, end int }

// NewSites makes the sites of one kernel.
func (m *Module) NewSites(list []KernelSite) *Sites { return &Sites{m: m, list: list} }

// Begin is called before the kernel runs.
func (s *Sites) Begin() { s.drop() }

// End makes the changes that wait, but for those of the row at which the kernel
// has stopped.
func (s *Sites) End(stopped int) {
	if s.row == stopped {
		s.drop()
	}
	s.flush()
}

func (s *Sites) drop() {
	s.waiting, s.values, s.spawns = s.waiting[:0], s.values[:0], 0
}

func (s *Sites) flush() {
	from := 0
	for _, c := range s.waiting {
		s.make(&s.list[c.site], s.values[from:c.end])
		from = c.end
	}
	s.drop()
}

// entity turns a number into a handle that was issued by this world.
func (s *Sites) entity(n float64) (ecs.Entity, bool) {
	e, why := toEntity(n)
	return e, why == "" && (e == 0 || e.Tag() == s.m.tag && e.Generation() > 0)
}

// Fetch is ecs.get: the address of an entity's component, nil when it has none.
func (s *Sites) Fetch(site int, entity float64) (unsafe.Pointer, bool) {
	c := s.list[site].Parts[0].Thing.(*Component)
	e, ok := s.entity(entity)
	if !ok || !c.ready {
		return nil, false
	}
	return s.m.world.Pointer(e, c.id), true
}

// Ask is ecs.has and ecs.alive, 1 for true, or ecs.parent, 0 for none. The answer
// is not-a-number where those would raise an error.
func (s *Sites) Ask(site int, entity float64) float64 {
	w := s.m.world
	at := &s.list[site]
	if at.Op == "alive" {
		e, why := toEntity(entity)
		return number(why == "" && w.Alive(e))
	}
	e, ok := s.entity(entity)
	if !ok {
		return math.NaN()
	}
	if at.Op == "parent" {
		return float64(w.Parent(e))
	}
	all := w.Alive(e)
	for _, p := range at.Parts {
		c := p.Thing.(*Component)
		if !c.ready {
			return math.NaN()
		}
		all = all && w.Has(e, c.id)
	}
	return number(all)
}

func number(truth bool) float64 {
	if truth {
		return 1
	}
	return 0
}

// perChange is how many commands one change records at most for each of its parts,
// and besides.
const perChange = 2

// Do notes one change.
func (s *Sites) Do(site, row int, values []uint64) bool {
	if row != s.row {
		s.flush()
		s.row = row
	}
	at, handles := &s.list[site], 1
	if at.Op == "spawn" || at.Op == "emit" {
		handles = 0
	}
	values = values[:handles+at.size()]
	if handles > 0 {
		if e, ok := s.entity(math.Float64frombits(values[0])); !ok || !s.m.world.Alive(e) {
			return false
		}
	}
	commands, spawns := 0, 0
	for _, c := range s.waiting {
		commands += perChange * (len(s.list[c.site].Parts) + 1)
	}
	if at.Op == "spawn" {
		spawns = at.entities()
		commands += 2 * spawns // each, and its place below its parent
	}
	if s.m.full(s.m.call, commands) || spawns > 0 && (s.m.crowded(s.m.call, s.spawns+spawns) || s.m.world.Room() < s.spawns+spawns) {
		return false
	}
	if !at.fit(values[handles:]) {
		return false
	}
	s.spawns += spawns
	s.values = append(s.values, values...)
	s.waiting = append(s.waiting, change{site, len(s.values)})
	return true
}

// size returns how many numbers the fields of a site take.
func (at *KernelSite) size() int {
	n := 0
	for i := range at.Parts {
		n += len(at.Parts[i].Fields)
	}
	return n
}

// entities returns how many a spawn makes, its children included.
func (at *KernelSite) entities() int {
	n := 1
	for _, p := range at.Parts {
		if f, ok := p.Thing.(*prefab); ok {
			n += f.below()
		}
	}
	return n
}

// below returns how many children a prefab has, and these.
func (p *prefab) below() int {
	n := 0
	for _, child := range p.children {
		n += 1 + child.below()
	}
	return n
}

// fit reports whether everything named exists and can hold its numbers.
func (at *KernelSite) fit(values []uint64) bool {
	for i := range at.Parts {
		p := &at.Parts[i]
		ready := true
		switch x := p.Thing.(type) {
		case *Component:
			ready = x.ready
		case *event:
			ready = x.ready
		case *prefab:
			ready = x.ready()
		}
		if !ready || !fit(p.Fields, values) {
			return false
		}
		values = values[len(p.Fields):]
	}
	return true
}

// ready reports whether all components of a prefab exist.
func (p *prefab) ready() bool {
	for _, v := range p.values {
		if !v.comp.ready {
			return false
		}
	}
	for _, child := range p.children {
		if !child.ready() {
			return false
		}
	}
	return true
}

func fit(fields []ecs.Field, values []uint64) bool {
	for i := range fields {
		v, ok := math.Float64frombits(values[i]), true
		switch k := fields[i].Kind; k {
		case ecs.Bool, ecs.Enum:
		case ecs.Ref:
			_, why := toEntity(v)
			ok = why == ""
		default:
			ok = k.Fit(v) == nil
		}
		if !ok {
			return false
		}
	}
	return true
}

// make makes a change that fits.
func (s *Sites) make(at *KernelSite, values []uint64) {
	c, a := s.m.call, &args{s.m, s.m.thread, at.Op}
	commands := c.tick.Commands
	switch at.Op {
	case "spawn":
		commands.SpawnPrefab(a.assemble(s.parts(at, values)))
		return
	case "emit":
		e := at.Parts[0].Thing.(*event)
		data := make([]uint64, e.schema.Size/8+1)
		copy(bytesAt(pointerTo(data), e.schema.Size), e.schema.Default)
		putFields(at.Parts[0].Fields, pointerTo(data), values)
		commands.Send(e.id, pointerTo(data))
		return
	}
	e := ecs.Entity(math.Float64frombits(values[0]))
	switch at.Op {
	case "despawn":
		commands.Despawn(e)
	case "remove":
		for _, p := range at.Parts {
			commands.Remove(e, p.Thing.(*Component).id)
		}
	case "add":
		commands.Add(e, a.values(s.parts(at, values[1:]).values)...)
	case "set":
		for _, v := range s.parts(at, values[1:]).values {
			a.patch(c, e, v)
		}
	}
}

// parts makes the values that a site lists.
func (s *Sites) parts(at *KernelSite, values []uint64) parts {
	var list parts
	for _, p := range at.Parts {
		switch x := p.Thing.(type) {
		case *prefab:
			list.values = append(list.values, x.values...)
			list.of = append(list.of, x)
		case *Component:
			v := &value{comp: x, data: s.m.newData(x)}
			putFields(p.Fields, v.data, values)
			for i := range p.Fields {
				v.given = pieces(v.given, &p.Fields[i], 0, lua.LNil)
			}
			values = values[len(p.Fields):]
			list.values = append(list.values, v)
		}
	}
	return list
}

// putFields stores the numbers of fields.
func putFields(fields []ecs.Field, data unsafe.Pointer, values []uint64) {
	for i := range fields {
		f, v := &fields[i], math.Float64frombits(values[i])
		at := unsafe.Add(data, f.Offset)
		switch f.Kind {
		case ecs.Bool:
			*(*bool)(at) = v != 0
		case ecs.Enum:
			*(*uint8)(at) = uint8(v)
		default:
			f.Kind.Store(at, v)
		}
	}
}
