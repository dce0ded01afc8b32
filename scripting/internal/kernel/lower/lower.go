package lower

import (
	"fmt"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// This file is the entry to the package and has the state of one translation. Every other
// file has methods of lowerer for one part of the language. What they share is here: the
// list that is being written, what names stand for, refusals, and the few statements of
// which all others are made.

// Lower translates a function of the script. The error is a *Refusal, or why the
// script has Failed.
//
// The checks after the body need all of it: which fields are stored, which lists are
// copied, and which components are changed is known at its end. They may still refuse the
// function. checkMarks comes last, because it must see every look and every change.
//
// The budget is charged for what was made, whether or not a kernel comes of it. ScriptFacts are
// only read, so it serves any number of translations.
func (s *ScriptFacts) Lower(id syntax.FuncID, sig *Signature) (*ir.Func, error) {
	f, _, err := s.lower(id, sig, nil)
	return f, err
}

// lower is Lower for a witness, nil if there is none. It returns how many statements it has made, too.
func (s *ScriptFacts) lower(id syntax.FuncID, sig *Signature, w *witness) (f *ir.Func, statements int64, err error) {
	if s.failed != nil {
		return nil, 0, s.failed
	}
	fn := s.functions[id]
	if fn == nil {
		return nil, 0, &Refusal{What: "a function that is not written out in its system's table"}
	}
	if !sig.Budget.take(0) {
		return nil, 0, sig.Budget.refusal(fn.expr.Position())
	}
	l := &lowerer{
		witness:   w,
		funcState: funcState{script: s, fn: fn, captured: sig.Captured, library: sig.Library, global: sig.Global},
		sig:       sig, f: &ir.Func{Name: sig.System, Memory: sig.Memory, Single: sig.Single, Spans: map[int]ir.Span{}},
		bindings: map[*syntax.Variable]*binding{},
		columns:  map[int]int{}, fields: map[fieldKey]int{}, cells: map[any]int{}, inTable: map[int]tableField{},
		checks: map[checkKey]int{}, recordFor: map[int][]string{}, fetchFor: map[int]string{},
	}
	defer func() { sig.Budget.spend(int64(l.statements) * timePerStatement) }()
	l.parameters()
	l.f.Body = l.list(func() { l.stmts(fn.expr.Body) })
	l.homed()
	l.amply()
	l.wholly()
	l.overlaps()
	l.unassigned()
	if l.err == nil {
		l.checkMarks()
	}
	switch {
	case l.err != nil:
		return nil, 0, l.err
	case len(l.fallbacks) > 0 && stops(l.f.Body):
		return nil, 0, l.fallbacks[0]
	case !sig.Budget.take(TimeToCompile(l.f)):
		return nil, 0, sig.Budget.refusal(fn.expr.Position())
	}
	for _, r := range l.fallbacks {
		l.f.Fallbacks = append(l.f.Fallbacks, ir.Fallback{Line: r.Line(), Column: r.Column(), Why: r.Message(), What: r.What, Instead: r.Instead, In: r.In, Rare: r.rare, Passing: r.passing})
	}
	return l.f, int64(l.statements), nil
}

// lowerer translates one function. After the first refusal it goes on without effect, so
// that nothing has to look for it at every step. Values after a refusal are placeholders,
// see nothing, and must not be read for what they hold.
//
// mark saves all of it, and optional restores it. A new field that is a map, or whose
// elements change in place, needs a line there, unless what a given-up branch leaves in it
// does no harm.
type lowerer struct {
	funcState
	sig     *Signature
	witness *witness // nil: nobody notes what is asked
	f       *ir.Func
	err     *Refusal

	bindings  map[*syntax.Variable]*binding // of the variables of all functions that were read
	out       []*ir.Stmt                    // the list that is being written
	line      int                           // of the each function's statement that is being translated
	columns   map[int]int                   // index of a term's column
	fields    map[fieldKey]int
	cells     map[any]int        // index of the input for what can change outside
	inTable   map[int]tableField // by the local of an input that is a field of a table
	afar      []farRead
	copies    []copied // by list
	homes     []ir.Condition
	meet      bool             // two names lead to one field
	checks    map[checkKey]int // what Same looks at, by index there
	tables    []*listItem      // of which all must be tables, see standing
	reads     ir.LocalSet      // locals of fields that were read
	cleared   ir.LocalSet      // those that may have been set to nil
	labels    int              // given out so far
	trips     int              // of the counted loops around this place; 0: some loop is not
	loops     int              // around this place, those of callers included
	unsettled bool             // what is outside may become something that is of more use
	maybe     int              // branches and second operands around this place, see unconditional
	left      bool             // some row may have left before this place
	fallbacks []*Refusal       // branches that the VM runs

	// What was made, branches that were given up included.
	statements int
	parts      int    // of expressions
	unmade     extent // of the call that was refused because it would make the kernel too large

	changes   []change         // of entities
	recordFor map[int][]string // by local: for which components an entity's record was looked for
	fetchFor  map[int]string   // by host call: for which component the host is asked
}

// funcState is the function whose text is being read: the each function, or one that it calls.
// inline replaces it as a whole and restores it after the body, so that names, labels and
// loops of the caller cannot be seen from the callee.
type funcState struct {
	script   *ScriptFacts
	fn       *function
	captured func(name string) Resolved
	library  func(name string) Resolved
	global   func(name string) Resolved
	goals    *goal // to which a goto can lead from here
	breaks   []int
	call     *inlined // nil in the each function
}

// tableField is a field of a table by its name, and where that leads from. overlaps and
// stored are about assignments: the name finds a copy that may be of the same field, and
// assigned is what a refusal points at.
type tableField struct {
	name     string
	place    any
	assigned syntax.Pos // where the function does so last
}

// fieldKey is a place in the struct of a term.
//
// A field of the each function's parameters has one local, however often it is named, and
// its key finds that. An element of an array has the offset of the element.
type fieldKey struct {
	term   int
	offset uintptr
}

// goal is a label at the end of a block around the place, and the others around it. The
// list grows inwards and is cut back at the end of a block, so a goto finds the innermost
// label of its name.
type goal struct {
	outer *goal
	name  string
	label int
}

// binding is what a variable stands for inside the kernel.
//
// kind says which of the other fields count. It is never changed once it is made: an
// assignment changes what its locals hold.
type binding struct {
	kind    bindingKind
	local   int
	present int      // the local that says whether it is not nil; -1: it never is
	blank   bool     // it begins as nil
	names   []string // of an enum: the local holds the place of its name
	row     *rowValue
	value   Resolved
}

type bindingKind uint8

const (
	isLocal bindingKind = iota + 1
	isFixed             // the entity
	isRow
	isContext
	isValue // something from outside under another name
)

// outside returns the place in the each function that leads to a place in the text that
// is being read.
func (l *lowerer) outside(pos syntax.Pos) syntax.Pos {
	if l.file() == "" {
		return pos
	}
	return l.call.outermost()
}

// refuse notes why there is no kernel, and where the text says so. What has no place of its
// own is a matter of the function as a whole.
//
// Only the first reason is kept. Those after it may be consequences, since translation goes
// on with placeholders.
func (l *lowerer) refuse(pos syntax.Pos, format string, v ...any) {
	if l.err != nil {
		return
	}
	if pos.Line() < l.fn.expr.Line() {
		pos = l.fn.expr.Position()
	}
	l.err = &Refusal{Pos: l.outside(pos), What: fmt.Sprintf(format, v...), passing: l.unsettled}
	if l.file() != "" {
		l.err.In = ir.TextPlace{File: l.call.code.File, Line: pos.Line(), Column: pos.Column()}
	}
}

// refuseNow is refuse for what is in the way now: a value outside of the function that may be
// another one later.
func (l *lowerer) refuseNow(pos syntax.Pos, format string, v ...any) {
	l.unsettled = l.unsettled || l.err == nil
	l.refuse(pos, format, v...)
}

// refuseFor is refuse with what to write instead.
func (l *lowerer) refuseFor(pos syntax.Pos, instead, format string, v ...any) {
	first := l.err == nil
	if l.refuse(pos, format, v...); first {
		l.err.Instead = instead
	}
}

// lookup returns what a name stands for, nil if it means nothing of the kernel's own.
func (l *lowerer) lookup(name *syntax.Name) *binding {
	return l.bindings[l.script.names.Variable(name)]
}

// parameters binds those of the each function.
//
// There may be fewer parameters than terms; the terms beyond them get no column here.
func (l *lowerer) parameters() {
	if l.fn.expr.Vararg {
		l.refuse(l.fn.expr.Position(), "...")
	}
	for i, v := range l.script.names.Parameters(l.fn.expr.ID) {
		switch {
		case i == 0:
			l.bindings[v] = &binding{kind: isFixed} // see entity
		case i == len(l.sig.Terms)+1:
			l.bindings[v] = &binding{kind: isContext}
		case i > len(l.sig.Terms)+1:
			l.refuse(v.Pos, "a parameter that nothing is passed for")
			return
		default:
			l.bindings[v] = &binding{kind: isRow, row: l.termRow(i - 1)}
		}
	}
}

// list collects what write emits.
//
// Lists may be nested, and the line of the statement around is restored.
func (l *lowerer) list(write func()) []*ir.Stmt {
	outer, line := l.out, l.line
	l.out = nil
	write()
	inner := l.out
	l.out, l.line = outer, line
	return inner
}

// emit adds a statement to the list that is being written.
//
// It is the only place where statements are counted, and so where a kernel is found to be
// too large. A statement inside of another one has been counted when it was emitted, but
// for the few that are written out in place.
func (l *lowerer) emit(s *ir.Stmt) {
	s.Line = l.line
	l.out = append(l.out, s)
	l.statements++
	l.parts += s.Value.Size()
	if l.err == nil && !l.extent().fits() {
		l.oversized(l.fn.expr.Position())
	}
}

// set assigns a local. The expression becomes part of the kernel and belongs to it from
// then on.
func (l *lowerer) set(local int, e *ir.Expr) {
	l.emit(&ir.Stmt{Kind: ir.Set, Local: local, Value: e})
}

// keep holds a value in a local of its own and returns a use of it.
func (l *lowerer) keep(name string, e *ir.Expr) *ir.Expr {
	local := l.f.NewLocal(name, e.Type)
	l.set(local, e)
	return l.get(local)
}

// get returns a use of a local, a new node each time.
func (l *lowerer) get(local int) *ir.Expr {
	return &ir.Expr{Op: ir.Get, Type: l.f.Locals[local].Type, Local: local}
}

// again returns another use of an expression: nodes belong to one place each.
//
// O(size of the tree), and it doubles what will be evaluated. So it is used on locals and
// conditions, and what is larger is kept first.
func again(e *ir.Expr) *ir.Expr {
	copied := *e
	copied.Args = nil
	for _, a := range e.Args {
		copied.Args = append(copied.Args, again(a))
	}
	return &copied
}

// demand has the VM run the row unless cond holds.
//
// A stop before the end of the row undoes nothing, because nothing has been stored. So a
// demand may stand anywhere in the body. perigee explain shows why, see
// ir.Func.StopReasons.
func (l *lowerer) demand(cond *ir.Expr, why string, v ...any) {
	stop := &ir.Stmt{Kind: ir.Stop, Why: fmt.Sprintf(why, v...)}
	l.emit(&ir.Stmt{Kind: ir.If, Value: not(cond), Body: []*ir.Stmt{stop}})
}
