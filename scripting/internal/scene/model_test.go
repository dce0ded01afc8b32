package scene

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/data"
)

// The rule is judged by a slow model, which knows nothing of places in memory: what there is are
// values by path, in the base, in the file and in the world.

type (
	// Body is a component of the tests, with a field of each sort.
	Body struct {
		HP    int32
		Name  string
		Who   ecs.Entity
		Marks [2]uint8
		At    struct{ X, Y float32 }
	}
	Mood struct {
		Level float64
		Word  uint8 `ecs:",enum=calm|angry"`
	}
	Flag struct{}
	Wild struct{ N uint16 } // excludes Flag
)

// stage is a world for tests.
type stage struct {
	w    *ecs.World
	body ecs.Component[Body]
	mood ecs.Component[Mood]
	flag ecs.Component[Flag]
	wild ecs.Component[Wild]
	love *ecs.Relation
}

func newStage(t failing) *stage {
	w := ecs.NewWorld()
	s := &stage{w: w, body: ecs.Register[Body](w, ecs.Default(Body{HP: 5, Name: "nobody"})), mood: ecs.Register[Mood](w, ecs.Sparse), flag: ecs.Register[Flag](w)}
	s.wild = ecs.Register[Wild](w, ecs.Excludes(s.flag))
	var err error
	if s.love, err = w.Relation("Love", ecs.RelationOptions{}); err != nil {
		t.Fatalf("%v", err)
	}
	return s
}

// seen is the world as scenes see it: with two prefabs.
func (s *stage) seen() Ground {
	prefabs := map[string][]ecs.Value{"orc": {s.mood.With(Mood{Level: 2})}, "elf": {s.body.With(Body{HP: 9, Name: "elf"}), s.flag.With(Flag{})}}
	return Ground{
		Raw: s.w.Raw(), ChildOf: s.w.ChildOf(), Prefabs: func() []string { return slices.Sorted(maps.Keys(prefabs)) },
		Prefab: func(name string) (*bindings.Template, *diag.Error) {
			switch name {
			case "orc":
				m := Mood{Level: 2}
				return &bindings.Template{Size: 1, Values: []bindings.TemplateValue{{ID: s.mood.ID(), Data: pointer(&m)}}}, nil
			case "elf":
				b, f := Body{HP: 9, Name: "elf"}, [8]byte{}
				return &bindings.Template{Size: 2, Values: []bindings.TemplateValue{{ID: s.body.ID(), Data: pointer(&b)}, {ID: s.flag.ID(), Data: pointer(&f)}},
					Children: []ecs.Prefab{{Values: []ecs.Value{s.mood.With(Mood{})}}}}, nil
			}
			return nil, nil
		},
	}
}

// read reads a text as a scene of the stage.
func (s *stage) read(name, text string) (*Proposal, []*diag.Error) {
	f, err := data.Read(name, []byte(text), data.Limits{})
	if err != nil {
		return nil, []*diag.Error{err}
	}
	read, problems := Read(f)
	if len(problems) > 0 {
		return nil, problems
	}
	return NewPlan(read, s.seen())
}

// load brings the world to a plan.
func (s *stage) load(t failing, base *Base, plan *Proposal) (next *Base, c Outcome) {
	t.Helper()
	err := s.w.Run("load", func(tick *ecs.Tick) (err error) {
		next, c, err = Load(tick.Commands, s.seen(), base, plan)
		return err
	})
	if err == nil {
		err = s.w.Check()
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
	return next, c
}

type failing interface {
	Helper()
	Fatalf(string, ...any)
}

// sheet is an entity of the model: fields by component, targets by relation.
type sheet struct {
	id     int // no two entities that ever were have one
	prefab string
	parts  map[string]map[string]string
	links  map[string]string // by relation, the name of the target
}

func (s *sheet) clone() *sheet {
	c := *s
	c.parts, c.links = map[string]map[string]string{}, maps.Clone(s.links)
	for name, fields := range s.parts {
		c.parts[name] = maps.Clone(fields)
	}
	return &c
}

// defaults are the fields of the components, as text.
var defaults = map[string]map[string]string{
	"Body": {"hp": "5", "name": `"nobody"`, "who": "0", "marks": "[0,0]", "at.x": "0", "at.y": "0"},
	"Mood": {"level": "0", "word": "calm"}, "Flag": {}, "Wild": {"n": "0"},
}

// given are what prefabs give, over the defaults.
var given = map[string]map[string]map[string]string{
	"orc": {"Mood": {"level": "2"}}, "elf": {"Body": {"hp": "9", "name": `"elf"`}, "Flag": {}},
}

var names = []string{"a", "b", "c", "d", "e"}

// file is a random scene: what it says beyond prefabs and defaults.
type file struct {
	order []string
	of    map[string]*sheet
}

// drawValue draws a value of a field, as text.
func drawValue(t *rapid.T, field string, of *file) string {
	switch field {
	case "name":
		return rapid.SampledFrom([]string{`"x"`, `"y z"`, `""`}).Draw(t, "text")
	case "who":
		return rapid.SampledFrom(append([]string{"0"}, of.refs()...)).Draw(t, "who")
	case "marks":
		return rapid.SampledFrom([]string{"[1,2]", "[0,0]", "[255,3]"}).Draw(t, "list")
	case "word":
		return rapid.SampledFrom([]string{"calm", "angry"}).Draw(t, "word")
	}
	return fmt.Sprint(rapid.IntRange(0, 6).Draw(t, "number"))
}

func (f *file) refs() (list []string) {
	for _, name := range f.order {
		list = append(list, "@"+name)
	}
	return list
}

// drawFile changes a file: few things at a time.
func drawFile(t *rapid.T, was *file) *file {
	f := &file{of: map[string]*sheet{}}
	for _, name := range was.order {
		if rapid.IntRange(0, 7).Draw(t, "goes") > 0 {
			f.order, f.of[name] = append(f.order, name), was.of[name].clone()
		}
	}
	for _, name := range names {
		if f.of[name] == nil && rapid.IntRange(0, 2).Draw(t, "comes") == 0 {
			f.order, f.of[name] = append(f.order, name), &sheet{parts: map[string]map[string]string{}, links: map[string]string{}}
		}
	}
	for i, name := range f.order {
		s := f.of[name]
		if rapid.IntRange(0, 7).Draw(t, "prefab") == 0 {
			s.prefab = rapid.SampledFrom([]string{"", "orc", "elf"}).Draw(t, "of")
		}
		for _, part := range []string{"Body", "Mood", "Flag", "Wild"} {
			switch rapid.IntRange(0, 5).Draw(t, part) {
			case 0:
				delete(s.parts, part)
			case 1, 2:
				if s.parts[part] == nil {
					s.parts[part] = map[string]string{}
				}
				for _, field := range slices.Sorted(maps.Keys(defaults[part])) {
					switch rapid.IntRange(0, 3).Draw(t, field) {
					case 0:
						delete(s.parts[part], field)
					case 1:
						s.parts[part][field] = drawValue(t, field, f)
					}
				}
			}
		}
		if s.parts["Wild"] != nil && (s.parts["Flag"] != nil || s.prefab == "elf") {
			delete(s.parts, "Wild")
		}
		if rapid.IntRange(0, 3).Draw(t, "parent") == 0 {
			delete(s.links, "ChildOf")
			if i > 0 && rapid.Bool().Draw(t, "has one") { // of those before it: no circles
				s.links["ChildOf"] = rapid.SampledFrom(f.order[:i]).Draw(t, "parent")
			}
		}
		if rapid.IntRange(0, 3).Draw(t, "love") == 0 {
			s.links["Love"] = rapid.SampledFrom(f.order).Draw(t, "loved")
		}
	}
	for i, name := range f.order { // names of those that went
		s := f.of[name]
		for relation, target := range s.links {
			if at := slices.Index(f.order, target); at < 0 || relation == "ChildOf" && at >= i {
				delete(s.links, relation)
			}
		}
		for _, fields := range s.parts {
			if who, ok := strings.CutPrefix(fields["who"], "@"); ok && f.of[who] == nil {
				fields["who"] = "0"
			}
		}
	}
	return f
}

// text writes a file as JSON.
func (f *file) text() string {
	var all []string
	for _, name := range f.order {
		s := f.of[name]
		e := map[string]any{}
		if s.prefab != "" {
			e["prefab"] = s.prefab
		}
		parts := map[string]any{}
		for part, fields := range s.parts {
			record, at := map[string]any{}, map[string]any{}
			for field, v := range fields {
				var value any = json.RawMessage(strings.ReplaceAll(v, `"@`, `"`))
				if who, ok := strings.CutPrefix(v, "@"); ok {
					value = who
				} else if field == "word" {
					value = v
				}
				if short, nested := strings.CutPrefix(field, "at."); nested {
					at[short] = value
					record["at"] = at
				} else {
					record[field] = value
				}
			}
			parts[part] = record
		}
		e["components"] = parts
		relations := map[string]string{}
		for relation, target := range s.links {
			if relation == "ChildOf" {
				e["parent"] = target
			} else {
				relations[relation] = target
			}
		}
		e["relations"] = relations
		one, _ := json.Marshal(e)
		all = append(all, fmt.Sprintf("%q: %s", name, one))
	}
	return `{"entities": {` + strings.Join(all, ",\n") + `}}`
}

// resolved is what a file says of an entity with prefab and defaults.
func (f *file) resolved(name string) *sheet {
	said := f.of[name]
	s := &sheet{prefab: said.prefab, parts: map[string]map[string]string{}, links: maps.Clone(said.links)}
	for _, from := range []map[string]map[string]string{given[said.prefab], said.parts} {
		for part, fields := range from {
			if s.parts[part] == nil {
				s.parts[part] = maps.Clone(defaults[part])
			}
			maps.Copy(s.parts[part], fields)
		}
	}
	return s
}

// model is what there should be.
type model struct {
	base  map[string]*sheet // what the file said last, and which entity it was
	world map[int]*sheet    // parts have "#id" for entities, links too
	last  int
}

func (m *model) written(id string) string {
	for name, s := range m.base {
		if id == fmt.Sprintf("#%d", s.id) {
			return "@" + name
		}
	}
	return id
}

// reload is the rule.
func (m *model) reload(f *file) {
	next := map[string]*sheet{}
	for _, name := range f.order {
		says := f.resolved(name)
		if was := m.base[name]; was != nil && was.prefab == says.prefab {
			says.id = was.id
		} else {
			m.last++
			says.id = m.last
			m.world[says.id] = &sheet{id: -1, parts: map[string]map[string]string{}, links: map[string]string{}} // fresh
		}
		next[name] = says
	}
	handle := func(text string) string {
		if name, ok := strings.CutPrefix(text, "@"); ok {
			return fmt.Sprintf("#%d", next[name].id)
		}
		return text
	}
	for _, name := range f.order {
		for _, fields := range next[name].parts {
			if who, ok := strings.CutPrefix(fields["who"], "@"); ok && m.world[next[who].id] == nil {
				fields["who"] = "0"
			}
		}
	}
	for _, name := range f.order {
		says, is, was := next[name], m.world[next[name].id], m.base[name]
		if is == nil {
			continue
		}
		if is.id == -1 {
			was = &sheet{}
			for part, fields := range says.parts {
				is.parts[part] = maps.Clone(fields)
				if fields["who"] != "" {
					is.parts[part]["who"] = handle(fields["who"])
				}
			}
			continue
		}
		for part := range was.parts {
			if says.parts[part] == nil {
				delete(is.parts, part)
			}
		}
		for part, fields := range says.parts {
			excluded := part == "Flag" && is.parts["Wild"] != nil || part == "Wild" && is.parts["Flag"] != nil
			switch {
			case is.parts[part] == nil && was.parts[part] == nil && !excluded:
				is.parts[part] = maps.Clone(fields)
				if fields["who"] != "" {
					is.parts[part]["who"] = handle(fields["who"])
				}
			case is.parts[part] != nil:
				for field, v := range fields {
					said, ok := was.parts[part][field]
					if !ok {
						said = defaults[part][field]
					}
					now := m.written(is.parts[part][field])
					if v != said && now == said || v == said && now == v {
						is.parts[part][field] = handle(v)
					}
				}
			}
		}
	}
	for _, name := range f.order {
		says, is, was := next[name], m.world[next[name].id], m.base[name]
		if is == nil {
			continue
		}
		fresh := is.id == -1
		if fresh {
			was = &sheet{}
		}
		for _, relation := range []string{"ChildOf", "Love"} {
			says, said := says.links[relation], was.links[relation]
			if says != "" && m.world[next[says].id] == nil {
				continue
			}
			now := strings.TrimPrefix(m.written(is.links[relation]), "@")
			to := ""
			if says != "" {
				to = fmt.Sprintf("#%d", next[says].id)
			}
			if (says != said && now == said || says == said && now == says) && is.links[relation] != to && !(relation == "ChildOf" && m.leads(to, next[name].id)) {
				if is.links[relation] = to; to == "" {
					delete(is.links, relation)
				}
			}
		}
		is.id = next[name].id
	}
	for name, was := range m.base {
		if s := next[name]; s == nil || s.id != was.id {
			m.kill(was.id)
		}
	}
	m.base = next
}

// leads reports whether a chain of parents leads to an entity.
func (m *model) leads(from string, to int) bool {
	for from != "" {
		if from == fmt.Sprintf("#%d", to) {
			return true
		}
		var id int
		_, _ = fmt.Sscanf(from, "#%d", &id)
		from = m.world[id].links["ChildOf"]
	}
	return false
}

// kill ends an entity and what is below it.
func (m *model) kill(id int) {
	if m.world[id] == nil {
		return
	}
	delete(m.world, id)
	for other, s := range m.world {
		for relation, target := range s.links {
			if target != fmt.Sprintf("#%d", id) {
				continue
			}
			if delete(s.links, relation); relation == "ChildOf" {
				m.kill(other)
			}
		}
	}
}

// play lets the game change something, in the world and in the model.
func (s *stage) play(t *rapid.T, m *model, base *Base) {
	var alive []string
	for _, name := range names {
		if b := m.base[name]; b != nil && m.world[b.id] != nil {
			alive = append(alive, name)
		}
	}
	if len(alive) == 0 {
		return
	}
	name := rapid.SampledFrom(alive).Draw(t, "entity")
	other := rapid.SampledFrom(alive).Draw(t, "other")
	e, o, is := base.Find(name).Entity, base.Find(other).Entity, m.world[m.base[name].id]
	to := fmt.Sprintf("#%d", m.base[other].id)
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	switch rapid.IntRange(0, 8).Draw(t, "play") {
	case 0:
		must(s.w.Despawn(e))
		m.kill(m.base[name].id)
	case 1:
		if s.w.SetParent(e, o) == nil {
			is.links["ChildOf"] = to
		}
	case 2:
		must(s.love.Set(e, o))
		is.links["Love"] = to
	case 3:
		must(s.love.Set(e, 0))
		delete(is.links, "Love")
	case 4:
		must(s.w.Remove(e, s.body, s.flag))
		delete(is.parts, "Body")
		delete(is.parts, "Flag")
	case 5:
		if is.parts["Flag"] == nil {
			must(s.wild.Set(e, Wild{3}))
			is.parts["Wild"] = map[string]string{"n": "3"}
		}
	case 6:
		must(s.mood.Set(e, Mood{Level: 4, Word: 1}))
		is.parts["Mood"] = map[string]string{"level": "4", "word": "angry"}
	default:
		if b := s.body.Edit(e); b != nil {
			b.HP, b.Who, b.At.Y, b.Marks[1] = 3, o, 6, 2
			fields := is.parts["Body"]
			fields["hp"], fields["who"], fields["at.y"] = "3", to, "6"
			fields["marks"] = fmt.Sprintf("[%d,2]", b.Marks[0])
		}
	}
}

// is writes what there is of an entity in the world, in the words of the model.
func (s *stage) is(e ecs.Entity, id func(ecs.Entity) string) string {
	if !s.w.Alive(e) {
		return "dead"
	}
	all := map[string]string{}
	r := s.w.Raw()
	for _, c := range r.Components(e, nil) {
		name := r.Schema(c).Name
		if defaults[name] == nil {
			continue
		}
		all[name] = "there"
		for _, f := range fieldsOf(r.Schema(c)) {
			all[name+"."+f.path] = string(f.text(nil, r.Pointer(e, c), id))
		}
	}
	for relation := range r.Relations() {
		if to := relation.Target(e); to != 0 {
			all[relation.Name()] = id(to)
		}
	}
	return fmt.Sprint(all)
}

// should is the same of the model.
func (m *model) should(id int) string {
	s := m.world[id]
	if s == nil {
		return "dead"
	}
	all := maps.Clone(s.links)
	for part, fields := range s.parts {
		all[part] = "there"
		for field, v := range fields {
			all[part+"."+field] = v
		}
	}
	return fmt.Sprint(all)
}

// TestTheRule: random files and random games, again and again, and the world is what the model says.
func TestTheRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newStage(t)
		defer func() { _ = s.w.Close() }()
		m, f := &model{base: map[string]*sheet{}, world: map[int]*sheet{}}, &file{}
		var base *Base
		ids := map[ecs.Entity]int{}
		id := func(e ecs.Entity) string {
			if e == 0 {
				return "0"
			}
			return fmt.Sprintf("#%d", ids[e])
		}
		for range rapid.IntRange(1, 5).Draw(t, "saves") {
			f = drawFile(t, f)
			plan, problems := s.read("x.json", f.text())
			if len(problems) > 0 {
				t.Fatalf("%v\n%s", problems, f.text())
			}
			base, _ = s.load(t, base, plan)
			m.reload(f)
			for _, name := range f.order {
				ids[base.Find(name).Entity] = m.base[name].id
			}
			for _, name := range f.order {
				if got, want := s.is(base.Find(name).Entity, id), m.should(m.base[name].id); got != want {
					t.Fatalf("%s is\n%s\nand should be\n%s\nby\n%s", name, got, want, f.text())
				}
			}
			if len(base.Entities) != len(f.order) {
				t.Fatalf("%d entities of %d", len(base.Entities), len(f.order))
			}
			for range rapid.IntRange(0, 5).Draw(t, "plays") {
				s.play(t, m, base)
			}
		}
		base, _ = s.load(t, base, nil)
		if s.w.Len() != 0 || len(base.Entities) != 0 {
			t.Fatalf("%d entities are left", s.w.Len())
		}
	})
}
