package machine

import (
	"runtime"
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
	size := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	round := func() {
		for range 30 {
			if _, r := h.vm.Main().Run(play, Number(1)); r != nil {
				t.Fatal(r)
			}
		}
	}
	round()
	first := size()
	for range 5 {
		round()
	}
	if grown := size() - first; grown > 1<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
}
