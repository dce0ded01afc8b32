package bindings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
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

// dropping is one ecs.drop.
type dropping struct {
	name string
	line int
}

// declareDrop is ecs.drop(name): values of a component that no file declares any more
// are to go.
func declareDrop(a *args) int {
	s := a.declares()
	d := dropping{name: a.named(1)}
	_, d.line = fault.Here(a.L)
	if d.name != "" {
		s.drops = append(s.drops, d)
	}
	return 0
}

// wasOption reads the option was.
func (a *args) wasOption(c *decl.Component, v lua.LValue) {
	s, ok := v.(lua.LString)
	switch {
	case !ok || s == "":
		a.problem("component %q, option \"was\": expected the name that it had before, got %s", c.Name, value.Describe(v))
	case string(s) == c.Name:
		a.problem("component %q, option \"was\": that is the name which it has", c.Name)
	default:
		c.Was = string(s)
	}
}

// comesFrom finds what a component was, when that exists. known is what has its name
// by now: in force, declared in this load, or nil.
func (a *args) comesFrom(c, known *decl.Component) {
	if c.Was == "" || c.Broken {
		return
	}
	if other := a.m.staged.renamed[c.Was]; other != nil && other.Name != c.Name {
		a.problem("component %q: was = %q says %q in %s:%d, too", c.Name, c.Was, other.Name, other.Script, other.Line)
		c.Broken = true
		return
	}
	a.m.staged.renamed[c.Was] = c
	if still := a.m.staged.components[c.Was]; still != nil {
		a.problem("component %q: was = %q, but %s:%d declares %q still", c.Name, c.Was, still.Script, still.Line, c.Was)
		c.Broken = true
		return
	}
	old := a.m.inForce(c.Was)
	switch {
	case old == nil:
	case old.Hosts():
		a.problem("component %q: was = %q, which is the host's", c.Name, c.Was)
		c.Broken = true
	case known == nil:
		if pooled := a.m.pooled(old); pooled != c.Sparse {
			a.problem("component %q, option \"sparse\": it cannot change together with the name while the game runs", c.Name)
			c.Broken = true
			return
		}
		c.Changes, c.ID = old.Schema, old.ID
	case known.Ready:
		c.From = old
	case known.Was == "":
		a.problem("component %q: was = %q is missing in %s:%d, where it is declared, too", c.Name, c.Was, known.Script, known.Line)
		c.Broken = true
	}
}

// goneName complains about a name that a component of this load had before.
func (a *args) goneName(name string) bool {
	now := a.m.staged.renamed[name]
	if now == nil || now.Broken || a.m.inForce(name) == nil {
		return false
	}
	a.problem("component %q is called %q now: %s:%d says so", name, now.Name, now.Script, now.Line)
	return true
}

// checkNames finds out whether what the load says of old names can be, and notes what
// becomes of their values.
func (m *Module) checkNames(stay, gone, fresh []*Script) []*diag.Error {
	var problems []*diag.Error
	first := len(stay)+len(gone) == 0
	for _, s := range fresh {
		for _, c := range s.Components {
			if c.Was == "" || c.Broken {
				continue
			}
			if e := m.checkOld(c.Was, fmt.Sprintf("component %q: was = %q", c.Name, c.Was), first || m.known(c.Name), stay, fresh); e != nil {
				e.Script, e.Line = c.Script, c.Line
				problems = append(problems, e)
			}
		}
		for _, d := range s.drops {
			if e := m.checkDrop(d, first, stay, fresh); e != nil {
				e.Script, e.Line = s.Name, d.line
				problems = append(problems, e)
			}
		}
	}
	return problems
}

// known reports whether the world has a component of that name.
func (m *Module) known(name string) bool {
	_, ok := m.world.Raw().ComponentNamed(name)
	return ok
}

// checkOld finds out whether a name can be one of earlier. Where it may be long gone,
// it need not be known.
func (m *Module) checkOld(name, what string, longGone bool, stay, fresh []*Script) *diag.Error {
	for _, s := range slices.Concat(stay, fresh) {
		if slices.Contains(s.uses, "component "+name) {
			return diag.New("%s, but %s uses %q still", what, s.Name, name)
		}
	}
	if !longGone && !m.known(name) && !m.dropped[name] {
		return diag.New("%s: there is no such component%s", what, diag.DidYouMean(name, m.scriptNames()))
	}
	return nil
}

// scriptNames lists the components that scripts have made.
func (m *Module) scriptNames() []string {
	var names []string
	for _, name := range m.nativeNames() {
		if c := m.inForce(name); !c.Hosts() {
			names = append(names, name)
		}
	}
	return names
}

func (m *Module) checkDrop(d dropping, first bool, stay, fresh []*Script) *diag.Error {
	what := fmt.Sprintf("ecs.drop(%q)", d.name)
	if c := m.staged.renamed[d.name]; c != nil && !c.Broken {
		return diag.New("%s, but %s:%d says that it is %q now", what, c.Script, c.Line, c.Name)
	}
	if c := m.inForce(d.name); c != nil && c.Hosts() {
		return &diag.Error{Message: what + ": it is the host's"}
	}
	if e := m.checkOld(d.name, what, first, stay, fresh); e != nil {
		return e
	}
	if id, ok := m.world.Raw().ComponentNamed(d.name); ok && !m.staged.drops[d.name] {
		if n := m.holders(id); n > 0 {
			m.staged.notes = append(m.staged.notes, fmt.Sprintf("%s: %s lose it, as %s says", d.name, heads(n), what))
		}
	}
	if m.staged.drops == nil {
		m.staged.drops = map[string]bool{}
	}
	m.staged.drops[d.name] = true
	return nil
}

// holders counts the entities that have a component.
func (m *Module) holders(id ecs.ComponentID) int {
	return m.world.Query(ecs.Read(id)).Prefabs().Count()
}

func heads(n int) string {
	if n == 1 {
		return "1 entity"
	}
	return diag.Grouped(int64(n)) + " entities"
}

// checkMoves judges the values that move over to a component which exists already.
func (m *Module) checkMoves() []*diag.Error {
	var problems []*diag.Error
	for _, c := range m.moving() {
		have := m.world.Query(ecs.Read(c.From.ID)).Prefabs()
		both := m.world.Query(ecs.Read(c.From.ID), ecs.Read(c.ID)).Prefabs().Count()
		n := have.Count() - both
		if n > 0 {
			problems = append(problems, m.judge(&c.Evolution, value.NewConversion(c.From.Schema, c.Schema), n, "entities", c.Differs(c.From.Schema, c.Schema))...)
		}
		if both > 0 {
			m.staged.notes = append(m.staged.notes, fmt.Sprintf(
				"%s: %s have a %s of their own and keep it; their values of %s stay, unseen", c.Name, heads(both), c.Name, c.From.Name))
		}
	}
	return problems
}

// moving lists the components to which values of others move over.
func (m *Module) moving() []*decl.Component {
	var list []*decl.Component
	for _, c := range m.staged.components {
		if c.From != nil && !c.Broken {
			list = append(list, c)
		}
	}
	return byName(list)
}

// moved is one value that moves over, in its new form.
type moved struct {
	comp   *decl.Component
	from   ecs.ComponentID
	entity ecs.Entity
	data   unsafe.Pointer
}

// prepareMoves converts the values that move over.
func (m *Module) prepareMoves() []*diag.Error {
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
				data := value.PointerTo(make([]uint64, c.Schema.Size/8+1))
				copy(value.BytesAt(data, c.Schema.Size), c.Schema.Default)
				if err := convert(e, m.world.Raw().Pointer(e, c.From.ID), data); err != nil {
					return []*diag.Error{migrationFault(&c.Evolution, err)}
				}
				m.staged.moves = append(m.staged.moves, moved{c, c.From.ID, e, data})
			}
		}
	}
	return nil
}

// settleNames moves values over and drops others, once the load is in force. What the
// world refuses, for want of memory, stays as it was, and the next load of the file
// finds it.
func (m *Module) settleNames(moves []moved, drops map[string]bool) {
	for name := range drops {
		if m.dropped == nil {
			m.dropped = map[string]bool{}
		}
		m.dropped[name] = true
	}
	if len(moves) == 0 && len(drops) == 0 {
		return
	}
	err := m.world.Run("renaming", func(t *ecs.Tick) error {
		for _, v := range moves {
			t.Commands.Add(v.entity, m.world.Raw().ValueAt(v.comp.ID, v.data))
			t.Commands.Remove(v.entity, v.from)
		}
		for _, name := range slices.Sorted(maps.Keys(drops)) {
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
