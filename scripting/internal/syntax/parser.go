package syntax

import (
	"fmt"
	"strings"
)

// maxNesting bounds how deep blocks, functions, parentheses, constructors and
// unary operators may nest. It keeps the recursion here and in the stages
// behind small, and is more than anyone writes by hand.
const maxNesting = 150

// A parser reads statements by recursive descent. It holds one token and looks
// one further ahead. After a fault every token is the end of the file, so the
// methods return soon and need not ask.
type parser struct {
	lx    lexer
	tok   token // not yet consumed
	ahead token
	prev  token // consumed last
	depth int
	fn    *function
	hints hints
	last  FuncID // of the functions that have begun

	faults  []*Error // see resume
	stopped bool     // it does not go on after faults any more

	structural bool // of the fault that is being recorded
}

// A function is what the parser knows of the function body around it.
type function struct {
	outer  *function
	vararg bool
	loops  int
}

func newParser(name, src string) *parser {
	p := &parser{lx: lexer{name: name, src: src, line: 1, lines: []int{0}}}
	p.tok = p.lx.next()
	p.ahead = p.lx.next()
	return p
}

// chunk reads the whole script.
func (p *parser) chunk() ([]Stmt, *Error) {
	p.fn = &function{vararg: true}
	stmts := p.block()
	for p.tok.kind != kindEnd {
		first := p.tok
		p.structurally(func() { p.unexpected("a statement") })
		if p.resume(first) {
			p.block()
		}
	}
	if p.lx.fault != nil && !p.stopped {
		p.faults = append(p.faults, p.lx.fault)
	}
	if len(p.faults) == 0 {
		return stmts, nil
	}
	p.faults[0].More = p.faults[1:]
	return nil, p.faults[0]
}

// advance consumes a token and returns it.
func (p *parser) advance() token {
	p.prev = p.tok
	p.tok = p.ahead
	p.ahead = p.lx.next()
	return p.prev
}

func (p *parser) at(kind string) bool { return p.tok.kind == kind }

// accept consumes the token when it is of the kind.
func (p *parser) accept(kind string) bool {
	if !p.at(kind) {
		return false
	}
	p.advance()
	return true
}

// expect consumes a token of the kind or reports what was found instead.
func (p *parser) expect(kind, where string) token {
	if !p.at(kind) {
		p.unexpected(strings.TrimSpace(describe(kind) + " " + where))
		return p.tok
	}
	return p.advance()
}

// fail records a fault at a token and turns the rest into the end of the file.
// A fault of the lexer one token ahead gives way to one in front of it.
func (p *parser) fail(at token, format string, args ...any) {
	fault := &Error{Script: p.lx.name, Line: at.line, Column: at.column, Message: fmt.Sprintf(format, args...), structural: p.structural}
	if old := p.lx.fault; old == nil || before(fault, old) && at.kind != kindEnd {
		p.lx.fault = fault
	}
	p.lx.pos = len(p.lx.src)
	p.tok = token{kind: kindEnd, line: at.line, column: at.column}
	p.ahead = p.tok
}

func before(a, b *Error) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
}

// enter counts a level of nesting; leave takes it back.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxNesting {
		p.fail(p.tok, "more than %d levels of nesting", maxNesting)
		p.lx.fault.fatal = true
		return false
	}
	return true
}

func (p *parser) leave() { p.depth-- }

// block reads statements up to a token that ends a block.
func (p *parser) block() []Stmt {
	stmts := []Stmt{}
	if !p.enter() {
		return stmts
	}
	defer p.leave()
	for !p.blockEnds() {
		last := p.at("return") || p.at("break")
		first := p.tok
		if stmt := p.statement(); stmt != nil {
			stmts = append(stmts, stmt)
		}
		if p.lx.fault != nil && p.at(kindEnd) && p.resume(first) {
			continue
		}
		if last {
			p.accept(";")
			if !p.blockEnds() {
				p.structurally(func() {
					p.unexpected(fmt.Sprintf("%q to be the last statement of its block", stmtName(stmts)))
				})
			}
			break
		}
	}
	return stmts
}

func stmtName(stmts []Stmt) string {
	if _, ok := stmts[len(stmts)-1].(*Break); ok {
		return "break"
	}
	return "return"
}

func (p *parser) blockEnds() bool {
	switch p.tok.kind {
	case kindEnd, "end", "else", "elseif", "until":
		return true
	}
	return false
}

// statement reads one statement; nil for an empty one.
func (p *parser) statement() Stmt {
	switch p.tok.kind {
	case ";":
		p.advance()
		return nil
	case "if":
		return p.ifStmt()
	case "while":
		return p.whileStmt()
	case "do":
		return p.doStmt()
	case "for":
		return p.forStmt()
	case "repeat":
		return p.repeatStmt()
	case "function":
		return p.functionStmt()
	case "local":
		return p.localStmt()
	case "return":
		return p.returnStmt()
	case "break":
		return p.breakStmt()
	case "::":
		return p.labelStmt()
	}
	if p.at(kindName) && p.tok.text == "goto" && p.ahead.kind == kindName {
		opener := p.advance()
		return &Goto{Pos: opener.pos(), Label: p.advance().text}
	}
	return p.exprStmt()
}
