package wasm

import (
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// searching is a search as lower writes it: local 0 is the entity, 1 its record, 2 the
// place of the component, 3 whether there is one. Local 4 is another record.
func searching() []*ir.Stmt {
	get := func(local int, t ir.Type) *ir.Expr { return &ir.Expr{Op: ir.Get, Type: t, Local: local} }
	differs := func(local int, from float64) *ir.Expr {
		return &ir.Expr{Op: ir.Ne, Type: ir.Bool, Args: []*ir.Expr{get(local, ir.Place), ir.Where(from)}}
	}
	unclear := &ir.Expr{Op: ir.Not, Type: ir.Bool, Args: []*ir.Expr{differs(1, ir.Unclear)}}
	return []*ir.Stmt{
		{Kind: ir.Set, Local: 1, Value: &ir.Expr{Op: ir.Record, Type: ir.Place, Args: []*ir.Expr{get(0, ir.Num)}}},
		{Kind: ir.If, Value: unclear, Body: []*ir.Stmt{{Kind: ir.Stop}}},
		{Kind: ir.Set, Local: 2, Value: &ir.Expr{Op: ir.Find, Type: ir.Place, Args: []*ir.Expr{get(1, ir.Place)}}},
		{Kind: ir.Set, Local: 3, Value: differs(2, ir.Nowhere)},
		{Kind: ir.If, Value: get(3, ir.Bool), Body: []*ir.Stmt{{Kind: ir.Stop}}},
	}
}

// TestLookups holds what is written as one search, and what only looks like it: there
// the parts are written one by one, which is right for all of them.
func TestLookups(t *testing.T) {
	for name, c := range map[string]struct {
		length int // 0: it is none
		harm   func(list []*ir.Stmt) []*ir.Stmt
	}{
		"all of it":                     {5, func(list []*ir.Stmt) []*ir.Stmt { return list }},
		"no branch":                     {4, func(list []*ir.Stmt) []*ir.Stmt { return list[:4] }},
		"nobody asks whether it is":     {3, func(list []*ir.Stmt) []*ir.Stmt { return list[:3] }},
		"the record is known":           {3, func(list []*ir.Stmt) []*ir.Stmt { return list[2:] }},
		"the record alone":              {0, func(list []*ir.Stmt) []*ir.Stmt { return list[:2] }},
		"what is asked of the record":   {0, func(list []*ir.Stmt) []*ir.Stmt { list[1].Value.Args[0].Args[1] = ir.Where(ir.Nowhere); return list }},
		"where the record is clear":     {0, func(list []*ir.Stmt) []*ir.Stmt { list[1].Value = list[1].Value.Args[0]; return list }},
		"another record is unclear":     {0, func(list []*ir.Stmt) []*ir.Stmt { list[1].Value.Args[0].Args[0].Local = 4; return list }},
		"another record is searched":    {0, func(list []*ir.Stmt) []*ir.Stmt { list[2].Value.Args[0].Local = 4; return list }},
		"an unclear one leaves":         {0, func(list []*ir.Stmt) []*ir.Stmt { list[1].Body[0].Kind = ir.Leave; return list }},
		"an unclear one does more":      {0, func(list []*ir.Stmt) []*ir.Stmt { list[1].Body = append(list[1].Body, list[4]); return list }},
		"a clear one does something":    {0, func(list []*ir.Stmt) []*ir.Stmt { list[1].Else = list[4:]; return list }},
		"another place is asked about":  {3, func(list []*ir.Stmt) []*ir.Stmt { list[3].Value.Args[0].Local = 4; return list }},
		"whether it is unclear":         {3, func(list []*ir.Stmt) []*ir.Stmt { list[3].Value.Args[1] = ir.Where(ir.Unclear); return list }},
		"whether it is not there":       {3, func(list []*ir.Stmt) []*ir.Stmt { list[3].Value.Op = ir.Eq; return list }},
		"the branch is about something": {4, func(list []*ir.Stmt) []*ir.Stmt { list[4].Value.Local = 0; return list }},
	} {
		f := &ir.Func{}
		for _, t := range []ir.Type{ir.Num, ir.Place, ir.Place, ir.Bool, ir.Place} {
			f.Locals = append(f.Locals, ir.Local{Name: "l", Type: t})
		}
		got := 0
		if l := (&code{f: f}).lookup(c.harm(searching())); l != nil {
			got = l.length
		}
		if got != c.length {
			t.Errorf("%s: a search of %d statements, want %d", name, got, c.length)
		}
	}
}
