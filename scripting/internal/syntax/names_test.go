package syntax

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var (
	namesRounds = flag.Int("names.rounds", 500, "random texts whose names are resolved")
	namesSeed   = flag.Uint64("names.seed", 1, "the seed of the first of them")
)

// TestNamesAgainstModel holds that in random texts each name means what the writer of the
// text meant by it: the writer keeps a plain list of what is in scope, and notes the
// meaning of a name when it writes it. The texts nest all kinds of scopes, with few
// names, so most declarations hide another.
func TestNamesAgainstModel(t *testing.T) {
	reached := map[string]int{}
	for i := range *namesRounds {
		seed := *namesSeed + uint64(i)
		w := &nameWriter{r: rand.New(rand.NewPCG(seed, 1)), reached: reached, line: 1, use: "read",
			meant: map[Pos]*binding{}, left: map[Pos][]*binding{}, params: map[FuncID][]string{}}
		w.block(5, "", false)
		tree, err := Parse("p", []byte(w.text.String()), Options{})
		if err != nil {
			t.Fatalf("seed %d: %v in\n%s", seed, err, &w.text)
		}
		if problem := w.differs(tree); problem != "" {
			t.Fatalf("seed %d: %s in\n%s", seed, problem, &w.text)
		}
	}
	for _, cell := range nameCells() {
		if reached[cell] == 0 && *namesRounds >= 100 {
			t.Errorf("never drawn: %s", cell)
		}
	}
	if testing.Verbose() {
		for _, cell := range slices.Sorted(maps.Keys(reached)) {
			t.Logf("%7d %s", reached[cell], cell)
		}
	}
}

// nameScopes are where a name is declared, nameUses how it is used.
var (
	nameScopes = []string{"local", "local function", "parameter", "self", "loop", "global"}
	nameUses   = []string{"read", "set", "until", "own value", "captured", "left by break", "left by goto"}
)

// nameCells lists the cells of the matrix: a jump leaves nothing but locals, and no global
// is captured.
func nameCells() []string {
	cells := []string{"ruled out, read", "method, parameters", "function, parameters"}
	for _, scope := range nameScopes {
		for i, use := range nameUses {
			isLocal := strings.HasPrefix(scope, "local")
			if (isLocal || i < 5) && scope+use != "globalcaptured" {
				cells = append(cells, scope+", "+use)
			}
		}
	}
	return cells
}

// binding is what a name means: a declaration or a global.
type binding struct {
	name, scope string
	pos         Pos
	fn          FuncID
	valued      bool // an expression stands for it alone
	captured    bool
	assigned    int
}

// around is what is around a place in its function.
type around struct {
	fn     FuncID
	blocks []int // how many names were in scope where each block began
	loops  []int // which of the blocks are bodies of loops
	labels []string
}

// nameWriter writes a random text, and keeps what its names mean.
type nameWriter struct {
	around
	r            *rand.Rand
	text         strings.Builder
	line, column int // of the end of the text; the column is counted from 0
	scope        []*binding
	functions    FuncID
	labelCount   int
	dead         int                 // branches around the place that are ruled out
	use          string              // how the names of an expression are used
	meant        map[Pos]*binding    // by the place of a name
	left         map[Pos][]*binding  // by the place of a break or goto: the variables that it leaves
	params       map[FuncID][]string // by function
	reached      map[string]int      // cells of the matrix
}

func (w *nameWriter) put(words string) Pos {
	at := At(w.line, w.column+1)
	w.text.WriteString(words + " ")
	w.column += len(words) + 1
	return at
}

func (w *nameWriter) newline() {
	w.text.WriteByte('\n')
	w.line, w.column = w.line+1, 0
}

// declare writes a name that is declared. It is in scope once it is added.
func (w *nameWriter) declare(scope string) *binding {
	b := &binding{name: w.draw(), scope: scope, fn: w.fn}
	b.pos = w.put(b.name)
	if w.dead == 0 {
		w.meant[b.pos] = b
	}
	return b
}

func (w *nameWriter) add(list ...*binding) { w.scope = append(w.scope, list...) }

func (w *nameWriter) draw() string {
	if w.r.IntN(8) == 0 {
		return "self"
	}
	return string("abc"[w.r.IntN(3)])
}

// name writes a name that is used.
func (w *nameWriter) name(use string) {
	name := w.draw()
	at := w.put(name)
	if w.dead > 0 {
		w.reached["ruled out, "+use]++
		return
	}
	b := &binding{name: name, scope: "global", fn: w.fn}
	for _, known := range w.scope { // the last one hides the others
		if known.name == name {
			b = known
		}
	}
	if use == "set" {
		b.assigned++
	}
	if b.fn != w.fn {
		b.captured = true
		w.reached[b.scope+", captured"]++
	}
	w.reached[b.scope+", "+use]++
	w.meant[at] = b
}

func (w *nameWriter) expr(depth int) {
	kind := w.r.IntN(12)
	switch {
	case kind == 0 && depth > 0:
		w.put("function")
		w.function(depth, nil)
	case kind == 1 && depth > 0:
		w.put("{ x =")
		w.expr(depth - 1)
		w.put("}")
	case kind == 2:
		w.put([]string{"( false and", "( true or"}[w.r.IntN(2)])
		w.dead++
		w.name("read")
		w.dead--
		w.put(")")
	case kind < 5 && depth > 0:
		w.name(w.use)
		w.put([]string{"+", "and", "..", "=="}[w.r.IntN(4)])
		w.expr(depth - 1)
	default:
		w.name(w.use)
	}
}

// exprAs writes an expression whose names are used in a way.
func (w *nameWriter) exprAs(use string, depth int) {
	before := w.use
	w.use = use
	w.expr(depth)
	w.use = before
}

// function writes what follows the keyword of a function, and the name if it has one. self
// is the first parameter of a method.
func (w *nameWriter) function(depth int, self *binding) {
	w.functions++
	outer, use, scope, kind := w.around, w.use, len(w.scope), "function"
	w.around, w.use = around{fn: w.functions}, "read"
	var params []*binding
	if self != nil {
		self.fn, kind = w.fn, "method"
		params = append(params, self)
	}
	w.put("(")
	for i := range w.r.IntN(3) {
		if i > 0 {
			w.put(",")
		}
		params = append(params, w.declare("parameter"))
	}
	w.put(")")
	w.reached[kind+", parameters"] += len(params)
	w.add(params...)
	if w.dead == 0 {
		for _, b := range params {
			w.params[w.fn] = append(w.params[w.fn], b.name)
		}
	}
	w.block(depth-1, "end", false)
	w.around, w.use, w.scope = outer, use, w.scope[:scope]
}

// block writes statements and what ends them. The names that are in scope already and
// belong to the block are the last ones.
func (w *nameWriter) block(depth int, end string, loop bool, own ...*binding) {
	scope, blocks, loops, labels := len(w.scope), len(w.blocks), len(w.loops), len(w.labels)
	w.blocks = append(w.blocks, scope)
	w.add(own...)
	w.newline()
	if loop {
		w.loops = append(w.loops, blocks)
		w.labelCount++
		label := fmt.Sprintf("l%d", w.labelCount)
		if end == "until" { // where the condition sees the locals that a goto would jump over
			label = ""
		}
		w.labels = append(w.labels, label)
	}
	for range w.r.IntN(5) {
		w.stmt(depth)
		w.newline()
	}
	if loop && end != "until" {
		w.put("::" + w.labels[labels] + "::")
	}
	w.put(end)
	if end == "until" {
		w.exprAs("until", depth)
	}
	w.scope, w.blocks, w.loops, w.labels = w.scope[:scope], w.blocks[:blocks], w.loops[:loops], w.labels[:labels]
}

func (w *nameWriter) stmt(depth int) {
	kind := w.r.IntN(14)
	switch {
	case kind < 3 || depth <= 0:
		w.local(depth)
	case kind < 5:
		w.name("set")
		w.put("=")
		w.expr(depth)
	case kind == 5:
		w.put("local function")
		b := w.declare("local function")
		b.valued = true
		w.add(b)
		w.function(depth, nil)
	case kind == 6:
		w.functionStmt(depth)
	case kind < 9 && len(w.loops) > 0:
		w.jump()
	default:
		w.branch(depth)
	}
}

func (w *nameWriter) local(depth int) {
	w.put("local")
	list := []*binding{w.declare("local")}
	if w.r.IntN(2) == 0 {
		w.put(",")
		list = append(list, w.declare("local"))
	}
	if values := w.r.IntN(3); values > 0 {
		w.put("=")
		for i := range values {
			if i > 0 {
				w.put(",")
			}
			w.exprAs("own value", depth)
			if i < len(list) {
				list[i].valued = true
			}
		}
	}
	w.add(list...)
}

// functionStmt writes function a(), function a.x() or function a:x().
func (w *nameWriter) functionStmt(depth int) {
	at := w.put("function")
	switch w.r.IntN(3) {
	case 0:
		w.name("set")
		w.function(depth, nil)
	case 1:
		w.name("read")
		w.put(". x")
		w.function(depth, nil)
	default:
		w.name("read")
		w.put(": x")
		w.function(depth, &binding{name: "self", scope: "self", pos: at})
	}
}

// jump writes a break or a goto to the end of the innermost loop's body, in a block of its
// own. The variables that it leaves are those of the blocks inside of the body.
func (w *nameWriter) jump() {
	w.put("do")
	w.blocks = append(w.blocks, len(w.scope))
	w.local(0)
	inner := w.scope[w.blocks[w.loops[len(w.loops)-1]+1]:]
	words, use := "break", "left by break"
	if label := w.labels[len(w.labels)-1]; label != "" && w.r.IntN(2) == 0 {
		words, use = "goto "+label, "left by goto"
	}
	at := w.put(words)
	if w.dead == 0 {
		w.left[at] = slices.Clone(inner)
		for _, b := range inner {
			w.reached[b.scope+", "+use]++
		}
	}
	w.put("end")
	last := len(w.blocks) - 1
	w.scope, w.blocks = w.scope[:w.blocks[last]], w.blocks[:last]
}

// branch writes a statement with blocks.
func (w *nameWriter) branch(depth int) {
	depth--
	switch w.r.IntN(7) {
	case 0:
		w.put("do")
		w.block(depth, "end", false)
	case 1:
		w.put("if")
		w.condition(depth)
		w.put("then")
		w.block(depth, "else", false)
		w.block(depth, "end", false)
	case 2:
		isTrue := w.r.IntN(2) == 0
		w.put(fmt.Sprintf("if %v then", isTrue))
		w.ruledOut(!isTrue, depth, "else")
		w.ruledOut(isTrue, depth, "end")
	case 3:
		w.put("while")
		if ruledOut := w.r.IntN(3) == 0; ruledOut {
			w.put("false do")
			w.dead++
			w.block(depth, "end", true)
			w.dead--
			return
		}
		w.condition(depth)
		w.put("do")
		w.block(depth, "end", true)
	case 4:
		w.put("repeat")
		w.block(depth, "until", true)
	case 5:
		w.put("for")
		own := w.declare("loop")
		w.put("=")
		w.expr(depth)
		w.put(",")
		w.expr(depth)
		w.put("do")
		w.block(depth, "end", true, own)
	default:
		w.put("for")
		own := []*binding{w.declare("loop")}
		w.put(",")
		own = append(own, w.declare("loop"))
		w.put("in")
		w.expr(depth)
		w.put("do")
		w.block(depth, "end", true, own...)
	}
}

// condition writes an expression of which the text does not say whether it is true.
func (w *nameWriter) condition(depth int) {
	w.name("read")
	w.put("==")
	w.expr(depth)
}

func (w *nameWriter) ruledOut(is bool, depth int, end string) {
	if is {
		w.dead++
		defer func() { w.dead-- }()
	}
	w.block(depth, end, false)
}

// differs says in what the names of the tree are not what the writer meant.
func (w *nameWriter) differs(tree *Tree) string {
	problem, names := "", tree.Names
	check := func(name *Name) {
		b, v := w.meant[name.Pos], names.Variable(name)
		switch {
		case problem != "":
		case b == nil && (v != nil || names.Global(name)):
			problem = fmt.Sprintf("%v of a branch that is ruled out means something", *name)
		case b != nil && b.scope == "global" && !names.Global(name):
			problem = fmt.Sprintf("%v is no global", *name)
		case b != nil && b.scope != "global" && v == nil:
			problem = fmt.Sprintf("%v is no variable, want that of %v", *name, b.pos)
		case v != nil && (v.Name != b.name || v.Pos != b.pos || v.Function != b.fn || v.Captured != b.captured || len(v.Assigned) != b.assigned || (v.Value != nil) != b.valued):
			problem = fmt.Sprintf("%v means %+v, want %+v", *name, *v, *b)
		}
	}
	WalkBlock(tree.Body, func(node Node) bool {
		switch n := node.(type) {
		case *Name:
			check(n)
		case *Local:
			visitNames(n.Names, check)
		case *LocalFunction:
			check(n.Name)
		case *NumberFor:
			check(n.Name)
		case *GenericFor:
			visitNames(n.Names, check)
		case *Function:
			visitNames(n.Params, check)
			var params []string
			for _, v := range names.Parameters(n.ID) {
				params = append(params, v.Name)
			}
			if !slices.Equal(params, w.params[n.ID]) {
				problem = fmt.Sprintf("function %d has the parameters %q, want %q", n.ID, params, w.params[n.ID])
			}
		case *Break:
			if w.leavesCaptured(n.Pos) && names.jumps.leaves[n] == nil {
				problem = fmt.Sprintf("break %v leaves a captured variable", n.Pos)
			}
		case *Goto:
			if w.leavesCaptured(n.Pos) && names.jumps.keeps[n] {
				problem = fmt.Sprintf("goto %v leaves a captured variable", n.Pos)
			}
		}
		return problem == ""
	})
	return problem
}

func visitNames(list []*Name, visit func(*Name)) {
	for _, name := range list {
		visit(name)
	}
}

func (w *nameWriter) leavesCaptured(jump Pos) bool {
	return slices.ContainsFunc(w.left[jump], func(b *binding) bool { return b.captured })
}
