package lower

import (
	"fmt"
	"maps"
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// What has no translation need not keep the whole function from being compiled, if
// it stands where only some rows come to: in a branch, or behind one that some rows
// leave by. Then the kernel stops at such a row, as it does where Lua would raise an
// error, and the row is the VM's from its beginning. So a line in the log
// when something dies costs the rows that die, and no others.
//
// The innermost branch is left. A function of which every row would come to such a
// place is refused.

// optional translates statements that not all rows come to.
//
// A refusal that is about the whole function is not caught: to leave out one branch would
// not help. The refusals that are caught are kept, and Lower returns the first of them if
// each row would stop.
//
// What was translated is taken back, but what it has cost is not: the bounds of size.go are
// bounds of the work, and that was done.
func (l *lowerer) optional(write func()) []*ir.Stmt {
	if l.err != nil {
		return nil
	}
	back := l.mark()
	line := l.line
	l.maybe++
	list := l.list(write)
	l.maybe--
	why := l.err
	if why == nil || why.whole {
		return list
	}
	back()
	l.fallbacks = append(l.fallbacks, why)
	stop := &ir.Stmt{Kind: ir.Stop, Line: line, Why: fmt.Sprintf("rows that come to line %d are Lua's: %s", why.Line(), why.Message())}
	return []*ir.Stmt{stop}
}

// mark returns what takes back all that was translated since then.
//
// It copies what translation replaces or changes in place; of the slices that it only
// appends to, the length is enough, as their elements stay, and what a map has of new fields,
// inputs and locals is taken out of it again. There is a mark for each branch, so all that
// it copies is small, or copied as fast as memory is.
func (l *lowerer) mark() (back func()) {
	saved, f := *l, *l.f
	f.Fields, f.Inputs = slices.Clone(f.Fields), slices.Clone(f.Inputs)
	saved.columns, saved.inTable = maps.Clone(l.columns), maps.Clone(l.inTable)
	saved.reads, saved.cleared = l.reads.Clone(), l.cleared.Clone()
	var calls []inlined
	for c := l.call; c != nil; c = c.outer {
		calls = append(calls, *c)
		calls[len(calls)-1].results = slices.Clone(c.results)
	}
	return func() {
		saved.statements, saved.parts, saved.fallbacks = l.statements, l.parts, l.fallbacks
		*l, *l.f = saved, f
		maps.DeleteFunc(l.fields, func(_ fieldKey, local int) bool { return local >= len(f.Locals) })
		maps.DeleteFunc(l.cells, func(_ any, input int) bool { return input >= len(f.Inputs) })
		maps.DeleteFunc(l.checks, func(_ checkKey, at int) bool { return at >= len(f.Same) })
		maps.DeleteFunc(f.Spans, func(local int, _ ir.Span) bool { return local >= len(f.Locals) })
		for c := l.call; c != nil; c = c.outer {
			*c, calls = calls[0], calls[1:]
		}
	}
}

// rest translates the statements behind one that some rows leave by. They are optional,
// too: rows that have left do not come to them. That is what makes an early return worth
// the same as a branch around the rest.
func (l *lowerer) rest(stmts []syntax.Stmt) {
	l.out = append(l.out, l.optional(func() { l.each(stmts) })...)
}

// leaves reports whether some row may go from one of the statements to the end of a
// block around them, or be finished.
//
// A Leave to a block among the statements themselves does not count: the row is still there
// after it. O(statements), and each is asked again for each branch around it.
func leaves(stmts []*ir.Stmt) bool {
	inside, out := map[int]bool{}, false
	ir.Walk(stmts, func(s *ir.Stmt) {
		if s.Kind == ir.Block {
			inside[s.Label] = true
		}
		out = out || s.Kind == ir.Leave && !inside[s.Label]
	})
	return out
}

// stops reports whether each row stops at one of the statements.
//
// It returns false where it does not know: a kernel that stops at each row is right all the
// same, and only slow. Statements after one by which some rows leave are not looked at,
// because those rows do not come there.
func stops(stmts []*ir.Stmt) bool {
	for _, s := range stmts {
		switch {
		case s.Kind == ir.Stop, s.Kind == ir.If && stops(s.Body) && stops(s.Else):
			return true
		case s.Kind == ir.Block && stops(s.Body):
			return true
		case leaves([]*ir.Stmt{s}):
			return false
		}
	}
	return false
}
