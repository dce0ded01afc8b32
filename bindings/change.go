package bindings

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// changeFunctions are the functions that record changes to the world. None changes it at
// once: the commands of the tick are applied when the system has returned, and are dropped
// when it fails.
func changeFunctions() map[string]func(*args) int {
	return map[string]func(*args) int{
		"spawn": spawn, "spawn_many": spawnMany, "despawn": despawn,
		"add": addComponents, "remove": removeComponents, "set": setComponents, "update": update, "set_parent": setParent, "emit": emit,
		"enable": enable,
	}
}

// spawn is ecs.spawn(…): any mix of prefabs, values, components and tags. It returns the
// handle that the entity will have, which the call can use at once.
func spawn(a *args) int {
	c := a.changing()
	p := a.listed(1)
	a.spendSpawn(c, p.family())
	a.chargeSpawn(p)
	if len(p.of) == 0 {
		return a.numberResult(float64(a.reserved(c.Tick.Commands.Spawn(a.listedValues()...))))
	}
	return a.numberResult(float64(a.reserved(c.Tick.Commands.SpawnPrefab(a.assemble(p)))))
}

// reserved returns the handle of what was spawned. It raises an error when there is none left.
func (a *args) reserved(e ecs.Entity) ecs.Entity {
	if e == 0 {
		if a.world.Raw().Slots() == 0 { // nothing was ever alive: there is no arena
			a.fail("the system has no memory for the entities of this world: close other programs, or have the host open the world with a smaller ecs.Options.MaxBytes")
		}
		a.fail("the world's entity limit is reached: %d are alive", a.world.Len())
	}
	return e
}

// spawnMany is ecs.spawn_many(n, …, function(i) return values… end). The limits are asked
// before the prefab is built, and again for each entity: the function may spawn, too.
func spawnMany(a *args) int {
	c := a.changing()
	n := a.howMany(1)
	var each *lua.LFunction
	if f, ok := a.L.Get(a.L.GetTop()).(*lua.LFunction); ok {
		each = f
		a.L.Pop(1)
	}
	listed := a.listed(2)
	family := listed.family()
	if n > 0 {
		a.spendSpawn(a.changing(), family)
	}
	a.chargeSpawn(listed)
	base, steps := a.assemble(listed), 0
	if n > 1 {
		steps = againSteps(base)
	}
	run := &manySpawned{a: a, call: c, base: base, family: family, steps: steps, n: n, list: a.L.CreateTable(min(n, 1<<16), 0)}
	if each == nil {
		for run.made < n {
			run.spawn()
		}
	} else {
		lua.Repeat(a.L, each, 1, run)
	}
	return a.result(run.list)
}

// manySpawned is one call of ecs.spawn_many.
type manySpawned struct {
	a       *args
	call    *tx.Call
	base    *ecs.Prefab
	family  int // how many entities a base has
	steps   int // that each of them takes
	made, n int
	begun   bool        // the function was called
	list    *lua.LTable // of those made
}

// spawn spawns one more entity, with values beside those that all get.
func (x *manySpawned) spawn(values ...ecs.Value) {
	x.a.spendSpawn(x.a.changing(), x.family)
	if x.made > 0 { // the first is paid for
		value.Charge(x.a.L, x.steps)
	}
	e := x.a.reserved(x.call.Tick.Commands.SpawnPrefab(x.base, values...))
	x.made++
	lua.SetItem(x.list, x.made, lua.Number(float64(e)))
}

// Turn implements [lua.Turns]: the function of the script gets the number of an entity, and
// returns its values.
func (x *manySpawned) Turn(results, args []lua.Value) bool {
	if x.begun {
		x.spawn(x.a.extra(results)...)
	}
	if x.made == x.n {
		return false
	}
	x.begun = true
	for i := range args {
		args[i] = lua.Nil
	}
	if len(args) > 0 {
		args[0] = lua.Number(float64(x.made + 1))
	}
	return true
}

// howMany reads a number of entities.
func (a *args) howMany(i int) int {
	n := a.number(i)
	if n < 0 || n != float64(int(n)) {
		a.wrong(i, "expected a whole number from 0 up, got %v", n)
	}
	return int(n)
}

// extra reads what the function of a script has returned for an entity. Prefabs are refused
// there: what an entity and its children cost is known before the first one is spawned.
func (a *args) extra(results []lua.Value) []ecs.Value {
	p := &a.items // what was listed before it is in the prefab by now
	p.clear()
	for k, v := range results {
		// The function is the last argument; the call has taken it off the stack.
		a.part(p, lua.FromValue(v), fault.Argument(a.L.GetTop()+1), itemName{"result", k + 1, " of the function"})
	}
	if len(p.of) > 0 {
		a.fail("the function must return values and components; give prefabs before it")
	}
	return a.listedValues()
}

// despawn is ecs.despawn(e).
func despawn(a *args) int {
	c, e := a.changing(), a.entity(1)
	a.spendDespawn(c, e)
	c.Tick.Commands.Despawn(e)
	return 0
}

// spendDespawn counts an entity that is to end, with those that die with it, and raises an error when they
// are too many.
func (a *args) spendDespawn(c *tx.Call, e ecs.Entity) {
	if n := c.Tick.Commands.CountDespawn(e, a.tx.ChangesLeft(c)); n > 1 {
		value.Charge(a.L, n*value.StepsPerLink)
	}
	a.spendChange(c)
}

// spendMove counts that an entity gets a component, or loses one, and raises an error when that moves
// too much, or keeps too much for observers.
func (a *args) spendMove(c *tx.Call, e ecs.Entity, removed ...ecs.ComponentID) {
	c.Tick.Commands.CountMove(e, removed...)
	a.spendChange(c)
}

// addComponents is ecs.add(e, …): values, components and tags.
func addComponents(a *args) int {
	c, e := a.changing(), a.entity(1)
	p := a.listed(2)
	if len(p.of) > 0 {
		a.fail("a prefab can be spawned, not added")
	}
	for _, v := range p.values {
		value.ChargeCopy(a.L, v.Comp.Schema.Size)
	}
	a.spendMove(c, e)
	c.Tick.Commands.Add(e, a.listedValues()...)
	return 0
}

// removeComponents is ecs.remove(e, …). A component that the entity does not have is ignored.
func removeComponents(a *args) int {
	c, e := a.changing(), a.entity(1)
	for i := 2; i <= a.L.GetTop(); i++ {
		comp := a.component(i)
		a.inForce(i, comp)
		value.ChargeCopy(a.L, comp.Schema.Size)
		a.spendMove(c, e, comp.ID)
		c.Tick.Commands.Remove(e, comp.ID)
	}
	return 0
}

// setComponents is ecs.set(e, Health{ hp = 3 }): only the fields named change.
func setComponents(a *args) int {
	c, e := a.changing(), a.entity(1)
	for i := 2; i <= a.L.GetTop(); i++ {
		v := a.given(i)
		a.inForce(i, v.Comp)
		a.current(v)
		if !a.world.Raw().Has(e, v.Comp.ID) {
			a.spendMove(c, e)
		}
		a.patch(c, e, v)
	}
	return 0
}

// given reads a component with its fields.
func (a *args) given(i int) *decl.Value {
	v, ok := value.At[*decl.Value](a.L, i)
	if !ok {
		a.wrong(i, "expected a component with its fields, such as Health{ hp = 5 }, got %s", a.noComponent(a.L.Get(i)))
	}
	return v
}

// patch records what a value gives of its fields. One piece is recorded as it is, several with
// a mask, which the value keeps for its next use. Where the entity has no such component in
// the world, or its values hold Go pointers, the value is merged when the command is applied.
func (a *args) patch(c *tx.Call, e ecs.Entity, v *decl.Value) {
	has := a.world.Raw().Has(e, v.Comp.ID)
	value.ChargeCopy(a.L, copied(v, has))
	if v.Comp.Heap || !has {
		c.Tick.Commands.Merge(e, a.ecsValue(v), v.Given)
		return
	}
	if len(v.Given) == 0 {
		return
	}
	if len(v.Given) > 1 {
		c.Tick.Commands.Blend(e, v.Comp.ID, value.BytesAt(v.Data, v.Comp.Schema.Size), v.Masked())
		return
	}
	first := v.Given[0]
	c.Tick.Commands.Patch(e, v.Comp.ID, first.Offset, value.BytesAt(unsafe.Add(v.Data, first.Offset), first.Size))
}

// copied returns how many bytes are copied to set what a value gives.
func copied(v *decl.Value, has bool) (bytes uintptr) {
	switch {
	case has && len(v.Given) == 0:
		return 0
	case has && len(v.Given) == 1:
		return v.Given[0].Size
	}
	return v.Comp.Schema.Size
}

// setParent is ecs.set_parent(child, parent); nil or 0 makes it a root.
func setParent(a *args) int {
	c, child := a.changing(), a.entity(1)
	parent := ecs.Entity(0)
	if !a.none(2) {
		parent = a.entity(2)
	}
	a.mayParent(child, parent)
	c.Tick.Commands.SetParent(child, parent)
	return 0
}

// none reports whether an argument stands for no entity.
func (a *args) none(i int) bool { return a.L.Get(i) == lua.LNil || a.L.Get(i) == lua.LNumber(0) }

// mayParent raises an error where an entity cannot be the parent of another. The way up is
// charged three times, since three go it: this function, the preview, and the world.
func (a *args) mayParent(child, parent ecs.Entity) {
	up, above := parent, 0
	for ; up != 0 && up != child && above < ecs.MaxDepth; above++ {
		up = a.tx.Parent(up)
	}
	value.Charge(a.L, 3*above*value.StepsPerAncestor)
	switch {
	case up == 0:
	case up == child:
		a.failAt(fault.Argument(2), "entity %v cannot be a child of %v, which is below it or the same", child, parent)
	default:
		a.failAt(fault.Argument(2), "entity %v cannot be a child of %v, which has %s ancestors or more", child, parent, diag.Grouped(ecs.MaxDepth))
	}
}

// enable is ecs.enable("system", true or false).
func enable(a *args) int {
	c := a.changing()
	name := a.text(1)
	a.knownSystem(name)
	on := a.flag(2)
	c.Tick.Commands.Do(func(w *ecs.World) error {
		w.Schedule().Enable(name, on)
		return nil
	})
	return 0
}

// knownSystem raises an error for the name of no system. More names may be meant.
func (a *args) knownSystem(name string, more ...string) {
	s := a.world.Schedule()
	value.Charge(a.L, s.Len()*value.StepsPerSystem)
	if _, known := s.Health(name); !known {
		a.failAt(fault.Argument(1), "unknown system %q%s", name, value.Meant(a.L, name, append(more, s.Names()...)))
	}
}

// spendSets raises an error when the change that was just recorded brings about one set
// too many.
func (a *args) spendSets() {
	if c := a.tx.Call; c != nil {
		if err := a.tx.TooManySets(c); err != nil {
			a.fail("%s", err)
		}
	}
}

// spendChange raises an error when one more command would be too many.
func (a *args) spendChange(c *tx.Call) {
	if e := a.tx.NoCommand(c, 1); e != nil {
		a.raise(e)
	}
}

// spendSpawn raises an error when n more entities would be too many.
func (a *args) spendSpawn(c *tx.Call, n int) {
	if e := a.tx.NoSpawn(c, n); e != nil {
		a.raise(e)
	}
}

// withinBudget raises an error when one more than there are would be above a limit.
func (a *args) withinBudget(used, limit int, what, name string) {
	if e := tx.Within(used, limit, what, name); e != nil {
		a.raise(e)
	}
}

// update is ecs.update(e, component, function(fields) … end): the function gets the
// component as it is by now and may assign its fields; what it has assigned is set
// when it returns. It returns whether the entity has the component: if not, the
// function was not called.
func update(a *args) int {
	e, c, fn := a.handle(1), a.component(2), a.function(3)
	a.changing()
	a.inForce(2, c)
	if c.Tag() {
		a.wrong(2, "%q is a tag, which has no fields", c.Name)
	}
	p := a.tx.Pointer(e, c.ID)
	if p == nil {
		return a.result(lua.LFalse)
	}
	r := a.exec.TakeRow(c)
	if r.Proto != lua.Proto(fn) {
		r.Proto, r.Keeps = lua.Proto(fn), exec.MayKeep(fn, 0, false)
	}
	defer func() { // a function that fails may have kept the row, too
		r.Recall(a.exec)
		a.exec.GiveRow(r)
	}()
	r.Aside.ShowOne(a.tx, e, c, p)
	a.L.Push(fn)
	a.L.Push(r.Fill(a.L, p))
	a.L.Call(1, 0)
	has := a.tx.Pointer(e, c.ID) != nil
	if has {
		r.Take(a.L)
		r.Aside.Record(a.L, nil)
	}
	return a.truth(has)
}
