package inspect

import (
	"bytes"
	"cmp"
	"math"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

const (
	mostCompared  = 200_000 // entities in a world whose ticks are compared
	mostChanges   = 50      // examples of a field, and entities of a list, in an answer
	mostResources = 200     // values in resources
)

// changesJSON is what is different in two ticks.
type changesJSON struct {
	From       uint64            `json:"from"`
	To         uint64            `json:"to"`
	New        int               `json:"new"`      // entities
	NewIDs     []uint64          `json:"new_ids"`  // the first of them
	Gone       int               `json:"gone"`     // entities
	GoneIDs    []uint64          `json:"gone_ids"` // the first of them
	Changed    int               `json:"changed"`  // entities that both ticks have
	Components []changeJSON      `json:"components"`
	Resources  []valueChangeJSON `json:"resources"`
	Scripts    []valueChangeJSON `json:"scripts"` // what they keep: the first values
	InScripts  int               `json:"in_scripts"`
	Events     int               `json:"events"` // that wait in one of the ticks
}

// changeJSON is what is different in a component.
type changeJSON struct {
	Name   string            `json:"name"`
	Got    int               `json:"got"`  // entities that have it since
	Lost   int               `json:"lost"` // entities that had it
	Fields []fieldChangeJSON `json:"fields"`
}

// fieldChangeJSON is what is different in a field.
type fieldChangeJSON struct {
	Field    string            `json:"field"`
	Changed  int               `json:"changed"`  // entities
	Examples []valueChangeJSON `json:"examples"` // the first of them
}

// valueChangeJSON is a value that is different.
type valueChangeJSON struct {
	Entity uint64 `json:"entity,omitempty"`
	Name   string `json:"name,omitempty"` // of a resource, or of what scripts keep, with the way to the value
	Was    string `json:"was"`
	Is     string `json:"is"`
}

// comparing lets one request compare at a time: it holds two copies of the world.
type comparing struct{ mu sync.Mutex }

// getChanges compares two ticks that are kept. The goroutine of the host copies them, and the
// comparison is made beside the game, of what saves of the copies would be.
func (i *Inspector) getChanges(r *http.Request) (any, error) {
	from, err := tickOf(r, "from")
	if err != nil {
		return nil, err
	}
	to, err := tickOf(r, "to")
	if err != nil {
		return nil, err
	}
	limit, err := number(r, "limit", 12, 1, mostChanges)
	if err != nil {
		return nil, err
	}
	only := uint64(0)
	if text := r.URL.Query().Get("entity"); text != "" {
		if only, err = strconv.ParseUint(text, 10, 64); err != nil {
			return nil, failf(http.StatusBadRequest, "entity is a number")
		}
	}
	switch {
	case !i.options.Control:
		return nil, failf(http.StatusForbidden, "this inspector only shows: the program has not set its option Control")
	case i.options.Session == nil:
		return nil, errNoSession()
	case !i.comparing.mu.TryLock():
		return nil, failf(http.StatusServiceUnavailable, "two ticks are being compared already")
	}
	defer i.comparing.mu.Unlock()
	var copies [2]tickCopy
	if err := i.ask(r.Context(), func() (err error) { copies, err = i.copies(from, to); return err }); err != nil {
		return nil, err
	}
	c := newChanges(from, to, limit, only)
	if err := c.compare(copies); err != nil {
		return nil, err
	}
	return c.result(), nil
}

// tickOf reads the number of a tick in the query of a URL.
func tickOf(r *http.Request, name string) (uint64, error) {
	n, err := strconv.ParseUint(r.URL.Query().Get(name), 10, 64)
	if err != nil {
		return 0, failf(http.StatusBadRequest, "%s is the number of a tick", name)
	}
	return n, nil
}

// tickCopy is what the game was after a tick: its world, and what scripts kept.
type tickCopy struct {
	world   *snapshot.Snapshot
	scripts []byte
}

// copies copies the game of two ticks, and leaves what is looked at as it is. For the goroutine of
// the host.
func (i *Inspector) copies(from, to uint64) (list [2]tickCopy, err error) {
	b := i.rewind.back
	if b == nil {
		return list, errNotKeeping()
	}
	looked, looking := b.Looking()
	defer func() {
		again := b.Return
		if looking {
			again = func() error { return b.Look(looked) }
		}
		if e := again(); err == nil {
			err = e
		}
	}()
	for k, tick := range []uint64{from, to} {
		if err := b.Look(tick); err != nil {
			return list, err
		}
		if n := i.world.Len(); n > mostCompared {
			return list, failf(http.StatusConflict, "ticks of a world of %d entities are not compared: %d are the most", n, mostCompared)
		}
		if list[k].world, err = snapshot.Capture(i.world); err != nil {
			return list, err
		}
		list[k].scripts = b.Scripts(tick).Encode()
	}
	return list, nil
}

// tickChanges gathers what is different.
type tickChanges struct {
	out        changesJSON
	limit      int
	only       uint64 // an entity; 0: all
	entities   map[ecs.Entity]bool
	components map[string]*componentChanges
}

// componentChanges is what is different in a component.
type componentChanges struct {
	changeJSON
	fields map[string]*fieldChangeJSON
}

// newChanges prepares a comparison.
func newChanges(from, to uint64, limit int, only uint64) *tickChanges {
	return &tickChanges{
		out: changesJSON{From: from, To: to, NewIDs: []uint64{}, GoneIDs: []uint64{}, Components: []changeJSON{}, Resources: []valueChangeJSON{}, Scripts: []valueChangeJSON{}}, limit: limit, only: only,
		entities: map[ecs.Entity]bool{}, components: map[string]*componentChanges{},
	}
}

// compare compares two ticks, the older first: the worlds by their saves.
func (c *tickChanges) compare(ticks [2]tickCopy) (err error) {
	if c.only == 0 {
		if c.out.Scripts, c.out.InScripts, err = keptChanges(ticks[0].scripts, ticks[1].scripts); err != nil {
			return err
		}
	}
	var files [2]*save.File
	for k := range ticks {
		var b bytes.Buffer
		if err := save.Write(&b, ticks[k].world, save.Options{}); err != nil {
			return failf(http.StatusConflict, "a tick of this game cannot be compared: %v", err)
		}
		var err error
		if files[k], err = save.Open(bytes.NewReader(b.Bytes()), int64(b.Len())); err != nil {
			return err
		}
	}
	return save.Diff(files[0], files[1], func(d save.Difference) error { c.add(&d); return nil })
}

// add adds a difference.
func (c *tickChanges) add(d *save.Difference) {
	if c.only != 0 && uint64(d.Entity) != c.only {
		return
	}
	switch d.Topic {
	case save.OfEntity:
		n, ids := &c.out.New, &c.out.NewIDs
		if d.Gone {
			n, ids = &c.out.Gone, &c.out.GoneIDs
		}
		if *n++; *n <= mostChanges {
			*ids = append(*ids, uint64(d.Entity))
		}
	case save.OfComponent, save.OfField:
		c.entities[d.Entity] = true
		c.component(d)
	case save.OfEvent:
		c.out.Events++
	case save.OfResource:
		if len(c.out.Resources) < mostResources {
			c.out.Resources = append(c.out.Resources, valueChangeJSON{Name: cut(joined(d.Name, d.Field)), Was: cut(d.Was), Is: cut(d.Is)})
		}
	}
}

// joined is a name, and a way from there.
func joined(name, way string) string {
	if way == "" {
		return name
	}
	return name + "." + way
}

// component adds what is different in a component of an entity.
func (c *tickChanges) component(d *save.Difference) {
	k := c.components[d.Name]
	if k == nil {
		k = &componentChanges{changeJSON{Name: cut(d.Name), Fields: []fieldChangeJSON{}}, map[string]*fieldChangeJSON{}}
		c.components[d.Name] = k
	}
	switch {
	case d.New:
		k.Got++
		return
	case d.Gone:
		k.Lost++
		return
	}
	f := k.fields[d.Field]
	if f == nil {
		f = &fieldChangeJSON{Field: cut(d.Field), Examples: []valueChangeJSON{}}
		k.fields[d.Field] = f
	}
	if f.Changed++; f.Changed <= c.limit {
		f.Examples = append(f.Examples, valueChangeJSON{Entity: uint64(d.Entity), Was: cut(d.Was), Is: cut(d.Is)})
	}
}

// mostFields bounds the fields of a component in an answer: an array has as many as it has elements.
const mostFields = 100

// result puts in order what was gathered: what few entities have comes first, since what all of them do
// in each tick says least.
func (c *tickChanges) result() changesJSON {
	c.out.Changed = len(c.entities)
	weight := map[string]int{}
	for name, k := range c.components {
		least := math.MaxInt
		for _, f := range k.fields {
			k.Fields = append(k.Fields, *f)
			least = min(least, f.Changed)
		}
		slices.SortFunc(k.Fields, func(a, b fieldChangeJSON) int {
			return cmp.Or(cmp.Compare(a.Changed, b.Changed), cmp.Compare(a.Field, b.Field))
		})
		k.Fields = k.Fields[:min(len(k.Fields), mostFields)]
		if n := k.Got + k.Lost; n > 0 {
			least = min(least, n)
		}
		weight[name] = least
		c.out.Components = append(c.out.Components, k.changeJSON)
	}
	slices.SortFunc(c.out.Components, func(a, b changeJSON) int {
		return cmp.Or(cmp.Compare(weight[a.Name], weight[b.Name]), cmp.Compare(a.Name, b.Name))
	})
	return c.out
}
