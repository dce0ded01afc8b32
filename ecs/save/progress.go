package save

import (
	"encoding/json"
	"strconv"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
)

// progress compares how far systems, observers, readers and queries have come.
func (d *differ) progress() error {
	var trees [2]map[string]any
	for i, r := range d.of {
		trees[i] = map[string]any{}
		for name, part := range r.progress() {
			text, err := json.Marshal(part)
			if err != nil {
				return err
			}
			trees[i][name] = treeOrSum(text)
		}
	}
	d.trees(Difference{Topic: OfProgress}, trees[0], trees[1])
	return nil
}

// progressNames are the names of what makes progress, beside the events.
var progressNames = []string{"systems", "observers", "deferred", "queries", "changes"}

// eventProgress is who has read how many events of a type.
type eventProgress struct {
	Readers     []capture.Reader  `json:"readers"`
	Subscribers []capture.Breaker `json:"subscribers"`
}

// changeProgress is a change that waits for observers.
type changeProgress struct {
	Trigger   uint8    `json:"trigger"`
	Component string   `json:"component"`
	Entity    string   `json:"entity"`
	Passed    []string `json:"passed"`
	Removed   removed  `json:"removed"`
}

// progress says how far what runs in a world has come, by what it is. What queries have seen is counted in versions, which
// only concern how a world is stored; what they have yet to see is not.
func (r *rowReader) progress() map[string]any {
	e := &r.entry
	parts := map[string]any{"systems": orEmpty(e.Systems), "observers": orEmpty(e.Watchers), "deferred": orEmpty(e.Deferred)}
	for i := range e.Streams {
		if s := &e.Streams[i]; i < len(r.manifest.Events) && len(s.Readers)+len(s.Subscribers) > 0 {
			parts[r.manifest.Events[i].Name] = eventProgress{orEmpty(s.Readers), orEmpty(s.Subscribers)}
		}
	}
	queries := map[string]any{}
	for i := range e.Looks {
		if k := &e.Looks[i]; len(k.Entities) > 0 {
			queries["["+strconv.FormatUint(k.Number, 10)+"]"] = orEmpty(k.Entities)
		}
	}
	changes := []changeProgress{}
	for i := range e.Notices {
		n := &e.Notices[i]
		c := changeProgress{Trigger: n.Trigger, Entity: ecs.Entity(n.Entity).String(), Passed: orEmpty(n.Passed)}
		if int64(n.Component) < int64(len(r.of)) {
			c.Component = componentName(r.of[n.Component].entry)
		}
		if i < len(e.Removed) {
			c.Removed = e.Removed[i]
		}
		changes = append(changes, c)
	}
	parts["queries"], parts["changes"] = queries, changes
	return parts
}

// orEmpty returns a list that is not nil.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
