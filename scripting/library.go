package scripting

import (
	"context"
	"time"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/holes"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/scripting/internal/heapsize"
	standard "github.com/perigee-ecs/perigee/scripting/internal/library"
	"github.com/perigee-ecs/perigee/scripting/internal/library/notes"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// library is the standard library of a state.
type library struct {
	in *standard.Library
	vm *machine.VM
}

// libraryOptions say what it takes from the host.
type libraryOptions struct {
	Print                                 func(L *lua.LState, text string, bytes int)
	Clock                                 func() float64
	Random                                interface{ Uint64() uint64 }
	MaxCoroutines, CollectSteps, MaxTable int
	MaxPrint                              int
	MaxNesting, MaxCallbacks              int
}

func newLibrary(L *lua.LState, o libraryOptions) *library {
	l := &library{vm: lua.VM(L)}
	l.vm.Nesting, l.vm.Callbacks = o.MaxNesting, o.MaxCallbacks
	options := standard.Options{
		Random: o.Random, Clock: o.Clock,
		MaxCoroutines: o.MaxCoroutines, CollectSteps: o.CollectSteps, MaxTable: o.MaxTable, MaxPrint: o.MaxPrint,
	}
	if o.Print != nil {
		options.Print = func(th *machine.Thread, text string, bytes int) { o.Print((*lua.LState)(th), text, bytes) }
	}
	l.in = standard.New(l.vm, options)
	lua.SetConstant(L, popPlace, (*lua.LFunction)(l.in.Pop()))
	lua.SetConstant(L, joinPlace, (*lua.LFunction)(l.vm.Builtin(machine.Concat)))
	lua.SetConstant(L, absentPlace, L.NewFunction(holes.Note))
	return l
}

// setLimits takes over other limits.
func (l *library) setLimits(limits *Limits) {
	l.vm.Nesting, l.vm.Callbacks, l.vm.Registers = limits.Nesting, limits.Callbacks, limits.registers()
	l.vm.SetDepth(limits.Depth)
	if l.vm.LongestText = 1 << 30; limits.String > 0 {
		l.vm.LongestText = limits.String
	}
	l.in.SetLimits(limits.Coroutines, collectSteps(limits), limits.Table)
}

// Env returns a new environment for one script.
func (l *library) Env() *lua.LTable { return (*lua.LTable)(l.in.Env()) }

// Text returns the text of a value as tostring does.
func (l *library) Text(L *lua.LState, v lua.LValue) string {
	return l.in.Text((*machine.Thread)(L), lua.ToValue(v))
}

// LastNumber returns the last number that the text of a value has got.
func (l *library) LastNumber() uint64 { return l.in.Identities().Last() }

// RewindNumbers makes last the last number; values have none above known any more.
func (l *library) RewindNumbers(known, last uint64) { l.in.Identities().Rewind(known, last) }

// NumberTable gives a table the number that its text has.
func (l *library) NumberTable(t *machine.Table, n uint64) { notes.Put(l.in.Identities(), t, n) }

// NumberedTables visits the tables of which a text was asked for, with their numbers.
func (l *library) NumberedTables(visit func(t *machine.Table, n uint64)) {
	notes.Of(l.in.Identities(), visit)
}

// Place returns where the function that runs was called.
func (l *library) Place(L *lua.LState) diag.Place { return (*machine.Thread)(L).Here() }

// NameOf returns the name of a function of the library, "" for any other.
func (l *library) NameOf(f *lua.LFunction) string { return l.in.NameOf((*machine.Function)(f)) }

// Cancel ends the suspended coroutines of an environment's functions.
func (l *library) Cancel(env *lua.LTable) int { return l.in.Cancel((*machine.Table)(env)) }

// Suspended counts the suspended coroutines of an environment's functions.
func (l *library) Suspended(env *lua.LTable) int { return l.in.Suspended((*machine.Table)(env)) }

// Enter says that the next calls from the host run on a thread.
func (l *library) Enter(*lua.LState) {}

// Leave ends what Enter began, and forgets the errors that the scripts have caught.
func (l *library) Leave() {
	l.vm.Stop()
	l.in.Forget()
}

// callBudget counts what a call uses. It is the context of the state while a call runs.
type callBudget struct {
	standard.Budget
	MaxText int
	vm      *machine.VM
}

// serveBudget ties a budget to the state of a library.
func serveBudget(b *callBudget, l *library, _ bool) {
	b.vm = l.vm
	if b.MaxText > 0 {
		b.vm.LongestText = b.MaxText
	}
}

// Reset begins a new count.
func (b *callBudget) Reset(steps, bytes int64) { b.Budget.Reset(b.vm, steps, bytes) }

// Spent reports whether the budget has stopped a script since Reset.
func (b *callBudget) Spent() bool { return b.Stopped() }

// Take counts steps, and raises nothing.
func (b *callBudget) Take(steps int64) { b.vm.Take(steps) }

// Spend counts steps that were taken outside of the machine.
func (b *callBudget) Spend(steps int64) { b.vm.Take(steps) }

// Charge counts steps that were taken for a thread.
func (b *callBudget) Charge(L *lua.LState, steps int) { b.vm.Charge((*machine.Thread)(L), steps) }

// Alloc counts bytes, and the steps to fill them.
func (b *callBudget) Alloc(L *lua.LState, bytes int) { b.vm.Alloc((*machine.Thread)(L), bytes) }

// Grow counts the bytes of small values.
func (b *callBudget) Grow(L *lua.LState, bytes int) { b.vm.Grow((*machine.Thread)(L), int64(bytes)) }

// Deadline implements context.Context.
func (b *callBudget) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements context.Context: the machine does not ask.
func (b *callBudget) Done() <-chan struct{} { return nil }

// Value implements context.Context.
func (b *callBudget) Value(any) any { return nil }

// attach has a context count what runs on a thread: the machine counts for all of them.
func attach(L *lua.LState, ctx context.Context) { L.SetContext(ctx) }

// charge counts steps that the host has taken for a script.
func charge(L *lua.LState, steps int) { lua.VM(L).Charge((*machine.Thread)(L), steps) }

// kinds are the machine's kinds of values of a type.
var kinds = map[lua.LValueType]machine.Kind{
	lua.LTNil: machine.KindNil, lua.LTBool: machine.KindBoolean, lua.LTNumber: machine.KindNumber, lua.LTString: machine.KindString,
	lua.LTTable: machine.KindTable, lua.LTFunction: machine.KindFunction, lua.LTUserData: machine.KindUserdata, lua.LTThread: machine.KindThread,
}

// meant says what a script may have meant by a field that a table does not have.
func meant(t *lua.LTable, field string, wanted lua.LValueType) string {
	words, _ := standard.Meant((*machine.Table)(t), field, kinds[wanted])
	return words
}

// holeSteps is how many steps it takes to find the end of a list: the machine knows it.
func holeSteps(*lua.LTable) int { return 0 }

// newWalk makes a walk over what scripts hold.
func newWalk() heapsize.Walk { return heapsize.Walk{} }

// Placeholders stand in the constants of prototypes for functions that each state has its own of.
var popPlace, joinPlace, absentPlace = new(lua.Placeholder), new(lua.Placeholder), new(lua.Placeholder)

// inPrototypes are the functions that the compiler calls by itself.
var inPrototypes = syntax.Options{Concat: joinPlace, Pop: popPlace, Absent: absentPlace}
