package bindings

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/holes"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
)

// typeFunctions declare components and events, and the kinds of their fields.
func typeFunctions() map[string]func(*args) int {
	return map[string]func(*args) int{
		"component": declareComponent, "tag": declareTag, "native": declareNative, "drop": declareDrop,
		"event": declareEvent, "native_event": declareNativeEvent,
		"enum": declareEnum, "array": declareArray,
	}
}

// declareComponent is ecs.component(name, fields, options).
func declareComponent(a *args) int {
	c := &decl.Component{Type: a.declaredType()}
	c.Schema.Version = 1
	defaults := a.fields(2, &c.Type)
	if a.L.GetTop() >= 3 {
		a.componentOptions(c, a.table(3))
	}
	a.layout(&c.Type, defaults)
	a.admitComponent(c)
	a.invariants(c)
	return a.result(wrap(c, a.types.component))
}

// declareTag is ecs.tag(name, options): a component without data.
func declareTag(a *args) int {
	c := &decl.Component{Type: a.declaredType()}
	c.Schema.Version = 1
	if a.L.GetTop() >= 2 {
		a.tagOptions(c, a.table(2))
	}
	a.layout(&c.Type, nil)
	a.admitComponent(c)
	return a.result(wrap(c, a.types.component))
}

// declareEvent is ecs.event(name, fields).
func declareEvent(a *args) int {
	e := &decl.Event{Type: a.declaredType()}
	var defaults map[string]lua.LValue
	if a.L.GetTop() >= 2 {
		defaults = a.fields(2, &e.Type)
		a.noBounds(&e.Type)
	}
	a.layout(&e.Type, defaults)
	a.script.events = append(a.script.events, e)
	admit(a, a.core.events, e)
	return a.result(wrap(e, a.types.event))
}

// declaredType begins the declaration of a component or an event.
func (a *args) declaredType() decl.Type {
	a.declares()
	name := a.named(1)
	t := decl.Type{Name: name, Schema: &ecs.Schema{Name: name}}
	t.Place = fault.Here(a.L)
	return t
}

// layout gives the fields their places, and the schema its defaults.
func (a *args) layout(t *decl.Type, defaults map[string]lua.LValue) {
	if err := t.Schema.Layout(); err != nil {
		a.problem("%v", err)
		t.Broken = true
		return
	}
	setDefaults(t.Schema, defaults)
}

// admit checks a declaration against what exists and what this load has declared
// before; the same declaration twice is one type.
func admit[T any, P decl.Declared[T]](a *args, r *decl.Registry[T, P], p P) {
	t, known := p.Common(), r.Find(p.Common().Name)
	var k *decl.Type
	if known != nil {
		k = known.Common()
	}
	switch {
	case t.Name == "":
		t.Broken = true
	case k != nil && k.GoType && !k.Schema.Same(t.Schema):
		a.problemAt(fault.Argument(1), "%s %q is declared by the Go host with other fields: use ecs.%s(%q)", r.Sort, t.Name, nativeOf[r.Sort], t.Name)
		t.Broken = true
	case k == nil || k.Broken || t.Broken:
	case r.Staged[t.Name] != nil && !k.Schema.Same(t.Schema):
		a.problemAt(fault.Argument(1), "%s %q is declared with other fields in %s (not alike: %s): declare it in one file, which the others require",
			r.Sort, t.Name, k.Place.String(), strings.Join(differing(t.Schema, k.Schema), ", "))
		t.Broken = true
	case k.Ready && !k.GoType && t.Differs(k.Schema, t.Schema):
		t.Changes = k.Schema
		p.Continue((*T)(known))
	case k.Ready:
		t.Ready, t.GoType = true, k.GoType
		p.Continue((*T)(known))
	default: // declared in this load before
		t.Changes = k.Changes
		p.Continue((*T)(known))
	}
	r.Staged[t.Name] = p
	a.script.uses = append(a.script.uses, r.Sort+" "+t.Name)
}

// differing lists the fields that two declarations of one type do not have alike.
func differing(a, b *ecs.Schema) (names []string) {
	for _, f := range append(slices.Clone(a.Fields), b.Fields...) {
		x, y := a.Field(f.Name), b.Field(f.Name)
		alike := x != nil && y != nil && x.Kind == y.Kind && x.Len == y.Len && slices.Equal(x.Names, y.Names)
		if !alike && !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// nativeOf names the functions that fetch types of the Go host.
var nativeOf = map[string]string{"component": "native", "event": "native_event"}

// admitComponent is admit for a component, which may have had another name before.
func (a *args) admitComponent(c *decl.Component) {
	known, other := a.components.Find(c.Name), a.components.Staged[c.Name]
	a.comesFrom(c, known)
	if c.Name != "" && a.goneName(c.Name) {
		c.Broken = true
	}
	changes := c.Changes // by its new name
	admit(a, a.components, c)
	if c.Changes != nil && c.Changes != changes && known.Ready {
		a.sameStorage(c, known)
	}
	if c.Tracked && c.Heap {
		a.problemAt(a.option("tracked"), "component %q, option \"tracked\": its values are the host's, and not plain bytes", c.Name)
	}
	if other != nil && c.Was == "" {
		c.Was, c.From = other.Was, other.From
	}
	a.script.Components = append(a.script.Components, c)
}

// sameStorage complains about a component that would have to move into a pool, or
// out of one, with its values.
func (a *args) sameStorage(c, known *decl.Component) {
	if pooled := a.ground.traits(known).pooled; pooled != c.Sparse {
		a.problemAt(a.option("sparse"), "component %q, option \"sparse\": it cannot change together with the fields while the game runs", c.Name)
		c.Broken = true
	}
}

// declareNative is ecs.native(name): a component that the Go host registered.
func declareNative(a *args) int {
	return a.result(wrap(fetch(a, a.components), a.types.component))
}

// declareNativeEvent is ecs.native_event(name): an event of the Go host.
func declareNativeEvent(a *args) int {
	return a.result(wrap(fetch(a, a.core.events), a.types.event))
}

// fetch finds a type of the host by its name alone. One that the host has not registered is
// a fault of the file, and the file goes on with a broken one.
//
// Why not also a type of another script, where there is one by then? Whether there is depends
// on the order in which files run. A reload would find what a restart does not.
func fetch[T any, P decl.Declared[T]](a *args, r *decl.Registry[T, P]) P {
	s, name := a.declaring(), a.text(1)
	native := func(p P) bool {
		return p.Common().Hosts() || r.Staged[p.Common().Name] == p && p.Common().Script == s.Name
	}
	if p := r.Find(name); p != nil && native(p) {
		s.uses = append(s.uses, r.Sort+" "+name)
		return p
	}
	a.unsure(a.L) // the host may have registered it in the meantime
	names := slices.DeleteFunc(r.Names(), func(known string) bool { return !native(r.Find(known)) })
	hint := value.Meant(a.L, name, names)
	if hint == "" {
		hint = ": the host has none of that name; what a script declares, others get by require"
	}
	a.problemAt(fault.Argument(1), "unknown native %s %q%s", r.Sort, name, hint)
	p := P(new(T))
	*p.Common() = decl.Type{Name: name, Schema: &ecs.Schema{Name: name}, Broken: true}
	return p
}

// madeValue is a value of a component as a script has it, in one piece of memory where its
// data are few bytes.
type madeValue struct {
	ud    lua.LUserData
	value decl.Value
	given [1]ecs.Piece
	data  [4]uint64
}

// newValue makes a value of a component, with the defaults.
func (c *core) newValue(of *decl.Component) *madeValue {
	made := &madeValue{}
	made.value = decl.Value{Comp: of, Form: of.Form, Given: made.given[:0]}
	hosts := of.Ready && c.ground.goType(of) != nil
	if of.Schema.Size <= unsafe.Sizeof(made.data) && !hosts && !of.Broken {
		made.value.Data = unsafe.Pointer(&made.data)
		copy(value.BytesAt(made.value.Data, of.Schema.Size), of.Schema.Default)
	} else {
		made.value.Data = c.newData(of)
	}
	lua.InitUserData(&made.ud, &made.value, c.types.value)
	return made
}

// madeEvent is madeValue for an event.
type madeEvent struct {
	ud    lua.LUserData
	value decl.EventValue
	data  [4]uint64
}

// newEventValue makes an event, with the defaults.
func (c *core) newEventValue(of *decl.Event) *madeEvent {
	made := &madeEvent{}
	made.value = decl.EventValue{Event: of, Form: of.Form}
	if of.Schema.Size <= unsafe.Sizeof(made.data) {
		made.value.Data = unsafe.Pointer(&made.data)
		copy(value.BytesAt(made.value.Data, of.Schema.Size), of.Schema.Default)
	} else {
		made.value.Data = newStruct(of.Schema)
	}
	lua.InitUserData(&made.ud, &made.value, c.types.eventValue)
	return made
}

// callComponent is the call of a component with a table.
func (m *core) callComponent(L *lua.LState) int {
	a := called(m, L, "component value")
	c := a.component(1)
	value.Alloc(L, c.Schema.Size)
	v := m.newValue(c)
	if L.GetTop() >= 2 {
		a.fill(&c.Type, v.value.Data, 2, &v.value.Given)
	}
	a.done()
	L.Push(&v.ud)
	return 1
}

// callEvent is the call of an event with a table.
func (m *core) callEvent(L *lua.LState) int {
	a := called(m, L, "event value")
	e := a.event(1)
	value.Alloc(L, e.Schema.Size)
	v := m.newEventValue(e)
	if L.GetTop() >= 2 {
		a.fill(&e.Type, v.value.Data, 2, nil)
	}
	a.done()
	L.Push(&v.ud)
	return 1
}

// fill stores the fields that the nth argument names, a table, and notes in given what it has
// stored. Nothing is known about a type that is broken, and nothing is said.
func (a *args) fill(of *decl.Type, data unsafe.Pointer, n int, given *[]ecs.Piece) {
	s := of.Schema
	t, ok := proxy.TableOf(a.L.Get(n))
	if !ok {
		value.NotOver(a.L, a.L.Get(n))
		a.refuse(fault.Argument(n), "expected the fields of %q in braces, such as %s{ %s = … }, got %s", s.Name, s.Name, value.FirstField(s), value.Describe(a.L.Get(n)))
	}
	if of.Broken {
		return
	}
	if shape, values := lua.Record(t); shape != nil {
		if fields, all := of.Named.Fields(s, shape); all {
			for i, f := range fields {
				if !lua.IsNil(values[i]) {
					a.fillField(s, f, data, n, values[i], given)
				}
			}
			return
		}
	}
	for k, v := lua.Next(t, lua.Nil); !lua.IsNil(k); k, v = lua.Next(t, k) {
		a.fillField(s, a.fieldOf(s, n, k), data, n, v, given)
	}
}

// fillField is fill for one field.
func (a *args) fillField(s *ecs.Schema, f *ecs.Field, data unsafe.Pointer, n int, to lua.Value, given *[]ecs.Piece) {
	if value.Put(f, data, to) {
		if given != nil {
			*given = value.OnePiece(*given, f)
		}
		return
	}
	v := lua.FromValue(to)
	value.ChargeStore(a.L, f)
	if why := value.CannotHold(a.L, f, v); why != "" {
		a.refuse(fault.ValueOf(n, f.Name), "field %q of %q: %s", f.Name, s.Name, why)
	}
	value.Store(f, data, v)
	if given != nil {
		*given = value.Pieces(*given, f, 0, v)
	}
}

// fieldOf returns the field that a key of the nth argument names.
func (a *args) fieldOf(s *ecs.Schema, n int, k lua.Value) *ecs.Field {
	name, named := lua.AsText(k)
	if !named {
		a.refuse(fault.Item(n, lua.FromValue(k)), "%q takes fields by name, such as %s{ %s = … }, got a value without one", s.Name, s.Name, value.FirstField(s))
	}
	f := s.Field(name)
	if f == nil {
		fault.Raise(a.L, value.NoField(a.L, s, name).On(a.place(fault.Key(n, name))))
	}
	return f
}

// componentOptions are the keys of a component's options.
var componentOptions = []string{"sparse", "tracked", "version", "invariant", "transitions", "migrate", "drop", "was"}

func (a *args) componentOptions(c *decl.Component, options *lua.LTable) {
	proxy.Pairs(options, func(k, v lua.LValue) {
		switch fault.Written(k) {
		case "sparse":
			c.Sparse = a.flagOption(c, "sparse", v)
		case "tracked":
			c.Tracked = a.flagOption(c, "tracked", v)
		case "version":
			n, ok := v.(lua.LNumber)
			if c.Schema.Version = int(n); !ok || n < 1 || n != lua.LNumber(int32(n)) {
				a.problemAt(a.option("version"), "component %q, option \"version\": expected a whole number from 1 up, got %s", c.Name, value.Describe(v))
			}
		case "was":
			a.wasOption(c, v)
		case "invariant":
			a.invariantOption(c, v)
		case "transitions":
			a.transitionsOption(c, v)
		default:
			if !a.evolve(&c.Evolution, c.Name, fault.Written(k), v) {
				a.problemAt(fault.Key(a.L.GetTop(), fault.Written(k)), "component %q: unknown option %q%s", c.Name, fault.Written(k), diag.OneOf(fault.Written(k), componentOptions))
			}
		}
	})
	for _, key := range holes.Keys(options) {
		a.problemAt(fault.Key(a.L.GetTop(), key), "component %q, option %s", c.Name, holes.Key(a.L, key))
	}
}

// flagOption reads an option that is true or false.
func (a *args) flagOption(c *decl.Component, option string, v lua.LValue) bool {
	if v.Type() != lua.LTBool {
		a.problemAt(a.option(option), "component %q, option %q: expected true or false, got %s", c.Name, option, value.Describe(v))
	}
	return lua.LVAsBool(v)
}

// option is the value of an option of a component or of a tag, whose options are the last
// argument.
func (a *args) option(key string) fault.Part { return fault.ValueOf(a.L.GetTop(), key) }

// tagOptions reads the options of a tag, which are those of a component that make sense
// without data.
func (a *args) tagOptions(c *decl.Component, options *lua.LTable) {
	known := []string{"sparse", "tracked", "was"}
	proxy.Pairs(options, func(k, v lua.LValue) {
		if !slices.Contains(known, fault.Written(k)) {
			a.problemAt(fault.Key(2, fault.Written(k)), "tag %q: unknown option %q%s", c.Name, fault.Written(k), diag.OneOf(fault.Written(k), known))
			options.RawSet(k, lua.LNil)
		}
	})
	a.componentOptions(c, options)
}

// kindNames are the field kinds that scripts name as ecs.f32(default).
var kindNames = [...]ecs.Kind{
	ecs.Bool, ecs.I8, ecs.I16, ecs.I32, ecs.I64, ecs.U8, ecs.U16, ecs.U32, ecs.U64, ecs.F32, ecs.F64, ecs.Ref,
}

// fieldSpec is what ecs.f32(100) returns: the description of a field.
type fieldSpec struct {
	field  ecs.Field // without a name
	value  lua.LValue
	bounds *fieldBounds // nil: none
}

func (f *fieldSpec) Describe() string { return "the field kind " + f.field.Kind.String() }

// Use says what the description of a field is for.
func (f *fieldSpec) Use() string { return "ecs.component and ecs.event take it for a field" }

// fieldOf is ecs.f32(default) and its like: a field of one kind.
func (m *core) fieldOf(k ecs.Kind) lua.LGFunction {
	name := k.String()
	f := callForm{most: 1, shown: diag.Format("ecs.%s(default)", name)}
	if bounded := k.Integer() || k == ecs.F32 || k == ecs.F64; bounded {
		f = callForm{most: 2, shown: diag.Format("ecs.%s(default, { min = …, max = … })", name)}
	}
	return func(L *lua.LState) int {
		a := args{core: m, L: L, name: name}
		a.atMost(&f)
		L.Push(wrap(&fieldSpec{field: ecs.Field{Kind: k}, value: L.Get(1), bounds: a.readBounds(k)}, m.types.field))
		return 1
	}
}

// declareEnum is ecs.enum("idle", "walk", …); the first value is the default.
func declareEnum(a *args) int {
	f := &fieldSpec{field: ecs.Field{Kind: ecs.Enum}, value: lua.LNil}
	for i := 1; i <= a.L.GetTop(); i++ {
		name := a.title(i)
		if slices.Contains(f.field.Names, name) {
			a.wrong(i, "the value %q is given twice", name)
		}
		f.field.Names = append(f.field.Names, name)
	}
	if n := len(f.field.Names); n == 0 || n > 256 {
		a.fail("expected 1 to 256 names, got %d", n)
	}
	return a.result(wrap(f, a.types.field))
}

// declareArray is ecs.array(kind, n): n values of one kind, each with its default.
func declareArray(a *args) int {
	of := a.fieldKind(1)
	f := &fieldSpec{field: of.field, value: of.value, bounds: of.bounds}
	f.field.Len = a.length(2)
	return a.result(wrap(f, a.types.field))
}

// fieldKind reads what the elements of an array are.
func (a *args) fieldKind(i int) *fieldSpec {
	of, ok := value.Of[*fieldSpec](a.L.Get(i))
	if !ok {
		a.expected(i, "a field kind such as ecs.f32()")
	}
	if of.field.Len > 0 {
		a.wrong(i, "an array of arrays is not possible: use one array, and compute the index")
	}
	return of
}

// length reads how many elements an array has.
func (a *args) length(i int) int {
	n := a.number(i)
	if n < 1 || n > 4096 || n != float64(int(n)) {
		a.wrong(i, "expected a whole number from 1 to 4096, got %v", n)
	}
	return int(n)
}

// maxFields is how many fields a component or an event may have: a field is found by
// looking through them.
const maxFields = 4096

// fields reads a table of fields. Lua tables have no order, so fields lie in
// alphabetical order of their names.
func (a *args) fields(i int, of *decl.Type) (defaults map[string]lua.LValue) {
	var fields []ecs.Field
	owner := of.Name
	a.bounded = nil
	defaults = map[string]lua.LValue{}
	for _, key := range holes.Keys(a.table(i)) {
		a.problemAt(fault.Key(i, key), "field %q of %q: expected a kind such as ecs.f32(0), a number or a boolean, got nil%s", key, owner, holes.Cause(a.L, key))
	}
	proxy.Pairs(a.table(i), func(k, v lua.LValue) {
		name, ok := k.(lua.LString)
		if !ok {
			a.problemAt(fault.Item(i, k), "%q: fields have names: write name = ecs.f32(0)", owner)
			return
		}
		if len(name) > longestDeclared {
			a.failAt(fault.Key(i, string(name)), "%q: the name of a field has at most %d bytes, one has %s", owner, longestDeclared, diag.Grouped(int64(len(name))))
		}
		if !utf8.ValidString(string(name)) {
			a.failAt(fault.Key(i, string(name)), "%q: the name of a field is text in UTF-8, and %q is none: save the file as UTF-8", owner, string(name))
		}
		if len(fields) >= maxFields {
			a.fail("%q has more than %s fields", owner, diag.Grouped(maxFields))
		}
		spec := a.fieldSpec(i, owner, string(name), v)
		if spec == nil {
			return
		}
		spec.field.Name = string(name)
		fields = append(fields, spec.field)
		if spec.bounds != nil {
			a.bounded = append(a.bounded, boundedField{string(name), spec, fault.InCall(a.L, fault.ValueOf(i, string(name)))})
		}
		if spec.value != lua.LNil {
			defaults[string(name)] = spec.value
		}
	})
	slices.SortFunc(fields, func(x, y ecs.Field) int { return cmp.Compare(x.Name, y.Name) })
	of.Schema.Fields = fields
	defaults = a.checkDefaults(i, owner, fields, defaults)
	a.keepFields(fields)
	return defaults
}

// fieldSpec reads one field: a kind, or a plain number or boolean.
func (a *args) fieldSpec(i int, owner, name string, v lua.LValue) *fieldSpec {
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
	why := ""
	if v.Type() == lua.LTString {
		why = ": fields hold no texts; ecs.enum has a few words to choose from, and any other text is kept in ecs.state"
	}
	a.problemAt(fault.ValueOf(i, name), "field %q of %q: expected a kind such as ecs.f32(0), a number or a boolean, got %s%s", name, owner, value.Describe(v), why)
	return nil
}

// checkDefaults drops the defaults that their fields cannot hold.
func (a *args) checkDefaults(n int, owner string, fields []ecs.Field, defaults map[string]lua.LValue) map[string]lua.LValue {
	for i := range fields {
		f := &fields[i]
		v, ok := defaults[f.Name]
		if !ok {
			continue
		}
		if why := value.CannotHoldOne(a.L, f, v); why != "" {
			a.problemAt(fault.ValueOf(n, f.Name), "default of field %q of %q: %s", f.Name, owner, why)
			delete(defaults, f.Name)
		}
	}
	return defaults
}

// setDefaults writes the defaults into the schema, once it has a layout.
func setDefaults(s *ecs.Schema, defaults map[string]lua.LValue) {
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

// evolve reads the options that are about older values; false means that the
// option is another one.
func (a *args) evolve(x *decl.Evolution, name, option string, v lua.LValue) bool {
	switch option {
	case "migrate":
		f, ok := v.(*lua.LFunction)
		if !ok || lua.IsGo(f) {
			a.problemAt(a.option("migrate"), "component %q, option \"migrate\": expected %s, got %s", name, functionFor(v), value.Describe(v))
			return true
		}
		x.Migrate = f
	case "drop":
		list, ok := proxy.TableOf(v)
		if !ok {
			a.problemAt(a.option("drop"), "component %q, option \"drop\": expected a list of names of fields, got %s", name, value.Describe(v))
			return true
		}
		if i := holes.First(a.L, list); i > 0 {
			a.problemAt(a.option("drop"), "component %q, %s", name, holes.Item(a.L, "option \"drop\"", i))
		}
		proxy.Pairs(list, func(_, item lua.LValue) {
			if s, ok := item.(lua.LString); ok {
				x.Drop = append(x.Drop, string(s))
			} else {
				a.problemAt(a.option("drop"), "component %q, option \"drop\": expected the name of a field, got %s", name, value.Describe(item))
			}
		})
	default:
		return false
	}
	return true
}

// handoverName is what ecs.drop calls the value that the version before would hand over.
const handoverName = "on_unload"

// declareDrop is ecs.drop(name): values of a component that no file declares any more
// are to go; or what the version before would hand over, if its on_unload fails.
func declareDrop(a *args) int {
	s := a.declares()
	d := dropping{name: a.named(1), at: fault.Here(a.L)}
	if d.name == handoverName {
		s.dropsHandover = true
	} else if d.name != "" {
		s.drops = append(s.drops, d)
	}
	return 0
}

// wasOption reads the option was.
func (a *args) wasOption(c *decl.Component, v lua.LValue) {
	s, ok := v.(lua.LString)
	switch {
	case !ok || s == "":
		a.problemAt(a.option("was"), "component %q, option \"was\": expected the name that it had before, got %s", c.Name, value.Describe(v))
	case string(s) == c.Name:
		a.problemAt(a.option("was"), "component %q, option \"was\": that is the name which it has", c.Name)
	default:
		c.Was = string(s)
	}
}

// comesFrom finds what a component was, when that exists. known is what has its name
// by now: in force, declared in this load, or nil.
func (a *args) comesFrom(c, known *decl.Component) {
	if c.Was == "" || c.Broken {
		return
	}
	if other := a.staged.renamed[c.Was]; other != nil && other.Name != c.Name {
		a.problemAt(a.option("was"), "component %q: was = %q says %q in %s, too", c.Name, c.Was, other.Name, other.Place.String())
		c.Broken = true
		return
	}
	a.staged.renamed[c.Was] = c
	if still := a.components.Staged[c.Was]; still != nil {
		a.problemAt(a.option("was"), "component %q: was = %q, but %s declares %q still", c.Name, c.Was, still.Place.String(), c.Was)
		c.Broken = true
		return
	}
	old := a.components.InForce(c.Was)
	switch {
	case old == nil:
	case old.Hosts():
		a.problemAt(a.option("was"), "component %q: was = %q, which is the host's", c.Name, c.Was)
		c.Broken = true
	case known == nil:
		if pooled := a.ground.traits(old).pooled; pooled != c.Sparse {
			a.problemAt(a.option("sparse"), "component %q, option \"sparse\": it cannot change together with the name while the game runs", c.Name)
			c.Broken = true
			return
		}
		c.Changes, c.ID = old.Schema, old.ID
	case known.Ready:
		c.From = old
	case known.Was == "":
		a.problemAt(a.option("was"), "component %q: was = %q is missing in %s, where it is declared, too", c.Name, c.Was, known.Place.String())
		c.Broken = true
	}
}

// goneName complains about a name that a component of this load had before.
func (a *args) goneName(name string) bool {
	now := a.staged.renamed[name]
	if now == nil || now.Broken || a.components.InForce(name) == nil {
		return false
	}
	a.problemAt(fault.Argument(1), "component %q is called %q now: %s says so", name, now.Name, now.Place.String())
	return true
}

// keepFields counts what a component or an event has.
func (a *args) keepFields(fields []ecs.Field) {
	for i := range fields {
		f := &fields[i]
		a.keep(decl.PerField + int64(len(f.Name)) + int64(f.Kind.Size())*int64(max(f.Len, 1)) + decl.PerName*int64(len(f.Names)))
	}
}
