package lower

import (
	"fmt"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// Functions take the place of their calls, and may call each other twice each: thirty
// lines of text can be a thousand million statements. Three bounds keep the work in
// proportion to the text.
//
//   - A kernel has a most of statements, locals and parts of expressions. They are counted
//     as they are made, those of branches that are given up again included.
//   - How many statements a function makes at the least, with the functions that it calls,
//     is summed up once when the text is read. A call of one that is too large is refused
//     before anything is made of it, in every function that has such a call. Without that
//     each of a thousand systems that call it would come to the bound above by itself.
//     What that bound cannot know, such as functions that a table holds, a load learns from
//     the first kernel that became too large.
//   - All kernels of a load share a [CompileBudget].
//
// Why not the exact number of statements beforehand? It depends on the arguments and on
// what the captured variables hold. A bound that is too low costs time, for then the first
// bound ends the translation; a bound that is too high would refuse what can be compiled.

// The most of one kernel, those of the functions that it calls included. The passes and
// the engine take a time that grows with the square of the number of branches: two seconds
// for some 3000 of them, one after the other.
const (
	mostLocals     = 3000
	mostStatements = 6000
	mostParts      = 200_000 // of expressions
)

// oversized refuses the function as a whole beyond these: the branch that is one too many
// is not to blame.
func (l *lowerer) oversized(pos syntax.Pos) {
	l.refuse(pos, "a function of this size (with those that it calls at most %d statements, %d locals and %d parts of expressions)", mostStatements, mostLocals, mostParts)
	l.err.whole = true
}

// CompileBudget is how much time the kernels of one load may take to compile, in
// microseconds of a slow machine. It is reckoned and never measured: which functions are
// compiled must not depend on the machine. A nil CompileBudget has no end.
type CompileBudget struct {
	Name string // of the limit, for messages
	Most int64
	used int64
	// seen is, by a function's key, what calls of it have made before a kernel became too
	// large, so that the next kernel that calls it is refused without being made.
	seen map[any]extent
}

// extent is what has been made of a kernel, or of a part of one.
type extent struct{ statements, locals, parts int }

// extent returns what has been made so far.
func (l *lowerer) extent() extent { return extent{l.statements, len(l.f.Locals), l.parts} }

func (a extent) plus(b extent) extent {
	return extent{a.statements + b.statements, a.locals + b.locals, a.parts + b.parts}
}

// fits reports whether a kernel may be as large.
func (a extent) fits() bool {
	return a.statements <= mostStatements && a.locals <= mostLocals && a.parts <= mostParts
}

// learn notes what a call has made when its kernel became too large: the kernel's extent is
// that of now, and was before where the call began. Locals of branches that were given up do
// not count any more, so there may be fewer than before.
func (b *CompileBudget) learn(key any, before, now extent) {
	if b == nil {
		return
	}
	if b.seen == nil {
		b.seen = map[any]extent{}
	}
	old := b.seen[key]
	b.seen[key] = extent{
		max(old.statements, now.statements-before.statements),
		max(old.locals, now.locals-before.locals),
		max(old.parts, now.parts-before.parts),
	}
}

// least returns what a call of a function is known to make at the least.
func (b *CompileBudget) least(fn *function, key any) extent {
	var e extent
	if b != nil {
		e = b.seen[key]
	}
	e.statements = max(e.statements, fn.size)
	return e
}

// What the compiler needs, in microseconds: to make a statement, and for all passes and the
// engine, by function, by statement, by part of an expression, and by the square of the
// statements. It was measured with functions of many assignments, of many branches one
// after the other, and of arrays whose elements are found by an index; the dearest of them
// counts.
const (
	timePerStatement    = 1
	timePerFunction     = 200
	timePerCompiled     = 20
	timePerPart         = 12
	statementsPerSquare = 60
)

// take charges the budget, and reports whether there was enough left. What is refused is
// not charged.
func (b *CompileBudget) take(time int64) bool {
	if b == nil {
		return true
	}
	if b.used+time > b.Most {
		return false
	}
	b.used += time
	return true
}

// spend charges what has been done already, which may be more than is left: the budget is
// used up then.
func (b *CompileBudget) spend(time int64) {
	if b != nil {
		b.used += time
	}
}

// refusal says that the budget is used up.
func (b *CompileBudget) refusal(at syntax.Pos) *Refusal {
	return &Refusal{Pos: at, whole: true, What: fmt.Sprintf(
		"a function beyond the limit %s (%d seconds for all functions that a load compiles, by the compiler's reckoning)", b.Name, b.Most/1_000_000)}
}

// TimeToCompile returns how long the passes and the engine need for a kernel, in microseconds of a
// slow machine. Like a [CompileBudget] it reckons and never measures. O(size of the kernel).
func TimeToCompile(f *ir.Func) int64 {
	statements, parts := int64(0), int64(0)
	ir.Walk(f.Body, func(s *ir.Stmt) {
		statements++
		parts += int64(s.Value.Size())
	})
	return timePerFunction + timePerCompiled*statements + timePerPart*parts + statements*statements/statementsPerSquare
}

// sizes are the statements that functions of a text make at the least, with those that
// they call, up to one more than mostStatements.
type sizes struct {
	names *syntax.Names
	of    map[*syntax.Function]int // those that are being summed up have 0 so far
}

// function returns the size of a function. One that calls itself has no end and is
// refused for that, so the inner call counts nothing. O(text) for all functions together.
func (s *sizes) function(fn *syntax.Function) int {
	if n, known := s.of[fn]; known {
		return n
	}
	s.of[fn] = 0
	s.of[fn] = s.block(fn.Body)
	return s.of[fn]
}

// node returns what a node makes, and what is below it. What a literal condition rules out
// is not translated.
func (s *sizes) node(node syntax.Node) int {
	own := 0
	switch n := node.(type) {
	case *syntax.Function:
		return 0 // it makes something where it is called
	case *syntax.If:
		isTrue, known := syntax.Truth(n.Condition)
		switch {
		case known && isTrue:
			return s.block(n.Then)
		case known:
			return s.block(n.Else)
		}
		own = 1
	case *syntax.Assign, *syntax.While, *syntax.NumberFor:
		own = 1
	case *syntax.Call:
		own = s.call(n)
	case *syntax.Logical:
		if left := settled(n); left != syntax.Expr(n) {
			return s.node(left)
		}
	}
	syntax.Children(node, func(child syntax.Node) { own = min(own+s.node(child), mostStatements+1) })
	return own
}

// block returns what a list of statements makes.
func (s *sizes) block(stmts []syntax.Stmt) (n int) {
	for _, stmt := range stmts {
		n = min(n+s.node(stmt), mostStatements+1)
	}
	return n
}

// call returns what the callee makes where it is called: a block with its body.
func (s *sizes) call(e *syntax.Call) int {
	if e.Func == nil {
		return 0
	}
	if fn, ok := s.names.ValueOf(e.Func).(*syntax.Function); ok {
		return 1 + s.function(fn)
	}
	return 0
}
