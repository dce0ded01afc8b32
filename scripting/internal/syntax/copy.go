package syntax

// Copying parts of a tree. Package analysis makes the other forms of each functions by
// it, see Tree.CompileTwin: a form must not be the tree's own function, which nothing
// may change.

// A Copier copies parts of a tree, with other nodes in the place of some. What it
// returns shares with the tree only what no lowering changes: names that are declared.
type Copier struct {
	// Expr returns what stands in the place of an expression; nil means a copy of it.
	Expr func(Expr) Expr
	// Stmt returns what stands in the place of a statement; nil means a copy of it.
	Stmt func(Stmt) []Stmt
	// Inside is how many functions are around the place, below what is copied.
	Inside int
}

// Block copies the statements of a block.
func (c *Copier) Block(block []Stmt) []Stmt {
	if block == nil {
		return nil
	}
	out := make([]Stmt, 0, len(block))
	for _, stmt := range block {
		if c.Stmt != nil {
			if list := c.Stmt(stmt); list != nil {
				out = append(out, list...)
				continue
			}
		}
		out = append(out, c.stmt(stmt))
	}
	return out
}

// Copy copies an expression, without asking what stands in its place.
func (c *Copier) Copy(expr Expr) Expr {
	switch e := expr.(type) {
	case *Index:
		return &Index{e.Pos, c.One(e.Object), c.One(e.Key)}
	case *Call:
		call := *e
		if e.Func != nil {
			call.Func = c.One(e.Func)
		} else {
			call.Receiver = c.One(e.Receiver)
		}
		call.Args = c.All(e.Args)
		return &call
	case *Function:
		return c.function(e)
	case *Table:
		table := &Table{Pos: e.Pos, End: e.End, Fields: make([]*Field, len(e.Fields))}
		for i, field := range e.Fields {
			table.Fields[i] = &Field{Value: c.One(field.Value)}
			if field.Key != nil {
				table.Fields[i].Key = c.One(field.Key)
			}
		}
		return table
	}
	return c.operator(expr)
}

// function copies a function and keeps its number: a form is a form of that function.
func (c *Copier) function(e *Function) *Function {
	fn := *e
	c.Inside++
	fn.Body = c.Block(e.Body)
	c.Inside--
	return &fn
}

// operator copies operators; literals and names are shared.
func (c *Copier) operator(expr Expr) Expr {
	switch e := expr.(type) {
	case *Logical:
		return &Logical{e.Pos, e.Operator, c.One(e.Lhs), c.One(e.Rhs)}
	case *Comparison:
		return &Comparison{e.Pos, e.Operator, c.One(e.Lhs), c.One(e.Rhs)}
	case *Concat:
		return &Concat{e.Pos, c.One(e.Lhs), c.One(e.Rhs)}
	case *Arithmetic:
		return &Arithmetic{e.Pos, e.Operator, c.One(e.Lhs), c.One(e.Rhs)}
	case *Minus:
		return &Minus{e.Pos, c.One(e.Expr)}
	case *Not:
		return &Not{e.Pos, c.One(e.Expr)}
	case *Length:
		return &Length{e.Pos, c.One(e.Expr)}
	}
	return expr
}

// One returns what stands in the place of an expression.
func (c *Copier) One(expr Expr) Expr {
	if c.Expr != nil {
		if other := c.Expr(expr); other != nil {
			return other
		}
	}
	return c.Copy(expr)
}

// All is One for a list.
func (c *Copier) All(list []Expr) []Expr {
	out := make([]Expr, len(list))
	for i, expr := range list {
		out[i] = c.One(expr)
	}
	return out
}

// stmt copies a statement. Break, Goto and Label are shared: they have no parts.
func (c *Copier) stmt(stmt Stmt) Stmt {
	switch s := stmt.(type) {
	case *Assign:
		return &Assign{s.Pos, c.All(s.Lhs), c.All(s.Rhs)}
	case *Local:
		return &Local{s.Pos, s.Names, c.All(s.Exprs)}
	case *LocalFunction:
		return &LocalFunction{s.Pos, s.Name, c.function(s.Func)}
	case *FunctionStmt:
		def := *s
		if s.Target != nil {
			def.Target = c.One(s.Target)
		} else {
			def.Receiver = c.One(s.Receiver)
		}
		def.Func = c.function(s.Func)
		return &def
	case *CallStmt:
		return &CallStmt{s.Pos, c.One(s.Call)}
	case *Return:
		return &Return{s.Pos, c.All(s.Exprs)}
	}
	return c.blockStmt(stmt)
}

// blockStmt copies a statement that has blocks.
func (c *Copier) blockStmt(stmt Stmt) Stmt {
	switch s := stmt.(type) {
	case *Do:
		return &Do{s.Pos, s.End, c.Block(s.Body)}
	case *While:
		return &While{s.Pos, s.End, c.One(s.Condition), c.Block(s.Body)}
	case *Repeat:
		return &Repeat{s.Pos, s.End, c.One(s.Condition), c.Block(s.Body)}
	case *If:
		return &If{s.Pos, s.End, c.One(s.Condition), c.Block(s.Then), c.Block(s.Else)}
	case *NumberFor:
		loop := *s
		loop.Init, loop.Limit = c.One(s.Init), c.One(s.Limit)
		if s.Step != nil {
			loop.Step = c.One(s.Step)
		}
		loop.Body = c.Block(s.Body)
		return &loop
	case *GenericFor:
		return &GenericFor{s.Pos, s.End, s.Names, c.All(s.Exprs), c.Block(s.Body)}
	}
	return stmt
}
