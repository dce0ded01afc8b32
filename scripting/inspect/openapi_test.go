package inspect_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/inspect"
)

// TestTheDocumentHasAllRoutes: those of the code and those of the document are the same.
func TestTheDocumentHasAllRoutes(t *testing.T) {
	g := newGame(t, inspect.Options{})
	document := g.get("/api/v1/openapi.json")
	text, err := os.ReadFile("api.go")
	must(t, err)
	var coded, told []string
	for _, m := range regexp.MustCompile(`(?m)get\("([^"]+)"|change\("(\w+)", "([^"]+)"|"(GET|POST) /api/v1(/[^"]+)"`).FindAllStringSubmatch(string(text), -1) {
		method := "get"
		if m[2]+m[4] != "" {
			method = strings.ToLower(m[2] + m[4])
		}
		coded = append(coded, method+" "+strings.ReplaceAll(m[1]+m[3]+m[5], "...", ""))
	}
	for path, methods := range at(document, "paths").(map[string]any) {
		for method := range methods.(map[string]any) {
			told = append(told, method+" "+path)
		}
	}
	slices.Sort(coded)
	slices.Sort(told)
	if !slices.Equal(coded, told) {
		t.Errorf("the code has\n%q\nthe document\n%q", coded, told)
	}
	if len(told) < 15 {
		t.Errorf("only %d routes", len(told))
	}
}

// TestAnswersAreAsTheDocumentSays: no answer has a field that it does not name, or of another type.
func TestAnswersAreAsTheDocumentSays(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true, Edit: true, Journal: true})
	document := g.get("/api/v1/openapi.json")
	c := checker{t, at(document, "components", "schemas").(map[string]any), map[string]bool{}}
	g.get("/api/v1/ticks")
	kept := g.keep(6)
	g.inside(func(w *ecs.World) { must(t, w.SetParent(w.Spawn(), w.Spawn())) })
	schema := func(path string) any {
		return at(document, "paths", path, "get", "responses", "200", "content", "application/json", "schema")
	}
	for path, example := range map[string]string{
		"/status": "", "/time": "", "/faults": "", "/entities": "?query=Position", "/entities/{id}": "/entities/@1", "/components": "", "/systems": "",
		"/journal": "?limit=200", "/rewind": "", "/rewind/changes": fmt.Sprintf("?from=%v&to=%v", at(kept, 0), at(kept, 5)),
		"/scripts": "", "/scripts/{path}": "/scripts/odd/faulty.lua", "/world": "", "/trace": "?ticks=1",
		"/relations": "", "/tree": "", "/schedule": "", "/schedule/{name}": "/schedule/heal", "/ticks": "", "/ticks/{tick}": "/ticks/slowest",
	} {
		if !strings.HasPrefix(example, "/") {
			example = path + example
		}
		if example == "/ticks/slowest" {
			example = fmt.Sprintf("/ticks/%v", at(g.get("/api/v1/ticks"), "slowest", 0, "tick"))
		}
		c.check(path, schema(path), g.get("/api/v1"+example))
	}
	for _, path := range []string{"/check", "/stage"} {
		answer := g.call("POST", "/api/v1"+path, `{"texts": {"a.lua": "x = = 1"}}`, 200)
		c.check(path, at(document, "paths", path, "post", "responses", "200", "content", "application/json", "schema"), answer)
	}
	g.call("POST", "/api/v1/stage", `{"texts": {"more.lua": "local x = 1"}}`, 200)
	for at(g.get("/api/v1/status"), "last_reload") == nil {
	}
	c.check("/status after a reload", schema("/status"), g.get("/api/v1/status"))
	for path, body := range map[string]string{"/console": `{"text": "print(1) ecs.spawn(\"Position\") return { ecs.count(\"Position\"), a = { 1 } }, ecs.find(\"Position\")"}`, "/console/undo": `{"run": 1}`, "/console/complete": `{"text": "ecs."}`} {
		if path == "/console/undo" {
			g.call("POST", "/api/v1/console", `{"text": "ecs.spawn(\"Position\")"}`, 200)
			body = fmt.Sprintf(`{"run": %v}`, at(g.call("POST", "/api/v1/console", `{"text": "ecs.spawn(\"Position\")"}`, 200), "run"))
		}
		c.check(path, at(document, "paths", path, "post", "responses", "200", "content", "application/json", "schema"), g.call("POST", "/api/v1"+path, body, 200))
	}
	if missed := []string{"Pulse", "Error", "Spawner"}; true { // the other tests see them
		for name := range c.schemas {
			if !c.seen[name] && !slices.Contains(missed, name) {
				t.Errorf("no answer is a %s", name)
			}
		}
	}
}

// checker holds values against schemas of the document.
type checker struct {
	t       *testing.T
	schemas map[string]any
	seen    map[string]bool
}

func (c *checker) check(where string, schema, v any) {
	if ref, ok := at(schema, "$ref").(string); ok {
		name := ref[strings.LastIndex(ref, "/")+1:]
		c.seen[name] = true
		schema = c.schemas[name]
	}
	kind := map[string]string{"string": "string", "number": "float64", "integer": "float64", "boolean": "bool", "array": "[]interface {}", "object": "map[string]interface {}"}[fmt.Sprint(at(schema, "type"))]
	if fmt.Sprintf("%T", v) != kind {
		c.t.Errorf("%s: %T (%.80v), the document says %v", where, v, v, at(schema, "type"))
		return
	}
	switch v := v.(type) {
	case []any:
		for n, item := range v {
			c.check(fmt.Sprintf("%s[%d]", where, n), at(schema, "items"), item)
		}
	case map[string]any:
		named, _ := at(schema, "properties").(map[string]any)
		if named == nil {
			return // any object
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if named[name] == nil {
				c.t.Errorf("%s.%s is not in the document", where, name)
			} else {
				c.check(where+"."+name, named[name], v[name])
			}
		}
	}
}
