package machine

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestNothingStaysInRegisters: a play of many calls, deep and shallow, with garbage in
// each, leaves the heap as large as it was.
func TestNothingStaysInRegisters(t *testing.T) {
	h := newHost(Options{})
	if _, r := h.run(t, `
		local kept = {}
		function deep(n) local t = {n, {n}} if n > 0 then deep(n - 1) end return #t end
		function play(n)
			local list = {}
			for i = 1, 2000 do list[i] = {x = i, y = {i}} end
			for i = 1, 2000 do local v = list[i] v = i kept[i % 10] = v end
			local co = coroutine.wrap(function(...) coroutine.yield({...}) error({}) end)
			co(list) pcall(co) pcall(deep, 100) pcall(error, list)
			return #list
		end`); r != nil {
		t.Fatal(r)
	}
	play := h.env.GetString("play")
	round := func() {
		for range 30 {
			if _, r := h.vm.Main().Run(play, Number(1)); r != nil {
				t.Fatal(r)
			}
		}
	}
	round()
	first := heapSize()
	for range 5 {
		round()
	}
	if grown := heapSize() - first; grown > 1<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
}

// heapSize returns how many bytes are in use after a collection.
func heapSize() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestNothingStaysInCoroutines: what calls that are over have left in a coroutine that waits is
// counted or let go of by a walk: what is behind the registers in use, and behind a number in
// one of them.
func TestNothingStaysInCoroutines(t *testing.T) {
	h := newHost(Options{})
	serial, empty := 0, heapSize()
	h.env.SetString("big", OfFunction(NewNative("big", func(c *Call) {
		serial++
		c.Push(String(strings.Repeat("x", 1<<20)))
	})))
	if _, r := h.run(t, `
		local function deep(n) local f = big() local x = #f if n > 0 then deep(n - 1) end return x end
		local function behind() local f = big() f = 1 coroutine.yield(f) return f end
		kept = {}
		for i = 1, 10 do
			local f = coroutine.wrap(function() deep(1) behind() end)
			f()
			kept[i] = f
		end`); r != nil {
		t.Fatal(r)
	}
	full := heapSize() - empty
	counted := held(h.vm.Heap, 1000, OfTable(h.env))
	if left := heapSize() - empty; serial != 30 || full < 10<<20 || left > counted+1<<20 {
		t.Errorf("of %d texts of a MB %d bytes were there, %d are left, %d counted", serial, full, left, counted)
	}
	runtime.KeepAlive(h)
}

// TestStacksOfDeadCoroutinesHoldNothing: what is kept of a dead coroutine for the next one leads
// to no value, and the next one takes as much memory as any.
func TestStacksOfDeadCoroutinesHoldNothing(t *testing.T) {
	h := newHost(Options{})
	if _, r := h.run(t, `
		local function body(a, b) local t = { a } local u = coroutine.yield(t, { b }) return u, t end
		for i = 1, 40 do local co = coroutine.wrap(body) co({}, {}) co({ i }, 2, 3, 4, 5) end`); r != nil {
		t.Fatal(r)
	}
	stacks, frames := &h.vm.usedStacks, &h.vm.usedFrames
	if stacks.n != 2 || frames.n != 1 { // the stack that it begins with, and the one that it yields with
		t.Fatalf("%d stacks and %d frames are kept of coroutines that came one after the other", stacks.n, frames.n)
	}
	for i := range stacks.n {
		for _, v := range stacks.list[i] {
			if v != (Value{}) {
				t.Errorf("a stack holds %v", v)
			}
		}
	}
	for _, f := range frames.list[0] {
		if f != (frame{}) {
			t.Errorf("a stack has the frame %v", f)
		}
	}
	size := len(stacks.list[0])
	if values := stacks.get(size - 1); len(values) != size-1 || cap(values) != size-1 || stacks.n != 2 {
		t.Error("a coroutine gets a stack that is not its size")
	}
	if values := stacks.get(size); len(values) != size || stacks.n != 1 {
		t.Error("a stack that is kept is not used again")
	}
	for range 2 * len(frames.list) {
		frames.keep(make([]frame, firstFrames))
	}
	if frames.n != len(frames.list) {
		t.Errorf("%d stacks of frames are kept", frames.n)
	}
}

// TestFirstRunsAreLikeLaterOnes: a function is translated when it runs for the first time, on
// whichever thread, with budget or at its end. Nobody can tell that by what is counted, by what
// comes out, or by where an error is.
func TestFirstRunsAreLikeLaterOnes(t *testing.T) {
	h := newHost(Options{})
	_, r := h.run(t, `
		function sum(a, ...) local s = a for i = 1, 10 do s = s + i end return s, ... end
		function tail(n) return sum(n, 1, 2) end
		function fails() error("at last") end
		function yields(x) coroutine.yield(x) return x end
		first, second = coroutine.wrap(yields), coroutine.wrap(yields) -- both wait at the begin of one function
		function play()
			local a = { tail(3) }
			local ok, why = pcall(fails)
			return a[1] + a[2] + a[3], tostring(why)
		end
		function both() return first(1) + second(2) + first() + second() end`)
	if r != nil {
		t.Fatal(r)
	}
	run := func(name string) (string, int64) {
		before := h.vm.taken
		results, r := h.vm.Main().Run(h.env.GetString(name))
		if r != nil {
			t.Fatal(r)
		}
		return textOf(results), h.vm.taken - before
	}
	words, steps := run("play")
	if again, later := run("play"); again != words || later != steps || !strings.Contains(words, "61") || !strings.Contains(words, "at last") {
		t.Errorf("the first run: %q in %d steps; the second: %q in %d", words, steps, again, later)
	}
	if got, _ := run("both"); !strings.Contains(got, "6") {
		t.Errorf("two coroutines of one function: %q", got)
	}
	for limit := int64(1); limit < 30; limit++ { // it ends at each instruction, the first one of all included
		var counts [2]int64
		for i := range counts {
			h := newHost(Options{})
			if _, r := h.run(t, "function f(n) if n > 0 then return f(n - 1) end return n end function play() return f(3) end"); r != nil {
				t.Fatal(r)
			}
			if i == 1 {
				_, _ = h.vm.Main().Run(h.env.GetString("play"))
			}
			h.vm.Start(limit, 1<<40, nil)
			_, _ = h.vm.Main().Run(h.env.GetString("play"))
			counts[i] = h.vm.Steps()
			h.vm.Stop()
		}
		if counts[0] != counts[1] {
			t.Errorf("with %d steps the first run takes %d, and a later one %d", limit, counts[0], counts[1])
		}
	}
}

func textOf(list []Value) (s string) {
	for _, v := range list {
		if s += " "; v.IsString() {
			s += v.Str().String()
		} else {
			s += strconv.FormatFloat(v.Float(), 'g', -1, 64)
		}
	}
	return s
}
