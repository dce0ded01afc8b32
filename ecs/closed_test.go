package ecs

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/capture"
)

// exported lists the functions and methods that package ecs exports, with their docs:
// "Register", "World.Add".
func exported(t testing.TB) map[string]string {
	t.Helper()
	files, err := os.ReadDir(".")
	must(t, err)
	all := map[string]string{}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.ParseComments)
		must(t, err)
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() {
				if name, ok := nameOf(fn); ok {
					all[name] = fn.Doc.Text()
				}
			}
		}
	}
	return all
}

// nameOf returns the name of a function or, for a method of an exported type, both names.
func nameOf(fn *ast.FuncDecl) (name string, ok bool) {
	if fn.Recv == nil {
		return fn.Name.Name, true
	}
	of := fn.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	if generic, ok := of.(*ast.IndexExpr); ok {
		of = generic.X
	}
	typ := of.(*ast.Ident).Name
	return typ + "." + fn.Name.Name, ast.IsExported(typ)
}

// shutWorld is a world after Close, with things of it that were made before.
type shutWorld struct {
	*mixedWorld
	e, child     Entity // alive before
	other        *World
	guest        Entity // alive in the other world
	relation     *Relation
	event        Event[Position]
	reader       *Reader
	query, added *Query
	index        *Index[float64]
	view         *View[mixedRow]
	commands     *Commands // with one command of each kind
	preview      *Preview  // of them
	mark         Mark
	prepared     *Migration
	begun        *Migration
	prefab       *Prefab
	tick         *Tick // of a system that has returned
	dates        *Dates
	worlds       *Worlds // that it is one of
	inbox        *Inbox
	delta        Delta[Position] // of a closed world
	hold         Hold
	unhold       func()
}

// mixedRow has components of a mixedWorld as a View shows them.
type mixedRow struct {
	Position *Position
	Burning  *Burning `ecs:"optional"`
	Label    *Label   `ecs:"read,optional"`
}

// runeSchema is a component and an event that are defined at run time.
func runeSchema() Schema { return Schema{Name: "Rune", Fields: []Field{{Name: "n", Kind: F64}}} }

// newShutWorld fills a world with some of everything, and closes it.
func newShutWorld(t *testing.T) *shutWorld {
	t.Helper()
	z := &shutWorld{mixedWorld: newMixedWorld(t), other: open(t, Options{}), worlds: &Worlds{}, dates: &Dates{}}
	w := z.World
	z.guest = z.other.Spawn(Register[Position](z.other).With(Position{}))
	z.e, z.child = z.byMix["pfbl"], z.byMix["p"]
	rune, err := w.define(runeSchema(), false)
	must(t, err)
	_, err = w.defineEvent(runeSchema())
	must(t, err)
	must(t, w.Add(z.byMix["p"], w.valueAt(rune, nil)))
	must(t, w.SetParent(z.child, z.e))
	z.relation, err = w.Relation("Targets", RelationOptions{})
	must(t, err)
	must(t, z.relation.Set(z.child, z.e))
	z.event = RegisterEvent[Position](w)
	z.reader = w.newReader(z.event.ID())
	z.query, z.added = w.Query(Write(z.position)).Changed(z.position), w.Query().Added(z.label)
	z.index, err = w.Raw().Index(z.position.ID(), "x")
	must(t, err)
	if z.index.Count(math.Inf(-1), math.Inf(1)) == 0 {
		t.Fatal("the index is empty")
	}
	z.view = NewView[mixedRow](w)
	Provide(w, &settings{})
	must(t, w.Observe(Observer{Name: "o", On: OnSet | OnRemove, Component: z.position.ID(), Run: func(*Tick, Notice) error { return nil }}))
	must(t, w.Schedule().Add(System{Name: "a", Run: func(tick *Tick) error { z.tick = tick; return nil }}, System{Name: "b", Run: idle}))
	z.inbox, _ = NewInbox(w, 1)
	must(t, w.Step(1))
	Register[Position](w, Tracked)
	z.delta, err = z.position.Since(0)
	must(t, err)
	w.lastSpawn.set(w.empty(), nil)
	z.record(rune)
	z.dates.Look(z.query)
	for c := range z.query.Chunks() {
		z.dates.Column(c, z.position.ID())
	}
	z.dates.Touch(w, z.e, z.burning.ID())
	must(t, w.DespawnLater(z.byMix["b"]))
	*z.position.Edit(z.e) = Position{1, 1} // a notice that waits
	z.begun, z.prepared = w.migrate(), w.migrate()
	w.deliver(&w.schedule.tick)
	must(t, z.begun.Component(runeSchema(), nil))
	must(t, z.prepared.Component(Schema{Name: "Rune", Fields: []Field{{Name: "s", Kind: F32}}}, nil))
	must(t, z.prepared.Event(Schema{Name: "Rune", Fields: []Field{{Name: "s", Kind: F32}}}, nil))
	must(t, z.prepared.Prepare())
	z.worlds.Make = func(string, Options) (*World, error) { return w, nil }
	_, err = z.worlds.Open("it", Options{})
	must(t, err)
	z.unhold = w.guard()
	must(t, w.Close())
	return z
}

// record fills the commands with one of each kind, and some events that nobody has read.
func (z *shutWorld) record(id ComponentID) {
	z.prefab = &Prefab{Values: []Value{z.position.With(Position{})}, Children: []Prefab{{}}}
	c := z.NewCommands()
	z.event.Send(c, Position{3, 4})
	if err := c.Apply(); err != nil || z.reader.Len() != 1 {
		panic(fmt.Sprint("no event waits: ", err))
	}
	z.mark = c.Mark()
	z.event.Send(c, Position{1, 2})
	c.Spawn(z.position.With(Position{}), z.label.With(Label{"x"}))
	c.SpawnPrefab(z.prefab)
	c.Copy(z.e)
	c.Add(z.e, z.label.With(Label{"y"}))
	c.Remove(z.e, z.burning.ID())
	c.Exchange(z.e, []ComponentID{z.position.ID()}, z.frozen.With(Frozen{}))
	c.Patch(z.e, id, 0, []byte{1})
	c.Merge(z.e, z.position.With(Position{}), []Piece{{0, 8, false}})
	c.SetParent(z.child, 0)
	c.Despawn(z.child)
	z.commands, z.preview = c, c.Preview()
}

// afterClose says what a function does with a closed world.
type afterClose struct {
	kind afterKind
	why  string
	call func(*shutWorld) any
}

type afterKind uint8

const (
	refusedKind   afterKind = iota // returns an error that wraps ErrClosed
	nothingKind                    // does nothing, and returns the zero value
	answeredKind                   // answers what does not change by Close: names, numbers, statistics
	panicsKind                     // with an error that wraps ErrClosed; its doc says so
	elsewhereKind                  // has nothing to do with a world
)

func refused(call func(*shutWorld) error) afterClose {
	return afterClose{refusedKind, "", func(z *shutWorld) any { return call(z) }}
}
func nothing(call func(*shutWorld) any) afterClose { return afterClose{nothingKind, "", call} }
func answered(call func(*shutWorld)) afterClose {
	return afterClose{answeredKind, "", func(z *shutWorld) any { call(z); return nil }}
}
func panics(call func(*shutWorld)) afterClose {
	return afterClose{panicsKind, "", func(z *shutWorld) any { call(z); return nil }}
}
func elsewhere(why string) afterClose { return afterClose{elsewhereKind, why, nil} }

// onlyError returns the error of two results; the first must be the zero value.
func countOf[K any](found iter.Seq2[Entity, K]) (n int) {
	for range found {
		n++
	}
	return n
}

func onlyError[T any](v T, err error) error {
	if !reflect.ValueOf(&v).Elem().IsZero() {
		return fmt.Errorf("returned %v beside the error", v)
	}
	return err
}

// applied records with an empty buffer, and applies it.
func applied(record func(*shutWorld, *Commands)) afterClose {
	return refused(func(z *shutWorld) error {
		c := z.NewCommands()
		record(z, c)
		err := c.Apply()
		if c.Len() > 0 || c.Spawned() > 0 {
			return fmt.Errorf("the buffer is not empty after %v", err)
		}
		return err
	})
}

// chained builds a query and counts what it finds.
func chained(build func(*shutWorld, *Query) *Query) afterClose {
	return nothing(func(z *shutWorld) any {
		q, n := build(z, z.Query()), 0
		for c := range q.Chunks() {
			n += c.Len()
		}
		return n + q.Count()
	})
}

const (
	ofValue    = "a value, of no world"
	ofBorrowed = "borrowed: a chunk and a tick end before the world can be closed"
)

// closedTable is every function that package ecs exports.
var closedTable = map[string]afterClose{
	"World.Add":           refused(func(z *shutWorld) error { return z.Add(z.e, z.label.With(Label{})) }),
	"World.AddAll":        refused(func(z *shutWorld) error { return onlyError(z.AddAll(z.query, z.label.With(Label{}))) }),
	"World.Alive":         nothing(func(z *shutWorld) any { return z.Alive(z.e) }),
	"World.Check":         nothing(func(z *shutWorld) any { return z.Check() }),
	"World.Checksum":      answered(func(z *shutWorld) { z.Checksum() }),
	"World.ChildOf":       answered(func(z *shutWorld) { _ = z.ChildOf().Name() }),
	"World.Children":      nothing(func(z *shutWorld) any { return slices.Collect(z.Children(z.e)) }),
	"World.Close":         nothing(func(z *shutWorld) any { return z.Close() }),
	"Raw.Compact":         answered(func(z *shutWorld) { z.Raw().Compact() }),
	"World.Copy":          refused(func(z *shutWorld) error { return onlyError(z.Copy(z.e)) }),
	"World.Despawn":       refused(func(z *shutWorld) error { return z.Despawn(z.e) }),
	"World.DespawnAll":    refused(func(z *shutWorld) error { return onlyError(z.DespawnAll(z.query)) }),
	"World.DespawnLater":  refused(func(z *shutWorld) error { return z.DespawnLater(z.e) }),
	"World.Entities":      nothing(func(z *shutWorld) any { return slices.Collect(z.Entities()) }),
	"World.Exchange":      refused(func(z *shutWorld) error { return z.Exchange(z.e, []ComponentRef{z.position}) }),
	"World.ExchangeAll":   refused(func(z *shutWorld) error { return onlyError(z.ExchangeAll(z.query, nil)) }),
	"World.FlushDespawns": refused(func(z *shutWorld) error { return onlyError(z.FlushDespawns()) }),
	"World.Group":         refused(func(z *shutWorld) error { return z.Group(z.burning, z.burning) }),
	"World.Grow":          refused(func(z *shutWorld) error { return errors.Join(z.Grow(0), z.Grow(-1)) }),
	"World.Instantiate":   refused(func(z *shutWorld) error { return onlyError(z.Instantiate(z.e, 0)) }),
	"World.Len":           nothing(func(z *shutWorld) any { return z.Len() }),
	"World.MarkPrefab":    refused(func(z *shutWorld) error { return z.MarkPrefab(z.e) }),
	"World.NewCommands":   refused(func(z *shutWorld) error { return z.NewCommands().Apply() }),
	"World.Observe": refused(func(z *shutWorld) error {
		return z.Observe(Observer{Name: "p", On: OnSpawn, Run: func(*Tick, Notice) error { return nil }})
	}),
	"World.Parent":         nothing(func(z *shutWorld) any { return z.Parent(z.child) }),
	"World.Query":          chained(func(z *shutWorld, q *Query) *Query { return z.World.Query(Read(z.position)) }),
	"World.Random":         answered(func(z *shutWorld) { z.Random().Uint64() }),
	"World.Raw":            answered(func(z *shutWorld) { z.Raw() }),
	"World.Relation":       refused(func(z *shutWorld) error { return onlyError(z.Relation("Targets", RelationOptions{})) }),
	"World.Remove":         refused(func(z *shutWorld) error { return z.Remove(z.e, z.position.ID()) }),
	"World.RemoveAll":      refused(func(z *shutWorld) error { return onlyError(z.RemoveAll(z.query, z.position.ID())) }),
	"World.Reset":          refused(func(z *shutWorld) error { return z.Reset() }),
	"World.Run":            refused(func(z *shutWorld) error { return z.Run("r", nil) }),
	"World.Schedule":       answered(func(z *shutWorld) { z.Schedule() }),
	"World.SetParent":      refused(func(z *shutWorld) error { return z.SetParent(z.child, 0) }),
	"World.Spawn":          panics(func(z *shutWorld) { z.Spawn() }),
	"World.SpawnMany":      refused(func(z *shutWorld) error { return z.SpawnMany(0, nil) }),
	"World.SpawnPrefab":    refused(func(z *shutWorld) error { return onlyError(z.SpawnPrefab(nil)) }),
	"World.Stats":          answered(func(z *shutWorld) { _ = z.Stats().String() }),
	"World.Step":           refused(func(z *shutWorld) error { return z.Step(-1) }),
	"Schedule.LimitChecks": nothing(func(z *shutWorld) any { z.Schedule().LimitChecks(1); return z.Stats().Unchecked }),
	"Schedule.Violations":  nothing(func(z *shutWorld) any { return z.Schedule().Violations(0) }),
	"World.Time":           answered(func(z *shutWorld) { z.Time() }),
	"World.Transfer": refused(func(z *shutWorld) error {
		_, err := z.other.Transfer(z.guest, z.World)
		return errors.Join(err, onlyError(z.Transfer(z.e, z.other)))
	}),
	"World.TransferTree": refused(func(z *shutWorld) error { return onlyError(z.TransferTree(z.e, z.other)) }),
	"World.TrySpawn":     refused(func(z *shutWorld) error { return onlyError(z.TrySpawn()) }),
	"World.Unobserve":    answered(func(z *shutWorld) { z.Unobserve("o") }),

	"Component.Edit": nothing(func(z *shutWorld) any { return [2]bool{z.position.Edit(z.e) != nil, z.burning.Edit(z.e) != nil} }),
	"Component.Get": nothing(func(z *shutWorld) any {
		v, ok := z.position.Get(z.e)
		l, has := z.label.Get(z.e)
		return struct {
			p       Position
			l       Label
			ok, has bool
		}{v, l, ok, has}
	}),
	"Component.Has":    nothing(func(z *shutWorld) any { return z.position.Has(z.e) || z.burning.Has(z.e) || z.label.Has(z.e) }),
	"Component.ID":     answered(func(z *shutWorld) { z.position.ID() }),
	"Component.Mut":    elsewhere(ofBorrowed),
	"Component.Of":     elsewhere(ofBorrowed),
	"Component.Peek":   nothing(func(z *shutWorld) any { return z.position.Peek(z.e) }),
	"Component.Remove": refused(func(z *shutWorld) error { return z.burning.Remove(z.e) }),
	"Component.Set": refused(func(z *shutWorld) error {
		return errors.Join(z.position.Set(z.e, Position{}), z.label.Set(z.e, Label{}))
	}),
	"Component.Reserve": refused(func(z *shutWorld) error { return errors.Join(z.position.Reserve(1), z.label.Reserve(1)) }),
	"Component.Since":   refused(func(z *shutWorld) error { return onlyError(z.position.Since(0)) }),
	"Delta.Changed": answered(func(z *shutWorld) {
		for range z.delta.Changed() {
			panic("shows a row")
		}
	}),
	"RawDelta.Bytes": answered(func(z *shutWorld) {
		for range z.delta.Bytes() {
			panic("shows a row")
		}
	}),
	"RawDelta.Removed": nothing(func(z *shutWorld) any { return z.delta.Removed() }),
	"Component.Sort": refused(func(z *shutWorld) error {
		return errors.Join(z.burning.Sort(func(a, b *Burning) int { return 0 }), z.burning.Sort(nil))
	}),
	"Component.With": refused(func(z *shutWorld) error {
		return z.Add(z.e, z.position.With(Position{}), z.label.With(Label{}), z.burning.With(Burning{}))
	}),

	"Commands.Add":          applied(func(z *shutWorld, c *Commands) { c.Add(z.e, z.label.With(Label{})) }),
	"Commands.Apply":        refused(func(z *shutWorld) error { return z.commands.Apply() }),
	"Commands.Assign":       applied(func(z *shutWorld, c *Commands) { c.Assign(z.e, z.position.With(Position{}), []Piece{{0, 8, false}}) }),
	"Commands.Blend":        applied(func(z *shutWorld, c *Commands) { c.Blend(z.e, z.position.ID(), []byte{1}, []byte{1}) }),
	"Commands.Bytes":        answered(func(z *shutWorld) { z.commands.Bytes() }),
	"Commands.Copy":         applied(func(z *shutWorld, c *Commands) { c.Copy(z.e) }),
	"Commands.Changes":      answered(func(z *shutWorld) { z.commands.Changes() }),
	"Commands.CountDespawn": nothing(func(z *shutWorld) any { return z.NewCommands().CountDespawn(z.e, 9) }),
	"Commands.CountMove":    answered(func(z *shutWorld) { z.commands.CountMove(z.e, z.position.ID()) }),
	"Commands.MostMoved":    answered(func(z *shutWorld) { z.commands.MostMoved() }),
	"Commands.Despawn":      applied(func(z *shutWorld, c *Commands) { c.Despawn(z.e) }),
	"Commands.DespawnLater": applied(func(z *shutWorld, c *Commands) { c.DespawnLater(z.e) }),
	"Commands.Do":           applied(func(z *shutWorld, c *Commands) { c.Do(func(*World) error { panic("is called") }) }),
	"Commands.Drop": answered(func(z *shutWorld) {
		if z.commands.Drop(); z.commands.Len() > 0 {
			panic("not dropped")
		}
	}),
	"Commands.Exchange": applied(func(z *shutWorld, c *Commands) { c.Exchange(z.e, nil, z.label.With(Label{})) }),
	"Commands.FewSets":  answered(func(z *shutWorld) { z.commands.FewSets(3, nil) }),
	"Commands.Len":      answered(func(z *shutWorld) { z.commands.Len() }),
	"Commands.Mark":     answered(func(z *shutWorld) { z.commands.Mark() }),
	"Commands.Merge":    applied(func(z *shutWorld, c *Commands) { c.Merge(z.e, z.label.With(Label{}), []Piece{{0, 0, true}}) }),
	"Commands.NewSets":  answered(func(z *shutWorld) { z.commands.NewSets(3) }),
	"Commands.Patch":    applied(func(z *shutWorld, c *Commands) { c.Patch(z.e, z.position.ID(), 0, []byte{1}) }),
	"Commands.Preview": answered(func(z *shutWorld) {
		c := z.NewCommands()
		c.Add(z.e, z.position.With(Position{}))
		c.Copy(z.e)
		c.Preview()
	}),
	"Commands.Relate":      applied(func(z *shutWorld, c *Commands) { c.Relate(z.relation, z.child, z.e) }),
	"Commands.Remove":      applied(func(z *shutWorld, c *Commands) { c.Remove(z.e, z.position.ID()) }),
	"Commands.Rewind":      answered(func(z *shutWorld) { z.commands.Rewind(z.mark) }),
	"Commands.Send":        applied(func(z *shutWorld, c *Commands) { c.Send(z.event.ID(), nil) }),
	"Commands.SetParent":   applied(func(z *shutWorld, c *Commands) { c.SetParent(z.child, z.e) }),
	"Commands.Spawn":       applied(func(z *shutWorld, c *Commands) { c.Spawn(z.position.With(Position{})) }),
	"Commands.SpawnPrefab": applied(func(z *shutWorld, c *Commands) { c.SpawnPrefab(z.prefab) }),
	"Commands.Spawned":     answered(func(z *shutWorld) { z.commands.Spawned() }),

	"Preview.Alive":     nothing(func(z *shutWorld) any { return z.NewCommands().Preview().Alive(z.e) }),
	"Preview.At":        answered(func(z *shutWorld) { z.preview.At(0) }),
	"Preview.Children":  nothing(func(z *shutWorld) any { return slices.Collect(z.preview.Children(z.child)) }),
	"Preview.Concerned": answered(func(z *shutWorld) { _ = slices.Collect(z.preview.Concerned()) }),
	"Preview.Concerns":  answered(func(z *shutWorld) { z.preview.Concerns(z.e) }),
	"Preview.Count":     nothing(func(z *shutWorld) any { return z.NewCommands().Preview().Count(z.relation, z.e) }),
	"Preview.Epoch":     answered(func(z *shutWorld) { z.preview.Epoch() }),
	"Preview.Has":       nothing(func(z *shutWorld) any { return z.NewCommands().Preview().Has(z.e, z.position.ID()) }),
	"Preview.Len":       answered(func(z *shutWorld) { z.preview.Len() }),
	"Preview.Own": nothing(func(z *shutWorld) any {
		p, ok := z.NewCommands().Preview().Own(z.e, z.position.ID())
		return p != nil || ok
	}),
	"Preview.Parent":  nothing(func(z *shutWorld) any { return z.NewCommands().Preview().Parent(z.child) }),
	"Preview.Pointer": nothing(func(z *shutWorld) any { return z.NewCommands().Preview().Pointer(z.e, z.position.ID()) }),
	"Preview.Sources": nothing(func(z *shutWorld) any { return slices.Collect(z.preview.Sources(z.relation, z.child)) }),
	"Preview.Target":  nothing(func(z *shutWorld) any { return z.NewCommands().Preview().Target(z.relation, z.child) }),

	"Query.Added":      chained(func(z *shutWorld, q *Query) *Query { return q.Added(z.position, z.burning) }),
	"Query.Any":        chained(func(z *shutWorld, q *Query) *Query { return q.Any(z.position, z.burning) }),
	"Query.Changed":    chained(func(z *shutWorld, q *Query) *Query { return q.Changed(z.position, z.burning) }),
	"Query.ChildrenOf": chained(func(z *shutWorld, q *Query) *Query { return q.ChildrenOf(z.e) }),
	"Query.Chunks":     chained(func(z *shutWorld, q *Query) *Query { return z.query }),
	"Query.Close":      answered(func(z *shutWorld) { z.added.Close() }),
	"Query.Count":      nothing(func(z *shutWorld) any { return z.query.Count() + z.added.Count() }),
	"Query.Empty": answered(func(z *shutWorld) {
		if !z.query.Empty() {
			panic("not empty")
		}
	}),
	"Query.Exact": chained(func(z *shutWorld, q *Query) *Query { return q.With(z.burning).Exact() }),
	"Query.Find": nothing(func(z *shutWorld) any {
		c, row := z.query.Find(z.e)
		return c != nil || row != 0
	}),
	"Query.First":     nothing(func(z *shutWorld) any { return z.query.First() + z.added.First() }),
	"Query.Matches":   nothing(func(z *shutWorld) any { return z.query.Matches(z.e) || z.added.Matches(z.e) }),
	"Query.Optional":  chained(func(z *shutWorld, q *Query) *Query { return q.Optional(Read(z.label)) }),
	"Query.Prefabs":   chained(func(z *shutWorld, q *Query) *Query { return q.Prefabs() }),
	"Query.Single":    refused(func(z *shutWorld) error { return onlyError(z.query.Single()) }),
	"Query.Sources":   chained(func(z *shutWorld, q *Query) *Query { return q.Sources(z.relation) }),
	"Query.SourcesOf": chained(func(z *shutWorld, q *Query) *Query { return q.SourcesOf(z.relation, z.e) }),
	"Query.Targets":   chained(func(z *shutWorld, q *Query) *Query { return q.Targets(z.relation) }),
	"Query.Terms":     answered(func(z *shutWorld) { z.query.Terms() }),
	"Query.Tested":    answered(func(z *shutWorld) { z.query.Tested() }),
	"Query.With":      chained(func(z *shutWorld, q *Query) *Query { return q.With(z.position, z.label) }),
	"Query.Without":   chained(func(z *shutWorld, q *Query) *Query { return q.Without(z.position, z.label) }),
	"Where":           chained(func(z *shutWorld, q *Query) *Query { return Where(q, z.position, func(*Position) bool { return true }) }),
	"Rows": nothing(func(z *shutWorld) any {
		n := 0
		for range Rows(z.query, z.position) {
			n++
		}
		return n
	}),
	"Rows2": nothing(func(z *shutWorld) any {
		n := 0
		for range Rows2(z.query, z.position, z.label) {
			n++
		}
		return n
	}),
	"NewView":    panics(func(z *shutWorld) { NewView[mixedRow](z.World) }),
	"View.Query": answered(func(z *shutWorld) { z.view.Query() }),
	"View.Rows": nothing(func(z *shutWorld) any {
		n := 0
		for range z.view.Rows() {
			n++
		}
		return n
	}),
	"View.Get": nothing(func(z *shutWorld) any {
		_, ok := z.view.Get(z.e)
		return ok
	}),
	"View.Each": answered(func(z *shutWorld) { z.view.Each(System{Name: "each"}, nil) }),
	"View.In":   elsewhere(ofBorrowed),
	"View.Holds": refused(func(z *shutWorld) error {
		return onlyError(z.view.Holds("h", "holds", func(mixedRow) bool { return true }))
	}),
	"SortedBy": nothing(func(z *shutWorld) any {
		n := 0
		for range SortedBy(z.query, z.position, func(*Position) int { return 0 }) {
			n++
		}
		return n
	}),
	"Sorted": nothing(func(z *shutWorld) any {
		n := 0
		for range Sorted(z.query, z.position, func(a, b *Position) int { return 0 }) {
			n++
		}
		return n
	}),

	"Relation.BreadthFirst": answered(func(z *shutWorld) {
		for e := range z.relation.BreadthFirst(z.e) {
			if e != z.e {
				panic("walks on")
			}
		}
	}),
	"Relation.Count": nothing(func(z *shutWorld) any { return z.relation.Count(z.e) }),
	"Relation.DepthFirst": answered(func(z *shutWorld) {
		for e := range z.relation.DepthFirst(z.e) {
			if e != z.e {
				panic("walks on")
			}
		}
	}),
	"Relation.ID":      answered(func(z *shutWorld) { z.relation.ID() }),
	"Relation.Len":     nothing(func(z *shutWorld) any { return z.relation.Len() }),
	"Relation.Name":    answered(func(z *shutWorld) { z.relation.Name() }),
	"Relation.Options": answered(func(z *shutWorld) { z.relation.Options() }),
	"Relation.PostOrder": answered(func(z *shutWorld) {
		for e := range z.relation.PostOrder(z.e) {
			if e != z.e {
				panic("walks on")
			}
		}
	}),
	"Relation.Set":          refused(func(z *shutWorld) error { return z.relation.Set(z.child, z.e) }),
	"Relation.SetAfter":     refused(func(z *shutWorld) error { return z.relation.SetAfter(z.e, z.child) }),
	"Relation.SetAt":        refused(func(z *shutWorld) error { return z.relation.SetAt(z.child, z.e, 7) }),
	"Relation.SetBefore":    refused(func(z *shutWorld) error { return z.relation.SetBefore(z.e, z.child) }),
	"Relation.SetPolicy":    refused(func(z *shutWorld) error { return z.relation.SetPolicy(Cascade) }),
	"Relation.SourcesAfter": nothing(func(z *shutWorld) any { return slices.Collect(z.relation.SourcesAfter(z.child)) }),
	"Relation.Sources":      nothing(func(z *shutWorld) any { return slices.Collect(z.relation.Sources(z.e)) }),
	"Relation.Ancestors":    nothing(func(z *shutWorld) any { return slices.Collect(z.relation.Ancestors(z.child)) }),
	"Relation.Depth":        nothing(func(z *shutWorld) any { return z.relation.Depth(z.child) }),
	"Relation.IsAncestor":   nothing(func(z *shutWorld) any { return z.relation.IsAncestor(z.e, z.child) }),
	"Relation.Target":       nothing(func(z *shutWorld) any { return z.relation.Target(z.child) }),

	"Schedule.Add":         refused(func(z *shutWorld) error { return z.Schedule().Add() }),
	"Schedule.Failures":    answered(func(z *shutWorld) { z.Schedule().Failures("a") }),
	"Schedule.Change":      refused(func(z *shutWorld) error { return z.Schedule().Change([]string{"a"}, nil) }),
	"Schedule.Check":       refused(func(z *shutWorld) error { return z.Schedule().Check(nil, nil) }),
	"Schedule.Enable":      nothing(func(z *shutWorld) any { return z.Schedule().Enable("a", false) }),
	"Schedule.Only":        nothing(func(z *shutWorld) any { return z.Schedule().Only("a") }),
	"Schedule.Conflicts":   answered(func(z *shutWorld) { z.Schedule().Conflicts("a") }),
	"Schedule.Explain":     answered(func(z *shutWorld) { z.Schedule().Explain("a", "b") }),
	"Schedule.Health":      answered(func(z *shutWorld) { z.Schedule().Health("a") }),
	"Schedule.Len":         answered(func(z *shutWorld) { z.Schedule().Len() }),
	"Schedule.Names":       answered(func(z *shutWorld) { z.Schedule().Names() }),
	"Schedule.Plan":        answered(func(z *shutWorld) { _ = z.Schedule().Plan().String() }),
	"Schedule.AfterSystem": refused(func(z *shutWorld) error { return onlyError(z.Schedule().AfterSystem(func(string) {})) }),
	"Schedule.OnTick":      refused(func(z *shutWorld) error { return onlyError(z.Schedule().OnTick(func(*TickReport) {})) }),
	"Schedule.OnViolation": refused(func(z *shutWorld) error { return onlyError(z.Schedule().OnViolation(func(*Violation) {})) }),
	"Schedule.StepContext": refused(func(z *shutWorld) error { return z.Schedule().StepContext(context.Background(), 1) }),
	"Schedule.Switched": answered(func(z *shutWorld) {
		for range z.Schedule().Switched() {
		}
	}),
	"Schedule.Stats": answered(func(z *shutWorld) { z.Schedule().Stats(nil) }),

	"Event.ID": answered(func(z *shutWorld) { z.event.ID() }),
	"Event.Read": nothing(func(z *shutWorld) any {
		n := 0
		for range z.event.Read(z.reader) {
			n++
		}
		return n
	}),
	"Event.Emit":   refused(func(z *shutWorld) error { return z.event.Emit(Position{}) }),
	"Event.Reader": answered(func(z *shutWorld) { z.event.Reader("r") }),
	"Event.Each":   answered(func(z *shutWorld) { z.event.Each(System{Name: "e"}, nil) }),
	"Event.Retain": refused(func(z *shutWorld) error { return z.event.Retain(Retention{Ticks: 1}) }),
	"Event.Subscribe": refused(func(z *shutWorld) error {
		return z.event.Subscribe("s", func(*World, Position) error { return nil })
	}),
	"Event.Unsubscribe": answered(func(z *shutWorld) { z.event.Unsubscribe("s") }),
	"Event.Clear":       refused(func(z *shutWorld) error { return onlyError(z.event.Clear()) }),
	"Component.Observe": refused(func(z *shutWorld) error {
		return z.position.Observe("x", OnAdd, func(*Tick, Entity, *Position) error { return nil })
	}),
	"Event.Send": applied(func(z *shutWorld, c *Commands) { z.event.Send(c, Position{}) }),
	"Reader.Close": answered(func(z *shutWorld) {
		z.reader.Close()
		z.reader.Close()
	}),
	"Reader.Events": nothing(func(z *shutWorld) any {
		n := 0
		for range z.reader.Events() {
			n++
		}
		return n
	}),
	"Reader.Len":      nothing(func(z *shutWorld) any { return z.reader.Len() }),
	"Reader.Lost":     answered(func(z *shutWorld) { z.reader.Lost() }),
	"Reader.Named":    answered(func(z *shutWorld) { z.reader.Named("r") }),
	"Reader.Position": answered(func(z *shutWorld) { z.reader.Position() }),
	"Reader.Rewind":   nothing(func(z *shutWorld) any { z.reader.Rewind(0); return z.reader.Len() }),
	"Reader.RewindTick": nothing(func(z *shutWorld) any {
		z.reader.RewindTick()
		return z.reader.Len()
	}),

	"Migration.Commit":    answered(func(z *shutWorld) { z.prepared.Commit() }),
	"Migration.Component": refused(func(z *shutWorld) error { return z.begun.Component(runeSchema(), nil) }),
	"Migration.Drop":      answered(func(z *shutWorld) { z.prepared.Drop() }),
	"Migration.Event":     refused(func(z *shutWorld) error { return z.begun.Event(runeSchema(), nil) }),
	"Migration.Prepare":   refused(func(z *shutWorld) error { return z.begun.Prepare() }),
	"Migration.Rename":    refused(func(z *shutWorld) error { return z.begun.Rename("Rune", "Glyph") }),

	"Raw.At":             nothing(func(z *shutWorld) any { return z.Raw().At(z.e.Index()) }),
	"Raw.ComponentCount": answered(func(z *shutWorld) { z.Raw().ComponentCount() }),
	"Raw.ComponentNamed": answered(func(z *shutWorld) { z.Raw().ComponentNamed("Position") }),
	"Raw.Components":     nothing(func(z *shutWorld) any { return z.Raw().Components(z.e, nil) }),
	"Raw.Define":         refused(func(z *shutWorld) error { return onlyError(z.Raw().Define(runeSchema(), false)) }),
	"Raw.DefineEvent":    refused(func(z *shutWorld) error { return onlyError(z.Raw().DefineEvent(runeSchema())) }),
	"Raw.Turn":           answered(func(z *shutWorld) { z.Raw().Turn() }),
	"Raw.Spent":          answered(func(z *shutWorld) { z.Raw().Spent() }),
	"Raw.TextBytes":      nothing(func(z *shutWorld) any { return z.Raw().TextBytes() }),
	"Raw.EventBytes":     nothing(func(z *shutWorld) any { return z.Raw().EventBytes() }),
	"Raw.EventStats":     answered(func(z *shutWorld) { z.Raw().EventStats(z.event.ID()) }),
	"Raw.Dropped":        nothing(func(z *shutWorld) any { return z.Raw().Dropped() }),
	"Raw.Edit":           nothing(func(z *shutWorld) any { return z.Raw().Edit(z.e, z.position.ID()) }),
	"Raw.EventNamed":     answered(func(z *shutWorld) { z.Raw().EventNamed("Position") }),
	"Raw.EventNames":     answered(func(z *shutWorld) { z.Raw().EventNames() }),
	"Raw.EventSchema":    answered(func(z *shutWorld) { z.Raw().EventSchema(0) }),
	"Raw.EventType":      answered(func(z *shutWorld) { z.Raw().EventType(0) }),
	"Raw.GoType":         answered(func(z *shutWorld) { z.Raw().GoType(1) }),
	"Raw.Guard":          answered(func(z *shutWorld) { z.Raw().Guard()(); z.unhold() }),
	"Raw.Has":            nothing(func(z *shutWorld) any { return z.Raw().Has(z.e, z.position.ID()) }),
	"Raw.Claim":          refused(func(z *shutWorld) error { return z.Raw().Claim() }),
	"Raw.Release":        answered(func(z *shutWorld) { z.Raw().Release() }),
	"Raw.OnChange":       refused(func(z *shutWorld) error { return onlyError(z.Raw().OnChange(func(*RawChange) {})) }),
	"Raw.CallersFrom":    answered(func(z *shutWorld) { z.Raw().CallersFrom(nil) }),
	"Raw.OnBegin":        answered(func(z *shutWorld) { z.Raw().OnBegin(func() {}) }),
	"Raw.BeginClaimed":   answered(func(z *shutWorld) { z.Raw().BeginClaimed() }),
	"Raw.StepClaimed":    refused(func(z *shutWorld) error { return z.Raw().StepClaimed(context.Background(), 1) }),
	"Raw.RunClaimed":     refused(func(z *shutWorld) error { return z.Raw().RunClaimed("r", nil) }),
	"Raw.Hold":           answered(func(z *shutWorld) { z.Raw().Hold().Release() }),
	"NewInbox":           refused(func(z *shutWorld) error { return onlyError(NewInbox(z.World, 1)) }),
	"Inbox.Post":         refused(func(z *shutWorld) error { return z.inbox.Post(0, func(*Tick) error { return nil }) }),
	"Inbox.Len":          nothing(func(z *shutWorld) any { return z.inbox.Len() }),
	"Inbox.Close":        answered(func(z *shutWorld) { z.inbox.Close() }),
	"Hold.Release":       answered(func(z *shutWorld) { z.hold.Release() }),
	"Raw.SetInvariants":  refused(func(z *shutWorld) error { return z.Raw().SetInvariants("o", nil) }),
	"Raw.Index":          refused(func(z *shutWorld) error { return onlyError(z.Raw().Index(z.position.ID(), "x")) }),
	"NewIndex": refused(func(z *shutWorld) error {
		return onlyError(NewIndex(z.position, func(p *Position) float64 { return p.X }))
	}),
	"Index.Above":      nothing(func(z *shutWorld) any { return countOf(z.index.Above(-1)) }),
	"Index.Below":      nothing(func(z *shutWorld) any { return countOf(z.index.Below(1)) }),
	"Index.Count":      nothing(func(z *shutWorld) any { return z.index.Count(-1, 1) }),
	"Index.Err":        answered(func(z *shutWorld) { _ = z.index.Err() }),
	"Index.Range":      nothing(func(z *shutWorld) any { return countOf(z.index.Range(-1, 1)) }),
	"Raw.IsPrefab":     nothing(func(z *shutWorld) any { return z.Raw().IsPrefab(z.e) }),
	"Raw.Losses":       nothing(func(z *shutWorld) any { return z.Raw().Losses() }),
	"Raw.Memory":       nothing(func(z *shutWorld) any { return z.Raw().Memory() }),
	"Raw.MemoryMap":    answered(func(z *shutWorld) { z.Raw().MemoryMap() }),
	"Raw.Migrate":      refused(func(z *shutWorld) error { return z.Raw().Migrate().Prepare() }),
	"Raw.Reported":     answered(func(z *shutWorld) { z.Raw().Reported() }),
	"Raw.Restores":     answered(func(z *shutWorld) { z.Raw().Restores() }),
	"Raw.OnHeap":       answered(func(z *shutWorld) { z.Raw().OnHeap(1) }),
	"Raw.Pointer":      nothing(func(z *shutWorld) any { return z.Raw().Pointer(z.e, z.position.ID()) }),
	"Raw.Pooled":       answered(func(z *shutWorld) { z.Raw().Pooled(1) }),
	"Raw.ProvideNamed": refused(func(z *shutWorld) error { return z.Raw().ProvideNamed("s", &settings{}) }),
	"Raw.Ready":        refused(func(z *shutWorld) error { return z.Raw().Ready() }),
	"Raw.Reader":       nothing(func(z *shutWorld) any { return z.Raw().Reader(z.event.ID()).Len() }),
	"Raw.Capture": refused(func(z *shutWorld) error {
		copying := func(reflect.Type) (capture.Cloning, error) { return capture.Cloning{}, nil }
		return onlyError(z.Raw().Capture(&capture.Blocks{}, copying, nil, nil))
	}),
	"Raw.Compose":       refused(func(z *shutWorld) error { return onlyError(z.Raw().Compose(&capture.Content{})) }),
	"Raw.Declared":      answered(func(z *shutWorld) { z.Raw().Declared() }),
	"Raw.Restore":       refused(func(z *shutWorld) error { return z.Raw().Restore(&image{pages: make([]*capture.Block, 1)}) }),
	"Raw.Retain":        refused(func(z *shutWorld) error { return z.Raw().Retain(z.event.ID(), Retention{}) }),
	"Raw.Subscribe":     refused(func(z *shutWorld) error { return z.Raw().Subscribe(z.event.ID(), "s", nil) }),
	"Raw.Unsubscribe":   answered(func(z *shutWorld) { z.Raw().Unsubscribe(z.event.ID(), "s") }),
	"Raw.RelationNamed": answered(func(z *shutWorld) { z.Raw().RelationNamed("Targets") }),
	"Raw.Relations":     answered(func(z *shutWorld) { _ = slices.Collect(z.Raw().Relations()) }),
	"Raw.Reserve":       refused(func(z *shutWorld) error { return onlyError(z.Raw().Reserve()) }),
	"Raw.ResourceNamed": answered(func(z *shutWorld) { z.Raw().ResourceNamed("settings") }),
	"Raw.ResourceNames": answered(func(z *shutWorld) { z.Raw().ResourceNames() }),
	"Raw.Room":          nothing(func(z *shutWorld) any { return z.Raw().Room() }),
	"Raw.Together":      answered(func(z *shutWorld) { _ = z.Raw().Together(z.Raw().ValueAt(1, nil), Value{}) }),
	"Raw.Default":       answered(func(z *shutWorld) { z.Raw().Default(1) }),
	"Raw.Ruled":         answered(func(z *shutWorld) { z.Raw().Ruled(1) }),
	"Raw.Schema":        answered(func(z *shutWorld) { z.Raw().Schema(1) }),
	"Raw.Seed":          answered(func(z *shutWorld) { z.Raw().Seed() }),
	"Raw.RowsWith":      answered(func(z *shutWorld) { z.Raw().RowsWith(z.position.ID(), 60000) }),
	"Raw.ObserverCount": answered(func(z *shutWorld) { z.Raw().ObserverCount(z.position.ID(), OnAdd) }),
	"Raw.Sets":          answered(func(z *shutWorld) { z.Raw().Sets() }),
	"Raw.ChangesAsked":  answered(func(z *shutWorld) { z.Raw().ChangesAsked(z.position.ID()) }),
	"Raw.Slots":         nothing(func(z *shutWorld) any { return z.Raw().Slots() }),
	"Raw.Tag":           answered(func(z *shutWorld) { z.Raw().Tag() }),
	"Raw.Touch":         answered(func(z *shutWorld) { z.Raw().Touch(z.e, z.position.ID()) }),
	"Raw.Since":         refused(func(z *shutWorld) error { return onlyError(z.Raw().Since(z.position.ID(), 0)) }),
	"Raw.ValueAt": refused(func(z *shutWorld) error {
		p := Position{1, 2}
		return z.Add(z.e, z.Raw().ValueAt(z.position.ID(), nil), z.Raw().ValueAt(z.position.ID(), unsafe.Pointer(&p)))
	}),
	"Raw.Version": answered(func(z *shutWorld) { z.Raw().Version() }),
	"Raw.Workers": answered(func(z *shutWorld) { z.Raw().Workers() }),

	"Dates.Column":      elsewhere(ofBorrowed),
	"Dates.Forget":      answered(func(z *shutWorld) { z.dates.Forget() }),
	"Dates.Look":        answered(func(z *shutWorld) { z.dates.Look(z.query) }),
	"Dates.Mark":        answered(func(z *shutWorld) { z.dates.Mark() }),
	"Dates.Rewind":      answered(func(z *shutWorld) { z.dates.Rewind() }),
	"Dates.RewindLooks": answered(func(z *shutWorld) { z.dates.RewindLooks(0) }),
	"Dates.Seal":        answered(func(z *shutWorld) { z.dates.Seal(z.World) }),
	"Dates.Touch":       answered(func(z *shutWorld) { z.dates.Touch(z.World, z.e, z.position.ID()) }),

	"Tick.Parallel": refused(func(z *shutWorld) error {
		return z.tick.Parallel(z.query, func(*Tick, *Chunk) { panic("is called") })
	}),
	"Tick.ParallelFor": refused(func(z *shutWorld) error { return z.tick.ParallelFor(3, func(int) { panic("is called") }) }),
	"Tick.Idle":        answered(func(z *shutWorld) { z.tick.Idle() }),
	"Tick.Err":         refused(func(z *shutWorld) error { return z.tick.Err() }),
	"Tick.Pass":        answered(func(z *shutWorld) { z.tick.Pass() }),
	"Tick.Random":      answered(func(z *shutWorld) { z.tick.Random().Uint64() }),

	"Register": panics(func(z *shutWorld) { Register[Velocity](z.World) }),
	"TryRegister": refused(func(z *shutWorld) error {
		_, err := TryRegister[Velocity](z.World)
		return err
	}),
	"FieldsError.Error": elsewhere(ofValue), "FieldsError.Unwrap": elsewhere(ofValue),
	"RegisterEvent": panics(func(z *shutWorld) { RegisterEvent[Velocity](z.World) }),
	"Provide":       panics(func(z *shutWorld) { Provide(z.World, &settings{}) }),
	"Resource":      answered(func(z *shutWorld) { Resource[settings](z.World) }),

	"Worlds.All": answered(func(z *shutWorld) {
		for range z.worlds.All() {
		}
	}),
	"Worlds.Close":    nothing(func(z *shutWorld) any { return z.worlds.Close("it") }),
	"Worlds.CloseAll": nothing(func(z *shutWorld) any { return z.worlds.CloseAll() }),
	"Worlds.Issuer":   answered(func(z *shutWorld) { z.worlds.Issuer(z.e) }),
	"Worlds.Len":      answered(func(z *shutWorld) { z.worlds.Len() }),
	"Worlds.Named":    answered(func(z *shutWorld) { z.worlds.Named("it") }),
	"Worlds.Numbered": answered(func(z *shutWorld) { z.worlds.Numbered(1) }),
	"Worlds.Open":     refused(func(z *shutWorld) error { return onlyError(z.worlds.Open("again", Options{})) }),

	"Chunk.Column": elsewhere(ofBorrowed), "Chunk.Entities": elsewhere(ofBorrowed), "Chunk.Len": elsewhere(ofBorrowed), "Chunk.Version": elsewhere(ofBorrowed),
	"ComponentID.ID": elsewhere(ofValue), "ContextError": elsewhere(ofValue), "Default": elsewhere(ofValue), "Excludes": elsewhere(ofValue), "Named": elsewhere(ofValue),
	"Requires": elsewhere(ofValue), "Stored": elsewhere(ofValue), "Read": elsewhere(ofValue), "Write": elsewhere(ofValue),
	"Entity.Generation": elsewhere(ofValue), "Entity.Index": elsewhere(ofValue), "Entity.String": elsewhere(ofValue), "Entity.Tag": elsewhere(ofValue),
	"Health.String": elsewhere(ofValue), "NewRandom": elsewhere(ofValue), "NewWorld": elsewhere("makes a world"), "Open": elsewhere("makes a world"),
	"Phase.String": elsewhere(ofValue), "PhaseNamed": elsewhere(ofValue), "PhaseNames": elsewhere(ofValue), "Plan.String": elsewhere(ofValue),
	"PlanError.Error": elsewhere(ofValue), "PlanError.Unwrap": elsewhere(ofValue), "Policy.String": elsewhere(ofValue), "ConflictKind.String": elsewhere(ofValue),
	"Random.Float64": elsewhere(ofValue), "Random.Rand": elsewhere(ofValue), "Random.Seed": elsewhere(ofValue), "Random.State": elsewhere(ofValue), "Random.Uint64": elsewhere(ofValue),
	"SchemaOf": elsewhere(ofValue), "Stats.Largest": elsewhere(ofValue), "Stats.String": elsewhere(ofValue), "Stats.Warnings": elsewhere(ofValue), "SystemReport.Total": elsewhere(ofValue),
	"SystemError.Error": elsewhere(ofValue), "SystemError.Unwrap": elsewhere(ofValue), "Term.ID": elsewhere(ofValue), "Term.Writes": elsewhere(ofValue),
	"Invariant.Fits": elsewhere(ofValue), "Invariant.Followed": elsewhere(ofValue), "Invariant.Named": elsewhere(ofValue), "Invariant.Text": elsewhere(ofValue),
	"Constraint": elsewhere(ofValue), "Finite": elsewhere(ofValue), "Holds": elsewhere(ofValue), "Range": elsewhere(ofValue), "Transitions": elsewhere(ofValue),
	"Violation.Error": elsewhere(ofValue), "Violation.Unwrap": elsewhere(ofValue),
	"Value.ID": elsewhere(ofValue), "Warning.String": elsewhere(ofValue),
}

// TestAClosedWorldTakesNoOrder: whatever is exported is called after Close. What has an
// error returns one that wraps ErrClosed; what has none does nothing, or panics where
// its doc says so. A new function that is not in the table fails.
func TestAClosedWorldTakesNoOrder(t *testing.T) {
	docs := exported(t)
	for name := range closedTable {
		if _, ok := docs[name]; !ok {
			t.Errorf("%s is not exported any more", name)
		}
	}
	for name, doc := range docs {
		c, ok := closedTable[name]
		if !ok {
			t.Errorf("%s is not in the table: say what it does after Close", name)
			continue
		}
		if c.kind == elsewhereKind {
			continue
		}
		t.Run(name, func(t *testing.T) {
			z := newShutWorld(t)
			got, panicked := calledAfterClose(c, z)
			if err := c.judge(got, panicked, doc); err != nil {
				t.Error(err)
			}
			must(t, z.Check())
			if z.Len() != 0 || z.reader.Len() != 0 {
				t.Errorf("%d entities and %d events in a closed world", z.Len(), z.reader.Len())
			}
			must(t, z.other.Check())
		})
	}
}

func calledAfterClose(c afterClose, z *shutWorld) (got, panicked any) {
	defer func() { panicked = recover() }()
	return c.call(z), nil
}

// judge says what is wrong with an outcome.
func (c afterClose) judge(got, panicked any, doc string) error {
	if c.kind == panicsKind {
		if err, _ := panicked.(error); !errors.Is(err, ErrClosed) || !strings.Contains(doc, "panics") || !strings.Contains(doc, "closed") {
			return fmt.Errorf("panicked with %v; the doc must say that it does, for a closed world:\n%s", panicked, doc)
		}
		return nil
	}
	if panicked != nil {
		return fmt.Errorf("panicked with %v", panicked)
	}
	switch c.kind {
	case refusedKind:
		if err, _ := got.(error); !errors.Is(err, ErrClosed) {
			return fmt.Errorf("returned %v", got)
		}
	case nothingKind:
		if v := reflect.ValueOf(got); v.IsValid() && !v.IsZero() {
			return fmt.Errorf("returned %v", got)
		}
	}
	return nil
}
