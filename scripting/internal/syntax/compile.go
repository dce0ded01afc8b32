package syntax

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"sort"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// The two steps that a script takes here: Parse makes a Tree, and Compile makes a
// Program of it. Only package analysis takes them for scripts that run; it asks the
// tree what the text says in between. Neither step changes what it was given.

// defaultMaxSize is the longest script accepted when Options do not say.
const defaultMaxSize = 256 << 10

// Options are the limits of a script and the functions its operators call.
// The zero value is useful: default limits, the operators of gopher-lua.
type Options struct {
	// MaxSize is the longest accepted script in bytes. Zero means 256 KiB.
	MaxSize int

	// Uncompiled says that the text is read for its tree alone, as a table of data. It may be
	// larger than what the compiler could take: tables may have any number of items, and a
	// function any number of different constants. Such a tree is not for Compile.
	Uncompiled bool

	// Values says that the text is a list of expressions, and that the script returns what they
	// are. Of what is wrong with it only the first fault is found. A first line that starts with # is part of it.
	Values bool

	// Concat is called for every run of `..` with all its operands, from the
	// left to the right, and returns one value. It is a constant of the prototype,
	// which no script can name. Nil keeps the operator of the VM, which
	// no meter sees and which writes numbers as Go does.
	Concat *lua.LFunction

	// Pop is called for `t[#t] = nil` with t. Nil keeps the assignment, which
	// leaves a trailing nil in the table's array for each later `#t` to skip.
	Pop *lua.LFunction

	// Absent is called with each table of Additions.Absent, just made, and the names of
	// its keys, some at a time, and returns the table. Nil means that it is not.
	Absent *lua.LFunction
}

// A Tree is a parsed script. Nothing changes it: all who want to know something of a
// text read the same one.
type Tree struct {
	Name  string // the script's name, which starts every error message
	Body  []Stmt
	Names *Names // what its names mean
	opts  Options
}

// Parse reads a script. A byte order mark and a first line that starts with #
// are skipped. The error, if any, is an *Error.
func Parse(name string, src []byte, opts Options) (tree *Tree, err error) {
	defer recoverAs(name, &err)
	text, fault := admit(name, src, opts)
	if fault != nil {
		return nil, fault
	}
	p := newParser(name, text)
	var body []Stmt
	if opts.Values {
		body = p.values()
		fault = p.lx.fault
	} else {
		body = p.chunk()
		fault = p.faults()
	}
	if fault != nil {
		return nil, fault
	}
	if fault := checkDepth(name, body, opts.Uncompiled); fault != nil {
		return nil, fault
	}
	names, faults := namesOf(name, body)
	if fault := inOrder(faults); fault != nil {
		return nil, fault
	}
	return &Tree{Name: name, Body: body, Names: names, opts: opts}, nil
}

// admit refuses what cannot be a script before anything looks at its grammar,
// and removes what comes before the first token. The line structure stays.
func admit(name string, src []byte, opts Options) (string, *Error) {
	limit := opts.MaxSize
	if limit <= 0 {
		limit = defaultMaxSize
	}
	switch {
	case len(src) > limit:
		return "", &Error{Script: name, Message: fmt.Sprintf("script is %d bytes long, more than the limit of %d", len(src), limit)}
	case bytes.HasPrefix(src, []byte("\x1bLua")):
		return "", &Error{Script: name, Message: "not a text file: compiled Lua cannot be loaded"}
	case bytes.IndexByte(src, 0) >= 0:
		return "", &Error{Script: name, Message: "not a text file: it contains a zero byte"}
	}
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(src, []byte("#")) && !opts.Values {
		end := bytes.IndexAny(src, "\r\n")
		if end < 0 {
			end = len(src)
		}
		src = src[end:]
	}
	return string(src), nil
}

// Additions are what a compilation does beyond what the text says.
type Additions struct {
	// Absent names, for table constructors, the keys of which somebody wants to know
	// whether they were written though their values are nil.
	Absent map[*Table][]string
}

// Program is a compiled script.
type Program struct {
	Proto *lua.FunctionProto
	codes map[*lua.FunctionProto]*Code
}

// Code says of a prototype which function of the text it is, and where in the text
// its instructions come from.
type Code struct {
	Function FuncID
	Begin    Pos   // of the function; no place for the text as a whole
	Places   []Pos // by instruction
}

// At returns where an instruction stands, and for -1 where the function does; no place
// beyond its end.
func (c *Code) At(pc int) Pos {
	switch {
	case pc < 0:
		return c.Begin
	case pc >= len(c.Places):
		return Pos{}
	}
	return c.Places[pc]
}

// Code returns what is known of a prototype, nil for those of other programs.
func (p *Program) Code(proto *lua.FunctionProto) *Code { return p.codes[proto] }

// Codes yields the prototypes of the program with what is known of them, in no order.
func (p *Program) Codes() iter.Seq2[*lua.FunctionProto, *Code] { return maps.All(p.codes) }

// Compile lowers the tree, repairs what it has lowered, and compiles it. The error, if
// any, is an *Error. Each call lowers the tree anew, because the repairs and gopher-lua's
// compiler change what they get.
func (t *Tree) Compile(adds Additions) (program *Program, err error) {
	defer recoverAs(t.Name, &err)
	u, proto, err := t.proto(&lowering{adds: adds})
	if err != nil {
		fault := u.fault(t.Name, err)
		if noPlace(err) {
			fault.Line = t.tooMuch().Line()
		}
		return nil, fault
	}
	if fault := u.finish(proto); fault != nil {
		return nil, fault
	}
	return &Program{proto, u.codes}, nil
}

// proto lowers, repairs and compiles the statements of the tree.
func (t *Tree) proto(l *lowering) (*unit, *lua.FunctionProto, error) {
	u := &unit{opts: &t.opts, absent: map[*ast.TableExpr][]string{}, codes: map[*lua.FunctionProto]*Code{}}
	l.places, l.absent, l.jumps, l.exits = &u.places, u.absent, t.Names.jumps, map[Stmt]string{}
	proto, err := lua.Compile(u.repair(l.block(t.Body)), t.Name)
	return u, proto, err
}

// tooMuch returns the statement for which the text as a whole has no registers left. The
// compiler names no place of it, so the longest part that compiles is searched.
func (t *Tree) tooMuch() Stmt {
	return t.Body[sort.Search(len(t.Body)-1, func(i int) bool {
		part := *t
		part.Body = t.Body[:i+1]
		_, _, err := part.proto(&lowering{})
		return noPlace(err)
	})]
}

// noPlace reports whether an error of the compiler is about the text as a whole.
func noPlace(err error) bool {
	fault, ok := err.(*lua.CompileError)
	return ok && fault.Line == 0
}

// recoverAs is the last line of defence: a panic in the compiler behind us
// becomes an error about the script that caused it.
// A panic here is a fault of ours, which the fuzz test looks for. The host
// reports it as it does any other fault of a script.
func recoverAs(name string, err *error) {
	if cause := recover(); cause != nil {
		*err = &Error{Script: name, Message: fmt.Sprintf("script cannot be compiled: %v", cause), panicked: true}
	}
}

// fault translates the errors of lua.Compile.
// The lines in these errors are numbers of places. A message that is not known here
// is passed on as it is.
func (u *unit) fault(name string, err error) *Error {
	fault, ok := err.(*lua.CompileError)
	if !ok {
		return &Error{Script: name, Message: err.Error()}
	}
	message := fault.Message
	switch message {
	case "too many local variables", "register overflow(too many local variables)", "register overflow":
		message = fmt.Sprintf("function or expression needs more than %d locals and temporary values", maxLocals)
	case "too long to jump.":
		message = "function is too long"
	}
	return errorAt(name, u.places.at(fault.Line).pos, "%s", message)
}
