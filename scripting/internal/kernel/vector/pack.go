package vector

import (
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// lane is a node in one of a plan's rows; row 0 for what is the same in all.
type lane struct {
	row  int
	node ID
}

// group is what one vector holds: all lanes of a plan or, where a plan of float32
// has float64 besides, one half of them.
type group struct {
	all  []lane
	half half
}

// half says which lanes of a group a vector holds. Truths have either width: that
// of the numbers that they are used with.
type half uint8

const (
	whole half = iota
	lower
	upper
)

// own returns the lanes that the vector holds.
func (gr group) own() []lane {
	switch n := len(gr.all) / 2; gr.half {
	case lower:
		return gr.all[:n]
	case upper:
		return gr.all[n:]
	}
	return gr.all
}

// as returns another part of the same group.
func (gr group) as(h half) group { return group{gr.all, h} }

// vectorKey tells vectors apart: halves of different groups may be the same.
type vectorKey struct {
	own    [4]lane
	halved bool
}

// packer makes the vectors of one plan. After a reason it goes on without effect.
type packer struct {
	f     *ir.Func
	g     *Graph
	plan  Plan
	known map[vectorKey]int
	why   string
}

func (p *packer) refuse(format string, v ...any) int {
	if p.why == "" {
		p.why = fmt.Sprintf(format, v...)
	}
	return -1
}

// number is the type of the numbers in a vector of some group.
func (p *packer) number(h half) ir.Type {
	if p.plan.Lanes == 4 && h == whole {
		return ir.Num32
	}
	return ir.Num
}

// store makes what is stored in some places. Float64 of four lanes are two
// vectors; so are those that are rounded as they are stored and read by nobody
// else, for which one vector would have to be put together first.
func (p *packer) store(places []Place) {
	gr, split := group{make([]lane, len(places)), whole}, p.plan.Lanes == 4
	for i, at := range places {
		id := p.g.Final[at.Field]
		n := &p.g.Nodes[id]
		switch {
		case p.plan.Lanes < 4 || n.Leaf != 0:
		case n.Op == ir.Widen && p.f.Fields[at.Field].Kind != ecs.F64:
			id = n.Args[0] // into an integer, which is stored lane by lane
		case n.Op == ir.Narrow && !p.g.fixed(id) && p.g.readers(id) == 0:
			id = n.Args[0]
		}
		split = split && p.g.Nodes[id].Type == ir.Num
		gr.all[i] = lane{at.Row, id}
	}
	if !split {
		p.put(gr, places)
		return
	}
	p.put(gr.as(lower), places[:len(places)/2])
	p.put(gr.as(upper), places[len(places)/2:])
}

func (p *packer) put(gr group, places []Place) {
	if v := p.pack(gr); v >= 0 {
		p.plan.Stores = append(p.plan.Stores, Store{v, slices.Clone(places)})
	}
}

// guard makes what tells whether these rows may go together at all.
func (p *packer) guard() {
	if never, ok := p.g.constant(p.g.Rare); ok && !never {
		return
	}
	lanes := make([]lane, p.plan.Lanes)
	for i := range lanes {
		lanes[i] = lane{i * p.plan.Rows / len(lanes), p.g.Rare}
	}
	p.plan.Guard = p.pack(group{lanes, whole})
}

// pack returns the vector of a group, made when it is not there yet.
func (p *packer) pack(gr group) int {
	if p.why != "" {
		return -1
	}
	gr = p.paired(gr)
	own := gr.own()
	for i := range own {
		if p.g.fixed(own[i].node) {
			own[i].row = 0
		}
	}
	key := vectorKey{halved: gr.half != whole}
	copy(key.own[:], own)
	if at, ok := p.known[key]; ok {
		return at
	}
	v := p.make(gr)
	if p.why != "" {
		return -1
	}
	v.Lanes = len(own)
	p.plan.Values = append(p.plan.Values, v)
	at := len(p.plan.Values) - 1
	p.known[key] = at
	return at
}

// paired is a group whose other half, if it has one, is computed in the same way:
// what has nothing in common with it is not needed, and its own lanes stand there
// twice.
func (p *packer) paired(gr group) group {
	own := gr.own()
	if gr.half == whole || !slices.ContainsFunc(gr.all, func(l lane) bool { return !p.alike(l.node, own[0].node) }) {
		return gr
	}
	return group{slices.Concat(own, own), gr.half}
}

// alike reports whether two nodes are made in the same way.
func (p *packer) alike(a, b ID) bool {
	x, y := &p.g.Nodes[a], &p.g.Nodes[b]
	return x.Leaf == y.Leaf && x.Op == y.Op && x.Type == y.Type
}

// make makes the vector of a group.
func (p *packer) make(gr group) Value {
	own := gr.own()
	if !slices.ContainsFunc(own, func(l lane) bool { return !p.g.fixed(l.node) }) {
		return p.once(gr)
	}
	n := &p.g.Nodes[own[0].node]
	for _, l := range own[1:] {
		if !p.alike(l.node, own[0].node) {
			p.refuse("fields that are stored side by side are not computed in the same way")
			return Value{}
		}
	}
	if n.Type != ir.Bool && n.Type != p.number(gr.half) {
		p.refuse(mixed)
		return Value{}
	}
	switch {
	case n.Leaf == Before:
		return p.memory(own, n.Type)
	case n.Op == ir.Narrow || n.Op == ir.Widen:
		return p.convert(gr, n)
	case p.compares(n) && p.plan.Lanes == 4:
		return p.comparison(gr, n)
	}
	return p.operation(gr, n)
}

// convert is a vector of numbers of the other precision. Those of fields are
// converted as they are loaded.
func (p *packer) convert(gr group, n *Node) Value {
	from := p.operands(gr, 0)
	if !slices.ContainsFunc(from.own(), func(l lane) bool { return !p.loads(l.node, n.Op) }) {
		return p.memory(from.own(), n.Type)
	}
	if n.Op == ir.Narrow {
		return Value{Form: Join, Type: n.Type, Args: []int{p.pack(from.as(lower)), p.pack(from.as(upper))}}
	}
	form := Low
	if gr.half == upper {
		form = High
	}
	return Value{Form: form, Type: n.Type, Args: []int{p.pack(from.as(whole))}}
}

// loads reports whether an operand is a field that a load converts.
func (p *packer) loads(id ID, op ir.Op) bool {
	n := &p.g.Nodes[id]
	return n.Leaf == Before && (op == ir.Widen || p.f.Fields[n.Field].Kind != ecs.F64)
}

// compares reports whether a node is a comparison of numbers.
func (p *packer) compares(n *Node) bool {
	return (n.Op == ir.Lt || n.Op == ir.Le || n.Op == ir.Eq || n.Op == ir.Ne) && p.g.Nodes[n.Args[0]].Type != ir.Bool
}

// comparison is a vector of truths in a plan of float32. What is compared says how
// wide they are; they become as wide as they have to be.
func (p *packer) comparison(gr group, n *Node) Value {
	switch single := p.g.Nodes[n.Args[0]].Type == ir.Num32; {
	case single && gr.half == lower:
		return Value{Form: Low, Type: ir.Bool, Args: []int{p.pack(gr.as(whole))}}
	case single && gr.half == upper:
		return Value{Form: High, Type: ir.Bool, Args: []int{p.pack(gr.as(whole))}}
	case !single && gr.half == whole:
		return Value{Form: Join, Type: ir.Bool, Args: []int{p.pack(gr.as(lower)), p.pack(gr.as(upper))}}
	}
	return p.operation(gr, n)
}

// operands returns the i-th operand of each lane.
func (p *packer) operands(gr group, i int) group {
	out := make([]lane, len(gr.all))
	for k, l := range gr.all {
		out[k] = lane{l.row, p.g.Nodes[l.node].Args[i]}
	}
	return group{out, gr.half}
}

// mixed says that one function computes with both precisions.
const mixed = "float64 and float32 in one function"

// memory is a vector of fields as they are when the rows begin, as numbers of a
// type.
func (p *packer) memory(lanes []lane, t ir.Type) Value {
	v := Value{Form: Memory, Type: t}
	for _, l := range lanes {
		v.Places = append(v.Places, Place{l.row, p.g.Nodes[l.node].Field})
	}
	return v
}

// most is how many parts the expression of a lane may have that is computed once.
const most = 200

// once is a vector that is the same for all rows.
func (p *packer) once(gr group) Value {
	lanes := gr.own()
	v := Value{Form: Once, Type: p.g.Nodes[lanes[0].node].Type}
	same := !slices.ContainsFunc(lanes, func(l lane) bool { return l.node != lanes[0].node })
	if same {
		lanes = lanes[:1]
	}
	for _, l := range lanes {
		room := most
		e := p.g.Expr(l.node, &room)
		switch {
		case e == nil:
			p.refuse("too much that is the same for all rows")
		case e.Type != ir.Bool && e.Type != p.number(gr.half):
			p.refuse(mixed)
		case e.Type == ir.Bool && !same:
			p.refuse("fields that are stored side by side depend on different conditions")
		}
		v.Scalars = append(v.Scalars, e)
	}
	return v
}

// operation is a vector that is computed.
func (p *packer) operation(gr group, n *Node) Value {
	v := Value{Form: Plain, Op: n.Op, Type: n.Type}
	for i, a := range n.Args {
		if a != none {
			v.Args = append(v.Args, p.pack(p.operands(gr, i)))
		}
	}
	if p.why == "" && n.Op == ir.Pick && n.Type != ir.Bool {
		p.recognise(&v)
	}
	return v
}

// recognise finds choices that the machine makes in one or two instructions. Its
// minimum is that of Lua, not-a-number and zeros included: the second operand
// unless the first is truly less.
func (p *packer) recognise(v *Value) {
	a, b, cond := v.Args[0], v.Args[1], &p.plan.Values[v.Args[2]]
	yes := &p.plan.Values[a]
	switch {
	case cond.Form == Plain && cond.Op == ir.Lt && cond.Args[0] == a && cond.Args[1] == b:
		v.Form, v.Args = Least, []int{a, b}
	case cond.Form == Plain && cond.Op == ir.Lt && cond.Args[0] == b && cond.Args[1] == a:
		v.Form, v.Args = Greatest, []int{a, b}
	case yes.Form == Plain && yes.Op == ir.Neg && yes.Args[0] == b:
		v.Form, v.Args = Flip, []int{b, v.Args[2]}
	}
}

// finish counts uses, which tell what is needed at all, and the cost.
func (p *packer) finish() {
	values := p.plan.Values
	for _, s := range p.plan.Stores {
		values[s.Value].Uses += parts(p.f, s.Places)
		p.plan.cost += storeCost(p.f, s.Places, values[s.Value].Type)
	}
	if p.plan.Guard >= 0 {
		values[p.plan.Guard].Uses++
		p.plan.cost += 3 * simple
	}
	for i := len(values) - 1; i >= 0; i-- {
		if values[i].Uses == 0 {
			continue
		}
		for _, a := range values[i].Args {
			values[a].Uses++
		}
		p.plan.cost += vectorCost(p.f, &values[i])
	}
}
