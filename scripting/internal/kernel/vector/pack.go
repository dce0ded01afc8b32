package vector

import (
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file makes the vectors of one plan, from what is stored down to what is loaded: the
// bottom-up packing of superword-level parallelism, over a graph without branches. groups.go
// holds what is packed, and convert.go changes of width.

// packer makes the vectors of one plan. After a reason it goes on without effect.
type packer struct {
	f     *ir.Func
	g     *Graph
	plan  Plan
	known map[vectorKey]int
	why   string
	depth int // of the vectors that are being made, one for another
}

// deepest bounds how deep vectors may be nested: what a script says must not take the
// stack of its host.
const deepest = 10_000

// refuse keeps the first reason why there is no such plan. -1 is the place of no value.
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
func (p *packer) store(places []FieldOfRow) {
	gr, split := laneGroup{make([]lane, len(places)), whole}, p.plan.Lanes == 4
	for i, at := range places {
		id := p.g.Final[at.Field]
		n := &p.g.Nodes[id]
		switch {
		case n.Op == ir.Widen && p.f.Fields[at.Field].Kind != schema.F64:
			id = n.Args[0] // into an integer, which is stored lane by lane
		case n.Op == ir.Narrow && !p.g.fixed(id) && p.g.readers(id) == 0:
			id = n.Args[0] // the store rounds
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

// put packs a group and stores it. Integers of up to 32 bits are stored from the lower bits of
// a sum, see Whole.
func (p *packer) put(gr laneGroup, places []FieldOfRow) {
	v := p.pack(gr)
	if v >= 0 && p.plan.Values[v].Type == ir.Num && Short(p.f.Fields[places[0].Field].Kind) {
		v = p.integer(v)
	}
	if v >= 0 {
		p.plan.Stores = append(p.plan.Stores, VectorStore{v, slices.Clone(places)})
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
	p.plan.Guard = p.pack(laneGroup{lanes, whole})
}

// pack returns the place of the vector of a group, made when it is not there yet: operands
// first, since making it packs them.
func (p *packer) pack(gr laneGroup) int {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > deepest {
		p.refuse("an expression of this depth")
	}
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
	v.Lanes = len(own)
	p.plan.Values = append(p.plan.Values, v)
	at := len(p.plan.Values) - 1
	p.known[key] = at
	return at
}

// make makes the vector of a group: of loads, of what is the same for all rows, or of an
// operation that all lanes have in common. There is no shuffle of lanes: an order that
// would need one is another plan.
func (p *packer) make(gr laneGroup) Vector {
	own := gr.own()
	if !slices.ContainsFunc(own, func(l lane) bool { return !p.g.fixed(l.node) }) {
		return p.once(gr)
	}
	n := &p.g.Nodes[own[0].node]
	for _, l := range own[1:] {
		if !p.alike(l.node, own[0].node) {
			p.refuse("fields that are stored side by side are not computed in the same way")
			return Vector{}
		}
	}
	if n.Type != ir.Bool && n.Type != p.number(gr.half) {
		p.refuse(mixed)
		return Vector{}
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

// mixed says that one function computes with both precisions.
const mixed = "float64 and float32 in one function"

// memory is a vector of fields as they are when the rows begin, as numbers of a
// type.
func (p *packer) memory(lanes []lane, t ir.Type) Vector {
	v := Vector{Form: Memory, Type: t}
	for _, l := range lanes {
		v.Places = append(v.Places, FieldOfRow{l.row, p.g.Nodes[l.node].Field})
	}
	return v
}

// most is how many parts the expression of a lane may have that is computed once. See
// Graph.Expr for why there must be a bound.
const most = 200

// once is a vector that is the same for all rows.
func (p *packer) once(gr laneGroup) Vector {
	lanes := gr.own()
	v := Vector{Form: Once, Type: p.g.Nodes[lanes[0].node].Type}
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
func (p *packer) operation(gr laneGroup, n *Node) Vector {
	v := Vector{Form: Plain, Op: n.Op, Name: n.Name, Type: n.Type}
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
func (p *packer) recognise(v *Vector) {
	a, b, cond := v.Args[0], v.Args[1], &p.plan.Values[v.Args[2]]
	yes := &p.plan.Values[a]
	switch {
	case cond.Form == Plain && cond.Op == ir.Lt && cond.Args[0] == a && cond.Args[1] == b:
		v.Form, v.Args = Least, []int{a, b}
	case cond.Form == Plain && cond.Op == ir.Lt && cond.Args[0] == b && cond.Args[1] == a:
		v.Form, v.Args = Greatest, []int{a, b}
	case yes.Form == Plain && yes.Op == ir.Neg && yes.Args[0] == b: // a if not c, else -a
		v.Form, v.Args = Flip, []int{b, v.Args[2]}
	case yes.Form == Plain && yes.Op == ir.Sub && yes.Args[0] == b && p.computed(b):
		v.Form, v.Args = Less, []int{b, yes.Args[1], v.Args[2]}
	}
}

// computed reports whether a value comes from arithmetic: to take nothing from it
// leaves it as it is. A field may hold a signalling not-a-number, which would not
// remain one.
func (p *packer) computed(i int) bool {
	v := &p.plan.Values[i]
	return v.Form == Plain && (v.Op >= ir.Add && v.Op <= ir.Div || v.Op == ir.Sqrt || v.Op == ir.Zero)
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
	// Backwards, so that all uses of a value are counted before its operands get theirs.
	for i := len(values) - 1; i >= 0; i-- {
		if values[i].Uses == 0 {
			continue
		}
		for _, a := range values[i].Args {
			values[a].Uses++
		}
		p.plan.cost += vectorCost(p.f, &values[i])
	}
	p.pair()
}

// pair finds sines and cosines of the same angle. A value that has an operand is not the first
// one, so 0 is no place of a sine.
func (p *packer) pair() {
	sines, values := map[int]int{}, p.plan.Values // by the angle
	each := func(name string, visit func(i, angle int)) {
		for i := range values {
			if v := &values[i]; v.Form == Plain && v.Op == ir.Call && v.Name == name && v.Uses > 0 {
				visit(i, v.Args[0])
			}
		}
	}
	each(ir.Sine, func(i, angle int) { sines[angle] = i })
	each(ir.Cosine, func(i, angle int) {
		if sine := sines[angle]; sine > 0 {
			values[i].Pair, values[sine].Pair = sine, i
			p.plan.cost -= callCost(ir.Cosine) - together
		}
	})
}
