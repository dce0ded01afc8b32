package work

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// TestJobsWaitForThoseBefore: whoever takes them, each job's turn comes when all
// before it are done, in queues within queues too.
func TestJobsWaitForThoseBefore(t *testing.T) {
	p := NewPool(3)
	defer p.Close()
	for range 50 {
		var next atomic.Int64
		outer := &Queue{}
		outer.Job = func(i int) {
			inner := &Queue{Up: outer.Ticket(i)}
			inner.Job = func(j int) {
				if (i+j)%3 > 0 {
					runtime.Gosched()
				}
				inner.Ticket(j).Wait()
				if got := int(next.Add(1)) - 1; got != i*8+j {
					t.Errorf("job %d.%d had its turn as number %d", i, j, got)
				}
			}
			p.Run(inner, 0, 8)
		}
		p.Run(outer, 0, 6)
		if next.Load() != 48 || !p.Idle() {
			t.Fatalf("%d jobs were done, or queues are left", next.Load())
		}
	}
}
