package scripting

import (
	"fmt"
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/heapsize"
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
	if !done || !r.Changed || c.kept.beyond {
		c.undo.spare = p.snapshot
		return
	}
	p.run, p.kept = r.Run, c.kept
	p.bytes = p.snapshot.world.Bytes() + p.snapshot.scripts.bytes() + p.kept.bytes()
	points := append(slices.Clone(c.undo.points), p)
	held := c.held(points)
	if p.bytes += held[len(points)-1]; p.bytes > undoBytes {
		r.NotUndoable = fmt.Errorf("scripting: Console: %w: the game before the text takes %s bytes, and at most %s are kept", ecs.ErrRange, diag.Grouped(p.bytes), diag.Grouped(undoBytes))
		return
	}
	r.Undoable = true
	c.undo.points = points
	all := int64(0)
	for i, p := range slices.Backward(points) {
		if all += p.bytes + held[i]; all > undoBytes || len(c.undo.points)-i > mostUndo {
			c.undo.drop(0, i+1)
			break
		}
	}
}

// held counts for each point what the old values in it lead to, without what the globals and modules lead to that are in reach
// now, and what later points do. Why is it counted anew with each text? What a point shares with the game is its alone once
// the game drops it. O(values that they lead to).
func (c *Console) held(points []undoPoint) []int64 {
	none := c.host.state.NewTable()
	now := heapsize.Owner{Env: c.env}
	if now.Env == nil {
		now.Env = none
	}
	live := map[lua.LValue]bool{}
	for _, m := range c.host.live {
		live[m.exports] = true
	}
	owners := []heapsize.Owner{now}
	for i := range slices.Backward(points) {
		p, old := &points[i], heapsize.Owner{Env: none}
		if p.reloads != c.host.reloads {
			p.kept = &holdings{} // nothing puts it back any more
		}
		for _, v := range p.kept.roots {
			of := &old
			if live[v] {
				of = &owners[0]
			}
			of.Sources = append(of.Sources, heapsize.Root{Value: v})
		}
		for _, t := range p.kept.tables {
			for _, v := range t.entries {
				old.Sources = append(old.Sources, heapsize.Root{Value: v})
			}
			old.Sources = append(old.Sources, heapsize.Root{Value: t.table}, heapsize.Root{Value: t.meta})
		}
		for _, l := range p.kept.locals {
			old.Sources = append(old.Sources, heapsize.Root{Value: l.value})
		}
		owners = append(owners, old)
	}
	walk := newWalk()
	walk.Begin(owners)
	for !walk.Step(math.MaxInt) {
	}
	if c.host.heldWatch.owners != nil {
		c.host.beginWalk() // of several walks the last one is good
	}
	bytes := slices.Clone(walk.Bytes()[1:])
	slices.Reverse(bytes)
	return bytes
}

// drop drops points.
func (u *consoleUndo) drop(from, to int) {
	if from < to {
		u.spare = u.points[to-1].snapshot
	}
	u.points = slices.Delete(u.points, from, to)
}

// rewound drops the points of texts that have not been, in the game that was restored: it is that of an earlier moment, or was read
// from a save.
func (c *Console) rewound(x *Scripts) {
	if c == nil {
		return
	}
	for i, p := range c.undo.points {
		if x.of != c.host || p.run > x.typed {
			c.undo.drop(i, len(c.undo.points))
			return
		}
	}
}

// Undoable returns the numbers of the texts that [Console.Undo] can take back, the oldest first. 32 texts at most are kept, in
// 256 MiB: older ones go. So do those that a restore takes back: of a moment before them, or of a save.
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
	points := slices.Clone(c.undo.points[at:]) // the restore drops them
	p := points[0]
	_, tick := c.host.world.Time()
	if tick < p.tick && !c.host.looking {
		c.undo.drop(at, len(c.undo.points))
		return Restored{}, unknownf("scripting: Console.Undo: text %d cannot be undone: the game has gone back to a moment before it", run)
	}
	found, err := c.host.Restore(p.snapshot)
	if err != nil {
		return Restored{}, err
	}
	if p.reloads == c.host.reloads {
		for _, later := range slices.Backward(points) {
			later.kept.restore()
		}
	} else {
		found.Notes = append(found.Notes, "variables of files stay what they are: scripts were reloaded since the text")
	}
	if tick > p.tick {
		found.Notes = append(found.Notes, fmt.Sprintf("%s since the text were given up; what scripts have changed in variables of files meanwhile stays: ecs.state keeps what an undo brings back",
			diag.Count(int(tick-p.tick), "tick", "ticks")))
	}
	return found, nil
}
