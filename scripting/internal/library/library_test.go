package library_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/scripting/internal/library"
	"github.com/perigee-ecs/perigee/scripting/internal/library/librarytest"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
	lua "github.com/yuin/gopher-lua"
)

// printer keeps what scripts print.
type printer struct{ strings.Builder }

func (p *printer) line(text string) {
	if p.Len() < 1<<20 {
		p.WriteString(text + "\n")
	}
}

// A host is a machine with the library, as a host sets it up.
type host struct {
	vm     *machine.VM
	lib    *library.Library
	budget library.Budget
	out    printer
}

// The functions that stand for operators in prototypes. What they do, each side knows.
var concat, pop = &lua.LFunction{IsG: true}, &lua.LFunction{IsG: true}

func newHost(opts library.Options) *host {
	m := &host{}
	m.vm = machine.New(machine.Options{Nesting: 150, Constant: func(v lua.LValue) machine.Value {
		if v == lua.LValue(concat) {
			return machine.OfFunction(m.vm.Builtin(machine.Concat))
		}
		return machine.OfFunction(m.lib.Pop())
	}})
	opts.Print = func(_ *machine.Thread, text string, _ int) { m.out.line(text) }
	m.lib = library.New(m.vm, opts)
	return m
}

// compile makes the prototype of a script.
func compile(src string, concat, pop *lua.LFunction) (*lua.FunctionProto, error) {
	tree, err := syntax.Parse("p", []byte(src), syntax.Options{Concat: concat, Pop: pop})
	if err != nil {
		return nil, err
	}
	program, err := tree.Compile(syntax.Additions{})
	if err != nil {
		return nil, err
	}
	return program.Proto, nil
}

// run executes a script in a new environment and returns what it printed and, as last line,
// the error that ended it, and how many steps it has taken.
func (m *host) run(src string, steps, bytes int64) (string, int64) {
	return m.runIn(m.lib.Env(), src, steps, bytes)
}

// runIn executes a script in an environment that there is.
func (m *host) runIn(env *machine.Table, src string, steps, bytes int64) (string, int64) {
	m.out.Reset()
	proto, err := compile(src, concat, pop)
	if err != nil {
		return fmt.Sprintf("error: %v\n", err), 0
	}
	fn := m.vm.Load(proto, env)
	m.budget.Reset(m.vm, steps, bytes)
	_, raised := m.vm.Main().Run(machine.OfFunction(fn))
	if raised != nil {
		fmt.Fprintf(&m.out, "error: %v\n", m.lib.Text(m.vm.Main(), raised.Value))
	}
	m.lib.Forget()
	return m.out.String(), m.vm.Steps()
}

// enough is a budget that no test uses up.
const enough = 20_000_000

func TestFunctions(t *testing.T) {
	for _, test := range librarytest.Functions {
		m := newHost(library.Options{})
		out, _ := m.run(test.Script, enough, 0)
		got := strings.TrimSuffix(strings.ReplaceAll(out, "\t", " "), "\n")
		if got = strings.ReplaceAll(got, "p:1: bad argument", "bad argument"); got != test.Prints {
			t.Errorf("%s\n got %q\nwant %q", test.Script, got, test.Prints)
		}
	}
}

func TestCoroutines(t *testing.T) {
	for _, test := range slices.Concat(librarytest.Coroutines, librarytest.YieldsAllowed) {
		m := newHost(library.Options{})
		out, _ := m.run(test.Script, enough, 0)
		if got := strings.TrimSuffix(out, "\n"); got != test.Prints {
			t.Errorf("%s\n got %q\nwant %q", test.Script, got, test.Prints)
		}
	}
}

// What one script does to its libraries no other script sees.
func TestScriptsAreApart(t *testing.T) {
	m := newHost(library.Options{})
	m.run(`string.upper = nil math.pi = 3 print = nil table.insert = error _G.pairs = nil coroutine = nil`, enough, 0)
	got, _ := m.run(`print(("x"):upper(), math.pi > 3.1, #{}, pairs ~= nil, coroutine ~= nil) table.insert({}, 1)`, enough, 0)
	if want := "X\ttrue\t0\ttrue\ttrue\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The host's random numbers decide; a script may seed them only if they can be.
type seeded struct{ next uint64 }

func (s *seeded) Uint64() uint64   { s.next += 1 << 62; return s.next }
func (s *seeded) Seed(seed uint64) { s.next = 0 }

func TestHostRandomAndClock(t *testing.T) {
	m := newHost(library.Options{Random: &seeded{}, Clock: func() float64 { return 12.5 }})
	got, _ := m.run(`print(math.random(), math.random(10)) math.randomseed(1) print(math.random(), os.clock(), os.time(), os.exit)`, enough, 0)
	if want := "0.25\t6\n0.25\t12.5\t12\tnil\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A constructor of many functions needs more registers than the compiler says.
func TestManyFunctionsInAConstructor(t *testing.T) {
	for n := 40; n < 60; n++ {
		src := "local t = { " + strings.Repeat("function() return 1 end, ", n) + "} print(#t, t[#t]())"
		if got, _ := newHost(library.Options{}).run(src, enough, 0); got != fmt.Sprintf("%d\t1\n", n) {
			t.Errorf("%d functions: %s", n, got)
		}
	}
}

// A table that gets too large ends the script, which cannot catch it.
func TestTooLargeTable(t *testing.T) {
	m := newHost(library.Options{MaxTable: 5000})
	for _, src := range []string{
		`local t = {} for i = 1, 1e6 do t[i] = i end`, `local t = {} for i = 1, 1e6 do t["k" .. i] = i end`,
		`local t = {} pcall(function() for i = 1, 1e6 do table.insert(t, i) end end) print(#t)`,
		`local t = {} coroutine.wrap(function() pcall(function() for i = 1, 1e6 do rawset(t, i * 2, i) end end) end)() print(1)`,
	} {
		if got, _ := m.run(src, enough, 0); !strings.HasPrefix(strings.ReplaceAll(got, "p:1: p:1: ", "p:1: "), "error: p:1: table too large: 5,001 of 5,000 entries") {
			t.Errorf("%s: %q", src, got)
		}
	}
	if got, _ := m.run(`local t = {} for i = 1, 5000 do t[i] = i end print(#t)`, enough, 0); got != "5000\n" {
		t.Errorf("got %q", got)
	}
}

// In a constructor a joined text is one item, or the value of its key.
func TestConcatenationIsOneValue(t *testing.T) {
	items := strings.Repeat("0, ", 50)
	for src, want := range map[string]string{
		`local i = 7 local t = { "a", "b", name = "unit " .. i } return #t .. t.name`:  "2unit 7",
		`local i = 7 local t = { 1, 2, ["k" .. i] = i .. i } return #t .. t.k7`:        "277",
		`local i = 7 local t = { ` + items + `"x" .. i } return #t .. t[1] .. t[51]`:   "510x7",
		`local i = 7 local t = { ` + items + `k = "x" .. i } return #t .. t[1] .. t.k`: "500x7",
		`local i = 7 return select("#", (function() return "x" .. i end)())`:           "1",
	} {
		got, _ := newHost(library.Options{}).run("print((function() "+src+" end)())", enough, 0)
		if strings.TrimSpace(got) != want {
			t.Errorf("%.60s: %q, want %q", src, got, want)
		}
	}
}

// A prototype with operators in it runs in any state, and no text stands for its marks.
func TestMarksAreNoTexts(t *testing.T) {
	got, _ := newHost(library.Options{}).run(`local s = "a" for i = 1, 3 do s = s .. i end print(s) print("\0concat", "\0\0pop")`, enough, 0)
	if got != "a123\n\x00concat\t\x00\x00pop\n" {
		t.Errorf("%q", got)
	}
}

// The metatable of userdata stays out of reach.
func TestUserdataMetatable(t *testing.T) {
	m := newHost(library.Options{})
	env := m.lib.Env()
	u := machine.NewUserdata(1)
	u.SetMetatable(m.vm.Heap.NewTable(0, 0))
	env.SetString("u", machine.OfUserdata(u))
	if got, _ := m.runIn(env, `print(getmetatable(u))`, enough, 0); got != "false\n" {
		t.Errorf("%q", got)
	}
}
