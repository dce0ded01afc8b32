package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// nothing are the arguments of a tool that has none.
type nothing struct{}

// named are the arguments of a list whose items have names.
type named struct {
	Name string `json:"name,omitempty" jsonschema:"a part of the name, in any case; empty: all"`
	paging
}

// addLooks adds the tools that only look.
func (s *server) addLooks() {
	d := &s.document
	add(s, look, &mcp.Tool{Name: "status", Description: "How the game is: tick, entities, whether it is paused, how many faults there were, and the verdict over the last scripts that were saved (last_reload).",
		OutputSchema: d.of("Status", nil)}, s.status)
	add(s, look, &mcp.Tool{Name: "list_components", Description: "Components of the game with their fields (name, kind, words of enums), their size in bytes, and how many entities have them.",
		OutputSchema: d.object(map[string]string{"components": listOf(`"#Component"`), "total": anInteger, "next": aNext})},
		func(ctx context.Context, a named) (any, error) {
			return s.list(ctx, "/components", "components", a, 50)
		})
	add(s, look, &mcp.Tool{Name: "list_systems", Description: "Systems in running order: phase, stage, what they read and write, how often they ran and how long (microseconds), and why an each function is not compiled (kernel.reason, at kernel.line).",
		OutputSchema: d.object(map[string]string{"systems": listOf(`"#System"`), "total": anInteger, "next": aNext})},
		func(ctx context.Context, a named) (any, error) { return s.list(ctx, "/systems", "systems", a, 25) })
	add(s, look, &mcp.Tool{Name: "query_entities", Description: "Entities that match a query, with their values. A page may be empty and still have a next one: one call looks at 10,000 rows at most.",
		OutputSchema: d.of("Entities", nil)}, s.queryEntities)
	add(s, look, &mcp.Tool{Name: "get_entity", Description: "One entity with its values, parent, children and relations.", OutputSchema: d.of("Entity", nil)}, s.getEntity)
	add(s, look, &mcp.Tool{Name: "list_faults", Description: "What has failed in scripts and systems, the newest first: message, script, line, the source line with a traceback (detail), the limit that was reached, how often. total_faults counts all since the game began.",
		OutputSchema: d.object(map[string]string{"faults": listOf(`"#Fault"`), "total": anInteger, "total_faults": anInteger, "next": aNext})}, s.listFaults)
	add(s, look, &mcp.Tool{Name: "list_scripts", Description: "Scripts that are loaded, with the number of faults and notes at their lines.",
		OutputSchema: d.object(map[string]string{"scripts": listOf(`{"type": "object"}`), "total": anInteger, "next": aNext})},
		func(ctx context.Context, a named) (any, error) { return s.list(ctx, "/scripts", "scripts", a, 100) })
	add(s, look, &mcp.Tool{Name: "read_script", Description: "The text of a script as it runs, from a line on, and what is wrong at these lines: faults, refused reloads, why a function is not compiled. With refused: the newer text that the last reload has refused, at whose lines the notes of the kind refused are.",
		OutputSchema: d.object(map[string]string{"path": aText, "text": aText, "from": anInteger, "lines": `{"type": "integer", "description": "of the whole text"}`,
			"next": `{"type": "integer", "description": "from of the next part; none: this is the end"}`, "notes": listOf(`{"type": "object"}`),
			"was_refused": `{"type": "boolean", "description": "the last reload has refused a newer text: ask again with refused"}`})}, s.readScript)
	add(s, look, &mcp.Tool{Name: "check_scripts", Description: "What is wrong with new texts of scripts, as perigee check says it, beside the game: nothing changes, no file is written. Give all files that change together.",
		OutputSchema: d.of("Checked", nil)}, func(ctx context.Context, a texts) (any, error) { return s.texts(ctx, "/check", a) })
	add(s, look, &mcp.Tool{Name: "get_world", Description: "Memory and storage: archetypes (pages of them), pools, events that wait, warnings.",
		OutputSchema: d.of("World", map[string]string{"total": anInteger, "next": aNext})}, s.getWorld)
}

// status is what the game says of itself.
func (s *server) status(ctx context.Context, _ nothing) (any, error) {
	var out map[string]json.RawMessage
	err := s.game.get(ctx, "/status", nil, &out)
	return out, err
}

// list returns a page of a list that the game has whole.
func (s *server) list(ctx context.Context, path, name string, a named, usual int) (any, error) {
	var all map[string][]json.RawMessage
	if err := s.game.get(ctx, path, nil, &all); err != nil {
		return nil, err
	}
	items := all[name]
	if a.Name != "" {
		items = slices.DeleteFunc(items, func(item json.RawMessage) bool { return !hasName(item, a.Name) })
	}
	p, err := a.of(items, usual)
	if err != nil {
		return nil, err
	}
	return p.answer(name), nil
}

// hasName reports whether an item is named by a part of its name, or of its path.
func hasName(item json.RawMessage, part string) bool {
	var one struct{ Name, Path string }
	return json.Unmarshal(item, &one) == nil && strings.Contains(strings.ToLower(one.Name+one.Path), strings.ToLower(part))
}

// queryArgs are the arguments of query_entities.
type queryArgs struct {
	Query      string   `json:"query,omitempty" jsonschema:"such as Position, !Frozen, ?Velocity, any(Poison|Burning), Health.hp < 50; empty: all entities"`
	Name       string   `json:"name,omitempty" jsonschema:"a part of the name of the entity: of its component Name, or Label"`
	Components []string `json:"components,omitempty" jsonschema:"show the values of these components only; empty: of all"`
	paging
}

// usualEntities are the entities of a page.
const usualEntities = 20

// mostQuery bounds a query, in bytes: it stands in the address of a request.
const mostQuery = 4 << 10

// entity is an entity in an answer.
type entity struct {
	ID         uint64                     `json:"id"`
	Slot       uint32                     `json:"slot"`
	Generation uint32                     `json:"generation"`
	Prefab     bool                       `json:"prefab,omitempty"`
	Parent     uint64                     `json:"parent,omitempty"`
	Children   []uint64                   `json:"children,omitempty"`
	Relations  []json.RawMessage          `json:"relations,omitempty"`
	Components map[string]json.RawMessage `json:"components"`
	Assets     map[string]string          `json:"assets,omitempty"`
	Error      string                     `json:"error,omitempty"`
}

// entities is a page of them.
type entities struct {
	Entities []entity `json:"entities"`
	Rows     int      `json:"rows"`
	Looked   int      `json:"looked"`
	Next     int      `json:"next,omitempty"`
}

// queryEntities asks for a page. One that is too long is asked for again with as many entities as there is
// room for: only the game knows the cursor after the last of them.
func (s *server) queryEntities(ctx context.Context, a queryArgs) (any, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	if len(a.Query)+len(a.Name) > mostQuery {
		return nil, fmt.Errorf("query and name have %d bytes, more than %d", len(a.Query)+len(a.Name), mostQuery)
	}
	limit := cmp.Or(a.Limit, usualEntities)
	for {
		var out entities
		q := url.Values{"query": {a.Query}, "name": {a.Name}, "limit": {strconv.Itoa(limit)}, "cursor": {strconv.Itoa(a.Cursor)}}
		if err := s.game.get(ctx, "/entities", q, &out); err != nil {
			return nil, err
		}
		fits := fit(out.Entities, a.Components)
		if fits == len(out.Entities) || limit == 1 {
			return out, nil
		}
		limit = max(fits, 1)
	}
}

// fit leaves only these components of entities, and returns how many of them there is room for: at least one, if there is
// one. The values of one that is too long alone are left out.
func fit(list []entity, components []string) int {
	size := 0
	for n := range list {
		one := list[n].only(components)
		if n > 0 && size+one > mostAnswer {
			return n
		}
		size += one
	}
	return len(list)
}

// only leaves the components that are wanted, and returns the size of the entity in bytes of JSON.
func (e *entity) only(components []string) int {
	if len(components) > 0 {
		for name := range e.Components {
			if !slices.Contains(components, name) {
				delete(e.Components, name)
			}
		}
	}
	size := 200 + 22*len(e.Children) + len(e.Error)
	for _, r := range e.Relations {
		size += len(r)
	}
	for _, path := range e.Assets {
		size += len(path) + 20
	}
	values, names := 0, []string{}
	for name, text := range e.Components {
		values += len(name) + len(text) + 5
		names = append(names, name)
	}
	if values+size > mostAnswer {
		slices.Sort(names)
		e.Components, e.Error = map[string]json.RawMessage{}, fmt.Sprintf("its values have %d bytes, too many for an answer: ask for some of the components %s", values, cut(strings.Join(names, ", "), 1000))
		values = len(e.Error)
	}
	return size + values
}

// entityArgs name an entity.
type entityArgs struct {
	Entity     uint64   `json:"entity" jsonschema:"the id of the entity"`
	Components []string `json:"components,omitempty" jsonschema:"show the values of these components only; empty: of all"`
}

// pathOf is the path of an entity.
func pathOf(id uint64) string { return "/entities/" + strconv.FormatUint(id, 10) }

func (s *server) getEntity(ctx context.Context, a entityArgs) (any, error) {
	var out entity
	if err := s.game.get(ctx, pathOf(a.Entity), nil, &out); err != nil {
		return nil, err
	}
	out.only(a.Components)
	return out, nil
}

// mostDetail bounds a text of a fault, in bytes.
const mostDetail = 2000

// shortFault shortens the texts of a fault.
func shortFault(text json.RawMessage) json.RawMessage {
	var f map[string]any
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if d.Decode(&f) != nil {
		return json.RawMessage("{}")
	}
	for k, v := range f {
		if t, ok := v.(string); ok {
			f[k] = cut(t, mostDetail)
		}
	}
	out, _ := json.Marshal(f) // it was JSON
	return out
}

func (s *server) listFaults(ctx context.Context, a paging) (any, error) {
	var all struct {
		Total  uint64            `json:"total"`
		Recent []json.RawMessage `json:"recent"`
	}
	if err := s.game.get(ctx, "/faults", nil, &all); err != nil {
		return nil, err
	}
	slices.Reverse(all.Recent)
	for n := range all.Recent {
		all.Recent[n] = shortFault(all.Recent[n])
	}
	p, err := a.of(all.Recent, 10)
	if err != nil {
		return nil, err
	}
	out := p.answer("faults")
	out["total_faults"] = all.Total
	return out, nil
}

// readArgs are the arguments of read_script.
type readArgs struct {
	Path    string `json:"path" jsonschema:"as list_scripts has it, such as ai/wolf.lua"`
	From    int    `json:"from,omitempty" jsonschema:"the first line, from 1; 0: the first"`
	Lines   int    `json:"lines,omitempty" jsonschema:"how many lines at most; 0: as many as there is room for"`
	Refused bool   `json:"refused,omitempty" jsonschema:"the newer text that the last reload has refused, instead of the one that runs"`
}

// scriptPath escapes a path for the address of a request. Why are .. and the like refused here? Clients and servers
// of HTTP take them out, and the request would be another one.
func scriptPath(path string) (string, error) {
	parts := strings.Split(path, "/")
	for n, p := range parts {
		if p == "" || p == "." || p == ".." || len(path) > 1000 {
			return "", fmt.Errorf("%.200q is no path of a script: expected one in the folder of the game, such as ai/wolf.lua; list_scripts has them", path)
		}
		parts[n] = url.PathEscape(p)
	}
	return "/scripts/" + strings.Join(parts, "/"), nil
}

// script is a script as the game has it.
type script struct {
	Path    string            `json:"path"`
	Text    string            `json:"text"`
	Refused *string           `json:"refused"`
	Notes   []json.RawMessage `json:"notes"`
}

// script asks for a script.
func (s *server) script(ctx context.Context, path string) (out script, err error) {
	at, err := scriptPath(path)
	if err == nil {
		err = s.game.get(ctx, at, nil, &out)
	}
	return out, err
}

func (s *server) readScript(ctx context.Context, a readArgs) (any, error) {
	if a.From < 0 || a.Lines < 0 {
		return nil, errors.New("from is the number of a line, from 1, and lines is how many")
	}
	whole, err := s.script(ctx, a.Path)
	if err != nil {
		return nil, err
	}
	if a.Refused {
		if whole.Refused == nil {
			return nil, fmt.Errorf("no text of %.200q was refused by the last reload: read it without refused", a.Path)
		}
		whole.Text = *whole.Refused
	}
	lines := strings.SplitAfter(whole.Text, "\n")
	from := max(a.From, 1)
	if from > len(lines) {
		return nil, fmt.Errorf("the script has %d lines", len(lines))
	}
	text, to := "", from-1 // lines before it are in the text
	for to < len(lines) && (a.Lines == 0 || to < from-1+a.Lines) {
		line := cut(lines[to], mostLine)
		if quoted(text)+quoted(line) > mostAnswer/2 && text != "" {
			break
		}
		text += line
		to++
	}
	out := map[string]any{"path": whole.Path, "text": text, "from": from, "lines": len(lines), "notes": notesOf(whole.Notes, from, to)}
	if whole.Refused != nil {
		out["was_refused"] = true
	}
	if to < len(lines) {
		out["next"] = to + 1
	}
	return out, nil
}

// mostLine bounds a line of a script in an answer, in bytes.
const mostLine = 4 << 10

// quoted is how long a text is as JSON, at most.
func quoted(text string) int {
	n := len(text)
	for k := range len(text) {
		if c := text[k]; c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c >= 0x80 {
			n += 5
		}
	}
	return n
}

// notesOf returns the first notes at some lines, and those of the whole file.
func notesOf(all []json.RawMessage, from, to int) []json.RawMessage {
	list, size := []json.RawMessage{}, 0
	for _, text := range all {
		var at struct {
			Line int `json:"line"`
		}
		if json.Unmarshal(text, &at) != nil || at.Line != 0 && (at.Line < from || at.Line > to) {
			continue
		}
		note := shortFault(text)
		if size += len(note); size > mostAnswer/4 {
			break
		}
		list = append(list, note)
	}
	return list
}

// texts are the arguments of check_scripts and stage_scripts.
type texts struct {
	Texts map[string]string `json:"texts" jsonschema:"the whole text of each script, by its path in the folder of the game, such as ai/wolf.lua"`
}

// checked is what is wrong with texts.
type checked struct {
	Problems []json.RawMessage `json:"problems"`
	Notes    []json.RawMessage `json:"notes"`
	Staged   bool              `json:"staged"`
}

// texts has the game try texts.
func (s *server) texts(ctx context.Context, path string, a texts) (*checked, error) {
	if len(a.Texts) == 0 {
		return nil, errors.New(`expected texts: paths of scripts and their whole texts, such as {"game.lua": "local ecs = require \"ecs\""}`)
	}
	var out checked
	if err := s.game.ask(ctx, "POST", path, a, &out); err != nil {
		return nil, err
	}
	out.Problems, out.Notes = shortFaults(out.Problems), shortFaults(out.Notes)
	return &out, nil
}

// shortFaults shortens the texts of faults, and leaves out those for which there is no room.
func shortFaults(list []json.RawMessage) []json.RawMessage {
	out, size := []json.RawMessage{}, 0
	for _, f := range list {
		f = shortFault(f)
		if size += len(f); size > mostAnswer/2 {
			break
		}
		out = append(out, f)
	}
	return out
}

// getWorld returns the world with a page of its archetypes. Histories are for eyes, and left out.
func (s *server) getWorld(ctx context.Context, a paging) (any, error) {
	var out map[string]json.RawMessage
	if err := s.game.get(ctx, "/world", nil, &out); err != nil {
		return nil, err
	}
	for _, name := range []string{"archetypes", "pools", "events", "resources", "warnings"} {
		var items []json.RawMessage
		_ = json.Unmarshal(out[name], &items) // what is no list is none
		for n := range items {
			items[n] = withoutHistory(items[n])
		}
		p, err := paging{}.of(items, 50)
		if name == "archetypes" {
			p, err = a.of(items, 25)
			out["total"] = json.RawMessage(strconv.Itoa(p.Total))
			if p.Next > 0 {
				out["next"] = json.RawMessage(strconv.Itoa(p.Next))
			}
		}
		if err != nil {
			return nil, err
		}
		out[name], _ = json.Marshal(p.Items) // it was JSON
	}
	return out, nil
}

// withoutHistory leaves out the history of an item.
func withoutHistory(item json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(item, &fields) != nil || fields["history"] == nil {
		return item
	}
	delete(fields, "history")
	text, _ := json.Marshal(fields) // it was JSON
	return text
}
