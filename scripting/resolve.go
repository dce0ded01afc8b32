package scripting

import (
	"fmt"
	"sync"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/bindings/symbol"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
)

// signature collects what the compiler needs to know and the text does not say: layouts,
// and the values that a function captures.
func (vm *interpreter) signature(s *bindings.KernelSource) *kernel.Signature {
	sig := &kernel.Signature{
		System:   s.System,
		Captured: vm.captured(s.Closure), Library: vm.mathOf(s.Closure), Global: vm.globalOf(s.Closure),
		Memory: vm.memory(), Filters: s.Filters,
		Single: s.Single, Growing: s.Growing || vm.growing, Ample: s.Ample, Vectors: vm.vectors, Budget: vm.compiling,
	}
	for _, t := range s.Terms {
		sig.Terms = append(sig.Terms, kernel.Term{
			Name: t.Schema.Name, Fields: t.Schema.Fields, Stride: t.Schema.Size, Optional: t.Optional, Unreachable: t.Unreachable,
		})
	}
	return sig
}

// mathOf returns the function that finds the functions of math for a script's function.
func (vm *interpreter) mathOf(fn *lua.LFunction) func(name string) kernel.Resolved {
	return func(name string) kernel.Resolved {
		t, ok := lua.Env(fn).RawGetString("math").(*lua.LTable)
		if !ok {
			return kernel.Resolved{}
		}
		p := valuePath{name: "math." + name, read: func() lua.LValue { return t.RawGetString(name) }}
		v := vm.value(&p)
		v.Read, v.Same = nil, nil // the compiler knows whether the script leaves them alone
		return v
	}
}

// globalOf returns the function that finds globals.
func (vm *interpreter) globalOf(fn *lua.LFunction) func(name string) kernel.Resolved {
	return func(name string) kernel.Resolved {
		return vm.value(&valuePath{name: name, where: where{lua.Env(fn), name}, root: lua.Env(fn), key: name,
			read:   func() lua.LValue { return lua.Env(fn).RawGetString(name) },
			number: func() (float64, bool) { return lua.NumberUnder(lua.Env(fn), name) },
		})
	}
}

// captured returns the function that finds the locals which a function captures.
func (vm *interpreter) captured(fn *lua.LFunction) func(name string) kernel.Resolved {
	return func(name string) kernel.Resolved {
		if vm.onCapture != nil {
			vm.onCapture(name)
		}
		for i, known := range lua.Proto(fn).DbgUpvalues {
			if known == name && i < lua.Captures(fn) {
				up := lua.Captured(fn, i)
				return vm.value(&valuePath{name: name, where: where{from: up}, root: up, read: up.Value, write: up.SetValue,
					number: func() (float64, bool) { return lua.NumberOf(up) },
				})
			}
		}
		return kernel.Resolved{Name: fmt.Sprintf("%q, a nil,", name)}
	}
}

// valuePath says where a value is read each time that a kernel runs: in a captured local, or in
// a field of the table that stands in another valuePath.
type valuePath struct {
	name   string // for messages: "tuning.speed"
	where  where
	root   any // the captured local, or the table that has the field
	key    any // name of the field, or number of the item
	read   func() lua.LValue
	number func() (float64, bool) // read for a number, without a value being made of it; nil where it is none
	write  func(lua.LValue)       // nil: the place cannot be written
	home   func() bool            // for a field: the table is still the same one
}

// cell tells apart what is in places: several names may lead to one.
type cell struct{ root, key any }

// where tells places apart: the captured local or the globals, and the names from
// there.
type where struct {
	from any
	path string
}

// to is the place under a key of the table that is there.
func (w where) to(key any) where {
	if name, ok := key.(string); ok {
		return where{w.from, fmt.Sprintf("%s.%q", w.path, name)}
	}
	return where{w.from, fmt.Sprintf("%s[%v]", w.path, key)}
}

// part is what a table in a place holds under a key, which get and number read. A state
// table keeps its content elsewhere.
func (vm *interpreter) part(p *valuePath, name string, key any, get func(*lua.LTable) lua.LValue, number func(*lua.LTable) (float64, bool)) *valuePath {
	home, _ := p.read().(*lua.LTable)
	return &valuePath{
		name: name, where: p.where.to(key), root: home, key: key,
		home: func() bool { return p.read() == lua.LValue(home) },
		read: func() lua.LValue {
			if t := vm.tableIn(p); t != nil {
				return get(t)
			}
			return lua.LNil
		},
		number: func() (float64, bool) {
			if t := vm.tableIn(p); t != nil {
				return number(t)
			}
			return 0, false
		},
	}
}

// tableIn returns the content of the table in a place, nil if there is none.
func (vm *interpreter) tableIn(p *valuePath) *lua.LTable {
	t, ok := p.read().(*lua.LTable)
	if !ok {
		return nil
	}
	content := proxy.Unwrap(t)
	vm.stateRead = vm.stateRead || changes(t)
	return content
}

// field returns the place of a field of the table in a place. To write to it is a write of
// the script: in a state table it is undone with the call.
func (vm *interpreter) field(p *valuePath, name string) *valuePath {
	f := vm.part(p, p.name+"."+name, name,
		func(t *lua.LTable) lua.LValue { return t.RawGetString(name) },
		func(t *lua.LTable) (float64, bool) { return lua.NumberUnder(t, name) })
	if home, ok := p.read().(*lua.LTable); ok && proxy.Data(home) != "" {
		return f // what writes to a data file is left to the VM, which refuses it
	}
	f.write = func(v lua.LValue) {
		if t, ok := p.read().(*lua.LTable); ok {
			vm.binding.SetField(t, name, v)
		}
	}
	return f
}

// item is the i-th item of a list in a place; the 0th stands for how many there
// are.
func (vm *interpreter) item(p *valuePath, i int) *valuePath {
	if i == 0 {
		n := vm.part(p, "#"+p.name, 0, nil, nil)
		n.number = func() (float64, bool) {
			if t := vm.content(p.read()); t != nil {
				return float64(vm.length(t)), true
			}
			return 0, false
		}
		n.read = func() lua.LValue {
			if t := vm.content(p.read()); t != nil {
				return lua.LNumber(vm.length(t))
			}
			return lua.LNil
		}
		return n
	}
	return vm.part(p, fmt.Sprintf("%s[%d]", p.name, i), i,
		func(t *lua.LTable) lua.LValue { return t.RawGetInt(i) },
		func(t *lua.LTable) (float64, bool) { return lua.NumberItem(t, i) })
}

// table describes a table. If it has a metatable of the script, its items may be anything.
func (vm *interpreter) table(v *kernel.Resolved, p *valuePath, t *lua.LTable) {
	v.Kind, v.Path, v.Still = kernel.Table, p.name, func() bool { return p.read().Type() == lua.LTTable }
	v.Field = func(name string) kernel.Resolved {
		f := vm.value(vm.field(p, name))
		if f.Nil = f.Nil && plain(t); f.Nil && t.Len() < mostSiblings {
			f.Siblings = namesOf(t)
		}
		return f
	}
	if !plain(t) && !changes(t) {
		return
	}
	length := func() int {
		if now := vm.content(p.read()); now != nil {
			return vm.length(now)
		}
		return -1
	}
	vm.stateRead = vm.stateRead || changes(t)
	v.Len, v.Length = sync.OnceValue(length), length // many are asked for fields alone
	v.Item = func(i int) kernel.Resolved { return vm.value(vm.item(p, i)) }
	v.Items = func(path []string, inner int, items []float64) kernel.ValueKind {
		return vm.items(p, path, inner, items)
	}
	v.Inside = func(path []string) kernel.Resolved { return vm.inside(p, path) }
	v.Full = func(n int) bool { return vm.all(p, n, func(v lua.LValue) bool { return v != lua.LNil }) }
	v.Tables = func(path []string, n int) bool {
		return vm.all(p, n, func(v lua.LValue) bool { return vm.content(vm.follow(v, path)) != nil })
	}
}

// changes reports whether the content of a table is the game's, which goes on from load to load: a
// state table, or one that stands for another.
func changes(t *lua.LTable) bool { return proxy.State(t) || proxy.Unwrap(t) != t }

// plain reports whether no metatable decides what the fields of a table are. That of a data file
// only refuses assignments.
func plain(t *lua.LTable) bool { return lua.Metatable(t) == lua.LNil || proxy.Data(t) != "" }

// mostSiblings is from how many items on a table is a list, whose names are not looked
// through for a proposal.
const mostSiblings = 100

// namesOf lists the names of the fields of a table.
func namesOf(t *lua.LTable) (names []string) {
	t.ForEach(func(k, _ lua.LValue) {
		if name, ok := k.(lua.LString); ok {
			names = append(names, string(name))
		}
	})
	return names
}

// value describes the value in a place, for the compiler.
func (vm *interpreter) value(p *valuePath) kernel.Resolved {
	now := p.read()
	v := kernel.Resolved{Name: fmt.Sprintf("%q, %s,", p.name, fault.Kind(now)), Path: p.name, Cell: cell{p.root, p.key}, Place: p.where, Home: p.home}
	v.Same = func() bool { return p.read() == now }
	v.Nil = now == lua.LNil
	switch now := now.(type) {
	case lua.LNumber:
		v.Kind, v.Number, v.Name = kernel.Number, float64(now), p.name
		v.Read = p.number
		if p.write != nil {
			v.Write = func(n float64) { p.write(vm.boxed.Number(n)) }
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
		vm.table(&v, p, now)
	case *lua.LFunction:
		vm.function(&v, now)
	case *lua.LUserData:
		vm.data(&v, p, now)
	}
	return v
}

// number returns a number or a boolean as kernels compute with it: 1 for true, 0 for
// false.
func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// function describes a function of a library or of a script.
func (vm *interpreter) function(v *kernel.Resolved, fn *lua.LFunction) {
	if known := vm.library.NameOf(fn); known != "" {
		v.Kind, v.Name = kernel.Builtin, known
		return
	}
	if known, ok := vm.binding.Resolve(fn); ok {
		v.Kind, v.Name, v.Ref, v.Takes, v.Second = kernel.Builtin, known.Name, known.Ref, known.Takes, known.Second
		return
	}
	if lua.IsGo(fn) {
		return
	}
	p, code := vm.program(lua.Proto(fn))
	if p == nil {
		return
	}
	v.Kind, v.Code = kernel.Code, &kernel.Function{
		Script: p.learned().kernels(), File: lua.Proto(fn).SourceName, ID: code.Function, Key: lua.Proto(fn),
		Captured: vm.captured(fn), Library: vm.mathOf(fn), Global: vm.globalOf(fn),
	}
}

// data describes a component and its like. Fields of a resource are found by its
// name each time.
func (vm *interpreter) data(v *kernel.Resolved, p *valuePath, ud *lua.LUserData) {
	known, ok := vm.binding.Resolve(ud)
	if !ok {
		return
	}
	v.Ref, v.Unreachable, v.Name, v.Pooled, v.Ruled = known.Ref, known.Unreachable, known.Name, known.Pooled, known.Ruled
	if known.Schema != nil && known.Kind != symbol.Resource {
		v.Fields, v.Size = known.Schema.Fields, known.Schema.Size
	}
	switch known.Kind {
	case symbol.Component:
		v.Kind = kernel.Component
	case symbol.Event:
		v.Kind = kernel.Event
	case symbol.Prefab:
		v.Kind, v.Size = kernel.Prefab, known.Bytes
	case symbol.Resource:
		same := v.Same
		v.Kind = kernel.Table
		v.Field = func(name string) kernel.Resolved { return resourceField(known, p, name, same) }
	}
}

// resourceField describes a field of a resource. It is read by its name, since a
// resource is a Go value that the host may have changed; it is the same as long as the
// script's variable holds the same resource.
func resourceField(known symbol.Symbol, p *valuePath, name string, same func() bool) kernel.Resolved {
	full := p.name + "." + name
	now, truth, ok := known.Field(name)
	if !ok {
		return kernel.Resolved{Name: fmt.Sprintf("%q, a field of a resource,", full)}
	}
	v := kernel.Resolved{Kind: kernel.Number, Number: now, Name: full, Cell: cell{p.root, full}, Place: p.where.to(name)}
	if truth {
		v.Kind = kernel.Truth
	}
	v.Read = func() (float64, bool) {
		now, kind, ok := known.Field(name)
		return now, ok && kind == truth && same()
	}
	return v
}

// content returns the table that holds the fields of a value: the table itself, or the
// content of a proxy. It is nil for other values, and for a table whose own metatable
// decides about its fields.
func (vm *interpreter) content(v lua.LValue) *lua.LTable {
	t, ok := v.(*lua.LTable)
	if !ok {
		return nil
	}
	content := proxy.Unwrap(t)
	if !plain(t) && !changes(t) {
		return nil
	}
	vm.stateRead = vm.stateRead || changes(t)
	return content
}

// length returns how long a list is. That takes as much time as it has holes at its end,
// which counts as it does in the VM.
func (vm *interpreter) length(t *lua.LTable) int {
	vm.limiter.budget.Take(int64(holeSteps(t)))
	return t.Len()
}

// follow goes from a value along the names of fields; nil where there is no way.
func (vm *interpreter) follow(v lua.LValue, path []string) lua.LValue {
	for _, name := range path {
		t := vm.content(v)
		if t == nil {
			return lua.LNil
		}
		v = t.RawGetString(name)
	}
	return v
}

// items copies what path leads to in each item of the list in a place, or with
// inner, all items of the lists of that length there.
func (vm *interpreter) items(p *valuePath, path []string, inner int, items []float64) kernel.ValueKind {
	list, kind := vm.content(p.read()), kernel.Other
	each := max(inner, 1)
	n := len(items) / each
	if list == nil || list.Len() != n {
		return kernel.Other
	}
	// Many items may be the same one.
	var lengths map[*lua.LTable]int
	if inner > 0 {
		lengths = map[*lua.LTable]int{}
	}
	length := func(t *lua.LTable) int {
		if _, known := lengths[t]; !known {
			lengths[t] = vm.length(t)
		}
		return lengths[t]
	}
	vm.limiter.budget.Take(int64(len(items)))
	if len(path) == 0 && inner == 0 && n > 0 && lua.CopyNumbers(items, list) {
		return kernel.Number
	}
	if len(path) == 1 && inner == 0 && copyFields(items, list, path[0]) {
		return kernel.Number
	}
	for i := range n {
		v := vm.follow(list.RawGetInt(i+1), path)
		found := kernel.Other
		if inner == 0 {
			found = put(&items[i], v)
		} else if row := vm.content(v); row != nil && length(row) == inner {
			found = putAll(items[i*inner:][:inner], row)
		}
		if i > 0 && found != kind {
			return kernel.Other
		}
		kind = found
	}
	return kind
}

// copyFields copies a field of the items of a list, if all of them are plain records in which it is a number. Records of
// one shape have it at one place.
func copyFields(to []float64, list *lua.LTable, field string) bool {
	var last *lua.Shape
	place := -1
	for i := range to {
		record, ok := list.RawGetInt(i + 1).(*lua.LTable)
		if !ok || !plain(record) {
			return false
		}
		shape, values := lua.Record(record)
		if shape == nil {
			return false
		}
		if shape != last {
			last, place = shape, -1
			for k, name := range shape.Texts {
				if name == field {
					place = k
					break
				}
			}
		}
		if place < 0 || !values[place].IsNumber() {
			return false
		}
		to[i] = values[place].Float()
	}
	return true
}

// putAll copies the items of a list, which are of one kind.
func putAll(items []float64, list *lua.LTable) kernel.ValueKind {
	if len(items) > 0 && lua.CopyNumbers(items, list) {
		return kernel.Number
	}
	kind := kernel.Other
	for i := range items {
		found := put(&items[i], list.RawGetInt(i+1))
		if i > 0 && found != kind {
			return kernel.Other
		}
		kind = found
	}
	return kind
}

// all reports whether each of the first n items of the list in a place is as wanted.
func (vm *interpreter) all(p *valuePath, n int, wanted func(lua.LValue) bool) bool {
	list := vm.content(p.read())
	if list == nil {
		return false
	}
	vm.limiter.budget.Take(int64(n))
	for i := range n {
		if !wanted(list.RawGetInt(i + 1)) {
			return false
		}
	}
	return true
}

// put copies a number, or 1 for true.
func put(item *float64, v lua.LValue) kernel.ValueKind {
	switch v := v.(type) {
	case lua.LNumber:
		*item = float64(v)
		return kernel.Number
	case lua.LBool:
		*item = number(bool(v))
		return kernel.Truth
	}
	return kernel.Other
}

// inside returns the kind of the first item of a list, or of what path leads to in it.
func (vm *interpreter) inside(p *valuePath, path []string) kernel.Resolved {
	list := vm.content(p.read())
	if list == nil {
		return kernel.Resolved{}
	}
	var number float64
	v := vm.follow(list.RawGetInt(1), path)
	if t := vm.content(v); t != nil {
		return kernel.Resolved{Kind: kernel.Table, Len: t.Len}
	}
	return kernel.Resolved{Kind: put(&number, v)}
}
