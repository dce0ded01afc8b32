package bindings

import (
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"math"
)

// changeBudget is how fast something can grow with the notes of a kernel: at most by each,
// for so many bytes of notes.
type changeBudget struct{ each, bytes int }

// atMost takes over another budget if it is faster.
func (p *changeBudget) atMost(o changeBudget) {
	if o.each*max(p.bytes, 1) > p.each*o.bytes {
		*p = o
	}
}

// room returns how many bytes of notes there may be for something to grow by no
// more than left.
func (p changeBudget) room(left int) int {
	const enough = 1 << 30
	if p.each == 0 || left > enough {
		return enough
	}
	return max(left, 0) * p.bytes / p.each
}

// measure notes how fast a site can use up what the limits leave.
func (s *KernelHost) measure(at *hostCall) {
	bytes := 8 * (1 + at.size)
	switch at.Op {
	case "get", "has", "parent":
		return // nothing is noted
	case "spawn":
		n := at.entities()
		s.never = s.never || n > maxFamily
		s.spawned.atMost(changeBudget{n, bytes})
		s.sets.atMost(changeBudget{n, bytes})
		s.notes.atMost(changeBudget{2 * n, bytes}) // each, and its place below its parent
	case "set", "remove":
		s.notes.atMost(changeBudget{len(at.Parts), bytes})
		s.sets.atMost(changeBudget{len(at.Parts), bytes})
	case "emit", "despawn", "set_parent":
		s.notes.atMost(changeBudget{1, bytes})
	default:
		s.sets.atMost(changeBudget{1, bytes})
		s.notes.atMost(changeBudget{1, bytes})
	}
	s.bytes.atMost(changeBudget{int(min(at.recorded(), math.MaxInt32)), bytes})
}

// recorded returns how many bytes of commands a change of the site takes at most.
func (at *hostCall) recorded() int64 {
	n := int64(decl.PerNode)
	for _, p := range at.Parts {
		switch x := p.Ref.(type) {
		case *decl.Prefab:
			n += x.Bytes
		case *decl.Component:
			n += decl.PerValue + int64(x.Schema.Size)
		case *decl.Event:
			n += int64(x.Schema.Size)
		}
	}
	return 4 * n // with the commands themselves, and a mask for each byte
}

// entities returns how many a spawn makes, its children included.
func (at *hostCall) entities() int {
	n := 1
	for _, p := range at.Parts {
		if f, ok := p.Ref.(*decl.Prefab); ok {
			n += f.Size - 1
		}
	}
	return n
}

// Begin is called before the kernel runs. It returns how many bytes of notes
// surely keep within the limits. Near a limit there may be none: then the VM
// runs the rows, and says where the limit is reached.
func (s *KernelHost) Begin() int {
	c, limits := s.m.tx.Call, &s.m.opts.Limits
	now := c.Since()
	usage := &s.m.tx.Usage
	mine, all := usage.By[c.Script].Plus(now), usage.All.Plus(now)
	room := s.notes.room(min(
		left(limits.Commands, c.Tick.Commands.Len()),
		max(usage.Part(limits.Commands, limits.TickCommands)-mine.Commands, left(limits.TickCommands, all.Commands))))
	room = min(room, s.bytes.room(min(
		left(int(limits.CommandBytes), c.Bytes()),
		max(usage.Part(int(limits.CommandBytes), int(limits.TickCommandBytes))-mine.Bytes, left(int(limits.TickCommandBytes), all.Bytes)))))
	if s.sets.each > 0 {
		room = min(room, s.sets.room(s.roomForSets(c)))
	}
	if s.spawned.each == 0 {
		return room
	}
	return min(room, s.spawned.room(min(
		s.m.world.Raw().Room(), left(limits.Spawned, c.Tick.Commands.Spawned()),
		max(usage.Part(limits.Spawned, limits.TickSpawned)-mine.Spawned, left(limits.TickSpawned, all.Spawned)))))
}

// left returns how much of a limit is left.
func left(limit, used int) int {
	if limit <= 0 {
		return math.MaxInt
	}
	return limit - used
}
