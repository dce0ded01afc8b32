package machine

import (
	"fmt"
	"strings"
	"testing"
)

// TestJoinedTextsOfAllSizes: whatever the operands are, two or three of them, short or long, texts
// or numbers, the text that concat and .. make is that of its parts, and it counts the same steps and bytes as
// the text is long: the short way of few operands is the long one.
func TestJoinedTextsOfAllSizes(t *testing.T) {
	h := newHost(Options{})
	sizes := []int{0, 1, 7, 8, 9, 23, 24, 25, 40, 41, 71, 72, 73, 103, 104, 105, 200, 511, 512, 513, 4000}
	h.env.SetString("check", OfFunction(NewNative("check", func(c *Call) {
		want, got := "", c.Arg(1).Str()
		for i := 2; i <= c.Len(); i++ {
			v := c.Arg(i)
			want += h.vm.textOf(&v)
		}
		if got == nil || got.String() != want || got.Len() != len(want) {
			t.Fatalf("%q, want %q", got, want)
		}
		if k := NewStr(want); got.key() != k.key() {
			t.Fatalf("%q has another hash than its content", want)
		}
	})))
	h.env.SetString("concat", OfFunction(h.vm.Builtin(Concat))) // as the compiler puts it in the place of ..
	h.env.SetString("bytes", OfFunction(NewNative("bytes", func(c *Call) { c.Push(Number(float64(h.vm.Bytes()))) })))
	h.env.SetString("steps", OfFunction(NewNative("steps", func(c *Call) { c.Push(Number(float64(h.vm.Steps()))) })))
	var b strings.Builder
	for _, n := range sizes {
		for _, m := range sizes {
			x, y := fmt.Sprintf("%q", strings.Repeat("x", n)), fmt.Sprintf("%q", strings.Repeat("y", m))
			fmt.Fprintf(&b, "do local x, y, s, m = %s, %s s, m = steps(), bytes() local xy = concat(x, y) made(%d, bytes() - m, steps() - s)\n", x, y, n+m)
			fmt.Fprintf(&b, "check(xy, x, y) check(concat(x, 12.5, y), x, 12.5, y) check(concat(-0.25, x), -0.25, x) check(concat(x, y, x), x, y, x) check(concat(1, 2), 1, 2) check(x .. y .. 1, x, y, 1) end\n")
		}
	}
	steps := -1.0
	h.env.SetString("made", OfFunction(NewNative("made", func(c *Call) {
		n := int(c.Arg(1).Float())
		if c.Arg(2).Float() != float64(n) {
			t.Fatalf("a text of %d bytes counts %v", n, c.Arg(2).Float())
		}
		if steps < 0 {
			steps = c.Arg(3).Float() // of a text that fills nothing
		}
		if c.Arg(3).Float() != steps+float64(n/bytesPerStep) {
			t.Fatalf("a text of %d bytes counts %v steps", n, c.Arg(3).Float())
		}
	})))
	for _, part := range strings.SplitAfter(b.String(), "end\n") {
		if _, r := h.run(t, part); r != nil {
			t.Fatal(r)
		}
	}
}
