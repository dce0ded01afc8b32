package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Mutant is one mistake at one place.
type Mutant struct {
	ID   int    `json:"-"` // by which the binaries know it, from 1
	File string `json:"file"`
	Line int    `json:"line"`
	Func string `json:"func"`
	Kind string `json:"kind"` // "< becomes <="
	Text string `json:"text"` // the line
	Part string `json:"part"` // of the line, that is changed
	Key  string `json:"key"`
}

// edit inserts text into a file, or takes the place of some of it.
type edit struct {
	at, drop int
	text     string
	order    int // among edits at the same place
}

// mutator finds the places of one file and plants the switches.
type mutator struct {
	file    string
	source  []byte
	lines   []string
	fset    *token.FileSet
	info    *types.Info
	pkg     *types.Package
	imports map[string]string // path → name
	skip    map[int]bool      // lines on which nothing compiles
	next    func() int
	edits   []edit
	mutants []Mutant
	fn      string
	depth   int
	seen    map[string]int
}

func (m *mutator) offset(p token.Pos) int { return m.fset.Position(p).Offset }
func (m *mutator) text(n ast.Node) string {
	return string(m.source[m.offset(n.Pos()):m.offset(n.End())])
}

// add makes a mutant of a node and returns the condition for its switch, or "" where
// there must be none.
func (m *mutator) add(n ast.Node, kind string) string {
	at := m.fset.Position(n.Pos())
	if m.skip[at.Line] {
		return ""
	}
	id := m.next()
	line := strings.TrimSpace(m.lines[at.Line-1])
	key := fmt.Sprintf("%s|%s|%d|%s", m.file, line, at.Column, kind)
	m.seen[key]++
	if k := m.seen[key]; k > 1 {
		key += fmt.Sprintf("|%d", k)
	}
	part, _, _ := strings.Cut(m.text(n), "\n")
	m.mutants = append(m.mutants, Mutant{ID: id, File: m.file, Line: at.Line, Func: m.fn, Kind: kind, Text: line, Part: part, Key: key})
	return fmt.Sprintf("mutant == %d", id)
}

// around puts text before and after a node. What is planted later stands inside.
func (m *mutator) around(n ast.Node, before, after string) {
	m.edits = append(m.edits,
		edit{at: m.offset(n.Pos()), text: before, order: 1000 + m.depth},
		edit{at: m.offset(n.End()), text: after, order: 1000 - m.depth - 500})
}

func (m *mutator) replace(at token.Pos, old, text string) {
	m.edits = append(m.edits, edit{at: m.offset(at), drop: len(old), text: text, order: 1000})
}

// apply makes the new text of the file.
func (m *mutator) apply() []byte {
	slices.SortStableFunc(m.edits, func(a, b edit) int {
		if a.at != b.at {
			return a.at - b.at
		}
		return a.order - b.order
	})
	var out []byte
	at := 0
	for _, e := range m.edits {
		out = append(out, m.source[at:e.at]...)
		out = append(out, e.text...)
		at = e.at + e.drop
	}
	return append(out, m.source[at:]...)
}

// file plants switches into all functions, and into the values of variables.
func (m *mutator) walk(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				m.fn = d.Name.Name
				m.node(d.Body, nil)
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				m.fn = ""
				for _, s := range d.Specs {
					for _, v := range s.(*ast.ValueSpec).Values {
						m.expr(v)
					}
				}
			}
		}
	}
}

// node plants into a statement and all below it.
func (m *mutator) node(n ast.Node, parents []ast.Node) {
	m.depth++
	defer func() { m.depth-- }()
	switch n := n.(type) {
	case nil:
	case *ast.BlockStmt:
		for _, s := range n.List {
			m.statement(s, n, parents)
		}
	case ast.Stmt:
		m.statement(n, nil, parents)
	}
}

// droppable reports whether a statement may be left out: then it stands in an if.
func (m *mutator) droppable(s ast.Stmt, parents []ast.Node) bool {
	switch s := s.(type) {
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		return ok && m.text(call.Fun) != "panic"
	case *ast.AssignStmt:
		return s.Tok != token.DEFINE
	case *ast.IncDecStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.BREAK || s.Tok == token.CONTINUE
	case *ast.ReturnStmt:
		// In an if without else; elsewhere the function might lack a return.
		if len(parents) == 0 {
			return false
		}
		last, ok := parents[len(parents)-1].(*ast.IfStmt)
		return ok && last.Else == nil
	}
	return false
}

func (m *mutator) statement(s ast.Stmt, in *ast.BlockStmt, parents []ast.Node) {
	m.depth++
	defer func() { m.depth-- }()
	if in != nil && m.droppable(s, parents) {
		if c := m.add(s, "statement left out"); c != "" {
			m.around(s, "if !("+c+") { ", " }")
		}
	}
	below := append(slices.Clone(parents), ast.Node(s))
	switch s := s.(type) {
	case *ast.BlockStmt:
		m.node(s, append(slices.Clone(parents), ast.Node(s)))
	case *ast.IfStmt:
		if s.Init != nil {
			m.statement(s.Init, nil, below)
		}
		m.condition(s.Cond)
		m.node(s.Body, below)
		if s.Else != nil {
			// What stands in an else is no longer in an if without one.
			m.node(s.Else, append(below, ast.Node(s)))
		}
	case *ast.ForStmt:
		if s.Init != nil {
			m.statement(s.Init, nil, below)
		}
		if s.Cond != nil {
			m.condition(s.Cond)
		}
		if s.Post != nil {
			m.statement(s.Post, nil, below)
		}
		m.node(s.Body, below)
	case *ast.RangeStmt:
		m.expr(s.X)
		m.node(s.Body, below)
	case *ast.SwitchStmt:
		m.switches(s, below)
	case *ast.TypeSwitchStmt:
		if s.Init != nil {
			m.statement(s.Init, nil, below)
		}
		for _, c := range s.Body.List {
			m.body(c.(*ast.CaseClause).Body, below)
		}
	case *ast.LabeledStmt:
		m.statement(s.Stmt, nil, below)
	case *ast.ExprStmt:
		m.expr(s.X)
	case *ast.AssignStmt:
		for _, e := range append(slices.Clone(s.Lhs), s.Rhs...) {
			m.expr(e)
		}
	case *ast.ReturnStmt:
		for _, e := range s.Results {
			m.expr(e)
		}
	case *ast.IncDecStmt:
		m.expr(s.X)
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
			for _, spec := range d.Specs {
				for _, v := range spec.(*ast.ValueSpec).Values {
					m.expr(v)
				}
			}
		}
	case *ast.DeferStmt:
		m.expr(s.Call)
	}
}

func (m *mutator) body(list []ast.Stmt, parents []ast.Node) {
	for _, s := range list {
		m.statement(s, &ast.BlockStmt{}, parents)
	}
}

// switches leaves cases out: their values are then such that nothing is.
func (m *mutator) switches(s *ast.SwitchStmt, below []ast.Node) {
	if s.Init != nil {
		m.statement(s.Init, nil, below)
	}
	if s.Tag != nil {
		m.expr(s.Tag)
	}
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		for _, e := range c.List {
			m.caseValue(s, e)
		}
		m.body(c.Body, below)
	}
}

func (m *mutator) caseValue(s *ast.SwitchStmt, e ast.Expr) {
	m.depth++
	defer func() { m.depth-- }()
	if s.Tag == nil {
		if c := m.add(e, "case left out"); c != "" {
			m.around(e, "(", ") && !("+c+")")
		}
		m.condition(e)
		return
	}
	t := m.info.TypeOf(s.Tag)
	name := m.typeName(t)
	if b, ok := t.Underlying().(*types.Basic); ok && name != "" {
		helper := ""
		switch {
		case b.Info()&types.IsInteger != 0:
			helper = "noInteger"
		case b.Info()&types.IsString != 0:
			helper = "noString"
		default:
			return
		}
		if c := m.add(e, "case left out"); c != "" {
			m.around(e, "mutant_"+helper+"["+name+"]("+c+", ", ")")
		}
	}
}

// condition plants the opposite, where no other mutant of the expression is that.
func (m *mutator) condition(e ast.Expr) {
	m.depth++
	defer func() { m.depth-- }()
	inner := ast.Unparen(e)
	switch x := inner.(type) {
	case *ast.BinaryExpr:
		if x.Op != token.LAND && x.Op != token.LOR {
			break
		}
		if c := m.add(e, "condition denied"); c != "" {
			m.around(e, "((", ") != ("+c+"))")
		}
	case *ast.UnaryExpr:
	default:
		if c := m.add(e, "condition denied"); c != "" {
			m.around(e, "((", ") != ("+c+"))")
		}
	}
	m.expr(e)
}

// typeName is a type as the file can write it, "" where it cannot.
func (m *mutator) typeName(t types.Type) string {
	ok := true
	name := types.TypeString(t, func(p *types.Package) string {
		if p == m.pkg {
			return ""
		}
		name, known := m.imports[p.Path()]
		ok = ok && known
		return name
	})
	if !ok || strings.ContainsAny(name, "{( ") {
		return ""
	}
	return name
}

// expr plants into an expression and all below it.
func (m *mutator) expr(e ast.Expr) {
	m.depth++
	defer func() { m.depth-- }()
	if tv, ok := m.info.Types[e]; ok && tv.Value != nil {
		m.constant(e, tv)
		return
	}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		m.binary(e)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			if c := m.add(e, "not left out"); c != "" {
				m.around(e, "((", ") != ("+c+"))")
			}
		}
		m.expr(e.X)
	case *ast.ParenExpr:
		m.expr(e.X)
	case *ast.CallExpr:
		m.call(e)
	case *ast.SelectorExpr:
		m.expr(e.X)
	case *ast.IndexExpr:
		m.expr(e.X)
		if tv := m.info.Types[e.Index]; !tv.IsType() {
			m.expr(e.Index)
		}
	case *ast.SliceExpr:
		m.expr(e.X)
		for _, i := range []ast.Expr{e.Low, e.High, e.Max} {
			if i != nil {
				m.expr(i)
			}
		}
	case *ast.StarExpr:
		if tv := m.info.Types[e.X]; !tv.IsType() {
			m.expr(e.X)
		}
	case *ast.CompositeLit:
		_, keyed := m.info.TypeOf(e).Underlying().(*types.Map)
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				if keyed {
					m.expr(kv.Key)
				}
				x = kv.Value
			}
			m.expr(x)
		}
	case *ast.FuncLit:
		m.node(e.Body, nil)
	case *ast.TypeAssertExpr:
		m.expr(e.X)
	}
}

// constant makes a constant more or less, and true false.
func (m *mutator) constant(e ast.Expr, tv types.TypeAndValue) {
	b, ok := tv.Type.Underlying().(*types.Basic)
	name := m.typeName(tv.Type)
	if !ok || name == "" {
		return
	}
	switch {
	case b.Info()&types.IsBoolean != 0:
		if c := m.add(e, m.text(e)+" denied"); c != "" {
			m.around(e, "((", ") != ("+c+"))")
		}
	case b.Info()&types.IsUntyped != 0:
	case b.Info()&(types.IsInteger|types.IsFloat) != 0 && tv.Value.Kind() != constant.Unknown:
		more := m.add(e, m.text(e)+" becomes one more")
		if more == "" {
			return
		}
		less := "false"
		if _, named := ast.Unparen(e).(*ast.BasicLit); named {
			less = m.add(e, m.text(e)+" becomes one less")
		}
		m.around(e, "mutant_near["+name+"]("+more+", "+less+", ", ")")
	}
}

// twins are what an operator becomes.
var twins = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR}, token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.ADD}, token.QUO: {token.MUL}, token.REM: {token.QUO},
	token.AND: {token.OR}, token.OR: {token.AND}, token.XOR: {token.OR}, token.AND_NOT: {token.AND},
}

var helpers = map[token.Token]string{
	token.LSS: "less", token.LEQ: "lessEqual", token.GTR: "greater", token.GEQ: "greaterEqual",
	token.ADD: "add", token.SUB: "sub", token.MUL: "mul", token.QUO: "quo", token.REM: "rem",
	token.AND: "and", token.OR: "or", token.XOR: "xor", token.AND_NOT: "andNot",
}

func (m *mutator) binary(e *ast.BinaryExpr) {
	switch e.Op {
	case token.EQL, token.NEQ:
		if c := m.add(e, e.Op.String()+" denied"); c != "" {
			m.around(e, "((", ") != ("+c+"))")
		}
	case token.LAND, token.LOR:
		m.logic(e)
		return
	default:
		m.arithmetic(e)
	}
	m.expr(e.X)
	m.expr(e.Y)
}

func (m *mutator) arithmetic(e *ast.BinaryExpr) {
	t := m.info.TypeOf(e.X)
	if tv := m.info.Types[e.X]; tv.Value != nil {
		t = m.info.TypeOf(e.Y)
	}
	b, ok := t.Underlying().(*types.Basic)
	name := m.typeName(t)
	if !ok || name == "" || twins[e.Op] == nil || b.Info()&types.IsUntyped != 0 {
		return
	}
	if strings.Contains("add sub mul quo", helpers[e.Op]) && b.Info()&types.IsString != 0 {
		return
	}
	var conds []string
	for _, twin := range twins[e.Op] {
		c := m.add(e, e.Op.String()+" becomes "+twin.String())
		if c == "" {
			return
		}
		conds = append(conds, c)
	}
	if e.Op == token.SUB || e.Op == token.QUO || e.Op == token.REM {
		conds = append(conds, m.add(e, "operands of "+e.Op.String()+" exchanged"))
	}
	m.around(e, "mutant_"+helpers[e.Op]+"["+name+"]("+strings.Join(conds, ", ")+", ", ")")
	m.replace(e.OpPos, e.Op.String(), ",")
}

// logic turns and into or by denying both operands and the outcome, so that what
// must not be evaluated is not; and it leaves either operand out.
func (m *mutator) logic(e *ast.BinaryExpr) {
	other := map[token.Token]string{token.LAND: "||", token.LOR: "&&"}[e.Op]
	turned := m.add(e, e.Op.String()+" becomes "+other)
	if turned == "" {
		m.expr(e.X)
		m.expr(e.Y)
		return
	}
	left := m.add(e.X, "operand of "+e.Op.String()+" left out")
	right := m.add(e.Y, "operand of "+e.Op.String()+" left out")
	without := func(c string) string {
		if c == "" {
			c = "false"
		}
		if e.Op == token.LAND {
			return " || (" + c + ")"
		}
		return " && !(" + c + ")"
	}
	m.around(e, "(", " != ("+turned+"))")
	m.depth++
	m.around(&span{e.X.Pos(), e.Y.End()}, "(", ")")
	m.depth++
	m.around(e.X, "(((", ")"+without(left)+") != ("+turned+"))")
	m.around(e.Y, "(((", ")"+without(right)+") != ("+turned+"))")
	m.depth++
	m.expr(e.X)
	m.expr(e.Y)
	m.depth -= 3
}

// span is a stretch of text.
type span struct{ from, to token.Pos }

func (s *span) Pos() token.Pos { return s.from }
func (s *span) End() token.Pos { return s.to }

// leaf reports whether an argument may be written twice: it does nothing.
func leaf(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name != "nil" && e.Name != "_"
	case *ast.SelectorExpr:
		return leaf(e.X)
	case *ast.IndexExpr:
		_, lit := e.Index.(*ast.BasicLit)
		return leaf(e.X) && (lit || leaf(e.Index))
	}
	return false
}

// call exchanges neighbouring arguments of one type.
func (m *mutator) call(e *ast.CallExpr) {
	if tv := m.info.Types[e.Fun]; tv.IsType() {
		for _, a := range e.Args {
			m.expr(a)
		}
		return
	}
	if id, ok := e.Fun.(*ast.Ident); ok && slices.Contains([]string{"panic", "new"}, id.Name) {
		return
	}
	m.expr(e.Fun)
	function := !m.info.Types[e.Fun].IsBuiltin()
	swapped := -1
	for i, a := range e.Args {
		if i+1 < len(e.Args) && i != swapped && m.exchange(e, i, function) {
			swapped = i + 1
		}
		if i == swapped || i+1 == swapped {
			continue
		}
		if i == 0 && m.info.Types[a].IsType() {
			continue // make([]T, n)
		}
		m.expr(a)
	}
}

// exchange plants an exchange of the arguments at i and i+1.
func (m *mutator) exchange(e *ast.CallExpr, i int, function bool) bool {
	a, b := e.Args[i], e.Args[i+1]
	if !function || !leaf(a) || !leaf(b) || e.Ellipsis.IsValid() || m.text(a) == m.text(b) {
		return false
	}
	ta, tb := m.info.TypeOf(a), m.info.TypeOf(b)
	if m.info.Types[a].Value != nil || m.info.Types[b].Value != nil || !types.Identical(ta, tb) {
		return false
	}
	c := m.add(e, "arguments "+m.text(a)+" and "+m.text(b)+" exchanged")
	if c == "" {
		return false
	}
	m.around(a, "mutant_choose("+c+", "+m.text(b)+", ", ")")
	m.around(b, "mutant_choose("+c+", "+m.text(a)+", ", ")")
	return true
}
