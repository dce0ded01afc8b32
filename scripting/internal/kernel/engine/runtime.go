package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"syscall"

	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// mostIdle is how much machine code that no engine uses a runtime keeps, in modules: the next
// room needs it again. It is what a folder of as many functions over rows has.
const mostIdle = 1024

// Runtime has the machine code of kernels. Engines that share it compile the same bytes once,
// whatever arenas they work on. All methods may be called from any goroutine.
//
// Invariant: code is in codes while it is used, and then in idle until it is dropped, the
// longest unused first.
type Runtime struct {
	in         wazero.Runtime
	interprets bool

	mu    sync.Mutex // guards what follows, and the uses of codes; not held while one is compiled
	codes map[string]*machineCode
	idle  []*machineCode
	keep  int // how many idle ones at most
	made  int // codes, in all

	sharing sync.Mutex // guards the next; held while one is compiled
	known   map[string]bool
}

// machineCode is the code of one module.
type machineCode struct {
	bytes    string
	uses     int
	once     sync.Once // to compile it
	compiled wazero.CompiledModule
	err      error
}

// anonymous is how modules of kernels are made: without a name, and nothing runs at once. They
// draw no random numbers from it; without a source, each would be given one of 5 KB.
var anonymous = wazero.NewModuleConfig().WithName("").WithStartFunctions().WithRandSource(rand.Reader)

// NewRuntime makes a runtime without an engine. Modules may import the functions from the
// module of that name. Where there is no compiler, or no memory for what it makes, it is as
// of NewInterpreter.
func NewRuntime(module string, functions []Func) (*Runtime, error) {
	r, err := newRuntime(wazero.NewRuntimeConfigCompiler(), module, functions)
	if errors.Is(err, rows.ErrNoCompiler) {
		return NewInterpreter(module, functions)
	}
	return r, err
}

// NewInterpreter makes a runtime that compiles nothing. A kernel has the same results in it.
//
// It is for what the VM cannot do, which is float32 for all of a function. Over 10,000 rows,
// the VM needs 0.2 ms for x + v * dt in two fields, the interpreter 1.6 ms in float64 and
// 0.7 ms in float32; for a loop of 20 turns 8 to 18 ms, and 194 and 100 ms; for a sine and a
// root 0.3 ms, and 46 and 16 ms.
func NewInterpreter(module string, functions []Func) (*Runtime, error) {
	r, err := newRuntime(wazero.NewRuntimeConfigInterpreter(), module, functions)
	if r != nil {
		r.interprets = true
	}
	return r, err
}

func newRuntime(config wazero.RuntimeConfig, module string, functions []Func) (r *Runtime, err error) {
	defer func() {
		if cause := recover(); cause != nil { // how wazero says that a platform has no compiler
			r, err = nil, fmt.Errorf("%w: %v", rows.ErrNoCompiler, cause)
		}
	}()
	r = &Runtime{keep: mostIdle, codes: map[string]*machineCode{}, known: map[string]bool{}}
	r.in = wazero.NewRuntimeWithConfig(context.Background(), config.WithDebugInfoEnabled(false))
	if err := r.export(module, functions); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

func (r *Runtime) export(module string, functions []Func) error {
	b := r.in.NewHostModuleBuilder(module)
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
	_, err := b.Instantiate(context.Background())
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
	call := unwatched(f)
	if !f.Counted {
		return call
	}
	return func(ctx context.Context, stack []uint64) {
		ctx.(*callContext).outside++
		call(ctx, stack)
	}
}

// unwatched is hosted for functions whose calls are not counted.
func unwatched(f Func) api.GoFunc {
	if f.Raw != nil {
		return func(ctx context.Context, stack []uint64) { f.Raw(ctx.(*callContext).owner, stack) }
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

// Made returns how many modules were compiled so far, by all engines.
func (r *Runtime) Made() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.made
}

// compile returns the machine code of a module, to be given back by release. Of several
// that ask for the same at once, one compiles it and the others wait.
func (r *Runtime) compile(bytes string) (*machineCode, error) {
	c := r.use(bytes)
	c.once.Do(func() { c.compiled, c.err = r.compiled(bytes) })
	if c.err != nil {
		return nil, errors.Join(c.err, r.release(c))
	}
	return c, nil
}

// compiled compiles a module. A system that refuses executable memory may begin to do so
// when the runtime is there already: that is a panic of wazero, or an error.
func (r *Runtime) compiled(bytes string) (m wazero.CompiledModule, err error) {
	defer func() {
		cause := recover()
		refused, ok := cause.(error)
		if cause == nil {
			refused = err
		} else if !ok {
			panic(cause)
		}
		if _, ok := errors.AsType[syscall.Errno](refused); ok {
			m, err = nil, fmt.Errorf("%w: %w", rows.ErrNoCompiler, refused)
		} else if cause != nil {
			panic(cause)
		}
	}()
	return r.in.CompileModule(context.Background(), []byte(bytes))
}

// use finds the code of a module, or makes one that is to be compiled.
func (r *Runtime) use(bytes string) *machineCode {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.codes[bytes]
	if c == nil {
		c = &machineCode{bytes: bytes}
		r.codes[bytes] = c
		r.made++
	}
	c.uses++
	return c
}

// release gives code back. It stays for the next engine, unless much else was used since. What
// could not be compiled does not stay.
func (r *Runtime) release(c *machineCode) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.uses--; c.uses > 0 {
		return nil
	}
	if c.err != nil {
		delete(r.codes, c.bytes)
		return nil
	}
	r.idle = append(r.idle, c)
	if len(r.idle) <= 2*r.keep {
		return nil
	}
	return r.forget()
}

// forget drops what is in idle and used again, and code beyond what it keeps. O(len(idle)), once for
// as many releases.
func (r *Runtime) forget() error {
	var unused []*machineCode
	seen := map[*machineCode]bool{}
	for i := len(r.idle) - 1; i >= 0; i-- {
		if c := r.idle[i]; c.uses == 0 && !seen[c] {
			seen[c] = true
			unused = append(unused, c) // the latest first
		}
	}
	var errs []error
	for i := len(unused) - 1; i >= r.keep; i-- {
		delete(r.codes, unused[i].bytes)
		errs = append(errs, unused[i].compiled.Close(context.Background()))
	}
	r.idle = r.idle[:0]
	for i := min(len(unused), r.keep) - 1; i >= 0; i-- {
		r.idle = append(r.idle, unused[i])
	}
	clear(r.idle[len(r.idle):cap(r.idle)])
	return errors.Join(errs...)
}

// provide compiles a shared module if it is not there.
func (r *Runtime) provide(m Shared) error {
	r.sharing.Lock()
	defer r.sharing.Unlock()
	if r.known[m.Name()] {
		return nil
	}
	ctx := context.Background()
	compiled, err := r.in.CompileModule(ctx, m.Encode())
	if err != nil {
		return err
	}
	if _, err = r.in.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithName(m.Name())); err != nil {
		return errors.Join(err, compiled.Close(ctx))
	}
	r.known[m.Name()] = true
	return nil
}

// close ends the runtime with all of its code.
func (r *Runtime) close() error { return r.in.Close(context.Background()) }
