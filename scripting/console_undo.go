package scripting

import (
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
)

// Bounds of what is kept to undo texts of the console.
const (
	mostUndo  = 32
	undoBytes = 256 << 20 // of all points; the oldest go first
)

// undoPoint is what takes a text back: what the game was before it, and what the text has changed of the
// variables of modules and of the console, which no snapshot has.
type undoPoint struct {
	run      uint64
	snapshot *Snapshot
	kept     *holdings
	reloads  uint64 // of the host, then
	tick     uint64
	bytes    int64
}

// consoleUndo are the points, the oldest first.
type consoleUndo struct {
	points []undoPoint
	spare  *Snapshot // of a point that is gone, to be filled again
}

// capture keeps what the game is, for a text that has not run yet.
func (c *Console) capture() (undoPoint, error) {
	s := c.undo.spare
	if c.undo.spare = nil; s == nil {
		s = &Snapshot{}
	}
	if err := c.host.Update(s); err != nil {
		return undoPoint{}, err
	}
	_, tick := c.host.world.Time()
	return undoPoint{snapshot: s, reloads: c.host.reloads, tick: tick}, nil
}

// keep keeps the point of a text that has run, if it has changed something.
func (c *Console) keep(r *ConsoleResult, p undoPoint, done bool) {
	if p.snapshot == nil {
		return
	}
	if !done || !r.Changed {
		c.undo.spare = p.snapshot
		return
	}
	p.run, p.kept = r.Run, c.kept
	p.bytes = p.snapshot.world.Bytes() + p.snapshot.scripts.bytes() + p.kept.bytes()
	if p.bytes > undoBytes {
		r.NotUndoable = fmt.Errorf("scripting: Console: %w: the game before the text takes %s bytes, and at most %s are kept", ecs.ErrRange, diag.Grouped(p.bytes), diag.Grouped(undoBytes))
		return
	}
	r.Undoable = true
	c.undo.points = append(c.undo.points, p)
	all := int64(0)
	for i, p := range slices.Backward(c.undo.points) {
		if all += p.bytes; all > undoBytes || len(c.undo.points)-i > mostUndo {
			c.undo.drop(0, i+1)
			break
		}
	}
}

// drop drops points.
func (u *consoleUndo) drop(from, to int) {
	if from < to {
		u.spare = u.points[to-1].snapshot
	}
	u.points = slices.Delete(u.points, from, to)
}

// Undoable returns the numbers of the texts that [Console.Undo] can take back, the oldest first. 32 texts at most are kept, in
// 256 MiB: older ones go.
func (c *Console) Undoable() (runs []uint64) {
	if c == nil {
		return nil
	}
	for _, p := range c.undo.points {
		runs = append(runs, p.run)
	}
	return runs
}

// Undo makes the game what it was before a text that RunUndoable has run, also if ticks were made since: they are given up,
// and so are later texts. The world and what scripts keep are restored as by [Host.Restore], with its errors; then nothing has
// changed. What the texts have assigned in variables of modules and to globals of the console is put back, unless scripts were
// reloaded since, which Restored.Notes says. What ticks have changed in such variables since stays, as after any restore. The error wraps [ecs.ErrUnknown] for a text that cannot be undone, or undone any more.
//
// With a session of package record, undo by its method Back, so that what it keeps stays good.
func (c *Console) Undo(run uint64) (Restored, error) {
	if !c.open() {
		return Restored{}, fmt.Errorf("scripting: Console.Undo: %w", ErrClosed)
	}
	at := slices.IndexFunc(c.undo.points, func(p undoPoint) bool { return p.run == run })
	if at < 0 {
		return Restored{}, unknownf("scripting: Console.Undo: text %d cannot be undone: it has changed nothing, it was undone, or it is too long ago", run)
	}
	p := c.undo.points[at]
	_, tick := c.host.world.Time()
	found, err := c.host.Restore(p.snapshot)
	if err != nil {
		return Restored{}, err
	}
	if p.reloads == c.host.reloads {
		for _, later := range slices.Backward(c.undo.points[at:]) {
			later.kept.restore()
		}
	} else {
		found.Notes = append(found.Notes, "variables of files stay what they are: scripts were reloaded since the text")
	}
	if tick != p.tick {
		found.Notes = append(found.Notes, fmt.Sprintf("%s since the text were given up; what scripts have changed in variables of files meanwhile stays: ecs.state keeps what an undo brings back",
			diag.Count(int(tick-p.tick), "tick", "ticks")))
	}
	c.undo.drop(at, len(c.undo.points))
	return found, nil
}
