package machine

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// counter is a context that counts the instructions of gopher-lua, which asks it before
// each, and ends the call after limit of them.
type counter struct {
	context.Context
	steps, limit int
	done         chan struct{}
}

func (c *counter) Done() <-chan struct{} {
	if c.steps++; c.limit >= 0 && c.steps > c.limit {
		return c.done
	}
	return nil
}

func (c *counter) Err() error { return fmt.Errorf("spent") }

// inGopher runs a chunk in gopher-lua, and returns what it prints and how many instructions
// it has executed.
func inGopher(t *testing.T, text string, limit int) (string, int) {
	L := lua.NewState()
	defer L.Close()
	var out strings.Builder
	L.SetGlobal("print", L.NewFunction(func(L *lua.LState) int {
		for i := 1; i <= L.GetTop(); i++ {
			out.WriteString(L.Get(i).String() + "\t")
		}
		out.WriteString("\n")
		return 0
	}))
	closed := make(chan struct{})
	close(closed)
	c := &counter{context.Background(), 0, limit, closed}
	fn := L.NewFunctionFromProto(compiled(t, text))
	L.SetContext(c)
	L.Push(fn)
	_ = L.PCall(0, 0, nil) // an end of the budget is wanted
	return out.String(), c.steps
}

// counted are programs that gopher-lua counts as the machine does.
var counted = []string{
	`local s = 0 for i = 1, 10 do s = s + i print(s) end`,
	`local t = {} for i = 1, 5 do t[i] = i * 2 end for k, v in pairs(t) do print(k, v) end for i, v in ipairs(t) do print(i, v) end`,
	`local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end print(fib(7))`,
	`local x = 0 while x < 5 do x = x + 1 if x == 3 then print("three") elseif x > 3 and x < 5 then print("four") else print(x) end end`,
	`local a, b, c = 1, 2, 3 a, b, c = c, a, b print(a, b, c) local d = a == 3 and b or c print(d, not d, a ~= b)`,
	`local function mk(n) return function(d) n = n + d print(n) return n end end local f = mk(1) f(2) f(3)`,
	`local function v(...) local a, b = ... print(a, b, select("#", ...)) return ... end print(v(1, 2, 3)) print((v(4)))`,
	`local function tail(n) if n == 0 then print("end") return n end return tail(n - 1) end print(tail(4))`,
	`local M = {__add = function(a, b) print("add") return 1 end, __index = function(t, k) print(k) return 2 end, __lt = function() return true end} M.__call = function(self, x) print("call", x) end
	 local t = setmetatable({}, M) local r = t + 1 print(r, t.x) t(5) if t < t then print("less") end print(t < t)`,
	`repeat local q = 1 print(q) until q == 1 do local z z = 3 print(z) end goto done print("no") ::done:: print("yes")`,
	`local t = {1, 2, 3, x = 1, [2] = 5} t.x = t.x + 1 t.y = t[1] .. "a" print(#t, t.x, t.y, -t[1], t[3] % 2, 2 ^ 3)`,
	`for i = 3, 1, -1 do for j = 1, 2 do if j == 2 then break end print(i, j) end end`,
	`print(tostring(1)) return tostring(2)`,
}

// TestCountsAsGopherLua, instruction by instruction: with each limit, both print the same
// before it is reached.
func TestCountsAsGopherLua(t *testing.T) {
	for _, text := range counted {
		_, all := inGopher(t, text, -1)
		h := newHost(Options{})
		h.vm.Start(-1, 0, nil)
		if _, r := h.run(t, text); r != nil {
			t.Fatalf("%s\n%v", text, r)
		}
		if got := h.vm.Steps(); got != int64(all) {
			t.Errorf("%d steps, and %d in gopher-lua, of\n%s", got, all, text)
			continue
		}
		for limit := range all + 1 {
			want, _ := inGopher(t, text, limit)
			h := newHost(Options{})
			h.vm.Start(int64(limit), 0, nil)
			got, r := h.run(t, text)
			if strings.ReplaceAll(want, "\t\n", "\n") != got || (r != nil) != (limit < all) {
				t.Fatalf("with %d of %d steps it prints\n%s%v\nand in gopher-lua\n%s\nof\n%s", limit, all, got, r, want, text)
			}
			if r != nil && r.Err.Limit != "Instructions" {
				t.Fatalf("%v", r.Err)
			}
		}
	}
}

// hostile are programs that no limit of their own ends.
var hostile = map[string]string{
	"a loop in pcall":             `while true do pcall(function() while true do end end) end`,
	"pcall of pcall":              `local function f() pcall(f) f() end while true do pcall(f) end`,
	"errors":                      `while true do pcall(error, {}) end`,
	"a handler that fails":        `while true do xpcall(error, function() error("again") end) end`,
	"a handler in a handler":      `local function h() xpcall(error, h) end while true do xpcall(error, h) end`,
	"recursion":                   `local function f() return 1 + f() end while true do pcall(f) end`,
	"tail calls":                  `local function f(...) return f(1, ...) end while true do pcall(f) end`,
	"recursion with values":       `local function f(...) f(1, 2, 3, 4, 5, ...) end while true do pcall(f) end`,
	"__index calls itself":        `local t = setmetatable({}, {__index = function(t, k) return t[k] end}) while true do pcall(function() return t.x end) end`,
	"__index in a circle":         `local t = {} setmetatable(t, {__index = t}) while true do pcall(function() return t.x end) end`,
	"__newindex in a circle":      `local t = {} setmetatable(t, {__newindex = t}) while true do pcall(function() t.x = 1 end) end`,
	"__call in a circle":          `local t = {} setmetatable(t, {__call = function(self) return self() + 1 end}) while true do pcall(t) end`,
	"__eq calls itself":           `local m = {} m.__eq = function(a, b) return a == b end local a, b = setmetatable({}, m), setmetatable({}, m) while true do pcall(function() return a == b end) end`,
	"coroutines in each other":    `local function f() coroutine.wrap(f)() end while true do pcall(f) end`,
	"coroutines without end":      `while true do local co = coroutine.wrap(function() coroutine.yield() end) co() end`,
	"a coroutine resumes itself":  `local co co = coroutine.create(function() while true do coroutine.resume(co) end end) while true do coroutine.resume(co) end`,
	"resume in both directions":   `local a, b a = coroutine.create(function() while true do coroutine.resume(b) coroutine.yield() end end) b = coroutine.create(function() while true do coroutine.resume(a) coroutine.yield() end end) while true do coroutine.resume(a) end`,
	"calls from Go":               `local function f() apply(f) end while true do pcall(f) end`,
	"calls from Go in coroutines": `local function f() coroutine.wrap(function() apply(f) end)() end while true do pcall(f) end`,
	"yields across Go":            `local co = coroutine.wrap(function() while true do pcall(apply, coroutine.yield) end end) while true do co() end`,
	"panics":                      `while true do pcall(panics) end`,
	"texts that grow":             `local s = "x" while true do pcall(function() s = s .. s end) end`,
	"a list that grows":           `local t = {} while true do t[#t + 1] = t end`,
	"an iterator that never ends": `for k in function() return 1 end do end`,
	"next that never ends":        `local t = {1} while true do for k, v in pairs(t) do t[k + 1] = nil end end`,
	"varargs":                     `local function f(...) return f(..., ...) end while true do pcall(f, 1, 2, 3) end`,
	"unpack":                      `local t = {} for i = 1, 5000 do t[i] = i end while true do pcall(function() local a = {unpack(t)} end) end`,
	"concat of many":              `local t = setmetatable({}, {__concat = function(a, b) return a end}) while true do local x = t .. 1 .. t .. 2 .. "x" .. t end`,
	"compare in a metamethod":     `local m = {} m.__lt = function(a, b) return a < b end m.__le = m.__lt local a, b = setmetatable({}, m), setmetatable({}, m) while true do pcall(function() return a <= b end) end`,
	"closures":                    `local function f(a, b, c) return function() return a, b, c, f end end while true do f(f, f, f) end`,
	"yield in a metamethod":       `local t = setmetatable({}, {__index = coroutine.yield, __add = coroutine.yield}) local co = coroutine.wrap(function() while true do local x = t.y + t end end) while true do co(t) end`,
	"error values of all kinds":   `while true do for _, v in ipairs{1, "x", true, {}, print} do pcall(error, v) end pcall(error) end`,
	"wrap passes errors on":       `local function f(n) if n == 0 then error("x") end coroutine.wrap(f)(n - 1) end while true do pcall(f, 20) end`,
}

// TestHostileProgramsEnd: whatever they do, the budget ends them, and nothing of them is
// left on the stack.
func TestHostileProgramsEnd(t *testing.T) {
	for name, text := range hostile {
		began := time.Now()
		h := newHost(Options{})
		h.vm.Start(300_000, 64<<20, nil)
		_, r := h.run(t, text)
		if r == nil || r.Err.Limit == "" {
			t.Errorf("%s: %v", name, r)
		}
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
		main := h.vm.Main()
		if len(main.frames) != 0 || main.call != &main.root || main.open != nil || h.vm.nested != 0 || main.entries != 0 || h.vm.inGo != 0 || h.vm.running != main {
			t.Errorf("%s: %d frames, %d nested, %d entries, %d calls from Go are left", name, len(main.frames), h.vm.nested, main.entries, h.vm.inGo)
		}
		h.vm.Start(-1, 0, nil)
		if out, r := h.run(t, `local s = 0 for i = 1, 10 do s = s + i end print(s, pcall(error, 1))`); out != "55\tfalse\t1\n" || r != nil {
			t.Errorf("%s: after it the machine prints %q, %v", name, out, r)
		}
	}
}

// TestLimitsOfDepth: too many calls in each other are an error that a script can catch.
func TestLimitsOfDepth(t *testing.T) {
	h := newHost(Options{Depth: 50, Nesting: 20})
	for text, want := range map[string]string{
		`local n = 0 local function f() n = n + 1 f() end print(pcall(f)) print(n)`:                                      "false\ttest:1: stack overflow: more than 50 calls in each other\n",
		`local function f(n) local ok, e = pcall(f, n + 1) if ok then return e end return e end print(f(1))`:             "stack overflow: protected calls and coroutines are 21 deep in each other of 20 (Limits.Nesting)\n",
		`local function f() return apply(f) end print(pcall(f))`:                                                         "false\ttest:1: stack overflow: more than 50 calls in each other\n",
		`local t = setmetatable({}, {__index = function(t, k) return t[k] end}) print(pcall(function() return t.x end))`: "false\ttest:1: stack overflow: more than 50 calls in each other\n",
	} {
		if out, r := h.run(t, text); r != nil || !strings.Contains(out, want) {
			t.Errorf("%s\nprints %q, %v\nwant %q", text, out, r, want)
		}
	}
}

// TestBytesOfNativesAreSeenAtOnce: what a native makes a table grow by is seen when it returns,
// and not when somebody looks.
func TestBytesOfNativesAreSeenAtOnce(t *testing.T) {
	h := newHost(Options{})
	if _, r := h.run(t, `made = 0 function fill(n) for i = 1, n do rawset({}, 1, "x") made = i end end`); r != nil {
		t.Fatal(r)
	}
	h.vm.Start(-1, 100_000, nil)
	one := func() int64 {
		before := h.vm.Heap.Taken
		_, _ = h.vm.Main().Run(h.env.GetString("fill"), Number(1))
		return h.vm.Heap.Taken - before
	}()
	_, r := h.vm.Main().Run(h.env.GetString("fill"), Number(100_000))
	if made := int64(h.env.GetString("made").Float()); r == nil || h.vm.Bytes() > 100_000+2*one || made > 100_000/one+2 {
		t.Errorf("%d tables of %d bytes, %d in all: %v", made, one, h.vm.Bytes(), r)
	}
	h.vm.Stop()
}

// TestConstructorsCountWhatTheyMake: a long list in a constructor is not copied for each part.
func TestConstructorsCountWhatTheyMake(t *testing.T) {
	h := newHost(Options{})
	before := h.vm.Heap.Taken
	if _, r := h.run(t, "return {"+strings.Repeat("1,", 20_000)+"}"); r != nil {
		t.Fatal(r)
	}
	if made := h.vm.Heap.Taken - before; made > 4*8*20_000 {
		t.Errorf("a list of 160,000 bytes counts %d", made)
	}
}
