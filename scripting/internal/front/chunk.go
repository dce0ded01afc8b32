package front

import (
	"bytes"
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// defaultMaxSize is the longest script accepted when Options do not say.
const defaultMaxSize = 256 << 10

// Options are the limits of a script and the functions its operators call.
// The zero value is useful: default limits, the operators of gopher-lua.
type Options struct {
	// MaxSize is the longest accepted script in bytes. Zero means 256 KiB.
	MaxSize int

	// Concat is called for every run of `..` with all its operands, from the
	// left to the right, and returns one value. It lands in the prototype as a
	// constant that no script can name. Nil keeps the operator of the VM, which
	// no meter sees and which writes numbers as Go does.
	Concat *lua.LFunction

	// Pop is called for `t[#t] = nil` with t. Nil keeps the assignment, which
	// leaves a trailing nil in the table's array for each later `#t` to skip.
	Pop *lua.LFunction

	// Absent is called with each table of Chunk.Absent, just made, and the names,
	// and returns the table. Nil means that it is not.
	Absent *lua.LFunction
}

// A Chunk is a parsed script. Until Compile it belongs to the caller, who may
// read and replace Stmts.
type Chunk struct {
	Name  string     // the script's name, which starts every error message
	Stmts []ast.Stmt // as written; Compile rewrites and consumes it

	// Absent names, for table constructors, the keys of which somebody wants to know
	// whether they were written though their values are nil, separated by zero bytes.
	Absent map[*ast.TableExpr]string

	opts     Options
	consumed bool
}

// Parse reads a script. A byte order mark and a first line that starts with #
// are skipped. The error, if any, is an *Error.
func Parse(name string, src []byte, opts Options) (chunk *Chunk, err error) {
	defer recoverAs(name, &err)
	text, fault := admit(name, src, opts)
	if fault != nil {
		return nil, fault
	}
	stmts, fault := newParser(name, text).chunk()
	if fault != nil {
		return nil, fault
	}
	if fault := checkDepth(name, stmts, &opts); fault != nil {
		return nil, fault
	}
	return &Chunk{Name: name, Stmts: stmts, opts: opts}, nil
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
	if bytes.HasPrefix(src, []byte("#")) {
		end := bytes.IndexAny(src, "\r\n")
		if end < 0 {
			end = len(src)
		}
		src = src[end:]
	}
	return string(src), nil
}

// Compile repairs the tree and compiles it. It consumes Stmts: a chunk compiles
// once. The error, if any, is an *Error.
func (c *Chunk) Compile() (proto *lua.FunctionProto, err error) {
	defer recoverAs(c.Name, &err)
	if c.consumed {
		return nil, &Error{Script: c.Name, Message: "chunk was compiled before"}
	}
	stmts := c.Stmts
	c.Stmts, c.consumed = nil, true
	if fault := checkDepth(c.Name, stmts, &c.opts); fault != nil {
		return nil, fault
	}
	u := unit{opts: &c.opts, absent: c.Absent}
	proto, err = lua.Compile(u.repair(stmts), c.Name)
	if err != nil {
		return nil, compileFault(c.Name, err)
	}
	if fault := u.finish(proto); fault != nil {
		return nil, fault
	}
	return proto, nil
}

// recoverAs is the last line of defence: a panic in the compiler behind us
// becomes an error about the script that caused it.
func recoverAs(name string, err *error) {
	if cause := recover(); cause != nil {
		*err = &Error{Script: name, Message: fmt.Sprintf("script cannot be compiled: %v", cause), panicked: true}
	}
}

// compileFault translates the errors of lua.Compile.
func compileFault(name string, err error) *Error {
	fault, ok := err.(*lua.CompileError)
	if !ok {
		return &Error{Script: name, Message: err.Error()}
	}
	message := fault.Message
	if known := labelFault(name, fault); known != nil {
		return known
	}
	switch message {
	case "too many local variables", "register overflow(too many local variables)", "register overflow":
		message = "function or expression needs more than 200 locals and temporary values"
	case "too long to jump.":
		message = "function is too long"
	}
	return &Error{Script: name, Line: fault.Line, Message: message}
}

// labelFault words what the compiler says of labels, and gives it the line of the
// goto, or of the second label: the compiler names the end of the function, or the
// line behind. It is nil for any other fault.
func labelFault(name string, fault *lua.CompileError) *Error {
	quoted := strings.Split(fault.Message, "'")
	if len(quoted) != 3 {
		return nil
	}
	var line int
	if _, err := fmt.Sscanf(quoted[2], " for <goto> at line %d", &line); err == nil {
		return &Error{Script: name, Line: line, Message: fmt.Sprintf("goto %s: there is no such label, or it is inside of another block", quoted[1])}
	}
	if _, err := fmt.Sscanf(quoted[2], " already defined on line %d", &line); err == nil {
		return &Error{Script: name, Line: fault.Line - 1, Message: fmt.Sprintf("label %q is on line %d already", quoted[1], line)}
	}
	return nil
}
