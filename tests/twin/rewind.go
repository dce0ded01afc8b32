package twin

import "github.com/perigee-ecs/perigee/ecs"

// mark is a place in the record of the twin's commands, in the world's words and
// in the model's.
type mark struct {
	at           ecs.Mark
	do, reserved int
	set          bool
}

// markCommands remembers where the record of commands ends.
func (tw *Twin) markCommands(c *ecs.Commands) mark {
	return mark{c.Mark(), len(tw.Model.pending.do), len(tw.Model.pending.reserved), true}
}

// rewind goes back to the last mark, if it is still good; if not, it records some
// commands only to forget them.
func (tw *Twin) rewind(t T, op Op) {
	t.Helper()
	m := tw.mark
	if !m.set {
		m = tw.markCommands(tw.commands)
		for i := range op.B%4 + 1 {
			kind := RecordSpawn + (Kind(op.C)+Kind(i))%(RecordDo-RecordSpawn+1)
			tw.record(t, tw.commands, Op{kind, op.A + i*5, op.B + i, op.C * (i + 1), op.D})
		}
	}
	tw.mark = mark{}
	tw.rewindTo(t, op, tw.commands, m)
}

func (tw *Twin) rewindTo(t T, op Op, c *ecs.Commands, m mark) {
	t.Helper()
	c.Rewind(m.at)
	tw.Model.Rewind(m.do, m.reserved)
	if n := len(tw.Model.pending.reserved); c.Spawned() > n || !tw.tight && c.Spawned() != n {
		t.Fatalf("%v: %d spawns are recorded, the model has %d", op, c.Spawned(), n)
	}
}

// Rewind forgets the commands after the first ones, and ends the entities that they have
// reserved.
func (m *Model) Rewind(do, reserved int) {
	for _, e := range m.pending.reserved[reserved:] {
		if t := m.things[e]; t != nil && !t.placed {
			m.forget(e)
		}
	}
	m.pending.do, m.pending.reserved = m.pending.do[:do], m.pending.reserved[:reserved]
}
