package analysis

import (
	"iter"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
	lua "github.com/yuin/gopher-lua"
)

// Program is a text that was read and compiled, with its facts.
type Program struct {
	*syntax.Program
	*Facts
	twin    *syntax.Program // with the second forms; nil where there are none
	scalars map[syntax.FuncID]*lua.FunctionProto
}

// Compile reads a text, finds out its facts, and compiles it. The error is that of
// [syntax.Parse] or of [syntax.Tree.Compile]. Second forms that find no room within
// the compiler's limits are left out.
func Compile(name string, text []byte, opts syntax.Options) (*Program, error) {
	tree, err := syntax.Parse(name, text, opts)
	if err != nil {
		return nil, err
	}
	p := &Program{Facts: Of(tree)}
	if p.Program, err = tree.Compile(syntax.Additions{Absent: p.Absent}); err != nil {
		return nil, err
	}
	if scalars := p.Scalars(); len(scalars) > 0 {
		p.twin = tree.CompileTwin(scalars)
		p.scalars = p.twin.Twins()
	}
	return p, nil
}

// Code returns what is known of a prototype of the text, or of a second form of a function
// in it; nil for others.
func (p *Program) Code(proto *lua.FunctionProto) *syntax.Code {
	if code := p.Program.Code(proto); code != nil || p.twin == nil {
		return code
	}
	return p.twin.Code(proto)
}

// Codes yields what Code returns for all prototypes, in no order.
func (p *Program) Codes() iter.Seq2[*lua.FunctionProto, *syntax.Code] {
	return func(yield func(*lua.FunctionProto, *syntax.Code) bool) {
		for _, of := range []*syntax.Program{p.Program, p.twin} {
			if of == nil {
				return
			}
			for proto, code := range of.Codes() {
				if !yield(proto, code) {
					return
				}
			}
		}
	}
}

// Scalar returns the prototype of the second form of a function over rows, nil if there
// is none.
func (p *Program) Scalar(id syntax.FuncID) *lua.FunctionProto { return p.scalars[id] }
