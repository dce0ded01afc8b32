// Package running has what a function of the host learns of the script that calls it.
//
// There is one noun. A [Call] is the call into a script that is running: package scripting
// gives it to functions of the host that ask for it, and takes it back at the end.
//
// # Where code lives
//
//	what a function of the host learns  call
package running

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/perigee-ecs/perigee/ecs"
)

// ErrSpent is what Charge returns when the script has used up what it may use.
var ErrSpent = errors.New("the script has used up what it may use")

// SlotRequest is a save, or a load, that a script has asked for with ecs.save or ecs.load. Slot has
// letters, digits, dots, dashes and underscores, at most 100, and does not begin with a dot.
type SlotRequest struct {
	Load bool
	Slot string
}

// Entities is a list of entities that scripts get as a table of their own when a function
// returns it. Its items and the memory are charged to the script; the list itself stays with the
// host, which may use it again.
type Entities []ecs.Entity

// MostNumbers is how many numbers a [Question] takes at most.
const MostNumbers = 5

// Question is a function of the host that compiled functions call as well, without leaving their
// machine code for the VM. Scripts call Func, which is as any exposed function.
//
// Numbers answers in a kernel. It gets the arguments as numbers, the first Args of them, and
// returns the same number as Func would; or not-a-number, and then the VM calls Func for the row.
// That is for whatever is no number, an error, or work that is not bounded. It charges its work
// as Call.Charge does, and returns not-a-number when that reports false.
//
// It must have no effect, and what it returns must not depend on anything that a script changes
// during its call: rows that a kernel runs are not seen by the host until all are done.
type Question struct {
	Func    any  // returns a number; with Second a bool, too; and it may return an error
	Args    int  // of Func, all numbers; at most MostNumbers
	Second  bool // Func has a second result, which is true whenever Numbers answers
	Numbers func(charge func(steps int) bool, args *[MostNumbers]float64) float64
}

// ErrOver is what the use of a [Call] wraps after the script's call has ended.
var ErrOver = errors.New("the script's call is over")

// Call is the call into a script that is running: a run of a system, an event, an observer, a
// timer, an on_start function. A function that the host exposes gets it when its first
// parameter is a *Call. Scripts do not see that parameter.
//
// It is good until the script's call ends, and belongs to the goroutine that calls the
// function: others may ask for its Context, which the function hands to them, and for nothing
// else. Its use after the end changes nothing. Err says so then, and the next Step of the host
// returns an error that wraps [ErrOver]. The zero Call and a nil one are over.
type Call struct {
	script string
	system string
	now    ecs.Tick // without the world and its commands: good after the end
	tick   *ecs.Tick
	entity *ecs.Entity
	late   func(error)
	charge func(steps int) bool
	parent context.Context
	ctx    context.Context
	cancel context.CancelCauseFunc
	alive  atomic.Bool // the zero Call is over
}

// Begin makes the Call of a script's call. entity is where the entity at hand stands, and late
// gets the error of each use after end was called; it may be called on any goroutine.
// Its context is a child of parent, nil for none. charge counts steps, and reports whether that
// many were left; nil counts nothing.
func Begin(parent context.Context, t *ecs.Tick, script, system string, entity *ecs.Entity, late func(error), charge func(steps int) bool) (c *Call, end func()) {
	if parent == nil {
		parent = context.Background()
	}
	c = &Call{parent: parent, script: script, system: system, now: ecs.Tick{N: t.N, DT: t.DT, Time: t.Time}, tick: t, entity: entity, late: late, charge: charge}
	c.alive.Store(true)
	return c, c.end
}

// end ends it.
func (c *Call) end() {
	if c.alive.Store(false); c.cancel != nil {
		c.cancel(ErrOver)
	}
}

// Script returns the file of the script that is running.
func (c *Call) Script() string { return c.self().script }

// System returns the name of the system that is running; for callbacks it is what messages
// call them, as in "on_start" or "timer leave".
func (c *Call) System() string { return c.self().system }

// Tick returns the number of the tick, 0 before the first.
func (c *Call) Tick() uint64 { return c.self().now.N }

// DT returns the seconds of simulation time since the last run of the system.
func (c *Call) DT() float64 { return c.self().now.DT }

// Time returns the seconds of simulation time since the world began.
func (c *Call) Time() float64 { return c.self().now.Time }

// self returns the call, and for a nil one a call that is over.
func (c *Call) self() *Call {
	if c == nil {
		return new(Call)
	}
	return c
}

// Entity returns the entity at hand: that of the row in an each function, that of an observer.
// It is 0 where there is none, as in a batch, and after the end.
func (c *Call) Entity() ecs.Entity {
	if !c.used("Entity") {
		return 0
	}
	return *c.entity
}

// World returns the world, nil after the end. It may be read at any time during the call.
func (c *Call) World() *ecs.World {
	if !c.used("World") {
		return nil
	}
	return c.tick.World
}

// Commands returns the commands of the script's call. What is recorded there is made when the
// system ends, in one order with what the script itself records, and is undone with the call
// when that fails; in an each function, with the turn of the entity. It counts against the
// limits of the script.
//
// After the end it returns commands of no world, which change nothing. What is recorded between
// two systems with those of a call that is over is dropped, and the step returns an error.
func (c *Call) Commands() *ecs.Commands {
	if !c.used("Commands") {
		return new(ecs.Commands)
	}
	return c.tick.Commands
}

// Charge counts steps on the instructions that the script may use, for work of the host: one step
// for about what one instruction of Lua takes, some nanoseconds. A function whose work grows with
// what a script asks for charges it before it is done, and returns the error at once: it wraps
// [ErrSpent], and ends the script's call with the limit that was reached. A number below zero
// counts nothing.
func (c *Call) Charge(steps int) error {
	if !c.used("Charge") {
		return c.Err()
	}
	if c.charge == nil || c.charge(max(steps, 0)) {
		return nil
	}
	return ErrSpent
}

// Context returns a context that ends with the script's call, for work that nobody wants any
// longer then. Its cause is [ErrOver]. It ends with the context of the step, too, where that has one.
func (c *Call) Context() context.Context {
	switch {
	case c != nil && c.ctx != nil:
		return c.ctx
	case !c.used("Context"):
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(ErrOver)
		return ctx
	}
	c.ctx, c.cancel = context.WithCancelCause(c.parent)
	return c.ctx
}

// Err returns nil during the call, and an error that wraps [ErrOver] after its end.
func (c *Call) Err() error {
	c = c.self()
	if c.alive.Load() {
		return nil
	}
	return fmt.Errorf("a *scripting.Call of %q in tick %d: %w", c.system, c.now.N, ErrOver)
}

// used reports whether a method may do its work. A use after the end is reported.
func (c *Call) used(method string) bool {
	c = c.self()
	err := c.Err()
	if err != nil && c.late != nil {
		c.late(fmt.Errorf("the host called %s of %w; a function of the host may use it only until the script's call ends", method, err))
	}
	return err == nil
}
