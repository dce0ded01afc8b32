package scripting

import (
	"fmt"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
	lua "github.com/yuin/gopher-lua"
)

// signature tells the compiler what the script's text does not.
func (h *Host) signature(s *bindings.KernelSource) *kernel.Signature {
	sig := &kernel.Signature{
		System: s.System, Line: s.Closure.Proto.LineDefined,
		Captured: h.captured(s.Closure), Library: h.mathOf(s.Closure),
		Memory: kernel.Memory{MemoryMap: h.world.MemoryMap(), Tag: h.world.Tag()},
		Single: s.Single, Vectors: h.kernels.vectors,
	}
	for _, t := range s.Terms {
		sig.Terms = append(sig.Terms, kernel.Term{
			Name: t.Schema.Name, Fields: t.Schema.Fields, Stride: t.Schema.Size, Optional: t.Optional, Away: t.Away,
		})
	}
	return sig
}

// mathOf returns what finds the functions of math for a function.
func (h *Host) mathOf(fn *lua.LFunction) func(name string) kernel.Value {
	return func(name string) kernel.Value {
		t, ok := fn.Env.RawGetString("math").(*lua.LTable)
		if !ok {
			return kernel.Value{}
		}
		p := place{name: "math." + name, read: func() lua.LValue { return t.RawGetString(name) }}
		v := h.value(&p)
		v.Read, v.Same = nil, nil // the compiler knows whether the script leaves them alone
		return v
	}
}

// captured returns what finds the locals around a function.
func (h *Host) captured(fn *lua.LFunction) func(name string) kernel.Value {
	return func(name string) kernel.Value {
		for i, known := range fn.Proto.DbgUpvalues {
			if known == name && i < len(fn.Upvalues) {
				up := fn.Upvalues[i]
				return h.value(&place{name: name, root: up, read: up.Value, write: up.SetValue})
			}
		}
		return kernel.Value{Name: fmt.Sprintf("%q, a nil,", name)}
	}
}

// place is where a value is found each time that a kernel runs: a captured
// local, or a field of the table in another place.
type place struct {
	name  string       // as in "tuning.speed"
	root  *lua.Upvalue // of the local
	read  func() lua.LValue
	write func(lua.LValue) // nil for fields
}

// cell tells places apart.
type cell struct {
	root *lua.Upvalue
	name string
}

func (p *place) field(name string) *place {
	return &place{name: p.name + "." + name, root: p.root, read: func() lua.LValue {
		if t, ok := p.read().(*lua.LTable); ok {
			return t.RawGetString(name)
		}
		return lua.LNil
	}}
}

// value describes what is in a place, for the compiler.
func (h *Host) value(p *place) kernel.Value {
	now := p.read()
	v := kernel.Value{Name: fmt.Sprintf("%q, a %s,", p.name, now.Type()), Cell: cell{p.root, p.name}}
	v.Same = func() bool { return p.read() == now }
	switch now := now.(type) {
	case lua.LNumber:
		v.Kind, v.Number, v.Name = kernel.Number, float64(now), p.name
		v.Read = func() (float64, bool) {
			n, ok := p.read().(lua.LNumber)
			return float64(n), ok
		}
		if p.write != nil {
			v.Write = func(n float64) { p.write(lua.LNumber(n)) }
		}
	case lua.LBool:
		v.Kind, v.Number, v.Name = kernel.Truth, number(bool(now)), p.name
		v.Read = func() (float64, bool) {
			b, ok := p.read().(lua.LBool)
			return number(bool(b)), ok
		}
		if p.write != nil {
			v.Write = func(n float64) { p.write(lua.LBool(n != 0)) }
		}
	case lua.LString:
		v.Kind, v.Name = kernel.Text, string(now)
	case *lua.LTable:
		v.Kind, v.Field = kernel.Table, func(name string) kernel.Value { return h.value(p.field(name)) }
	case *lua.LFunction:
		h.function(&v, now)
	case *lua.LUserData:
		h.data(&v, p, now)
	}
	return v
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// function describes a function of a library or of a script.
func (h *Host) function(v *kernel.Value, fn *lua.LFunction) {
	if known := h.library.NameOf(fn); known != "" {
		v.Kind, v.Name = kernel.Builtin, known
		return
	}
	if known, ok := h.module.Known(fn); ok {
		v.Kind, v.Name = kernel.Builtin, known.Name
		return
	}
	if fn.IsG {
		return
	}
	study := h.study(fn)
	if study == nil {
		return
	}
	v.Kind, v.Code = kernel.Code, &kernel.Function{
		Script: study, File: fn.Proto.SourceName, Key: fn.Proto,
		Line: fn.Proto.LineDefined, LastLine: fn.Proto.LastLineDefined, Params: int(fn.Proto.NumParameters),
		Captured: h.captured(fn), Library: h.mathOf(fn),
	}
}

// data describes a component and its like. Fields of a resource are found by its
// name each time.
func (h *Host) data(v *kernel.Value, p *place, ud *lua.LUserData) {
	known, ok := h.module.Known(ud)
	if !ok {
		return
	}
	v.Thing, v.Away, v.Name, v.Pooled = known.Thing, known.Away, known.Name, known.Pooled
	if known.Schema != nil {
		v.Fields, v.Size = known.Schema.Fields, known.Schema.Size
	}
	switch known.Kind {
	case bindings.KnownComponent:
		v.Kind = kernel.Component
	case bindings.KnownEvent:
		v.Kind = kernel.Event
	case bindings.KnownPrefab:
		v.Kind = kernel.Prefab
	case bindings.KnownResource:
		same := v.Same
		v.Kind = kernel.Table
		v.Field = func(name string) kernel.Value { return resourceField(known, p, name, same) }
	}
}

func resourceField(known bindings.Known, p *place, name string, same func() bool) kernel.Value {
	full := p.name + "." + name
	now, truth, ok := known.Field(name)
	if !ok {
		return kernel.Value{Name: fmt.Sprintf("%q, a field of a resource,", full)}
	}
	v := kernel.Value{Kind: kernel.Number, Number: now, Name: full, Cell: cell{p.root, full}}
	if truth {
		v.Kind = kernel.Truth
	}
	v.Read = func() (float64, bool) {
		now, kind, ok := known.Field(name)
		return now, ok && kind == truth && same()
	}
	return v
}
