package exec

import (
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// EachShape says how an each function is called: what each of its parameters
// is, and what it returns.
type EachShape struct {
	Function *lua.LFunction
	Args     []EachArg
	Results  []EachArg        // scalars that come back
	Written  []bool           // by term
	Lines    []map[string]int // by term: where a field is last assigned
}

type ArgKind uint8

const (
	ArgScalar  ArgKind = iota // one field of a term
	ArgRow                    // a table with the fields of a term
	ArgTag                    // true where the row has the tag
	ArgContext                // the ctx table
	ArgDT                     // one number of ctx
	ArgTime
	ArgTick
)

// EachArg is one parameter.
type EachArg struct {
	Kind  ArgKind
	Term  int
	Field *ecs.Field
	Line  int // of the last assignment, for results
}

// Writes reports whether the function may write a term.
func (s *EachShape) Writes(term int) bool { return s.Written[term] }
