package view

import (
	"bytes"
	"reflect"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
)

// Aside is a view of rows of entities to which the running call has done something:
// it shows copies of the values that it has changed, as they are by now, and what is
// written into these is recorded as a change after all others. Their columns are left
// alone: what was recorded before would be written over them when the commands are
// applied.
type Aside struct {
	calls *tx.Runner
	View  rows.View
	Cells []Cell   // of each row, by term
	words []uint64 // memory for the copies of pointer-free values
	told  bool     // observers are told of what is recorded: it is ecs.update's
}

// Cell is one component of one row: whether the call has changed it, its value as it
// was, and the copy that is written; nil where the row has none.
type Cell struct {
	Own      bool
	Was, Now unsafe.Pointer
}

// Begin empties it, for rows of so many terms.
func (s *Aside) Begin(calls *tx.Runner, v *rows.View) {
	s.calls, s.told = calls, false
	s.View.Entities, s.View.Chunk = s.View.Entities[:0], nil
	s.Cells, s.words = s.Cells[:0], s.words[:0]
	if len(s.View.Columns) != len(v.Columns) {
		s.View.Columns = make([]rows.Column, len(v.Columns))
	}
	for k := range s.View.Columns {
		c := &s.View.Columns[k]
		of := &v.Columns[k]
		*c = rows.Column{ID: of.ID, Schema: of.Schema, Heap: of.Heap, Ptrs: c.Ptrs[:0], Saved: true}
	}
}

// Add appends the i-th row of v as the call has it by now.
func (s *Aside) Add(p *ecs.Preview, v *rows.View, i int) {
	e := v.Entities[i]
	s.View.Entities = append(s.View.Entities, e)
	for k := range v.Columns {
		now, own := p.Own(e, v.Columns[k].ID)
		s.put(k, v, i, now, own)
	}
}

// Land appends the i-th row of v with the values that it had when a function began
// that has changed some of them since: what the function leaves goes aside. What it
// has removed is not: the value in the column is the last one that there is.
func (s *Aside) Land(p *ecs.Preview, v *rows.View, i int) {
	e := v.Entities[i]
	s.View.Entities = append(s.View.Entities, e)
	for k := range v.Columns {
		now, own := p.Own(e, v.Columns[k].ID)
		s.put(k, v, i, v.Columns[k].At(i), own && now != nil)
	}
}

// Extend is land for what a function has changed of the last row, which is that one,
// besides what had been changed before.
func (s *Aside) Extend(p *ecs.Preview, v *rows.View, i int) {
	first := len(s.Cells) - len(v.Columns)
	for k := range v.Columns {
		one := &s.Cells[first+k]
		if now, own := p.Own(v.Entities[i], v.Columns[k].ID); !own || now == nil || one.Own {
			continue
		}
		one.Own = true
		if at := v.Columns[k].At(i); at != nil {
			one.Was, one.Now = s.copy(&v.Columns[k], at), s.copy(&v.Columns[k], at)
		}
		ptrs := s.View.Columns[k].Ptrs
		ptrs[len(ptrs)-1] = one.Now
	}
}

func (s *Aside) put(term int, v *rows.View, i int, now unsafe.Pointer, own bool) {
	c, at := &s.View.Columns[term], v.Columns[term].At(i)
	one := Cell{Own: own}
	if own {
		if at = nil; now != nil {
			one.Was, one.Now = s.copy(c, now), s.copy(c, now)
			at = one.Now
		}
	}
	s.Cells = append(s.Cells, one)
	c.Ptrs = append(c.Ptrs, at)
}

// Alike reports whether the last row has the same components as the first.
func (s *Aside) Alike() bool {
	for k := range s.View.Columns {
		ptrs := s.View.Columns[k].Ptrs
		if (ptrs[0] == nil) != (ptrs[len(ptrs)-1] == nil) {
			return false
		}
	}
	return true
}

// Drop takes the last row out again.
func (s *Aside) Drop() {
	s.View.Entities = s.View.Entities[:len(s.View.Entities)-1]
	s.Cells = s.Cells[:len(s.Cells)-len(s.View.Columns)]
	for k := range s.View.Columns {
		c := &s.View.Columns[k]
		c.Ptrs = c.Ptrs[:len(c.Ptrs)-1]
	}
}

// ShowOne shows one component of an entity, whose value is at p, to a function of ecs.update.
func (s *Aside) ShowOne(calls *tx.Runner, e ecs.Entity, c *decl.Component, p unsafe.Pointer) {
	at := column(c)
	at.Base = p
	v := rows.View{Columns: []rows.Column{at}}
	s.Begin(calls, &v)
	s.told = true
	s.View.Entities = append(s.View.Entities, e)
	s.put(0, &v, 0, p, true)
}

// copy copies a value.
func (s *Aside) copy(c *rows.Column, from unsafe.Pointer) unsafe.Pointer {
	if c.Heap {
		v := reflect.New(s.calls.World.Raw().GoType(c.ID)).Elem()
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

// Record records what was written into the copies, for entities that have the
// component still. It ends the call when that is too much.
func (s *Aside) Record(L *lua.LState, fn *lua.FunctionProto) {
	for i, e := range s.View.Entities {
		s.calls.MakeRoom(L, 0, fn)
		for k := range s.View.Columns {
			at := &s.Cells[i*len(s.View.Columns)+k]
			if c := &s.View.Columns[k]; at.Now != nil && s.calls.Pointer(e, c.ID) != nil {
				s.assign(e, c, at.Was, at.Now)
			}
		}
	}
}

// Settle records at once what an operation on a whole column has left in one field of
// the copies, where the call has not set that field since it was shown: what is recorded
// later comes after it.
func (s *Aside) Settle(term int, f *ecs.Field) {
	c := &s.View.Columns[term]
	for i, e := range s.View.Entities {
		at := &s.Cells[i*len(s.View.Columns)+term]
		if at.Now == nil {
			continue
		}
		was, now := unsafe.Add(at.Was, f.Offset), unsafe.Add(at.Now, f.Offset)
		before, after := value.BytesAt(was, f.Stride), value.BytesAt(now, f.Stride)
		if p := s.calls.Pointer(e, c.ID); p != nil && !bytes.Equal(before, after) && bytes.Equal(before, value.BytesAt(unsafe.Add(p, f.Offset), f.Stride)) {
			s.assign(e, c, at.Was, at.Now)
		}
		copy(before, after)
	}
}

// assign records a change of those fields of e's component that differ between two
// values, to those of the second. As of everything that rows and batches write,
// observers get nothing: where the call has set the component, they get that.
func (s *Aside) assign(e ecs.Entity, c *rows.Column, was, now unsafe.Pointer) {
	var list [8]ecs.Piece
	changed := value.Differing(list[:0], c.Schema.Fields, 0, was, now)
	if len(changed) == 0 {
		return
	}
	commands, v := s.calls.Call.Tick.Commands, s.calls.World.Raw().ValueAt(c.ID, now)
	if s.told {
		commands.Merge(e, v, changed)
	} else {
		commands.Assign(e, v, changed)
	}
}
