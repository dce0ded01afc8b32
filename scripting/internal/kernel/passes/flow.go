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
	// arms adds what an If says at the beginning of both its lists. Nil: nothing.
	arms func(s *ir.Stmt, then, otherwise P)

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

// stmt returns what holds after a statement. Of the two arms of an If, the first goes on with
// now itself and the other with a copy.
func (w *flow[S, P]) stmt(s *ir.Stmt, now P) P {
	w.at(s, now)
	switch s.Kind {
	case ir.If:
		otherwise := P(now.clone())
		if w.arms != nil {
			w.arms(s, now, otherwise)
		}
		return join[S](w.body(s.Body, now), w.body(s.Else, otherwise))
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
