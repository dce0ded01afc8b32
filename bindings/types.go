package bindings

import (
	"maps"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// newData returns memory for one value, filled with the default.
func (m *Module) newData(c *decl.Component) unsafe.Pointer {
	if c.Broken {
		return nil // nothing is stored: see fill
	}
	if c.Ready {
		if t := m.goTypeOf(c); t != nil {
			return value.NewGo(t, c.Schema)
		}
	}
	p := unsafe.Pointer(unsafe.SliceData(make([]uint64, c.Schema.Size/8+1)))
	copy(unsafe.Slice((*byte)(p), c.Schema.Size), c.Schema.Default)
	return p
}

// declareFunctions are those of a script's top level.
func (m *Module) declareFunctions() map[string]func(*args) int {
	return map[string]func(*args) int{
		"component": declareComponent, "tag": declareTag, "native": declareNative, "drop": declareDrop,
		"event": declareEvent, "native_event": declareNativeEvent,
		"prefab": declarePrefab, "system": declareSystem, "kernel": declareKernel,
		"on_add": observe(ecs.OnAdd), "on_set": observe(ecs.OnSet), "on_remove": observe(ecs.OnRemove),
		"on_spawn": observe(ecs.OnSpawn), "on_despawn": observe(ecs.OnDespawn),
		"on_start": declareStart, "on_error": declareOnError, "on_unload": declareUnload, "on_reload": declareReload, "handler": declareHandler, "state": declareState,
		"enum": declareEnum, "array": declareArray,
	}
}

// declareComponent is ecs.component(name, fields, options).
func declareComponent(a *args) int {
	s := a.declares()
	name := a.named(1)
	fields, defaults := a.fields(2, name)
	a.keepFields(fields)
	c := &decl.Component{Name: name, Schema: &ecs.Schema{Name: name, Fields: fields, Version: 1}}
	c.Script, c.Line = fault.Here(a.L)
	if a.L.GetTop() >= 3 {
		a.componentOptions(c, a.table(3))
	}
	if err := c.Schema.Layout(); err != nil {
		a.problem("%v", err)
		c.Broken = true
	} else {
		a.m.setDefaults(c.Schema, defaults)
	}
	a.admit(s, c)
	return a.push(c)
}

// componentOptions are the keys of a component's options.
var componentOptions = []string{"sparse", "version", "migrate", "drop", "was"}

func (a *args) componentOptions(c *decl.Component, options *lua.LTable) {
	value.Pairs(options, func(k, v lua.LValue) {
		switch k.String() {
		case "sparse":
			if v.Type() != lua.LTBool {
				a.problem("component %q, option \"sparse\": expected true or false, got %s", c.Name, value.Describe(v))
			}
			c.Sparse = lua.LVAsBool(v)
		case "version":
			n, ok := v.(lua.LNumber)
			if c.Schema.Version = int(n); !ok || n < 1 || n != lua.LNumber(int32(n)) {
				a.problem("component %q, option \"version\": expected a whole number from 1 up, got %s", c.Name, value.Describe(v))
			}
		case "was":
			a.wasOption(c, v)
		default:
			if !a.evolve(&c.Evolution, c.Name, k.String(), v) {
				a.problem("component %q: unknown option %q%s", c.Name, k.String(), diag.OneOf(k.String(), componentOptions))
			}
		}
	})
	for _, key := range absentKeys(options) {
		a.problem("component %q, option %s", c.Name, nilValue(a.L, key))
	}
}

// tagOptions reads the options of a tag, which are those of a component that make sense
// without data.
func (a *args) tagOptions(c *decl.Component, options *lua.LTable) {
	known := []string{"sparse", "was"}
	value.Pairs(options, func(k, v lua.LValue) {
		if !slices.Contains(known, k.String()) {
			a.problem("tag %q: unknown option %q%s", c.Name, k.String(), diag.OneOf(k.String(), known))
			options.RawSet(k, lua.LNil)
		}
	})
	a.componentOptions(c, options)
}

// declareTag is ecs.tag(name, options): a component without data.
func declareTag(a *args) int {
	s := a.declares()
	c := &decl.Component{Name: a.named(1), Schema: &ecs.Schema{Name: a.text(1), Version: 1}}
	c.Script, c.Line = fault.Here(a.L)
	if a.L.GetTop() >= 2 {
		a.tagOptions(c, a.table(2))
	}
	if err := c.Schema.Layout(); err != nil {
		a.problem("%v", err)
	}
	a.admit(s, c)
	return a.push(c)
}

// admit checks a declaration against what exists and what this load has
// declared before; the same declaration twice is one component.
func (a *args) admit(s *Script, c *decl.Component) {
	known := a.m.staged.components[c.Name]
	if known == nil {
		known = a.m.inForce(c.Name)
	}
	a.comesFrom(c, known)
	switch {
	case c.Name == "":
		c.Broken = true
	case a.goneName(c.Name):
		c.Broken = true
	case known != nil && known.GoType && !known.Schema.Same(c.Schema):
		a.problem("component %q is declared by the Go host with other fields: use ecs.native(%q)", c.Name, c.Name)
		c.Broken = true
	case known == nil || known.Broken || c.Broken:
	case a.m.staged.components[c.Name] != nil && !known.Schema.Same(c.Schema):
		a.problem("component %q is declared with other fields in %s:%d", c.Name, known.Script, known.Line)
		c.Broken = true
	case known.Ready && !known.GoType && c.Differs(known.Schema, c.Schema) && a.sameStorage(c, known):
		c.Changes, c.ID = known.Schema, known.ID
	case known.Ready:
		c.ID, c.Ready, c.GoType, c.Heap = known.ID, true, known.GoType, known.Heap
	default:
		c.Changes, c.ID = known.Changes, known.ID // declared in this load before
	}
	if other := a.m.staged.components[c.Name]; other != nil && c.Was == "" {
		c.Was, c.From = other.Was, other.From
	}
	a.m.staged.components[c.Name] = c
	s.Components = append(s.Components, c)
	s.uses = append(s.uses, "component "+c.Name)
}

// sameStorage complains about a component that would have to move into a pool, or
// out of one, with its values.
func (a *args) sameStorage(c, known *decl.Component) bool {
	if pooled := a.m.pooled(known); pooled != c.Sparse {
		a.problem("component %q, option \"sparse\": it cannot change together with the fields while the game runs", c.Name)
		c.Broken = true
	}
	return !c.Broken
}

// declareNative is ecs.native(name): a component that the Go host registered.
func declareNative(a *args) int {
	a.declaring()
	name := a.text(1)
	known := a.m.inForce(name)
	if known == nil {
		known = a.m.staged.components[name]
	}
	if known == nil {
		a.m.unsure(a.L) // the host may have registered it in the meantime
		a.problem("unknown native component %q%s", name, value.Meant(a.L, name, a.m.nativeNames()))
		return a.push(&decl.Component{Name: name, Schema: &ecs.Schema{Name: name}, Broken: true})
	}
	a.m.script.uses = append(a.m.script.uses, "component "+name)
	if c := a.m.staged.components[name]; c != nil {
		return a.push(c)
	}
	if a.goneName(name) {
		return a.push(&decl.Component{Name: name, Schema: known.Schema, Broken: true})
	}
	a.m.script.fetched = append(a.m.script.fetched, "component "+name)
	return a.push(known)
}

// native returns the script side of a component that the world knows.
func (m *Module) native(id ecs.ComponentID) *decl.Component {
	schema := m.world.Raw().Schema(id)
	if c := m.components[schema.Name]; c != nil {
		return c
	}
	t := m.world.Raw().GoType(id)
	c := &decl.Component{Name: schema.Name, Schema: schema, Ready: true, ID: id, GoType: t != nil, Heap: m.world.Raw().OnHeap(id)}
	m.components[schema.Name] = c
	issue(m.issued, c.Name, c)
	return c
}

func (m *Module) nativeNames() []string {
	if m.catalog != nil {
		return m.catalog.componentNames()
	}
	var names []string
	for id := range m.world.Raw().ComponentCount() {
		name := m.world.Raw().Schema(ecs.ComponentID(id)).Name
		if _, ok := m.world.Raw().ComponentNamed(name); ok {
			names = append(names, name)
		}
	}
	return names
}

// componentNames returns what a script could mean by a component's name.
func (m *Module) componentNames() []string {
	names := slices.Collect(maps.Keys(m.components))
	if m.staged != nil {
		names = append(names, slices.Collect(maps.Keys(m.staged.components))...)
	}
	return append(names, m.nativeNames()...)
}

// push returns a component to Lua.
func (a *args) push(c *decl.Component) int {
	a.L.Push(wrap(c, a.m.types.component))
	return 1
}

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
