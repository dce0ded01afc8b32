package ir

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestNewLocalTakesLowestNumber compares names with those that a search through all locals
// gives, while locals come and are taken away again as lower does that gives up a branch.
func TestNewLocalTakesLowestNumber(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		f := &Func{}
		for range 200 {
			if r.IntN(10) == 0 {
				saved := *f
				for range r.IntN(30) {
					checkNewLocal(t, f, r)
				}
				*f = saved
				continue
			}
			checkNewLocal(t, f, r)
		}
	}
}

func checkNewLocal(t *testing.T, f *Func, r *rand.Rand) {
	t.Helper()
	name := []string{"value", "p.x", "index"}[r.IntN(3)]
	want, n := name, 1
	for hasLocal(f, want) {
		n++
		want = fmt.Sprintf("%s~%d", name, n)
	}
	if got := f.Locals[f.NewLocal(name, Num)].Name; got != want {
		t.Fatalf("%q after %v: got %q, want %q", name, f.Locals[:len(f.Locals)-1], got, want)
	}
}

func hasLocal(f *Func, name string) bool {
	for _, l := range f.Locals {
		if l.Name == name {
			return true
		}
	}
	return false
}

// TestNewLocalLooksAtFewNames counts how many names are looked at: a kernel of thousands of
// locals of one name once took a second to name them.
func TestNewLocalLooksAtFewNames(t *testing.T) {
	f := &Func{}
	f.NewLocal("value", Num)
	if allocs := testing.AllocsPerRun(1000, func() { f.NewLocal("value", Num) }); allocs > 8 {
		t.Errorf("%v allocations for one more local", allocs)
	}
	if n := f.names.last["value"]; n != len(f.Locals) {
		t.Errorf("the last of %d locals is number %d", len(f.Locals), n)
	}
}

// TestSincosAssignsBoth holds that nobody takes a cosine for a value from before.
func TestSincosAssignsBoth(t *testing.T) {
	e := &Expr{Op: Sincos, Type: Num, Name: Sine, Local: 3, Cosine: 5, Args: []*Expr{Constant(1)}}
	got := Assigned([]*Stmt{{Kind: Set, Local: 1, Value: e}})
	for _, local := range []int{1, 3, 5} {
		if !got[local] {
			t.Errorf("local %d is not among %v", local, got)
		}
	}
}
