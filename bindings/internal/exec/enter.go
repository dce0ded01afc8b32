package exec

import (
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/view"
	"github.com/perigee-ecs/perigee/ecs"
)

// What it takes to come to rows, beside what is done with them. A kernel counts nanoseconds, against
// Limits.TickRows, and the VM instructions. There may be ten thousand systems, each with a query of
// thousands of archetypes that have a row each, or none.
const (
	workOfRun   = 1000 // a run of a kernel
	workOfChunk = 200  // entering it for the rows of a chunk
	workOfTest  = 15   // as [ecs.Query.Tested] counts

	stepsOfRun   = 100
	stepsOfChunk = 10
	stepsOfTest  = 3
)

// entrance charges a run for the chunks to which it comes, before anything is done with them, and
// for the archetypes that it passes.
type entrance struct {
	tx     *tx.Runner
	kernel *kernelRunner // nil: the VM runs the rows
	views  *view.Viewer
	query  *ecs.Query
	chunks int    // that are charged
	tested uint64 // likewise
}

// begin begins a run.
func (g *entrance) begin() {
	g.chunks, g.tested = g.views.Chunks, g.query.Tested()
	g.charge(workOfRun, stepsOfRun)
}

// enter charges the chunks to which the loop has come since.
func (g *entrance) enter() {
	if n := g.views.Chunks - g.chunks; n > 0 {
		g.chunks += n
		g.charge(int64(n)*workOfChunk, n*stepsOfChunk)
	}
}

// end charges what the loop has passed.
func (g *entrance) end() {
	n := g.query.Tested() - g.tested
	g.tested += n
	g.charge(int64(n)*workOfTest, int(n)*stepsOfTest)
}

// ahead returns what enter and end would charge by now, for rows that are shared out.
func (g *entrance) ahead() (work int64) {
	return int64(g.views.Chunks-g.chunks)*workOfChunk + int64(g.query.Tested()-g.tested)*workOfTest
}

// forget takes it that what the loop has come to is charged, or is not to be.
func (g *entrance) forget() { g.chunks, g.tested = g.views.Chunks, g.query.Tested() }

func (g *entrance) charge(work int64, steps int) {
	switch {
	case g.kernel == nil:
		g.tx.Charge(steps)
	case g.kernel.budget != nil:
		g.kernel.budget.SpendOnRows(g.kernel.script, work)
	}
}
