package bindings

import (
	"reflect"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// builtin marks the functions of the ecs table, so that those who compile a script
// know them.
type builtin string

// ResolvedKind says what a Resolved is.
type ResolvedKind uint8

// The kinds of resolved values.
const (
	ResolvedFunction ResolvedKind = iota + 1 // of the ecs table
	ResolvedComponent
	ResolvedEvent
	ResolvedPrefab
	ResolvedResource
)

// Resolved says what a value in a script stands for when the script is compiled.
type Resolved struct {
	Kind        ResolvedKind
	Name        string      // as in "ecs.get", or of the component
	Schema      *ecs.Schema // of a component or an event
	Unreachable string      // why a kernel cannot reach the component; empty: it can
	Ruled       bool        // others come with the component, or keep it away
	Pooled      bool        // the component does not lie in the columns of its entities
	Ref         any         // what a KernelHostCall takes
	// Field reads a number or truth of a resource, 1 for true; false when the
	// resource or the field is another one by now.
	Field func(name string) (v float64, truth, ok bool)
}

// Resolve returns what a value stands for; false means that it is an ordinary value.
func (m *Module) Resolve(v lua.LValue) (Resolved, bool) {
	switch v := v.(type) {
	case *lua.LFunction:
		if len(v.Upvalues) != 1 || !v.IsG {
			break
		}
		if ud, ok := v.Upvalues[0].Value().(*lua.LUserData); ok {
			if name, ok := ud.Value.(builtin); ok {
				return Resolved{Kind: ResolvedFunction, Name: "ecs." + string(name)}, true
			}
		}
	case *lua.LUserData:
		return m.resolveData(v.Value)
	}
	return Resolved{}, false
}

func (m *Module) resolveData(data any) (Resolved, bool) {
	switch x := data.(type) {
	case *decl.Component:
		k := Resolved{Kind: ResolvedComponent, Name: x.Name, Schema: x.Schema, Ref: x, Pooled: x.Sparse || x.Ready && m.pooled(x), Ruled: x.Ready && m.ruled(x)}
		if x.Heap {
			k.Unreachable = exec.OnHeap
		}
		return k, !x.Broken
	case *decl.Event:
		return Resolved{Kind: ResolvedEvent, Name: x.Name, Schema: x.Schema, Ref: x}, !x.Broken
	case *decl.Prefab:
		return Resolved{Kind: ResolvedPrefab, Name: x.Name, Ref: x}, true
	case *resource:
		return Resolved{Kind: ResolvedResource, Name: x.name, Field: func(name string) (float64, bool, bool) { return m.resourceField(x, name) }}, true
	}
	return Resolved{}, false
}

// resourceField reads a field of a resource as it is now.
func (m *Module) resourceField(r *resource, name string) (v float64, truth, ok bool) {
	f := r.schema.Field(name)
	if m.catalog != nil { // of what kind it is, is all that a rehearsal needs
		return 0, f != nil && f.Kind == ecs.Bool, f != nil && f.Len == 0 && f.Kind >= ecs.Bool && f.Kind <= ecs.F64
	}
	p := reflect.ValueOf(m.world.Raw().ResourceNamed(r.name))
	if !p.IsValid() || p.Type() != reflect.PointerTo(r.typ) || f == nil || f.Len > 0 {
		return 0, false, false
	}
	at := unsafe.Add(p.UnsafePointer(), f.Offset)
	switch {
	case f.Kind == ecs.Bool:
		if *(*bool)(at) {
			return 1, true, true
		}
		return 0, true, true
	case f.Kind > ecs.Bool && f.Kind <= ecs.F64:
		return f.Kind.Load(at), false, true
	}
	return 0, false, false
}
