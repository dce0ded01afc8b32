package bindings

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	lua "github.com/yuin/gopher-lua"
	luar "layeh.com/gopher-luar" // reflection over host values is its whole purpose; components never go through it
)

// HostValue converts a Go value that the host exposes. Functions become
// functions; structs and pointers to structs become objects whose exported
// fields and methods scripts may use, and so does what these lead to. Nothing
// else of a value can be reached: see fence. Messages call it by the name.
func (m *Module) HostValue(name string, given any) (v lua.LValue, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a %T cannot be exposed to scripts: %v", given, r)
		}
	}()
	if !exposable(reflect.TypeOf(given)) {
		return nil, fmt.Errorf("a %T cannot be exposed to scripts", given)
	}
	if isNil(reflect.ValueOf(given)) {
		return nil, fmt.Errorf("a %T that is nil cannot be exposed to scripts", given)
	}
	v = luar.New(m.main, given)
	if fn, ok := v.(*lua.LFunction); ok {
		return m.fence.function(fn, name), nil
	}
	return m.fence.out(v), nil
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Slice:
		return v.IsNil()
	}
	return false
}

func exposable(t reflect.Type) bool {
	if t == nil {
		return false
	}
	switch t.Kind() {
	case reflect.Chan, reflect.UnsafePointer, reflect.Uintptr, reflect.Complex64, reflect.Complex128:
		return false
	}
	return true
}

// fence stands between scripts and gopher-luar. Every value that comes out of Go
// passes out, every value that goes into Go passes in, on whatever way: as an
// exposed value, an argument, a result, a field, an item, or through a callback.
//
//   - Of gopher-luar's operators only the index, the length and the comparison
//     remain: others replace what is behind a pointer or send into channels.
//   - Numbers arrive as they are, or the call is an error, and so is one whose last
//     result is an error.
//   - Channels cannot be used at all: they would block the frame.
//   - Tables that go into Go are small and flat enough to be copied.
//   - Functions that go into Go run within the limits of the call that handed
//     them over, and not after it.
//
// Metatables are shared by all values of a Go type, so each is changed once.
type fence struct {
	m     *core
	known map[*lua.LTable]bool              // metatables that were changed
	funcs map[*lua.LFunction]*lua.LFunction // gopher-luar's, and what scripts get for them
	inner int                               // callbacks that are running in each other

	fields map[reflect.Type]map[string]reflect.Type // see fieldsOf
}

// maxCallbacks is how many callbacks may run in each other: each takes a thread
// and Go stack.
const maxCallbacks = 50

// maxFunctions is how many of the host's functions stay the same value when
// they come out again.
const maxFunctions = 1 << 12

func newFence(m *core) *fence {
	return &fence{m: m, known: map[*lua.LTable]bool{}, funcs: map[*lua.LFunction]*lua.LFunction{}, fields: map[reflect.Type]map[string]reflect.Type{}}
}

// out prepares a value that comes from Go.
func (f *fence) out(v lua.LValue) lua.LValue {
	switch v := v.(type) {
	case *lua.LFunction:
		return f.function(v, "a function of the host")
	case *lua.LUserData:
		if meta, ok := v.Metatable.(*lua.LTable); ok && !f.known[meta] {
			f.known[meta] = true
			f.restrict(meta, reflect.TypeOf(v.Value))
		}
	}
	return v
}

// restrict leaves of a metatable what scripts may do.
func (f *fence) restrict(meta *lua.LTable, t reflect.Type) {
	for _, name := range []string{"__pow", "__unm", "__call", "__add"} {
		meta.RawSetString(name, lua.LNil)
	}
	if t != nil && t.Kind() == reflect.Chan {
		for _, name := range []string{"__len", "__index"} {
			meta.RawSetString(name, lua.LNil)
		}
	}
	if fn, ok := meta.RawGetString("__index").(*lua.LFunction); ok {
		meta.RawSetString("__index", f.getter(fn, t))
	}
	if fn, ok := meta.RawGetString("__newindex").(*lua.LFunction); ok {
		meta.RawSetString("__newindex", f.setter(fn, t))
	}
	meta.RawSetString("__tostring", f.m.main.NewFunction(func(L *lua.LState) int {
		L.Push(lua.LString(hostText(L.Get(1))))
		return 1
	}))
}

// hostText is what a host's value shows of itself as a text: what it says
// itself, else its type. Addresses would differ from run to run.
func hostText(v lua.LValue) string {
	ud, ok := v.(*lua.LUserData)
	if !ok {
		return value.Describe(v)
	}
	switch v := ud.Value.(type) {
	case fmt.Stringer:
		return v.String()
	case error:
		return v.Error()
	}
	return fmt.Sprintf("the host's %T", ud.Value)
}

// getter puts the fence around what gives scripts the fields, items and methods of a
// type.
func (f *fence) getter(fn *lua.LFunction, t reflect.Type) *lua.LFunction {
	return f.m.main.NewFunction(func(L *lua.LState) int {
		n := L.GetTop()
		f.pass(L, fn, n)
		v := lua.LValue(lua.LNil)
		if L.GetTop() > n {
			v = L.Get(n + 1)
		}
		if method, ok := v.(*lua.LFunction); ok && structOf(t) != nil {
			L.Push(f.function(method, L.Get(2).String()))
			return 1
		}
		if v == lua.LNil {
			f.shown(L, t)
		}
		L.Push(f.out(v))
		return 1
	})
}

// setter puts the fence around what stores fields and items of a type.
func (f *fence) setter(fn *lua.LFunction, t reflect.Type) *lua.LFunction {
	return f.m.main.NewFunction(func(L *lua.LState) int {
		if t != nil {
			f.stored(L, t)
		}
		f.pass(L, fn, L.GetTop())
		return 0
	})
}

// pass calls one of gopher-luar's functions with the n arguments on the stack. Its
// results are on top of them then.
func (f *fence) pass(L *lua.LState, fn *lua.LFunction, n int) {
	value.Charge(L, value.StepsPerHost)
	L.Push(fn)
	for i := 1; i <= n; i++ {
		L.Push(f.in(L, L.Get(i)))
	}
	L.Call(n, lua.MultRet)
}

// function puts the fence around one of gopher-luar's functions. It has a name for
// messages.
func (f *fence) function(fn *lua.LFunction, name string) *lua.LFunction {
	if known := f.funcs[fn]; known != nil {
		return known
	}
	sig := signature(fn)
	method := len(fn.Upvalues) > 1 && fn.Upvalues[1].Value() == lua.LTrue
	guarded := f.m.main.NewFunction(func(L *lua.LState) int {
		n := L.GetTop()
		if sig != nil && !bypass(sig) {
			f.parameters(L, name, sig, method)
		}
		if c := f.m.tx.Call; c != nil && f.m.world != nil {
			c.Dates.Seal(f.m.world) // what the host writes stays, whatever becomes of the call
		}
		f.pass(L, fn, n)
		if sig != nil && !bypass(sig) {
			f.result(L, name, sig)
		}
		for i := n + 1; i <= L.GetTop(); i++ {
			L.Replace(i, f.out(L.Get(i)))
		}
		return L.GetTop() - n
	})
	if len(f.funcs) > maxFunctions {
		clear(f.funcs) // a host may return new ones without end
	}
	f.funcs[guarded] = guarded // a method comes out again as what it was made
	f.funcs[fn] = guarded
	return guarded
}

// in prepares a value that goes into Go, where copies are made of tables.
func (f *fence) in(L *lua.LState, v lua.LValue) lua.LValue {
	switch v := v.(type) {
	case *lua.LFunction:
		return f.callback(L, v)
	case *lua.LTable:
		budget := maxEntries
		f.check(L, v, 0, &budget)
	}
	return v
}

// check raises an error when a table is too deep or too large to be copied, or
// holds a function: nothing would limit it there.
func (f *fence) check(L *lua.LState, t *lua.LTable, depth int, budget *int) {
	(&args{f.m, L, "host"}).notOver(t)
	if depth > maxNesting {
		fault.Raisef(L, "data nests deeper than %d levels, or contains itself", maxNesting)
	}
	proxy.Pairs(t, func(k, v lua.LValue) {
		value.Charge(L, stepsPerEntry)
		if *budget--; *budget < 0 {
			fault.Raisef(L, "data has more than %s entries", diag.Grouped(maxEntries))
		}
		for _, part := range [...]lua.LValue{k, v} {
			switch part := part.(type) {
			case *lua.LTable:
				f.check(L, part, depth+1, budget)
			case *lua.LFunction:
				fault.Raisef(L, "a function inside of a table cannot be given to the host")
			}
		}
	})
}

// callback makes of a script's function one that the host may call during the
// call that it was given to. gopher-luar calls it on a new thread, which would
// run without a budget.
func (f *fence) callback(L *lua.LState, fn *lua.LFunction) *lua.LFunction {
	during, ctx := f.m.tx.Epoch, L.Context()
	return f.m.main.NewFunction(func(th *lua.LState) int {
		switch {
		case f.m.tx.Epoch != during:
			fault.Raisef(th, "the host called a script's function after the call that it was given to")
		case f.inner >= maxCallbacks:
			fault.Raisef(th, "stack overflow: callbacks from the host are more than %d deep in each other", maxCallbacks)
		}
		if ctx != nil {
			f.m.tx.Attach(th, ctx)
		}
		f.inner++
		defer func() { f.inner-- }()
		n := th.GetTop()
		th.Push(fn)
		for i := 1; i <= n; i++ {
			th.Push(f.out(th.Get(i)))
		}
		th.Call(n, lua.MultRet)
		for i := n + 1; i <= th.GetTop(); i++ {
			th.Replace(i, f.in(th, th.Get(i)))
		}
		return th.GetTop() - n
	})
}

// signature returns the type of the Go function that gopher-luar has made fn of, nil
// when there is none: it keeps the function as fn's first upvalue.
func signature(fn *lua.LFunction) reflect.Type {
	if len(fn.Upvalues) == 0 {
		return nil
	}
	if ud, ok := fn.Upvalues[0].Value().(*lua.LUserData); ok {
		if v, ok := ud.Value.(reflect.Value); ok && v.Kind() == reflect.Func {
			return v.Type()
		}
	}
	return nil
}

// bypass reports whether a Go function gets its arguments from the Lua state itself.
func bypass(sig reflect.Type) bool {
	n := sig.NumIn()
	return n > 0 && sig.In(n-1) == reflect.TypeFor[*luar.LState]()
}

var errorType = reflect.TypeFor[error]()

// parameters checks the arguments of a call of a Go function: how many they are, and
// that numbers arrive as they are. gopher-luar would cut them to size in silence.
func (f *fence) parameters(L *lua.LState, name string, sig reflect.Type, method bool) {
	n, want, first := L.GetTop(), sig.NumIn(), 1
	if method {
		first = 2 // behind the receiver
	}
	if sig.IsVariadic() && n < want-1 || !sig.IsVariadic() && n != want {
		least := ""
		if sig.IsVariadic() {
			want, least = want-1, "at least "
		}
		fault.Raisef(L, "%s: expected %s%s, got %d", name, least, Plural(want-first+1, "argument"), max(n-first+1, 0))
	}
	for i := first; i <= n; i++ {
		t := sig.In(min(i, sig.NumIn()) - 1)
		if sig.IsVariadic() && i >= sig.NumIn() {
			t = t.Elem()
		}
		if v := L.Get(i); !surely(v, t) {
			f.fits(L, func() string { return fmt.Sprintf("%s: argument %d", name, i-first+1) }, v, t)
		}
	}
}

// Plural says how many there are of something.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// result raises the error that a Go function has returned as its last result, and takes
// that result away when there is none.
func (f *fence) result(L *lua.LState, name string, sig reflect.Type) {
	if n := sig.NumOut(); n == 0 || sig.Out(n-1) != errorType {
		return
	}
	last := L.Get(-1)
	L.Pop(1)
	if last == lua.LNil {
		return
	}
	text := last.String()
	if ud, ok := last.(*lua.LUserData); ok {
		if err, ok := ud.Value.(error); ok {
			text = err.Error()
		}
	}
	fault.Raisef(L, "%s: %s", name, text)
}

// fits raises an error for a value that a Go type cannot hold as it is. What is no
// matter of numbers and texts is left to gopher-luar.
func (f *fence) fits(L *lua.LState, what func() string, v lua.LValue, t reflect.Type) {
	wrong := func(expected string) {
		fault.Raisef(L, "%s: expected %s, got %s", what(), expected, value.Describe(v))
	}
	switch kind := t.Kind(); kind {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		low, high := limits(t)
		if n, ok := v.(lua.LNumber); !ok {
			wrong("a whole number")
		} else if x := float64(n); x != math.Trunc(x) || x < low || x >= high {
			fault.Raisef(L, "%s: expected a whole number from %s to %s, got %s", what(), bound(low, 0), bound(high, 1), value.Describe(v))
		}
	case reflect.Float32, reflect.Float64:
		if _, ok := v.(lua.LNumber); !ok {
			wrong("a number")
		}
	case reflect.Bool:
		if _, ok := v.(lua.LBool); !ok {
			wrong("true or false")
		}
	case reflect.String:
		if _, ok := v.(lua.LString); !ok {
			wrong("a string")
		}
	case reflect.Func:
		if _, ok := v.(*lua.LFunction); !ok && v != lua.LNil {
			wrong("a function")
		}
	default:
		if table, ok := v.(*lua.LTable); ok {
			f.itemsFit(L, what, table, t)
		}
	}
}

// itemsFit is fits for what a table holds. The fence has checked its size and depth.
func (f *fence) itemsFit(L *lua.LState, what func() string, v *lua.LTable, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer:
		f.itemsFit(L, what, v, t.Elem())
	case reflect.Slice, reflect.Array:
		for i := 1; i <= v.Len(); i++ {
			f.fits(L, func() string { return fmt.Sprintf("%s: item %d", what(), i) }, v.RawGetInt(i), t.Elem())
		}
	case reflect.Map:
		proxy.Pairs(v, func(k, item lua.LValue) {
			f.fits(L, func() string { return what() + ": a key" }, k, t.Key())
			f.fits(L, func() string { return fmt.Sprintf("%s: item %s", what(), value.Describe(k)) }, item, t.Elem())
		})
	case reflect.Struct:
		fields := f.fieldsOf(t)
		proxy.Pairs(v, func(k, item lua.LValue) {
			if field, ok := fields[k.String()]; ok {
				f.fits(L, func() string { return what() + ": " + k.String() }, item, field)
			}
		})
	}
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
		return fmt.Sprintf("-2^%.0f", math.Log2(-x))
	}
	return fmt.Sprintf("2^%.0f - 1", math.Log2(x))
}

// fieldsOf returns the fields of a struct that scripts see, with their names: as in Go,
// and with a small first letter, unless a tag names another.
func (f *fence) fieldsOf(t reflect.Type) map[string]reflect.Type {
	if fields := f.fields[t]; fields != nil {
		return fields
	}
	fields := map[string]reflect.Type{}
	f.fields[t] = fields
	for _, f := range reflect.VisibleFields(t) {
		switch tag := f.Tag.Get("luar"); {
		case !f.IsExported() || tag == "-":
		case tag != "":
			fields[tag] = f.Type
		default:
			fields[f.Name] = f.Type
			fields[strings.ToLower(f.Name[:1])+f.Name[1:]] = f.Type
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
func (f *fence) stored(L *lua.LState, t reflect.Type) {
	key, v := L.Get(2), L.Get(3)
	in := t
	if in.Kind() == reflect.Pointer {
		in = in.Elem()
	}
	if name, ok := key.(lua.LString); ok && in.Kind() == reflect.Struct {
		if field := f.fieldsOf(in)[string(name)]; field != nil && surely(v, field) {
			return
		}
	}
	f.mayStore(L, in, key, v)
}

// mayStore raises an error for what cannot be stored there.
func (f *fence) mayStore(L *lua.LState, in reflect.Type, key, v lua.LValue) {
	what := func() string { return fmt.Sprintf("the host's %s: %s", in.Name(), diag.Cut(key.String())) }
	switch in.Kind() {
	case reflect.Struct:
		fields := f.fieldsOf(in)
		if field, ok := fields[key.String()]; ok {
			f.fits(L, what, v, field)
			return
		}
		fault.Raisef(L, "the host's %s has no field %q%s", in.Name(), diag.Cut(key.String()), value.Meant(L, key.String(), slices.Collect(maps.Keys(fields))))
	case reflect.Slice, reflect.Array:
		f.fits(L, what, v, in.Elem())
	case reflect.Map:
		f.fits(L, what, key, in.Key())
		if v != lua.LNil { // which deletes
			f.fits(L, what, v, in.Elem())
		}
	}
}

// shown checks that a struct has what a script has asked it for and got nil.
func (f *fence) shown(L *lua.LState, t reflect.Type) {
	in := structOf(t)
	if in == nil {
		return
	}
	name, names := L.Get(2).String(), f.fieldsOf(in)
	if _, ok := names[name]; ok {
		return
	}
	list := slices.Collect(maps.Keys(names))
	for i := range reflect.PointerTo(in).NumMethod() {
		list = append(list, reflect.PointerTo(in).Method(i).Name)
	}
	fault.Raisef(L, "the host's %s has no field and no method %q%s", in.Name(), diag.Cut(name), value.Meant(L, name, list))
}
