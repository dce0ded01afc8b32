package kerneltest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/analysis"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/lower"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// This file holds samples, scripts whose names have values without a VM, and the files of
// cases that they are made from. What a name stands for is said in plain Go values, and
// described to lower as the host would.

// head is the line before the body of each function here: locals of a script, those
// that it assigns later, and the parameters. It is one line, so that line 2 of the
// text is the first line of the body.
const (
	head = `local speed, on, word, floor, tuning, levels, ons, long, vast, mixed, words, paces, spots, torn, grid, hollow, uneven, ragged, holes, empty, ` +
		`lib, broken, ecs, Unit, Gear, Heat, Red, Lost, Hit, Bolt, clock, missing ` +
		`local count, flag = 0, false count, flag = 1, true x { query = 1, each = `
	parameters = "function(e, u, o, lost, ctx)"
)

// modes are the names of the enum that components here have.
var modes = []string{"idle", "walk", "run"}

// The components, events and prefabs that scripts here name.
var (
	Unit = withText(schema("Unit",
		ecs.Field{Name: "x", Kind: ecs.F64}, ecs.Field{Name: "y", Kind: ecs.F32}, ecs.Field{Name: "hp", Kind: ecs.I32},
		ecs.Field{Name: "n", Kind: ecs.U8}, ecs.Field{Name: "wide", Kind: ecs.I64}, ecs.Field{Name: "on", Kind: ecs.Bool},
		ecs.Field{Name: "mode", Kind: ecs.Enum, Names: modes}, ecs.Field{Name: "mate", Kind: ecs.Ref},
		ecs.Field{Name: "slots", Kind: ecs.F32, Len: 4}, ecs.Field{Name: "many", Kind: ecs.F32, Len: 20}, ecs.Field{Name: "most", Kind: ecs.U8, Len: 80},
		ecs.Field{Name: "at", Kind: ecs.Struct, Fields: []ecs.Field{{Name: "x", Kind: ecs.F64}, {Name: "n", Kind: ecs.I16}}}))
	Gear = schema("Gear", ecs.Field{Name: "a", Kind: ecs.F64}, ecs.Field{Name: "k", Kind: ecs.U16}, ecs.Field{Name: "mode", Kind: ecs.Enum, Names: modes})
	Heat = schema("Heat", ecs.Field{Name: "t", Kind: ecs.F32})
	Red  = schema("Red")
	Hit  = schema("Hit", ecs.Field{Name: "target", Kind: ecs.Ref}, ecs.Field{Name: "amount", Kind: ecs.F32}, ecs.Field{Name: "on", Kind: ecs.Bool})
)

// schema lays a component out.
func schema(name string, fields ...ecs.Field) ecs.Schema {
	s := ecs.Schema{Name: name, Fields: fields}
	if err := s.Layout(); err != nil {
		panic(err)
	}
	return s
}

// withText adds a field of text, as a component of the host's may have one: only a Go
// struct can be laid out with it.
func withText(s ecs.Schema) ecs.Schema {
	s.Fields = append(s.Fields, ecs.Field{Name: "name", Kind: ecs.String, Offset: s.Size})
	s.Size += 16
	return s
}

// table is what a table of the script holds.
type table struct {
	fields map[string]any
	items  []any
}

// builtin is a function of a library.
type builtin string

// resource is a number of the host's, which scripts only read.
type resource float64

// failed is a function of a script at which the compiler failed.
type failed struct{}

// function is a function of the module lib.
type function struct{ name string }

// errFault is what a mistake of the compiler says.
var errFault = errors.New("a fault")

// Memory is a memory with room for a few hundred entities.
var Memory = ir.Memory{MemoryMap: ecs.MemoryMap{
	Records: 4096, Slots: 256, Directory: 1024, Unit: 64, Scratch: 8192, ScratchEnd: 65536, Marks: 2048,
}}

// module is the text of lib, a script that the others require.
const module = `local lib = {}
function lib.double(v) return v * 2 end
function lib.pair(a, b) return b, a end
function lib.maybe(v)
  if v > 3 then
    return nil
  end
  return v
end
function lib.few(v) if v > 3 then return 1 end return 1, 2 end
function lib.none() end
function lib.endless(v) return lib.endless(v) end
function lib.kinds(v) if v > 3 then return true end return 1 end
function lib.any(...) return ... end
function lib.one(v) return v end function lib.two(v) return v end
function lib.zero(v) return -0 end
function lib.text(v)
  return v .. "m"
end
function lib.fill(unit) unit.many[1] = 1 end
return lib`

// Sample is the text of one each function, and what its names stand for.
type Sample struct {
	study  *lower.ScriptFacts
	module *lower.ScriptFacts
	each   syntax.FuncID
	ids    map[string]syntax.FuncID // of the module's functions
	values map[string]any
}

// Parse reads the body of a function over a Unit u, a Gear o that rows may lack, and a
// component lost that no kernel can reach. A body that begins with function has
// parameters of its own.
func Parse(body string) (*Sample, error) {
	text := head + parameters + "\n" + body + "\nend }"
	if strings.HasPrefix(body, "function(") {
		text = head + "\n" + body + " }"
	}
	tree, err := syntax.Parse("test.lua", []byte(text), syntax.Options{})
	if err != nil {
		return nil, err
	}
	lib, err := syntax.Parse("lib.lua", []byte(module), syntax.Options{})
	if err != nil {
		return nil, err
	}
	s := &Sample{
		study: lower.Study(tree), module: lower.Study(lib),
		each: analysis.Of(tree).Each[0].Function.ID, ids: map[string]syntax.FuncID{},
	}
	for _, stmt := range lib.Body {
		if def, ok := stmt.(*syntax.FunctionStmt); ok {
			s.ids[def.Target.(*syntax.Index).Key.(*syntax.String).Value] = def.Func.ID
		}
	}
	s.values = s.names()
	return s, nil
}

// Lower translates the function. Lines of a refusal are those of the body: 1 is the
// first one. With single, arithmetic on f32 fields is float32.
func (s *Sample) Lower(single bool) (*ir.Func, error) { return s.lower(single, nil) }

// LowerWithin is Lower, charged to a budget.
func (s *Sample) LowerWithin(b *lower.CompileBudget) (*ir.Func, error) { return s.lower(false, b) }

func (s *Sample) lower(single bool, b *lower.CompileBudget) (*ir.Func, error) {
	study, each := s.Function()
	f, err := study.Lower(each, s.Signature(single, b))
	if refusal, ok := err.(*lower.Refusal); ok {
		own := *refusal
		own.Pos = syntax.At(own.Line()-1, own.Column())
		return nil, &own
	}
	return f, err
}

// Function returns the function and what the text says about it.
func (s *Sample) Function() (*lower.ScriptFacts, syntax.FuncID) { return s.study, s.each }

// Signature is what a host would know of the function: another one each time, with the same values.
func (s *Sample) Signature(single bool, b *lower.CompileBudget) *lower.Signature {
	return &lower.Signature{
		System: "test", Budget: b, Captured: s.captured, Library: s.library, Global: s.global, Single: single,
		Terms:   []lower.Term{s.term(Unit, false), s.term(Gear, true), {Name: "Lost", Unreachable: goPointers}},
		Filters: []string{"Red"}, Memory: Memory,
	}
}

// LowerOther asks for a function that the text does not have, and returns the reason.
func (s *Sample) LowerOther() error {
	_, err := s.study.Lower(s.each+1, &lower.Signature{})
	return err
}

// term is a component of the query.
func (s *Sample) term(of ecs.Schema, optional bool) lower.Term {
	return lower.Term{Name: of.Name, Fields: of.Fields, Stride: of.Size, Optional: optional}
}

// names are the values of the script's locals.
func (s *Sample) names() map[string]any {
	spot := func(i float64) any {
		return &table{fields: map[string]any{"x": i * 1.5, "on": i > 2, "at": &table{fields: map[string]any{"n": i}, items: []any{i, i + 1}}}}
	}
	long := &table{}
	for i := range 20 {
		long.items = append(long.items, float64(i))
	}
	vast := &table{items: make([]any, 4000)}
	for i := range vast.items {
		vast.items[i] = &table{fields: map[string]any{"x": float64(i)}}
	}
	apis := map[string]any{}
	for _, name := range []string{"random", "get", "has", "alive", "parent", "despawn", "add", "remove", "set", "spawn", "emit", "log", "count"} {
		apis[name] = builtin("ecs." + name)
	}
	lib := map[string]any{"scale": 1.5}
	for name := range s.ids {
		lib[name] = function{name}
	}
	return map[string]any{
		"speed": 2.5, "on": true, "word": "walk", "count": 3.0, "flag": false, "later": 4.0, "floor": builtin("math.floor"),
		"tuning": &table{fields: map[string]any{"speed": 3.0, "on": true, "name": "walk", "deep": &table{fields: map[string]any{"most": 12.0}}}},
		"levels": list(10, 20, 30), "ons": list(true, false), "long": long, "vast": vast, "torn": list(&table{}, 1), "hollow": list(&table{}, &table{}), "broken": &table{fields: map[string]any{"f": failed{}}},
		"mixed": list(1, true), "words": list("a", "b"),
		"paces": &table{fields: map[string]any{"idle": 0.5, "walk": 1.5}}, "spots": list(spot(1), spot(2), spot(3)),
		"grid": list(list(1, 0), list(3, 4)), "uneven": list(&table{fields: map[string]any{"x": 1.0}}, &table{}), "ragged": list(list(1, 2), list(3)),
		"holes": list(1, nil, 3), "empty": &table{}, "lib": &table{fields: lib}, "ecs": &table{fields: apis},
		"Unit": thing(lower.Component, Unit), "Gear": thing(lower.Component, Gear), "Red": thing(lower.Component, Red),
		"Heat": pooled(Heat), "Lost": unreachable("Lost"), "Hit": thing(lower.Event, Hit),
		"Bolt":  &lower.Resolved{Kind: lower.Prefab, Name: "Bolt", Ref: "Bolt"},
		"clock": &table{fields: map[string]any{"hour": resource(7)}},
	}
}

// list makes a list of numbers, booleans, texts and tables.
func list(items ...any) *table {
	for i, v := range items {
		if n, ok := v.(int); ok {
			items[i] = float64(n)
		}
	}
	return &table{items: items}
}

// thing is a component or an event that the script names.
func thing(kind lower.ValueKind, s ecs.Schema) *lower.Resolved {
	return &lower.Resolved{Kind: kind, Name: s.Name, Ref: s.Name, Fields: s.Fields, Size: s.Size}
}

// pooled is a component in a pool: it has no column, and the host finds it.
func pooled(s ecs.Schema) *lower.Resolved {
	v := thing(lower.Component, s)
	v.Pooled = true
	return v
}

// goPointers is why no kernel can reach some components.
const goPointers = "a component with Go pointers"

// unreachable is a component that no kernel can read.
func unreachable(name string) *lower.Resolved {
	return &lower.Resolved{Kind: lower.Component, Name: name, Ref: name, Unreachable: goPointers}
}

// captured, library and global answer what lower asks of names: captured variables, the table
// math, and globals.
func (s *Sample) captured(name string) lower.Resolved {
	if _, ok := s.values[name]; !ok {
		return lower.Resolved{Name: fmt.Sprintf("%q, a nil,", name)}
	}
	return s.value(name, s.values[name])
}

func (s *Sample) library(name string) lower.Resolved {
	switch name {
	case "pi":
		return lower.Resolved{Kind: lower.Number, Number: 3.25, Name: "math.pi"}
	case "nothing":
		return lower.Resolved{}
	}
	return lower.Resolved{Kind: lower.Builtin, Name: "math." + name}
}

func (s *Sample) global(name string) lower.Resolved {
	switch name {
	case "assert", "ipairs", "pairs", "print", "tonumber":
		return s.value(name, builtin(name))
	}
	return lower.Resolved{}
}

// value describes what is under a name, as the host would.
func (s *Sample) value(path string, data any) lower.Resolved {
	v := lower.Resolved{Name: fmt.Sprintf("%q, a %s,", path, kindOf(data)), Path: path, Cell: path, Place: path}
	v.Same = func() bool { return true }
	if strings.ContainsAny(path, ".[") {
		v.Home = func() bool { return true }
	}
	switch data := data.(type) {
	case float64, bool:
		v.Name = path
		v.Kind = number(&v.Number, data)
		now := v.Number
		v.Read = func() (float64, bool) { return now, true }
		v.Write = func(float64) {}
	case string:
		v.Kind, v.Name = lower.Text, data
	case builtin:
		v.Kind, v.Name = lower.Builtin, string(data)
	case resource:
		v.Kind, v.Number, v.Name = lower.Number, float64(data), path
		v.Read = func() (float64, bool) { return float64(data), true }
	case failed:
		v.Kind, v.Code = lower.Code, &lower.Function{Script: lower.Failed(errFault), File: "broken.lua", Key: path}
	case function:
		v.Kind, v.Code = lower.Code, &lower.Function{
			Script: s.module, File: "lib.lua", Key: data.name, ID: s.ids[data.name],
			Captured: func(string) lower.Resolved { return s.captured("lib") }, Library: s.library, Global: s.global,
		}
	case *lower.Resolved:
		same := v.Same
		v = *data
		v.Same = same
	case *table:
		s.describe(&v, path, data)
	}
	return v
}

// kindOf is the name of a type as an error has it.
func kindOf(data any) string {
	switch data.(type) {
	case nil:
		return "nil"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case *table:
		return "table"
	}
	return "function"
}

// describe says what a table holds.
func (s *Sample) describe(v *lower.Resolved, path string, t *table) {
	v.Kind, v.Still = lower.Table, v.Same
	v.Field = func(name string) lower.Resolved { return s.value(path+"."+name, t.fields[name]) }
	v.Len, v.Length = func() int { return len(t.items) }, v.Len
	v.Item = func(i int) lower.Resolved {
		if i == 0 {
			return s.value("#"+path, float64(len(t.items)))
		}
		return s.value(fmt.Sprintf("%s[%d]", path, i), t.items[i-1])
	}
	v.Full = func(int) bool { return t.all(func(item any) bool { return item != nil }) }
	v.Tables = func(path []string, _ int) bool {
		return t.all(func(item any) bool { _, ok := follow(item, path).(*table); return ok })
	}
	v.Items = t.copy
	v.Inside = func(path []string) lower.Resolved {
		if len(t.items) == 0 {
			return lower.Resolved{}
		}
		first := follow(t.items[0], path)
		if inner, ok := first.(*table); ok {
			return lower.Resolved{Kind: lower.Table, Len: func() int { return len(inner.items) }}
		}
		var n float64
		return lower.Resolved{Kind: number(&n, first)}
	}
}

// all reports whether each item is as wanted.
func (t *table) all(wanted func(any) bool) bool {
	for _, item := range t.items {
		if !wanted(item) {
			return false
		}
	}
	return true
}

// copy copies what a path leads to in each item, see lower.Resolved.
func (t *table) copy(path []string, inner int, items []float64) (kind lower.ValueKind) {
	at := 0
	for _, item := range t.items {
		found := []any{follow(item, path)}
		if inner > 0 {
			row, ok := found[0].(*table)
			if !ok || len(row.items) != inner {
				return lower.Other
			}
			found = row.items
		}
		for _, v := range found {
			is := number(&items[at], v)
			if at++; at > 1 && is != kind {
				return lower.Other
			}
			kind = is
		}
	}
	return kind
}

// number copies a number, or 1 for true, and says what it is.
func number(to *float64, data any) lower.ValueKind {
	switch data := data.(type) {
	case float64:
		*to = data
		return lower.Number
	case bool:
		if *to = 0; data {
			*to = 1
		}
		return lower.Truth
	}
	return lower.Other
}

// follow goes along the names of fields.
func follow(data any, path []string) any {
	for _, name := range path {
		t, ok := data.(*table)
		if !ok {
			return nil
		}
		data = t.fields[name]
	}
	return data
}

// Case is one function of a file of cases.
type Case struct{ Name, Body string }

// Cases cuts a file: a line that begins with --- names a case, the lines after it are
// the body of a function.
func Cases(text string) []Case {
	var list []Case
	for _, part := range strings.Split("\n"+text, "\n--- ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		list = append(list, Case{name, strings.Trim(body, "\n")})
	}
	return list
}
