package syntax

import (
	"fmt"

	"github.com/yuin/gopher-lua/ast"
)

// repairBreaks keeps captured locals right when control leaves their block by a
// jump. The compiler closes the captured locals of the loop's own block at a
// break, but not those of blocks inside it, so a closure made there would see
// its registers reused; such a break becomes a goto, which closes them. A goto
// that leaves no captured local closes too many instead; finish stops it.
func repairBreaks(u *unit, stmts []ast.Stmt) []ast.Stmt {
	var r resolver
	r.function(&ast.FunctionExpr{ParList: &ast.ParList{}, Stmts: stmts}, "")
	for _, jump := range r.gotos {
		if jump.resolved && !jump.closes() {
			jump.stmt.SetLine(u.places.put(place{pos: u.places.at(jump.stmt.Line()).pos, keepsUpvalues: true}))
		}
	}
	exits := map[ast.Stmt]string{} // loops that get a label behind them
	leaves := map[ast.Stmt]string{}
	for _, jump := range r.breaks {
		if jump.closes() {
			if exits[jump.loop] == "" {
				exits[jump.loop] = fmt.Sprintf("(exit %d)", len(exits))
			}
			leaves[jump.stmt] = exits[jump.loop]
		}
	}
	repair := rewriter{stmt: func(stmt ast.Stmt) []ast.Stmt {
		if label := leaves[stmt]; label != "" {
			return []ast.Stmt{at(&ast.GotoStmt{Label: label}, stmt.Line())}
		}
		if label := exits[stmt]; label != "" {
			return inBlock([]ast.Stmt{stmt, at(&ast.LabelStmt{Name: label}, stmt.LastLine())}, stmt)
		}
		return []ast.Stmt{stmt}
	}}
	return repair.rewriteBlock(stmts)
}

// A scope is a block and the locals declared in it so far.
type scope struct {
	outer    *scope
	depth    int      // of functions
	loop     ast.Stmt // whose body this is, or nil
	names    []string
	captured bool // some closure uses a local of this block
	labels   map[string]int
}

// A jump is a break or goto and the blocks it leaves.
type jump struct {
	stmt     ast.Stmt
	loop     ast.Stmt // of a break
	resolved bool     // a goto whose label exists
	from     *scope
	active   []int // number of locals at the jump, per scope from the inside
	to       *scope
	kept     int // number of locals alive at the label, in its own scope
}

// closes tells whether a block that is left, and that had a local by then, has
// captured locals.
func (j *jump) closes() bool {
	i := 0
	for s := j.from; s != j.to; s = s.outer {
		if s.captured && j.active[i] > 0 {
			return true
		}
		i++
	}
	return j.to != nil && i < len(j.active) && j.to.captured && j.active[i] > j.kept
}

// A resolver finds which blocks have captured locals.
type resolver struct {
	scope  *scope
	breaks []*jump
	gotos  []*jump
}

func (r *resolver) open(loop ast.Stmt) {
	depth := 0
	if r.scope != nil {
		depth = r.scope.depth
	}
	r.scope = &scope{outer: r.scope, depth: depth, loop: loop, labels: map[string]int{}}
}

func (r *resolver) shut() { r.scope = r.scope.outer }

func (r *resolver) declare(names ...string) {
	if len(r.scope.names) <= maxUpvalues { // more do not compile, and make this slow
		r.scope.names = append(r.scope.names, names...)
	}
}

func (r *resolver) use(name string) {
	for s := r.scope; s != nil; s = s.outer {
		for _, declared := range s.names {
			if declared == name {
				s.captured = s.captured || s.depth != r.scope.depth
				return
			}
		}
	}
}

func (r *resolver) function(fn *ast.FunctionExpr, self string) {
	first := len(r.gotos)
	r.open(nil)
	r.scope.depth++
	if self != "" {
		r.declare(self)
	}
	r.declare(fn.ParList.Names...)
	r.stmts(fn.Stmts)
	r.shut()
	for _, jump := range r.gotos[first:] {
		jump.resolve()
	}
}

func (r *resolver) block(stmts []ast.Stmt, loop ast.Stmt, names ...string) {
	r.open(loop)
	r.declare(names...)
	r.stmts(stmts)
	r.shut()
}

func (r *resolver) stmts(stmts []ast.Stmt) {
	for _, stmt := range stmts {
		r.stmt(stmt)
	}
}

func (r *resolver) exprs(places []*ast.Expr) {
	for _, place := range places {
		r.expr(*place)
	}
}

func (r *resolver) expr(expr ast.Expr) {
	switch e := expr.(type) {
	case *ast.IdentExpr:
		r.use(e.Value)
	case *ast.FunctionExpr:
		r.function(e, "")
	}
	r.exprs(exprParts(expr))
}

func (r *resolver) stmt(stmt ast.Stmt) {
	exprs, _ := stmtParts(stmt)
	switch s := stmt.(type) {
	case *ast.LocalAssignStmt:
		if s.LastLine() != 0 { // local function
			r.declare(s.Names...)
			r.exprs(exprs)
			return
		}
		r.exprs(exprs)
		r.declare(s.Names...)
	case *ast.FuncDefStmt:
		if s.Name.Func != nil {
			r.expr(s.Name.Func)
			r.function(s.Func, "")
			return
		}
		r.expr(s.Name.Receiver)
		r.function(s.Func, "self")
	case *ast.RepeatStmt: // the condition sees the locals of the body
		r.open(s)
		r.stmts(s.Stmts)
		r.exprs(exprs)
		r.shut()
	case *ast.BreakStmt:
		r.breaks = append(r.breaks, r.breakJump(s))
	case *ast.GotoStmt:
		r.gotos = append(r.gotos, &jump{stmt: s, from: r.scope, active: r.active()})
	case *ast.LabelStmt:
		r.scope.labels[s.Name] = len(r.scope.names)
	default:
		r.exprs(exprs)
		r.blocks(stmt)
	}
}

// blocks opens the blocks of the remaining statements.
func (r *resolver) blocks(stmt ast.Stmt) {
	switch s := stmt.(type) {
	case *ast.DoBlockStmt:
		r.block(s.Stmts, nil)
	case *ast.WhileStmt:
		r.block(s.Stmts, s)
	case *ast.IfStmt:
		r.block(s.Then, nil)
		r.block(s.Else, nil)
	case *ast.NumberForStmt:
		r.block(s.Stmts, s, "(for index)", "(for limit)", "(for step)", s.Name)
	case *ast.GenericForStmt:
		r.block(s.Stmts, s, append([]string{"(for generator)", "(for state)", "(for control)"}, s.Names...)...)
	}
}

// active lists how many locals each scope of the function has at this point.
func (r *resolver) active() []int {
	var counts []int
	for s := r.scope; s != nil && s.depth == r.scope.depth; s = s.outer {
		counts = append(counts, len(s.names))
	}
	return counts
}

// breakJump is a jump out of the blocks inside the loop; the loop's own block
// the compiler closes correctly.
func (r *resolver) breakJump(stmt ast.Stmt) *jump {
	j := &jump{stmt: stmt, from: r.scope, active: r.active()}
	for j.to = r.scope; j.to.loop == nil; j.to = j.to.outer {
	}
	j.loop = j.to.loop
	j.kept = len(j.to.names)
	return j
}

// resolve finds the label of a goto, once all labels of the function are known.
func (j *jump) resolve() {
	name := j.stmt.(*ast.GotoStmt).Label
	for s := j.from; s != nil && s.depth == j.from.depth; s = s.outer {
		if kept, ok := s.labels[name]; ok && !j.resolved {
			j.to, j.kept, j.resolved = s, kept, true
		}
	}
}
