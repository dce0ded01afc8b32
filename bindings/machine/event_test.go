package machine

import (
	"fmt"
	"sync"
	"testing"
)

// TestEventsAreFound: a metatable says the same about an event as the look-up of its name,
// with slots and with a dictionary, before and after it is set.
func TestEventsAreFound(t *testing.T) {
	h := NewHeap()
	for _, others := range []int{0, 3, 20, 200} {
		m := h.NewTable(0, 0)
		for i := range others {
			m.SetString(fmt.Sprint("k", i), True)
		}
		for e := range events {
			if v := m.event(e); !v.IsNil() {
				t.Errorf("%s is %s before it is set", eventNames[e].s, show(v))
			}
			m.SetString(eventNames[e].s, Number(float64(e)))
			for seen := range e + 1 {
				if v := m.event(seen); m.lacks(seen) || !v.Equal(Number(float64(seen))) {
					t.Errorf("with %d other keys %s is %s", others, eventNames[seen].s, show(v))
				}
			}
		}
		m.SetString("__index", Nil)
		if v := m.event(evIndex); !v.IsNil() {
			t.Errorf("__index is %s after it was removed", show(v))
		}
	}
	if v := (*Table)(nil).event(evCall); !v.IsNil() {
		t.Error("no metatable has an event")
	}
}

// TestMachinesShareNothing: machines in goroutines of their own write to nothing that the
// others read. The race detector sees it; a text that is shared has its hash from the start.
func TestMachinesShareNothing(t *testing.T) {
	for e, name := range eventNames {
		if name.hash == 0 {
			t.Errorf("event %d has no hash yet", e)
		}
	}
	program := compiled(t, `
		local calls = {}
		for i, name in ipairs({ "__index", "__newindex", "__call", "__add", "__concat", "__len", "__eq", "__lt", "__le", "__unm" }) do
			calls[name] = function(a, b) return i end
		end
		local o, p = setmetatable({}, calls), setmetatable({}, calls)
		local big = setmetatable({}, setmetatable(calls, { __index = calls }))
		o.x = 1
		print(o.y, o(1), o + 1, o .. "x", -o, o == p, o < p, o <= p, big.z, #o)
		print(pcall(function() return o.x.y.z end))
	`)
	var work sync.WaitGroup
	out := make([]string, 4)
	for i := range out {
		work.Go(func() {
			h := newHost(Options{})
			if _, r := h.vm.Main().Run(OfFunction(h.vm.Load(program, h.env))); r != nil {
				t.Error(r)
			}
			w := Walk{}
			w.Begin(h.vm.Heap)
			w.Push(OfTable(h.env))
			w.Step(1 << 20)
			out[i] = h.out.String()
		})
	}
	work.Wait()
	for _, got := range out {
		if got != out[0] || got == "" {
			t.Errorf("one machine prints %q, another %q", got, out[0])
		}
	}
}
