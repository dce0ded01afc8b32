package machine

// vectorSet is a set of vectors, or of registers.
type vectorSet [4]uint64

func (s *vectorSet) add(r uint16)      { s[r>>6] |= 1 << (r & 63) }
func (s *vectorSet) drop(r uint16)     { s[r>>6] &^= 1 << (r & 63) }
func (s *vectorSet) has(r uint16) bool { return s[r>>6]>>(r&63)&1 != 0 }

func (s *vectorSet) join(t *vectorSet) (more bool) {
	for i := range s {
		more = more || t[i]&^s[i] != 0
		s[i] |= t[i]
	}
	return more
}

// tidy removes moves whose copy nobody reads. kept are the vectors that
// are read after the turns. It returns those that must be filled before them.
func (b *block) tidy(kept *vectorSet) (filled vectorSet) {
	b.followCopies()
	b.computeInPlace(kept)
	b.followCopies()
	filled = b.dropUnread(kept)
	for i := range b.known {
		k := &b.known[i]
		if !filled.has(k.vector) {
			k.vector = 0
		}
		if !filled.has(k.truth) {
			k.truth = 0
		}
	}
	if !filled.has(b.turn) {
		b.turn = 0
	}
	b.cost = 0
	for i := range b.code {
		if b.cost += int64(b.code[i].cost); b.code[i].op >= blockEqual {
			b.cost++
		}
	}
	return filled
}

// followCopies has instructions read what was copied in the place of the copy, as long as both
// are the same.
func (b *block) followCopies() {
	copies := make([]uint16, b.vectors) // 0: it is none
	forget := func(d uint16) {
		copies[d] = 0
		for v := range copies {
			if copies[v] == d {
				copies[v] = 0
			}
		}
	}
	for i := range b.code {
		in := &b.code[i]
		if in.op == blockJoin {
			clear(copies)
			continue
		}
		if c := copies[in.x]; c != 0 {
			in.x = c
		}
		if c := copies[in.y]; c != 0 {
			in.y = c
		}
		if in.op < blockJump || in.op == blockForLoop {
			forget(in.d)
		}
		if in.op == blockMove && in.x != in.d {
			copies[in.d] = in.x
		}
	}
}

// computeInPlace has what is computed, and then moved to a vector that is kept, computed there.
func (b *block) computeInPlace(kept *vectorSet) {
	for j := range b.code {
		move := &b.code[j]
		if move.op != blockMove || !kept.has(move.d) || kept.has(move.x) {
			continue
		}
		to, from := move.d, move.x
		i := b.computes(j, to, from)
		if i < 0 {
			continue
		}
		b.code[i].d = to
		for k := i + 1; k < j; k++ {
			if in := &b.code[k]; in.x == from {
				in.x = to
			}
			if in := &b.code[k]; in.y == from {
				in.y = to
			}
		}
		move.d, move.x = from, to
	}
}

// computes returns the instruction that computes what another one moves, if nothing between them
// uses the place to which it is moved; −1: there is none.
func (b *block) computes(j int, to, from uint16) int {
	for i := j - 1; i >= 0; i-- {
		in := &b.code[i]
		switch {
		case in.op >= blockJump || in.d == from && in.op == blockMove:
			return -1
		case in.d == from:
			return i
		case in.d == to || in.x == to || in.y == to:
			return -1
		}
	}
	return -1
}

// dropUnread removes moves to vectors that nobody reads, and places the labels. It
// returns the vectors that are read before they are written.
func (b *block) dropUnread(kept *vectorSet) (live vectorSet) {
	at := make([]vectorSet, len(b.labels))
	read := make([]bool, len(b.code))
	for changed := true; changed; {
		changed, live = false, *kept
		for i := len(b.code) - 1; i >= 0; i-- {
			in := &b.code[i]
			switch {
			case in.op == blockJoin:
				changed = at[in.to].join(&live) || changed
			case in.op == blockJump:
				live = at[in.to]
			case in.op == blockStop:
				live = vectorSet{}
			case in.op == blockForLoop:
				on := at[in.to]
				on.drop(in.function)
				live.join(&on)
				live.add(in.d)
				live.add(in.x)
				live.add(in.y)
			case in.op >= blockEqual:
				live.join(&at[in.to])
				live.add(in.x)
				live.add(in.y)
			default:
				// What computes is never taken away: it also says that its operands are numbers.
				if read[i] = in.op != blockMove || live.has(in.d) && in.x != in.d; read[i] {
					live.drop(in.d)
					live.add(in.x)
					live.add(in.y)
				}
			}
		}
	}
	code := b.code[:0]
	for i, in := range b.code {
		if in.op < blockJump && !read[i] {
			continue
		}
		if in.op == blockJoin {
			b.labels[in.to] = len(code)
		}
		code = append(code, in)
	}
	b.code = code
	live.drop(0)
	return live
}
