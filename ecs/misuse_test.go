package ecs

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// wrongUses makes random calls of what package ecs exports, with handles of another world,
// dead ones, zero values and nil, wherever these can be written.
type wrongUses struct {
	t       *testing.T
	r       *rand.Rand
	w       *World
	other   *World
	docs    map[string]string
	es      []Entity
	values  []Value
	refs    []ComponentRef
	queries []*Query
	rels    []*Relation
	readers []*Reader
	prefabs []*Prefab
	buffers []*Commands
	ids     []ComponentID
	index   []*Index[float64]
	deltas  []any // Delta[Position] and RawDelta, of the last comparison and of those before
	tick    *Tick
	trace   []string
	where   string  // the situation
	reached reached // by all seeds
}

// reached counts the calls of each function in each situation.
type reached map[string]map[string]int

// situations are the places in which a call is made.
var situations = []string{"outside", "loop", "system", "parallel", "job", "Parallel", "closed", "zero"}

// note counts a call.
func (r reached) note(name, where string) {
	if r == nil {
		return
	}
	if r[name] == nil {
		r[name] = map[string]int{}
	}
	r[name][where]++
}

// print shows which function was called where, and reports those that were called nowhere.
func (r reached) print(t *testing.T, wanted map[string]string) {
	var out strings.Builder
	fmt.Fprintf(&out, "%-28s %s\n", "", strings.Join(situations, " "))
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		fmt.Fprintf(&out, "%-28s", name)
		for _, where := range situations {
			fmt.Fprintf(&out, " %*d", len(where), r[name][where])
		}
		out.WriteByte('\n')
		tried := len(r[name])
		if r[name]["closed"] > 0 {
			tried--
		}
		if _, left := notHere[name]; !left && tried == 0 && !isValueOnly(name) {
			t.Errorf("no wrong use of %s was tried: give the test what it needs for it, or say in notHere why not", name)
		}
	}
	t.Log("\n" + out.String())
}

func newWrongUses(t *testing.T, seed uint64, docs map[string]string) *wrongUses {
	u := &wrongUses{t: t, r: rand.New(rand.NewPCG(seed, 13)), docs: docs}
	for i := range 2 {
		w := open(t, Options{Tag: uint16(i + 1), MaxBytes: 8 << 20, MaxEntities: 3000, Workers: 1 + int(seed%2), ReuseAfter: -1})
		if i == 0 {
			u.w = w
		} else {
			u.other = w
			Register[Frozen](w) // so that numbers mean other types here
		}
		u.fill(w)
	}
	dead := u.w.Spawn()
	must(t, u.w.Despawn(dead))
	limbo, err := u.w.reserve()
	must(t, err)
	u.es = append(u.es, dead, limbo, 0, ^Entity(0), Entity(1<<40|1), Entity(u.w.tag())<<24|77)
	u.values = append(u.values, Value{}, u.stale())
	var none Component[Label]
	var norelation *Relation
	u.refs = append(u.refs, nil, none, norelation, ComponentID(99), ComponentID(math.MaxUint32))
	u.ids = append(u.ids, 99, math.MaxUint32)
	u.queries, u.rels, u.readers, u.buffers = append(u.queries, nil), append(u.rels, nil), append(u.readers, nil), append(u.buffers, nil)
	ring := &Prefab{Name: "ring"}
	ring.Base = ring
	u.prefabs = append(u.prefabs, nil, ring, &Prefab{}, &Prefab{Values: u.values, Children: []Prefab{{}}})
	return u
}

// fill gives a world some of everything.
func (u *wrongUses) fill(w *World) {
	position, burning, label := Register[Position](w, Tracked), Register[Burning](w, Sparse), Register[Label](w)
	relation, err := w.Relation("Targets", RelationOptions{})
	must(u.t, err)
	rune, err := w.define(runeSchema(), false)
	must(u.t, err)
	hit := RegisterEvent[Position](w)
	for i := range 20 {
		vs := []Value{position.With(Position{}), burning.With(Burning{}), label.With(Label{"x"}), w.valueAt(rune, nil)}
		u.es = append(u.es, w.Spawn(vs[i%4:]...))
	}
	e := u.es[len(u.es)-1]
	must(u.t, w.SetParent(u.es[len(u.es)-2], e))
	must(u.t, relation.Set(u.es[len(u.es)-3], e))
	u.values = append(u.values, position.With(Position{}), burning.With(Burning{}), label.With(Label{"y"}), w.valueAt(rune, nil))
	u.refs = append(u.refs, position, burning, label, rune, relation, w.ChildOf())
	u.ids = append(u.ids, position.ID(), burning.ID(), label.ID(), rune, relation.ID())
	u.queries = append(u.queries, w.Query(), w.Query(Write(position)), w.Query(Read(burning), Read(label)), w.Query().Added(label), w.Query().With(position).Without(label))
	u.rels = append(u.rels, relation, w.ChildOf())
	u.readers = append(u.readers, w.newReader(hit.ID()))
	u.buffers = append(u.buffers, w.NewCommands())
	for _, c := range []struct {
		id    ComponentID
		field string
	}{{position.ID(), "x"}, {rune, "n"}} {
		x, err := w.Raw().Index(c.id, c.field)
		must(u.t, err)
		u.index = append(u.index, x)
	}
	u.compare()
}

// compare takes deltas of both worlds; those before become stale.
func (u *wrongUses) compare() {
	for _, w := range []*World{u.w, u.other} {
		if w == nil {
			continue
		}
		if d, err := Register[Position](w).Since(uint64(u.r.IntN(3))); err == nil {
			u.deltas = append(u.deltas, d)
		}
		if d, err := w.Raw().Since(Register[Position](w).ID(), uint64(u.r.IntN(3))); err == nil {
			u.deltas = append(u.deltas, d)
		}
	}
	u.deltas = u.deltas[max(0, len(u.deltas)-20):]
}

// stale returns a value that was made before its component was migrated.
func (u *wrongUses) stale() Value {
	id, _ := u.w.componentNamed("Rune")
	v, m := u.w.valueAt(id, nil), u.w.migrate()
	must(u.t, m.Component(Schema{Name: "Rune", Fields: []Field{{Name: "n", Kind: F64}, {Name: "m", Kind: F64}}}, nil))
	must(u.t, m.Prepare())
	m.Commit()
	return v
}

// notHere is what the test leaves out, and why.
var notHere = map[string]string{
	"World.Close":      "ends the test; see TestAClosedWorldTakesNoOrder and TestAWorldIsNotClosedUnderALoop",
	"Migration.Commit": "its caller promises that nothing has changed since Prepare",
	"Commands.Rewind":  "its caller promises a mark of these commands that is still good",
	"Preview.At":       "its caller promises an index below Len",
	"Chunk.Column":     "a chunk is borrowed: only a loop has one",
	"Chunk.Entities":   "likewise",
	"Chunk.Len":        "likewise",
	"Chunk.Version":    "likewise",
	"Component.Mut":    "it takes a chunk",
	"Component.Of":     "it takes a chunk",
	"Dates.Column":     "it takes a chunk",
	"View.In":          "it takes a chunk",
	"ContextError":     "it has to do with no world",
}

// receivers are the things of a world whose methods are called.
func (u *wrongUses) receivers() []reflect.Value {
	position, burning, label := Component[Position]{}, Component[Burning]{}, Component[Label]{}
	w := u.w
	if u.r.IntN(8) == 0 {
		w = u.other
	}
	position, burning, label = Register[Position](w), Register[Burning](w), Register[Label](w)
	own := w.NewCommands()
	all := []any{w, w.Raw(), w.Schedule(), position, burning, label, RegisterEvent[Position](w), own, own.Preview(), w.Query(Read(position)), w.Query(),
		u.rels[0], u.rels[1], u.readers[0], w.migrate(), &Dates{}, NewView[mixedRow](w), pick(u, u.index), pick(u, u.index), pick(u, u.deltas), pick(u, u.deltas)}
	u.compare()
	if u.tick != nil {
		all = append(all, u.tick, u.tick.Commands)
	}
	list := make([]reflect.Value, len(all))
	for i := range all {
		list[i] = reflect.ValueOf(all[i])
	}
	return list
}

// genericFunctions are called besides: reflection does not list them.
func (u *wrongUses) genericFunctions() map[string]any {
	return map[string]any{
		"Register":      func(w *World, o ComponentOption) { Register[Velocity](w, o) },
		"TryRegister":   func(w *World, o ComponentOption) error { _, err := TryRegister[Burning](w, o); return err },
		"RegisterEvent": func(w *World) { RegisterEvent[Velocity](w) },
		"Provide":       func(w *World, nothing bool) { Provide(w, map[bool]*settings{false: {}}[nothing]) },
		"Resource":      func() { Resource[settings](u.w) },
		"NewIndex": func(c Component[Position], key func(*Position) float64) error {
			x, err := NewIndex(c, key)
			if err == nil {
				u.index = append(u.index, x)
			}
			return err
		},
		"Where": func(c Component[Position], keep func(*Position) bool) { Where(u.w.Query(), c, keep).Count() },
		"Rows": func(q int, c Component[Label]) {
			for range Rows(u.ownQuery(q), c) {
			}
		},
		"Rows2": func(q int, a Component[Position], b Component[Label]) {
			for range Rows2(u.ownQuery(q), a, b) {
			}
		},
		"Sorted": func(q int, c Component[Position], compare func(a, b *Position) int) {
			for range Sorted(u.ownQuery(q), c, compare) {
			}
		},
	}
}

func (u *wrongUses) ownQuery(i int) *Query { return u.queries[uint(i)%5] }

func pick[T any](u *wrongUses, list []T) T { return list[u.r.IntN(len(list))] }

// argument makes an argument of a type.
func (u *wrongUses) argument(t reflect.Type) reflect.Value {
	var v any
	switch reflect.Zero(t).Interface().(type) {
	case Entity:
		v = pick(u, u.es)
	case Value:
		v = pick(u, u.values)
	case ComponentID:
		v = pick(u, u.ids)
	case Term:
		v = pick(u, []Term{{}, Read(pick(u, u.refs)), Write(pick(u, u.refs))})
	case *Query:
		v = pick(u, u.queries)
	case *Relation:
		v = pick(u, u.rels)
	case *Reader:
		v = pick(u, u.readers)
	case *Prefab:
		v = pick(u, u.prefabs)
	case *Commands:
		v = pick(u, u.buffers)
	case *World:
		v = pick(u, []*World{u.w, u.other, nil})
	case *Chunk:
		return reflect.Value{} // borrowed: only a loop has one
	case Schema:
		v = pick(u, []Schema{{}, runeSchema(), {Name: "Position"}, {Name: "New", Fields: []Field{{Name: "a", Kind: Kind(u.r.IntN(20))}}}, {Name: "Wide", Fields: []Field{{Name: "a", Kind: F64, Len: 1 << 30}}}})
	case RelationOptions:
		v = RelationOptions{OnDespawn: Policy(u.r.IntN(5)), Acyclic: u.r.IntN(2) == 0}
	case Observer:
		v = Observer{Name: u.name(), On: Trigger(u.r.IntN(64)), Component: pick(u, u.ids), Query: pick(u, u.queries), Run: pick(u, []func(*Tick, Notice) error{nil, func(*Tick, Notice) error { return nil }})}
	case System:
		v = System{Name: u.name(), Phase: Phase(u.r.IntN(4) * 100), Priority: u.r.IntN(3) - 1, Every: u.number(), Queries: []*Query{pick(u, u.queries)}, Parallel: u.r.IntN(2) == 0,
			After: []string{u.name()}, Run: pick(u, []func(*Tick) error{nil, idle})}
	case Invariant:
		v = u.invariant()
	case Owned:
		v = Owned{pick(u, u.ids), u.invariant()}
	case Piece:
		v = Piece{uintptr(u.r.IntN(20)), uintptr(u.r.IntN(20)), u.r.IntN(2) == 0}
	case string:
		v = u.name()
	case float64:
		v = u.number()
	case unsafe.Pointer:
		v = unsafe.Pointer(nil)
	}
	if v != nil {
		return reflect.ValueOf(v).Convert(t)
	}
	return u.byKind(t)
}

// invariant makes one that may be about nothing.
func (u *wrongUses) invariant() Invariant {
	return pick(u, []Invariant{{}, Range(u.name(), u.number(), u.number()), Range("x", -1, 1), Finite(), Finite(u.name()), Constraint("x <= y"), Constraint(u.name()), Constraint("x < Position.y"),
		Transitions("x", nil), Holds[Position]("n", "t", nil), Holds("n", "t", func(*Position) bool { return true })})
}

func (u *wrongUses) name() string {
	return pick(u, []string{"", "a", "b", "c?", "Position", "Rune", "ChildOf", "Targets", "New", "Wide"})
}
func (u *wrongUses) number() float64 {
	return pick(u, []float64{0, 0.1, 1, -1, math.NaN(), math.Inf(1)})
}

// byKind makes an argument of a type that nothing is known about but its kind.
func (u *wrongUses) byKind(t reflect.Type) reflect.Value {
	switch t.Kind() {
	case reflect.Slice:
		list := reflect.MakeSlice(t, 0, 3)
		for range u.r.IntN(4) {
			list = reflect.Append(list, u.argument(t.Elem()))
		}
		return list
	case reflect.Func:
		if u.r.IntN(3) == 0 {
			return reflect.Zero(t)
		}
		return reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value {
			out := make([]reflect.Value, t.NumOut())
			for i := range out {
				out[i] = reflect.Zero(t.Out(i))
			}
			return out
		})
	case reflect.Int, reflect.Int64:
		return reflect.ValueOf(pick(u, []int{-1, 0, 1, 3, 1 << (bits.UintSize * 5 / 8)})).Convert(t)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return reflect.ValueOf(pick(u, []uint64{0, 1, 7, 200, math.MaxUint32})).Convert(t)
	case reflect.Bool:
		return reflect.ValueOf(u.r.IntN(2) == 0)
	case reflect.Interface:
		return u.byInterface(t)
	}
	if c, ok := u.component(t); ok {
		return c
	}
	return reflect.Zero(t)
}

// component makes a Component[T]: of this world or the other, or a zero one.
func (u *wrongUses) component(t reflect.Type) (reflect.Value, bool) {
	for _, i := range u.r.Perm(len(u.refs)) {
		if c := u.refs[i]; c != nil && reflect.TypeOf(c) == t {
			return reflect.ValueOf(c), true
		}
	}
	return reflect.Value{}, false
}

func (u *wrongUses) byInterface(t reflect.Type) reflect.Value {
	var v any
	switch t {
	case reflect.TypeFor[ComponentRef]():
		v = pick(u, u.refs)
	case reflect.TypeFor[ComponentOption]():
		v = pick(u, []ComponentOption{nil, Sparse, Named(u.name()), Requires(pick(u, u.refs)), Excludes(pick(u, u.refs)), Default(Position{}), Hooks[Position]{}, u.invariant()})
	case reflect.TypeFor[any]():
		v = pick(u, []any{nil, 1, &settings{}, settings{}, (*settings)(nil)})
	}
	if v == nil {
		return reflect.Zero(t)
	}
	return reflect.ValueOf(v)
}

// useOnce makes one random call.
func (u *wrongUses) useOnce() {
	name, f := u.choose()
	if !f.IsValid() {
		return
	}
	var in []reflect.Value
	for i := range f.Type().NumIn() {
		if name == "Tick.ParallelFor" && i == 0 {
			in = append(in, reflect.ValueOf(u.r.IntN(4))) // a number of jobs is no mistake
			continue
		}
		arg := u.argument(f.Type().In(i))
		if !arg.IsValid() {
			return
		}
		in = append(in, arg)
	}
	locks, otherLocks := u.w.locks, u.other.locks
	u.trace = append(u.trace, name+describe(in))
	u.reached.note(name, u.where)
	out, panicked := u.call(f, in)
	u.judge(name, out, panicked)
	if u.w.locks != locks || u.other.locks != otherLocks {
		u.fail("%s left %d locks, there were %d", name, u.w.locks, locks)
	}
}

// choose picks a method or a function.
func (u *wrongUses) choose() (string, reflect.Value) {
	if u.r.IntN(6) == 0 {
		all := u.genericFunctions()
		names := make([]string, 0, len(all))
		for name := range all {
			names = append(names, name)
		}
		slices.Sort(names)
		name := pick(u, names)
		return name, reflect.ValueOf(all[name])
	}
	v := pick(u, u.receivers())
	if v.NumMethod() == 0 {
		return "", reflect.Value{}
	}
	i := u.r.IntN(v.NumMethod())
	name := typeName(v.Type()) + "." + v.Type().Method(i).Name
	if _, left := notHere[name]; left {
		return name, reflect.Value{}
	}
	return name, v.Method(i)
}

// typeName is the name of a type without pointer and type parameters.
func typeName(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name, _, _ := strings.Cut(t.Name(), "[")
	return name
}

func describe(in []reflect.Value) string {
	parts := make([]string, len(in))
	for i, v := range in {
		if parts[i] = fmt.Sprintf("%.60s", v.Type().String()); v.Kind() <= reflect.Float64 || v.Kind() == reflect.String {
			parts[i] += fmt.Sprintf(" %v", v.Interface())
		} else if v.Kind() == reflect.Pointer || v.Kind() == reflect.Func || v.Kind() == reflect.Interface {
			parts[i] += fmt.Sprintf(" nil:%v", v.IsNil())
		}
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// call makes the call, every other time from another goroutine while this one waits.
func (u *wrongUses) call(f reflect.Value, in []reflect.Value) (out []reflect.Value, panicked any) {
	run := func() {
		defer func() { panicked = recover() }()
		if f.Type().IsVariadic() {
			out = f.CallSlice(in)
		} else {
			out = f.Call(in)
		}
		for _, v := range out {
			u.consume(v)
		}
	}
	if u.r.IntN(2) == 0 {
		run()
		return out, panicked
	}
	done := make(chan bool)
	go func() { defer close(done); run() }()
	<-done
	return out, panicked
}

// consume goes through loops for some steps, and ends what was begun.
func (u *wrongUses) consume(v reflect.Value) {
	if h, ok := v.Interface().(Hold); ok {
		h.Release()
		return
	}
	if q, ok := v.Interface().(*Query); ok && q != nil {
		q.Count()
		return
	}
	if v.Kind() != reflect.Func || v.IsNil() {
		return
	}
	t := v.Type()
	switch {
	case t.NumIn() == 0:
		v.Call(nil)
	case t.NumIn() == 1 && t.In(0).Kind() == reflect.Func:
		n := 0
		yield := reflect.MakeFunc(t.In(0), func([]reflect.Value) []reflect.Value {
			n++
			return []reflect.Value{reflect.ValueOf(n < 3)}
		})
		v.Call([]reflect.Value{yield})
	}
}

var sentinels = []error{ErrIterating, ErrClosed, ErrDead, ErrArenaFull, ErrEntityLimit, ErrUnknown, ErrConflict, ErrRange, ErrCycle, ErrNotOne, ErrStorm}

// documented reports whether an error wraps a sentinel, or is what a function of the test
// has led to when it was nil.
func documented(err error) bool {
	var failed *SystemError
	return errors.As(err, &failed) || slices.ContainsFunc(sentinels, func(s error) bool { return errors.Is(err, s) })
}

// judge demands one of the documented outcomes.
func (u *wrongUses) judge(name string, out []reflect.Value, panicked any) {
	for _, v := range out {
		if err, ok := v.Interface().(error); ok && err != nil && !documented(err) {
			u.fail("%s returned %v", name, err)
		}
	}
	if panicked == nil {
		return
	}
	err, _ := panicked.(error)
	if !slices.ContainsFunc(sentinels, func(s error) bool { return errors.Is(err, s) }) || !strings.HasPrefix(err.Error(), "ecs") {
		u.fail("%s panicked with %v", name, panicked)
		return
	}
	if strings.Contains(err.Error(), "in System.Queries only") {
		return // of loops over queries that are not declared; see System.Parallel
	}
	if doc := u.docs[name]; !strings.Contains(doc, "panic") && !strings.HasPrefix(name, "Query.") && name != "World.Query" {
		u.fail("%s panicked with %v, and its doc does not say so:\n%s", name, panicked, doc)
	}
}

func (u *wrongUses) fail(format string, args ...any) {
	u.t.Helper()
	u.t.Errorf(format+"\nafter %s", append(args, strings.Join(u.trace[max(0, len(u.trace)-5):], "\n      "))...)
}

// around makes a call in one of the places in which a world may be.
func (u *wrongUses) around() {
	w := u.w
	n := u.r.IntN(7)
	u.where = []string{"outside", "outside", "loop", "system", "parallel", "job", "Parallel"}[n]
	switch n {
	case 0, 1:
		u.useOnce()
	case 2:
		u.trace = append(u.trace, "in a loop:")
		for range w.Query().Chunks() {
			if err := w.Close(); !errors.Is(err, ErrIterating) {
				u.fail("a world was closed in a loop: %v", err)
			}
			u.useOnce()
			break
		}
	case 3:
		u.inSystem("in a system:", false, func(*Tick) { u.useOnce() })
	case 4:
		u.inSystem("beside systems:", true, func(*Tick) { u.useOnce() })
	case 5:
		u.inSystem("in a job:", false, func(t *Tick) {
			if err := t.ParallelFor(2, func(i int) {
				if i == 1 {
					u.useOnce()
				}
			}); err != nil && !documented(err) {
				u.fail("%v", err)
			}
		})
	case 6:
		u.inSystem("in Parallel:", false, func(t *Tick) {
			used := false
			_ = t.Parallel(w.Query(), func(*Tick, *Chunk) {
				if !used && w.frozen.on {
					used = true
					u.useOnce()
				}
			})
		})
	}
}

// inSystem runs a system, and no other, for one step.
func (u *wrongUses) inSystem(where string, parallel bool, use func(*Tick)) {
	u.trace = append(u.trace, where)
	s := u.w.Schedule()
	must(u.t, s.Change(s.Names(), []System{{Name: "misuse", Parallel: parallel, Run: func(t *Tick) error {
		u.tick = t
		defer func() { u.tick = nil }()
		use(t)
		return nil
	}}}))
	if err := u.w.Step(0.1); err != nil && !documented(err) {
		u.fail("the step returned %v", err)
	}
	must(u.t, s.Change(s.Names(), nil))
}

// TestWrongUsesHaveDocumentedOutcomes: an error that wraps a sentinel, a panic that the doc
// speaks of, or success; and then the world is whole. With -v it prints which function was
// called in which situation, and it fails for an exported one that was called in none. A seed is replayed by its name:
// go test -run TestWrongUsesHaveDocumentedOutcomes/seed=7.
func TestWrongUsesHaveDocumentedOutcomes(t *testing.T) {
	docs, all := exported(t), reached{}
	defer func() {
		if testing.Verbose() || !strings.Contains(flag.Lookup("test.run").Value.String(), "seed=") {
			all.closed()
			all.print(t, docs)
		}
	}()
	tryZeroValues(t, docs, all)
	for seed := range uint64(40) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			u := newWrongUses(t, seed, docs)
			u.reached = all
			for i := range 400 {
				u.around()
				if i%20 == 0 || t.Failed() {
					if err := errors.Join(u.w.Check(), u.other.Check()); err != nil {
						u.fail("call %d: %v", i, err)
					}
				}
				if t.Failed() {
					return
				}
			}
		})
	}
}

// valueOnly are types whose methods answer of the value alone, and functions that make or name
// something: the other tests of the package call these with all that there is to be given.
const valueOnly = " ComponentID ConflictKind FieldsError Health Invariant Phase Plan PlanError Policy Stats SystemError SystemReport Term Violation Warning " +
	"Constraint Default Excludes Finite Holds Named NewInbox NewRandom NewView NewWorld Open PhaseNamed PhaseNames Range Read Requires SchemaOf SortedBy Stored Transitions Write "

func isValueOnly(name string) bool {
	of, _, _ := strings.Cut(name, ".")
	return strings.Contains(valueOnly, " "+of+" ")
}

// closed counts what TestAClosedWorldTakesNoOrder calls of a closed world.
func (r reached) closed() {
	for name, after := range closedTable {
		if after.kind != elsewhereKind {
			r.note(name, "closed")
		}
	}
}

// zeroReads are methods that know no zero value, as their docs say: the one fast path which looks
// at nothing but the record, and has no room for one more comparison.
const zeroReads = " Component.Peek "

// tryZeroValues calls the methods of values that nothing has made: those whose zero value a program
// has before it registers, and those that it may declare.
func tryZeroValues(t *testing.T, docs map[string]string, all reached) {
	u := newWrongUses(t, 1, docs)
	u.reached, u.where = all, "zero"
	for range 20 {
		for _, v := range []any{Event[Position]{}, Component[Position]{}, Component[Label]{}, &Commands{}, Hold{}, &Tick{}, &Inbox{}, (*Inbox)(nil), &Index[float64]{}, (*Index[float64])(nil), Delta[Position]{}, RawDelta{}, &Worlds{}, &Dates{}, Entity(0), Value{}, &Random{}} {
			of := reflect.ValueOf(v)
			for i := range of.NumMethod() {
				name := typeName(of.Type()) + "." + of.Type().Method(i).Name
				if _, left := notHere[name]; left || strings.Contains(zeroReads, " "+name+" ") {
					continue
				}
				u.tryWith(name, of.Method(i))
			}
		}
	}
}

// tryWith calls a function with random arguments, and judges the outcome.
func (u *wrongUses) tryWith(name string, f reflect.Value) {
	var in []reflect.Value
	for i := range f.Type().NumIn() {
		arg := u.argument(f.Type().In(i))
		if !arg.IsValid() {
			return
		}
		in = append(in, arg)
	}
	u.trace = append(u.trace, name+describe(in))
	u.reached.note(name, u.where)
	out, panicked := u.call(f, in)
	u.judge(name, out, panicked)
}
