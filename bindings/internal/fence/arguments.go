package fence

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
)

var errorType = reflect.TypeFor[error]()

// parameters checks the arguments of a call of a Go function: how many they are, and
// that numbers arrive as they are.
func (f *Fence) parameters(L *lua.LState, x *hostFunction) {
	sig := x.sig
	n, want, first := L.GetTop(), len(x.params), 1+x.self
	if x.self > 0 {
		x.called(L)
	}
	if sig.IsVariadic() && n < want-1 || !sig.IsVariadic() && n != want {
		least := ""
		if sig.IsVariadic() {
			want, least = want-1, "at least "
		}
		x.checkColon(L)
		fault.Raisef(L, "%s: expected %s%s, got %d", x.title(L), least, diag.Plural(want-first+1, "argument"), max(n-first+1, 0))
	}
	for i := first; i <= n; i++ {
		t := x.parameter(i)
		if v := L.Get(i); v != f.unknown && !surely(v, t) {
			if why := f.given(L, v, t); why != "" {
				x.checkColon(L)
				f.part = fault.Argument(i)
				fault.RaiseAt(L, fault.Argument(i), "%s: argument %d: %s", x.title(L), i-first+1, why)
			}
		}
	}
}

// parameter returns the type of the ith parameter, from 1; nil where nobody knows it.
func (x *hostFunction) parameter(i int) reflect.Type {
	if len(x.params) == 0 {
		return nil
	}
	return x.params[min(i, len(x.params))-1]
}

// called raises an error where a method is called without the value that has it: with a
// dot where a colon belongs.
func (x *hostFunction) called(L *lua.LState) {
	if ud, ok := L.Get(1).(*lua.LUserData); ok && ud.Value != nil {
		is, of := reflect.TypeOf(ud.Value), x.sig.In(0)
		if is.AssignableTo(of) || structOf(is) != nil && structOf(is) == structOf(of) {
			return
		}
	}
	words := strings.TrimSuffix(x.title(L), x.name)
	fault.Raisef(L, "%s%s is a method: call it with a colon, %s:%s(…)", words, x.name, cmp.Or(strings.TrimSuffix(words, "."), "object"), x.name)
}

// results checks what a function of a script has returned to the host, which are the values
// on the stack after the first n. What is wrong with them is a fault of the script's.
func (f *Fence) results(th *lua.LState, fn *lua.LFunction, n int, to callee) {
	if to.sig == nil {
		return
	}
	why, got := "", th.GetTop()-n
	if want := to.sig.NumOut(); got != want {
		why = fmt.Sprintf("expected %s, got %d", diag.Plural(want, "result"), got)
	}
	for i := 0; i < got && why == ""; i++ {
		if why = f.given(th, th.Get(n+1+i), to.sig.Out(i)); why != "" {
			why = fmt.Sprintf("result %d: %s", i+1, why)
		}
	}
	if why == "" {
		return
	}
	e := diag.New("%s: what the function of argument %d returns: %s", to.of.title(to.L), to.n, why)
	if !lua.IsGo(fn) {
		e.Put(fault.OfFunction(th, lua.Proto(fn)))
	}
	fault.Raise(th, e)
}

// Judge returns the error of a call of one of our functions with these arguments, and puts
// the part of the call that it is about into part. The call is not made. Arguments that are
// unknown are passed over, and so are all when open says that nobody knows how many there
// are.
func (f *Fence) Judge(L *lua.LState, fn *lua.LFunction, given []lua.LValue, open bool, unknown lua.LValue, part *fault.Part) error {
	if !f.funcs[fn] || open {
		return nil
	}
	f.unknown, f.part = unknown, fault.Part{}
	defer func() { f.unknown, *part = nil, f.part }()
	return L.CallByParam(lua.P{Fn: fn, Protect: true}, given...)
}

// given is unfit for what comes straight from a script: its tables may be too large to be
// copied.
func (f *Fence) given(L *lua.LState, v lua.LValue, t reflect.Type) (why string) {
	if table, ok := v.(*lua.LTable); ok {
		why = f.copied(L, table)
	}
	if why == "" {
		why = f.unfit(L, v, t)
	}
	return why
}

// unfit says why a Go type cannot hold a value as it is, and "" where it can. What is left is
// converted by in, which never fails. The fence has checked the size and the depth of tables.
func (f *Fence) unfit(L *lua.LState, v lua.LValue, t reflect.Type) string {
	wrong := func(expected string) string { return "expected " + expected + ", got " + value.Describe(v) }
	kind := t.Kind()
	n, number := v.(lua.LNumber)
	switch {
	case v == f.unknown || t.Implements(luaValue):
		return ""
	case number && t == value.EntityType:
		_, why := value.ToEntity(float64(n))
		return why
	case number && kind >= reflect.Int && kind <= reflect.Uint64:
		if low, high := limits(t); !whole(float64(n), low, high) {
			return wrong("a whole number from " + bound(low, 0) + " to " + bound(high, 1))
		}
	case number && kind == reflect.Float32 && !single(float64(n)):
		return wrong(fmt.Sprintf("a number from %v to %v, or an infinite one", float32(-math.MaxFloat32), float32(math.MaxFloat32)))
	}
	ok := false
	switch v := v.(type) {
	case lua.LNumber:
		ok = kind >= reflect.Int && kind <= reflect.Float64
	case lua.LBool:
		ok = kind == reflect.Bool
	case lua.LString:
		ok = kind == reflect.String || kind == reflect.Slice && reflect.TypeFor[string]().ConvertibleTo(t)
	case *lua.LFunction:
		ok = kind == reflect.Func
	case *lua.LNilType:
		ok = slices.Contains(nilable, kind)
	case *lua.LUserData:
		ok = v.Value != nil && reflect.TypeOf(v.Value).ConvertibleTo(t)
	case *lua.LTable:
		if s := structOf(t); s != nil {
			return f.unfitFields(L, v, s)
		}
		switch kind {
		case reflect.Slice, reflect.Array:
			return f.unfitItems(L, v, t)
		case reflect.Map:
			return f.unfitPairs(L, v, t.Key(), t.Elem())
		case reflect.Interface:
			if t.NumMethod() == 0 {
				return f.unfitPairs(L, v, t, t)
			}
		}
	}
	if ok || kind == reflect.Interface && t.NumMethod() == 0 && v.Type() != lua.LTThread {
		return ""
	}
	return wrong(expected(t))
}

var (
	luaValue = reflect.TypeFor[lua.LValue]()
	nilable  = []reflect.Kind{reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice}
)

// whole reports whether a number is a whole one, from low to below high.
func whole(x, low, high float64) bool { return x == math.Trunc(x) && x >= low && x < high }

// single reports whether a float32 holds a number, rounded: one beyond its largest would become infinite.
func single(x float64) bool { return math.IsInf(x, 0) || !math.IsInf(float64(float32(x)), 0) }

// expected says what a script has to write for a Go type.
func expected(t reflect.Type) string {
	kind := t.Kind()
	switch {
	case t == value.EntityType:
		return "an entity"
	case kind >= reflect.Int && kind <= reflect.Uintptr:
		return "a whole number"
	case structOf(t) != nil:
		return "a table of fields, or the host's " + t.String()
	}
	switch kind {
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Func:
		return "a function"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map:
		return "a table"
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return "anything but a coroutine"
		}
	}
	return "the host's " + t.String()
}

// unfitItems is unfit for a list.
func (f *Fence) unfitItems(L *lua.LState, v *lua.LTable, t reflect.Type) (why string) {
	n := v.Len()
	if t.Kind() == reflect.Array && n != t.Len() {
		return fmt.Sprintf("expected a list of %s, got %d", diag.Plural(t.Len(), "item"), n)
	}
	proxy.Pairs(v, func(k, _ lua.LValue) {
		if i, ok := k.(lua.LNumber); why == "" && (!ok || !whole(float64(i), 1, float64(n)+1)) {
			why = "expected a list, got a table with " + value.Describe(k) + " as a key"
		}
	})
	for i := 1; i <= n && why == ""; i++ {
		if why = f.unfit(L, v.RawGetInt(i), t.Elem()); why != "" {
			why = fmt.Sprintf("item %d: %s", i, why)
		}
	}
	return why
}

// unfitPairs is unfit for a table that becomes a map.
func (f *Fence) unfitPairs(L *lua.LState, v *lua.LTable, key, elem reflect.Type) (why string) {
	proxy.Pairs(v, func(k, item lua.LValue) {
		if why != "" {
			return
		}
		if _, table := k.(*lua.LTable); table {
			why = "a table as a key cannot be given to the host"
		} else if why = f.unfitKey(L, k, key); why != "" {
			why = "a key: " + why
		} else if why = f.unfit(L, item, elem); why != "" {
			why = "item " + value.Describe(k) + ": " + why
		}
	})
	return why
}

// unfitKey is unfit for a key of a map. Go cannot hash all that a key of the type any could
// be, and finds no entry again whose key is NaN.
func (f *Fence) unfitKey(L *lua.LState, k lua.LValue, t reflect.Type) string {
	no := t.Kind() == reflect.Interface && (k.Type() == lua.LTTable || k.Type() == lua.LTFunction)
	switch k := k.(type) {
	case lua.LNumber:
		no = k != k
	case *lua.LUserData:
		no = k.Value != nil && !reflect.ValueOf(k.Value).Comparable()
	}
	if no {
		return value.Describe(k) + " cannot be a key of a map of the host: take a number or a string"
	}
	return f.given(L, k, t)
}

// unfitFields is unfit for a table that becomes a struct.
func (f *Fence) unfitFields(L *lua.LState, v *lua.LTable, t reflect.Type) (why string) {
	fields := f.fieldsOf(t)
	proxy.Pairs(v, func(k, item lua.LValue) {
		name, named := k.(lua.LString)
		field, there := fields[string(name)]
		switch {
		case why != "":
		case !named:
			why = "expected a table of fields, got one with " + value.Describe(k) + " as a key"
		case !there:
			why = fmt.Sprintf("the host's %s has no field %q%s", t.Name(), diag.Cut(string(name)), value.Meant(L, string(name), slices.Collect(maps.Keys(fields))))
		case len(field.Index) > 1: // what it is embedded in could be nil
			in := t.Field(field.Index[0])
			why = fmt.Sprintf("%s is a field of the embedded %s, which a table cannot set", name, in.Name)
			if _, ok := fields[in.Name]; ok {
				why = fmt.Sprintf("%s is a field of the embedded %s: write %[2]s = { %[1]s = … }", name, in.Name)
			}
		default:
			if why = f.unfit(L, item, field.Type); why != "" {
				why = string(name) + ": " + why
			}
		}
	})
	return why
}

// limits returns the least number of an integer type, and the one after its greatest.
func limits(t reflect.Type) (low, high float64) {
	if t.Kind() <= reflect.Int64 {
		return -math.Ldexp(1, t.Bits()-1), math.Ldexp(1, t.Bits()-1)
	}
	return 0, math.Ldexp(1, t.Bits())
}

// bound writes a power of two, its negative or 0, less one if the type ends before it.
func bound(x, less float64) string {
	switch {
	case math.Abs(x) <= 1<<53:
		return fmt.Sprintf("%.0f", x-less)
	case x < 0:
		return fmt.Sprintf("-2^%d", math.Ilogb(-x))
	}
	return fmt.Sprintf("2^%d - 1", math.Ilogb(x))
}

// fieldsOf returns the fields of a struct that scripts see, with their names: as in Go,
// and with a small first letter, unless a tag names another.
func (f *Fence) fieldsOf(t reflect.Type) map[string]reflect.StructField {
	if fields := f.fields[t]; fields != nil {
		return fields
	}
	fields := map[string]reflect.StructField{}
	f.fields[t] = fields
	for _, f := range reflect.VisibleFields(t) {
		switch tag := f.Tag.Get("luar"); {
		case !f.IsExported() || tag == "-":
		case tag != "":
			fields[tag] = f
		default:
			fields[f.Name] = f
			fields[strings.ToLower(f.Name[:1])+f.Name[1:]] = f
		}
	}
	return fields
}

// structOf returns the struct that a type is or points to, nil when it does neither.
func structOf(t reflect.Type) reflect.Type {
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	return t
}

// surely reports of what is stored and given most that a Go type can hold it.
func surely(v lua.LValue, t reflect.Type) bool {
	switch v.(type) {
	case lua.LNumber:
		return t.Kind() == reflect.Float64
	case lua.LBool:
		return t.Kind() == reflect.Bool
	case lua.LString:
		return t.Kind() == reflect.String
	}
	return false
}

// stored checks what a script stores in a value of the host: in a field, an item.
func (f *Fence) stored(L *lua.LState, t reflect.Type) {
	in, v := f.keyed(L, t, true), L.Get(3)
	if in.Kind() == reflect.Struct {
		f.fits(L, in, v, f.fieldsOf(in)[fault.Written(L.Get(2))].Type)
	} else if in.Kind() != reflect.Map || v != lua.LNil { // which deletes
		f.fits(L, in, v, in.Elem())
	}
	if _, ok := v.(*lua.LFunction); ok {
		f.refuse(L, in, "a function of a script cannot be stored in the host: it is over with the call that has made it. Give it to a function of the host as an argument")
	}
}

// fits raises an error where a type cannot hold a value that a script stores.
func (f *Fence) fits(L *lua.LState, in reflect.Type, v lua.LValue, t reflect.Type) {
	if !surely(v, t) {
		f.refuse(L, in, f.given(L, v, t))
	}
}

// refuse raises an error for a key or what is stored under it, unless why is "".
func (f *Fence) refuse(L *lua.LState, in reflect.Type, why string) {
	if why != "" {
		fault.Raisef(L, "the host's %s: %s: %s", cmp.Or(in.Name(), in.Kind().String()), diag.Cut(fault.Written(L.Get(2))), why)
	}
}

// reach returns a field of a struct. It raises an error where the field is one of an embedded pointer
// that is nil.
func (f *Fence) reach(L *lua.LState, v reflect.Value, field reflect.StructField) reflect.Value {
	if in := absent(v, field.Index); in != nil {
		f.refuse(L, v.Type(), fmt.Sprintf("it is a field of %s, which is nil here: use it only where %[1]s is not nil", in.Name()))
	}
	return v.FieldByIndex(field.Index)
}

// absent returns the type of the embedded pointer that is nil on the way to a field, nil if there is none.
func absent(v reflect.Value, index []int) reflect.Type {
	for _, i := range index[:len(index)-1] {
		if v = v.Field(i); v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v.Type().Elem()
			}
			v = v.Elem()
		}
	}
	return nil
}

// keyed checks the key with which a script reads or stores, and returns the type that has it:
// t or what t points to. An index is a whole number.
func (f *Fence) keyed(L *lua.LState, t reflect.Type, stores bool) reflect.Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch key := L.Get(2); t.Kind() {
	case reflect.Struct:
		f.shown(L, t, stores)
	case reflect.Slice, reflect.Array:
		n := reflect.Indirect(reflect.ValueOf(L.Get(1).(*lua.LUserData).Value)).Len()
		if i, ok := key.(lua.LNumber); !ok || !whole(float64(i), 1, float64(n)+1) {
			f.refuse(L, t, "there is no such item: it has "+diag.Plural(n, "item")+", counted from 1")
		}
	case reflect.Map:
		if stores || key != lua.LNil {
			f.refuse(L, t, f.unfitKey(L, key, t.Key()))
		}
	}
	return t
}

// shown checks that a struct has the field that a script stores, or has asked it for.
func (f *Fence) shown(L *lua.LState, in reflect.Type, stores bool) {
	name, names, lacks := fault.Written(L.Get(2)), f.fieldsOf(in), "no field"
	if _, ok := names[name]; ok {
		return
	}
	list := slices.Collect(maps.Keys(names))
	if !stores {
		lacks = "no field and no method"
		for i := range reflect.PointerTo(in).NumMethod() {
			list = append(list, reflect.PointerTo(in).Method(i).Name)
		}
	}
	fault.Raisef(L, "the host's %s has %s %q%s", in.Name(), lacks, diag.Cut(name), value.Meant(L, name, list))
}
