package bounded

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/perigee-ecs/perigee/bindings"
)

const (
	// nodeCost is how many instructions a node of the tree becomes at most, on
	// average over a statement: names and constants are often part of another
	// instruction, a comparison that is a value takes three.
	nodeCost = 2

	maxCost    = 1 << 20 // instructions; beyond it the budget may as well count
	maxLiteral = 64      // the limit of a loop that is a literal
	maxNested  = 1000    // the product of such limits; kernels count beyond that, too
	maxString  = 64      // bytes of a literal
)

// prover follows one function. The first thing that it cannot accept is kept,
// and the rest does not matter.
type prover struct {
	bound   bindings.Bound
	refused error

	batch, ctx string // parameters of a batch function; "" in others
	locals     []local
	rows       bool  // inside of a loop over the rows
	loops      int   // around the statement at hand
	times      int64 // that the loops with literal limits repeat it
}

type local struct {
	name  string
	array bool // an array of the batch, or false
}

// newBatchProver knows the first two parameters as the batch and ctx.
func newBatchProver(fn *ast.FunctionExpr) *prover {
	p := &prover{}
	p.bound.Batch = true
	for i, name := range fn.ParList.Names[:min(2, len(fn.ParList.Names))] {
		*[]*string{&p.batch, &p.ctx}[i] = name
	}
	return p
}

// prove returns why a function is not accepted, or nil; then p.bound is what
// was proved.
func (p *prover) prove(fn *ast.FunctionExpr) error {
	p.times = 1
	if fn.ParList.HasVargs {
		p.refuse(fn, "a variable number of parameters")
	}
	for i, name := range fn.ParList.Names {
		if slices.Contains(fn.ParList.Names[:i], name) {
			p.refuse(fn, "two parameters of one name")
		} else if name != p.batch && name != p.ctx {
			p.declare(fn, name, false)
		}
	}
	if name := "math"; p.batch == name || p.ctx == name {
		p.refuse(fn, "a parameter named math")
	}
	p.block(fn.Stmts)
	p.spend(fn, nodeCost) // the return at the end
	return p.refused
}

// refuse notes that the function cannot be accepted, and why.
func (p *prover) refuse(at ast.PositionHolder, format string, v ...any) {
	if p.refused == nil {
		p.refused = fmt.Errorf("line %d: %s", at.Line(), fmt.Sprintf(format, v...))
	}
}

// spend counts instructions at the place at hand.
func (p *prover) spend(at ast.PositionHolder, cost int64) {
	sum := &p.bound.Fixed
	if p.rows {
		sum = &p.bound.PerRow
	}
	if *sum += cost * p.times; *sum > maxCost {
		p.refuse(at, "more than %d instructions", maxCost)
		*sum = maxCost
	}
}

// overRows counts what Go does once for all rows.
func (p *prover) overRows(at ast.PositionHolder, what string) {
	if p.loops > 0 {
		p.refuse(at, "%s inside of a loop", what)
	}
	p.bound.PerRow += nodeCost
}

func (p *prover) declare(at ast.PositionHolder, name string, array bool) {
	if name == "math" || name == p.batch && name != "" || name == p.ctx && name != "" {
		p.refuse(at, "another %s", name)
	}
	p.locals = append(p.locals, local{name, array})
}

// lookup finds a local, the innermost of its name.
func (p *prover) lookup(name string) (l local, ok bool) {
	for _, l := range slices.Backward(p.locals) {
		if l.name == name {
			return l, true
		}
	}
	return local{}, false
}

func (p *prover) block(stmts []ast.Stmt) {
	outer := len(p.locals)
	for _, s := range stmts {
		p.stmt(s)
	}
	p.locals = p.locals[:outer]
}

func (p *prover) stmt(s ast.Stmt) {
	p.spend(s, nodeCost)
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		p.local(s)
	case *ast.AssignStmt:
		p.assign(s)
	case *ast.FuncCallStmt:
		p.value(s.Expr)
	case *ast.DoBlockStmt:
		p.block(s.Stmts)
	case *ast.IfStmt:
		p.condition(s.Condition)
		p.block(s.Then)
		p.block(s.Else)
	case *ast.ReturnStmt:
		p.values(s.Exprs)
	case *ast.BreakStmt:
	case *ast.NumberForStmt:
		p.loop(s)
	default:
		p.refuse(s, "a %s", nameOf(s))
	}
}

// nameOf is the name of a node's type, in words.
func nameOf(node any) string {
	name := strings.TrimPrefix(fmt.Sprintf("%T", node), "*ast.")
	return strings.TrimSuffix(strings.TrimSuffix(name, "Stmt"), "Expr")
}

func (p *prover) local(s *ast.LocalAssignStmt) {
	arrays := make([]bool, len(s.Names))
	for i, e := range s.Exprs {
		if i < len(s.Names) && p.isArray(e) {
			arrays[i] = true
			p.array(e)
		} else {
			p.value(e)
		}
	}
	for i, name := range s.Names {
		p.spend(s, nodeCost)
		p.declare(s, name, arrays[i])
	}
}

// assign allows scalars to go into locals, outer locals, arrays and outer
// tables. None of these can lead to a table later.
func (p *prover) assign(s *ast.AssignStmt) {
	p.values(s.Rhs)
	for _, target := range s.Lhs {
		p.spend(s, 2*nodeCost) // it may go through a temporary
		switch t := target.(type) {
		case *ast.IdentExpr:
			if l, ok := p.lookup(t.Value); ok && l.array {
				p.refuse(t, "%q assigned anew", t.Value)
			}
			p.value(t)
		case *ast.AttrGetExpr:
			p.object(t.Object)
			p.value(t.Key)
		default:
			p.refuse(s, "an assignment to a %s", nameOf(target))
		}
	}
}

// loop allows a numeric loop over the rows of the batch, or up to a literal.
func (p *prover) loop(s *ast.NumberForStmt) {
	p.spend(s, 4*nodeCost)
	times, rows := p.times, p.rows
	if s.Step != nil {
		p.refuse(s, "a loop with a step")
	}
	if _, ok := literal(s.Init); !ok {
		p.refuse(s, "a loop whose start is no literal")
	}
	if p.isField(s.Limit, p.batch, "n") {
		if rows {
			p.refuse(s, "a loop over the rows inside of another")
		}
		p.rows = true
	} else if limit, ok := literal(s.Limit); ok && limit <= maxLiteral {
		p.times *= int64(limit) + 1 // it may begin at 0
	} else {
		p.refuse(s, "a loop whose limit is neither b.n nor a literal up to %d", maxLiteral)
	}
	if p.times > maxNested {
		p.refuse(s, "loops that repeat more than %d times", maxNested)
		p.times = maxNested
	}
	p.loops++
	p.spend(s, nodeCost)
	outer := len(p.locals)
	p.declare(s, s.Name, false)
	p.block(s.Stmts)
	p.locals = p.locals[:outer]
	p.loops--
	p.times, p.rows = times, rows
}

// literal reads a decimal number from 0 up. Notations that Lua versions read in
// different ways are none.
func literal(e ast.Expr) (float64, bool) {
	number, ok := e.(*ast.NumberExpr)
	if !ok || strings.Trim(number.Value, "0123456789.") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(number.Value, 64)
	return v, err == nil
}
