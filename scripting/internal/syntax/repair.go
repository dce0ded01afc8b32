package syntax

import (
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// A unit is one compilation: what the passes share.
type unit struct {
	opts   *Options
	places placeTable
	absent map[*ast.TableExpr]string
	codes  map[*lua.FunctionProto]*Code

	// marker begins the string constants that stand for the functions in opts, and
	// for -0, until finish puts these in their place. It has more leading zero
	// bytes than any string of the script, so no script can write one.
	marker string
}

// A pass rewrites one construct. Its reason is what goes wrong without it.
type pass struct {
	name   string
	reason string
	run    func(*unit, []ast.Stmt) []ast.Stmt
}

// passes is the order of repairs. Constants go first because they remove the
// jumps that "loop starts" looks for; the operators come last so that the repairs see
// the script's own calls only. Breaks and gotos are lowered as the compiler needs them, see
// jumps.
func passes() []pass {
	return []pass{
		{"constants", "a jump on a constant condition at the start of a loop hangs or loses results", foldConstants},
		{"assignments", "a, b = b, a gives both the same value; x = f() and x keeps x when f() is false", repairAssignments},
		{"local functions", "local f = function sees the new f, not the outer one", repairLocalFunctions},
		{"constructors", "a call as value of the last key adds items; 50 items followed by a call or a key go astray", repairConstructors},
		{"generic for", "a call in an operand of its head is overwritten; a list of less than three values leaves the control variable stale", repairGenericFor},
		{"loop starts", "a jump back to a jump is patched twice and lands elsewhere", repairLoopStarts},
		{"absent", "of a key whose value is nil nobody sees that it was written", noteAbsent},
		{"pop", "t[#t] = nil makes every later #t slower", replacePop},
		{"concat", ".. is not metered and writes numbers as Go does", replaceConcat},
		{"negative zeros", "0 and -0 in one function become one constant, the first of them", markNegativeZeros},
	}
}

// repair runs all passes.
func (u *unit) repair(stmts []ast.Stmt) []ast.Stmt {
	u.marker = unusedMarker(stmts)
	for _, pass := range passes() {
		stmts = pass.run(u, stmts)
	}
	return stmts
}

// unusedMarker returns a string that begins no string of the script.
func unusedMarker(stmts []ast.Stmt) string {
	zeros := 0
	look := rewriter{expr: func(expr ast.Expr) ast.Expr {
		if text, ok := expr.(*ast.StringExpr); ok {
			zeros = max(zeros, len(text.Value)-len(strings.TrimLeft(text.Value, "\x00")))
		}
		return expr
	}}
	look.rewriteBlock(stmts)
	return strings.Repeat("\x00", zeros+1)
}

// stand is an expression that stands for a constant which no tree can have.
func (u *unit) stand(name string, place int) ast.Expr {
	return at(&ast.StringExpr{Value: u.marker + name}, place)
}

// stoodFor returns what a marked constant stands for, nil for any other constant.
func (u *unit) stoodFor(constant lua.LValue) lua.LValue {
	text, _ := constant.(lua.LString)
	switch strings.TrimPrefix(string(text), u.marker) {
	case string(text): // not marked
		return nil
	case markNegativeZero:
		return lua.LNumber(math.Copysign(0, -1))
	case markConcat:
		return u.opts.Concat
	case markPop:
		return u.opts.Pop
	case markAbsent:
		return u.opts.Absent
	}
	return nil
}

const (
	markConcat = "concat"
	markPop    = "pop"
	markAbsent = "absent"

	markNegativeZero = "-0"
)
