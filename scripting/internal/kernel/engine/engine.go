// Package engine runs kernels: WebAssembly modules whose memory is a world's
// arena. It is the one package that knows the WebAssembly runtime.
//
// There are four nouns. A [Runtime] has the machine code, of one engine or of many. An
// [Engine] belongs to one arena. A [Module] is one kernel in it: machine code with the
// arena's memory; engines keep modules by their bytes, so that a reload that changes nothing
// compiles nothing. An [Invoker] calls a module, one of several at the same time.
//
// # Lifetimes
//
// A module lives until every Load of its bytes was answered by a Release. Close
// ends them all; the arena must outlive the engine, and what runs must have
// returned. Load and Release may be called from any goroutine, also while others
// run kernels; an Invoker belongs to one goroutine at a time.
//
// A runtime is shared by engines on any goroutines. It ends with the last engine that is
// reachable, when nobody has it any more: it has nothing that the collector would not find.
package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// Page is the size of a memory page. An arena has at most 65,535 of them: with
// one more, every access traps in the runtime that we use.
const Page = 64 << 10

// ErrUnsupported says that no module can have an arena.
var ErrUnsupported = errors.New("kernels cannot work on this memory")

// ErrClosed answers a Load of an engine that was closed.
var ErrClosed = errors.New("the engine of kernels is closed")

// Engine runs kernels over one arena.
type Engine struct {
	ctx     context.Context // with the arena
	runtime *Runtime
	own     bool // nobody else has the runtime
	pages   uint32
	owner   any

	mu      sync.Mutex // guards what follows, and the uses of modules; not held while one is compiled
	modules map[string]*Module
	made    int // of them, in all
	closed  bool
}

// callContext is the context of the calls of one invoker. It names the engine's owner to functions of
// the host, which all engines of a runtime share, and has nothing to be searched.
type callContext struct {
	owner   any
	outside int64 // calls of functions that are counted
}

// Deadline implements context.Context.
func (*callContext) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements context.Context.
func (*callContext) Done() <-chan struct{} { return nil }

// Err implements context.Context.
func (*callContext) Err() error { return nil }

// Value implements context.Context.
func (*callContext) Value(any) any { return nil }

// Shared is a module that others import functions from, by its name. It has no memory.
type Shared interface {
	Name() string
	Encode() []byte
}

// Func is a function of the host: Unary, Binary or Raw is set.
type Func struct {
	Name   string
	Unary  func(x float64) float64
	Binary func(x, y float64) float64
	// Raw gets its parameters, whose types are a letter each in Takes, and leaves
	// its results, of types Gives, in the first places: i is an int32, f a float64. The owner
	// is that of the engine whose kernel calls.
	Raw   func(owner any, stack []uint64)
	Takes string
	Gives string

	Counted bool // its calls are, see [Invoker.Outside]
}

// arena hands the world's memory to every module that asks for one.
type arena []byte

func (a arena) Allocate(_, _ uint64) experimental.LinearMemory { return a }

// Reallocate gives the first size bytes; modules ask for all of them.
func (a arena) Reallocate(size uint64) []byte {
	if size > uint64(len(a)) {
		return nil
	}
	return a[:size]
}

// Free does nothing: the world owns the arena.
func (a arena) Free() {}

// New makes the engine of an arena, with a runtime of its own; see NewIn.
func New(memory []byte, module string, functions []Func, owner any) (*Engine, error) {
	r, err := NewRuntime(module, functions)
	if err != nil {
		return nil, err
	}
	e, err := NewIn(r, memory, owner)
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	e.own, r.keep = true, 0
	return e, nil
}

// NewIn makes the engine of an arena in a runtime that others share. The owner is given to
// functions of the host that the engine's kernels call. The error wraps ErrUnsupported for an arena that
// no module can have.
func NewIn(r *Runtime, memory []byte, owner any) (*Engine, error) {
	pages := len(memory) / Page
	if pages == 0 || pages > 65535 {
		return nil, fmt.Errorf("%w: an arena of %d pages", ErrUnsupported, pages)
	}
	ctx := experimental.WithMemoryAllocator(context.Background(), arena(memory))
	return &Engine{ctx: ctx, runtime: r, pages: uint32(pages), owner: owner, modules: map[string]*Module{}}, nil
}

// Interprets reports whether modules are interpreted, because nothing can compile them here.
func (e *Engine) Interprets() bool { return e.runtime.interprets }

// Pages returns the size that a module must declare for its memory.
func (e *Engine) Pages() uint32 { return e.pages }

// Modules returns how many modules are loaded.
func (e *Engine) Modules() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.modules)
}

// Made returns how many modules were compiled and loaded so far.
func (e *Engine) Made() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.made
}

// Close ends the engine and all of its modules. A Load that is under way on
// another goroutine fails.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var errs []error
	for _, m := range e.modules {
		errs = append(errs, m.close())
	}
	e.closed = true
	clear(e.modules)
	if e.own {
		errs = append(errs, e.runtime.close())
	}
	return errors.Join(errs...)
}

// Module is a compiled kernel.
type Module struct {
	engine   *Engine
	bytes    string
	uses     int
	code     *machineCode
	instance api.Module
	function string
}

// Invoker calls a module's function. Invokers of one module can do so at the same
// time, on a goroutine each: all work on the same memory.
type Invoker struct {
	run  api.Function
	call *callContext
}

// Load compiles a module, or finds the one with the same bytes, whose invokers will
// call its exported function of that name. To compile takes about a millisecond, in
// which other goroutines find what is there already. The modules that it imports
// from are compiled with the first that does, and stay until Close. The error wraps
// rows.ErrNoCompiler where the system has refused executable memory.
func (e *Engine) Load(bytes, function string, shared ...Shared) (*Module, error) {
	if m, err := e.find(bytes); m != nil || err != nil {
		return m, err
	}
	for _, m := range shared {
		if err := e.runtime.provide(m); err != nil {
			return nil, err
		}
	}
	m, err := e.compile(bytes, function)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, errors.Join(ErrClosed, m.close())
	}
	if first := e.modules[m.bytes]; first != nil { // another goroutine was faster
		first.uses++
		return first, m.close()
	}
	e.modules[m.bytes] = m
	e.made++
	return m, nil
}

// find returns the loaded module of the same bytes, nil if there is none.
func (e *Engine) find(bytes string) (*Module, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, ErrClosed
	}
	m := e.modules[bytes]
	if m != nil {
		m.uses++
	}
	return m, nil
}

func (e *Engine) compile(bytes, function string) (*Module, error) {
	m := &Module{engine: e, bytes: bytes, uses: 1, function: function}
	var err error
	if m.code, err = e.runtime.compile(m.bytes); err != nil {
		return nil, err
	}
	m.instance, err = e.runtime.in.InstantiateModule(e.ctx, m.code.compiled, anonymous)
	if err != nil {
		return nil, errors.Join(err, e.runtime.release(m.code))
	}
	if m.code.compiled.ExportedFunctions()[function] == nil { // to ask for an invoker would make its stack
		return nil, errors.Join(fmt.Errorf("the module exports no %q", function), m.close())
	}
	return m, nil
}

// Invoker returns another invoker, which lives as long as the module.
func (m *Module) Invoker() Invoker {
	return Invoker{m.instance.ExportedFunction(m.function), &callContext{owner: m.engine.owner}}
}

// Call runs the module's function over the values in stack and leaves the
// results there. It allocates nothing.
//
// Its context has the owner only: the engine's own would be searched, in each call, for
// what only matters when a module is made.
func (t Invoker) Call(stack []uint64) error {
	t.call.outside = 0
	return t.run.CallWithStack(t.call, stack)
}

// Outside returns how often the last Call has called functions that are Counted.
func (t Invoker) Outside() int64 { return t.call.outside }

// Release gives a module back; the last one to do so ends it.
func (m *Module) Release() error {
	m.engine.mu.Lock()
	defer m.engine.mu.Unlock()
	if m.uses--; m.uses > 0 || m.engine.modules[m.bytes] != m {
		return nil
	}
	delete(m.engine.modules, m.bytes)
	return m.close()
}

func (m *Module) close() error {
	return errors.Join(m.instance.Close(m.engine.ctx), m.engine.runtime.release(m.code))
}
