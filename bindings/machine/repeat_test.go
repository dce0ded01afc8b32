package machine

import (
	"fmt"
	"strings"
	"testing"
)

// sums are turns that give a function 1, 2, … and add up what it returns.
type sums struct {
	last, n int
	total   float64
	seen    []int // how many results each call had
	fails   int   // the turn at which it raises an error
	c       *Call
}

func (s *sums) Turn(results, args []Value) bool {
	if s.n > 0 {
		s.seen = append(s.seen, len(results))
		for _, v := range results {
			s.total += v.Float()
		}
	}
	if s.n == s.fails {
		s.c.Raise(String("turned down"))
	}
	if s.n == s.last {
		return false
	}
	s.n++
	for i := range args {
		args[i] = Nil
	}
	if len(args) > 0 {
		args[0] = Number(float64(s.n))
	}
	return true
}

// repeatIn runs a text that has the function again, and returns what the turns saw.
func repeatIn(t *testing.T, text string, s *sums) (string, *Raised) {
	h := newHost(Options{})
	h.env.SetString("again", OfFunction(NewNative("again", func(c *Call) {
		s.c = c
		c.Repeat(c.Arg(1).Function(), 1, s)
	})))
	return h.run(t, text)
}

// TestRepeatedCalls: a function is called once for each turn, with results of any number,
// by a tail call, with captured locals of its own, deep calls, and as a native.
func TestRepeatedCalls(t *testing.T) {
	for _, c := range []struct {
		text  string
		total float64
		seen  int
	}{
		{`again(function(n) return n end)`, 5050, 1},
		{`again(function(n) return n, 1 end)`, 5150, 2},
		{`again(function(n) end)`, 0, 0},
		{`again(function(n, x, y) if x or y then error("left over") end x, y = n, n return x + y end)`, 10100, 1},
		{`local function deep(n) if n == 0 then return 0 end return 1 + deep(n - 1) end
		  again(function(n) return deep(n) end)`, 5050, 1},
		{`local function twice(n) return 2 * n end again(function(n) return twice(n) end)`, 10100, 1},
		{`local all = {} again(function(n) all[n] = function() n = n + 1 return n end return all[1]() end)`, 5150, 1},
		{`again(function(...) return ... end)`, 5050, 1},
		{`again(rawequal or function(n) return n end)`, 0, -1},
		{`again(function(n) return pcall(error, n) and 0 or n end)`, 5050, 1},
	} {
		s := &sums{last: 100, fails: -1}
		if _, r := repeatIn(t, c.text, s); r != nil {
			t.Errorf("%s: %v", c.text, r.Err)
			continue
		}
		if len(s.seen) != 100 || c.seen >= 0 && (s.total != c.total || s.seen[99] != c.seen) {
			t.Errorf("%s: %v results, %v in all", c.text, s.seen, s.total)
		}
	}
}

// TestRepeatedCallsFail: an error of the function, or of a turn, goes through the native,
// after which the thread is as it was before; repeated calls stand in each other.
func TestRepeatedCallsFail(t *testing.T) {
	for _, c := range []struct {
		text  string
		fails int
		want  string
	}{
		{`print(pcall(again, function(n) if n == 7 then error("seven", 0) end return n end)) print(1)`, -1, "false\tseven\n1\n"},
		{`print(pcall(again, function(n) return n end)) print(2)`, 8, "false\tturned down\n2\n"},
	} {
		s := &sums{last: 100, fails: c.fails}
		if out, r := repeatIn(t, c.text, s); r != nil || out != c.want {
			t.Errorf("%s: %q, %v", c.text, out, r)
		}
	}
}

// TestRepeatedInRepeated: each call repeats another function.
func TestRepeatedInRepeated(t *testing.T) {
	h, got := newHost(Options{}), ""
	h.env.SetString("both", OfFunction(NewNative("both", func(c *Call) {
		s := &sums{last: 3, fails: -1}
		c.Repeat(c.Arg(1).Function(), 1, s)
		got += fmt.Sprint(s.total, " ")
		c.Push(Number(s.total))
	})))
	if _, r := h.run(t, `both(function(n) return both(function(m) return n * m end) end)`); r != nil {
		t.Fatal(r.Err)
	}
	if got != "6 12 18 36 " {
		t.Errorf("got %s", got)
	}
}

// TestThreadsWithinEachOther: functions of the host enter two threads in turn, and the innermost
// function yields. What the error says is found in a circle of threads.
func TestThreadsWithinEachOther(t *testing.T) {
	h := newHost(Options{})
	threads, depth := []*Thread{h.vm.Main(), h.vm.NewThread(nil)}, 0
	h.env.SetString("enter", OfFunction(NewNative("enter", func(c *Call) {
		depth++
		threads[depth%2].Call(c.Arg(1))
		depth--
	})))
	out, r := h.run(t, `
		local said
		enter(function() enter(function() enter(function() said = select(2, pcall(coroutine.yield)) end) end) end)
		print(said)`)
	if r != nil {
		t.Fatal(r)
	}
	if !strings.Contains(out, "outside a coroutine") {
		t.Errorf("got %q", out)
	}
}
