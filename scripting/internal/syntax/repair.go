package syntax

import (
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// The table of repairs: what gopher-lua's compiler gets wrong, and what the script host
// wants otherwise than the VM has it. A repair sees the tree as those before it have
// left it. Each walks the whole tree once.

// A unit is one compilation: what the repairs share.
// It lives for one call of Tree.compile, on one goroutine.
type unit struct {
	opts   *Options
	places placeTable
	absent map[*ast.TableExpr][]string
	codes  map[*lua.FunctionProto]*Code
}

// A repair rewrites one construct. Its reason is what goes wrong without it.
// A repair without the function of Options that it needs changes nothing.
type repair struct {
	name   string
	reason string
	run    func(*unit, []ast.Stmt) []ast.Stmt
}

// repairs is the order of repairs. Constants go first because they remove the
// jumps that "loop starts" looks for; the operators come last so that the repairs see
// the script's own calls only. Breaks and gotos are lowered as the compiler needs them, see
// jumps.
func repairs() []repair {
	return []repair{
		{"constants", "a jump on a constant condition at the start of a loop hangs or loses results", foldConstants},
		{"assignments", "a, b = b, a gives both the same value; x = f() and x keeps x when f() is false", repairAssignments},
		{"local functions", "local f = function sees the new f, not the outer one", repairLocalFunctions},
		{"constructors", "a call as value of the last key adds items; 50 items followed by a call or a key go astray", repairConstructors},
		{"generic for", "a call in an operand of its head is overwritten; a list of less than three values leaves the control variable stale", repairGenericFor},
		{"loop starts", "a jump back to a jump is patched twice and lands elsewhere", repairLoopStarts},
		{"absent", "of a key whose value is nil nobody sees that it was written", noteAbsent},
		{"pop", "t[#t] = nil makes every later #t slower", replacePop},
		{"concat", ".. is not metered and writes numbers as Go does", replaceConcat},
		{"constant receivers", "(42).k = v stores into a register that has the number of the constant", loadReceivers},
		{"negative zeros", "0 and -0 in one function become one constant, the first of them", loadNegativeZeros},
	}
}

// repair runs all repairs.
func (u *unit) repair(stmts []ast.Stmt) []ast.Stmt {
	for _, r := range repairs() {
		stmts = r.run(u, stmts)
	}
	return stmts
}

// load is an expression for a value which no tree can have: a function that has no name in
// the script, or -0. The compiler makes an instruction for a global of it; its place says
// what finish makes of that. The name is the one that the VM gives to functions without.
func (u *unit) load(value lua.LValue, number int) ast.Expr {
	return at(&ast.IdentExpr{Value: "?"}, u.places.put(place{pos: u.places.at(number).pos, loads: value}))
}
