package bindings

import (
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// Bound says of a function that it ends by itself, and under which conditions.
// The script host's front end proves it from the text; it says there why these
// conditions are enough. Such a function runs without being counted, where the
// host has so many instructions to spare.
type Bound struct {
	Batch         bool     // it is a batch function; else all parameters are plain values
	Fixed, PerRow int64    // instructions at most: Fixed + PerRow × (rows + 1)
	Math          []string // fields of the global math that it reads or calls
	Values        []string // outer locals that must hold plain values
	Tables        []string // outer locals that may also hold plain tables
}

const (
	maxPlainString = 64 // bytes: operators take time for the length of strings
	maxPlainTable  = 64 // entries
)

// Attach ties a bound to the prototype of its function, as a last constant that
// no instruction reads. Why not beside the function, where its second form is?
// A script can write there.
func (b *Bound) Attach(p *lua.FunctionProto) {
	p.Constants = append(p.Constants, &lua.LUserData{Value: b})
}

// boundOf returns what is known of a function that is called in one of the two
// ways, nil for nothing. Scripts may put functions where others belong. A name that is
// not an outer local is a global, of which nothing is known but math.
func boundOf(f *lua.LFunction, batch bool) *Bound {
	if len(f.Proto.Constants) == 0 {
		return nil
	}
	ud, _ := f.Proto.Constants[len(f.Proto.Constants)-1].(*lua.LUserData)
	if ud == nil {
		return nil
	}
	b, _ := ud.Value.(*Bound)
	outer := f.Proto.DbgUpvalues
	if b == nil || b.Batch != batch || slices.Contains(outer, "math") {
		return nil
	}
	for _, name := range slices.Concat(b.Values, b.Tables) {
		if !slices.Contains(outer, name) {
			return nil
		}
	}
	return b
}

// steps is how many instructions the function takes at most over so many rows.
func (b *Bound) steps(rows int) int64 { return b.Fixed + b.PerRow*int64(rows+1) }

// plainTerms reports whether all fields of components are such that arrays of
// them hold no tables and no long strings.
func plainTerms(terms []*Component) bool {
	for _, c := range terms {
		for i := range c.schema.Fields {
			f := &c.schema.Fields[i]
			if f.Len > 0 || f.Kind == ecs.String || f.Kind == ecs.Struct || f.Kind == ecs.Opaque {
				return false
			}
		}
	}
	return true
}

// plain reports whether a function that is called in this shape gets nothing but
// plain values.
func (s *eachShape) plain() bool {
	return !slices.ContainsFunc(s.args, func(arg eachArg) bool {
		return arg.kind == argRow || arg.kind == argContext || arg.kind == argScalar && arg.field.Kind == ecs.String
	})
}

// holds reports whether the conditions of a bound are met now.
func (m *Module) holds(b *Bound, f *lua.LFunction, ctx lua.LValue) bool {
	if b == nil || m.opts.Spare == nil || !m.ownMath(f.Env, b.Math) || !plainContext(ctx) {
		return false
	}
	for i, name := range f.Proto.DbgUpvalues {
		v := f.Upvalues[i].Value()
		if !m.plainValue(v) && (slices.Contains(b.Values, name) || !plainTable(v)) {
			return false
		}
	}
	return true
}

// ownMath reports whether fields of the global math are what the library put
// there, or numbers.
func (m *Module) ownMath(env *lua.LTable, names []string) bool {
	if len(names) == 0 {
		return true
	}
	t, ok := env.RawGetString("math").(*lua.LTable)
	if !ok || t.Metatable != lua.LNil {
		return false
	}
	for _, name := range names {
		v := t.RawGetString(name)
		f, isFunction := v.(*lua.LFunction)
		if v.Type() != lua.LTNumber && (!isFunction || m.opts.Math == nil || m.opts.Math(name) != f) {
			return false
		}
	}
	return true
}

// plainContext reports whether ctx is as it was filled: a when function may
// have changed it.
func plainContext(ctx lua.LValue) bool {
	t := ctx.(*lua.LTable)
	for _, name := range []string{"dt", "time", "tick"} {
		if t.RawGetString(name).Type() != lua.LTNumber {
			return false
		}
	}
	return true
}

// plainValue reports whether no operation on a value calls a script or takes
// long.
func (m *Module) plainValue(v lua.LValue) bool {
	switch v := v.(type) {
	case *lua.LUserData:
		return v.Metatable == m.types.component || v.Metatable == m.types.event || v.Metatable == m.types.prefab
	default:
		return scalar(v)
	}
}

func scalar(v lua.LValue) bool {
	switch v := v.(type) {
	case *lua.LNilType, lua.LBool, lua.LNumber:
		return true
	case lua.LString:
		return len(v) <= maxPlainString
	}
	return false
}

// plainTable reports whether v is a small table of plain values.
func plainTable(v lua.LValue) bool {
	t, ok := v.(*lua.LTable)
	if !ok || t.Metatable != lua.LNil {
		return false
	}
	entries := 0
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		if entries++; entries > maxPlainTable || !scalar(v) {
			return false
		}
	}
	return true
}

// uncounted runs body, which calls a function whose bound holds, without
// counting its instructions, if the host has so many to spare.
func (m *Module) uncounted(L *lua.LState, steps int64, body func()) {
	if !m.opts.Spare(steps) {
		body()
		return
	}
	if ctx := L.RemoveContext(); ctx != nil {
		defer m.attach(L, ctx)
	}
	body()
}
