package bindings

import (
	"math"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// template is what the values of one part of a host call are made in, again and again:
// commands keep copies of what they get.
type template struct {
	value *decl.Value // of a component
	event *decl.Event
	data  []uint64 // of the event
}

// End makes the changes that a kernel has noted for rows which are finished, in
// order: for each the number of its site, then its values, as the bits of numbers.
func (s *KernelHost) End(notes []uint64) {
	for len(notes) > 0 {
		at := &s.list[notes[0]]
		end := 1 + at.size
		s.make(at, notes[1:end])
		notes = notes[end:]
	}
}

// make makes a change that fits.
func (s *KernelHost) make(at *hostCall, values []uint64) {
	c := s.m.tx.Call
	commands := c.Tick.Commands
	if len(at.templates) != len(at.Parts) {
		s.prepare(at)
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
		commands.Despawn(e)
	case "remove":
		for _, m := range at.templates {
			commands.Remove(e, m.value.Comp.ID)
		}
	case "add":
		s.values = s.fill(at, values[1:], s.values[:0])
		commands.Add(e, s.values...)
	case "set":
		s.set(at, e, values[1:])
	}
}

// prepare makes the templates of a site.
func (s *KernelHost) prepare(at *hostCall) {
	a := &args{s.m, s.m.tx.Thread, at.Op}
	at.templates, at.made = make([]template, len(at.Parts)), ecs.Prefab{}
	for i := range at.Parts {
		p, m := &at.Parts[i], &at.templates[i]
		switch x := p.Ref.(type) {
		case *decl.Component:
			m.value = s.blank(x, p.Fields)
		case *decl.Event:
			m.event, m.data = x, make([]uint64, x.Schema.Size/8+1)
		case *decl.Prefab:
			at.made.Children = append(at.made.Children, a.build(x).Children...)
		}
	}
}

// blank makes a value of which some fields will be given.
func (s *KernelHost) blank(c *decl.Component, fields []ecs.Field) *decl.Value {
	v := &decl.Value{Comp: c, Data: s.m.newData(c), Form: c.Form}
	for i := range fields {
		v.Given = value.Pieces(v.Given, &fields[i], 0, lua.LNil)
	}
	return v
}

// fill appends the values that a site lists. They hold until the next fill.
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
	a := &args{s.m, s.m.tx.Thread, at.Op}
	for i := range at.Parts {
		p, v := &at.Parts[i], at.templates[i].value
		value.PutFields(p.Fields, v.Data, values)
		values = values[len(p.Fields):]
		a.patch(s.m.tx.Call, e, v)
	}
}
