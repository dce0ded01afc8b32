package scripting_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// oracle counts who has asked it.
type oracle struct {
	*game
	fromVM, fromKernel int
	paid               int // questions that a script could pay
}

// newOracle exposes host.ask(x, y): x + 2y, which it leaves to the VM where y is below zero. It
// charges a thousand steps.
func newOracle(t *testing.T, limits scripting.Limits) *oracle {
	o := &oracle{game: newGame(t, limits)}
	err := o.host.Expose("ask", scripting.Question{Args: 2, Second: true,
		Func: func(call *scripting.Call, x, y float64) (float64, bool, error) {
			o.fromVM++
			if x == 13 {
				return 0, false, errors.New("the oracle is silent")
			}
			err := call.Charge(1000)
			if err == nil {
				o.paid++
			}
			return x + 2*y, true, err
		},
		Numbers: func(charge func(int) bool, args *[5]float64) float64 {
			o.fromKernel++
			if args[1] < 0 || args[0] == 13 || !charge(1000) || args[2] != 0 || args[4] != 0 {
				return math.NaN()
			}
			o.paid++
			return args[0] + 2*args[1]
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// fill spawns rows at 0, 1, 2 and so on, with a y that says what is asked.
func (o *oracle) fill(n int, y func(i int) float64) {
	o.write("rows.lua", fmt.Sprintf(`ecs.on_start(function() for i = 0, %d do ecs.spawn(P { x = i, y = ({ %s })[i + 1] }, V {}) end end)`,
		n-1, strings.Join(texts(n, y), ", ")))
}

func texts(n int, y func(i int) float64) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint(y(i)))
	}
	return list
}

const asking = `local host = require "host"
ecs.system "ask" { query = { P, V }, kernel = %q, each = function(e, p, v)
  local sum, whole = host.ask(p.x, p.y)
  if whole then v.x = sum else v.x = -1 end
  v.y = host.ask(v.x, 1) * 2
end }`

// TestKernelsAskTheHost: a compiled function leaves what the VM would leave, and the VM runs the
// rows for which there is no number.
func TestKernelsAskTheHost(t *testing.T) {
	var sums []uint64
	for _, mode := range []string{"require", "off"} {
		o := newOracle(t, scripting.Limits{})
		o.fill(40, func(i int) float64 { return float64(i%10 - 1) })
		o.write("ask.lua", fmt.Sprintf(asking, mode))
		if err := o.host.Load(o.folder); err != nil {
			t.Fatal(err)
		}
		o.step(2)
		sums = append(sums, o.world.Checksum())
		switch {
		case len(o.errors) == 0 || len(o.errors) > 2 || !strings.Contains(o.errors[0].Error(), "the oracle is silent"):
			t.Errorf("kernel %s: %v", mode, o.errors)
		case mode == "off" && o.fromKernel > 0:
			t.Errorf("with kernels off, %d questions came from a kernel", o.fromKernel)
		case mode == "require" && (o.fromKernel < 70*2 || o.fromVM > 10*2):
			t.Errorf("%d questions came from kernels and %d from the VM", o.fromKernel, o.fromVM)
		}
	}
	if sums[0] != sums[1] {
		t.Error("the kernel leaves another world than the VM")
	}
}

// TestQuestionsOfKernelsAreCharged: work of the host counts as instructions in a kernel, too.
func TestQuestionsOfKernelsAreCharged(t *testing.T) {
	for _, mode := range []string{"require", "off"} {
		o := newOracle(t, scripting.Limits{Instructions: 50_000})
		o.fill(100, func(int) float64 { return 1 })
		o.write("ask.lua", fmt.Sprintf(asking, mode))
		if err := o.host.Load(o.folder); err != nil {
			t.Fatal(err)
		}
		o.step(1)
		if len(o.errors) == 0 || !errors.Is(o.errors[0], scripting.ErrLimit) || o.errors[0].Limit != "Instructions" {
			t.Errorf("kernel %s: %v", mode, o.errors)
		}
		if o.paid < 10 || o.paid > 50 {
			t.Errorf("kernel %s: %d questions were paid", mode, o.paid)
		}
	}
}

// TestQuestionsThatCannotBe: what Expose refuses, and what keeps a function on the VM.
func TestQuestionsThatCannotBe(t *testing.T) {
	numbers := func(func(int) bool, *[5]float64) float64 { return 0 }
	for name, c := range map[string]struct {
		question scripting.Question
		want     string
	}{
		"nothing":    {scripting.Question{}, "without its functions"},
		"no numbers": {scripting.Question{Func: func(x float64) float64 { return x }, Args: 1}, "without its functions"},
		"no func":    {scripting.Question{Func: 5, Numbers: numbers, Args: 1}, "without its functions"},
		"too few":    {scripting.Question{Func: func(x, y float64) float64 { return x }, Numbers: numbers, Args: 1}, "of 1 numbers cannot be exposed to scripts: its function takes 2"},
		"too many":   {scripting.Question{Func: func(a, b, c, d, e, f float64) float64 { return a }, Numbers: numbers, Args: 6}, "1 to 5 are possible"},
		"none":       {scripting.Question{Func: func() float64 { return 1 }, Numbers: numbers}, "1 to 5 are possible"},
		"a text":     {scripting.Question{Func: func(x string) float64 { return 1 }, Numbers: numbers, Args: 1}, "takes and returns numbers"},
		"a truth":    {scripting.Question{Func: func(x float64) bool { return true }, Numbers: numbers, Args: 1}, "takes and returns numbers"},
		"no result":  {scripting.Question{Func: func(x float64) {}, Numbers: numbers, Args: 1}, "takes and returns numbers"},
		"an error":   {scripting.Question{Func: func(x float64) error { return nil }, Numbers: numbers, Args: 1}, "takes and returns numbers"},
		"no second":  {scripting.Question{Func: func(x float64) float64 { return 1 }, Numbers: numbers, Args: 1, Second: true}, "Second is true"},
		"a second":   {scripting.Question{Func: func(x float64) (float64, bool) { return 1, true }, Numbers: numbers, Args: 1}, "Second is false"},
		"two":        {scripting.Question{Func: func(x float64) (float64, float64) { return 1, 2 }, Numbers: numbers, Args: 1, Second: true}, "Second is true"},
		"three":      {scripting.Question{Func: func(x float64) (float64, bool, bool) { return 1, true, true }, Numbers: numbers, Args: 1, Second: true}, "Second is true"},
		"a list":     {scripting.Question{Func: func(x ...float64) float64 { return 1 }, Numbers: numbers, Args: 1}, "cannot be exposed"},
	} {
		if err := newGame(t, scripting.Limits{}).host.Expose("q", c.question); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	o := newOracle(t, scripting.Limits{})
	o.write("ask.lua", `local host = require "host"
ecs.system "ask" { query = { P, V }, kernel = "require", each = function(e, p, v) v.x = host.ask(p.x) end }`)
	if err := o.host.Load(o.folder); err == nil || !strings.Contains(err.Error(), "host.ask with 1 arguments") {
		t.Errorf("a question with too few arguments: %v", err)
	}
}

// TestAQuestionThatPanics: it is a fault of the script that asks, compiled or not, and the game goes on.
func TestAQuestionThatPanics(t *testing.T) {
	for _, mode := range []string{"require", "off"} {
		g := newGame(t, scripting.Limits{})
		angry := true
		err := g.host.Expose("ask", scripting.Question{Args: 1,
			Func: func(x float64) float64 {
				if angry {
					panic("the oracle is angry")
				}
				return x
			},
			Numbers: func(_ func(int) bool, args *[5]float64) float64 {
				if angry {
					panic("the oracle is angry")
				}
				return args[0]
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		g.write("ask.lua", fmt.Sprintf(`local host = require "host"
ecs.on_start(function() for i = 1, 5 do ecs.spawn(P { x = i }, V {}) end end)
ecs.system "ask" { query = { P, V }, kernel = %q, each = function(e, p, v) v.x = v.x + host.ask(p.x) end }`, mode))
		if err := g.host.Load(g.folder); err != nil {
			t.Fatal(err)
		}
		g.step(1)
		if len(g.errors) == 0 || !strings.Contains(g.errors[0].Error(), "the oracle is angry") {
			t.Errorf("kernel %s: %v", mode, g.errors)
		}
		angry = false
		g.errors = nil
		g.step(200)
		if len(g.errors) > 0 {
			t.Errorf("kernel %s: %v", mode, g.errors)
		}
	}
}
