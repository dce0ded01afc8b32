package bindings

import (
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// Kernel is an each function that was compiled. It leaves the same bytes behind
// as the function would, called row by row.
type Kernel interface {
	// Run runs the rows from next on and returns the row at which it stopped, or
	// rows at the end. A row at which it stops is as it was: the Lua machine must
	// run it, and has the last word about it. columns holds the address of each
	// term's first value, nil for terms that the rows lack.
	Run(t *ecs.Tick, columns []unsafe.Pointer, next, rows int) int
	// Safe reports that Run never stops before the end. Then the call needs no
	// copy of what it writes.
	Safe() bool
	// Close ends the kernel.
	Close()
}

// KernelSource is what a kernel is made of.
type KernelSource struct {
	System   string
	Line     int            // of the system
	Function int            // what KernelFunction says, -1 for functions without it
	Closure  *lua.LFunction // for its captured values
	Terms    []KernelTerm   // the parameters after the entity
}

// KernelTerm is one component of the query.
type KernelTerm struct {
	Schema *ecs.Schema
	Away   string // why a kernel cannot reach it; empty: it can
}

// KernelMode is what a system's option kernel says.
type KernelMode string

// The modes.
const (
	KernelAuto    KernelMode = "auto"    // where possible; the zero mode means the same
	KernelRequire KernelMode = "require" // or the load is refused
	KernelOff     KernelMode = "off"     // never: for comparing, and for finding faults
)

// kernelState is what a system knows about its kernel.
type kernelState struct {
	mode     KernelMode
	function int // see KernelSource
	made     Kernel
	why      *Error // there is none
}

func (k *kernelState) close() {
	if k.made != nil {
		k.made.Close()
		k.made = nil
	}
}

// Kernel returns the system's kernel or, where it could have one, why it has
// none. Systems with kernel = "off" and those without an each function over a
// query have neither.
func (s *System) Kernel() (Kernel, *Error) { return s.kernel.made, s.kernel.why }

// kernel reads the option.
func (r *optionReader) kernel(v lua.LValue) {
	modes := []string{string(KernelAuto), string(KernelRequire), string(KernelOff)}
	if s, ok := v.(lua.LString); ok && slices.Contains(modes, string(s)) {
		r.s.kernel.mode = KernelMode(s)
		return
	}
	r.complain("kernel: expected one of %q, got %s", modes, describe(v))
}

// compile makes the kernels of a load. The problems are those of systems that
// must have one.
func (m *Module) compile(fresh []*Script) []*Error {
	var problems []*Error
	for _, s := range fresh {
		for _, sys := range s.Systems {
			if len(s.Problems) > 0 || sys.shape == nil || sys.kernel.mode == KernelOff || m.opts.Compile == nil {
				continue
			}
			k := &sys.kernel
			if k.made, k.why = m.kernelOf(sys); k.made != nil {
				m.staged.kernels = append(m.staged.kernels, k.made)
			} else if k.mode == KernelRequire {
				problems = append(problems, k.why)
			}
		}
	}
	return problems
}

// KernelSource returns what the system's kernel is made of, whether it has one or
// not; false when it has no each function over a query.
func (s *System) KernelSource() (KernelSource, bool) {
	if s.shape == nil {
		return KernelSource{}, false
	}
	source := KernelSource{System: s.Name, Line: s.Line, Function: s.kernel.function, Closure: s.each}
	for _, c := range s.query.terms() {
		term := KernelTerm{Schema: c.schema}
		switch {
		case slices.Contains(s.query.optional, c):
			term.Away = "an optional component"
		case c.heap:
			term.Away = "a component with Go pointers"
		}
		source.Terms = append(source.Terms, term)
	}
	return source, true
}

// kernelOf makes the kernel of one system.
func (m *Module) kernelOf(s *System) (Kernel, *Error) {
	source, _ := s.KernelSource()
	made, why := m.opts.Compile(source)
	if made != nil && !s.shape.numbers() {
		made.Close()
		made, why = nil, &Error{Line: s.each.Proto.LineDefined, Message: "this use of a parameter is not available in kernels"}
	}
	if why != nil {
		why.Script, why.System = s.Script, s.Name
	}
	return made, why
}

// compiled has the kernel work on a view. The rows at which it stops are the Lua
// machine's: to raise the error that they are, or to take the time they need. So
// are those of parked entities.
func (x *eachRun) compiled(L *lua.LState, v *view) {
	for _, arg := range x.shape.results {
		c := &v.columns[arg.term]
		if c.saved {
			continue
		}
		c.saved = true
		if !x.kernel.Safe() {
			x.m.keep(v, c)
		}
		x.m.stamp(v, c)
	}
	for i := range x.address {
		x.address[i] = v.columns[i].at(0)
	}
	n := len(v.entities)
	for next := 0; next < n; next++ {
		if stop := x.faults.next(v.entities, next); next < stop {
			next = x.kernel.Run(x.tick, x.address, next, stop)
		}
		if next < n {
			x.interpret(L, v.row(next))
		}
	}
}
