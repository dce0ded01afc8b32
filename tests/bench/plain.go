package main

// plain is Go without a library: the floor for loops, and the judge of what
// everybody's operations must leave behind.
func plain() contender {
	iterate := func(n int) *trial {
		p := newPlain(n)
		return &trial{steps: []func(){func() { step(p.p, p.v) }}, sum: p.sum}
	}
	return contender{name: "plain slices", floor: true, make: map[string]func(int) *trial{
		opChunks: iterate, opRows: iterate, opSpread32: iterate, opSpread256: iterate, opBeside: iterate,
		opOne:    plainOne,
		opGet:    plainGet,
		opCreate: plainCreate, opCreateAll: plainCreate,
		opAddRemove: plainAddRemove, opExchangeAll: plainAddRemove,
		opDestroy: plainDestroy, opDestroyAll: plainDestroy,
		opWorld: func(int) *trial {
			p := &plainWorld{}
			return &trial{steps: []func(){func() {
				for range 10 {
					p = &plainWorld{}
				}
			}}, sum: p.sum}
		},
	}}
}

// plainWorld is two columns.
type plainWorld struct {
	p []Position
	v []Velocity
}

func newPlain(n int) *plainWorld {
	w := &plainWorld{}
	for i := range n {
		w.p, w.v = append(w.p, start(i)), append(w.v, speed)
	}
	return w
}

func (w *plainWorld) sum() float64 {
	s := 0.0
	for _, p := range w.p {
		s += sumOf(p)
	}
	for _, v := range w.v {
		s += v.X + v.Y
	}
	return s
}

func plainOne(int) *trial {
	w := newPlain(1)
	return &trial{steps: []func(){func() {
		for range 1000 {
			step(w.p, w.v)
		}
	}}, sum: w.sum}
}

func plainGet(n int) *trial {
	w, order, total := newPlain(n), shuffled(n), 0.0
	return &trial{steps: []func(){func() {
		sum := 0.0
		for _, i := range order {
			sum += w.p[i].X
		}
		total += sum
	}}, sum: func() float64 { return total }}
}

func plainCreate(n int) *trial {
	w := &plainWorld{}
	return &trial{
		prepare: func() { w.p, w.v = w.p[:0], w.v[:0] },
		steps: []func(){func() {
			for range n {
				w.p, w.v = append(w.p, born), append(w.v, speed)
			}
		}},
		sum: w.sum,
	}
}

func plainAddRemove(n int) *trial {
	w := newPlain(n)
	w.v = w.v[:0]
	return &trial{steps: []func(){
		func() {
			for range n {
				w.v = append(w.v, speed)
			}
		},
		func() { w.v = w.v[:0] },
	}, sum: w.sum}
}

func plainDestroy(n int) *trial {
	w := &plainWorld{}
	return &trial{
		prepare: func() { *w = *newPlain(n) },
		steps:   []func(){func() { w.p, w.v = w.p[:0], w.v[:0] }},
		sum:     w.sum,
	}
}
