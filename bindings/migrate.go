package bindings

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unsafe"
	"weak"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// evolve reads the options that are about older values; false means that the
// option is another one.
func (a *args) evolve(x *decl.Evolution, name, option string, v lua.LValue) bool {
	switch option {
	case "migrate":
		f, ok := v.(*lua.LFunction)
		if !ok || f.IsG {
			a.problem("component %q, option \"migrate\": expected %s, got %s", name, functionFor(v), value.Describe(v))
			return true
		}
		x.Migrate = f
	case "drop":
		list, ok := value.TableOf(v)
		if !ok {
			a.problem("component %q, option \"drop\": expected a list of names of fields, got %s", name, value.Describe(v))
			return true
		}
		if i := hole(list); i > 0 {
			a.problem("component %q, %s", name, nilItem(a.L, "option \"drop\"", i))
		}
		value.Pairs(list, func(_, item lua.LValue) {
			if s, ok := item.(lua.LString); ok {
				x.Drop = append(x.Drop, string(s))
			} else {
				a.problem("component %q, option \"drop\": expected the name of a field, got %s", name, value.Describe(item))
			}
		})
	default:
		return false
	}
	return true
}

// Affected returns the scripts that must be run again because they know a
// component or an event, which this load changes, as it was: those among stay that
// use it, and those among fresh that have fetched it by name before its new text
// had run. first are the scripts that have the new text; run before all others,
// they are where everybody finds it.
func (m *Module) Affected(stay, fresh []*Script) (names, first []string) {
	changed := map[string]bool{}
	for _, c := range m.changedComponents() {
		changed["component "+c.Name], changed["component "+c.Changes.Name] = true, true
		first = append(first, c.Script)
	}
	for _, e := range m.changedEvents() {
		changed["event "+e.Name] = true
		first = append(first, e.Script)
	}
	known := func(use string) bool { return changed[use] }
	for _, s := range stay {
		if slices.ContainsFunc(s.uses, known) {
			names = append(names, s.Name)
		}
	}
	for _, s := range fresh {
		if slices.ContainsFunc(s.fetched, known) {
			names = append(names, s.Name)
		}
	}
	return names, first
}

// checkChanges finds out what the load does to values that exist. What would be
// lost without the script's consent is a problem; all else is noted for the
// verdict.
func (m *Module) checkChanges() []*diag.Error {
	var problems []*diag.Error
	for _, c := range m.changedComponents() {
		conv := value.NewConversion(c.Changes, c.Schema)
		count := m.world.Query(ecs.Read(c.ID)).Count()
		problems = append(problems, m.judge(&c.Evolution, conv, count, "entities", c.Reshaped())...)
	}
	for _, e := range m.changedEvents() {
		conv := value.NewConversion(e.Changes, e.Schema)
		// Events last for a moment: what cannot be kept of those that wait is lost.
		e.Drop = slices.Clone(conv.Lost)
		problems = append(problems, m.judge(&e.Evolution, conv, m.waiting(e.ID), "events that wait", true)...)
	}
	return problems
}

// judge tells what becomes of values; reshaped says that they are converted.
func (m *Module) judge(x *decl.Evolution, conv *value.Conversion, count int, of string, reshaped bool) []*diag.Error {
	migrates := x.Migrate != nil && reshaped
	story := conv.Story(m.main, count, of, migrates, x.Drop)
	if !migrates && count > 0 && len(conv.Loses(x.Drop)) > 0 {
		return []*diag.Error{{Script: x.Script, Line: x.Line, Message: story}}
	}
	m.staged.notes = append(m.staged.notes, conv.Story(m.main, count, of, migrates, conv.Lost))
	return nil
}

// waiting counts the events that some reader has not read.
func (m *Module) waiting(id ecs.EventID) int {
	most := 0
	for key, r := range m.readers {
		if key.event == id {
			most = max(most, r.Len())
		}
	}
	return most
}

func (m *Module) changedComponents() []*decl.Component {
	var list []*decl.Component
	for _, c := range m.staged.components {
		if c.Changes != nil && !c.Broken {
			list = append(list, c)
		}
	}
	return byName(list)
}

func byName(list []*decl.Component) []*decl.Component {
	slices.SortFunc(list, func(a, b *decl.Component) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

func (m *Module) changedEvents() []*decl.Event {
	var list []*decl.Event
	for _, e := range m.staged.events {
		if e.Changes != nil && !e.Broken {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b *decl.Event) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// prepareChanges converts all values beside those in force, in the last step of
// Check: nothing can fail after it. A migrate function that fails refuses the
// load.
func (m *Module) prepareChanges() []*diag.Error {
	components, events := m.changedComponents(), m.changedEvents()
	if len(components)+len(events)+len(m.moving()) == 0 {
		return nil
	}
	// Observers may still have to hear of values in their old form.
	if err := m.world.Run("migration", func(*ecs.Tick) error { return nil }); err != nil {
		m.exec.Reports = append(m.exec.Reports, faultsIn(err)...)
	}
	change := m.world.Raw().Migrate()
	for _, c := range components {
		if c.Renamed() {
			if err := change.Rename(c.Changes.Name, c.Name); err != nil {
				return []*diag.Error{migrationFault(&c.Evolution, err)}
			}
		}
		if !c.Reshaped() {
			continue
		}
		if err := change.Component(*c.Schema, m.converter(&c.Evolution, value.NewConversion(c.Changes, c.Schema))); err != nil {
			return []*diag.Error{migrationFault(&c.Evolution, err)}
		}
	}
	for _, e := range events {
		if err := change.Event(*e.Schema, m.converter(&e.Evolution, value.NewConversion(e.Changes, e.Schema))); err != nil {
			return []*diag.Error{migrationFault(&e.Evolution, err)}
		}
	}
	if problems := m.prepareMoves(); len(problems) > 0 {
		return problems
	}
	if err := change.Prepare(); err != nil {
		x := &decl.Evolution{}
		if len(components) > 0 {
			x = &components[0].Evolution
		}
		return []*diag.Error{migrationFault(x, err)}
	}
	m.staged.change = change
	return nil
}

// faultsIn takes joined errors apart.
func faultsIn(err error) []*diag.Error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var list []*diag.Error
		for _, one := range many.Unwrap() {
			list = append(list, faultsIn(one)...)
		}
		return list
	}
	return []*diag.Error{value.Caught(err)}
}

func migrationFault(x *decl.Evolution, err error) *diag.Error {
	if e, ok := errors.AsType[*diag.Error](err); ok {
		return e
	}
	return &diag.Error{Script: x.Script, Line: x.Line, Message: err.Error(), Err: err}
}

// converter makes the function that converts one value: what is kept by name,
// then what the script's migrate function says.
func (m *Module) converter(x *decl.Evolution, conv *value.Conversion) ecs.Convert {
	return func(e ecs.Entity, from, to unsafe.Pointer) error {
		conv.Apply(from, to)
		if x.Migrate == nil {
			return nil
		}
		m.tx.Migrating = true
		defer func() { m.tx.Migrating = false }()
		err := m.tx.Protect(m.tx.Function(func(L *lua.LState) { m.callMigrate(L, x, conv, from, to) }))
		if err == nil {
			return nil
		}
		failed := value.Caught(err)
		failed.Entity = e
		if failed.Line == 0 {
			failed.Script, failed.Line = x.Script, x.Line
		}
		failed.Message = fmt.Sprintf("migrate of %q: %s", conv.Now.Name, failed.Message)
		return failed
	}
}

func (m *Module) callMigrate(L *lua.LState, x *decl.Evolution, conv *value.Conversion, from, to unsafe.Pointer) {
	old := L.CreateTable(0, len(conv.Old.Fields))
	for i := range conv.Old.Fields {
		old.RawSetString(conv.Old.Fields[i].Name, value.Load(L, &conv.Old.Fields[i], from))
	}
	L.Push(x.Migrate)
	L.Push(old)
	L.Push(lua.LNumber(conv.Old.Version))
	L.Call(2, 1)
	made, ok := value.TableOf(L.Get(-1))
	if !ok {
		fault.Raise(L, &diag.Error{Message: "expected a table of the new fields, got " + value.Describe(L.Get(-1))})
	}
	L.Pop(1)
	value.Pairs(made, func(k, v lua.LValue) {
		f := conv.Now.Field(k.String())
		if f == nil {
			fault.Raise(L, diag.New("unknown field %q%s", k.String(), value.Meant(L, k.String(), value.FieldNames(conv.Now))))
		}
		if why := value.CannotHold(L, f, v); why != "" {
			fault.Raise(L, diag.New("field %q: %s", f.Name, why))
		}
		value.Store(f, to, v)
	})
}

// commitChanges puts the converted values in force. Scripts that have ended may
// still run functions of theirs, on_unload for one, which know the components
// that they declared: these get the new fields, and values that were made of
// them before are refused from now on.
func (m *Module) commitChanges() {
	if m.staged.change == nil {
		return
	}
	m.staged.change.Commit()
	m.staged.change = nil
	for _, c := range m.changedComponents() {
		if c.Renamed() {
			m.rename(c)
		}
		for _, w := range m.issued[c.Name] {
			if old := w.Value(); old != nil && old != c {
				old.Name, old.Schema = c.Name, c.Schema
				if c.Reshaped() {
					old.Form++
				}
			}
		}
	}
	for _, e := range m.changedEvents() {
		for _, w := range m.issuedEvents[e.Name] {
			if old := w.Value(); old != nil && old != e {
				old.Schema = e.Schema
				old.Form++
			}
		}
	}
}

// rename has what the world knows by a new name be known by it here, too.
func (m *Module) rename(c *decl.Component) {
	old := c.Changes.Name
	if m.components[old] != nil && m.components[old].ID == c.ID {
		delete(m.components, old)
	}
	m.issued[c.Name] = append(m.issued[c.Name], m.issued[old]...)
	delete(m.issued, old)
	if !c.Reshaped() {
		_, _ = m.world.Raw().Define(*c.Schema, c.Sparse) // takes the newest default; of the same fields, that cannot fail
	}
}

// issue remembers a component or an event that scripts hold.
func issue[T any](issued map[string][]weak.Pointer[T], name string, held *T) {
	list := slices.DeleteFunc(issued[name], func(w weak.Pointer[T]) bool { return w.Value() == nil || w.Value() == held })
	issued[name] = append(list, weak.Make(held))
}

// Notes says what the load that was accepted last has done to values that exist.
func (m *Module) Notes() []string {
	notes := m.notes
	m.notes = nil
	return notes
}

// current raises an error for a value that was made when its component had other
// fields.
func (a *args) current(v *decl.Value) {
	if v.Form != v.Comp.Form {
		a.fail("a value of %q from before its fields changed: make it anew", v.Comp.Name)
	}
}
