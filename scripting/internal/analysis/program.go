package analysis

import "github.com/perigee-ecs/perigee/scripting/internal/syntax"

// Program is a text that was read and compiled, with its facts.
type Program struct {
	*syntax.Program
	*Facts
}

// Compile reads a text, finds out its facts, and compiles it. The error is that of
// [syntax.Parse] or of [syntax.Tree.Compile].
func Compile(name string, text []byte, opts syntax.Options) (*Program, error) {
	tree, err := syntax.Parse(name, text, opts)
	if err != nil {
		return nil, err
	}
	p := &Program{Facts: Of(tree)}
	if p.Program, err = tree.Compile(syntax.Additions{Absent: p.Absent}); err != nil {
		return nil, err
	}
	return p, nil
}
