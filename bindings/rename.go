package bindings

import (
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

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
