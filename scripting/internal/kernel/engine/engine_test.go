package engine_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/engine"
)

// add1 is a module with one page of memory: run(x f64) f64 calls the host's
// "twice" and leaves 7 in the byte at 100.
var add1 = ("\x00asm\x01\x00\x00\x00" +
	"\x01\x06\x01\x60\x01\x7c\x01\x7c" + // type: f64 to f64
	"\x02\x0e\x01\x04host\x05twice\x00\x00" + // the host's function
	"\x03\x02\x01\x00" + "\x05\x04\x01\x01\x01\x01" + // run has the type; memory of 1 page
	"\x07\x07\x01\x03run\x00\x01" +
	"\x0a\x10\x01\x0e\x00\x41\xe4\x00\x41\x07\x3a\x00\x00\x20\x00\x10\x00\x0b")

// add2 is the same with an 8.
var add2 = strings.Replace(add1, "\x41\x07", "\x41\x08", 1)

func open(t *testing.T, memory []byte) *engine.Engine {
	t.Helper()
	twice := engine.Func{Name: "twice", Unary: func(x float64) float64 { return 2 * x }}
	e, err := engine.New(memory, "host", []engine.Func{twice}, nil)
	if errors.Is(err, engine.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestModulesWorkOnTheMemoryTheyAreGiven(t *testing.T) {
	memory := make([]byte, engine.Page)
	m, err := open(t, memory).Load(add1, "run")
	if err != nil {
		t.Fatal(err)
	}
	stack := []uint64{0x4008000000000000} // 3
	if err := m.Invoker().Call(stack); err != nil || stack[0] != 0x4018000000000000 || memory[100] != 7 {
		t.Errorf("%v: %x, byte %d", err, stack[0], memory[100])
	}
	thread := m.Invoker()
	if n := testing.AllocsPerRun(100, func() { _ = thread.Call(stack) }); n > 0 {
		t.Errorf("a call allocates %v times", n)
	}
}

func TestWhatCannotBeLoadedLeavesNothing(t *testing.T) {
	e := open(t, make([]byte, engine.Page))
	if _, err := e.Load("not a module", "run"); err == nil {
		t.Error("bytes that are no module were taken")
	}
	if _, err := e.Load(add1, "walk"); err == nil {
		t.Error("a module without the function was taken")
	}
	if e.Modules() != 0 {
		t.Errorf("%d modules are left", e.Modules())
	}
	if _, err := e.Load(add1, "run"); err != nil || e.Modules() != 1 {
		t.Errorf("%v, %d modules", err, e.Modules())
	}
}

func TestMemoryThatNoModuleCanHave(t *testing.T) {
	if _, err := engine.New(nil, "host", nil, nil); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("no memory: %v", err)
	}
}

// TestLoadsFromManyGoroutines has one goroutine call a module while others find it
// and give it back, and compile one that goes with its last use.
func TestLoadsFromManyGoroutines(t *testing.T) {
	e := open(t, make([]byte, engine.Page))
	m, err := e.Load(add1, "run")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 20 {
				for _, code := range []string{add1, add2} {
					other, err := e.Load(code, "run")
					if err != nil {
						t.Error(err)
						return
					}
					if err := other.Release(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	thread := m.Invoker()
	for range 1000 {
		if err := thread.Call([]uint64{0}); err != nil {
			t.Fatal(err)
		}
	}
	all.Wait()
	if e.Modules() != 1 {
		t.Errorf("%d modules, want 1", e.Modules())
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Load(add1, "run"); err == nil {
		t.Error("a closed engine has loaded a module")
	}
}

func TestLoadOfAnEngineThatIsClosed(t *testing.T) {
	e := open(t, make([]byte, engine.Page))
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Load(add1, "run"); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("%v, want %v", err, engine.ErrClosed)
	}
}
