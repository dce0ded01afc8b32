package passes

import "github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"

// This file walks a kernel in the order in which it runs, for passes that know different
// things at different places: facts for prove and guard, signs of zeros for follow. What a
// pass knows is a state, which is copied where control forks and met where it joins. Loops
// take no second round: what their bodies assign is forgotten before the first.

// state is what a pass knows at a place of a kernel; nil is a place where control never
// comes.
type state[S any] interface {
	*S
	clone() *S
	forget(local int) // ends what is known of a local
	meet(other *S)    // keeps what both know
}

// flow goes through a kernel in the order in which it runs, and knows at each
// statement what holds there. O(statements), each once.
type flow[S any, P state[S]] struct {
	// at looks at a statement, and has the state hold what does after its value, or
	// after the assignment that it is.
	at func(s *ir.Stmt, now P)
	// arm adds what an If says at the beginning of one of its lists. Nil: nothing.
	arm func(s *ir.Stmt, taken bool, now P)

	exits map[int]P // by label: what holds at all Leaves
}

// body returns what holds after a list, nil when control never comes there. It
// changes now.
func (w *flow[S, P]) body(stmts []*ir.Stmt, now P) P {
	for _, s := range stmts {
		if now == nil {
			return nil
		}
		now = w.stmt(s, now)
	}
	return now
}

// stmt returns what holds after a statement.
func (w *flow[S, P]) stmt(s *ir.Stmt, now P) P {
	w.at(s, now)
	switch s.Kind {
	case ir.If:
		return w.branch(s, now)
	case ir.Block: // exits of an earlier block of the same label are not its own
		delete(w.exits, s.Label)
		end := w.body(s.Body, now)
		return join[S](end, w.exits[s.Label])
	case ir.Loop:
		for local := range ir.Assigned(s.Body) {
			now.forget(local) // the second turn begins with what the first leaves
		}
		w.body(s.Body, now)
		return nil
	case ir.Leave:
		if s.Label == ir.Row {
			return nil // nothing comes after the row
		}
		if w.exits == nil {
			w.exits = map[int]P{}
		}
		w.exits[s.Label] = join[S](w.exits[s.Label], now)
		return nil
	case ir.Stop:
		return nil
	}
	return now
}

// branch goes through both arms of an If, the first with a copy. One that only ends the row
// needs no copy: nearly all that a row may stop at is such an arm.
func (w *flow[S, P]) branch(s *ir.Stmt, now P) P {
	enter := func(list []*ir.Stmt, taken bool, now P) P {
		if w.arm != nil {
			w.arm(s, taken, now)
		}
		return w.body(list, now)
	}
	if n := len(s.Body); n == 1 && (s.Body[0].Kind == ir.Stop || s.Body[0].Kind == ir.Leave && s.Body[0].Label == ir.Row) {
		return enter(s.Else, false, now)
	}
	then := enter(s.Body, true, now.clone())
	return join[S](then, enter(s.Else, false, now))
}

// join is what holds where two places lead to one.
func join[S any, P state[S]](a, b P) P {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	a.meet(b)
	return a
}
