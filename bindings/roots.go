package bindings

import (
	"fmt"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// Root is a value by which a script holds others, and its name for messages.
type Root struct {
	Name  string
	Value lua.LValue
}

// Roots lists the values by which a script holds others, beside its globals: the
// functions that it has declared, its state tables, and the data of timers that
// wait for its handlers. O(declarations + timers that wait).
func (m *Module) Roots(s *Script) []Root {
	var all []Root
	add := func(name string, functions ...*lua.LFunction) {
		for _, fn := range functions {
			if fn != nil {
				all = append(all, Root{name, fn})
			}
		}
	}
	for _, name := range s.stateNames {
		t := m.states[name]
		if t == nil && m.staged != nil {
			t = m.staged.states[name]
		}
		if t != nil {
			all = append(all, Root{fmt.Sprintf("the state %q", name), t})
		}
	}
	for _, sys := range s.Systems {
		add(fmt.Sprintf("the variables of system %q", sys.Name), sys.Each, sys.Batch, sys.Run, sys.When)
	}
	for _, k := range s.kernels {
		add(fmt.Sprintf("the variables of kernel %q", k.Name), k.Each)
	}
	for _, o := range s.observers {
		add(fmt.Sprintf("the variables of the observer %q", o.name), o.fn)
	}
	for _, r := range s.reactions {
		add("the variables of on_error", r.fn)
	}
	for _, h := range s.handlers {
		add(fmt.Sprintf("the variables of handler %q", h.name), h.fn)
	}
	if s.onUnload != nil {
		add("the variables of on_unload", s.onUnload.fn)
	}
	for _, x := range s.starts {
		add("the variables of on_start", x.fn)
	}
	for _, t := range m.tx.Timers.Queue {
		if h := m.handlers[t.Handler]; h != nil && h.script == s.Name && t.Data != nil && t.Data != lua.LNil {
			all = append(all, Root{fmt.Sprintf("the data of timers for %q", t.Handler), t.Data})
		}
	}
	return all
}

// Declaring returns the script whose top level is running; nil when there is no such script.
func (m *Module) Declaring() *Script { return m.script }

// Thread returns the thread on which calls into scripts run.
func (m *Module) Thread() *lua.LState { return m.tx.Thread }

// Weigh returns how many bytes a value of the API takes beside its userdata.
func Weigh(data any) int64 {
	switch v := data.(type) {
	case *decl.Value:
		return weighData(v.Comp.Schema, v.Data, v.Form == v.Comp.Form)
	case *decl.EventValue:
		return weighData(v.Event.Schema, v.Data, v.Form == v.Event.Form)
	case *decl.Prefab:
		n := int64(0)
		for _, part := range v.Values {
			n += Weigh(part)
		}
		for _, child := range v.Children {
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
