package kerneltest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file reads the text that package ir, text.go, writes. Only tests need it: passes, vectors and
// instructions can so be judged over kernels that are written by hand, and small enough to
// be read in a review.

// Read makes a kernel of the text that String returns for it, so that the packages after
// lower can be given kernels by hand. What the text leaves out is empty: inputs and
// lists have nothing to read from, and Memory is zero. Locals are numbered in the order in which
// they come in the text. The kernel has not passed [ir.Check] yet.
func Read(text string) (*ir.Func, error) {
	r := &reader{f: &ir.Func{Spans: map[int]ir.Span{}}, locals: map[string]int{}, brief: map[string]bool{}, spans: map[string]ir.Span{}}
	for n, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		indent := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		r.lines = append(r.lines, textLine{n + 1, indent, tokens(line)})
	}
	for len(r.lines) > 0 && r.err == nil {
		l := r.lines[0]
		r.lines = r.lines[1:]
		r.declaration(l)
	}
	for name, local := range r.locals {
		r.f.Locals[local].Brief = r.brief[name]
		if span, ok := r.spans[name]; ok {
			r.f.Spans[local] = span
		}
	}
	return r.f, r.err
}

// textLine is a line of the text, cut into tokens.
type textLine struct {
	number, indent int
	tokens         []string
}

// tokens cuts a line at its spaces and parentheses; a quoted name is one token, and
// keeps its first quote.
func tokens(line string) []string {
	var list []string
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		end := strings.IndexAny(line, " ()")
		switch quoted, err := strconv.QuotedPrefix(line); {
		case err == nil:
			name, _ := strconv.Unquote(quoted)
			list = append(list, `"`+name)
			line = line[len(quoted):]
			continue
		case end == 0:
			end = 1
		case end < 0:
			end = len(line)
		}
		list = append(list, line[:end])
		line = line[end:]
	}
	return list
}

// reader reads one text. After the first error it goes on without effect.
type reader struct {
	f      *ir.Func
	lines  []textLine // that are left
	line   textLine   // at hand
	toks   []string   // of the line at hand that are left
	locals map[string]int
	brief  map[string]bool
	spans  map[string]ir.Span
	err    error
}

// fail keeps the first error, with the number of the line at hand.
func (r *reader) fail(format string, v ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("line %d: "+format, append([]any{r.line.number}, v...)...)
	}
}

// begin makes a line the one at hand.
func (r *reader) begin(l textLine) { r.line, r.toks = l, l.tokens }

// next returns the next token, which is empty at the end of a line.
func (r *reader) next() string {
	if len(r.toks) == 0 {
		return ""
	}
	t := r.toks[0]
	r.toks = r.toks[1:]
	return t
}

// is takes the next token if it is this one.
func (r *reader) is(word string) bool {
	if len(r.toks) == 0 || r.toks[0] != word {
		return false
	}
	r.toks = r.toks[1:]
	return true
}

// want takes a word that must stand here.
func (r *reader) want(word string) {
	if !r.is(word) {
		r.fail("%q is missing", word)
	}
}

// name takes a name, quoted or not.
func (r *reader) name() string { return strings.TrimPrefix(r.next(), `"`) }

// int and float take a number; 0 after an error.
func (r *reader) int() int {
	n, err := strconv.Atoi(r.next())
	if err != nil {
		r.fail("a number is missing")
	}
	return n
}

func (r *reader) float() float64 {
	v, err := strconv.ParseFloat(r.next(), 64)
	if err != nil {
		r.fail("a number is missing")
	}
	return v
}

// kind takes the name of a kind.
func (r *reader) kind() ecs.Kind {
	name := r.next()
	for k := ecs.Kind(0); k < 64; k++ {
		if k.String() == name {
			return k
		}
	}
	r.fail("there is no kind %q", name)
	return 0
}

// declaration reads a line that is not indented, with the statements below it.
func (r *reader) declaration(l textLine) {
	r.begin(l)
	switch head := r.next(); head {
	case "kernel":
		r.f.Name, r.f.Single = r.name(), r.is("single")
	case "column":
		r.f.Columns = append(r.f.Columns, r.column())
	case "field":
		r.field()
	case "input":
		in := ir.InputLocal{Local: r.local(r.name(), r.typeOf(r.next()))}
		in.Store = r.is("store")
		r.f.Inputs = append(r.f.Inputs, in)
	case "call":
		r.hostCall()
	case "component":
		r.next()
		c := ir.Component{Name: r.name()}
		r.want("size")
		c.Size = uint32(r.int())
		r.f.Components = append(r.f.Components, c)
	case "list":
		list := ir.List{Name: r.name()}
		r.want("of")
		list.Len = r.int()
		r.f.Lists = append(r.f.Lists, list)
	case "brief":
		r.brief[r.name()] = true
	case "span":
		name := r.name()
		r.spans[name] = ir.Span{Low: r.float(), High: r.float()}
	case "fallback":
		r.want("line")
		l := ir.Fallback{Line: r.int()}
		r.want("column")
		l.Column, l.Rare = r.int(), r.is("rare")
		l.Why = r.name()
		r.f.Fallbacks = append(r.f.Fallbacks, l)
	case "once":
		r.f.Once = r.body(l)
	case "row":
		r.f.Body = r.body(l)
	default:
		r.fail("%q begins nothing", head)
	}
	r.end()
}

// end holds that a line has no more tokens.
func (r *reader) end() {
	if len(r.toks) > 0 {
		r.fail("%q is too much", r.toks[0])
	}
}

// column reads a column. Fields find theirs by its name, so columns come first in a text.
func (r *reader) column() ir.Column {
	c := ir.Column{Name: r.name()}
	r.want("term")
	c.Term = r.int()
	r.want("stride")
	c.Stride = uint32(r.int())
	c.Optional = r.is("optional")
	return c
}

// field reads a field, whose name begins with that of its column. "checked" is what
// Field.Checked says, so an integer that is stored without that word is proven to fit.
func (r *reader) field() {
	name, f := r.name(), ir.Field{Kind: r.kind()}
	f.Column = slices.IndexFunc(r.f.Columns, func(c ir.Column) bool {
		return name == c.Name || strings.HasPrefix(name, c.Name+".") || strings.HasPrefix(name, c.Name+"~")
	})
	r.want("at")
	f.Offset = uint32(r.int())
	f.Store = r.is("store")
	f.Proven = f.Store && !r.is("checked")
	f.Single, f.AsHandle = r.is("single"), r.is("handle")
	f.Local = r.local(name, f.Type())
	r.f.Fields = append(r.f.Fields, f)
}

// hostCall reads a host call with the kinds of the values for each thing that it names. Its
// number in the text is its place in the list, and not looked at.
func (r *reader) hostCall() {
	r.next()
	call := ir.HostCall{Op: r.next()}
	for r.is("(") {
		p := ir.Part{}
		for !r.is(")") && r.err == nil {
			p.Fields = append(p.Fields, ecs.Field{Kind: r.kind()})
		}
		call.Parts = append(call.Parts, p)
	}
	r.f.HostCalls = append(r.f.HostCalls, call)
}

// typeOf returns the type of a name, Num after an error.
func (r *reader) typeOf(name string) ir.Type {
	for t := ir.Num; t <= ir.Handle; t++ {
		if t.String() == name {
			return t
		}
	}
	r.fail("there is no type %q", name)
	return ir.Num
}

// local returns the local of a name, a new one if there is none yet. The type of a local
// that is there is not changed: Check finds an assignment of another one.
func (r *reader) local(name string, t ir.Type) int {
	local, ok := r.locals[name]
	if !ok {
		local = len(r.f.Locals)
		r.locals[name] = local
		r.f.Locals = append(r.f.Locals, ir.Local{Name: name, Type: t})
	}
	return local
}

// body reads the statements below a line: all that stand further in than it. A line else
// at the same depth as its if belongs to the statement before it.
func (r *reader) body(head textLine) []*ir.Stmt {
	r.end()
	var list []*ir.Stmt
	for len(r.lines) > 0 && r.lines[0].indent > head.indent && r.err == nil {
		l := r.lines[0]
		r.lines = r.lines[1:]
		if r.begin(l); l.tokens[0] == "else" && len(l.tokens) == 1 && len(list) > 0 {
			r.next()
			list[len(list)-1].Else = r.body(l)
			continue
		}
		list = append(list, r.stmt(l))
	}
	return list
}

// stmt reads a statement, with the lines below it that belong to it.
func (r *reader) stmt(l textLine) *ir.Stmt {
	if len(l.tokens) > 1 && l.tokens[1] == "=" {
		return r.set()
	}
	s := &ir.Stmt{}
	switch head := r.next(); head {
	case "if":
		s.Kind, s.Value = ir.If, r.expr()
		s.Body = r.body(l)
	case "block":
		s.Kind, s.Label = ir.Block, r.int()
		s.Body = r.body(l)
	case "loop":
		s.Kind = ir.Loop
		if r.is("turns") {
			s.Turns = r.int()
		} else {
			r.want("cost")
			s.Cost = r.int()
		}
		s.Body = r.body(l)
	case "leave":
		s.Kind, s.Label = ir.Leave, r.int()
	case "stop":
		s.Kind, s.Why = ir.Stop, r.name()
	default:
		r.fail("%q begins no statement", head)
	}
	if s.Kind == ir.Leave || s.Kind == ir.Stop {
		r.end()
	}
	return s
}

// set reads an assignment. The value comes first, because its type is that of a new local.
func (r *reader) set() *ir.Stmt {
	name := r.name()
	r.want("=")
	s := &ir.Stmt{Kind: ir.Set, Value: r.expr()}
	if r.is("line") {
		s.Line = r.int()
	}
	r.end()
	s.Local = r.local(name, s.Value.Type)
	return s
}

// expr reads an expression: a constant, the name of a local, an operation without
// operands, or one in parentheses.
func (r *reader) expr() *ir.Expr {
	if r.is("(") {
		e := r.operation()
		r.want(")")
		return e
	}
	token := r.next()
	if e := constant(token); e != nil {
		return e
	}
	if op, ok := ir.OpOf(token); ok && op.Operands() == 0 {
		e := &ir.Expr{Op: op, Type: op.Gives()}
		if op == ir.Present || op == ir.Here {
			e.Column = r.columnNamed()
		}
		return e
	}
	local, ok := r.locals[strings.TrimPrefix(token, `"`)]
	if !ok {
		r.fail("%q is read before it is assigned", token)
		return ir.Constant(0)
	}
	return &ir.Expr{Op: ir.Get, Type: r.f.Locals[local].Type, Local: local}
}

// constant returns the constant that a token is, nil if it is not a constant.
func constant(token string) *ir.Expr {
	switch token {
	case "true", "false":
		return ir.Truth(token == "true")
	case "nowhere":
		return ir.Where(ir.Nowhere)
	case "unclear":
		return ir.Where(ir.Unclear)
	case "nobody":
		return ir.Nobody()
	}
	t, digits := ir.Num, token
	if number, ok := strings.CutPrefix(token, "#"); ok {
		t, digits = ir.Handle, number
	} else if number, ok := strings.CutSuffix(token, "f"); ok && token != "+Inf" && token != "-Inf" {
		t, digits = ir.Num32, number
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return nil
	}
	return &ir.Expr{Op: ir.Const, Type: t, Value: v}
}

// operation reads what is between parentheses: the operation, what it is about, and its
// operands, of which the type of its value follows.
func (r *reader) operation() *ir.Expr {
	e, name := &ir.Expr{}, r.next()
	name, e.Lazy = strings.CutSuffix(name, "?")
	if e.Op, _ = ir.OpOf(name); e.Op == 0 {
		r.fail("there is no operation %q", name)
		return ir.Constant(0)
	}
	assigned := r.about(e)
	e.Args = r.operands(e)
	if want := e.Op.Operands(); want >= 0 && len(e.Args) != want {
		r.fail("%s has %d operands", e.Op, len(e.Args))
		return ir.Constant(0)
	}
	if e.Type == 0 {
		e.Type = e.Op.Gives()
	}
	if e.Type == 0 || e.Type == ir.Num && e.Op.Arithmetic() {
		e.Type = e.Args[0].Type
	}
	switch e.Op {
	case ir.Tee:
		e.Local = r.local(assigned[0], e.Type)
	case ir.Sincos:
		e.Local, e.Cosine = r.local(assigned[0], e.Type), r.local(assigned[1], e.Type)
	}
	return e
}

// operands reads those of an operation in the order in which they are evaluated, because
// a local that one of them assigns may be read by the next.
func (r *reader) operands(e *ir.Expr) (list []*ir.Expr) {
	var decides *ir.Expr
	begin := r.toks
	if e.Op == ir.Pick && e.Lazy {
		r.skip()
		r.skip()
		decides = r.expr()
		r.toks = begin
	}
	for len(r.toks) > 0 && r.toks[0] != ")" && r.err == nil {
		if decides != nil && len(list) == 2 {
			list = append(list, decides)
			r.skip()
			continue
		}
		list = append(list, r.expr())
	}
	return list
}

// skip passes over an expression without reading it: the local that it reads may be
// assigned by an operand that is evaluated before it and written after it.
func (r *reader) skip() {
	for depth := 0; len(r.toks) > 0; {
		switch r.next() {
		case "(":
			depth++
		case ")":
			depth--
		case ir.Present.String(), ir.Here.String():
			r.next()
		}
		if depth <= 0 {
			return
		}
	}
}

// about reads what stands between an operation and its operands. It returns the names of
// the locals that it assigns.
func (r *reader) about(e *ir.Expr) (assigned []string) {
	switch e.Op {
	case ir.Tee:
		return []string{r.name()}
	case ir.Sincos:
		e.Name = r.name()
		return []string{r.name(), r.name()}
	case ir.Call:
		e.Name = r.name()
	case ir.Load:
		if e.Kind, e.Type = ecs.Ref, ir.Handle; !r.is(ir.Handle.String()) {
			e.Kind = r.kind()
			e.Type = ir.TypeOf(e.Kind)
		}
		r.want("at")
		e.Offset = uint32(r.int())
	case ir.Item:
		name := r.name()
		e.List = slices.IndexFunc(r.f.Lists, func(l ir.List) bool { return l.Name == name })
	case ir.Find:
		name := r.name()
		e.Component = slices.IndexFunc(r.f.Components, func(c ir.Component) bool { return c.Name == name })
	case ir.Fetch, ir.Ask, ir.Invoke, ir.Do:
		e.HostCall, e.Sure = r.int(), r.is("surely")
	}
	return nil
}

// columnNamed takes the name of a column; -1, which Check refuses, if there is none.
func (r *reader) columnNamed() int {
	name := r.name()
	return slices.IndexFunc(r.f.Columns, func(c ir.Column) bool { return c.Name == name })
}
