package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// This file writes kernels as text, for golden files, tests and perigee explain. Read of
// package kerneltest is its inverse, held by a test there. Two texts that are equal are kernels that become the same
// module, but for what belongs to the host.

// opInfo is the text name and the shape of each operation: the one table that Check, the
// text and its reader share. Operations without operands stand in a text without
// parentheses, so their names are among words.
var opInfo = [...]struct {
	name  string
	gives Type // 0: that of the operands
	takes Type // 0: any, all but the last of Pick of one type
	args  int  // -1: any number
}{
	Const: {"", 0, 0, 0}, Get: {"", 0, 0, 0}, Tee: {"tee", 0, 0, 1},
	Present: {"present", Bool, 0, 0}, Random: {"random", Num, 0, 0}, Draw: {"draw", Num, Num, 2},
	Touched: {"touched", Bool, Num, 1},
	Alive:   {"alive", Bool, Num, 1}, Record: {"record", Place, Num, 1}, Find: {"find", Place, Place, 1},
	Here: {"here", Place, 0, 0}, Item: {"item", Num, Num, 1},
	Fetch: {"fetch", Place, Num, 1}, Step: {"step", Place, 0, 2}, Load: {"load", 0, Place, 1}, Ask: {"ask", Num, Num, 1}, Invoke: {"invoke", Num, Num, MostInvoked}, Do: {"do", Bool, Num, -1},
	DT: {"dt", Num, 0, 0}, Time: {"time", Num, 0, 0}, Tick: {"tick", Num, 0, 0},
	Add: {"add", Num, Num, 2}, Sub: {"sub", Num, Num, 2}, Mul: {"mul", Num, Num, 2}, Div: {"div", Num, Num, 2},
	Mod: {"mod", Num, Num, 2}, Neg: {"neg", Num, Num, 1}, Abs: {"abs", Num, Num, 1}, Ceil: {"ceil", Num, Num, 1},
	Widen: {"widen", Num, Num32, 1}, Narrow: {"narrow", Num32, Num, 1}, Number: {"number", Num, Handle, 1},
	Floor: {"floor", Num, Num, 1}, Sqrt: {"sqrt", Num, Num, 1}, Zero: {"zero", Num, Num, 1}, Call: {"call", Num, Num, -1}, Sincos: {"sincos", Num, Num, 1},
	Lt: {"lt", Bool, Num, 2}, Le: {"le", Bool, Num, 2}, Eq: {"eq", Bool, 0, 2}, Ne: {"ne", Bool, 0, 2},
	And: {"and", Bool, Bool, 2}, Or: {"or", Bool, Bool, 2}, Not: {"not", Bool, Bool, 1}, Pick: {"pick", 0, 0, 3},
}

// String returns the name of the operation in texts.
func (op Op) String() string {
	if op > 0 && int(op) < len(opInfo) {
		return opInfo[op].name
	}
	return fmt.Sprintf("op %d", op)
}

// Gives returns the type of the operation's value; 0 means that of its operands.
func (op Op) Gives() Type { return opInfo[op].gives }

// OpOf is the inverse of String: the operation of a name.
func OpOf(name string) (op Op, ok bool) {
	for op, info := range opInfo {
		if info.name == name && name != "" {
			return Op(op), true
		}
	}
	return 0, false
}

// Operands returns how many operands the operation has, -1 where that differs.
func (op Op) Operands() int { return opInfo[op].args }

// String returns the name of the type in texts.
func (t Type) String() string {
	switch t {
	case Num:
		return "num"
	case Place:
		return "place"
	case Num32:
		return "num32"
	case Handle:
		return "handle"
	}
	return "bool"
}

// String returns the kernel as text, which kerneltest.Read reads: one line for each column, field,
// input and so on, then the statements. What belongs to the host is left out: where
// inputs and lists come from, what a change is about, and where entities are.
func (f *Func) String() string {
	w := &writer{f: f}
	single := ""
	if f.Single {
		single = " single"
	}
	w.line("kernel %q%s", f.Name, single)
	for _, c := range f.Columns {
		optional := ""
		if c.Optional {
			optional = " optional"
		}
		w.line("column %s term %d stride %d%s", quoted(c.Name), c.Term, c.Stride, optional)
	}
	for i := range f.Fields {
		w.field(i)
	}
	for _, in := range f.Inputs {
		how := ""
		if in.Store {
			how = " store"
		}
		w.line("input %s %s%s", w.name(in.Local), f.Locals[in.Local].Type, how)
	}
	for i := range f.HostCalls {
		w.line("call %d %s%s", i, f.HostCalls[i].Op, parts(&f.HostCalls[i]))
	}
	for i, c := range f.Components {
		w.line("component %d %s size %d", i, quoted(c.Name), c.Size)
	}
	for _, l := range f.Lists {
		w.line("list %s of %d", quoted(l.Name), l.Len)
	}
	w.locals()
	for i := range f.Fallbacks {
		w.fallback(&f.Fallbacks[i])
	}
	if len(f.Once) > 0 {
		w.block("once", f.Once)
	}
	w.block("row", f.Body)
	return w.b.String()
}

// parts lists the kinds of the fields that a host call has values for, in parentheses
// for each thing that it names.
func parts(call *HostCall) string {
	var b strings.Builder
	for _, p := range call.Parts {
		kinds := make([]string, len(p.Fields))
		for i := range p.Fields {
			kinds[i] = p.Fields[i].Kind.String()
		}
		b.WriteString(" (" + strings.Join(kinds, " ") + ")")
	}
	return b.String()
}

// words are what stands for itself where a local could stand, so that a local of that
// name is quoted.
var words = map[string]bool{
	"dt": true, "time": true, "tick": true, "random": true, "present": true, "here": true,
	"true": true, "false": true, "nowhere": true, "unclear": true, "nobody": true, "=": true,
}

// quoted returns a name as it stands in a text: in quotes if it could be read as
// something else.
func quoted(name string) string {
	_, err := strconv.ParseFloat(strings.TrimSuffix(name, "f"), 64)
	if name == "" || words[name] || err == nil || name[0] == '#' || strings.ContainsAny(name, " ()\"\t\r\n") {
		return strconv.Quote(name)
	}
	return name
}

// writer writes one kernel. It never fails: what Check would refuse, as a local that is not
// there, is written with a question mark, because the text is what one looks at then.
type writer struct {
	b      strings.Builder
	f      *Func
	indent int
}

// line writes a line at the depth of the block at hand, two spaces for each.
func (w *writer) line(format string, v ...any) {
	w.b.WriteString(strings.Repeat("  ", w.indent))
	fmt.Fprintf(&w.b, format+"\n", v...)
}

// field writes a field. Its column is not written: its name begins with that of the column.
func (w *writer) field(i int) {
	f := &w.f.Fields[i]
	how := ""
	switch {
	case f.Checked():
		how = " store checked"
	case f.Store:
		how = " store"
	}
	if f.Single {
		how += " single"
	}
	if f.AsHandle {
		how += " handle"
	}
	w.line("field %s %s at %d%s", w.name(f.Local), f.Kind, f.Offset, how)
}

// name returns the name of a local as it stands in a text.
func (w *writer) name(local int) string {
	if local >= 0 && local < len(w.f.Locals) {
		return quoted(w.f.Locals[local].Name)
	}
	return fmt.Sprintf("?%d", local)
}

// locals says what is known of locals beside their types, which follow from what is
// assigned to them.
func (w *writer) locals() {
	once, body := Assigned(w.f.Once), Assigned(w.f.Body)
	for i, l := range w.f.Locals {
		if !once[i] && !body[i] {
			continue // nothing is left of it
		}
		if l.Brief {
			w.line("brief %s", w.name(i))
		}
		if span, ok := w.f.Spans[i]; ok {
			w.line("span %s %s %s", w.name(i), number(span.Low), number(span.High))
		}
	}
}

// fallback writes a branch that is left to the VM; the text of the reason is the whole of it.
func (w *writer) fallback(l *Fallback) {
	rare := ""
	if l.Rare {
		rare = " rare"
	}
	w.line("fallback line %d column %d%s %q", l.Line, l.Column, rare, l.Why)
}

// number writes a float64 so that reading gives the same bits, but for those of a
// not-a-number.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func (w *writer) column(i int) string {
	if i >= 0 && i < len(w.f.Columns) {
		return quoted(w.f.Columns[i].Name)
	}
	return fmt.Sprintf("?%d", i)
}

func (w *writer) list(i int) string {
	if i >= 0 && i < len(w.f.Lists) {
		return quoted(w.f.Lists[i].Name)
	}
	return fmt.Sprintf("?%d", i)
}

func (w *writer) component(i int) string {
	if i >= 0 && i < len(w.f.Components) {
		return quoted(w.f.Components[i].Name)
	}
	return fmt.Sprintf("?%d", i)
}

// block writes a list of statements, one step further in than its head.
func (w *writer) block(head string, body []*Stmt) {
	w.line("%s", head)
	w.indent++
	for _, s := range body {
		w.stmt(s)
	}
	w.indent--
}

// stmt writes a statement. Lines of the script are left out, because no result depends on
// them, with one exception.
func (w *writer) stmt(s *Stmt) {
	switch s.Kind {
	case Set:
		line := ""
		if s.Value != nil && s.Value.Op == Find && s.Line > 0 { // what is remembered of a table is remembered for a line
			line = fmt.Sprintf(" line %d", s.Line)
		}
		w.line("%s = %s%s", w.name(s.Local), w.expr(s.Value), line)
	case If:
		w.block("if "+w.expr(s.Value), s.Body)
		if len(s.Else) > 0 {
			w.block("else", s.Else)
		}
	case Block:
		w.block(fmt.Sprintf("block %d", s.Label), s.Body)
	case Loop:
		head := fmt.Sprintf("loop cost %d", s.Cost)
		if s.Cost == 0 {
			head = fmt.Sprintf("loop turns %d", s.Turns)
		}
		w.block(head, s.Body)
	case Leave:
		w.line("leave %d", s.Label)
	case Stop:
		w.line("stop %q", s.Why)
	default:
		w.line("? %d", s.Kind)
	}
}

// expr writes an expression: constants and locals as they are, all else in parentheses, with
// what it is about between the operation and its operands. A lazy operation has a question
// mark.
func (w *writer) expr(e *Expr) string {
	if e == nil {
		return "?"
	}
	switch e.Op {
	case Const:
		return written(e)
	case Get:
		return w.name(e.Local)
	}
	head := w.head(e)
	if opInfo[e.Op].args == 0 {
		return head
	}
	parts := []string{head}
	for _, a := range e.Args {
		parts = append(parts, w.expr(a))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// written is a constant, in a form that tells its type.
func written(e *Expr) string {
	switch {
	case e.Type == Bool:
		return strconv.FormatBool(e.Value != 0)
	case e.Type == Place && e.Value == Nowhere:
		return "nowhere"
	case e.Type == Place:
		return "unclear"
	case e.Type == Handle && e.Value == 0:
		return "nobody"
	case e.Type == Handle:
		return "#" + strconv.FormatFloat(e.Value, 'f', -1, 64)
	case e.Type == Num32:
		return number(e.Value) + "f"
	}
	return number(e.Value)
}

// head is an operation with what it is about.
func (w *writer) head(e *Expr) string {
	head := e.Op.String()
	switch {
	case e.Op == Tee:
		head += " " + w.name(e.Local)
	case e.Op == Sincos:
		head += " " + e.Name + " " + w.name(e.Local) + " " + w.name(e.Cosine)
	case e.Op == Call:
		head += " " + quoted(e.Name)
	case e.Op == Present || e.Op == Here:
		head += " " + w.column(e.Column)
	case e.Op == Load:
		kind := e.Kind.String()
		if e.Type == Handle {
			kind = Handle.String()
		}
		head += fmt.Sprintf(" %s at %d", kind, e.Offset)
	case e.Op == Item:
		head += " " + w.list(e.List)
	case e.Op == Find:
		head += " " + w.component(e.Component)
	case e.Op == Fetch || e.Op == Ask || e.Op == Invoke || e.Op == Do:
		head += fmt.Sprintf(" %d", e.HostCall)
		if e.Sure {
			head += " surely"
		}
	case e.Lazy:
		head += "?"
	}
	return head
}
