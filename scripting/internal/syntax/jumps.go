package syntax

// jumps are the jumps of a text that gopher-lua's compiler gets wrong as they stand.
//
// The compiler closes the captured variables of a loop's own block at a break, but not
// those of blocks inside it, so a closure made there would see its registers reused. Such
// a break is lowered to a goto, which closes them. A goto closes the variables of all
// blocks of the function, those that it stays in too; where it leaves no captured
// variable, finish takes that instruction out.
type jumps struct {
	leaves map[*Break]Stmt // the loops of breaks that are lowered to a goto
	keeps  map[*Goto]bool  // those that leave no captured variable
}

// A jump is a break or a goto and the blocks that it leaves.
type jump struct {
	stmt   Stmt
	from   *scope
	active []int  // number of variables at the jump, by block from the inside
	to     *scope // in which it stays
	kept   int    // number of variables of that block at the place to which it leads
}

// settle decides about the jumps, once it is known which variables are captured and
// where the labels are.
func (r *resolver) settle() {
	// A variable may be captured, and a label may stand, after the jump in the text.
	found := jumps{leaves: map[*Break]Stmt{}, keeps: map[*Goto]bool{}}
	for _, jump := range r.breaks {
		if jump.closes() {
			found.leaves[jump.stmt.(*Break)] = jump.to.loop
		}
	}
	for _, jump := range r.gotos {
		if r.lead(jump) && !jump.closes() {
			found.keeps[jump.stmt.(*Goto)] = true
		}
	}
	r.names.jumps = found
}

// closes tells whether a block that is left, and that had a variable by then, has
// captured variables.
// Invariant: active[i] belongs to the i-th block from the jump outwards, so the loop
// and active walk the same blocks. resolve or breakJump must have set the block that it
// stays in.
func (j *jump) closes() bool {
	i := 0
	for s := j.from; s != j.to; s = s.outer {
		if s.captured && j.active[i] > 0 {
			return true
		}
		i++
	}
	return j.to.captured && j.active[i] > j.kept
}

// active lists how many variables each block of the function has at this point.
func (r *resolver) active() []int {
	var counts []int
	for s := r.scope; s != nil && s.function == r.function; s = s.outer {
		counts = append(counts, s.declared)
	}
	return counts
}

// breakJump is a jump out of the blocks inside the loop; the compiler closes the block
// of the loop itself.
// The parser has refused a break without a loop, so the search ends.
func (r *resolver) breakJump(stmt *Break) *jump {
	j := &jump{stmt: stmt, from: r.scope, active: r.active()}
	for j.to = r.scope; j.to.loop == nil; j.to = j.to.outer {
	}
	j.kept = j.to.declared
	return j
}

// A label is a place in a block to which a goto leads.
type label struct {
	pos   Pos
	kept  int    // number of variables of the block there
	local string // the newest of them; empty where no statement follows that could name it
}

// label notes where a label stands among the variables of its block. followed says that
// others than labels follow in the block.
func (r *resolver) label(stmt *Label, followed bool) {
	s := r.scope
	if old, twice := s.labels[stmt.Name]; twice {
		r.fail(stmt.Pos, "label %q is on line %d already", stmt.Name, old.pos.Line())
		return
	}
	l := label{pos: stmt.Pos, kept: s.declared}
	_, until := s.loop.(*Repeat) // the condition can name it
	if followed || until {
		l.local = s.newest
	}
	if s.labels == nil {
		s.labels = map[string]label{}
	}
	s.labels[stmt.Name] = l
}

// lead finds the label of a goto: in the blocks around it, of its own function. It is false
// where there is none to which the goto may lead.
func (r *resolver) lead(j *jump) bool {
	stmt := j.stmt.(*Goto)
	i := 0
	for s := j.from; s != nil && s.function == j.from.function; s = s.outer {
		if l, ok := s.labels[stmt.Label]; ok {
			j.to, j.kept = s, l.kept
			into := l.kept > j.active[i] && l.local != ""
			if into {
				r.fail(stmt.Pos, "goto %s jumps into the scope of the local %q", stmt.Label, l.local)
			}
			return !into
		}
		i++
	}
	r.fail(stmt.Pos, "goto %s: there is no such label, or it is inside of another block", stmt.Label)
	return false
}
