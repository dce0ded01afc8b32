package vector

import (
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// lane is a node in one of a plan's rows; row 0 for what is the same in all.
type lane struct {
	row  int
	node ID
}

// lanesKey tells vectors apart.
type lanesKey [4]lane

// packer makes the vectors of one plan. After a reason it goes on without effect.
type packer struct {
	f     *ir.Func
	g     *Graph
	plan  Plan
	known map[lanesKey]int
	why   string
}

func (p *packer) refuse(format string, v ...any) int {
	if p.why == "" {
		p.why = fmt.Sprintf(format, v...)
	}
	return -1
}

// number is the type of the lanes that hold numbers.
func (p *packer) number() ir.Type {
	if p.plan.Lanes == 4 {
		return ir.Num32
	}
	return ir.Num
}

// store makes what is stored in some places.
func (p *packer) store(places []Place) {
	lanes := make([]lane, len(places))
	for i, at := range places {
		id := p.g.Final[at.Field]
		if n := &p.g.Nodes[id]; n.Leaf == 0 && n.Op == ir.Widen && p.plan.Lanes == 4 {
			id = n.Args[0] // into an integer, which is stored lane by lane
		}
		lanes[i] = lane{at.Row, id}
	}
	if v := p.pack(lanes); v >= 0 {
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
	p.plan.Guard = p.pack(lanes)
}

// pack returns the vector of some lanes, made when it is not there yet.
func (p *packer) pack(lanes []lane) int {
	if p.why != "" {
		return -1
	}
	fixed := true
	for i := range lanes {
		if p.g.fixed(lanes[i].node) {
			lanes[i].row = 0
		} else {
			fixed = false
		}
	}
	var key lanesKey
	copy(key[:], lanes)
	if at, ok := p.known[key]; ok {
		return at
	}
	var v Value
	first := &p.g.Nodes[lanes[0].node]
	for _, l := range lanes[1:] {
		if n := &p.g.Nodes[l.node]; !fixed && (n.Leaf != first.Leaf || n.Op != first.Op || n.Type != first.Type) {
			return p.refuse("fields that are stored side by side are not computed in the same way")
		}
	}
	switch {
	case fixed:
		v = p.once(lanes)
	case first.Leaf == Before:
		if v = p.memory(lanes); first.Type != ir.Bool && first.Type != p.number() {
			p.refuse(mixed)
		}
	case first.Op == ir.Narrow && p.rounded(lanes):
		v = p.memory(p.operands(lanes, 0))
	default:
		v = p.operation(lanes, first)
	}
	if p.why != "" {
		return -1
	}
	p.plan.Values = append(p.plan.Values, v)
	at := len(p.plan.Values) - 1
	p.known[key] = at
	return at
}

// operands returns the i-th operand of each lane.
func (p *packer) operands(lanes []lane, i int) []lane {
	out := make([]lane, len(lanes))
	for k, l := range lanes {
		out[k] = lane{l.row, p.g.Nodes[l.node].Args[i]}
	}
	return out
}

// mixed says that one function computes with both precisions.
const mixed = "float64 and float32 in one function"

// rounded reports whether all lanes are roundings of what fields hold: they are
// rounded as they are loaded.
func (p *packer) rounded(lanes []lane) bool {
	return !slices.ContainsFunc(p.operands(lanes, 0), func(l lane) bool { return p.g.Nodes[l.node].Leaf != Before })
}

// memory is a vector of fields as they are when the rows begin.
func (p *packer) memory(lanes []lane) Value {
	v := Value{Form: Memory, Type: p.number()}
	for _, l := range lanes {
		n := &p.g.Nodes[l.node]
		if n.Type == ir.Bool {
			v.Type = ir.Bool
		}
		v.Places = append(v.Places, Place{l.row, n.Field})
	}
	return v
}

// most is how many parts the expression of a lane may have that is computed once.
const most = 200

// once is a vector that is the same for all rows.
func (p *packer) once(lanes []lane) Value {
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
		case e.Type != ir.Bool && e.Type != p.number():
			p.refuse(mixed)
		case e.Type == ir.Bool && !same:
			p.refuse("fields that are stored side by side depend on different conditions")
		}
		v.Scalars = append(v.Scalars, e)
	}
	return v
}

// operation is a vector that is computed.
func (p *packer) operation(lanes []lane, n *Node) Value {
	op, t := n.Op, n.Type
	if t != ir.Bool && t != p.number() || op == ir.Widen || op == ir.Narrow {
		p.refuse(mixed)
		return Value{}
	}
	v := Value{Form: Plain, Op: op, Type: t}
	for i, a := range n.Args {
		if a != none {
			v.Args = append(v.Args, p.pack(p.operands(lanes, i)))
		}
	}
	if p.why == "" && op == ir.Pick && t != ir.Bool {
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
		p.plan.cost += storeCost(p.f, s.Places)
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
		p.plan.cost += vectorCost(p.f, &values[i], p.plan.Lanes)
	}
}
