package scripting

import (
	"time"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
)

// compilation is a [bindings.Compilation]: a kernel whose function is lowered, on the goroutine of
// the world, and whose machine code is made there by Kernel or beside the ticks by Begin. The host
// has one worker at a time for that: compilations are done in the order of their Begin.
//
// Invariant: what Begin starts reads nothing of scripts or of the world. When the host is
// closed, it has come to its end.
type compilation struct {
	h       *Host
	s       bindings.KernelSource
	lowered *kernel.Lowered
	took    time.Duration // to lower the function
	waits   bool          // see Waits

	done     chan struct{} // closed when the work beside the ticks has ended; nil: there is none
	prepared *kernel.Prepared
}

// compileKernel begins the kernel of an each function, or says why there is none.
func (h *Host) compileKernel(s bindings.KernelSource) (bindings.Compilation, *diag.Error) {
	began := time.Now()
	l, err := h.lower(&s)
	if err != nil {
		return nil, h.whyNot(&s, err)
	}
	return &compilation{h: h, s: s, lowered: l, took: time.Since(began), waits: !h.limiter.loading && (h.tried == nil || !l.Known())}, nil
}

// Work implements bindings.Compilation.
func (c *compilation) Work() int64 { return c.lowered.Work() }

// Waits implements bindings.Compilation. A dry run has done the rest, unless the values that the
// kernel is made for are others in the game: a list in a module that stays, which has grown; or there was no dry run,
// or no room for all that it has made.
//
// Where hosts share a Program, what other hosts of it have made does not count: no tick depends on these.
func (c *compilation) Waits() bool { return c.waits }

// Begin implements bindings.Compilation.
func (c *compilation) Begin() {
	k := &c.h.kernels
	e, err := k.open(c.h.world)
	if err != nil || e.Interprets() {
		return // there is next to nothing to do
	}
	before, done, delay := k.last, make(chan struct{}), k.delay
	c.done, k.last = done, done
	k.beside.Go(func() {
		defer close(done)
		if before != nil {
			<-before
		}
		if delay != nil {
			delay()
		}
		c.prepared, _ = c.lowered.Prepare(e) // Kernel comes to the same error
	})
}

// Kernel implements bindings.Compilation.
func (c *compilation) Kernel() (rows.Kernel, *diag.Error) {
	if c.done != nil {
		<-c.done
	}
	defer c.Drop()
	began := time.Now()
	k, err := c.h.makeKernel(&c.s, c.lowered)
	if err != nil {
		return nil, c.h.whyNot(&c.s, err)
	}
	k.Took = c.took + time.Since(began)
	return k, nil
}

// Drop implements bindings.Compilation.
func (c *compilation) Drop() {
	if c.done == nil {
		return
	}
	done := c.done
	c.done = nil
	select {
	case <-done:
		c.release()
	default:
		c.h.kernels.beside.Go(func() {
			<-done
			c.release()
		})
	}
}

// release lets the engine forget what was compiled, unless a kernel was made of it.
func (c *compilation) release() {
	if c.prepared != nil {
		_ = c.prepared.Close() // memory that the engine cannot give back: there is nothing to be done about it
	}
}
