package lower

import (
	"maps"

	"github.com/yuin/gopher-lua/ast"
)

// closure is a function that is written inside of the function that is translated. It
// is put in the place of its calls as others are. What it names around it is what
// stands there when it is called, as in Lua, since a name there is one variable of the
// kernel; those of a loop's turn it cannot outlive, because it is no value that could
// be kept.
type closure struct {
	fn    *function
	scope *scope // around it, with the names that are known where it is written
}

// closure makes a function's value of its text.
func (l *lowerer) closure(e *ast.FunctionExpr) val {
	fn := l.script.function(e)
	return val{thing: &Value{
		Kind: Code, Name: "a function as a value",
		Code: &Function{
			Script: l.script, File: l.file(), Key: e, Captured: l.captured, Library: l.library, Global: l.global,
			inner: &closure{fn, &scope{outer: l.scope.outer, names: maps.Clone(l.scope.names)}},
		},
	}}
}

// file is that of the text which is being read; empty for the each function itself.
func (l *lowerer) file() string {
	if l.call != nil {
		return l.call.code.File
	}
	return ""
}

// localFunction is local function name. It sees itself.
func (l *lowerer) localFunction(name string, e *ast.FunctionExpr) {
	b := &binding{kind: isValue}
	l.scope.names[name] = b
	b.value = *l.closure(e).thing
}

// function returns what is known about a function of the text.
func (s *Script) function(e *ast.FunctionExpr) *function {
	for _, fn := range s.all {
		if fn.expr == e {
			return fn
		}
	}
	return nil
}
