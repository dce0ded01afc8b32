package bindings

import (
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// kindNames are the field kinds that scripts name as ecs.f32(default).
var kindNames = [...]ecs.Kind{
	ecs.Bool, ecs.I8, ecs.I16, ecs.I32, ecs.I64, ecs.U8, ecs.U16, ecs.U32, ecs.U64, ecs.F32, ecs.F64, ecs.Ref,
}

// fieldSpec is what ecs.f32(100) returns: the description of a field.
type fieldSpec struct {
	field ecs.Field // without a name
	value lua.LValue
}

func (f *fieldSpec) Describe() string { return "the field kind " + f.field.Kind.String() }

// fieldOf is ecs.f32(default) and its like: a field of one kind.
func (m *Module) fieldOf(k ecs.Kind) lua.LGFunction {
	name := k.String()
	f := form{most: 1, shown: diag.Format("ecs.%s(default)", name)}
	return func(L *lua.LState) int {
		a := args{m, L, name}
		a.atMost(&f)
		L.Push(wrap(&fieldSpec{field: ecs.Field{Kind: k}, value: L.Get(1)}, m.types.field))
		return 1
	}
}

// declareEnum is ecs.enum("idle", "walk", …); the first value is the default.
func declareEnum(a *args) int {
	f := &fieldSpec{field: ecs.Field{Kind: ecs.Enum}, value: lua.LNil}
	for i := 1; i <= a.L.GetTop(); i++ {
		name := a.title(i)
		if slices.Contains(f.field.Names, name) {
			a.fail("argument %d: the value %q is given twice", i, name)
		}
		f.field.Names = append(f.field.Names, name)
	}
	if n := len(f.field.Names); n == 0 || n > 256 {
		a.fail("expected 1 to 256 names, got %d", n)
	}
	a.L.Push(wrap(f, a.m.types.field))
	return 1
}

// declareArray is ecs.array(kind, n): n values of one kind, each with its default.
func declareArray(a *args) int {
	ud, _ := a.L.Get(1).(*lua.LUserData)
	var of *fieldSpec
	if ud != nil {
		of, _ = ud.Value.(*fieldSpec)
	}
	if of != nil && of.field.Len > 0 {
		a.fail("argument 1: an array of arrays is not possible: use one array, and compute the index")
	}
	if of == nil {
		a.expected(1, "a field kind such as ecs.f32()")
	}
	n := a.number(2)
	if n < 1 || n > 4096 || n != float64(int(n)) {
		a.fail("argument 2: expected a whole number from 1 to 4096, got %v", n)
	}
	f := &fieldSpec{field: of.field, value: of.value}
	f.field.Len = int(n)
	a.L.Push(wrap(f, a.m.types.field))
	return 1
}

// maxFields is how many fields a component or an event may have: a field is found by
// looking through them.
const maxFields = 4096

// fields reads a table of fields. Lua tables have no order, so fields lie in
// alphabetical order of their names.
func (a *args) fields(i int, owner string) ([]ecs.Field, map[string]lua.LValue) {
	var fields []ecs.Field
	defaults := map[string]lua.LValue{}
	for _, key := range absentKeys(a.table(i)) {
		a.problem("field %q of %q: expected a kind such as ecs.f32(0), a number or a boolean, got nil%s", key, owner, absent(a.L))
	}
	value.Pairs(a.table(i), func(k, v lua.LValue) {
		name, ok := k.(lua.LString)
		if !ok {
			a.problem("%q: fields have names: write name = ecs.f32(0)", owner)
			return
		}
		if len(name) > longestDeclared {
			a.fail("%q: the name of a field has at most %d bytes, one has %s", owner, longestDeclared, diag.Grouped(int64(len(name))))
		}
		if len(fields) >= maxFields {
			a.fail("%q has more than %s fields", owner, diag.Grouped(maxFields))
		}
		spec := a.fieldSpec(owner, string(name), v)
		if spec == nil {
			return
		}
		spec.field.Name = string(name)
		fields = append(fields, spec.field)
		if spec.value != lua.LNil {
			defaults[string(name)] = spec.value
		}
	})
	slices.SortFunc(fields, func(x, y ecs.Field) int {
		if x.Name < y.Name {
			return -1
		}
		return 1
	})
	return fields, a.checkDefaults(owner, fields, defaults)
}

// fieldSpec reads one field: a kind, or a plain number or boolean.
func (a *args) fieldSpec(owner, name string, v lua.LValue) *fieldSpec {
	switch v := v.(type) {
	case lua.LNumber:
		return &fieldSpec{field: ecs.Field{Kind: ecs.F64}, value: v}
	case lua.LBool:
		return &fieldSpec{field: ecs.Field{Kind: ecs.Bool}, value: v}
	case *lua.LUserData:
		if spec, ok := v.Value.(*fieldSpec); ok {
			copied := *spec
			return &copied
		}
	}
	a.problem("field %q of %q: expected a kind such as ecs.f32(0), a number or a boolean, got %s", name, owner, value.Describe(v))
	return nil
}

// checkDefaults drops the defaults that their fields cannot hold.
func (a *args) checkDefaults(owner string, fields []ecs.Field, defaults map[string]lua.LValue) map[string]lua.LValue {
	for i := range fields {
		f := &fields[i]
		v, ok := defaults[f.Name]
		if !ok {
			continue
		}
		if why := value.CannotHoldOne(a.L, f, v); why != "" {
			a.problem("default of field %q of %q: %s", f.Name, owner, why)
			delete(defaults, f.Name)
		}
	}
	return defaults
}

// setDefaults writes the defaults into the schema, once it has a layout.
func (m *Module) setDefaults(s *ecs.Schema, defaults map[string]lua.LValue) {
	if len(defaults) == 0 {
		return
	}
	data := make([]uint64, s.Size/8+1)
	p := value.PointerTo(data)
	for i := range s.Fields {
		f := &s.Fields[i]
		if v, ok := defaults[f.Name]; ok {
			for k := range max(f.Len, 1) {
				value.StoreOne(f, unsafe.Add(p, f.Offset+uintptr(k)*f.Stride), v)
			}
		}
	}
	s.Default = value.BytesAt(p, s.Size)
}
