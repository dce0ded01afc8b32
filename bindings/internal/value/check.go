package value

import (
	"fmt"
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
)

// CannotHold says why a field cannot hold a value, and "" if it can. Nothing else decides that:
// Store relies on it, and must not be called with a value that is refused here.
func CannotHold(L *lua.LState, f *ecs.Field, v lua.LValue) string {
	if f.Len == 0 {
		return CannotHoldOne(L, f, v)
	}
	t, ok := proxy.TableOf(v)
	if !ok {
		return fmt.Sprintf("expected a table of %d, got %s", f.Len, Describe(v))
	}
	return cannotHoldList(L, f, t)
}

// CannotHoldOne is CannotHold for one element of an array, or for a field that is not an array.
func CannotHoldOne(L *lua.LState, f *ecs.Field, v lua.LValue) string {
	switch f.Kind {
	case ecs.Bool:
		return expectType(v, lua.LTBool, "true or false")
	case ecs.String:
		return cannotHoldText(L, f, v)
	case ecs.Enum:
		if s, ok := v.(lua.LString); ok && slices.Contains(f.Names, string(s)) {
			return ""
		}
		if s, ok := v.(lua.LString); ok {
			if near := Meant(L, string(s), f.Names); near != "" {
				return diag.Format("unknown value %q%s", string(s), near)
			}
			return diag.Format("unknown value %q: expected ", string(s)) + diag.Choice(f.Names)
		}
		return "expected " + diag.Choice(f.Names) + ", got " + Describe(v)
	case ecs.Ref:
		return cannotRefer(v)
	case ecs.Struct:
		return cannotNest(L, f, v)
	case ecs.Opaque:
		return "the field cannot be set from a script"
	}
	n, ok := v.(lua.LNumber)
	if !ok {
		return "expected a number, got " + Describe(v)
	}
	if err := f.Kind.Fit(float64(n)); err != nil {
		return err.Error()
	}
	return ""
}

// cannotHoldText is CannotHold for a text. That of a limit is an error of its own: it is raised.
func cannotHoldText(L *lua.LState, f *ecs.Field, v lua.LValue) string {
	s, ok := v.(lua.LString)
	if !ok {
		return expectType(v, lua.LTString, "a string")
	}
	if hold := lua.VM(L).HoldText; hold != nil {
		if e := hold(len(s)); e != nil {
			e.Message = diag.Format("field %q: ", f.Name) + e.Message
			fault.Raise(L, e)
		}
	}
	return ""
}

// expectType is CannotHold for kinds that take all values of one type of Lua.
func expectType(v lua.LValue, t lua.LValueType, what string) string {
	if v.Type() == t {
		return ""
	}
	return "expected " + what + ", got " + Describe(v)
}

// cannotRefer is CannotHold for a reference to an entity. A dead entity is no fault: it may
// have died since the script has got its handle. nil means no entity.
func cannotRefer(v lua.LValue) string {
	switch v := v.(type) {
	case *lua.LNilType:
		return ""
	case lua.LNumber:
		_, why := ToEntity(float64(v))
		return why
	}
	return "expected an entity, got " + Describe(v)
}

// cannotNest is CannotHold for a struct within a struct. Fields that the table does not name
// keep their values, so it need not be complete.
func cannotNest(L *lua.LState, f *ecs.Field, v lua.LValue) string {
	t, ok := proxy.TableOf(v)
	if !ok {
		return "expected a table, got " + Describe(v)
	}
	nested := ecs.Schema{Fields: f.Fields}
	why := ""
	proxy.Pairs(t, func(k, v lua.LValue) {
		inner := nested.Field(fault.Written(k))
		if inner == nil {
			name, names := fault.Written(k), FieldNames(&nested)
			Charge(L, diag.StepsToSuggest(name, names))
			why = diag.Format("unknown field %q%s", name, diag.Fields(name, names))
		} else if w := CannotHold(L, inner, v); w != "" {
			why = fmt.Sprintf("field %q: %s", inner.Name, w)
		}
	})
	return why
}

// FieldNames lists a schema's fields, for suggestions.
func FieldNames(s *ecs.Schema) []string {
	names := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		names[i] = f.Name
	}
	return names
}

// ElementAt returns the index that a key is, if it is one of an array.
func ElementAt(f *ecs.Field, key lua.LValue) (i int, ok bool) {
	n, ok := key.(lua.LNumber)
	if !ok || !(n >= 1 && n <= lua.LNumber(f.Len)) || n != lua.LNumber(math.Trunc(float64(n))) {
		return 0, false
	}
	return int(n), true
}

// NoElement says that a key is no index of an array.
func NoElement(f *ecs.Field, key lua.LValue) string {
	if n, ok := key.(lua.LNumber); ok {
		return diag.Format("index %s is outside of the array: it has 1 to %d", n.String(), f.Len)
	}
	return diag.Format("%s is no index of the array: it has 1 to %d", Describe(key), f.Len)
}

// astray returns the first key of a table that is no index of an array, nil when there
// is none. O(1) for a table with all of the elements and nothing else.
func astray(f *ecs.Field, t *lua.LTable) lua.LValue {
	k := lua.LValue(lua.LNil)
	if t.Len() >= f.Len {
		k = lua.LNumber(f.Len) // what follows comes after the list
	}
	for k, _ = t.Next(k); k != lua.LNil; k, _ = t.Next(k) {
		if _, ok := ElementAt(f, k); !ok {
			return k
		}
	}
	return nil
}

// cannotHoldList is CannotHold for an array. A list may be shorter than the array, and only
// in a table that came from the array itself is a nil a gap: elsewhere it counts as a value.
func cannotHoldList(L *lua.LState, f *ecs.Field, t *lua.LTable) string {
	if n := t.Len(); n > f.Len {
		return fmt.Sprintf("the table has %d elements, the field has room for %d", n, f.Len)
	}
	if key := astray(f, t); key != nil {
		return NoElement(f, key)
	}
	gaps := rawField(t, ElementKey) != lua.LNil
	for i := range elements(f, t) {
		v := t.RawGetInt(i + 1)
		if v == lua.LNil && (gaps || f.Kind == ecs.Opaque) {
			continue
		}
		if why := CannotHoldOne(L, f, v); why != "" {
			return diag.Format("element %d: ", i+1) + why
		}
	}
	return ""
}

// elements returns how many elements of an array a table has: up to the last that is there.
// The length of a table with gaps could be any of several.
func elements(f *ecs.Field, t *lua.LTable) int {
	n := f.Len
	for n > 0 && t.RawGetInt(n) == lua.LNil {
		n--
	}
	return n
}

// FirstField returns the name of a field for examples in messages.
func FirstField(s *ecs.Schema) string {
	if len(s.Fields) == 0 {
		return "x"
	}
	return s.Fields[0].Name
}
