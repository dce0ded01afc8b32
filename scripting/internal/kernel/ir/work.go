package ir

// This file estimates how long a row takes. The caller asks before it gives rows to several
// goroutines: for few nanoseconds of work it is faster alone.

// It also counts rows against the limit of a tick, so the figures are rather too high than too low.
//
// What is dear, in nanoseconds; all else counts one. A call of what is no formula leaves the
// kernel, and so does a question; a change is noted, and made when the rows are done.
var work = map[Op]int64{
	Div: 4, Sqrt: 5, Mod: 8, Call: 20, Sincos: 20, Random: 10, Draw: 20,
	Alive: 5, Record: 5, Find: 5, Load: 2, Item: 2, Fetch: 60, Ask: 60, Invoke: 300, Do: 150,
}

// dear are formulas that take longer than others.
var dear = map[string]int64{"pow": 40, "sinh": 40, "cosh": 40, "tanh": 40}

// hosted is a call of the host.
const hosted = 60

// Outside is how many nanoseconds a formula takes more for a value for which it does not hold, such
// as the sine of 1e300 or a power of 0: the kernel is left, and the host computes it. Kernels count
// such calls while they run, since no text says how many there will be.
const Outside = 150

// perWord is how many nanoseconds it takes to note 8 bytes of a long value, and to make the change: as
// much as the VM charges.
const perWord = 10

// A line of the cache has cacheLine bytes. To read one of a column that is longer than the cache, or to write it,
// takes perLine nanoseconds: columns are walked through, so that the processor asks for the next ones ahead.
const (
	cacheLine = 64
	perLine   = 4
)

// mostWork is what is said of a function that needs more. It is far from the end of int64,
// so that sums and products of two bounded figures cannot overflow.
const mostWork = 1 << 40

// Work returns how many nanoseconds a row takes at most, about: of branches the dearer
// one, of loops all turns, but for those that need fuel, which are paid for with it. It is usual
// where all formulas hold and changes have no long values, outside where no formula holds, and most
// where all changes that the row may make are made besides, of all their bytes.
func (f *Func) Work() (usual, outside, most int64) {
	n := 1 + f.memory()
	for i := range f.Fields {
		if n++; f.Fields[i].Store {
			n++
		}
	}
	of := func(x extra) int64 { return min(n+f.workOf(f.Body, x), mostWork) }
	return of(extra{}), of(extra{formula: Outside}), of(extra{formula: Outside, word: perWord})
}

// memory returns how many nanoseconds a row waits for memory: where rows are wider than a line of the cache, each line
// with a field comes from there, and goes back if the field is written. Of narrow rows a line has several.
func (f *Func) memory() (n int64) {
	type line struct {
		column int
		at     uint32
	}
	written := map[line]bool{}
	for i := range f.Fields {
		field := &f.Fields[i]
		if f.Columns[field.Column].Stride >= cacheLine {
			l := line{field.Column, field.Offset / cacheLine}
			written[l] = written[l] || field.Store
		}
	}
	for _, back := range written {
		if n += perLine; back {
			n += perLine
		}
	}
	return n
}

// extra is what a formula takes more, and what 8 bytes of a long value take in a change.
type extra struct{ formula, word int64 }

// workOf returns the work of a list, at most mostWork. Leaves of a tree cost nothing: they are in
// registers, or part of the instruction that reads them.
func (f *Func) workOf(stmts []*Stmt, more extra) (n int64) {
	for _, s := range stmts {
		n++
		if s.Value != nil {
			s.Value.Walk(func(e *Expr) {
				switch formula := e.Op.Formula(e.Name); {
				case formula != "":
					n += max(work[e.Op], dear[e.Name]) + more.formula
				case e.Op == Do:
					n += work[Do] + f.HostCalls[e.HostCall].Copied()/8*more.word
				case e.Op == Call:
					n += hosted
				case len(e.Args) > 0 || e.Op == Random:
					n += max(work[e.Op], 1)
				}
			})
		}
		inner, turns := max(f.workOf(s.Body, more), f.workOf(s.Else, more)), max(int64(s.Turns), 1)
		n = min(n+min(inner, mostWork/turns)*turns, mostWork)
	}
	return n
}
