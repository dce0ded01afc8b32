package twin

import (
	"errors"
	"fmt"

	"github.com/perigee-ecs/perigee/ecs"
)

// refused tries every structural change while a query is being iterated. Each
// must return ErrIterating and change nothing. To write a value that is there already is
// no structural change.
func (tw *Twin) refused(t T, op Op) {
	t.Helper()
	for range tw.World.Query().Chunks() {
		for name, err := range tw.attempts() {
			if !errors.Is(err, ecs.ErrIterating) {
				t.Fatalf("%v: %s inside a loop answered %v", op, name, err)
			}
		}
		tw.overwrite(t, op)
		break
	}
}

// attempts makes the changes on an entity that is alive and placed.
func (tw *Twin) attempts() map[string]error {
	w, e := tw.World, tw.World.Query().First()
	_, spawn := w.TrySpawn()
	_, prefab := w.SpawnPrefab(&ecs.Prefab{})
	answers := map[string]error{
		"spawn": spawn, "spawn prefab": prefab, "despawn": w.Despawn(e),
		"remove": w.Remove(e, tw.kinds[0].id), "set parent": w.SetParent(e, 0), "reset": w.Reset(),
		"apply": w.NewCommands().Apply(), "step": w.Step(0), "close": w.Close(),
	}
	q := tw.lookers[0].query
	_, answers["copy"] = w.Copy(e)
	_, answers["reserve"] = w.Raw().Reserve()
	_, answers["flush"] = w.FlushDespawns()
	_, answers["despawn all"] = w.DespawnAll(q)
	_, answers["exchange all"] = w.ExchangeAll(q, nil)
	answers["migrate"], answers["mark prefab"] = w.Raw().Migrate().Prepare(), w.MarkPrefab(e)
	_, answers["instantiate"] = w.Instantiate(e, 1)
	answers["spawn many"], answers["exchange"], answers["grow"] = w.SpawnMany(1, nil), w.Exchange(e, nil), w.Grow(1)
	for k := range tw.kinds {
		if !w.Raw().Has(e, tw.kinds[k].id) {
			answers[fmt.Sprint("add kind ", k)] = w.Add(e, tw.kinds[k].value(1))
		}
	}
	return answers
}

func (tw *Twin) overwrite(t T, op Op) {
	t.Helper()
	e := tw.World.Query().First()
	for k := range tw.kinds {
		if _, has := tw.Model.things[e].values[k]; !has {
			continue
		}
		v := []given{{k, int(op.D)}}
		err := tw.World.Add(e, tw.values(v)...)
		if tw.full(err) {
			return
		}
		agree(t, op, err, nil)
		agree(t, op, tw.Model.Add(e, v), nil)
	}
}
