package ir_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// full returns a kernel in which every list has an element and every pointer leads somewhere.
func full() *ir.Func {
	leaf := func() *ir.Expr { return &ir.Expr{Op: ir.Const, Type: ir.Num, Value: 1} }
	stmt := func() *ir.Stmt {
		return &ir.Stmt{Kind: ir.If, Value: &ir.Expr{Op: ir.Neg, Type: ir.Num, Args: []*ir.Expr{leaf()}}, Body: []*ir.Stmt{{Kind: ir.Stop}}, Else: []*ir.Stmt{{Kind: ir.Leave}}}
	}
	return &ir.Func{
		Columns: []ir.Column{{}}, Fields: []ir.Field{{}},
		Inputs:     []ir.InputLocal{{Read: func() (float64, bool) { return 0, true }, Write: func(float64) {}}},
		HostCalls:  []ir.HostCall{{Parts: []ir.Part{{Ref: 1, Fields: []schema.Field{{Names: []string{""}, Fields: []schema.Field{{}}}}}}}},
		Components: []ir.Component{{Ref: 1}},
		Lists:      []ir.List{{Read: func([]float64) bool { return true }}},
		Same:       []ir.Condition{{Holds: func() bool { return true }}},
		Locals:     []ir.Local{{}}, Spans: map[int]ir.Span{1: {}}, Fallbacks: []ir.Fallback{{}},
		Once: []*ir.Stmt{stmt()}, Body: []*ir.Stmt{stmt()},
	}
}

// TestKeysSayEverything changes every value that a kernel has, one after the other, and wants
// another key each time, but for the ones from outside.
func TestKeysSayEverything(t *testing.T) {
	same := string(full().Key())
	seen := map[string]string{same: "nothing"}
	changed := 0
	var walk func(f *ir.Func, v reflect.Value, path string)
	check := func(f *ir.Func, path string, outside bool) {
		changed++
		k := string(f.Key())
		if outside != (k == same) {
			t.Errorf("%s: changed, and the key is the same: %v", path, k == same)
		}
		if other, taken := seen[k]; taken && !outside {
			t.Errorf("%s: the key is that of %s changed", path, other)
		}
		seen[k] = path
	}
	walk = func(f *ir.Func, v reflect.Value, path string) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					walk(f, v.Field(i), path+"."+v.Type().Field(i).Name)
				}
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(f, v.Index(i), path)
			}
			if v.Len() == 0 {
				break
			}
			before := v.Interface()
			v.Set(reflect.Append(v.Slice3(0, v.Len(), v.Len()), v.Index(0)))
			check(f, path+" longer", false)
			v.Set(reflect.ValueOf(before))
		case reflect.Pointer:
			if !v.IsNil() {
				walk(f, v.Elem(), path)
			}
		case reflect.Map:
			before := v.MapIndex(reflect.ValueOf(1))
			v.SetMapIndex(reflect.ValueOf(1), reflect.ValueOf(ir.Span{Low: 1}))
			check(f, path+" low", false)
			v.SetMapIndex(reflect.ValueOf(1), reflect.ValueOf(ir.Span{High: 1}))
			check(f, path+" high", false)
			v.SetMapIndex(reflect.ValueOf(1), before)
			v.SetMapIndex(reflect.ValueOf(2), before)
			check(f, path+" longer", false)
			v.SetMapIndex(reflect.ValueOf(2), reflect.Value{})
		case reflect.Interface: // a Ref
			v.Set(reflect.ValueOf(2))
			check(f, path, true)
			v.Set(reflect.ValueOf(1))
		case reflect.Func:
			before := reflect.ValueOf(v.Interface())
			v.SetZero()
			check(f, path, path == ".Lists.Read" || path == ".Same.Holds")
			v.Set(before)
		default:
			before := reflect.ValueOf(v.Interface())
			if v.CanInt() {
				v.SetInt(v.Int() + 37)
			} else if v.CanUint() {
				v.SetUint(v.Uint() + 37)
			} else if v.CanFloat() {
				v.SetFloat(v.Float() + 37)
			} else if v.Kind() == reflect.Bool {
				v.SetBool(!v.Bool())
			} else {
				v.SetString(v.String() + "a")
			}
			check(f, path, strings.HasSuffix(path, ".From"))
			v.Set(before)
		}
	}
	f := full()
	walk(f, reflect.ValueOf(f).Elem(), "")
	if changed < 100 {
		t.Errorf("%d values were changed", changed)
	}
	if string(full().Key()) != same {
		t.Error("two equal kernels have different keys")
	}
}
