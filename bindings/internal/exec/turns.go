package exec

import (
	"fmt"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/bindings/rows"
)

// rowCalls are what the VM needs to call the function for a row.
type rowCalls struct {
	machine *machine.VM
	thread  *lua.LState     // that the rows of the view are run on
	fixed   []machine.Value // by argument: values that are the same for all rows
	called  bool            // the function runs for the row at hand
	natives int64           // that were called before it
	asked   bool            // whether it can be run in blocks
	blocks  *rowBlocks      // nil: it cannot
}

func newRowCalls(s *EachShape) rowCalls { return rowCalls{fixed: make([]machine.Value, len(s.Args))} }

// newRow makes the row of a term that the function gets as its n-th parameter.
func (x *EachRunner) newRow(c *decl.Component, n int) *RowTable {
	r := x.m.newRow(c.Schema, fmt.Sprintf("this %s is over: each gets it for one entity and one call; keep the entity, and use ecs.get", c.Name))
	r.Keeps = MayKeep(x.shape.Function, n, false)
	r.narrow(x.shape.Function, n)
	r.fleets = !r.Keeps && !Escapes(lua.Proto(x.shape.Function), 0, n, value.DeferredField(c.Schema))
	return r
}

// fillArguments makes the arguments that are the same for all rows of a run. A
// script may keep the numbers.
func (x *EachRunner) fillArguments() {
	if x.filled {
		return
	}
	if x.filled = true; !x.made {
		x.makeTables()
	}
	x.ctx = x.m.Fill(&x.s.Context, x.tick)
	for i, arg := range x.shape.Args {
		if arg.Kind == ArgContext {
			x.fixed[i] = lua.ToValue(x.ctx)
		}
	}
}

// interpret calls the function for the rows of one view. A row that fails is
// undone alone, and those after it go on. Why not a protected call for each row?
// It would cost as much as the call itself; this way rows without a fault pay for
// a mark only.
func (x *EachRunner) interpret(L *lua.LState, v *rows.View) {
	x.fillArguments()
	x.mark, x.unmarked, x.hand = x.m.Tx.Call.Mark(), true, v
	x.changes, x.settled = x.changes[:0], 0
	if x.some == nil {
		x.some = x.m.Tx.Function(x.rest)
	}
	for x.next = 0; x.next < len(v.Entities); x.next++ {
		if err := tx.PCall(L, x.some); err != nil {
			x.recall()
			x.failed(L, v, x.next, err)
			x.unmarked = true
			x.passed(v, x.next, true)
		}
	}
	x.m.Tx.Call.Entity = 0
}

// rest calls the function for the rows of the view from next on.
func (x *EachRunner) rest(L *lua.LState) {
	x.machine, x.thread, x.called, x.unmarked = lua.VM(L), L, false, true
	if !x.asked {
		x.asked, x.blocks = true, x.newRowBlocks()
	}
	(*machine.Thread)(L).Current().Repeat((*machine.Function)(x.shape.Function), len(x.shape.Args)+1, x)
}

// Turn implements [machine.Turns]: it ends the turn of a row, and begins that of the next one.
func (x *EachRunner) Turn(results, args []machine.Value) bool {
	if x.called {
		x.called = false
		x.end(results)
		x.pass()
	}
	for x.next < len(x.hand.Entities) {
		if x.blocks.run() {
			continue
		}
		if x.begin(args) {
			x.called = true
			return true
		}
		x.record.ByVM(-1, -1) // its turn is no turn
		x.pass()
	}
	return false
}

// pass goes on to the next row.
func (x *EachRunner) pass() {
	if len(x.changes) > 0 {
		x.passed(x.hand, x.next, false)
	}
	x.next++
}

// begin sets the arguments for the row at hand, unless its entity is parked, or the call has
// done something to it by which it matches no more.
func (x *EachRunner) begin(args []machine.Value) bool {
	v, i := x.hand, x.next
	e := v.Entities[i]
	if len(x.faults.parked) > 0 && x.faults.rests(e, x.tick.Time) {
		return false
	}
	x.asides = false
	if x.commands.Len() > 0 && !x.show(v, i) {
		return false
	}
	x.now.Entity = e
	if x.unmarked { // a row that only computes leaves the mark of the one before it good
		x.recorded, x.unmarked = x.commands.Len(), false
		x.now.MarkAt(&x.mark)
	}
	if x.natives = x.machine.Natives(); len(args) > 0 {
		args[0] = machine.Number(float64(e))
		x.give(v, i, args[1:])
	}
	return true
}

// show shows a row aside if the call has done something to its entity. It returns false if
// the entity matches no more.
func (x *EachRunner) show(v *rows.View, i int) bool {
	p := x.ahead()
	if p == nil || !p.Concerns(v.Entities[i]) {
		return true
	}
	if !x.s.Query.Matches(p, x.m.World, v.Entities[i]) {
		return false
	}
	x.asides, x.unmarked = true, true
	x.aside.Begin(x.m.Tx, v)
	x.aside.Add(p, v, i)
	return true
}

// give sets the arguments after the entity.
func (x *EachRunner) give(v *rows.View, i int, args []machine.Value) {
	given := x.shape.Args[:min(len(args), len(x.shape.Args))]
	for k := range given {
		args[k] = x.argument(v, i, k)
	}
	for k := len(given); k < len(args); k++ {
		args[k] = machine.Nil
	}
}

// argument returns the k-th argument after the entity.
func (x *EachRunner) argument(v *rows.View, i, k int) machine.Value {
	arg := &x.shape.Args[k]
	if arg.Kind == ArgContext {
		return x.fixed[k]
	}
	v, i = x.at(v, i, arg.Term)
	p := v.Columns[arg.Term].At(i)
	switch {
	case arg.Kind == ArgTag:
		return machine.Bool(p != nil)
	case p == nil:
		return machine.Nil
	}
	return machine.OfTable((*machine.Table)(x.tables[arg.Term].Fill(x.thread, p)))
}

// end stores what the function has returned for the row at hand, and left in its tables.
func (x *EachRunner) end(results []machine.Value) {
	L, v, i := x.thread, x.hand, x.next
	if x.natives != x.machine.Natives() {
		x.unmarked = true
		x.noteOwn(v, i)
	}
	for k := range x.shape.Args {
		if arg := &x.shape.Args[k]; arg.Kind == ArgRow {
			x.leave(v, i, arg.Term)
		}
	}
	if x.asides {
		x.asides, x.unmarked = false, true
		x.aside.Record(L, x.proto())
	}
	if len(x.faults.parked) > 0 {
		x.succeeded(v.Entities[i])
	}
}
