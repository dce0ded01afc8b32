package journal

import (
	"fmt"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
)

// Kind says what a change was.
type Kind uint8

// The kinds of changes.
const (
	Spawn   Kind = iota + 1 // the entity came, with Components
	Despawn                 // it went, with the entity With or by itself
	Add                     // it got Components
	Set                     // a command wrote Components
	Remove                  // it lost Components
	Link                    // it is a source of Target in Relation from now on; of 0: of nobody
	Write                   // Field of the one component had the value Old before the system, and New after it
)

var kindNames = [...]string{Spawn: "spawn", Despawn: "despawn", Add: "add", Set: "set", Remove: "remove", Link: "link", Write: "write"}

// String returns the name of the kind, in lower case.
func (k Kind) String() string {
	if int(k) < len(kindNames) && k > 0 {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// kindOf returns the kind of a change.
func kindOf(c *ecs.RawChange) Kind {
	switch c.Kind {
	case ecs.OnSpawn:
		return Spawn
	case ecs.OnDespawn:
		return Despawn
	case ecs.OnAdd:
		return Add
	case ecs.OnSet:
		return Set
	case ecs.OnRemove:
		return Remove
	}
	return Link
}

// Entry is one change of an entity.
type Entry struct {
	Tick       uint64
	Kind       Kind
	Entity     ecs.Entity
	Components []string
	Relation   string     // of Link
	Target     ecs.Entity // of Link
	With       ecs.Entity // of Despawn, and of Link: who died with it; 0: nobody
	Field      string     // of Write, as package fields names it: "hp", "place.x"
	Old, New   any        // of Write; nil where they are not kept
	Times      int        // of Set and Write: how many of them the entry stands for
	Since      uint64     // of Set and Write: the tick of the first of them; Tick is that of the last
	System     string     // that was at work; "": the host, between two steps
	Caller     ecs.Caller // of the command, with the prefab of a Spawn; without Code where there was none, or no script recorded it
}

// entry returns a record in words.
func (j *Journal) entry(r *keptEntry, ids []ecs.ComponentID) Entry {
	e := Entry{Tick: r.tick, Kind: r.kind, Entity: r.entity, System: r.system, Caller: r.caller}
	for _, id := range ids {
		if s := j.world.Raw().Schema(id); s != nil {
			e.Components = append(e.Components, s.Name)
		}
	}
	switch {
	case r.relation != nil:
		e.Relation = r.relation.Name()
		if r.kind == Link {
			e.Target = r.other
		}
	case r.kind == Despawn:
		e.With = r.other
	}
	if r.kind == Write || r.kind == Set {
		e.Times, e.Since = 1, r.tick
	}
	if c := r.written; c != nil {
		e.Field, e.Old, e.New = c.field, c.old, c.new
	}
	return e
}

// String returns the entry in one line, without the place of its command, which the host of scripts knows.
func (e Entry) String() string {
	what := ""
	switch e.Kind {
	case Spawn:
		what = fmt.Sprintf("%v came with %s", e.Entity, orNothing(e.Components))
		if p := e.Caller.Prefab; p != "" {
			what = fmt.Sprintf("%v came from the prefab %s with %s", e.Entity, p, orNothing(e.Components))
		}
	case Despawn:
		what = fmt.Sprintf("%v was despawned", e.Entity)
		if e.With != 0 {
			what = fmt.Sprintf("%v died with %v", e.Entity, e.With)
		}
	case Add:
		what = fmt.Sprintf("%v got %s", e.Entity, orNothing(e.Components))
	case Set:
		what = fmt.Sprintf("a command wrote %s of %v", orNothing(e.Components), e.Entity)
	case Remove:
		what = fmt.Sprintf("%v lost %s", e.Entity, orNothing(e.Components))
	case Link:
		what = fmt.Sprintf("%v has the target %v in %s", e.Entity, e.Target, e.Relation)
		if e.Target == 0 {
			what = fmt.Sprintf("%v has no target in %s", e.Entity, e.Relation)
		}
	case Write:
		what = fmt.Sprintf("%s of %s", e.Field, orNothing(e.Components))
		if e.Old != nil || e.New != nil {
			what += fmt.Sprintf(" %v → %v", e.Old, e.New)
		} else {
			what += " has another value"
		}
	}
	if e.Times > 1 {
		what += fmt.Sprintf(", %d times since tick %d", e.Times, e.Since)
	}
	by := "by the host"
	if e.System != "" {
		by = fmt.Sprintf("by %q", e.System)
	}
	return fmt.Sprintf("tick %d: %s, %s", e.Tick, what, by)
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "no components"
	}
	return strings.Join(names, ", ")
}
