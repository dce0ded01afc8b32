package bindings

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// Held lists the values by which a script holds others, beside its globals: the
// functions that it has declared, its state tables, and the data of timers that
// wait for its handlers. O(declarations + timers that wait).
func (m *Module) Held(s *Script) []lua.LValue {
	var all []lua.LValue
	add := func(functions ...*lua.LFunction) {
		for _, fn := range functions {
			if fn != nil {
				all = append(all, fn)
			}
		}
	}
	for _, sys := range s.Systems {
		add(sys.each, sys.batch, sys.run, sys.when)
	}
	for _, k := range s.kernels {
		add(k.each)
	}
	for _, o := range s.observers {
		add(o.fn)
	}
	for _, r := range s.reactions {
		add(r.fn)
	}
	for _, h := range s.handlers {
		add(h.fn)
	}
	if s.unload != nil {
		add(s.unload.fn)
	}
	add(s.starts...)
	for _, d := range s.states {
		all = append(all, d.table)
	}
	for _, t := range m.timers.list {
		if h := m.handlers[t.handler]; h != nil && h.script == s.Name && t.data != nil {
			all = append(all, t.data)
		}
	}
	return all
}

// Weigh returns how many bytes a value of the API takes beside its userdata.
func Weigh(data any) int64 {
	switch v := data.(type) {
	case *value:
		return weighData(v.comp.schema, v.data, v.form == v.comp.form)
	case *eventValue:
		return weighData(v.event.schema, v.data, v.form == v.event.form)
	case *prefab:
		n := int64(0)
		for _, part := range v.values {
			n += Weigh(part)
		}
		for _, child := range v.children {
			n += Weigh(child)
		}
		return n
	}
	return 0
}

// weighData adds the texts of a struct to its own size. A struct that is not
// current, from before a migration, has other fields than the schema says.
func weighData(s *ecs.Schema, data unsafe.Pointer, current bool) int64 {
	n := int64(s.Size)
	if data == nil || !current {
		return n
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Kind != ecs.String {
			continue
		}
		for at := range max(f.Len, 1) {
			n += int64(len(*(*string)(unsafe.Add(data, f.Offset+uintptr(at)*f.Stride))))
		}
	}
	return n
}
