package syntax

// The expressions of the grammar: operators by their priorities, and what can be
// indexed or called. Every path that can recurse goes through subexpr or block, which
// count the level of nesting; the loops of suffixed and concat do not recurse, and the
// height of what they build is checked in depth.go.

// Priorities of the binary operators, from the manual: an operator is read when
// its left priority is above the limit, and its right operand with the right
// priority as limit.
const unaryPriority = 8

// priorities returns the two priorities of a binary operator. They are 0 for any other
// token, which ends the expression. Where right is smaller than left, the operator is
// right associative.
func priorities(kind string) (left, right int) {
	switch kind {
	case "or":
		return 1, 1
	case "and":
		return 2, 2
	case "<", ">", "<=", ">=", "~=", "==":
		return 3, 3
	case "..":
		return 5, 5 // right associative, see concat
	case "+", "-":
		return 6, 6
	case "*", "/", "%":
		return 7, 7
	case "^":
		return 10, 9 // right associative
	}
	return 0, 0
}

// expr reads an expression of any operators.
func (p *parser) expr() Expr { return p.subexpr(0) }

// exprs reads a list of one or more expressions.
func (p *parser) exprs() []Expr {
	list := []Expr{p.expr()}
	for !p.outdented() && p.comma() {
		list = append(list, p.expr())
	}
	return list
}

// outdented reports whether the token stands to the left of the statement, and a bracket
// around the block is waiting for it: the end of the block is missing.
func (p *parser) outdented() bool {
	return p.begun > 0 && p.begun == len(p.open) && p.tok.first && p.tok.column < p.first.column
}

// subexpr reads an expression of operators above the limit.
func (p *parser) subexpr(limit int) Expr {
	if !p.enter() {
		return &Nil{Pos: p.tok.pos()}
	}
	defer p.leave()
	lhs := p.unary()
	for {
		left, right := priorities(p.tok.kind)
		if left <= limit {
			return lhs
		}
		if p.at("..") {
			lhs = p.concat(lhs, right)
			continue
		}
		operator := p.advance()
		lhs = binary(operator, lhs, p.subexpr(right))
	}
}

// concat reads a chain of `..` without recursion, since texts are often built
// from many pieces.
func (p *parser) concat(first Expr, right int) Expr {
	operands := []Expr{first}
	places := []Pos{}
	for p.accept("..") {
		places = append(places, p.prev.pos())
		operands = append(operands, p.subexpr(right))
	}
	last := len(operands) - 1
	result := operands[last]
	for i := last - 1; i >= 0; i-- {
		result = &Concat{Pos: places[i], Lhs: operands[i], Rhs: result}
	}
	return result
}

// binary makes the node of an operator other than `..`. Its place is that of the
// operator: in a long expression, the operands may be lines away from what has failed.
func binary(operator token, lhs, rhs Expr) Expr {
	switch operator.kind {
	case "and", "or":
		return &Logical{Pos: operator.pos(), Operator: operator.kind, Lhs: lhs, Rhs: rhs}
	case "<", ">", "<=", ">=", "~=", "==":
		return &Comparison{Pos: operator.pos(), Operator: operator.kind, Lhs: lhs, Rhs: rhs}
	}
	return &Arithmetic{Pos: operator.pos(), Operator: operator.kind, Lhs: lhs, Rhs: rhs}
}

// unary reads an operand with the unary operators before it. They bind tighter than all
// binary ones but ^: -x^2 is -(x^2), since ^ has a left priority above unaryPriority.
func (p *parser) unary() Expr {
	pos := p.tok.pos()
	switch p.tok.kind {
	case "-":
		p.advance()
		return &Minus{Pos: pos, Expr: p.subexpr(unaryPriority)}
	case "not":
		p.advance()
		return &Not{Pos: pos, Expr: p.subexpr(unaryPriority)}
	case "#":
		p.advance()
		return &Length{Pos: pos, Expr: p.subexpr(unaryPriority)}
	}
	return p.simple()
}

// simple reads a literal, a function, a constructor, or what suffixed reads.
func (p *parser) simple() Expr {
	tok := p.tok
	switch tok.kind {
	case kindNumber:
		p.advance()
		return &Number{Pos: tok.pos(), Value: tok.text}
	case kindString:
		p.advance()
		return &String{Pos: tok.pos(), Value: tok.text}
	case "nil":
		p.advance()
		return &Nil{Pos: tok.pos()}
	case "true":
		p.advance()
		return &True{Pos: tok.pos()}
	case "false":
		p.advance()
		return &False{Pos: tok.pos()}
	case "...":
		if !p.fn.vararg {
			p.fail(tok, "cannot use \"...\" outside a function that takes \"...\"")
		}
		p.advance()
		return &Vararg{Pos: tok.pos()}
	case "{":
		return p.table()
	case "function":
		p.advance()
		return p.function(tok)
	}
	value, _ := p.suffixed("an expression")
	return value
}

// primary reads a name or an expression in parentheses. settable tells whether
// it may stand to the left of an assignment.
// wanted is what a message says was expected.
func (p *parser) primary(wanted string) (value Expr, settable bool) {
	tok := p.tok
	switch tok.kind {
	case kindName:
		p.advance()
		return &Name{Pos: tok.pos(), Value: tok.text}, true
	case "(":
		p.bracket()
		value = p.expr()
		p.close(")", tok)
		return single(value), false
	}
	p.unexpected(wanted)
	return &Nil{Pos: p.tok.pos()}, false
}

// single marks an expression whose further values are dropped.
// Parentheses leave no node of their own in the tree; for all other expressions they
// mean nothing.
func single(value Expr) Expr {
	switch value := value.(type) {
	case *Call:
		value.Single = true
	case *Vararg:
		value.Single = true
	}
	return value
}

// suffixed reads a primary expression and the indexes and calls behind it.
func (p *parser) suffixed(wanted string) (value Expr, settable bool) {
	value, settable = p.primary(wanted)
	for {
		tok := p.tok
		switch tok.kind {
		case ".":
			p.advance()
			value, settable = field(value, p.expect(kindName, "after the dot")), true
		case "[":
			p.bracket()
			key := p.expr()
			p.close("]", tok)
			value, settable = &Index{Pos: tok.pos(), Object: value, Key: key}, true
		case ":":
			p.advance()
			name := p.expect(kindName, "after the colon")
			value, settable = &Call{Pos: name.pos(), Receiver: value, Method: name.text, Args: p.args()}, false
		case "(", "{", kindString:
			call := &Call{Pos: p.called(tok), Func: value}
			call.Args = p.args()
			value, settable = call, false
		default:
			return value, settable
		}
	}
}

// called returns the place of a call whose arguments begin with tok: the end of what
// is called, so that a caret points to a name and not to a parenthesis, but the line is
// that of the arguments.
func (p *parser) called(tok token) Pos {
	if p.prev.line == tok.line {
		return p.prev.pos()
	}
	return tok.pos()
}

// field makes the node of object.name.
func field(object Expr, name token) Expr {
	key := &String{Pos: name.pos(), Value: name.text}
	return &Index{Pos: name.pos(), Object: object, Key: key}
}

// args reads the arguments of a call in any of the three forms. A parenthesis at the
// start of a line is refused, as in Lua 5.1: it could begin a statement as well.
func (p *parser) args() []Expr {
	tok := p.tok
	switch tok.kind {
	case kindString:
		p.advance()
		return []Expr{&String{Pos: tok.pos(), Value: tok.text}}
	case "{":
		return []Expr{p.table()}
	case "(":
		if tok.line != p.prev.line {
			p.fail(tok, "unclear whether this starts a statement or calls what ends line %d: put a ; in front of it, or move it up", p.prev.line)
		}
		p.bracket()
		args := []Expr{}
		if !p.at(")") {
			args = p.exprs()
		}
		p.close(")", tok)
		return args
	}
	p.unexpected("the arguments of the method in parentheses")
	return nil
}

// function reads parameters and body; opener is the keyword function.
func (p *parser) function(opener token) *Function {
	p.fn = &function{outer: p.fn}
	// The number is given when the function begins, so functions inside of it have
	// greater ones, and LastID closes the interval.
	p.last++
	fn := &Function{Pos: opener.pos(), ID: p.last}
	paren := p.tok
	if p.at("(") {
		p.bracket()
	} else {
		p.expect("(", "and the parameters of the function")
	}
	for !p.at(")") && !p.at(kindEnd) && !fn.Vararg {
		if p.accept("...") {
			fn.Vararg = true
			break
		}
		fn.Params = append(fn.Params, p.name("as parameter"))
		if !p.at(")") {
			if !p.comma() {
				p.expect(",", "or \")\" after the parameter")
			}
			if p.at(")") {
				p.unexpected("a name as parameter")
			}
		}
	}
	p.close(")", paren)
	p.fn.vararg = fn.Vararg
	fn.Body = p.block()
	p.fn = p.fn.outer
	fn.LastID = p.last
	fn.End = p.close("end", opener).pos()
	return fn
}

// table reads a constructor.
func (p *parser) table() Expr {
	opener := p.bracket()
	table := &Table{Pos: opener.pos()}
	for !p.at("}") && !p.at(kindEnd) && !(p.tok.first && p.tok.beginsStatement()) {
		table.Fields = append(table.Fields, p.field())
		if !p.comma() && !p.accept(";") {
			break
		}
	}
	table.End = p.close("}", opener).pos()
	return table
}

// field reads one item of a constructor. It takes the token ahead to tell `name =
// value` from an expression that begins with a name.
func (p *parser) field() *Field {
	tok := p.tok
	switch {
	case tok.kind == kindName && p.ahead.kind == "=":
		p.advance()
		p.advance()
		return &Field{Key: &String{Pos: tok.pos(), Value: tok.text}, Value: p.expr()}
	case tok.kind == "[":
		p.bracket()
		key := p.expr()
		p.close("]", tok)
		p.expect("=", "after the key")
		return &Field{Key: key, Value: p.expr()}
	}
	return &Field{Value: p.expr()}
}
