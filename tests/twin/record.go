package twin

import (
	"bytes"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

// record adds a command to c and its meaning to the model.
func (tw *Twin) record(t T, c *ecs.Commands, op Op) {
	t.Helper()
	m, e := tw.Model, tw.pick(op.A)
	var do func() error
	switch op.Kind {
	case RecordSpawn:
		do = tw.recordSpawn(t, c, op)
	case RecordDespawn:
		c.Despawn(e)
		do = func() error { return m.Despawn(e) }
	case RecordAdd:
		vs := tw.given(op)
		c.Add(e, tw.values(vs)...)
		do = m.unlessDated(vs, e, func() error { return m.Add(e, vs) })
	case RecordRemove:
		k := int(op.C) % len(tw.kinds)
		c.Remove(e, tw.kinds[k].id)
		do = func() error { return m.Remove(e, []int{k}) }
	case RecordPatch:
		do = tw.recordPatch(c, e, op)
	case RecordParent:
		parent := tw.pick(op.B)
		c.SetParent(e, parent)
		do = func() error { return m.SetParent(e, parent) }
	case RecordRelate:
		target, r := tw.pick(op.B), int(op.C)%len(tw.relations)
		c.Relate(tw.relations[r], e, target)
		do = func() error { return m.Relate(r, e, target, -1) }
	case RecordExchange:
		vs, remove := tw.given(op), Op{B: op.A, C: op.D}.kindsOf(len(tw.kinds))
		c.Exchange(e, tw.ids(remove), tw.values(vs)...)
		do = m.unlessDated(vs, e, func() error { return m.Exchange(e, remove, vs) })
	case RecordCopy:
		do = tw.recordCopy(t, c, e, op)
	case RecordLater:
		c.DespawnLater(e)
		do = func() error { return m.DespawnLater(e) }
	case RecordSend:
		do = tw.boxes[op.A%2].send(c, int(op.D))
	case RecordDo:
		c.Do(func(w *ecs.World) error { return w.Despawn(e) })
		do = func() error { return m.Despawn(e) }
	default:
		return
	}
	m.pending.do = append(m.pending.do, do)
}

func (tw *Twin) recordSpawn(t T, c *ecs.Commands, op Op) func() error {
	t.Helper()
	if tw.World.Len() >= tw.crowd {
		return func() error { return nil }
	}
	vs := tw.given(op)
	e := c.Spawn(tw.values(vs)...)
	if e == 0 && tw.tight {
		return func() error { return nil }
	}
	agree(t, op, tw.Model.Reserve(e), nil)
	tw.Model.pending.reserved = append(tw.Model.pending.reserved, e)
	dated := tw.Model.dated(vs)
	return func() error {
		if tw.Model.things[e] == nil {
			return nil
		}
		err := dated()
		if err == nil {
			err = tw.Model.settle(e, vs)
		}
		if thing := tw.Model.things[e]; err != nil && !thing.placed {
			tw.Model.forget(e) // as if it had never been issued
		}
		return err
	}
}

// recordCopy is recordSpawn with the values that e has when the command is applied.
func (tw *Twin) recordCopy(t T, c *ecs.Commands, e ecs.Entity, op Op) func() error {
	t.Helper()
	if tw.World.Len() >= tw.crowd {
		return func() error { return nil }
	}
	vs, m := tw.given(op), tw.Model
	copied := c.Copy(e, tw.values(vs)...)
	if copied == 0 && tw.tight {
		return func() error { return nil }
	}
	agree(t, op, m.Reserve(copied), nil)
	m.pending.reserved = append(m.pending.reserved, copied)
	dated := m.dated(vs)
	return func() error {
		if thing := m.things[copied]; thing == nil || thing.placed {
			return nil
		}
		has, err := m.copied(e)
		if err == nil {
			err = dated()
		}
		if err == nil {
			err = m.settle(copied, append(has, vs...))
		}
		if err != nil {
			m.forget(copied)
		}
		return err
	}
}

// recordPatch overwrites a whole value byte by byte, with a mask or without; one with Go pointers must
// not be patched so.
func (tw *Twin) recordPatch(c *ecs.Commands, e ecs.Entity, op Op) func() error {
	k := int(op.C) % len(tw.kinds)
	if tw.kinds[k].heap {
		k = 0
	}
	n, size := int(op.D), tw.kinds[k].size
	words := make([]uint64, size/8+1)
	tw.kinds[k].write(unsafe.Pointer(&words[0]), n)
	whole := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size)
	if n%2 == 0 {
		c.Patch(e, tw.kinds[k].id, 0, whole)
	} else {
		c.Blend(e, tw.kinds[k].id, whole, bytes.Repeat([]byte{1}, len(whole)))
	}
	dated := tw.Model.dated([]given{{kind: k}})
	return func() error {
		t := tw.Model.things[e]
		if err := dated(); err != nil {
			return err
		}
		if t == nil {
			return gone(e)
		}
		if _, ok := t.values[k]; !ok {
			// the default comes first, and observers get a notice of it
			if err := tw.Model.Add(e, []given{{k, tw.Model.kinds[k].def}}); err != nil {
				return err
			}
		}
		return tw.Model.Add(e, []given{{k, n}})
	}
}
