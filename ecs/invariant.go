package ecs

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/shadow"
)

// Invariant is a rule that values must meet at the end of each tick. It is an option of
// [Register], [TryRegister] and [Raw.Define], where it is about the component that is
// registered; a component may have several. They are made by five functions:
//
//	health := ecs.Register[Health](w,
//		ecs.Range("hp", 0, math.Inf(1)),
//		ecs.Finite("regen"),
//		ecs.Constraint("hp <= max"),
//		ecs.Constraint("hp <= Armor.cap"),
//		ecs.Transitions("state", map[string][]string{"idle": {"walk"}, "walk": {"idle", "dead"}}),
//		ecs.Holds("even", "hp is even", func(h *Health) bool { return int(h.HP)%2 == 0 }))
//
// [View.Holds] is such a rule in Go about several components.
//
// # When rules are checked
//
// World.Step checks at its end, after all systems, and finds what breaks a rule then: what
// was wrong in between, and is right again, is not found. It looks at the chunks in which a component that
// the rule reads was stamped since its last check, as [Query.Changed] does; a rule that is new
// looks at all. Prefab entities have no part in it, and neither have entities that lack one of the
// components. What is found is a [Violation]: it goes to the functions of
// [Schedule.OnViolation], and stops nothing unless Options.StrictInvariants says so. What is
// written without a stamp, which is a mistake, is unseen; [Schedule.Violations] looks at every row.
// [Schedule.LimitChecks] spreads the checks over several steps, where one has no time for all.
//
// Numbers are compared as float64, as scripts compare them; those of 64 bits beyond 2⁵³ are
// rounded for that. A bound of an f32 field is rounded as the field is. A comparison with a NaN
// is false, so that it breaks a Range and a Constraint, but for one with ~=.
//
// # Price
//
// Components without invariants pay nothing, and a write costs what it did; a world that has none pays 4 ns for a step. A Range over a
// column of small values takes about 1 ns for each row of the chunks that were written, one over an
// array of bytes 0.2 ns for each element, of other numbers 1 ns; a
// Constraint 2 ns, Transitions 16 ns and 12 bytes and the value for each row; a function of
// Holds takes 2 ns, and what it does. A rule looks up which chunks were written: some
// nanoseconds for each chunk, also where nothing was.
type Invariant struct {
	name, text string
	kind       invariantKind
	make       func(b *ruleBinder) (ruleCheck, error)
}

// invariantKind says which function has made an Invariant; 0 is that of the zero value.
type invariantKind uint8

const (
	rangeInvariant invariantKind = iota + 1
	finiteInvariant
	constraintInvariant
	transitionsInvariant
	holdsInvariant
)

func (i Invariant) apply(s *componentSpec) { s.invariants = append(s.invariants, i) }

// Named gives the invariant a name of its own. Without it, the name is that of the component
// and the text: "Health: hp <= max".
func (i Invariant) Named(name string) Invariant {
	i.name = name
	return i
}

// Text says what the invariant demands, such as "0 <= hp <= 100".
func (i Invariant) Text() string { return i.text }

// Followed reports whether the world must remember values to check the invariant, as it must for
// Transitions.
func (i Invariant) Followed() bool { return i.kind == transitionsInvariant }

// same reports whether two invariants of one component demand the same. Two functions of Holds are
// never known to be the same.
func (i Invariant) same(as Invariant) bool {
	return i.kind == as.kind && i.kind != holdsInvariant && i.name == as.name && i.text == as.text
}

// Range demands that a field is at least min and at most max; an infinite bound allows all
// numbers on its side. Of an array, all elements must be. A field of a nested struct is named with a
// dot: "at.x". The error of the registration wraps ErrRange when min is above max or one is NaN,
// ErrUnknown when there is no such field, ErrConflict when it holds no numbers.
func Range(field string, min, max float64) Invariant {
	text := fmt.Sprintf("%s <= %s <= %s", number(min), field, number(max))
	switch {
	case math.IsInf(min, -1) && math.IsInf(max, 1):
		text = field + " is a number"
	case math.IsInf(min, -1):
		text = fmt.Sprintf("%s <= %s", field, number(max))
	case math.IsInf(max, 1):
		text = fmt.Sprintf("%s >= %s", field, number(min))
	}
	return Invariant{text: text, kind: rangeInvariant, make: func(b *ruleBinder) (ruleCheck, error) {
		if !(min <= max) {
			return nil, fmt.Errorf("%w: a range from %v to %v holds no number", ErrRange, min, max)
		}
		of, err := b.operand(field)
		if err != nil {
			return nil, err
		}
		return newRangeCheck(of, min, max), nil
	}}
}

// number writes a number as short as it can be read back; whole ones without an exponent, as long as they are
// exact.
func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Finite demands that fields are neither NaN nor infinite; without names, all fields of kinds
// f32 and f64, those of nested structs included. Of an array, all elements must be. The error of the registration
// wraps ErrUnknown, or ErrConflict when there is nothing that could be anything else than finite.
func Finite(fields ...string) Invariant {
	fields = slices.Clone(fields)
	text := "all fields are finite"
	if len(fields) > 0 {
		text = strings.Join(fields, ", ") + " finite"
	}
	return Invariant{text: text, kind: finiteInvariant, make: func(b *ruleBinder) (ruleCheck, error) {
		names := fields
		if len(names) == 0 {
			names = floatPaths(nil, "", b.of.schema.Fields)
		}
		check := &finiteCheck{}
		for _, name := range names {
			of, err := b.operand(name)
			if err != nil {
				return nil, err
			}
			if of.field.Kind != F32 && of.field.Kind != F64 {
				return nil, fmt.Errorf("%w: field %q is %v and always finite", ErrConflict, name, of.field.Kind)
			}
			check.of = append(check.of, of)
		}
		if len(check.of) == 0 {
			return nil, fmt.Errorf("%w: component %q has no field of kind f32 or f64", ErrConflict, b.of.schema.Name)
		}
		return check, nil
	}}
}

// floatPaths appends the paths of all fields of kinds f32 and f64.
func floatPaths(paths []string, within string, fields []Field) []string {
	for i := range fields {
		switch f := &fields[i]; {
		case f.Kind == F32 || f.Kind == F64:
			paths = append(paths, within+f.Name)
		case f.Kind == Struct && f.Len == 0:
			paths = floatPaths(paths, within+f.Name+".", f.Fields)
		}
	}
	return paths
}

// Constraint demands that a comparison holds: "hp <= max", "level ~= 3", "state == idle". On
// each side stands a number, a field, or a field of another component, "Armor.cap": then the rule is
// about entities that have both. A bool compares with true and false, an enum with its words
// or another enum, by == and ~=; entities by == and ~=, with 0 for none. The operators are ==,
// ~= (or !=), <, <=, > and >=.
//
// The error of the registration wraps ErrUnknown for a name, ErrConflict for what cannot be compared
// and for a text that is no comparison.
func Constraint(text string) Invariant {
	text = strings.TrimSpace(text)
	return Invariant{text: text, kind: constraintInvariant, make: func(b *ruleBinder) (ruleCheck, error) {
		return b.constraint(text)
	}}
}

// Transitions makes an enum field a state machine: permitted has, for each state, those that may
// follow it. A state without an entry is final. A value may stay what it is, and may begin
// in any state. A transition is from the state that the entity had at the last check to the one that it has at
// this: passing through a third one within one tick is unseen. A component that was
// taken away and given again in different ticks begins anew.
//
// The error of the registration wraps ErrUnknown for the field and for a word that is no state,
// ErrConflict for a field that is no enum and for components whose values are not in the memory of the world (those
// with Go pointers, or in a [Storage]).
func Transitions(field string, permitted map[string][]string) Invariant {
	from := make([]string, 0, len(permitted))
	for state, to := range permitted {
		to = slices.Clone(to)
		slices.Sort(to)
		from = append(from, state+" -> "+strings.Join(slices.Compact(to), ", "))
	}
	slices.Sort(from)
	text := field + ": " + strings.Join(from, "; ")
	table := make(map[string][]string, len(permitted))
	for state, to := range permitted {
		table[state] = slices.Clone(to)
	}
	return Invariant{text: text, kind: transitionsInvariant, make: func(b *ruleBinder) (ruleCheck, error) {
		return b.transitions(field, table)
	}}
}

// Holds demands what a function says of each value of a component of type T. The function must
// change nothing, and may ask nothing but the value. One that panics fails the step with a
// *[SystemError] of the invariant's name. The error of the registration wraps ErrConflict for a nil function
// and for a component of another type.
func Holds[T any](name, text string, holds func(*T) bool) Invariant {
	return Invariant{name: name, text: text, kind: holdsInvariant, make: func(b *ruleBinder) (ruleCheck, error) {
		switch {
		case holds == nil:
			return nil, fmt.Errorf("%w: the function is nil", ErrConflict)
		case b.of.typ != reflect.TypeFor[T]():
			return nil, fmt.Errorf("%w: the function is about %s", ErrConflict, reflect.TypeFor[T]())
		}
		return &holdsCheck{func(p unsafe.Pointer) bool { return holds((*T)(p)) }, b.of.size, b.of.schema.Fields}, nil
	}}
}

// Holds demands what a function says of each row of the view: a rule about several
// components. The function must change nothing, whatever the view's tags say; conditions that the view's
// query has besides are not asked. That an optional component in a pool has gone from an entity is noticed when another one
// of the view is written. See [Invariant]. remove ends the rule. The error
// wraps ErrConflict for a nil function, ErrClosed, or ErrIterating while systems run at the same time.
func (v *View[T]) Holds(name, text string, holds func(row T) bool) (remove func(), err error) {
	if v == nil || v.query == nil {
		return nil, fmt.Errorf("%w: this View is of no world", ErrConflict)
	}
	w := v.query.world
	if err := w.refuseDeclaring(fmt.Sprintf("invariant %q", name)); err != nil {
		return nil, err
	}
	if w.frozen.on {
		return nil, fmt.Errorf("%w: invariant %q is declared while systems run at the same time", ErrIterating, name)
	}
	if holds == nil {
		return nil, fmt.Errorf("%w: invariant %q: the function is nil", ErrConflict, name)
	}
	r := &rule{Invariant: Invariant{name: name, text: text, kind: holdsInvariant}}
	for i := range v.fields {
		r.reads = append(r.reads, v.fields[i].info)
	}
	check := &viewCheck[T]{v.fields, holds}
	r.make = func(*ruleBinder) (ruleCheck, error) { return check, nil }
	r.needs = v.query.with.ids
	w.addRule(r)
	return func() { w.removeRules(func(o *rule) bool { return o == r }) }, nil
}

// ruleBinder finds the fields that an invariant names.
type ruleBinder struct {
	world *World // nil where the check is only tried
	find  func(name string) *component
	of    *component
	reads []*component // whose columns the check gets; the first is of
}

// column returns the index of a component among those that are read.
func (b *ruleBinder) column(c *component) int {
	if i := slices.Index(b.reads, c); i >= 0 {
		return i
	}
	b.reads = append(b.reads, c)
	return len(b.reads) - 1
}

// operand is a number of a row, or a constant.
type operand struct {
	label  string
	column int // of those that are read; -1 for a constant
	offset uintptr
	size   uintptr // of the component
	field  Field   // of its kind
	value  float64 // of a constant
}

// operand finds a field of the component, or one of another component: "Armor.cap".
func (b *ruleBinder) operand(path string) (operand, error) {
	of := b.of
	field, offset, err := fieldAt(of.schema, path)
	if first, rest, dotted := strings.Cut(path, "."); err != nil && dotted && of.schema.Field(first) == nil {
		if first != of.schema.Name {
			if of = b.find(first); of == nil {
				return operand{}, fmt.Errorf("%w: there is no field and no component %q", ErrUnknown, first)
			}
		}
		field, offset, err = fieldAt(of.schema, rest)
	}
	switch {
	case err != nil:
		return operand{}, err
	case field.Kind < Bool || field.Kind > Enum:
		return operand{}, fmt.Errorf("%w: field %q is %v, which holds no number", ErrConflict, path, field.Kind)
	case of.reserved != "":
		return operand{}, of.reservedError()
	}
	return operand{label: path, column: b.column(of), offset: offset, size: of.size, field: field}, nil
}

// fieldAt follows a path, in which dots lead into nested structs.
func fieldAt(s *Schema, path string) (Field, uintptr, error) {
	at, offset := Field{Name: s.Name, Kind: Struct, Fields: s.Fields}, uintptr(0)
	for rest := path; ; {
		name, more, dotted := strings.Cut(rest, ".")
		i := slices.IndexFunc(at.Fields, func(f Field) bool { return f.Name == name })
		if i < 0 || at.Kind != Struct || at.Len > 0 {
			return at, 0, fmt.Errorf("%w: %q has no field %q: %s", ErrUnknown, at.Name, name, fieldList(at.Fields))
		}
		at = at.Fields[i]
		if offset += at.Offset; !dotted {
			return at, offset, nil
		}
		rest = more
	}
}

// fieldList names some fields.
func fieldList(fields []Field) string {
	const most = 8
	if len(fields) == 0 {
		return "it has none"
	}
	names := make([]string, 0, most)
	for i := range fields[:min(len(fields), most)] {
		names = append(names, fields[i].Name)
	}
	if len(fields) > most {
		names = append(names, "…")
	}
	return "it has " + strings.Join(names, ", ")
}

// rounded returns a bound as the field holds it.
func (o *operand) rounded(v float64) float64 {
	if o.field.Kind == F32 {
		return float64(float32(v))
	}
	return v
}

// constraint reads a comparison.
func (b *ruleBinder) constraint(text string) (ruleCheck, error) {
	at := strings.IndexAny(text, "=<>~!")
	if at < 0 {
		return nil, fmt.Errorf("%w: %q is no comparison such as hp <= max", ErrConflict, text)
	}
	end := at + 1
	if end < len(text) && text[end] == '=' {
		end++
	}
	op, known := comparisons[text[at:end]]
	left, right := strings.TrimSpace(text[:at]), strings.TrimSpace(text[end:])
	if !known || left == "" || right == "" || strings.ContainsAny(right, "=<>~!") {
		return nil, fmt.Errorf("%w: %q is no comparison such as hp <= max: it has one of ==, ~=, <, <=, > and >=, with a field or a number on each side", ErrConflict, text)
	}
	check := &compareCheck{op: op}
	var err error
	if check.left, err = b.side(left, right); err != nil {
		return nil, err
	}
	if check.right, err = b.side(right, left); err != nil {
		return nil, err
	}
	return check, b.comparable(check)
}

// comparisons are the operators of a Constraint.
var comparisons = map[string]compareOperator{"==": equalTo, "~=": unequalTo, "!=": unequalTo, "<": lessThan, "<=": atMost, ">": moreThan, ">=": atLeast}

// compareOperator is one of them.
type compareOperator uint8

const (
	equalTo compareOperator = iota
	unequalTo
	lessThan
	atMost
	moreThan
	atLeast
)

// side reads one side of a comparison; the other one says which words are values.
func (b *ruleBinder) side(text, other string) (operand, error) {
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case err == nil && (math.IsNaN(v) || math.IsInf(v, 0)):
		return operand{}, fmt.Errorf("%w: %q is no number that can be compared", ErrConflict, text)
	case err == nil:
		of, err := b.operand(other)
		if err != nil {
			return operand{}, fmt.Errorf("%w: one side must be a field: %w", ErrConflict, err)
		}
		return operand{label: text, column: -1, value: of.rounded(v)}, nil
	}
	of, unknown := b.operand(text)
	if unknown == nil {
		return of, nil
	}
	if against, err := b.operand(other); err == nil {
		switch k := against.field.Kind; {
		case k == Bool && (text == "true" || text == "false"):
			return operand{label: text, column: -1, field: Field{Kind: Bool}, value: truth(text == "true")}, nil
		case k == Enum:
			i := slices.Index(against.field.Names, strings.Trim(text, `"'`))
			if i < 0 {
				return operand{}, fmt.Errorf("%w: %q is none of %s", ErrUnknown, text, strings.Join(against.field.Names, ", "))
			}
			return operand{label: text, column: -1, field: against.field, value: float64(i)}, nil
		}
	}
	return operand{}, unknown
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// comparable refuses a comparison of what has no order, or nothing in common.
func (b *ruleBinder) comparable(c *compareCheck) error {
	l, r := &c.left, &c.right
	numeric := func(o *operand) bool {
		return o.field.Kind == 0 || o.field.Kind.Integer() || o.field.Kind == F32 || o.field.Kind == F64
	}
	ordered := c.op != equalTo && c.op != unequalTo
	switch {
	case l.field.Len > 0 || r.field.Len > 0:
		return fmt.Errorf("%w: an array cannot be compared", ErrConflict)
	case numeric(l) && numeric(r):
		return nil
	case ordered:
		return fmt.Errorf("%w: %q and %q compare by == and ~= only", ErrConflict, l.label, r.label)
	case l.field.Kind == r.field.Kind && (l.field.Kind != Enum || slices.Equal(l.field.Names, r.field.Names)):
		return nil
	case l.field.Kind == Ref && r.column < 0 && r.value == 0 || r.field.Kind == Ref && l.column < 0 && l.value == 0:
		return nil
	}
	return fmt.Errorf("%w: %q and %q are of different kinds", ErrConflict, l.label, r.label)
}

// transitions binds a state machine.
func (b *ruleBinder) transitions(field string, permitted map[string][]string) (ruleCheck, error) {
	of, err := b.operand(field)
	switch {
	case err != nil:
		return nil, err
	case of.field.Kind != Enum || of.field.Len > 0:
		return nil, fmt.Errorf("%w: field %q is no enum, and has no states", ErrConflict, field)
	case b.of.heap || len(b.reads) > 1:
		return nil, fmt.Errorf("%w: the states of component %q cannot be followed: its values are not plain bytes in the memory of the world, or it is another one than %q", ErrConflict, field, b.of.schema.Name)
	}
	check := &transitionCheck{of: of}
	state := func(name string) (int, error) {
		if i := slices.Index(of.field.Names, name); i >= 0 {
			return i, nil
		}
		return 0, fmt.Errorf("%w: field %q has no state %q: it has %s", ErrUnknown, field, name, strings.Join(of.field.Names, ", "))
	}
	for from, list := range permitted {
		i, err := state(from)
		if err != nil {
			return nil, err
		}
		for _, to := range list {
			j, err := state(to)
			if err != nil {
				return nil, err
			}
			check.permitted[i][j/64] |= 1 << (j % 64)
		}
	}
	if w := b.world; w != nil {
		at := of.offset
		check.history = &tracker{comp: b.of, shadow: shadow.New(b.of.size, []shadow.Piece{{From: at, To: at + 1}}, w.version)}
	}
	return check, nil
}

// Fits returns the error that the registration of a component with this schema would return for
// the invariant. other returns the schema of another component, nil when there is none. What
// the component's Go type says is not asked.
func (i Invariant) Fits(s *Schema, other func(name string) *Schema) error {
	if i.make == nil || s == nil || i.kind == holdsInvariant {
		return fmt.Errorf("%w: this invariant is about no schema", ErrConflict)
	}
	known := map[string]*component{}
	find := func(name string) *component {
		if known[name] == nil && other != nil {
			if of := other(name); of != nil {
				known[name] = &component{schema: of, size: of.Size}
			}
		}
		return known[name]
	}
	c := &component{schema: s, size: s.Size}
	_, err := i.make(&ruleBinder{find: find, of: c, reads: []*component{c}})
	return err
}

// findComponent returns the component of a name, or nil.
func (w *World) findComponent(name string) *component {
	if id, ok := w.names[name]; ok {
		return w.components[id]
	}
	return nil
}

// refuseInvariants refuses invariants that cannot be checked, before c is registered.
func (w *World) refuseInvariants(list []Invariant, c *component) error {
	for _, i := range list {
		if i.make == nil {
			return fmt.Errorf("%w: an invariant of %q is the zero Invariant", ErrConflict, c.schema.Name)
		}
		if _, err := i.make(&ruleBinder{find: w.findComponent, of: c, reads: []*component{c}}); err != nil {
			return fmt.Errorf("invariant %q of %q: %w", i.text, c.schema.Name, err)
		}
	}
	return nil
}

// setInvariants gives a component the invariants that refuseInvariants has accepted, but for
// those that it has.
func (w *World) setInvariants(c *component, owner string, list []Invariant) {
	for _, i := range list {
		known := func(r *rule) bool { return r.of == c && r.owner == owner && r.same(i) }
		if w.invariants == nil || !slices.ContainsFunc(w.invariants.rules, known) {
			w.addRule(&rule{Invariant: i, of: c, owner: owner})
		}
	}
}

// Owned is an invariant of a component: see [Raw.SetInvariants].
type Owned struct {
	Component ComponentID
	Invariant Invariant
}

// SetInvariants replaces all invariants that an owner, such as a script, has declared. Those
// that stay the same go on, and new ones look at all rows at the end of the next step. Invariants
// that were options are nobody's, and stay. The error wraps that of the registration, or
// ErrClosed, ErrConflict for the empty owner, or ErrIterating while systems run at the same time; nothing has changed then. O(invariants of the world).
func (r Raw) SetInvariants(owner string, list []Owned) error {
	w := r.world
	if err := w.refuseDeclaring(fmt.Sprintf("the invariants of %q", owner)); err != nil {
		return err
	}
	if w.frozen.on {
		return fmt.Errorf("%w: invariants are declared while systems run at the same time", ErrIterating)
	}
	if owner == "" {
		return fmt.Errorf("%w: invariants of no owner", ErrConflict)
	}
	for _, o := range list {
		c, err := w.componentByID(o.Component)
		if err == nil {
			err = w.refuseInvariants([]Invariant{o.Invariant}, c)
		}
		if err != nil {
			return err
		}
	}
	w.removeRules(func(r *rule) bool {
		return r.owner == owner && !slices.ContainsFunc(list, func(o Owned) bool { return r.of.id == o.Component && r.same(o.Invariant) })
	})
	for _, o := range list {
		w.setInvariants(w.components[o.Component], owner, []Invariant{o.Invariant})
	}
	return nil
}
