package scripting

import (
	"io/fs"
	"strings"

	"github.com/perigee-ecs/perigee/scripting/internal/bounded"
	"github.com/perigee-ecs/perigee/scripting/internal/front"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
	"github.com/perigee-ecs/perigee/scripting/internal/rows"
	lua "github.com/yuin/gopher-lua"
)

// source is the text of a script, read and compiled, or what went wrong with
// it. Making one needs nothing of the Lua state, so it happens beside the tick.
type source struct {
	name    string
	removed bool
	folder  bool // that cannot be read; there is no text
	text    []byte
	proto   *lua.FunctionProto
	kernels *kernel.Script // what the text says about functions that may be compiled
	problem *Error

	requires []string // what it asked for when it ran last; nil for texts that have not run
}

// isScript reports whether a path names a script: *.lua, and no element of it
// begins with a dot.
func isScript(path string) bool {
	return strings.HasSuffix(path, ".lua") && path[0] != '.' && !strings.Contains(path, "/.")
}

// read reads and compiles a script.
func (h *Host) read(folder fs.FS, name string) *source {
	s := &source{name: name}
	text, err := fs.ReadFile(folder, name)
	if err != nil {
		s.problem = unreadable(name, "file", err)
		return s
	}
	s.text = text
	if s.proto, s.kernels, err = h.compile(name, text); err != nil {
		s.problem = fromFront(name, err)
		quote(s.problem, text)
	}
	return s
}

func unreadable(path, what string, err error) *Error {
	return &Error{Script: path, Message: "the " + what + " cannot be read: " + reason(err), Err: err}
}

// reason leaves out the path, which the message has already.
func reason(err error) string {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err.Error()
	}
	return err.Error()
}

// compile parses the text twice: the second tree is taken apart for the second
// forms of each functions. A function near one of the compiler's limits may have
// no room for what they add: then there are none, and no kernels.
func (h *Host) compile(name string, text []byte) (*lua.FunctionProto, *kernel.Script, error) {
	options := front.Options{Concat: h.library.Concat(), Pop: h.library.Pop()}
	chunk, err := front.Parse(name, text, options)
	if err != nil {
		return nil, nil, err
	}
	twin, err := front.Parse(name, text, options)
	if err != nil {
		return nil, nil, err
	}
	rows.Mark(chunk.Stmts)
	rows.Add(chunk.Stmts, twin.Stmts)
	bounds := bounded.Mark(rows.Functions(chunk.Stmts))
	if proto, err := chunk.Compile(); err == nil {
		bounded.Attach(proto, bounds)
		study, err := studyKernels(name, text, options)
		return proto, study, err
	}
	plain, err := front.Parse(name, text, options)
	if err != nil {
		return nil, nil, err
	}
	rows.Mark(plain.Stmts)
	proto, err := plain.Compile()
	return proto, nil, err
}

// studyKernels reads a third tree, which nothing has changed. Texts without each
// functions may have functions that those of others call.
func studyKernels(name string, text []byte, options front.Options) (*kernel.Script, error) {
	chunk, err := front.Parse(name, text, options)
	if err != nil {
		return nil, err
	}
	return kernel.Study(chunk.Stmts, rows.Each(chunk.Stmts)), nil
}
