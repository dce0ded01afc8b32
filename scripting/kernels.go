package scripting

import (
	"cmp"
	"errors"
	"sync"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/bindings/symbol"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// kernels is what the host needs to make them.
//
// Lifetimes: the engine is made for the first kernel, by a step or by a dry run before it. One of a dry run whose
// set is refused waits for the next set. From the first kernel of the game on, it stays.
type kernels struct {
	program  *Program        // whose runtime the engine shares; nil: it has one of its own
	reported map[string]bool // what was said about systems that are not compiled
	warned   bool            // that nothing can be compiled here
	absent   bool            // for tests that compare: as where there is no compiler

	mu     sync.Mutex // guards what follows; held while the engine is made
	engine *kernel.Engine
	in     *kernel.Runtime // of a program, in which it was made; nil: it has one of its own
	err    error           // why there is no engine
	stays  bool            // the game has had a kernel
	closed bool

	beside sync.WaitGroup // compilations beside the ticks
	last   chan struct{}  // closed when the one that was begun last has ended; nil: there was none
	delay  func()         // for tests: what each does first
}

// compileTime is how long the functions over rows of one load may take to compile, in
// microseconds as the compiler reckons them. A thousand systems of twenty lines need a
// tenth of it. What is beyond is run by the VM.
const compileTime = 20_000_000

// compileBudget returns the budget of a load. The dry run of a set and the step that takes
// it over reckon alike: the step compiles what the dry run has compiled.
func compileBudget() *kernel.CompileBudget {
	return &kernel.CompileBudget{Name: "compileTime", Most: compileTime}
}

// kernelMemory is the memory of a world, which kernels work on. It is the same as long as the world lives.
type kernelMemory struct {
	bytes []byte
	at    ecs.MemoryMap
}

func kernelMemoryOf(w *ecs.World) kernelMemory {
	return kernelMemory{w.Raw().Memory(), w.Raw().MemoryMap()}
}

// open returns the engine for a kernel of the game, and makes it if this is the first one.
func (k *kernels) open(w *ecs.World) (*kernel.Engine, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.stays {
		k.make(k.program, kernelMemoryOf(w))
		k.stays = true
	}
	return k.engine, k.err
}

// try returns the engine for the dry run of a set, which may come from another program; nil if there can be none, or if
// the world had no memory yet. Any goroutine may call it.
func (k *kernels) try(p *Program, m kernelMemory) *kernel.Engine {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.stays && m.bytes != nil {
		k.make(p, m)
	}
	return k.engine
}

// make makes the engine in the runtime of a program, nil for one of its own, unless it is there. One that was made for
// another program, and that has no kernel of the game, makes way.
func (k *kernels) make(p *Program, m kernelMemory) {
	if k.closed {
		k.err = ErrClosed
		return
	}
	var shared *kernel.Runtime
	var err error
	if p != nil {
		shared, err = p.runtime()
	}
	tried := k.engine != nil || k.err != nil
	if tried && k.in == shared {
		return
	}
	if k.engine != nil {
		_ = k.engine.Close() // memory that the engine cannot give back is lost, whatever is done about it
	}
	k.engine, k.in = nil, shared
	if k.absent {
		shared, err = kernel.NewInterpreter()
	}
	switch {
	case err != nil:
	case shared != nil:
		k.engine, err = kernel.NewEngineIn(shared, m.bytes, m.at)
	default:
		k.engine, err = kernel.NewEngine(m.bytes, m.at)
	}
	if k.err = err; err != nil {
		k.engine = nil
	}
}

// close ends the engine, if there is one. It waits for compilations, each of which is at its end
// within some hundred milliseconds.
func (k *kernels) close() error {
	k.beside.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	if k.engine == nil {
		return nil
	}
	err := k.engine.Close()
	k.engine = nil
	return err
}

// whyNot puts the reason why there is no kernel to its place: in the text of the function,
// which need not be that of the system.
func (vm *interpreter) whyNot(s *bindings.KernelSource, err error) *diag.Error {
	why := (&diag.Error{Message: err.Error(), Err: err}).On(s.Place)
	if refusal, ok := errors.AsType[*kernel.Refusal](err); ok {
		why.Message = refusal.Message()
		file := lua.Proto(s.Closure).SourceName
		p, _ := vm.program(lua.Proto(s.Closure))
		if p != nil && refusal.Mistake != nil && refusal.Mistake.Nil != nil {
			p.pin()
		}
		if p != nil && (file == s.Script && refusal.Line() >= s.Line || file != s.Script && refusal.Line() > 0) {
			why.Put(p.place(refusal.Pos))
		}
	}
	return why
}

// notWritten says that a function's text is not in its system's table.
func notWritten() error {
	return &kernel.Refusal{What: "a function that is not written out in its system's table"}
}

// makeKernel does the rest of a translation, compiles it and ties it to the world: to the
// components, events and prefabs that it names.
//
// Where there is no compiler, the error wraps [rows.ErrNoCompiler], and the VM gets the function:
// it has the same results, and is faster than an interpreter of kernels. precision = "f32" asks
// for results that it does not have, and these kernels are interpreted. A function that has no
// translation is refused there as anywhere else.
func (h *Host) makeKernel(s *bindings.KernelSource, l *kernel.Lowered) (*kernel.Kernel, error) {
	p, err := l.Translate()
	if err != nil {
		return nil, err
	}
	if l := worthReporting(p.Fallbacks()); l != nil && s.Required {
		return nil, &kernel.Refusal{Pos: syntax.At(l.Line, l.Column), What: l.What, Instead: l.Instead, In: l.In}
	}
	e, err := h.kernels.open(h.world)
	if err != nil {
		return nil, err
	}
	if e.Interprets() && !s.Single {
		return nil, rows.ErrNoCompiler
	}
	var calls []symbol.HostCall
	for _, call := range p.HostCalls() {
		at := symbol.HostCall{Op: call.Op, Script: cmp.Or(call.At.File, s.Script), Line: call.At.Line, Column: call.At.Column}
		for _, part := range call.Parts {
			at.Parts = append(at.Parts, symbol.Part{Ref: part.Ref, Fields: part.Fields})
		}
		calls = append(calls, at)
	}
	var refs []any
	for _, t := range p.Components() {
		refs = append(refs, t.Ref)
	}
	return kernel.New(p, e, h.binding.NewKernelHost(calls, refs))
}

// worthReporting returns the first branch that a kernel leaves to the VM,
// nil if there is none but for what is made for seldom: a line in the log.
func worthReporting(list []kernel.Fallback) *kernel.Fallback {
	for _, l := range list {
		if !l.Rare {
			return &l
		}
	}
	return nil
}

// lower does the part of a translation that reads the values of scripts.
func (vm *interpreter) lower(s *bindings.KernelSource) (*kernel.Lowered, error) {
	p, id, ok := vm.each(s.Closure)
	if !ok {
		return nil, notWritten()
	}
	return vm.lowerFor(s, p, id)
}

// lowerFor is lower for a function of a text. What a dry run has lowered, the step need not, where the game gives
// the same answers; so it is with hosts that share a text.
func (vm *interpreter) lowerFor(s *bindings.KernelSource, p *program, id syntax.FuncID) (*kernel.Lowered, error) {
	sig := vm.signature(s)
	sig.Shared = p.shared || vm.translations == nil
	if vm.tried != nil {
		return vm.tried.Lower(p.learned().kernels(), id, sig)
	}
	return vm.translations.Lower(p.learned().kernels(), id, sig)
}

// tableChanges is what scripts change of tables after their top levels have run.
type tableChanges struct {
	assigned map[string]bool  // names of fields, of whichever table
	computed map[tableAt]bool // where names are computed, see analysis.Changes
	handed   map[string]bool  // the files whose tables may be had by other names; empty: all
}

// tableAt is a table that is written out in a text; the zero one stands for all others.
type tableAt struct {
	in *program
	at syntax.Pos
}

// tableAt returns the table at a place of the text, and that of no place.
func (p *program) tableAt(at syntax.Pos) tableAt {
	if at == (syntax.Pos{}) {
		return tableAt{}
	}
	return tableAt{p, at}
}

// complete reports whether a table gets no other fields by computed names. own
// says that nobody has it by another name.
func (c *tableChanges) complete(table tableAt, own bool) bool {
	return !c.computed[table] && (own || !c.computed[tableAt{}])
}

// mistake returns the error that a system's each function raises for every row, if that is
// why it has no kernel.
func (c *callCheck) mistake(sys *bindings.System) *Error {
	_, why := sys.Kernel()
	s, ok := sys.KernelSource()
	if why == nil || !ok {
		return nil
	}
	refusal, ok := errors.AsType[*kernel.Refusal](why.Err)
	p, _ := c.vm.program(lua.Proto(s.Closure))
	if !ok || p == nil || refusal.Mistake == nil {
		return nil
	}
	m := refusal.Mistake
	if m.Nil != nil && !c.staysNil(p, m.Nil) {
		return nil
	}
	e := &Error{Message: m.What + diag.DidYouMean(m.Name, m.Among)}
	e.Put(p.place(refusal.Pos))
	e.Quote()
	return e
}

// staysNil reports whether an operand that was nil when its script was loaded is nil for
// good: a local that nothing assigns, or a field of a table that is written out, which no
// function assigns.
func (c *callCheck) staysNil(p *program, e syntax.Expr) bool {
	read, inner := p.learned(), false
	for ; ; inner = true {
		index, ok := e.(*syntax.Index)
		if !ok {
			break
		}
		key, ok := index.Key.(*syntax.String)
		if !ok || c.assigned[key.Value] {
			return false
		}
		e = index.Object
		if table, ok := read.Tree.Names.ValueOf(e).(*syntax.Table); ok {
			return c.complete(p.tableAt(table.Pos), read.Own(e) && !inner)
		}
		if module, certain := read.ModuleOf(e); certain {
			_, complete := c.exports(p.name, module)
			return complete && !inner
		}
	}
	name, ok := e.(*syntax.Name)
	if !ok {
		return false
	}
	v := read.Tree.Names.Variable(name)
	return v != nil && len(v.Assigned) == 0 && (!inner || !c.computed[tableAt{}])
}
