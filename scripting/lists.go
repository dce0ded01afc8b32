package scripting

import (
	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
	lua "github.com/yuin/gopher-lua"
)

// content returns the table whose fields are those of a value; nil when it has none,
// or when the metatable that a script has given it decides about them.
func (vm *interpreter) content(v lua.LValue) *lua.LTable {
	t, ok := v.(*lua.LTable)
	if !ok {
		return nil
	}
	content := bindings.Unwrap(t)
	if content == t && t.Metatable != lua.LNil {
		return nil
	}
	vm.stateRead = vm.stateRead || content != t
	return content
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
func (vm *interpreter) items(p *place, path []string, inner int, items []float64) kernel.ValueKind {
	list, kind := vm.content(p.read()), kernel.Other
	each := max(inner, 1)
	n := len(items) / each
	if list == nil || list.Len() != n {
		return kernel.Other
	}
	// How long a list is takes as much time as it has holes at its end, and many
	// items may be the same one.
	var lengths map[*lua.LTable]int
	if inner > 0 {
		lengths = map[*lua.LTable]int{}
	}
	length := func(t *lua.LTable) int {
		if _, known := lengths[t]; !known {
			lengths[t] = t.Len()
		}
		return lengths[t]
	}
	vm.limiter.budget.Take(int64(len(items)))
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

// putAll copies the items of a list, which are of one kind.
func putAll(items []float64, list *lua.LTable) kernel.ValueKind {
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
func (vm *interpreter) all(p *place, n int, wanted func(lua.LValue) bool) bool {
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

// inside tells of what kind the first item of a list is, or what path leads to in it.
func (vm *interpreter) inside(p *place, path []string) kernel.Value {
	list := vm.content(p.read())
	if list == nil {
		return kernel.Value{}
	}
	var number float64
	v := vm.follow(list.RawGetInt(1), path)
	if t := vm.content(v); t != nil {
		return kernel.Value{Kind: kernel.Table, Len: t.Len}
	}
	return kernel.Value{Kind: put(&number, v)}
}
