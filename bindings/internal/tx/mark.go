package tx

import (
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// Mark is how far the records of a call had come before a row.
type Mark struct {
	commands                  ecs.Mark
	dates                     ecs.DatesMark
	undo, timers, read, wrote int
}

func (c *Call) Mark() (at Mark) {
	c.MarkAt(&at)
	return at
}

// MarkAt is mark for what does so for each row: it copies nothing twice.
func (c *Call) MarkAt(at *Mark) {
	at.commands, at.dates = c.Tick.Commands.Mark(), c.Dates.Mark()
	at.undo, at.timers, at.read, at.wrote = len(c.Undo.List), len(c.Timers), len(c.read), len(c.Wrote)
}

// Rewind takes back what was done since a mark, but for columns: those are kept
// once for many rows, and undoRow puts one row back. What was written elsewhere
// stays noted: putting it back twice does no harm.
func (c *Call) Rewind(to Mark) {
	UndoWrites(c.Wrote[to.wrote:])
	for _, r := range slices.Backward(c.read[to.read:]) {
		r.reader.Rewind(r.at)
	}
	c.Dates.RewindLooks(to.dates)
	c.Undo.restore(to.undo, func(u *saved) bool { return !u.Column })
	c.Tick.Commands.Rewind(to.commands)
	clear(c.Timers[to.timers:])
	c.Timers, c.read, c.Wrote = c.Timers[:to.timers], c.read[:to.read], c.Wrote[:to.wrote]
}
