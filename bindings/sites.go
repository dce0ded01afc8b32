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
// ecs would at the same place. Where those would raise an error it says no and
// has changed nothing: the Lua machine runs the row then, and raises it.
type Sites struct {
	m    *Module
	list []KernelSite
	row  int  // of the last change
	mark mark // before the first change of that row
}

// NewSites makes the sites of one kernel.
func (m *Module) NewSites(list []KernelSite) *Sites { return &Sites{m: m, list: list, row: -1} }

// Begin is called before the kernel runs, and End when it has stopped at a row:
// the changes of that row are taken back.
func (s *Sites) Begin() { s.row = -1 }

// End takes back the changes of the row at which the kernel has stopped.
func (s *Sites) End(stopped int) {
	if s.row == stopped {
		s.m.call.rewind(s.mark)
	}
	s.row = -1
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

// Do makes one change.
func (s *Sites) Do(site, row int, values []uint64) bool {
	c, at := s.m.call, &s.list[site]
	if s.m.full(c) {
		return false
	}
	var e ecs.Entity
	if at.Op != "spawn" && at.Op != "emit" {
		var ok bool
		if e, ok = s.entity(math.Float64frombits(values[0])); !ok || !s.m.world.Alive(e) {
			return false
		}
		values = values[1:]
	}
	if row != s.row {
		s.row, s.mark = row, c.mark()
	}
	switch at.Op {
	case "despawn":
		c.tick.Commands.Despawn(e)
		return true
	case "remove":
		return s.remove(c, e, at)
	case "emit":
		return s.emit(c, at, values)
	}
	list, ok := s.parts(at, values)
	if !ok {
		return false
	}
	switch a := (&args{s.m, s.m.thread, at.Op}); at.Op {
	case "add":
		c.tick.Commands.Add(e, a.values(list.values)...)
	case "set":
		for _, v := range list.values {
			a.patch(c, e, v)
		}
	default: // spawn
		return !s.m.crowded(c) && c.tick.Commands.SpawnPrefab(a.assemble(list)) != 0
	}
	return true
}

func (s *Sites) remove(c *call, e ecs.Entity, at *KernelSite) bool {
	for _, p := range at.Parts {
		if !p.Thing.(*Component).ready {
			return false
		}
	}
	for _, p := range at.Parts {
		c.tick.Commands.Remove(e, p.Thing.(*Component).id)
	}
	return true
}

func (s *Sites) emit(c *call, at *KernelSite, values []uint64) bool {
	e := at.Parts[0].Thing.(*event)
	data := make([]uint64, e.schema.Size/8+1)
	copy(bytesAt(pointerTo(data), e.schema.Size), e.schema.Default)
	if !e.ready || !given(at.Parts[0].Fields, pointerTo(data), values) {
		return false
	}
	c.tick.Commands.Send(e.id, pointerTo(data))
	return true
}

// parts makes the values that a site lists.
func (s *Sites) parts(at *KernelSite, values []uint64) (list parts, ok bool) {
	for _, p := range at.Parts {
		switch x := p.Thing.(type) {
		case *prefab:
			list.values = append(list.values, x.values...)
			list.of = append(list.of, x)
		case *Component:
			v := &value{comp: x, data: s.m.newData(x)}
			if !given(p.Fields, v.data, values) {
				return list, false
			}
			for i := range p.Fields {
				v.given = pieces(v.given, &p.Fields[i], 0, lua.LNil)
			}
			values = values[len(p.Fields):]
			list.values = append(list.values, v)
		}
	}
	for _, v := range list.values {
		if !v.comp.ready {
			return list, false
		}
	}
	return list, true
}

// given stores the numbers of fields; false means that one cannot hold its own.
func given(fields []ecs.Field, data unsafe.Pointer, values []uint64) bool {
	for i := range fields {
		f, v := &fields[i], math.Float64frombits(values[i])
		at := unsafe.Add(data, f.Offset)
		switch f.Kind {
		case ecs.Bool:
			*(*bool)(at) = v != 0
			continue
		case ecs.Enum:
			*(*uint8)(at) = uint8(v)
			continue
		case ecs.Ref:
			if _, why := toEntity(v); why != "" {
				return false
			}
		default:
			if f.Kind.Fit(v) != nil {
				return false
			}
		}
		f.Kind.Store(at, v)
	}
	return true
}
