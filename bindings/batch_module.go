package bindings

import (
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// batchIndex is b.entities and the methods: they are found through __index so
// that a batch costs nothing that is not asked for.
func (m *Module) batchIndex(L *lua.LState) int {
	a := &args{m, L, "batch"}
	if m.exec.Batch == nil || m.exec.Batch.Table != L.Get(1) || m.exec.Batch.View == nil {
		fault.Raisef(L, exec.OverBatch)
	}
	b := m.exec.Batch
	switch name := L.CheckString(2); name {
	case "entities":
		t := b.Handles(L)
		b.Table.RawSetString("entities", t)
		L.Push(t)
	case "read", "write", "col", "has":
		L.Push(m.batchMethod(L, name))
	default:
		fault.Raisef(a.L, "a batch has no %q%s", diag.Cut(name), value.Meant(L, name, []string{"n", "entities", "read", "write", "col", "has"}))
	}
	return 1
}

// batchPrefix begins the names of the methods of batches in errors.
const batchPrefix = "batch:"

func (m *Module) batchMethod(L *lua.LState, name string) *lua.LFunction {
	if f, ok := m.types.batch.RawGetString(name).(*lua.LFunction); ok {
		return f
	}
	fn := map[string]func(*args, *exec.Batch) int{"read": batchRead, "write": batchWrite, "col": batchColumn, "has": batchHas}[name]
	title := batchPrefix + name
	form := forms[title]
	f := L.NewFunction(func(L *lua.LState) int {
		a := m.called(L, title)
		if m.exec.Batch == nil || m.exec.Batch.View == nil {
			fault.Raisef(L, exec.OverBatch)
		}
		if L.Get(1) != lua.LValue(m.exec.Batch.Table) {
			if t, ok := L.Get(1).(*lua.LTable); ok && value.Over(t) != "" {
				fault.Raisef(L, exec.OverBatch)
			}
			a.fail("expected the batch, got %s: call it with a colon, b:%s(…)", value.Describe(L.Get(1)), name)
		}
		a.atMost(&form)
		return fn(a, m.exec.Batch)
	})
	m.types.batch.RawSetString(name, f)
	return f
}

// key reads the arguments (component, "field") of a batch method.
func (a *args) key(b *exec.Batch) exec.ColumnKey {
	term := a.term(b)
	schema := b.Terms[term].Schema
	name, ok := a.L.Get(3).(lua.LString)
	if !ok && len(schema.Fields) == 1 && a.L.Get(3) == lua.LNil {
		return exec.ColumnKey{Term: term, Field: &schema.Fields[0]}
	}
	if !ok {
		a.noField(schema)
	}
	f := schema.Field(string(name))
	if f == nil {
		fault.Raisef(a.L, "unknown field %q of %q%s", diag.Cut(a.L.Get(3).String()), schema.Name, value.Meant(a.L, string(name), value.FieldNames(schema)))
	}
	return exec.ColumnKey{Term: term, Field: f}
}

// noField raises an error where the name of a field was forgotten, or is not a name.
func (a *args) noField(s *ecs.Schema) {
	if len(s.Fields) == 0 {
		fault.Raisef(a.L, "%q is a tag, which has no fields", s.Name)
	}
	method := strings.TrimPrefix(a.name, batchPrefix)
	fault.Raisef(a.L, "expected the name of a field of %q, got %s: write b:%s(%s, %q)", s.Name, value.Describe(a.L.Get(3)), method, s.Name, s.Fields[0].Name)
}

// term reads a component argument that the system's query lists.
func (a *args) term(b *exec.Batch) int {
	ud, _ := a.L.Get(2).(*lua.LUserData)
	if ud != nil {
		if c, ok := ud.Value.(*decl.Component); ok {
			for i, t := range b.Terms {
				if t == c || t.Name == c.Name {
					return i
				}
			}
			fault.Raisef(a.L, "component %q is not in the query of system %q: list it there or as optional", c.Name, b.S.Name)
		}
	}
	fault.Raisef(a.L, "expected a component of the query, got %s", value.Describe(a.L.Get(2)))
	return 0
}

func batchRead(a *args, b *exec.Batch) int {
	key := a.key(b)
	a.present(b, key.Term)
	a.L.Push(b.Array(a.L, key).Table)
	return 1
}

func batchWrite(a *args, b *exec.Batch) int {
	key := a.key(b)
	a.present(b, key.Term)
	arr := b.Array(a.L, key)
	b.WillWrite(a.L, arr)
	a.L.Push(arr.Table)
	return 1
}

// batchHas is b:has(component): whether the rows at hand have an optional
// component. All of them do, or none.
func batchHas(a *args, b *exec.Batch) int {
	a.L.Push(lua.LBool(b.Present(a.term(b))))
	return 1
}

// present raises an error when the rows at hand lack an optional term.
func (a *args) present(b *exec.Batch, term int) {
	if !b.Present(term) {
		fault.Raisef(a.L, "these rows have no %q: ask b:has(%s) first", b.Terms[term].Name, b.Terms[term].Name)
	}
}
