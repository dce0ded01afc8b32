package bindings

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/holes"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
)

// Invariants of a component stand in three places of its declaration: bounds at the field that
// has them, comparisons in the option invariant, state machines in the option transitions. All
// are data, which the world checks: no script runs for it. See [ecs.Invariant].

// maxInvariants is how many a component may have, maxFileInvariants those of one file: the world
// checks each of them in each tick, and counts that against no limit of the file.
const (
	maxInvariants     = 64
	maxFileInvariants = 256
)

// fieldBounds is what ecs.f32(100, { min = 0, max = 100, finite = true }) says of the values.
type fieldBounds struct {
	min, max float64
	finite   bool
}

// boundedField is a field with bounds, and where it is declared.
type boundedField struct {
	name string
	spec *fieldSpec
	at   diag.Place
}

// boundOptions are the keys of a field's options.
var boundOptions = []string{"min", "max", "finite"}

// readBounds reads the options of a field, the second argument; nil if there are none.
func (a *args) readBounds(k ecs.Kind) *fieldBounds {
	if a.L.GetTop() < 2 || a.L.Get(2) == lua.LNil {
		return nil
	}
	b := &fieldBounds{min: math.Inf(-1), max: math.Inf(1)}
	options := a.table(2)
	for _, key := range holes.Keys(options) {
		a.failAt(fault.Key(2, key), "option %s", holes.Key(a.L, key))
	}
	proxy.Pairs(options, func(key, v lua.LValue) {
		option := fault.Written(key)
		n, isNumber := v.(lua.LNumber)
		switch {
		case option == "finite" && v.Type() == lua.LTBool:
			b.finite = lua.LVAsBool(v)
		case option == "finite":
			a.failAt(fault.ValueOf(2, option), "option %q: expected true or false, got %s", option, value.Describe(v))
		case !slices.Contains(boundOptions, option):
			a.failAt(fault.Key(2, option), "unknown option %q%s", diag.Cut(option), diag.OneOf(option, boundOptions))
		case !isNumber || math.IsNaN(float64(n)):
			a.failAt(fault.ValueOf(2, option), "option %q: expected a number, got %s", option, value.Describe(v))
		case option == "min":
			b.min = float64(n)
		default:
			b.max = float64(n)
		}
	})
	if !(b.min <= b.max) {
		a.failAt(fault.Argument(2), "min is %v and max is %v: no number is in between", b.min, b.max)
	}
	if b.finite && k != ecs.F32 && k != ecs.F64 {
		a.failAt(fault.ValueOf(2, "finite"), "option \"finite\": %v holds whole numbers, which are always finite", k)
	}
	return b
}

// rules are the invariants of a field.
func (b *fieldBounds) rules(name string) (list []ecs.Invariant) {
	if !math.IsInf(b.min, -1) || !math.IsInf(b.max, 1) {
		list = append(list, ecs.Range(name, b.min, b.max))
	}
	if b.finite {
		list = append(list, ecs.Finite(name))
	}
	return list
}

// noBounds complains about bounds of an event's fields: nothing checks them.
func (a *args) noBounds(t *decl.Type) {
	for _, f := range a.bounded {
		a.note(diag.New("field %q of the event %q: min, max and finite are for components: an event is gone before anything could look at it", f.name, t.Name).On(f.at))
	}
}

// invariantOption reads the option invariant: a comparison, or a list of them.
func (a *args) invariantOption(c *decl.Component, v lua.LValue) {
	if text, ok := v.(lua.LString); ok {
		a.declareRule(c, ecs.Constraint(string(text)), a.option("invariant"))
		return
	}
	list, ok := proxy.TableOf(v)
	if !ok {
		a.problemAt(a.option("invariant"), "component %q, option \"invariant\": expected a comparison such as \"hp <= max\", or a list of them, got %s", c.Name, value.Describe(v))
		return
	}
	if i := holes.First(a.L, list); i > 0 {
		a.problemAt(a.option("invariant"), "component %q, %s", c.Name, holes.Item(a.L, "option \"invariant\"", i))
	}
	proxy.Pairs(list, func(k, item lua.LValue) {
		part := fault.ValueOf(a.L.GetTop(), fault.Within("invariant", fault.Index(k)))
		if text, ok := item.(lua.LString); ok {
			a.declareRule(c, ecs.Constraint(string(text)), part)
		} else {
			a.problemAt(part, "component %q, option \"invariant\": expected a comparison such as \"hp <= max\", got %s", c.Name, value.Describe(item))
		}
	})
}

// transitionsOption reads the option transitions: { field = { from = { "to", … } } }.
func (a *args) transitionsOption(c *decl.Component, v lua.LValue) {
	shape := func(part fault.Part, v lua.LValue) {
		a.problemAt(part, "component %q, option \"transitions\": expected { field = { state = { \"next state\", … } } }, got %s", c.Name, value.Describe(v))
	}
	fields, ok := proxy.TableOf(v)
	if !ok {
		shape(a.option("transitions"), v)
		return
	}
	proxy.Pairs(fields, func(k, v lua.LValue) {
		part := a.option(fault.Within("transitions", fault.Written(k)))
		states, ok := proxy.TableOf(v)
		if !ok {
			shape(part, v)
			return
		}
		permitted, sound := map[string][]string{}, true
		proxy.Pairs(states, func(from, v lua.LValue) {
			state, named := from.(lua.LString)
			next, ok := wordsOf(v)
			if sound = sound && named && ok; !named || !ok {
				shape(part, v)
				return
			}
			permitted[string(state)] = next
			a.keep(decl.PerName * int64(1+len(next)))
		})
		if sound {
			a.declareRule(c, ecs.Transitions(fault.Written(k), permitted), part)
		}
	})
}

// wordsOf reads a list of words, or a single one.
func wordsOf(v lua.LValue) (words []string, ok bool) {
	if word, is := v.(lua.LString); is {
		return []string{string(word)}, true
	}
	list, ok := proxy.TableOf(v)
	if !ok {
		return nil, false
	}
	proxy.Pairs(list, func(_, item lua.LValue) {
		word, is := item.(lua.LString)
		ok = ok && is
		words = append(words, string(word))
	})
	return words, ok
}

// longestInvariant is how many bytes the text of an invariant may have.
const longestInvariant = 1 << 10

// declareRule adds an invariant to a declaration.
func (a *args) declareRule(c *decl.Component, rule ecs.Invariant, part fault.Part) {
	if len(rule.Text()) > longestInvariant {
		a.problemAt(part, "component %q: the text of an invariant has at most %s bytes", c.Name, diag.Grouped(longestInvariant))
		return
	}
	a.addRule(c, rule, fault.InCall(a.L, part))
}

// addRule is declareRule for a place that is known.
func (a *args) addRule(c *decl.Component, rule ecs.Invariant, at diag.Place) {
	s := a.script
	switch {
	case len(c.Invariants) == maxInvariants:
		a.fail("component %q has more than %d invariants", c.Name, maxInvariants)
	case s.invariants == maxFileInvariants:
		a.fail("this file has more than %d invariants", maxFileInvariants)
	}
	s.invariants++
	a.keep(decl.PerInvariant + int64(len(rule.Text())))
	c.Invariants = append(c.Invariants, decl.Invariant{Rule: rule, At: at})
}

// invariants completes those of a component, once its fields have places, and finds what is wrong with them.
func (a *args) invariants(c *decl.Component) {
	for _, f := range a.bounded {
		for _, rule := range f.spec.bounds.rules(f.name) {
			a.addRule(c, rule, f.at)
		}
		if n, ok := f.spec.value.(lua.LNumber); ok && !(float64(n) >= f.spec.bounds.min && float64(n) <= f.spec.bounds.max) {
			a.note(diag.New("field %q of %q: the default %v is not between min and max", f.name, c.Name, float64(n)).On(f.at))
		}
	}
	// Tables have no order, and what is reported first should not be another thing each time.
	slices.SortStableFunc(c.Invariants, func(x, y decl.Invariant) int { return strings.Compare(x.Rule.Text(), y.Rule.Text()) })
	a.bounded = nil
	if c.Broken {
		return
	}
	c.Invariants = slices.DeleteFunc(c.Invariants, func(i decl.Invariant) bool {
		why := a.cannotHold(c, i.Rule)
		if why != "" {
			a.note(diag.New("component %q, invariant %q: %s", c.Name, i.Rule.Text(), why).On(i.At))
		}
		return why != ""
	})
}

// cannotHold says what is wrong with an invariant, "" for nothing.
func (a *args) cannotHold(c *decl.Component, rule ecs.Invariant) (why string) {
	broken, missing := false, false
	err := rule.Fits(c.Schema, func(name string) *ecs.Schema {
		known := a.components.Find(name)
		if known == nil {
			missing = true
			return nil
		}
		broken = broken || known.Broken
		a.script.uses = append(a.script.uses, "component "+name)
		return known.Schema
	})
	switch {
	case err == nil && c.Heap && rule.Followed():
		return "the states of a component of the host that holds Go pointers cannot be followed"
	case err == nil || broken:
		return ""
	case missing:
		return err.Error() + ": declare it in this file before, or require the file that does"
	}
	return err.Error()
}

// keepInvariants gives the world what the scripts of a load declare, and takes what those that
// are gone have declared.
func (m *Binding) keepInvariants(gone, fresh []*Declarations) {
	for _, s := range gone {
		if !slices.ContainsFunc(fresh, func(now *Declarations) bool { return now.Name == s.Name }) {
			_ = m.world.Raw().SetInvariants(s.Name, nil) // to take away cannot fail in a world that lives
		}
	}
	for _, s := range fresh {
		var list []ecs.Owned
		for _, c := range s.Components {
			for _, i := range c.Invariants {
				list = append(list, ecs.Owned{Component: c.ID, Invariant: i.Rule})
			}
		}
		if err := m.world.Raw().SetInvariants(s.Name, list); err != nil {
			m.exec.Reports = append(m.exec.Reports, diag.New("its invariants are not checked: %v", err).On(diag.Place{Script: s.Name}))
		}
	}
}

// Violated describes what a script has declared and an entity breaks, at the place of the declaration. For an
// invariant of the program it has no place.
func (m *Binding) Violated(s *Declarations, v *ecs.Violation) *diag.Error {
	of := "invariant " + fmt.Sprintf("%q", diag.Cut(v.Invariant))
	if v.Component != "" {
		of = fmt.Sprintf("component %q", v.Component)
	}
	e := diag.New("%s: %s must hold, but %s", of, v.Text, diag.Cut(v.Value))
	if v.Before != "" {
		e.Message += fmt.Sprintf(" (before: %s)", diag.Cut(v.Before))
	}
	if v.System == "" && len(v.Systems) > 0 {
		e.Message += fmt.Sprintf("; one of these has written it: %s", diag.Cut(strings.Join(v.Systems, ", ")))
	}
	if v.Count > 1 {
		e.Message += fmt.Sprintf("; %s entities break it in this tick", diag.Grouped(int64(v.Count)))
	}
	e.System, e.Tick, e.Entity, e.Err = v.System, v.Tick, v.Entity, v
	if s != nil {
		e.Put(s.placeOf(v))
	}
	return e
}

// placeOf returns where an invariant of the script is declared.
func (s *Declarations) placeOf(v *ecs.Violation) diag.Place {
	for _, c := range s.Components {
		for _, i := range c.Invariants {
			if c.Name == v.Component && i.Rule.Text() == v.Text {
				return i.At
			}
		}
	}
	return diag.Place{Script: s.Name}
}
