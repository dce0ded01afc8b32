package syntax

import (
	"fmt"
	"strings"
)

// The parser makes the tree of a text. This file has its state, its tokens and its
// blocks; statements.go and expressions.go have the grammar, hints.go words the faults,
// and recover.go reads a text again after one, as attempts.go corrects it. A parser is used
// for one reading and dropped.

// maxNesting bounds how deep blocks, functions, parentheses, constructors and
// unary operators may nest. It keeps the recursion here and in the stages
// behind small, and is more than anyone writes by hand.
const maxNesting = 150

// A parser reads statements by recursive descent. It holds one token and looks
// one further ahead. After a fault every token is the end of the file, so the
// methods return soon and need not ask. What else is wrong with the text is found by
// parsers that read a corrected one, see recover.go.
type parser struct {
	lx    lexer
	tok   token // not yet consumed
	ahead token
	prev  token // consumed last
	depth int
	fn    *function
	hints hints
	last  FuncID // of the functions that have begun
	first token  // of the statement that is being read
	open  []bracket
	begun int // how many brackets were open when the innermost block began

	missed []*Error // commas, in lists that may lack them; see comma

	starts []start // where a reading may begin again; never empty

	// The next ones belong to the fault that is about to be recorded; fail copies them
	// into the Error, where a correction is chosen by them.
	vague   bool
	wanted  string
	expects string
	opener  token
}

// A bracket is one that is open.
type bracket struct {
	opener token
	closer string
	lacks  bool // commas, says a correction of it or of a list around it
}

var closers = map[string]string{"(": ")", "{": "}", "[": "]"}

// A function is what the parser knows of the function body around it.
type function struct {
	outer  *function
	vararg bool
	loops  int
}

// newParser returns a parser of a text.
func newParser(name, src string) *parser {
	begin := start{tok: token{line: 1, column: 1, indent: 1, first: true}}
	p := &parser{lx: lexer{name: name, src: src}, starts: []start{begin}}
	p.lx = begin.lexer(p, nil)
	return p
}

// chunk reads the script from where the lexer is, up to its first fault.
func (p *parser) chunk() []Stmt {
	p.fn = &function{vararg: true}
	p.tok = p.lx.next()
	p.ahead = p.lx.next()
	stmts := p.block()
	if !p.at(kindEnd) {
		p.unexpected("a statement")
	}
	return stmts
}

// values reads the text as a list of expressions, up to its first fault, and makes the statement
// that returns them.
func (p *parser) values() []Stmt {
	p.fn = &function{vararg: true}
	p.tok = p.lx.next()
	p.ahead = p.lx.next()
	p.first = p.tok
	stmt := &Return{Pos: p.tok.pos(), Exprs: p.exprs()}
	if !p.at(kindEnd) {
		p.unexpected("the end of the text")
	}
	return []Stmt{stmt}
}

// advance consumes a token and returns it.
func (p *parser) advance() token {
	p.prev = p.tok
	p.tok = p.ahead
	p.ahead = p.lx.next()
	return p.prev
}

// at reports whether the current token is of a kind.
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
		p.wanted = kind
		p.unexpected(strings.TrimSpace(describe(kind) + " " + where))
		return p.tok
	}
	return p.advance()
}

// fail records a fault at a token and turns the rest into the end of the file.
// A fault of the lexer one token ahead gives way to one in front of it.
func (p *parser) fail(at token, format string, args ...any) {
	fault := &Error{Script: p.lx.name, Line: at.line, Column: at.column, Message: fmt.Sprintf(format, args...),
		from: at.at, about: at.at, expects: p.expects, found: at, first: p.first,
		wanted: p.wanted, opener: p.opener, list: p.list().opener, outer: p.outer().opener, open: p.depth + len(p.open), vague: p.vague}
	if old := p.lx.fault; old == nil || before(fault, old) && at.kind != kindEnd {
		p.lx.fault = fault
	}
	p.lx.pos = len(p.lx.src)
	p.tok = token{kind: kindEnd, at: at.at, line: at.line, column: at.column}
	p.ahead = p.tok
}

// before reports whether a fault stands in front of another one in the text.
func before(a, b *Error) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
}

// enter counts a level of nesting; leave takes it back.
// The fault of a text that nests too deep is fatal: the text is not read again to
// look for more.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxNesting {
		p.fail(p.tok, "more than %d levels of nesting", maxNesting)
		p.lx.fault.fatal = true
		return false
	}
	return true
}

// leave ends a level that enter has begun.
func (p *parser) leave() { p.depth-- }

// block reads statements up to a token that ends a block.
// The result is never nil, because a nil block means an else that is not there.
//
// A return or a break ends its block, as in Lua 5.1. Text that follows further to the
// left is not reported here inside of a block: then the end of the block is missing,
// and the caller of block says so.
func (p *parser) block() []Stmt {
	stmts := []Stmt{}
	if !p.enter() {
		return stmts
	}
	defer p.leave()
	begun := p.begun
	p.begun = len(p.open)
	defer func() { p.begun = begun }()
	for !p.blockEnds() {
		last := p.at("return") || p.at("break")
		p.start()
		first, around := p.tok, p.first
		p.first = first
		if stmt := p.statement(); stmt != nil {
			stmts = append(stmts, stmt)
		}
		p.first = around
		if last {
			p.accept(";")
			if p.accept(goesOn) {
				continue
			}
			if left := p.tok.first && p.tok.column < first.column; !p.blockEnds() && (p.depth == 1 || !left) {
				p.unexpected(fmt.Sprintf("%q to be the last statement of its block", stmtName(stmts)))
			}
			break
		}
	}
	return stmts
}

// start notes that a statement begins from which a text can be read again: none before it
// is of interest to the hints any more.
func (p *parser) start() {
	if p.depth == 1 && p.tok.first && p.tok.column <= p.starts[len(p.starts)-1].tok.column {
		p.starts = append(p.starts, start{p.tok, p.prev})
		p.hints = hints{}
	}
}

// stmtName returns the keyword of the last statement, which is a return or a break.
func stmtName(stmts []Stmt) string {
	if _, ok := stmts[len(stmts)-1].(*Break); ok {
		return "break"
	}
	return "return"
}

// blockEnds reports whether no statement follows. Where a bracket around the block is
// waiting for the token, the end of the block is missing.
func (p *parser) blockEnds() bool {
	switch p.tok.kind {
	case kindEnd, "end", "else", "elseif", "until":
		return true
	case ",":
		return len(p.open) > 0
	case ")", "}", "]":
		return len(p.open) > 0 && p.open[len(p.open)-1].closer == p.tok.kind
	}
	return false
}

// bracket consumes a bracket that close will end.
func (p *parser) bracket() token {
	opener := p.advance()
	p.open = append(p.open, bracket{opener, closers[opener.kind], p.accept(goesOn) || p.list().lacks})
	return opener
}

// list returns the innermost bracket that is open; none if a block is inside of it.
func (p *parser) list() bracket {
	if len(p.open) > p.begun {
		return p.open[len(p.open)-1]
	}
	return bracket{}
}

// outer returns the outermost bracket that is open in the block.
func (p *parser) outer() bracket {
	if len(p.open) > p.begun {
		return p.open[p.begun]
	}
	return bracket{}
}

// comma consumes the comma between two items of a list. Where a correction says that the
// list lacks commas, a value after a value is an item, too: it is noted that the comma is
// missing, and the list goes on.
func (p *parser) comma() bool {
	if p.accept(",") {
		return true
	}
	if !p.list().lacks || !p.tok.beginsValue() {
		return false
	}
	if len(p.missed) < maxFaults {
		fault := &Error{Script: p.lx.name, from: p.tok.at, vague: true}
		p.missing([]token{p.prev, p.tok}, 1, ",").tell(fault)
		p.missed = append(p.missed, fault)
	}
	return true
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
	// goto is a name in Lua 5.1. Two names in a row are no statement there, so this one
	// cannot mean anything else.
	if p.at(kindName) && p.tok.text == "goto" && p.ahead.kind == kindName {
		opener := p.advance()
		return &Goto{Pos: opener.pos(), Label: p.advance().text}
	}
	return p.exprStmt()
}
