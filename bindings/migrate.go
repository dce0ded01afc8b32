package bindings

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
)

// migration is what a load does to values that exist: it converts those of types whose
// fields change, moves those of components that get another name, and drops others.
// Nothing of it is in force before the load is.
type migration struct {
	*core
	readers *readers
	dropped map[string]bool // names that ecs.drop has named in loads so far

	stay, gone, fresh []*Declarations // of the load, see Binding.Check

	change *ecs.Migration        // prepared; nil when no values change
	moves  []moved               // values that go over to other components
	drops  map[string]diag.Place // components whose values go, and where it is said
	notes  []string              // for the verdict: what becomes of values
}

// moved is one value that moves over, in its new form.
type moved struct {
	comp   *decl.Component
	from   ecs.ComponentID
	entity ecs.Entity
	data   unsafe.Pointer
}

// abandon ends a migration that is not to be. It may have ended before.
func (m *migration) abandon() {
	if m.change != nil {
		m.change.Drop()
		m.change = nil
	}
}

// note adds a line to the verdict.
func (m *migration) note(format string, v ...any) {
	m.notes = append(m.notes, fmt.Sprintf(format, v...))
}

// inEntities says where the values of a component are.
var inEntities = [2]string{"entity", "entities"}

// A converted is a type whose values the load converts.
type converted struct {
	*decl.Type
	component *decl.Component // nil for events
	count     int             // of the values
	of        [2]string       // one of them, and several
	add       func(*ecs.Migration) error
}

// converted lists the types whose values change: components, then events.
func (m *migration) converted() []converted {
	var list []converted
	for _, c := range m.components.Changed() {
		list = append(list, converted{&c.Type, c, m.world.Query(ecs.Read(c.ID)).Count(), inEntities, func(change *ecs.Migration) error {
			if c.Renamed() {
				if err := change.Rename(c.Changes.Name, c.Name); err != nil {
					return err
				}
			}
			if !c.Reshaped() {
				return nil
			}
			return change.Component(*c.Schema, m.converter(&c.Evolution, value.NewConversion(c.Changes, c.Schema)))
		}})
	}
	changed := m.events.Changed()
	if len(changed) == 0 {
		return list
	}
	waiting := m.readers.waiting(nil)
	for _, e := range changed {
		list = append(list, converted{&e.Type, nil, waiting[e.ID], [2]string{"event that waits", "events that wait"}, func(change *ecs.Migration) error {
			return change.Event(*e.Schema, m.converter(&e.Evolution, value.NewConversion(e.Changes, e.Schema)))
		}})
	}
	return list
}

// check finds out what the load does to values that exist. What would be lost without
// the script's consent is a problem; all else is noted for the verdict.
func (m *migration) check() []*diag.Error {
	var problems []*diag.Error
	for _, e := range m.events.Changed() {
		// Events last for a moment: what cannot be kept of those that wait is lost.
		e.Drop = slices.Clone(value.NewConversion(e.Changes, e.Schema).Lost)
	}
	for _, t := range m.converted() {
		problems = append(problems, m.judge(&t.Evolution, value.NewConversion(t.Changes, t.Schema), t.count, t.of, t.Reshaped())...)
	}
	return append(problems, m.checkMoves()...)
}

// judge tells what becomes of values; reshaped says that they are converted.
func (m *migration) judge(x *decl.Evolution, conv *value.Conversion, count int, of [2]string, reshaped bool) []*diag.Error {
	migrates := x.Migrate != nil && reshaped
	story := conv.Story(m.main, count, of, migrates, x.Drop)
	if !migrates && count > 0 && len(conv.Loses(x.Drop)) > 0 {
		return []*diag.Error{(&diag.Error{Message: story}).On(x.Place)}
	}
	m.notes = append(m.notes, conv.Story(m.main, count, of, migrates, conv.Lost))
	return nil
}

// prepare converts all values beside those in force, in the last step of Check: nothing
// can fail after it. A migrate function that fails refuses the load.
func (m *migration) prepare() []*diag.Error {
	list := m.converted()
	if e := m.tooMuch(list); e != nil {
		return []*diag.Error{e}
	}
	if len(list)+len(m.moving()) == 0 {
		return nil
	}
	// Observers may still have to hear of values in their old form.
	if err := m.world.Raw().RunClaimed("migration", func(*ecs.Tick) error { return nil }); err != nil {
		m.exec.Reports = append(m.exec.Reports, faultsIn(err)...)
	}
	change := m.world.Raw().Migrate()
	for _, t := range list {
		if err := t.add(change); err != nil {
			return []*diag.Error{migrationFault(&t.Evolution, err)}
		}
	}
	if problems := m.prepareMoves(); len(problems) > 0 {
		return problems
	}
	if err := change.Prepare(); err != nil {
		x := &decl.Evolution{}
		if len(list) > 0 {
			x = &list[0].Evolution
		}
		return []*diag.Error{migrationFault(x, err)}
	}
	m.change = change
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
	return (&diag.Error{Message: err.Error(), Err: err}).On(x.Place)
}

// converter makes the function that converts one value: what is kept by name,
// then what the script's migrate function says.
func (m *migration) converter(x *decl.Evolution, conv *value.Conversion) ecs.Convert {
	var old *lua.LTable // the metatable of what migrate gets
	if x.Migrate != nil {
		old = m.main.NewTable()
		old.RawSetString("__index", m.main.NewFunction(func(L *lua.LState) int {
			name := fault.Written(L.Get(2))
			fault.Raise(L, diag.New("version %d of %q had no field %q%s", conv.Old.Version, conv.Old.Name, diag.Cut(name), value.Meant(L, name, value.FieldNames(conv.Old))))
			return 0
		}))
	}
	return func(e ecs.Entity, from, to unsafe.Pointer) error {
		conv.Apply(from, to)
		if x.Migrate == nil {
			return nil
		}
		m.tx.Migrating = true
		defer func() { m.tx.Migrating = false }()
		err := m.tx.Protect(m.tx.Function(func(L *lua.LState) { m.callMigrate(L, x, conv, old, from, to) }))
		if err == nil {
			return nil
		}
		failed := value.Caught(err)
		failed.Entity = e
		if failed.Line == 0 {
			failed.Put(x.Place)
		}
		failed.Message = fmt.Sprintf("migrate of %q: %s", conv.Now.Name, failed.Message)
		return failed
	}
}

// callMigrate has the script's function make a new value of an old one. A name that is no
// field of the old one is an error, where nil would lose the value without a word.
func (m *migration) callMigrate(L *lua.LState, x *decl.Evolution, conv *value.Conversion, meta *lua.LTable, from, to unsafe.Pointer) {
	old := L.CreateTable(0, len(conv.Old.Fields))
	lua.SetMetatable(old, meta)
	for i := range conv.Old.Fields {
		old.RawSetString(conv.Old.Fields[i].Name, value.Load(L, &conv.Old.Fields[i], from))
	}
	L.Push(x.Migrate)
	L.Push(old)
	L.Push(lua.LNumber(conv.Old.Version))
	L.Call(2, 1)
	fail := func(e *diag.Error) { fault.Raise(L, e.On(fault.OfFunction(L, lua.Proto(x.Migrate)))) }
	made, ok := proxy.TableOf(L.Get(-1))
	if !ok {
		fail(diag.New("expected a table of the new fields, got %s", value.Describe(L.Get(-1))))
	}
	L.Pop(1)
	proxy.Pairs(made, func(k, v lua.LValue) {
		f := conv.Now.Field(fault.Written(k))
		if f == nil {
			e := value.NoField(L, conv.Now, fault.Written(k))
			if conv.Old.Field(fault.Written(k)) != nil {
				e = value.UnknownField(conv.Now, fault.Written(k), ": it is gone; return a new table with the fields that there are now, not the old one")
			}
			fail(e)
		}
		if why := value.CannotHold(L, f, v); why != "" {
			fail(diag.New("field %q: %s", f.Name, why))
		}
		value.Store(f, to, v)
	})
}

// Evolution returns what the script that declares a component says about values of an older schema, as
// they come from a save: what makes the new ones, nil where no migrate function does, and the names of
// fields that may be lost. The values were converted by name before.
func (m *Binding) Evolution(old, now *ecs.Schema) (convert ecs.Convert, drop []string) {
	c := m.components.InForce(now.Name)
	if c == nil {
		return nil, nil
	}
	if c.Migrate != nil && c.Differs(old, now) {
		convert = (&migration{core: m.core}).converter(&c.Evolution, value.NewConversion(old, now))
	}
	return convert, c.Drop
}

// Renamed returns the component that says that it was called so, "" if none does.
func (m *Binding) Renamed(old string) string {
	for _, name := range m.components.Names() {
		if c := m.components.InForce(name); c != nil && c.Was == old {
			return name
		}
	}
	return ""
}

// commit puts the converted values in force. Scripts that have ended may still run
// functions of theirs, on_unload for one, which know the types that they declared: these
// get the new fields, and values that were made of them before are refused from now on.
func (m *migration) commit() {
	if m.change == nil {
		return
	}
	m.change.Commit()
	m.change = nil
	for _, c := range m.components.Changed() {
		m.components.Reform(c)
		if c.Renamed() && !c.Reshaped() || c.Tracked {
			_, _ = m.world.Raw().Define(*c.Schema, c.Sparse, c.Options()...) // takes the newest default; of the same fields, that cannot fail
		}
	}
	for _, e := range m.events.Changed() {
		m.events.Reform(e)
	}
}

// A component is its name: one that has another name in the text is another component,
// and what entities have of the old one stays with them, unseen. Two declarations say
// what is to become of it. Both stay in the text for good: where there is nothing left
// to do, they do nothing.
//
//   - was = "Old" in the options of ecs.component and ecs.tag: the values go over. When
//     no component has the new name yet, the old one gets it, with its number, and with
//     all that is made of it (ecs.Migration.Rename). When there is one, because a
//     version in between was saved without was, values move over, entity by entity.
//     An entity that has both keeps both.
//   - ecs.drop("Old"): the values are removed.

// holders counts the entities that have a component.
func holders(w *ecs.World, id ecs.ComponentID) int {
	return w.Query(ecs.Read(id)).Prefabs().Count()
}

// moving lists the components to which values of others move over.
func (m *migration) moving() []*decl.Component {
	return m.components.Select(func(c *decl.Component) bool { return c.From != nil })
}

// checkMoves judges the values that move over to a component which exists already.
func (m *migration) checkMoves() []*diag.Error {
	var problems []*diag.Error
	for _, c := range m.moving() {
		have := m.world.Query(ecs.Read(c.From.ID)).Prefabs()
		both := m.world.Query(ecs.Read(c.From.ID), ecs.Read(c.ID)).Prefabs().Count()
		n := have.Count() - both
		if n > 0 {
			problems = append(problems, m.judge(&c.Evolution, value.NewConversion(c.From.Schema, c.Schema), n, inEntities, c.Differs(c.From.Schema, c.Schema))...)
		}
		if both > 0 {
			m.note("%s: %s it already, which stays; the values of %s stay there, too, unseen", c.Name, diag.Count(both, "entity has", "entities have"), c.From.Name)
		}
	}
	return problems
}

// prepareMoves converts the values that move over.
func (m *migration) prepareMoves() []*diag.Error {
	for _, c := range m.moving() {
		conv := value.NewConversion(c.From.Schema, c.Schema)
		convert := func(_ ecs.Entity, from, to unsafe.Pointer) error { conv.Apply(from, to); return nil }
		if c.Differs(c.From.Schema, c.Schema) {
			convert = m.converter(&c.Evolution, conv)
		}
		for chunk := range m.world.Query(ecs.Read(c.From.ID)).Prefabs().Chunks() {
			for _, e := range chunk.Entities() {
				if m.world.Raw().Has(e, c.ID) {
					continue
				}
				data := newStruct(c.Schema)
				if err := convert(e, m.world.Raw().Pointer(e, c.From.ID), data); err != nil {
					return []*diag.Error{migrationFault(&c.Evolution, err)}
				}
				m.moves = append(m.moves, moved{c, c.From.ID, e, data})
			}
		}
	}
	return nil
}

// settle moves values over and drops others, once the load is in force. What the world
// refuses, for want of memory, stays as it was, and the next load of the file finds it.
func (m *migration) settle() {
	for name := range m.drops {
		m.dropped[name] = true
	}
	if len(m.moves) == 0 && len(m.drops) == 0 {
		return
	}
	err := m.world.Raw().RunClaimed("renaming", func(t *ecs.Tick) error {
		for _, v := range m.moves {
			t.Commands.Add(v.entity, m.world.Raw().ValueAt(v.comp.ID, v.data))
			t.Commands.Remove(v.entity, v.from)
		}
		for _, name := range slices.Sorted(maps.Keys(m.drops)) {
			id, ok := m.world.Raw().ComponentNamed(name)
			if !ok {
				continue
			}
			for chunk := range m.world.Query(ecs.Read(id)).Prefabs().Chunks() {
				for _, e := range chunk.Entities() {
					t.Commands.Remove(e, id)
				}
			}
		}
		return nil
	})
	if err != nil {
		m.exec.Reports = append(m.exec.Reports, faultsIn(err)...)
	}
}
