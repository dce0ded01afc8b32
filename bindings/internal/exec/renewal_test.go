package exec

import (
	"testing"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
)

// TestFewKernelsAreMadeAnewInATick: whoever comes later waits for a later tick.
func TestFewKernelsAreMadeAnewInATick(t *testing.T) {
	w, err := ecs.Open(ecs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	m := &Executor{World: w}
	for tick := range 3 {
		made := 0
		for range 3 * mostRenewed {
			if m.renews() {
				made++
			}
		}
		if made != mostRenewed {
			t.Errorf("tick %d: %d kernels", tick, made)
		}
		if err := w.Step(1); err != nil {
			t.Fatal(err)
		}
	}
}

// longKernel is a Compilation that takes long; it says in done how it has ended.
type longKernel struct{ done *[]string }

func (longKernel) Work() int64 { return mostAtOnce + 1 }
func (longKernel) Waits() bool { return true }
func (longKernel) Begin()      {}
func (k longKernel) Kernel() (rows.Kernel, *diag.Error) {
	*k.done = append(*k.done, "kernel")
	return nil, nil
}
func (k longKernel) Drop() { *k.done = append(*k.done, "drop") }

// TestAFunctionThatIsReadTwiceCountsTwice: a kernel turns out to take long when its function has been read. It is read
// once more, so that no other one is begun anew in the tick.
func TestAFunctionThatIsReadTwiceCountsTwice(t *testing.T) {
	w, err := ecs.Open(ecs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	read, done := 0, []string{}
	m := &Executor{World: w, Compile: func(KernelSource) (Compilation, *diag.Error) { read++; return longKernel{&done}, nil }}
	for range 3 {
		x := &EachRunner{m: m, s: &System{}}
		x.remake()
	}
	if read != mostRenewed || len(done) != 1 || done[0] != "drop" {
		t.Errorf("functions were read %d times in a tick, want %d; ended: %v", read, mostRenewed, done)
	}
}

// TestACompilationThatIsPostponedIsDropped: of a system that goes before its kernel was begun.
func TestACompilationThatIsPostponedIsDropped(t *testing.T) {
	done := []string{}
	s := &System{}
	s.Compiled.large = true
	if !(&Executor{}).Postpone(s, longKernel{&done}) {
		t.Fatal("it is not postponed")
	}
	s.Compiled.Close()
	s.Compiled.Close()
	if len(done) != 1 || done[0] != "drop" {
		t.Errorf("ended: %v, want one drop", done)
	}
}
