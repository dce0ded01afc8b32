package bridge_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/internal/bridge"
	"github.com/perigee-ecs/perigee/bindings/machine"
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// Random programs are judged by gopher-lua itself: the same host and the same scripts run in
// one state of gopher-lua, and then with the scripts on the machine and the host behind the
// bridge. Both must say the same at each step.
//
// The words of a program leave out what the two machines do differently by themselves: lists
// with gaps, the order of keys that were removed and came again, the words of errors.

var programs = flag.Int("programs", 200, "how many random programs are judged")

// places are the variables of scripts, slots those of the host.
const places, slots = 6, 5

// writer writes random statements.
type writer struct{ *rand.Rand }

func (w writer) one(of ...string) string { return of[w.IntN(len(of))] }

func (w writer) variable() string { return fmt.Sprintf("v%d", 1+w.IntN(places)) }

func (w writer) slot() string { return fmt.Sprint(1 + w.IntN(slots)) }

// key is a key that leaves no gap in a list.
func (w writer) key(of string) string {
	return w.one(`"k1"`, `"k2"`, `"k3"`, `"__index"`, "1.5", "true", "-1", "0", "1e9", w.variable(), "len("+of+")", "len("+of+") + 1", "1")
}

func (w writer) value() string {
	return w.one("nil", "false", "7", `"text"`, w.variable(), w.variable(), w.variable(), w.variable(), "{}", "{}", "{ "+w.variable()+" }", "{ 1, 2, "+w.variable()+" }", `{ k1 = `+w.variable()+`, k2 = 5 }`, w.function())
}

// function is a function of a script.
func (w writer) function() string {
	body := w.one("log(x) return y, x", "return x", "log(x, y) error(x)", `error("boom")`, w.variable()+" = x return y", "return "+w.variable()+".k1", "return get("+w.slot()+", x)", "hset("+w.slot()+", x, y)")
	return "function(x, y) " + body + " end"
}

// event is a name that a metatable has a function under.
func (w writer) event() string {
	return w.one("__index", "__newindex", "__call", "__add", "__concat", "__eq", "__lt", "__unm", "__index", "__newindex")
}

// statement is one statement of a script.
func (w writer) statement() string {
	a, b, i := w.variable(), w.variable(), w.slot()
	switch w.IntN(27) {
	case 24:
		return fmt.Sprintf("for k in next, %s, nil do if k ~= %q then %s[k] = nil end end", a, w.one("k1", "k2", "k3"), a)
	case 25:
		return fmt.Sprintf("for i = 1, %d do %s['c' .. i] = i %s['c' .. i] = nil end", 10*w.IntN(30), a, a)
	case 26:
		return w.one("insert("+a+", "+b+")", "log(remove("+a+"))")
	case 0:
		return a + " = " + w.one("{ k2 = "+w.variable()+" }", w.function(), w.value())
	case 1:
		return a + " = { " + b + ", k1 = " + w.variable() + " }"
	case 2, 3, 4:
		k := w.key(a)
		return fmt.Sprintf("if %s ~= nil and %s ~= nil then %s[%s] = %s end", a, k, a, k, w.value())
	case 5:
		return fmt.Sprintf("log(%s[%s])", a, w.key(a))
	case 6:
		return fmt.Sprintf("log(len(%s), rawget(%s, %s))", a, a, w.key(a))
	case 7:
		return fmt.Sprintf("all(%s) log(order(%s, walk(%s)))", a, a, a)
	case 8:
		return fmt.Sprintf("setmetatable(%s, %s)", a, w.one(b, b, "nil"))
	case 9:
		return fmt.Sprintf("log(getmetatable(%s) == %s, %s == %s, rawequal(%s, %s))", a, b, a, b, a, b)
	case 10:
		return fmt.Sprintf("setmetatable(%s, { %s = %s })", a, w.event(), w.one(b, w.function(), "hfun("+i+")"))
	case 11, 12:
		return fmt.Sprintf("keep(%s, %s)", i, a)
	case 13, 14:
		return fmt.Sprintf("%s = get(%s)", a, i)
	case 15:
		return fmt.Sprintf("hset(%s, %s, %s)", i, w.key("get("+i+")"), w.value())
	case 16:
		return fmt.Sprintf("log(hget(%s, %s))", i, w.key("get("+i+")"))
	case 17:
		return fmt.Sprintf("log(hindex(%s, %s))", i, w.key("get("+i+")"))
	case 18:
		return fmt.Sprintf("hsetindex(%s, %s, %s)", i, w.key("get("+i+")"), w.value())
	case 19:
		return fmt.Sprintf("log(hcall(%s, %s, %s))", a, w.value(), b)
	case 20:
		return w.one("hnew("+i+")", "huser("+i+", "+w.slot()+")", "hmeta("+i+", "+w.slot()+")", "happend("+i+", "+b+")", "hremove("+i+")", a+" = hfun("+i+")", "hall("+i+")")
	case 21:
		return fmt.Sprintf("log(%s %s %s)", a, w.one("+", "..", "==", "<"), b)
	case 22:
		return fmt.Sprintf("log(%s(%s, %s))", a, b, w.value())
	}
	return fmt.Sprintf("log(pcall(%s, %s, %s))", a, b, w.value())
}

// program is a list of chunks. Between two of them the host does something by itself.
func program(seed uint64) (chunks []string) {
	w := writer{rand.New(rand.NewPCG(seed, 1))}
	for i := range places {
		chunks = append(chunks, fmt.Sprintf("v%d = %s", i+1, w.one("{}", "{ 1, 2 }", "{ k1 = 1, k2 = true }", w.function())))
	}
	for i := range slots {
		chunks = append(chunks, fmt.Sprintf("%s(%d, %s)", w.one("keep", "hnew"), i+1, w.variable()))
	}
	for range 60 {
		chunks = append(chunks, w.statement())
	}
	return chunks
}

// hosted is a host for gopher-lua, and what was said.
type hosted struct {
	L     *lua.LState
	slots [slots]lua.LValue
	ids   map[any]int
	blind bool // objects have no names, and nothing but the program keeps them
	trace []string
	take  func(lua.LValue) any // makes one value of what both sides have for it
}

func newHosted(L *lua.LState) *hosted {
	h := &hosted{L: L, ids: map[any]int{}}
	for i := range h.slots {
		h.slots[i] = lua.LNil
	}
	return h
}

func (h *hosted) say(words ...string) { h.trace = append(h.trace, strings.Join(words, " ")) }

// object names an object by when it was first seen.
func (h *hosted) object(kind string, v any) string {
	if h.blind {
		return kind
	}
	if h.ids[v] == 0 {
		h.ids[v] = len(h.ids) + 1
	}
	return fmt.Sprint(kind, h.ids[v])
}

func (h *hosted) describe(v lua.LValue) string {
	switch v := v.(type) {
	case *lua.LTable, *lua.LFunction, *lua.LUserData:
		return h.object(v.Type().String(), h.take(v))
	case lua.LString:
		return text(string(v))
	}
	return v.String()
}

// text leaves the words of errors away.
func text(s string) string {
	switch {
	case strings.HasSuffix(s, "boom"):
		return "boom"
	case len(s) > 6:
		return "words"
	}
	return s
}

func (h *hosted) slot(L *lua.LState) *lua.LValue { return &h.slots[L.CheckInt(1)-1] }

func (h *hosted) table(L *lua.LState) *lua.LTable {
	t, ok := (*h.slot(L)).(*lua.LTable)
	if !ok {
		L.RaiseError("no table")
	}
	return t
}

// functions are what scripts can call of the host.
func (h *hosted) functions() map[string]lua.LGFunction {
	give := func(L *lua.LState, v lua.LValue) int { L.Push(v); return 1 }
	return map[string]lua.LGFunction{
		"keep": func(L *lua.LState) int { *h.slot(L) = L.Get(2); return 0 },
		"get":  func(L *lua.LState) int { return give(L, *h.slot(L)) },
		"hset": func(L *lua.LState) int {
			if k := L.Get(2); k != lua.LNil {
				h.table(L).RawSet(k, L.Get(3))
			}
			return 0
		},
		"hget":      func(L *lua.LState) int { return give(L, h.table(L).RawGet(L.Get(2))) },
		"hindex":    func(L *lua.LState) int { return give(L, L.GetTable(*h.slot(L), L.Get(2))) },
		"hsetindex": func(L *lua.LState) int { L.SetTable(*h.slot(L), L.Get(2), L.Get(3)); return 0 },
		"hcall":     h.call,
		"hnew":      func(L *lua.LState) int { *h.slot(L) = L.NewTable(); return 0 },
		"huser": func(L *lua.LState) int {
			u := L.NewUserData()
			u.Value = "a value"
			if meta, ok := h.slots[L.CheckInt(2)-1].(*lua.LTable); ok {
				u.Metatable = meta
			}
			*h.slot(L) = u
			return 0
		},
		"hmeta": func(L *lua.LState) int {
			h.table(L).Metatable = lua.LNil
			if meta, ok := h.slots[L.CheckInt(2)-1].(*lua.LTable); ok {
				h.table(L).Metatable = meta
			}
			return 0
		},
		"happend": func(L *lua.LState) int { h.table(L).Append(L.Get(2)); return 0 },
		"hremove": func(L *lua.LState) int { return give(L, h.table(L).Remove(h.table(L).Len())) },
		"hfun": func(L *lua.LState) int {
			at := L.CheckInt(1) - 1
			return give(L, L.NewFunction(func(L *lua.LState) int {
				h.say("host function", fmt.Sprint(L.GetTop()), h.describe(L.Get(1)))
				if L.Get(2) == lua.LTrue {
					L.Error(h.slots[at], 0)
				}
				L.Push(h.slots[at])
				L.Push(L.Get(2))
				return 2
			}))
		},
		"hall":  func(L *lua.LState) int { h.all(h.table(L)); return 0 },
		"order": h.order,
	}
}

// call calls a function of a script, and catches what it raises.
func (h *hosted) call(L *lua.LState) int {
	if L.Get(1).Type() != lua.LTFunction {
		L.RaiseError("no function")
	}
	err := L.CallByParam(lua.P{Fn: L.Get(1), NRet: 2, Protect: true}, L.Get(2), L.Get(3))
	if err == nil {
		return 2
	}
	L.Push(lua.LString("error"))
	L.Push(err.(*lua.ApiError).Object)
	return 2
}

// all says what is in a table, in no order.
func (h *hosted) all(t *lua.LTable) {
	var pairs []string
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		pairs = append(pairs, plain(k)+"="+plain(v))
	}
	slices.Sort(pairs)
	h.say(pairs...)
}

// plain describes a value without its identity.
func plain(v lua.LValue) string {
	switch v.Type() {
	case lua.LTNumber, lua.LTString, lua.LTBool:
		return text(v.String())
	}
	return v.Type().String()
}

// order reports whether the host finds keys in the order in which the script has found them.
func (h *hosted) order(L *lua.LState) int {
	t, ok := L.Get(1).(*lua.LTable)
	if !ok {
		L.RaiseError("no table")
	}
	found := ""
	for k, _ := t.Next(lua.LNil); k != lua.LNil; k, _ = t.Next(k) {
		found += plain(k) + ";"
	}
	L.Push(lua.LBool(found == L.ToString(2)))
	return 1
}

// inGopher runs a program in gopher-lua.
func inGopher(t *testing.T, chunks []string, blind bool) []string {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer L.Close()
	L.Push(L.NewFunction(lua.OpenBase))
	L.Call(0, 0)
	h := newHosted(L)
	h.blind = blind
	h.take = func(v lua.LValue) any { return v }
	for name, f := range h.functions() {
		L.SetGlobal(name, L.NewFunction(f))
	}
	L.SetGlobal("log", L.NewFunction(func(L *lua.LState) int {
		words := []string{"log"}
		for i := range L.GetTop() {
			words = append(words, h.describe(L.Get(i+1)))
		}
		h.say(words...)
		return 0
	}))
	L.SetGlobal("setmetatable", L.NewFunction(func(L *lua.LState) int {
		if t := L.Get(2).Type(); t != lua.LTTable && t != lua.LTNil {
			L.RaiseError("no table")
		}
		L.CheckTable(1).Metatable = L.Get(2)
		L.SetTop(1)
		return 1
	}))
	L.SetGlobal("all", L.NewFunction(func(L *lua.LState) int { h.all(L.CheckTable(1)); return 0 }))
	L.SetGlobal("len", L.NewFunction(func(L *lua.LState) int { L.Push(lua.LNumber(L.CheckTable(1).Len())); return 1 }))
	L.SetGlobal("insert", L.NewFunction(func(L *lua.LState) int {
		if L.Get(2) == lua.LNil {
			L.RaiseError("nothing")
		}
		L.CheckTable(1).Insert(1, L.Get(2))
		return 0
	}))
	L.SetGlobal("remove", L.NewFunction(func(L *lua.LState) int {
		v := lua.LValue(lua.LNil)
		if L.CheckTable(1).Len() > 0 {
			v = L.CheckTable(1).Remove(1)
		}
		L.Push(v)
		return 1
	}))
	L.SetGlobal("walk", L.NewFunction(func(L *lua.LState) int {
		found := ""
		for k, _ := L.CheckTable(1).Next(lua.LNil); k != lua.LNil; k, _ = L.CheckTable(1).Next(k) {
			found += plain(k) + ";"
		}
		L.Push(lua.LString(found))
		return 1
	}))
	for _, text := range chunks {
		h.say(">", text)
		L.Push(L.NewFunctionFromProto(compiled(t, text)))
		if err := L.PCall(0, 0, nil); err != nil {
			h.say("error", h.describe(err.(*lua.ApiError).Object))
		}
		h.idle()
	}
	return h.trace
}

// idle is what the host does between two calls: it looks at what it has kept.
func (h *hosted) idle() {
	for _, v := range h.slots {
		if t, ok := v.(*lua.LTable); ok {
			h.say(h.describe(t), fmt.Sprint(t.Len()), h.describe(t.RawGetString("k1")), h.describe(t.RawGetInt(1)), h.describe(t.Metatable))
		}
	}
}

func compiled(t *testing.T, text string) *lua.FunctionProto {
	chunk, err := parse.Parse(strings.NewReader(text), "chunk")
	if err != nil {
		t.Fatal(text, err)
	}
	p, err := lua.Compile(chunk, "chunk")
	if err != nil {
		t.Fatal(text, err)
	}
	return p
}

// onMachine runs a program on the machine, with the host behind a bridge.
func onMachine(t *testing.T, chunks []string, blind bool) []string {
	vm := machine.New(machine.Options{})
	b := newBridge(vm)
	h := newHosted(b.State())
	h.blind = blind
	h.take = func(v lua.LValue) any {
		x := b.Take(v)
		switch x.Kind() {
		case machine.KindTable:
			return x.Table()
		case machine.KindFunction:
			return x.Function()
		}
		return x.Userdata()
	}
	env := vm.Heap.NewTable(0, 0)
	for name, f := range h.functions() {
		env.SetString(name, b.Take(b.State().NewFunction(f)))
	}
	for name, f := range natives(b, h) {
		env.SetString(name, machine.OfFunction(machine.NewNative(name, f)))
	}
	env.SetString("next", machine.OfFunction(vm.Builtin(machine.Next)))
	env.SetString("pcall", machine.OfFunction(vm.Builtin(machine.Protect)))
	for _, text := range chunks {
		h.say(">", text)
		_, raised := vm.Main().Run(machine.OfFunction(vm.Load(compiled(t, text), env)))
		if raised != nil {
			h.say("error", h.describe(b.Lend(raised.Value)))
		}
		h.idle()
		if blind {
			runtime.GC()
		}
	}
	return h.trace
}

func newBridge(vm *machine.VM) *bridge.Bridge {
	depth := 0
	return bridge.New(vm, bridge.Options{
		Enter: func(*machine.Thread) {},
		Epoch: func() uint64 { return 1 },
		Back: func(th *machine.Thread, _ uint64, _ bool) func() {
			if depth > 40 {
				th.Failf("too deep")
			}
			depth++
			return func() { depth-- }
		},
		Returns:  func(*machine.Thread, []machine.Value) {},
		Reserved: func(meta *machine.Table) bool { return !meta.GetString("reserved").IsNil() },
	})
}

// natives are the functions of the library that programs call.
func natives(b *bridge.Bridge, h *hosted) map[string]machine.Native {
	table := func(c *machine.Call, i int) *machine.Table {
		if c.Arg(i).Table() == nil {
			c.Thread().Failf("no table")
		}
		return c.Arg(i).Table()
	}
	return map[string]machine.Native{
		"log": func(c *machine.Call) {
			words := []string{"log"}
			for i := range c.Len() {
				switch v := c.Arg(i + 1); v.Kind() {
				case machine.KindTable:
					words = append(words, h.object("table", v.Table()))
				case machine.KindFunction:
					words = append(words, h.object("function", v.Function()))
				case machine.KindUserdata:
					words = append(words, h.object("userdata", v.Userdata()))
				default:
					words = append(words, h.describe(b.Lend(v)))
				}
			}
			h.say(words...)
		},
		"all":  func(c *machine.Call) { h.all(b.Lend(machine.OfTable(table(c, 1))).(*lua.LTable)) },
		"len":  func(c *machine.Call) { c.Push(machine.Number(float64(table(c, 1).Len()))) },
		"walk": func(c *machine.Call) { c.Push(machine.String(walked(b, table(c, 1)))) },
		"rawget": func(c *machine.Call) {
			c.Push(table(c, 1).Get(c.Arg(2)))
		},
		"insert": func(c *machine.Call) {
			if c.Arg(2).IsNil() {
				c.Thread().Failf("nothing")
			}
			table(c, 1).Insert(1, c.Arg(2))
		},
		"remove": func(c *machine.Call) {
			if table(c, 1).Len() == 0 {
				c.Push(machine.Nil)
				return
			}
			c.Push(table(c, 1).Remove(1))
		},
		"rawequal": func(c *machine.Call) { c.Push(machine.Bool(c.Arg(1).Equal(c.Arg(2)))) },
		"error": func(c *machine.Call) {
			if s := c.Arg(1).Str(); s != nil {
				c.Thread().Failf("%s", s.String())
			}
			c.Raise(c.Arg(1))
		},
		"getmetatable": getMetatable,
		"setmetatable": func(c *machine.Call) {
			if k := c.Arg(2).Kind(); k != machine.KindTable && k != machine.KindNil {
				c.Thread().Failf("no table")
			}
			table(c, 1).SetMetatable(c.Arg(2).Table())
			c.Push(c.Arg(1))
		},
	}
}

func getMetatable(c *machine.Call) {
	if m := c.VM().Meta(c.Arg(1)); m != nil {
		c.Push(machine.OfTable(m))
		return
	}
	c.Push(machine.Nil)
}

// walked is what a script finds in a table, in order.
func walked(b *bridge.Bridge, t *machine.Table) string {
	found := ""
	for k, _, _ := t.Next(machine.Nil); !k.IsNil(); k, _, _ = t.Next(k) {
		found += plain(b.Lend(k)) + ";"
	}
	return found
}

// TestPrograms: a host behind the bridge sees and does what it sees and does without one.
func TestPrograms(t *testing.T) {
	for seed := range uint64(*programs) {
		judge(t, seed, false)
	}
}

// TestForgetfulPrograms is TestPrograms with the collector at work between all chunks: what
// the bridge makes anew is as it was.
func TestForgetfulPrograms(t *testing.T) {
	for seed := range uint64(*programs / 20) {
		judge(t, seed+1e6, true)
	}
}

func judge(t *testing.T, seed uint64, blind bool) {
	t.Helper()
	chunks := program(seed)
	want, got := inGopher(t, chunks, blind), onMachine(t, chunks, blind)
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			t.Fatalf("seed %d: step %d of %d and %d:\nwant\n%s\ngot\n%s", seed, i, len(want), len(got), tail(want, i), tail(got, i))
		}
	}
}

// tail is what was said up to a step, the last of it.
func tail(trace []string, i int) string {
	end := min(i+1, len(trace))
	return strings.Join(trace[max(end-6, 0):end], "\n")
}
