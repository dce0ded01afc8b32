package analysis

import "github.com/perigee-ecs/perigee/scripting/internal/syntax"

// formOf makes the second form of an each function: a copy with locals in the place of
// fields, of which every way out returns those that it assigns.
func formOf(each *Each, params params) *syntax.Function {
	fn := each.Function
	f := formBuilder{fn: fn, params: params}
	form := *fn
	form.Params = fn.Params[:1:1]
	for _, p := range each.Params {
		if p.Table {
			form.Params = append(form.Params, &syntax.Name{Pos: fn.Pos, Value: p.Name})
			continue
		}
		for _, u := range p.Uses {
			local := &syntax.Name{Pos: fn.Pos, Value: p.local(u.Field)}
			form.Params = append(form.Params, local)
			if u.Assigned.Line() > 0 {
				f.results = append(f.results, local.Value)
			}
		}
	}
	f.copier = syntax.Copier{Expr: f.expr, Stmt: f.stmt}
	form.Body = f.copier.Block(fn.Body)
	if len(f.results) > 0 {
		f.close(&form)
	}
	return &form
}

// local names the local that stands for a field.
func (p *Param) local(field string) string { return p.Name + "." + field }

type formBuilder struct {
	fn      *syntax.Function
	params  params
	results []string // locals that the form returns
	copier  syntax.Copier
}

func (f *formBuilder) expr(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.Index:
		if p, field, ok := f.params.access(e); ok && !p.Table {
			return &syntax.Name{Pos: e.Pos, Value: p.local(field)}
		}
	case *syntax.Arithmetic:
		return &syntax.Arithmetic{Pos: e.Pos, Operator: e.Operator, Lhs: f.operand(e.Lhs), Rhs: f.operand(e.Rhs)}
	case *syntax.Comparison:
		return &syntax.Comparison{Pos: e.Pos, Operator: e.Operator, Lhs: f.operand(e.Lhs), Rhs: f.operand(e.Rhs)}
	}
	return nil
}

// operand puts a constant in the place of its name.
func (f *formBuilder) operand(e syntax.Expr) syntax.Expr {
	if numeral, ok := f.constant(e); ok {
		return &syntax.Number{Pos: e.Position(), Value: numeral}
	}
	return f.copier.One(e)
}

// constant is constantOf for names of locals around the function. Its own cost nothing.
func (f *formBuilder) constant(e syntax.Expr) (numeral string, ok bool) {
	if v := variable(f.params.names, e); v != nil && v.Function >= f.fn.ID && v.Function <= f.fn.LastID {
		return "", false
	}
	return constantOf(f.params.names, e)
}

// stmt rewrites the return statements of the function's own blocks, not those
// of functions inside it. What the script returns is still evaluated.
func (f *formBuilder) stmt(s syntax.Stmt) []syntax.Stmt {
	ret, ok := s.(*syntax.Return)
	if !ok || f.copier.Inside > 0 || len(f.results) == 0 {
		return nil
	}
	var out []syntax.Stmt
	if len(ret.Exprs) > 0 {
		names := []*syntax.Name{{Pos: ret.Pos, Value: "(returned)"}}
		out = append(out, &syntax.Local{Pos: ret.Pos, Names: names, Exprs: f.copier.All(ret.Exprs)})
	}
	return append(out, f.returned(ret.Pos))
}

func (f *formBuilder) returned(at syntax.Pos) syntax.Stmt {
	ret := &syntax.Return{Pos: at}
	for _, name := range f.results {
		ret.Exprs = append(ret.Exprs, &syntax.Name{Pos: at, Value: name})
	}
	return ret
}

// close has the end of the function return the results. Why a block around the body?
// A goto may lead to a label at the end of a block over the locals of that block, but
// not to one that a statement follows.
func (f *formBuilder) close(form *syntax.Function) {
	if n := len(form.Body); n > 0 {
		if _, ok := form.Body[n-1].(*syntax.Return); ok {
			return
		}
	}
	block := &syntax.Do{Pos: form.Pos, End: form.End, Body: form.Body}
	form.Body = []syntax.Stmt{block, f.returned(form.End)}
}
