package lower_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/kerneltest"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/lower"
)

// work counts what it takes to lower a body, in statements and in microseconds of the
// compiler's reckoning; the error is the reason why there is no kernel.
func work(t *testing.T, body string) (int64, error) {
	t.Helper()
	s, err := kerneltest.Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	b := &lower.CompileBudget{Name: "test", Most: 1 << 40}
	_, err = s.LowerWithin(b)
	return b.Used(), err
}

// chain is a text of n functions, each of which calls the one before it twice, in a branch
// if there is a condition.
func chain(n int, condition string) string {
	var b strings.Builder
	b.WriteString("local function f0(x) return x * 2 end\n")
	for i := 1; i <= n; i++ {
		call := fmt.Sprintf("return f%d(x) + f%d(x + 1)", i-1, i-1)
		if condition != "" {
			call = "if " + condition + " then " + call + " end return x"
		}
		fmt.Fprintf(&b, "local function f%d(x) %s end\n", i, call)
	}
	return b.String() + fmt.Sprintf("u.x = f%d(u.x)\n", n)
}

// families are texts that grow with n.
var families = map[string]func(n int) string{
	"calls of calls":             func(n int) string { return chain(n, "") },
	"calls of calls in branches": func(n int) string { return chain(n, "x > 1") },
	"calls of calls that are left": func(n int) string {
		return strings.Replace(chain(n, "x > 1"), "return x * 2", "return 'x' .. x", 1)
	},
	"assignments":   func(n int) string { return strings.Repeat("u.x = u.x * u.y + 1\n", 40*n) },
	"branches":      func(n int) string { return strings.Repeat("if u.x > 1 then u.x = u.y + 1 end\n", 40*n) },
	"branches left": func(n int) string { return strings.Repeat("if u.x > 1 then ecs.log('x') end\n", 40*n) },
	"rows that leave": func(n int) string {
		return strings.Repeat("if u.x > 1 then u.x = u.y return end\n", 20*n)
	},
	"operators in a row": func(n int) string { return "u.x = u.y" + strings.Repeat(" + u.x", 6*n) },
	"operators in brackets": func(n int) string {
		return "u.x = " + strings.Repeat("(u.x + ", 2*n) + "2" + strings.Repeat(") * u.y", 2*n)
	},
	"nested and and or": func(n int) string {
		return "u.x = " + strings.Repeat("(u.x > 1 and u.y + ", n) + "1" + strings.Repeat(" or u.y)", n)
	},
	"short loops": func(n int) string { return strings.Repeat("for i = 1, 4 do u.x = u.x + i end\n", 20*n) },
	"locals": func(n int) string {
		return strings.Repeat("do local a = u.x * 2 u.x = a end\n", 20*n)
	},
	"arguments that are calls": func(n int) string {
		return "local function f(a, b) if a > b then return a end return b end\nu.x = " + strings.Repeat("f(u.x, ", 2*n) + "1" + strings.Repeat(")", 2*n)
	},
}

// TestWorkGrowsWithText holds that the work for a text grows at most with the square of its
// length: from one length to twice that, five times at most. Where functions call each other
// twice each, it grows faster, and ends at the bounds of one kernel. Nothing is measured.
func TestWorkGrowsWithText(t *testing.T) {
	for name, text := range families {
		last := int64(0)
		for n := 4; n <= 32; n *= 2 {
			got, err := work(t, text(n))
			if _, ok := errors.AsType[*lower.Refusal](err); err != nil && !ok {
				t.Fatalf("%s, %d: %v", name, n, err)
			}
			if !strings.HasPrefix(name, "calls of calls") && last > 0 && got > 5*last && got > 20_000 {
				t.Errorf("%s, %d: the work is %d, and %d for half of the text (%v)", name, n, got, last, err)
			}
			if got > 3_000_000 {
				t.Errorf("%s, %d: the work is %d: more than the bounds of one kernel allow", name, n, got)
			}
			last = got
		}
	}
}

// TestTooLargeCalleeCostsNothing holds that a call of a function that is too large with all
// that it calls is refused before anything is made of it, at the place of the call, and that
// one that is small enough is not.
func TestTooLargeCalleeCostsNothing(t *testing.T) {
	for _, condition := range []string{"", "x > 1"} {
		got, err := work(t, chain(14, condition))
		if err == nil || !strings.Contains(err.Error(), "line 16, column 7: a function of this size (with those that it calls at most 6000 statements") || got > 10 {
			t.Errorf("condition %q: work %d, %v", condition, got, err)
		}
		if got, err := work(t, chain(6, condition)); err != nil || got < 100 {
			t.Errorf("condition %q, a small one: work %d, %v", condition, got, err)
		}
	}
	if _, err := work(t, "local function f(x) if false then return f(x) end return x end\nu.x = f(1)"); err != nil {
		t.Errorf("a call that a literal rules out: %v", err)
	}
	if _, err := work(t, "local function f(x) return f(x) + f(x) end\nu.x = f(1)"); err == nil || !strings.Contains(err.Error(), "a function that calls itself") {
		t.Errorf("a function that calls itself: %v", err)
	}
}

// TestLoadLearnsWhatIsTooLarge holds that a function of which the text does not show that it
// is too large is made once in a load, also as the callee of one that does much before it
// calls it: the next kernels are refused before anything is made of them.
func TestLoadLearnsWhatIsTooLarge(t *testing.T) {
	f := "local function f(x) " + strings.Repeat("do local a = x * 2 end ", 3100) + "return x end\n"
	g := "local function g(x) " + strings.Repeat("do local a = x * 2 end ", 1000) + "return f(x) end\n"
	for name, body := range map[string]string{"a call": f + "u.x = f(u.x)", "a call after much": f + g + "u.x = g(u.x)"} {
		s, err := kerneltest.Parse(body)
		if err != nil {
			t.Fatal(err)
		}
		b := &lower.CompileBudget{Name: "test", Most: 1 << 40}
		for i := range 4 {
			before := b.Used()
			_, err := s.LowerWithin(b)
			if err == nil || !strings.Contains(err.Error(), "a function of this size") {
				t.Fatalf("%s: %v", name, err)
			}
			if work := b.Used() - before; i == 0 && work < 3000 || i > 0 && work > 10 {
				t.Errorf("%s, kernel %d: the work is %d", name, i+1, work)
			}
		}
	}
}

// TestPartsOfExpressions holds that expressions have a bound of their own: few statements
// can hold much.
func TestPartsOfExpressions(t *testing.T) {
	sum := "(" + strings.TrimSuffix(strings.Repeat("u.x + ", 200), " + ") + ")"
	f := "local function f() return " + strings.TrimSuffix(strings.Repeat(sum+" * ", 40), " * ") + " end\n"
	for n, want := range map[int]bool{1: true, 20: false} { // 8,000 operators each
		if _, err := work(t, f+strings.Repeat("u.x = f()\n", n)); err == nil != want || err != nil && !strings.Contains(err.Error(), "parts of expressions") {
			t.Errorf("%d calls: %v", n, err)
		}
	}
}

// TestBudgetEnds holds that functions are refused when the budget of a load is used up, that
// what is refused so is not charged, and that a smaller one still finds room.
func TestBudgetEnds(t *testing.T) {
	large, err := kerneltest.Parse(strings.Repeat("u.x = u.x * u.y + 1\n", 300))
	if err != nil {
		t.Fatal(err)
	}
	small, err := kerneltest.Parse("u.x = 1")
	if err != nil {
		t.Fatal(err)
	}
	b := &lower.CompileBudget{Name: "compileTime", Most: 120_000}
	compiled := 0
	for range 1000 {
		if _, err = large.LowerWithin(b); err != nil {
			break
		}
		compiled++
	}
	if compiled == 0 || compiled == 1000 || err == nil || !strings.Contains(err.Error(), "beyond the limit compileTime") {
		t.Fatalf("%d compiled, then %v", compiled, err)
	}
	if b.Used() > b.Most {
		t.Errorf("%d of %d are used", b.Used(), b.Most)
	}
	if _, err := small.LowerWithin(b); err != nil {
		t.Errorf("a small one after that: %v", err)
	}
	b.Spend(b.Most)
	if _, err := small.LowerWithin(b); err == nil || !strings.Contains(err.Error(), "beyond the limit") {
		t.Errorf("a small one when nothing is left: %v", err)
	}
}
