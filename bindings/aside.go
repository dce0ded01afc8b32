package bindings

import (
	"bytes"
	"reflect"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// aside is a view of rows of entities to which the running call has done something:
// it shows copies of the values that it has changed, as they are by now, and what is
// written into these is recorded as a change after all others. Their columns are left
// alone: what was recorded before would be written over them when the commands are
// applied.
type aside struct {
	m     *Module
	view  view
	cells []cell   // of each row, by term
	words []uint64 // memory for the copies of pointer-free values
	told  bool     // observers are told of what is recorded: it is ecs.update's
}

// cell is one component of one row: whether the call has changed it, its value as it
// was, and the copy that is written; nil where the row has none.
type cell struct {
	own      bool
	was, now unsafe.Pointer
}

// begin empties it, for rows of so many terms.
func (s *aside) begin(m *Module, v *view) {
	s.m, s.told = m, false
	s.view.entities, s.view.chunk = s.view.entities[:0], nil
	s.cells, s.words = s.cells[:0], s.words[:0]
	if len(s.view.columns) != len(v.columns) {
		s.view.columns = make([]column, len(v.columns))
	}
	for k := range s.view.columns {
		c := &s.view.columns[k]
		*c = column{comp: v.columns[k].comp, ptrs: c.ptrs[:0], saved: true}
	}
}

// add appends the i-th row of v as the call has it by now.
func (s *aside) add(p *ecs.Preview, v *view, i int) {
	e := v.entities[i]
	s.view.entities = append(s.view.entities, e)
	for k := range v.columns {
		now, own := p.Own(e, v.columns[k].comp.ID)
		s.put(k, v, i, now, own)
	}
}

// land appends the i-th row of v with the values that it had when a function began
// that has changed some of them since: what the function leaves goes aside. What it
// has removed is not: the value in the column is the last one that there is.
func (s *aside) land(p *ecs.Preview, v *view, i int) {
	e := v.entities[i]
	s.view.entities = append(s.view.entities, e)
	for k := range v.columns {
		now, own := p.Own(e, v.columns[k].comp.ID)
		s.put(k, v, i, v.columns[k].at(i), own && now != nil)
	}
}

// extend is land for what a function has changed of the last row, which is that one,
// besides what had been changed before.
func (s *aside) extend(p *ecs.Preview, v *view, i int) {
	first := len(s.cells) - len(v.columns)
	for k := range v.columns {
		one := &s.cells[first+k]
		if now, own := p.Own(v.entities[i], v.columns[k].comp.ID); !own || now == nil || one.own {
			continue
		}
		one.own = true
		if at := v.columns[k].at(i); at != nil {
			one.was, one.now = s.copy(v.columns[k].comp, at), s.copy(v.columns[k].comp, at)
		}
		ptrs := s.view.columns[k].ptrs
		ptrs[len(ptrs)-1] = one.now
	}
}

func (s *aside) put(term int, v *view, i int, now unsafe.Pointer, own bool) {
	c, at := &s.view.columns[term], v.columns[term].at(i)
	one := cell{own: own}
	if own {
		if at = nil; now != nil {
			one.was, one.now = s.copy(c.comp, now), s.copy(c.comp, now)
			at = one.now
		}
	}
	s.cells = append(s.cells, one)
	c.ptrs = append(c.ptrs, at)
}

// alike reports whether the last row has the same components as the first.
func (s *aside) alike() bool {
	for k := range s.view.columns {
		ptrs := s.view.columns[k].ptrs
		if (ptrs[0] == nil) != (ptrs[len(ptrs)-1] == nil) {
			return false
		}
	}
	return true
}

// drop takes the last row out again.
func (s *aside) drop() {
	s.view.entities = s.view.entities[:len(s.view.entities)-1]
	s.cells = s.cells[:len(s.cells)-len(s.view.columns)]
	for k := range s.view.columns {
		c := &s.view.columns[k]
		c.ptrs = c.ptrs[:len(c.ptrs)-1]
	}
}

// one shows one component of an entity, whose value is at p, to a function of ecs.update.
func (s *aside) one(m *Module, e ecs.Entity, c *decl.Component, p unsafe.Pointer) {
	v := view{columns: []column{{comp: c, base: p}}}
	s.begin(m, &v)
	s.told = true
	s.view.entities = append(s.view.entities, e)
	s.put(0, &v, 0, p, true)
}

// copy copies a value.
func (s *aside) copy(c *decl.Component, from unsafe.Pointer) unsafe.Pointer {
	if c.Heap {
		v := reflect.New(s.m.world.GoType(c.ID)).Elem()
		v.Set(reflect.NewAt(v.Type(), from).Elem())
		return v.Addr().UnsafePointer()
	}
	n := int(c.Schema.Size)/8 + 1
	if cap(s.words)-len(s.words) < n {
		s.words = make([]uint64, 0, max(2*cap(s.words), 16*n)) // the old one stays with those who point into it
	}
	at := len(s.words)
	s.words = s.words[:at+n]
	to := unsafe.Pointer(&s.words[at])
	copy(value.BytesAt(to, c.Schema.Size), value.BytesAt(from, c.Schema.Size))
	return to
}

// record records what was written into the copies, for entities that have the
// component still. It ends the call when that is too much.
func (s *aside) record(L *lua.LState, line int) {
	for i, e := range s.view.entities {
		s.m.tx.MakeRoom(L, 0, line)
		for k := range s.view.columns {
			at := &s.cells[i*len(s.view.columns)+k]
			if c := s.view.columns[k].comp; at.now != nil && s.m.tx.Pointer(e, c.ID) != nil {
				s.assign(e, c, at.was, at.now)
			}
		}
	}
}

// settle records at once what an operation on a whole column has left in one field of
// the copies, where the call has not set that field since it was shown: what is recorded
// later comes after it.
func (s *aside) settle(term int, f *ecs.Field) {
	c := s.view.columns[term].comp
	for i, e := range s.view.entities {
		at := &s.cells[i*len(s.view.columns)+term]
		if at.now == nil {
			continue
		}
		was, now := unsafe.Add(at.was, f.Offset), unsafe.Add(at.now, f.Offset)
		before, after := value.BytesAt(was, f.Stride), value.BytesAt(now, f.Stride)
		if p := s.m.tx.Pointer(e, c.ID); p != nil && !bytes.Equal(before, after) && bytes.Equal(before, value.BytesAt(unsafe.Add(p, f.Offset), f.Stride)) {
			s.assign(e, c, at.was, at.now)
		}
		copy(before, after)
	}
}

// assign records a change of those fields of e's component that differ between two
// values, to those of the second. As of everything that rows and batches write,
// observers are not told: where the call has set the component, they are told of that.
func (s *aside) assign(e ecs.Entity, c *decl.Component, was, now unsafe.Pointer) {
	var list [8]ecs.Piece
	changed := value.Differing(list[:0], c.Schema.Fields, 0, was, now)
	if len(changed) == 0 {
		return
	}
	commands, v := s.m.tx.Call.Tick.Commands, s.m.world.ValueAt(c.ID, now)
	if s.told {
		commands.Merge(e, v, changed)
	} else {
		commands.Assign(e, v, changed)
	}
}
