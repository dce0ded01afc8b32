package ir

// This file estimates how long a row takes. The caller asks before it gives rows to several
// goroutines: for few nanoseconds of work it is faster alone.

// The figures are rough: they only decide whether a second goroutine is worth its start,
// where a factor of two is no matter.
//
// What is dear, in nanoseconds; all else counts one. A call of what is no formula leaves the
// kernel, and so does a question; a change is noted, and made when the rows are done.
var work = map[Op]int64{
	Div: 4, Sqrt: 5, Mod: 6, Call: 15, Sincos: 20, Random: 10, Draw: 20,
	Alive: 5, Record: 5, Find: 5, Load: 2, Item: 2, Fetch: 60, Ask: 60, Invoke: 300, Do: 150,
}

// hosted is a call of the host.
const hosted = 60

// mostWork is what is said of a function that needs more. It is far from the end of int64,
// so that sums and products of two bounded figures cannot overflow.
const mostWork = 1 << 40

// Work returns how many nanoseconds a row takes at most, about: of branches the dearer
// one, of loops all turns, but for those that need fuel, which are paid for with it.
func (f *Func) Work() int64 {
	n := int64(1)
	for i := range f.Fields {
		if n++; f.Fields[i].Store {
			n++
		}
	}
	return min(n+workOf(f.Body), mostWork)
}

// workOf returns the work of a list, at most mostWork. Leaves of a tree cost nothing: they are
// in registers, or part of the instruction that reads them.
func workOf(stmts []*Stmt) (n int64) {
	for _, s := range stmts {
		n++
		if s.Value != nil {
			s.Value.Walk(func(e *Expr) {
				switch {
				case e.Op == Call && e.Op.Formula(e.Name) == "":
					n += hosted
				case len(e.Args) > 0 || e.Op == Random:
					n += max(work[e.Op], 1)
				}
			})
		}
		inner, turns := max(workOf(s.Body), workOf(s.Else)), max(int64(s.Turns), 1)
		n = min(n+min(inner, mostWork/turns)*turns, mostWork)
	}
	return n
}
