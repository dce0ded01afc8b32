package scene

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/nearest"
	"github.com/perigee-ecs/perigee/scripting/internal/data"
)

// TestProblems: what is wrong with a scene is said with its place, and with what was perhaps meant.
func TestProblems(t *testing.T) {
	deep := "return { entities = { e0 = {}"
	for i := range deepest + 1 {
		deep += fmt.Sprintf(", e%d = { parent = 'e%d' }", i+1, i)
	}
	for text, want := range map[string]string{
		"return { 1 }":                                               `x.lua:1:8: a scene is a table with the key entities, such as { entities = { … } }; this is a list`,
		"return {}":                                                  `x.lua:1:8: a scene has the key entities, such as { entities = { lamp = { … } } }`,
		"return { entitys = {} }":                                    `x.lua:1:10: a scene has no key "entitys" (did you mean "entities"?)`,
		"return { entities = { 1 } }":                                `x.lua:1:21: entities: expected a table of entities by name, got a list`,
		"return { entities = { a = 1 } }":                            `x.lua:1:27: entity "a": expected a table such as { components = { … } }, got a number`,
		"return { entities = { [''] = {} } }":                        `x.lua:1:24: "" cannot be the name of an entity: the name is empty`,
		"return { entities = { [' a'] = {} } }":                      `x.lua:1:24: " a" cannot be the name of an entity: the name begins or ends with a blank`,
		"return { entities = { ['a\\n'] = {} } }":                    `the name has characters that cannot be shown`,
		"return { entities = { a = { Body = {} } } }":                `x.lua:1:29: an entity of a scene has no key "Body": it has "prefab", "parent", "components" or "relations"`,
		"return { entities = { a = { component = {} } } }":           `has no key "component" (did you mean "components"?)`,
		"return { entities = { a = { prefab = 1 } } }":               `x.lua:1:38: prefab: expected a name in quotes, got a number`,
		"return { entities = { a = { parent = '' } } }":              `x.lua:1:38: parent: expected a name in quotes, got an empty text`,
		"return { entities = { a = { relations = { Love = 1 } } } }": `x.lua:1:50: the target: expected a name in quotes, got a number`,
		"return { entities = { a = { components = { 'Body' } } } }":  `x.lua:1:42: components: expected a table such as { Position = { x = 1 } }, got a list`,

		"return { entities = { a = { prefab = 'ork' } } }":                                                                 `x.lua:1:38: there is no prefab "ork" (did you mean "orc"?)`,
		"return { entities = { a = { components = { Bdy = {} } } } }":                                                      `x.lua:1:44: there is no component "Bdy" (did you mean "Body"?)`,
		"return { entities = { a = { components = { Body = 5 } } } }":                                                      `x.lua:1:51: Body: expected a table of fields, got a number`,
		"return { entities = { a = { components = { Flag = false } } } }":                                                  `x.lua:1:51: Flag: expected a table of fields, got a truth`,
		"return { entities = { a = { components = { Flag = { x = 1 } } } } }":                                              `x.lua:1:53: Flag has no field "x": it has no fields, so write {} or true`,
		"return { entities = { a = { components = { Body = { hq = 5 } } } } }":                                             `x.lua:1:53: Body has no field "hq" (did you mean "hp"?)`,
		"return { entities = { a = { components = { Body = { hp = 1.5 } } } } }":                                           `x.lua:1:58: Body.hp is i32 and takes whole numbers from -2147483648 to 2147483647, and not 1.5`,
		"return { entities = { a = { components = { Body = { hp = '5' } } } } }":                                           `x.lua:1:58: Body.hp: expected a number, got a text`,
		"return { entities = { a = { components = { Body = { name = 5 } } } } }":                                           `x.lua:1:60: Body.name: expected a text, got a number`,
		"return { entities = { a = { components = { Body = { marks = { 1 } } } } } }":                                      `x.lua:1:61: Body.marks: expected a list of 2 values, got one of 1`,
		"return { entities = { a = { components = { Body = { marks = { 1, 256 } } } } } }":                                 `x.lua:1:66: Body.marks, item 2 is u8 and takes whole numbers from 0 to 255, and not 256`,
		"return { entities = { a = { components = { Body = { at = { z = 1 } } } } } }":                                     `x.lua:1:60: Body.at has no field "z": it has "x" or "y"`,
		"return { entities = { a = { components = { Body = { at = { x = 1e300 } } } } } }":                                 `x.lua:1:64: Body.at.x is f32, and 1e+300 is too large for it`,
		"return { entities = { a = { components = { Body = { who = 7 } } } } }":                                            `x.lua:1:59: Body.who: expected the name of an entity of this scene, or 0, got a number`,
		"return { entities = { a = { components = { Body = { who = 'b' } } } } }":                                          `x.lua:1:59: Body: the scene has no entity "b"`,
		"return { entities = { a = { components = { Mood = { word = 'clam' } } } } }":                                      `x.lua:1:60: Mood.word: there is no word "clam" (did you mean "calm"?): there are calm, angry`,
		"return { entities = { a = { components = { Mood = { word = 1 } } } } }":                                           `x.lua:1:60: Mood.word: expected one of the words "calm" or "angry", got a number`,
		"return { entities = { a = { components = { Flag = true, Wild = {} } } } }":                                        `x.lua:1:23: entity "a" cannot be: "Flag" and "Wild" exclude each other`,
		"return { entities = { a = { prefab = 'elf', components = { Wild = {} } } } }":                                     `entity "a" cannot be: "Flag" and "Wild" exclude each other`,
		"return { entities = { guard = {}, a = { parent = 'gaurd' } } }":                                                   `x.lua:1:50: parent: the scene has no entity "gaurd" (did you mean "guard"?)`,
		"return { entities = { a = { relations = { Lov = 'a' } } } }":                                                      `x.lua:1:43: there is no relation "Lov" (did you mean "Love"?)`,
		"return { entities = { a = { relations = { ChildOf = 'a' } } } }":                                                  `x.lua:1:43: the parent of an entity stands beside its relations: parent = "a"`,
		"return { entities = { a = { parent = 'a' } } }":                                                                   `x.lua:1:38: parent goes in a circle: a → a`,
		"return { entities = { x = { parent = 'a' }, a = { parent = 'b' }, b = { parent = 'c' }, c = { parent = 'a' } } }": `parent goes in a circle: a → b → c → a`,
		deep + " } }": `parent: more than 500 entities are above each other`,
	} {
		s := newStage(t)
		name := "x.lua"
		f, err := data.Read("data/"+name, []byte(text), data.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		read, problems := Read(f)
		if len(problems) == 0 {
			_, problems = NewPlan(read, s.seen())
		}
		if len(problems) == 0 || !strings.Contains(strings.ReplaceAll(problems[0].Error(), "data/x.lua", "x.lua"), want) {
			t.Errorf("%.300s\n got %v\nwant %s", text, problems, want)
		}
		if s.w.Len() != 0 {
			t.Errorf("%s: there are entities", text)
		}
		_ = s.w.Close()
	}
}

// TestManyProblems: they are said together, and not more than anybody reads.
func TestManyProblems(t *testing.T) {
	s := newStage(t)
	defer func() { _ = s.w.Close() }()
	_, problems := s.read("x.json", `{"entities": {"a": {"components": {"Body": {"hp": "x", "name": 1}}}, "b": {"prefab": "?", "parent": "c"}}}`)
	if len(problems) != 4 {
		t.Errorf("%v", problems)
	}
	var many strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&many, `"e%d": {"parent": "none%d", "prefab": "none", "components": {"Nonne": 1}},`, i, i)
	}
	if _, problems := s.read("x.json", `{"entities": {`+strings.TrimSuffix(many.String(), ",")+`}}`); len(problems) != mostProblems {
		t.Errorf("%d problems", len(problems))
	}
}

// TestLimitsOfPlans: a prefab may stand for many entities.
func TestLimitsOfPlans(t *testing.T) {
	s := newStage(t)
	defer func() { _ = s.w.Close() }()
	f, err := data.Read("x.json", []byte(`{"entities": {"a": {"prefab": "elf"}, "b": {"prefab": "elf"}, "c": {"components": {"Body": {}}}}}`), data.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	read, problems := Read(f)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for most, want := range map[int]string{0: "", 5: "", 4: "the scene has more than 4 entities", 3: "the scene has more than 3 entities, children of its prefabs included (Limits.Spawned)"} {
		w := s.seen()
		w.Entities = most
		plan, problems := NewPlan(read, w)
		if want == "" && (len(problems) > 0 || plan.Size != 5) || want != "" && (len(problems) == 0 || !strings.Contains(problems[0].Error(), want)) {
			t.Errorf("%d: %v", most, problems)
		}
	}
	w := s.seen()
	w.Bytes = 1
	if _, problems := NewPlan(read, w); len(problems) == 0 || problems[0].Limit != "CommandBytes" {
		t.Errorf("%v", problems)
	}
}

// TestRefused: a scene for which there is no room, or whose end a relation forbids, changes nothing.
func TestRefused(t *testing.T) {
	w, err := ecs.Open(ecs.Options{MaxEntities: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	holds, err := w.Relation("Holds", ecs.RelationOptions{OnDespawn: ecs.Refuse})
	if err != nil {
		t.Fatal(err)
	}
	seen := Ground{Raw: w.Raw(), ChildOf: w.ChildOf()}
	plan := func(text string) *Proposal {
		f, err := data.Read("x.json", []byte(text), data.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		s, problems := Read(f)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		p, problems := NewPlan(s, seen)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return p
	}
	load := func(base *Base, p *Proposal) (next *Base, err error) {
		err = w.Run("load", func(t *ecs.Tick) (err error) {
			next, _, err = Load(t.Commands, seen, base, p)
			return err
		})
		return next, err
	}
	base, err := load(nil, plan(`{"entities": {"a": {"relations": {"Holds": "b"}}, "b": {}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := load(nil, plan(`{"entities": {"a": {}, "b": {}, "c": {}, "d": {}}}`)); err == nil || w.Len() != 2 {
		t.Errorf("%v, %d entities", err, w.Len())
	}
	holder := w.Spawn()
	if err := holds.Set(holder, base.Find("b").Entity); err != nil {
		t.Fatal(err)
	}
	if _, err := load(base, nil); err == nil || w.Len() != 3 {
		t.Errorf("%v, %d entities", err, w.Len())
	}
	if err := w.Despawn(holder); err != nil {
		t.Fatal(err)
	}
	if _, err := load(base, nil); err != nil || w.Len() != 0 {
		t.Errorf("%v, %d entities", err, w.Len())
	}
}

// drawBody draws a component with values that are hard to write.
func drawBody(t *rapid.T, who []ecs.Entity) Body {
	b := Body{HP: rapid.Int32().Draw(t, "hp"), Name: rapid.String().Draw(t, "name"), Who: rapid.SampledFrom(who).Draw(t, "who")}
	b.Marks[0], b.At.X, b.At.Y = rapid.Uint8().Draw(t, "mark"), rapid.Float32().Draw(t, "x"), rapid.SampledFrom([]float32{float32(math.Inf(-1)), 0.1, -0}).Draw(t, "y")
	return b
}

// TestRoundTrip: a random world, written as a scene and loaded into an empty one, is written as the
// same scene, and its components have the same bytes.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, other := newStage(t), newStage(t)
		defer func() { _, _ = s.w.Close(), other.w.Close() }()
		var all []ecs.Entity
		for range rapid.IntRange(0, 12).Draw(t, "entities") {
			all = append(all, s.w.Spawn())
		}
		some := append([]ecs.Entity{0}, all...)
		for i, e := range all {
			var err error
			if rapid.Bool().Draw(t, "body") {
				err = s.body.Set(e, drawBody(t, some))
			}
			if err == nil && rapid.Bool().Draw(t, "mood") {
				err = s.mood.Set(e, Mood{rapid.Float64().Draw(t, "level"), rapid.Uint8Range(0, 1).Draw(t, "word")})
			}
			if err == nil && rapid.Bool().Draw(t, "flag") {
				err = s.flag.Set(e, Flag{})
			}
			if err == nil && i > 0 && rapid.Bool().Draw(t, "child") {
				err = s.w.SetParent(e, all[rapid.IntRange(0, i-1).Draw(t, "parent")])
			}
			if err == nil && rapid.Bool().Draw(t, "loves") {
				err = s.love.Set(e, rapid.SampledFrom(some).Draw(t, "loved"))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		unnamed := func(ecs.Entity) string { return "" }
		for name, syntax := range map[string]Syntax{"data/x.lua": Lua, "x.json": JSON} {
			text, left := Write(s.seen(), all, Writing{Syntax: syntax, Name: unnamed})
			if len(left) > 0 {
				t.Fatalf("%v\n%s", left, text)
			}
			plan, problems := other.read(name, string(text))
			if len(problems) > 0 {
				t.Fatalf("%v\n%s", problems, text)
			}
			base, _ := other.load(t, nil, plan)
			made := map[ecs.Entity]ecs.Entity{0: 0}
			var order []ecs.Entity
			for i := range base.Entities {
				made[all[i]] = base.Entities[i].Entity
				order = append(order, base.Entities[i].Entity)
			}
			for _, e := range all {
				b, has := s.body.Get(e)
				b.Who = made[b.Who]
				if c, also := other.body.Get(made[e]); has != also || b != c && b.At.X == b.At.X {
					t.Fatalf("%v and %v, of %s", b, c, text)
				}
				m, has := s.mood.Get(e)
				if c, also := other.mood.Get(made[e]); has != also || math.Float64bits(m.Level) != math.Float64bits(c.Level) || m.Word != c.Word {
					t.Fatalf("%v and %v, of %s", m, c, text)
				}
				if s.flag.Has(e) != other.flag.Has(made[e]) || made[s.w.Parent(e)] != other.w.Parent(made[e]) || made[s.love.Target(e)] != other.love.Target(made[e]) {
					t.Fatalf("links and flags differ, of %s", text)
				}
			}
			if again, _ := Write(other.seen(), order, Writing{Syntax: syntax, Name: unnamed}); string(again) != string(text) {
				t.Fatalf("written\n%s\nand again\n%s", text, again)
			}
			other.load(t, base, nil)
			if other.w.Len() != 0 {
				t.Fatalf("%d entities are left", other.w.Len())
			}
		}
	})
}

// TestWhatNoSceneSays: it is left out and listed, and the rest is a scene.
func TestWhatNoSceneSays(t *testing.T) {
	type Huge struct {
		N uint64
		I int64
		K uint8 `ecs:",enum=a|b"`
		S string
		P *int
	}
	s := newStage(t)
	defer func() { _ = s.w.Close() }()
	huge := ecs.Register[Huge](s.w)
	out := s.w.Spawn()
	e := s.w.Spawn(huge.With(Huge{1 << 60, -1 << 60, 9, "\xff", new(int)}), s.body.With(Body{Who: out}))
	if err := s.w.SetParent(e, out); err != nil {
		t.Fatal(err)
	}
	text, left := Write(s.seen(), []ecs.Entity{e}, Writing{Name: func(ecs.Entity) string { return "end" }})
	want := []string{
		"end: parent leads to an entity that is not written", "end.Body.who leads to an entity that is not written",
		"end.Huge.n: a whole number beyond 2⁵³", "end.Huge.i: a whole number beyond 2⁵³", "end.Huge.k: the enum has no word of number 9", "end.Huge.s: the text is no UTF-8",
		"end.Huge.p: only the program can read it",
	}
	var got []string
	for _, o := range left {
		if got = append(got, o.Text); o.Link != strings.Contains(o.Text, "leads to") {
			t.Errorf("%q is a link: %v", o.Text, o.Link)
		}
	}
	if slices.Sort(got); fmt.Sprint(got) != fmt.Sprint(slices.Sorted(slices.Values(want))) {
		t.Errorf("%q", got)
	}
	if _, problems := s.read("data/x.lua", string(text)); len(problems) > 0 || !strings.Contains(string(text), `["end"] = {`) || !strings.Contains(string(text), "Huge = {}") {
		t.Errorf("%v\n%s", problems, text)
	}
}

// valid holds a value against a JSON Schema: those of its words that JSONSchema uses.
func valid(root, schema map[string]any, v any) bool {
	if ref, ok := schema["$ref"].(string); ok {
		return valid(root, root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any), v)
	}
	if some, ok := schema["anyOf"].([]any); ok && !slices.ContainsFunc(some, func(s any) bool { return valid(root, s.(map[string]any), v) }) {
		return false
	}
	if words, ok := schema["enum"].([]any); ok && !slices.Contains(words, v) {
		return false
	}
	if c, ok := schema["const"]; ok && c != v {
		return false
	}
	number, isNumber := v.(float64)
	switch schema["type"] {
	case "string":
		_, ok := v.(string)
		return ok
	case "boolean":
		_, ok := v.(bool)
		return ok
	case "number":
		return isNumber
	case "integer":
		return isNumber && number == math.Trunc(number) && number >= schema["minimum"].(float64) && number <= schema["maximum"].(float64)
	case "array":
		list, ok := v.([]any)
		return ok && float64(len(list)) == schema["minItems"] && !slices.ContainsFunc(list, func(v any) bool { return !valid(root, schema["items"].(map[string]any), v) })
	case "object":
		record, ok := v.(map[string]any)
		if !ok {
			return false
		}
		properties, _ := schema["properties"].(map[string]any)
		for key, item := range record {
			of, ok := properties[key].(map[string]any)
			if !ok {
				if of, ok = schema["additionalProperties"].(map[string]any); !ok {
					return false
				}
			}
			if !valid(root, of, item) {
				return false
			}
		}
		required, _ := schema["required"].([]any)
		return !slices.ContainsFunc(required, func(key any) bool { return record[key.(string)] == nil })
	}
	return true
}

// TestJSONSchema: the schema accepts what scenes are, and refuses what they are not.
func TestJSONSchema(t *testing.T) {
	s := newStage(t)
	defer func() { _ = s.w.Close() }()
	var schema map[string]any
	if err := json.Unmarshal(JSONSchema(s.seen()), &schema); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		`{"entities": {}}`: true, `{}`: false, `{"entities": {}, "x": 1}`: false, `{"$schema": "s.json", "entities": {"a": {}}}`: true,
		`{"entities": {"a": {"prefab": "orc", "parent": "b", "relations": {"Love": "a"}, "components": {"Flag": true, "Mood": {"word": "angry", "level": "NaN"}}}}}`: true,
		`{"entities": {"a": {"components": {"Flag": {}, "Body": {"hp": 5, "who": 0, "marks": [1, 2], "at": {"x": 1.5}, "name": "n"}}}}}`:                             true,
		`{"entities": {"a": {"components": {"Body": {"hp": 5.5}}}}}`:                                                                                                 false,
		`{"entities": {"a": {"components": {"Body": {"who": 7}}}}}`:                                                                                                  false,
		`{"entities": {"a": {"components": {"Body": {"marks": [1]}}}}}`:                                                                                              false,
		`{"entities": {"a": {"components": {"Body": {"marks": [1, 256]}}}}}`:                                                                                         false,
		`{"entities": {"a": {"components": {"Body": {"at": {"z": 1}}}}}}`:                                                                                            false,
		`{"entities": {"a": {"components": {"Flag": false}}}}`:                                                                                                       false,
		`{"entities": {"a": {"components": {"Nobody": {}}}}}`:                                                                                                        false,
		`{"entities": {"a": {"components": {"Mood": {"word": "mad"}}}}}`:                                                                                             false,
		`{"entities": {"a": {"prefab": "ork"}}}`:                                                                                                                     false,
		`{"entities": {"a": {"relations": {"ChildOf": "b"}}}}`:                                                                                                       false,
	} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if got := valid(schema, schema, v); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// FuzzScene: no text makes a plan that a world does not take, and no error is without a place.
func FuzzScene(f *testing.F) {
	f.Add([]byte(`return { entities = { a = { prefab = "elf", parent = "b", components = { Body = { who = "b", at = { x = 1 } } } }, b = { relations = { Love = "a" } } } }`), true)
	f.Add([]byte(`{"entities": {"a": {"components": {"Mood": {"word": "angry"}, "Wild": {"n": 3}}}}}`), false)
	s := newStage(f)
	f.Fuzz(func(t *testing.T, text []byte, lua bool) {
		name := map[bool]string{true: "data/x.lua", false: "x.json"}[lua]
		plan, problems := s.read(name, string(text))
		for _, p := range problems {
			if p.Script != name || p.Line < 1 || p.Column < 1 {
				t.Fatalf("no place: %v", p)
			}
		}
		if len(problems) > 0 {
			return
		}
		base, changes := s.load(t, nil, plan)
		if s.w.Len() != plan.Size || changes.Spawned != len(plan.entities) {
			t.Fatalf("%d entities, planned %d", s.w.Len(), plan.Size)
		}
		again, problems := s.read(name, string(text))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		next, changes := s.load(t, base, again)
		if changes != (Outcome{}) {
			t.Fatalf("the same file again changes %+v", changes)
		}
		if s.load(t, next, nil); s.w.Len() != 0 {
			t.Fatalf("%d entities are left", s.w.Len())
		}
	})
}

// TestManyNamesAreNotLookedFor: of a scene in which thousands of names do not exist, names are proposed for the first
// ones, and nothing is looked at when nobody would read of it.
func TestManyNamesAreNotLookedFor(t *testing.T) {
	long := strings.Repeat("n", 50)
	var wrong, parents, prefabs strings.Builder
	for i := range 400 {
		fmt.Fprintf(&wrong, `"%s%03d": {},`, long, i)
		fmt.Fprintf(&parents, `"%s%03d": {"parent": "%[1]s%03[2]dx"},`, long, i)
		fmt.Fprintf(&prefabs, `"e%d": {"prefab": "%s%03[1]d"},`, i, long)
	}
	list := func(b *strings.Builder) string { return strings.TrimSuffix(b.String(), ",") }
	known := make([]string, 400)
	for i := range known {
		known[i] = fmt.Sprintf("%s%03dy", long, i)
	}
	for what, text := range map[string]string{
		"components": `{"entities": {"a": {"components": {` + list(&wrong) + `}}}}`,
		"parents":    `{"entities": {` + list(&parents) + `}}`,
		"prefabs":    `{"entities": {` + list(&prefabs) + `}}`,
	} {
		s := newStage(t)
		for i := range known {
			if _, err := s.w.Raw().Define(ecs.Schema{Name: known[i]}, false); err != nil {
				t.Fatal(err)
			}
		}
		f, err := data.Read("x.json", []byte(text), data.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		read, _ := Read(f)
		ground, asked := s.seen(), 0
		ground.Prefabs = func() []string { asked++; return known }
		before := nearest.Letters()
		if _, problems := NewPlan(read, ground); len(problems) != mostProblems {
			t.Errorf("%s: %d problems", what, len(problems))
		}
		if n := nearest.Letters() - before; n > 100_000 || asked > 1 {
			t.Errorf("%s: %d letters were compared, the prefabs listed %d times", what, n, asked)
		}
		meant := 0
		ground.Problems, ground.Meant = 1, func(string, func() []string) string { meant++; return "" }
		if _, problems := NewPlan(read, ground); len(problems) != 1 || meant != 1 {
			t.Errorf("%s: %d problems where one is wanted, %d proposals", what, len(problems), meant)
		}
		_ = s.w.Close()
	}
}
