package bindings

import (
	"fmt"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/holes"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
)

// pieces collects what a spawn, an add or a prefab lists: values, components
// and tags with their defaults, and prefabs.
type pieces struct {
	values []*decl.Value
	of     []*decl.Prefab
	bytes  int64 // of all of them, children included
}

// itemName is how messages call an item of a list. It becomes a text only for an error, since
// scripts spawn often.
type itemName struct {
	list  string
	n     int // its number; 0: it has none
	after string
}

func (i itemName) String() string {
	if i.n == 0 {
		return i.list
	}
	return fmt.Sprintf("%s %d%s", i.list, i.n, i.after)
}

// part reads one item of a list: at is where it stands, and where says so for errors.
func (a *args) part(p *pieces, v lua.LValue, at fault.Part, where itemName) {
	if name, text := v.(lua.LString); text && a.byName {
		v = a.partNamed(string(name))
	}
	ud, _ := v.(*lua.LUserData)
	if ud != nil {
		switch x := ud.Value.(type) {
		case *decl.Value:
			a.room(p, x.Weight(), where)
			p.values = append(p.values, x)
			return
		case *decl.Component:
			a.room(p, decl.PerValue+int64(x.Schema.Size), where)
			value.Alloc(a.L, x.Schema.Size)
			p.values = append(p.values, &a.newValue(x).value)
			return
		case *decl.Prefab:
			a.room(p, x.Bytes, where)
			p.values = append(p.values, x.Values...)
			p.of = append(p.of, x)
			return
		}
	}
	hint := ""
	if t, ok := v.(*lua.LTable); ok && t.Len() > 0 {
		hint = ": what is listed has no braces around it"
	} else if ok {
		hint = ": fields come after their component, such as Health{ hp = 5 }"
	}
	a.failAt(at, "%s: expected a component, a value or a prefab, got %s%s", where, a.noComponent(v), hint)
}

// clear empties the list, whose room is used again.
func (p *pieces) clear() {
	clear(p.values)
	clear(p.of)
	p.values, p.of, p.bytes = p.values[:0], p.of[:0], 0
}

// listed reads the arguments from i on. The list is good until the call ends.
func (a *args) listed(i int) *pieces {
	p := &a.items
	p.clear()
	for top := a.L.GetTop(); i <= top; i++ {
		a.part(p, a.L.Get(i), fault.Argument(i), itemName{"argument", i, ""})
	}
	return p
}

// declarePrefab is ecs.prefab(name, { values…, children = { { values… }, … } }).
func declarePrefab(a *args) int {
	s := a.declares()
	name := a.named(1)
	p := a.prefab(name, a.table(2), 0)
	a.keepFor(fmt.Sprintf("prefab %q: ", name), p.Bytes)
	if s.again("prefab", name) {
		a.problemAt(fault.Argument(1), "prefab %q is declared twice", name)
	}
	s.prefabs = append(s.prefabs, p)
	return a.result(wrap(p, a.types.prefab))
}

func (a *args) prefab(name string, t *lua.LTable, depth int) *decl.Prefab {
	if depth > value.MaxNesting {
		a.fail("prefab %q: children nest deeper than %d levels", name, value.MaxNesting)
	}
	list := pieces{bytes: decl.PerNode}
	if i := holes.First(a.L, t); i > 0 {
		a.fail("%s", holes.Item(a.L, fmt.Sprintf("prefab %q", name), i))
	}
	items := fmt.Sprintf("prefab %q, item", name)
	for i := 1; i <= t.Len(); i++ {
		a.part(&list, t.RawGetInt(i), inPrefab(fault.Item(2, lua.LNumber(i)), depth), itemName{items, i, ""})
	}
	p := list.merged(name)
	proxy.Pairs(t, func(k, v lua.LValue) {
		if k.Type() == lua.LTNumber {
			return
		}
		children, ok := v.(*lua.LTable)
		if fault.Written(k) == "children" && !ok {
			a.problemAt(inPrefab(fault.ValueOf(2, "children"), depth), "prefab %q: children: expected a list, such as children = { Wheel, Wheel }, got %s", name, value.Describe(v))
			return
		}
		if fault.Written(k) != "children" {
			a.problemAt(inPrefab(fault.Key(2, fault.Written(k)), depth), "prefab %q: unknown option %q%s", name, fault.Written(k), diag.OneOf(fault.Written(k), []string{"children"}))
			return
		}
		a.prefabChildren(p, children, depth)
	})
	for _, key := range holes.Keys(t) {
		a.problemAt(inPrefab(fault.Key(2, key), depth), "prefab %q, %s", name, holes.Key(a.L, key))
	}
	if p.Size > maxFamily {
		a.fail("prefab %q has more than %s entities, children of children included", name, diag.Grouped(maxFamily))
	}
	return p
}

// inPrefab is a part of the table of a prefab. Of the table of a child nothing is known but
// that it is in the argument.
func inPrefab(part fault.Part, depth int) fault.Part {
	if depth > 0 {
		return fault.Key(2, "children")
	}
	return part
}

func (a *args) prefabChildren(p *decl.Prefab, list *lua.LTable, depth int) {
	whole := pieces{bytes: p.Bytes}
	if i := holes.First(a.L, list); i > 0 {
		a.fail("%s", holes.Item(a.L, p.Name+".children", i))
	}
	for i := 1; i <= list.Len(); i++ {
		name := fmt.Sprintf("%s.children[%d]", p.Name, i)
		switch v := list.RawGetInt(i).(type) {
		case *lua.LTable:
			a.child(p, &whole, a.prefab(name, v, depth+1))
		case *lua.LUserData:
			child, ok := v.Value.(*decl.Prefab)
			if !ok {
				a.fail("%s: expected a prefab or a table of values, got %s", name, value.Describe(v))
			}
			a.child(p, &whole, child)
		default:
			a.fail("%s: expected a prefab or a table of values, got %s", name, value.Describe(v))
		}
	}
}

// maxFamily bounds what one prefab spawns. Children of children multiply.
const maxFamily = 10_000

// maxGenerations is how many generations of children a prefab may have: the world takes
// more for a prefab that comes round.
const maxGenerations = 256

// child adds one, as long as the whole is not too large.
func (a *args) child(p *decl.Prefab, whole *pieces, child *decl.Prefab) {
	a.room(whole, child.Bytes, itemName{list: fmt.Sprintf("prefab %q", p.Name)})
	p.Children = append(p.Children, child)
	p.Size += child.Size
	p.Bytes = whole.bytes
	if p.Below = max(p.Below, 1+child.Below); p.Below > maxGenerations {
		a.fail("prefab %q has more than %d generations of children below each other", p.Name, maxGenerations)
	}
	if p.Size > maxFamily {
		a.fail("prefab %q has more than %s entities, children of children included", p.Name, diag.Grouped(maxFamily))
	}
}

// build gives the prefab in the form that commands take.
func (a *args) build(p *decl.Prefab) *ecs.Prefab {
	if p.Made == nil {
		made := &ecs.Prefab{Name: p.Name, Values: a.values(p.Values), Children: make([]ecs.Prefab, len(p.Children))}
		for i, child := range p.Children {
			made.Children[i] = *a.build(child)
		}
		p.Made = made
		return made
	}
	for _, v := range p.Values {
		a.current(v) // what was built of it is older still
	}
	for _, child := range p.Children {
		a.build(child)
	}
	return p.Made
}

// values gives script values in the form that commands take.
func (a *args) values(list []*decl.Value) []ecs.Value {
	return a.appendValues(make([]ecs.Value, 0, len(list)), list)
}

// listedValues is values for what the call has listed; they are good until it ends.
func (a *args) listedValues() []ecs.Value {
	a.out = a.appendValues(a.out[:0], a.items.values)
	return a.out
}

func (a *args) appendValues(to []ecs.Value, list []*decl.Value) []ecs.Value {
	for _, v := range list {
		if !v.Comp.Ready {
			a.fail("component %q does not exist: its script was not accepted", v.Comp.Name)
		}
		a.current(v)
		to = append(to, a.ecsValue(v))
	}
	return to
}

// family is how many entities a spawn makes of it, children included.
func (p *pieces) family() int {
	size := 1
	for _, base := range p.of {
		size += base.Size - 1
	}
	return size
}

// chargeSpawn charges for the entities that a spawn makes of the list. It raises an error when
// they are too many.
func (a *args) chargeSpawn(p *pieces) {
	size := p.family()
	if size > maxFamily {
		a.fail("the prefabs together have more than %s entities", diag.Grouped(maxFamily))
	}
	value.Charge(a.L, size*value.StepsPerSpawn+int(p.bytes)/value.BytesPerStep)
}

// againSteps returns what it takes to record one more spawn of a prefab that was assembled, and to
// make it.
func againSteps(p *ecs.Prefab) (steps int) {
	steps = value.StepsPerSpawn + len(p.Values)*value.StepsPerValue
	for i := range p.Children {
		steps += againSteps(&p.Children[i])
	}
	return steps
}

// assemble turns what a spawn lists into a prefab in the form that commands take.
func (a *args) assemble(p *pieces) *ecs.Prefab {
	if len(p.of) == 1 && len(p.values) == len(p.of[0].Values) {
		return a.build(p.of[0])
	}
	name := ""
	if len(p.of) > 0 {
		name = p.of[0].Name
	}
	return a.build(p.merged(name))
}

// merged returns the list as one prefab: the values in order, and the children of every prefab
// listed.
func (p *pieces) merged(name string) *decl.Prefab {
	whole := &decl.Prefab{Name: name, Values: p.values, Size: p.family(), Bytes: p.bytes}
	for _, base := range p.of {
		whole.Children = append(whole.Children, base.Children...)
		whole.Below = max(whole.Below, base.Below)
	}
	return whole
}

// current raises an error for a value that was made when its component had other
// fields.
func (a *args) current(v *decl.Value) {
	if v.Form != v.Comp.Form {
		a.fail("a value of %q from before its fields changed: make it anew", v.Comp.Name)
	}
}

// room counts what a list of values and prefabs comes to, before it is put
// together.
func (a *args) room(p *pieces, bytes int64, where itemName) {
	p.bytes += bytes
	if limit := a.opts.Limits.Declared; limit > 0 && p.bytes > limit {
		a.reached("Declared", "%s: too large: what is listed has %s of %s bytes, prefabs in prefabs included", where, diag.Grouped(p.bytes), diag.Grouped(limit))
	}
}
