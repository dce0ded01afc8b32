package exec

import (
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/bindings/rows"
)

// TestAFailedRunIsNoPartOfTheNext: what the VM has done in a run of a kernel that has failed is not taken from the
// time of the next run, which would be negative.
func TestAFailedRunIsNoPartOfTheNext(t *testing.T) {
	r := Recorder{Ran: &rows.Ran{}, foreign: &rows.Effort{}, last: longRun}
	r.due()
	r.compiled = true
	r.part(func() { time.Sleep(5 * time.Millisecond) }) // and then a row fails: nobody calls took
	if r.due() {
		r.began, r.compiled = time.Now(), true
		r.took()
	}
	if r.Kernel.Time < 0 || r.VM.Time != 0 || r.waiting != 0 {
		t.Errorf("%v by the kernel, %v by the VM", r.Kernel.Time, r.VM.Time)
	}
}

// TestAKernelThatIsHeldUpOnce: of a kernel that scripts call, a run that is held up stands for no others that took
// as long, since the run before it was short.
func TestAKernelThatIsHeldUpOnce(t *testing.T) {
	const held = 5 * time.Millisecond
	r := Recorder{Ran: &rows.Ran{}, foreign: &rows.Effort{}}
	for n := 1; n <= mostRuns; n++ {
		if r.due() != (n == mostRuns) {
			t.Fatalf("the run %d: measured %v", n, r.timed)
		}
		r.compiled = true
		if r.timed {
			r.began = time.Now().Add(-held)
		}
		r.took()
	}
	if most := r.last + mostRuns*longRun; r.Kernel.Time < held || r.Kernel.Time > most || r.VM.Time != 0 {
		t.Errorf("%v by the kernel, want at most %v; %v by the VM", r.Kernel.Time, most, r.VM.Time)
	}
}
