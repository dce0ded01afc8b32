package machine

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/internal/lua51"
	"github.com/perigee-ecs/perigee/internal/numbers"
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// host runs chunks on a machine with a small library, and keeps what they print.
type host struct {
	vm  *VM
	env *Table
	out strings.Builder
}

func newHost(o Options) *host {
	h := &host{vm: New(o)}
	h.env = h.vm.Heap.NewTable(0, 32)
	h.env.SetString("_G", OfTable(h.env))
	for name, f := range map[string]Native{
		"print": h.print, "type": kindOf, "select": selectArgs, "unpack": unpack, "error": raise, "rawequal": rawEqual,
		"setmetatable": setMeta, "getmetatable": getMeta, "pairs": pairs, "ipairs": ipairs, "apply": apply,
		"tostring": func(c *Call) { c.Push(String(h.text(c.Arg(1)))) },
		"rawget":   func(c *Call) { c.Push(c.Arg(1).Table().Get(c.Arg(2))) },
		"rawset":   func(c *Call) { c.Arg(1).Table().Set(c.Arg(2), c.Arg(3)); c.Push(c.Arg(1)) },
		"panics":   func(*Call) { panic("on purpose") },
	} {
		h.env.SetString(name, OfFunction(NewNative(name, f)))
	}
	for name, b := range map[string]Primitive{"pcall": Protect, "xpcall": ProtectHandled, "next": Next} {
		h.env.SetString(name, OfFunction(h.vm.Builtin(b)))
	}
	h.env.SetString("coroutine", OfTable(h.coroutines()))
	m := h.vm.Heap.NewTable(0, 2)
	m.SetString("floor", OfFunction(NewNative("floor", func(c *Call) { c.Push(Number(math.Floor(c.Arg(1).Float()))) })))
	h.env.SetString("math", OfTable(m))
	return h
}

func (h *host) coroutines() *Table {
	t := h.vm.Heap.NewTable(0, 8)
	for name, b := range map[string]Primitive{"yield": Yield, "resume": Resume} {
		t.SetString(name, OfFunction(h.vm.Builtin(b)))
	}
	for name, f := range map[string]Native{
		"create": func(c *Call) { c.Push(OfThread(h.vm.NewThread(c.Arg(1).Function()))) },
		"wrap":   func(c *Call) { c.Push(OfFunction(h.vm.Wrap(h.vm.NewThread(c.Arg(1).Function())))) },
		"status": func(c *Call) { c.Push(String(c.Arg(1).Thread().Status().String())) },
		"running": func(c *Call) {
			if co := h.vm.Coroutine(); co != nil {
				c.Push(OfThread(co))
			} else {
				c.Push(Nil)
			}
		},
	} {
		t.SetString(name, OfFunction(NewNative(name, f)))
	}
	return t
}

func (h *host) text(v Value) string {
	switch v.Kind() {
	case KindNumber:
		return numbers.Format(v.Float())
	case KindString:
		return v.Str().String()
	case KindNil, KindBoolean:
		return Written(v)
	}
	return v.Kind().String()
}

func (h *host) print(c *Call) {
	var words []string
	for i := 1; i <= c.Len(); i++ {
		words = append(words, h.text(c.Arg(i)))
	}
	h.out.WriteString(strings.Join(words, "\t") + "\n")
}

func kindOf(c *Call)   { c.Push(String(c.Arg(1).Kind().String())) }
func rawEqual(c *Call) { c.Push(Bool(c.Arg(1).Equal(c.Arg(2)))) }

func selectArgs(c *Call) {
	if c.Arg(1).IsString() {
		c.Push(Number(float64(c.Len() - 1)))
		return
	}
	c.Return(max(c.Len()-int(c.Arg(1).Float()), 0))
}

func unpack(c *Call) {
	t := c.Arg(1).Table()
	for i := 1; i <= t.Len(); i++ {
		c.Push(t.GetInt(i))
	}
}

func raise(c *Call) {
	v, level := c.Arg(1), 1
	if c.Len() > 1 {
		level = int(c.Arg(2).Float())
	}
	if v.IsString() && level > 0 {
		v = String(Prefix(c.Thread().Level(level)) + v.Str().String())
	}
	c.End(&diag.Error{}, v)
}

func setMeta(c *Call) {
	c.Arg(1).Table().SetMetatable(c.Arg(2).Table())
	c.Push(c.Arg(1))
}

func getMeta(c *Call) {
	if m := c.VM().Meta(c.Arg(1)); m != nil {
		c.Push(OfTable(m))
	} else {
		c.Push(Nil)
	}
}

func pairs(c *Call) {
	c.Push(OfFunction(c.VM().Builtin(Next)))
	c.Push(c.Arg(1))
	c.Push(Nil)
}

func ipairs(c *Call) {
	c.Push(OfFunction(NewStepper("step", func(c *Call) {
		i := int(c.Arg(2).Float()) + 1
		if v := c.Arg(1).Table().GetInt(i); v.IsNil() {
			c.Push(Nil)
		} else {
			c.Push(Number(float64(i)))
			c.Push(v)
		}
	})))
	c.Push(c.Arg(1))
	c.Push(Number(0))
}

// apply calls its first argument from Go, with the others.
func apply(c *Call) {
	var args []Value
	for i := 2; i <= c.Len(); i++ {
		args = append(args, c.Arg(i))
	}
	for _, v := range append([]Value(nil), c.Call(c.Arg(1), args...)...) {
		c.Push(v)
	}
}

// compiled compiles a chunk as gopher-lua does.
func compiled(t testing.TB, text string) *lua.FunctionProto {
	t.Helper()
	chunk, err := parse.Parse(strings.NewReader(text), "test")
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	proto, err := lua.Compile(chunk, "test")
	if err != nil {
		t.Fatal(err)
	}
	return proto
}

// run runs a chunk, and returns what it prints and what it raises.
func (h *host) run(t testing.TB, text string) (string, *Raised) {
	t.Helper()
	h.out.Reset()
	_, r := h.vm.Main().Run(OfFunction(h.vm.Load(compiled(t, text), h.env)))
	return h.out.String(), r
}

// programs print the same in lua5.1, but for the words of errors.
var programs = []string{
	`local function f(...) return ... end print((f(1,2,3)), f(1,2,3)) print(f(), (f()))`,
	`local function f(a, b, ...) return select("#", ...), a, b, ... end print(f()) print(f(1)) print(f(1,2,3,4)) print((f(1,2,3)))`,
	`local t = {f = function(...) return {...} end} local r = t.f(1, nil, 3) print(r[1], r[2], r[3], #t.f(1,2))`,
	`local function tail(n) if n == 0 then return "done", n end return tail(n - 1) end print(tail(100000))`,
	`local function tail(n, ...) if n == 0 then return n, ... end return tail(n - 1, n, ...) end print(tail(5))`,
	`local M = {__add=function(a,b) return "sum" end, __index=function(t,k) return k.."!" end, __newindex=function(t,k,v) rawset(t,k,v*2) end}
	 local t = setmetatable({}, M) print(t+1, 1+t, t.foo) t.bar=3 print(t.bar) t.bar = 5 print(t.bar)`,
	`local M = {} for _, e in ipairs{"sub","mul","div","mod","pow","unm","concat"} do M["__"..e] = function(a, b) return e end end
	 local t = setmetatable({}, M) print(t-1, 2*t, t/t, t%2, t^2, -t, t.."x", "x"..t, 1 ..t.. 2)`,
	`local M = {__eq=function(a,b) return a.v==b.v end, __lt=function(a,b) return a.v<b.v end}
	 local function N(v) return setmetatable({v=v}, M) end
	 print(N(1)==N(1), N(1)==N(2), N(1)~=N(1), N(1)<N(2), N(2)<N(1), N(1)<=N(1), N(2)<=N(1), N(1)>N(2), N(1)>=N(2))`,
	`local M = {__le=function(a,b) return "yes" end} local a, b = setmetatable({}, M), setmetatable({}, M) print(a<=b, a>=b) if a<=b then print(1) end if not (a<=b) then print(2) end`,
	`local M = {__call=function(self, a, b) return self.n, a, b end} local t = setmetatable({n=7}, M) print(t(1,2)) print((t(1))) local function g() return t(3) end print(g()) print(pcall(t, 9))`,
	`local A = setmetatable({}, {__call=setmetatable({}, {__call=function() return 1 end})}) print(pcall(A))`,
	`local fs={} for i=1,3 do fs[i]=function() i=i+1 return i end end print(fs[1](),fs[1](),fs[2](),fs[3]())`,
	`local fs={} local i=1 while i<=3 do local j=i fs[i]=function() j=j+10 return j end i=i+1 end print(fs[1](),fs[2](),fs[1](),fs[3]())`,
	`local function counter() local n=0 return function() n=n+1 return n end, function() return n end end local a,b=counter() a() a() print(b()) local c,d=counter() print(c(), d(), b())`,
	`local co = coroutine.wrap(function(a) local b = coroutine.yield(a+1) for i=1,2 do b = coroutine.yield(b*2, i) end return "end" end) print(co(1)) print(co(10)) print(co(20)) print(co(30))`,
	`local co = coroutine.create(function(...) print(...) print(coroutine.yield(1,2)) error({}) end)
	 print(coroutine.status(co)) print(coroutine.resume(co, "a", "b")) print(coroutine.status(co)) print(coroutine.resume(co, "c")) print(coroutine.status(co)) print((coroutine.resume(co)))`,
	`local function gen(n) return coroutine.wrap(function() for i=1,n do coroutine.yield(i, i*i) end end) end for a,b in gen(4) do print(a,b) end`,
	`local outer = coroutine.wrap(function() local inner = coroutine.wrap(function() coroutine.yield(1) coroutine.yield(2) end) coroutine.yield(inner()) coroutine.yield(inner()) end) print(outer(), outer())`,
	`local co co = coroutine.create(function() print(coroutine.status(co), coroutine.running() == co, coroutine.resume(co)) local c2 = coroutine.create(function() print(coroutine.status(co)) end) coroutine.resume(c2) end) coroutine.resume(co) print(coroutine.running())`,
	`print(pcall(function(x) return x end, 5)) print(pcall(error)) print(pcall(error, nil)) print(pcall(error, 3)) print(select("#", pcall(function() end)))`,
	`print(pcall(function() error("x", 0) end)) print(pcall(function() error("x") end)) print(pcall(function() error("x", 2) end))`,
	`print(pcall(pcall, error, "e")) print(pcall(pcall)) print(pcall(xpcall)) `,
	`print(xpcall(function() error("x", 0) end, function(e) return e.."!" end)) print(xpcall(function() return 1, 2 end, print)) print(xpcall(function() error("x",0) end, function(e) error("y",0) end))`,
	`local function f() local a = 1 local function g() a = a + 1 error("x", 0) end local ok, e = pcall(g) a = a + 1 return a, e end print(f())`,
	`local t = {} for i = 1, 120 do t[i] = i end print(#t, t[1], t[50], t[51], t[120]) local u = {1, 2, 3, nil, 5, n = 2, [10] = 3, unpack(t)} print(u[1], u[6], u.n, #u > 100)`,
	`for i = 3, 1, -1 do print(i) end for i = 1, 0 do print("no") end for i = 1, 2, 0.5 do print(i) end for i = 1, 3 do local i = i * 2 print(i) end`,
	`print("10" + 5, "0x10" * 2, 10 .. 20, -"2", "3" ^ 2, "7" % 4, 10 / "4")`,
	`print(1 < 2, "a" < "b", "a" <= "a", "Z" < "a", 1 == "1", "1" == "1", nil == false, 2 >= 3)`,
	`local a, b, c = (function() return 1, 2, 3 end)() print(a, b, c) local d, e = (function() return 1 end)() print(d, e) local x = (function() end)() print(x)`,
	`print(#"abc", #{1,2,3}, not nil, not 0, nil and 1, false or "x", 1 and 2, nil or false)`,
	`local s = 0 for i = 1, 10 do if i == 5 then break end s = s + i end print(s) repeat local z = 1 until z == 1 print(z)`,
	`local t = setmetatable({}, {__index = setmetatable({a = 1}, {__index = {b = 2}})}) print(t.a, t.b, t.c) local C = {} C.__index = C function C:m(x) return x + self.n end print(setmetatable({n = 2}, C):m(3))`,
	`local log = {} local t = setmetatable({}, {__newindex = log}) t.x = 1 print(rawget(t, "x"), log.x) t[1] = 2 print(log[1])`,
	`local t = {} t[1.5] = "a" t["x"] = "b" t[true] = "c" t[t] = "d" print(t[1.5], t.x, t[true], t[t], t[2], t[nil])`,
	`local function rec(n) if n == 0 then return 0 end return 1 + rec(n - 1) end print(rec(150))`,
	`local n = 0 for k, v in pairs({10, 20, 30, x = 1, y = 2}) do n = n + v end print(n) for k in next, {}, nil do print(k) end`,
	`local function it(s, c) if c < s then return c + 1, c * 2 end end for a, b in it, 3, 0 do print(a, b) end for a, b, c in it, 2, 0 do print(a, b, c) end`,
	`for k in setmetatable({}, {__call = function(self, s, c) if c == nil then return 1 elseif c < 3 then return c + 1 end end}) do print(k) end`,
	`local t = {1,2,3,4,5} for k, v in pairs(t) do t[k] = nil end print(next(t)) local u = {a=1,b=2,c=3} for k in pairs(u) do u[k] = nil end print(next(u))`,
	`local function f(a, b) local x <const> = 1 end`,
	`local a = {} a.b = {} a.b.c = function(self, x) return self == a.b, x end print(a.b:c(4)) print(a.b.c(a.b, 5))`,
	`print(apply(function(...) return select("#", ...), ... end, 1, nil, 3)) print(apply(pcall, error, 1))`,
	`local t = setmetatable({}, {__index = function(t, k) if k > 0 then return t[k - 1] + 1 end return 0 end}) print(t[50])`,
	`local co = coroutine.wrap(function() error("in", 0) end) print(pcall(co)) print(pcall(co))`,
	`print(pcall(coroutine.resume)) print(pcall(coroutine.yield))`,
	`local t = {} for i = 1, 10 do t[#t + 1] = i end t[#t] = nil print(#t, t[9], t[10]) local u = {n = 0} for i = 1, 5 do u[i] = {i} end print(u[3][1], #u)`,
	`local a <close> = 1`,
	`print(0/0 ~= 0/0, 1/0, -1/0, 2^53, 1e15, 123456.789, 1e100, 5 % 3, -5 % 3, 5 % -3, 5.5 % 2)`,
	`local function f(...) local a, b = ... local function g() return a, b end return g() end print(f(1, 2)) print(f(1)) local function h(...) return (...) end print(h(7, 8))`,
	`local x = 1 do local x = 2 print(x) end print(x) local function s() return x end x = 5 print(s())`,
	`local A = {} A.__index = A function A:f() return "A" end function A:g() return "g" end
	 local B = setmetatable({}, {__index = A}) B.__index = B local C = setmetatable({}, {__index = B}) C.__index = C
	 local c = setmetatable({}, C) local function go() return c:f(), c:g(), c.f == A.f, c.none end
	 print(go()) print(go()) function B:f() return "B" end print(go()) A.f = nil print(go()) B.f = nil print(pcall(go)) c.f = function() return "c" end print(go()) c.f = nil C.f = function() return "C" end print(go()) setmetatable(B, nil) print(pcall(go)) setmetatable(c, nil) print(pcall(go))`,
	`local function kind(x) if x == "fire" then return 1 elseif x == true then return 2 elseif x == nil then return 3 elseif x ~= "ice" then return 4 end return 5 end print(kind("fire"), kind("fi" .. "re"), kind(true), kind(false), kind(), kind("ic" .. "e"), kind(7), kind({}))`,
	`local function f(a, b) return a, b end local function g(...) return f(...) end print(g()) print(g(1)) print(g(1, 2, 3)) print((f(g(4, 5)))) print(f(f(6, 7)))`,
	`goto = 1 print(goto)`,
}

// TestProgramsAsInLua compares what programs print.
func TestProgramsAsInLua(t *testing.T) {
	program := lua51.Find(t, "lua5.1")
	var chunks []string
	for _, text := range programs {
		if _, err := parse.Parse(strings.NewReader(text), "test"); err == nil {
			chunks = append(chunks, text)
		}
	}
	const prelude = "local apply = function(f, ...) return f(...) end "
	with := make([]string, len(chunks))
	for i, text := range chunks {
		with[i] = prelude + text
	}
	results, err := program.Run(with)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range chunks {
		h := newHost(Options{})
		out, r := h.run(t, text)
		if got, want := sameWords(out), sameWords(results[i].Out); got != want || (r != nil) != (results[i].Err != "") {
			t.Errorf("%s\nprints\n%s%v\nand in lua5.1\n%s%v", text, got, r, want, results[i].Err)
		}
	}
}

// sameWords leaves out what the two say in their own words.
func sameWords(out string) string {
	var lines []string
	for line := range strings.Lines(out) {
		words := strings.Split(strings.TrimRight(line, "\n"), "\t")
		for i, w := range words {
			for _, kind := range []string{"table", "function", "thread"} {
				if strings.HasPrefix(w, kind) {
					words[i], w = kind, kind
				}
			}
			if at := strings.Index(w, ":1: "); at > 0 || strings.Contains(w, " ") {
				words[i] = "error"
			}
		}
		lines = append(lines, strings.Join(words, "\t"))
	}
	return fmt.Sprint(strings.Join(lines, "\n"), "\n")
}
