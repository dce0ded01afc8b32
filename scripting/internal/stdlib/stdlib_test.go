//go:build !machine

package stdlib_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/internal/lua51"
	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// The host of the real runtime sets this once, too: a sparse assignment below
// it fills the array.
func TestMain(m *testing.M) {
	lua.MaxArrayIndex = 1 << 17
	os.Exit(m.Run())
}

// A machine is a state with the library, as a host sets it up.
type machine struct {
	L   *lua.LState
	lib *stdlib.Library
	out strings.Builder
}

func newMachine(opts stdlib.Options) *machine {
	m := &machine{L: lua.NewState(lua.Options{
		SkipOpenLibs: true, CallStackSize: 200, RegistrySize: 1 << 10, RegistryMaxSize: 1 << 14, RegistryGrowStep: 1 << 12,
	})}
	opts.Print = func(_ *lua.LState, text string) {
		if m.out.Len() < 1<<20 {
			m.out.WriteString(text + "\n")
		}
	}
	m.lib = stdlib.New(m.L, opts)
	return m
}

// run executes a script in a new environment and returns what it printed and,
// as last line, the error that ended it.
func (m *machine) run(name, src string) string {
	r := m.result(name, src)
	return r.String()
}

// result executes a script in a new environment.
func (m *machine) result(name, src string) (r lua51.Result) {
	m.out.Reset()
	err := m.load(name, src)
	r.Out = m.out.String()
	if err != nil {
		r.Err = "error: " + err.Error()
	}
	return r
}

func (m *machine) load(name, src string) error {
	tree, err := syntax.Parse(name, []byte(src), syntax.Options{Concat: m.lib.Concat(), Pop: m.lib.Pop()})
	if err != nil {
		return err
	}
	program, err := tree.Compile(syntax.Additions{})
	if err != nil {
		return err
	}
	fn := m.L.NewFunctionFromProto(program.Proto)
	fn.Env = m.lib.Env()
	m.L.Push(fn)
	if err := m.L.PCall(0, 0, nil); err != nil {
		return fmt.Errorf("%v", fault.Value(err.(*lua.ApiError).Object))
	}
	return nil
}

// call calls a library function with texts under protection.
func (m *machine) call(env *lua.LTable, table, name string, texts ...string) error {
	fn := env.RawGetString(table).(*lua.LTable).RawGetString(name)
	var arguments []lua.LValue
	for _, text := range append(texts, "%0") {
		arguments = append(arguments, lua.LString(text))
	}
	return m.L.CallByParam(lua.P{Fn: fn, NRet: 1, Protect: true}, arguments...)
}
