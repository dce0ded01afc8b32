// Package engine runs kernels: WebAssembly modules whose memory is a world's
// arena. It is the one package that knows the WebAssembly runtime.
//
// There are three nouns. An [Engine] belongs to one arena. A [Module] is one
// compiled kernel in it; engines keep modules by their bytes, so that a reload
// that changes nothing compiles nothing. An [Invoker] calls a module, one of several
// at the same time.
//
// # Lifetimes
//
// A module lives until every Load of its bytes was answered by a Release. Close
// ends them all; the arena must outlive the engine, and what runs must have
// returned. Load and Release may be called from any goroutine, also while others
// run kernels; an Invoker belongs to one goroutine at a time.
package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// Page is the size of a memory page. An arena has at most 65,535 of them: with
// one more, every access traps in the runtime that we use.
const Page = 64 << 10

// ErrUnsupported says that there is no compiler for this machine. An interpreter
// would be slower than the VM.
var ErrUnsupported = errors.New("kernels need a compiler that this platform does not have")

// ErrClosed answers a Load of an engine that was closed.
var ErrClosed = errors.New("the engine of kernels is closed")

// Engine is a runtime over one arena.
type Engine struct {
	ctx     context.Context
	runtime wazero.Runtime
	pages   uint32

	mu      sync.Mutex // guards what follows, and the uses of modules; not held while one is compiled
	modules map[string]*Module
	made    int // of them, in all
	closed  bool

	sharing sync.Mutex // guards the next; held while one is compiled
	known   map[string]bool
}

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
	// its results, of types Gives, in the first places: i is an int32, f a float64.
	Raw   func(stack []uint64)
	Takes string
	Gives string
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

// New makes the engine of an arena. Modules may import the functions from the
// module of that name. The error wraps ErrUnsupported where no compiler exists.
func New(memory []byte, module string, functions []Func) (e *Engine, err error) {
	defer func() {
		if r := recover(); r != nil { // how the runtime says that a platform has no compiler
			e, err = nil, fmt.Errorf("%w: %v", ErrUnsupported, r)
		}
	}()
	pages := len(memory) / Page
	if pages == 0 || pages > 65535 {
		return nil, fmt.Errorf("%w: an arena of %d pages", ErrUnsupported, pages)
	}
	ctx := experimental.WithMemoryAllocator(context.Background(), arena(memory))
	e = &Engine{ctx: ctx, pages: uint32(pages), modules: map[string]*Module{}, known: map[string]bool{}}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().WithDebugInfoEnabled(false))
	if err := e.export(module, functions); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *Engine) export(module string, functions []Func) error {
	b := e.runtime.NewHostModuleBuilder(module)
	for _, f := range functions {
		takes, gives := f.Takes, f.Gives
		switch {
		case f.Unary != nil:
			takes, gives = "f", "f"
		case f.Binary != nil:
			takes, gives = "ff", "f"
		}
		b.NewFunctionBuilder().WithGoFunction(hosted(f), typesOf(takes), typesOf(gives)).Export(f.Name)
	}
	_, err := b.Instantiate(e.ctx)
	return err
}

func typesOf(letters string) []api.ValueType {
	types := make([]api.ValueType, len(letters))
	for i, letter := range letters {
		if types[i] = api.ValueTypeF64; letter == 'i' {
			types[i] = api.ValueTypeI32
		}
	}
	return types
}

// hosted wraps a function; it allocates nothing.
func hosted(f Func) api.GoFunc {
	if f.Raw != nil {
		return func(_ context.Context, stack []uint64) { f.Raw(stack) }
	}
	if f.Unary != nil {
		return func(_ context.Context, stack []uint64) {
			stack[0] = api.EncodeF64(f.Unary(api.DecodeF64(stack[0])))
		}
	}
	return func(_ context.Context, stack []uint64) {
		stack[0] = api.EncodeF64(f.Binary(api.DecodeF64(stack[0]), api.DecodeF64(stack[1])))
	}
}

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
	e.closed = true
	clear(e.modules)
	return e.runtime.Close(e.ctx)
}

// Module is a compiled kernel.
type Module struct {
	engine   *Engine
	bytes    string
	uses     int
	compiled wazero.CompiledModule
	instance api.Module
	function string
}

// Invoker calls a module's function. Invokers of one module can do so at the same
// time, on a goroutine each: all work on the same memory.
type Invoker struct{ run api.Function }

// Load compiles a module, or finds the one with the same bytes, whose invokers will
// call its exported function of that name. To compile takes about a millisecond, in
// which other goroutines find what is there already. The modules that it imports
// from are compiled with the first that does, and stay until Close.
func (e *Engine) Load(bytes []byte, function string, shared ...Shared) (*Module, error) {
	if m, err := e.find(bytes); m != nil || err != nil {
		return m, err
	}
	for _, m := range shared {
		if err := e.provide(m); err != nil {
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

// provide compiles a shared module if it is not there.
func (e *Engine) provide(m Shared) error {
	e.sharing.Lock()
	defer e.sharing.Unlock()
	if e.known[m.Name()] {
		return nil
	}
	compiled, err := e.runtime.CompileModule(e.ctx, m.Encode())
	if err != nil {
		return err
	}
	if _, err = e.runtime.InstantiateModule(e.ctx, compiled, wazero.NewModuleConfig().WithName(m.Name())); err != nil {
		return errors.Join(err, compiled.Close(e.ctx))
	}
	e.known[m.Name()] = true
	return nil
}

// find returns the loaded module of the same bytes, nil if there is none.
func (e *Engine) find(bytes []byte) (*Module, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, ErrClosed
	}
	m := e.modules[string(bytes)]
	if m != nil {
		m.uses++
	}
	return m, nil
}

func (e *Engine) compile(bytes []byte, function string) (*Module, error) {
	m := &Module{engine: e, bytes: string(bytes), uses: 1, function: function}
	var err error
	if m.compiled, err = e.runtime.CompileModule(e.ctx, bytes); err != nil {
		return nil, err
	}
	m.instance, err = e.runtime.InstantiateModule(e.ctx, m.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, errors.Join(err, m.compiled.Close(e.ctx))
	}
	if m.Invoker().run == nil {
		return nil, errors.Join(fmt.Errorf("the module exports no %q", function), m.close())
	}
	return m, nil
}

// Invoker returns another invoker, which lives as long as the module.
func (m *Module) Invoker() Invoker {
	return Invoker{m.instance.ExportedFunction(m.function)}
}

// Call runs the module's function over the values in stack and leaves the
// results there. It allocates nothing.
//
// Its context says nothing: the engine's own would be searched, in each call, for
// what only matters when a module is made.
func (t Invoker) Call(stack []uint64) error { return t.run.CallWithStack(context.Background(), stack) }

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
	return errors.Join(m.instance.Close(m.engine.ctx), m.compiled.Close(m.engine.ctx))
}
