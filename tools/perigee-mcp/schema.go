package main

import (
	"encoding/json"
	"maps"
	"regexp"
)

// document is the part of the OpenAPI document that describes answers.
type document struct {
	Components struct {
		Schemas map[string]json.RawMessage `json:"schemas"`
	} `json:"components"`
}

// reference is how the document names another schema.
var reference = regexp.MustCompile(`"#/components/schemas/(\w+)"`)

// object returns the JSON Schema of an object with these properties, each a schema in JSON, in which "#Name"
// stands for a schema of the document. Those come with it.
func (d *document) object(properties map[string]string) json.RawMessage {
	defs, all := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for name, schema := range properties {
		all[name] = d.local(regexp.MustCompile(`"#(\w+)"`).ReplaceAll([]byte(schema), []byte(`{"$$ref": "#/components/schemas/$1"}`)), defs)
	}
	text, _ := json.Marshal(map[string]any{"type": "object", "properties": all, "$defs": defs}) // it is made of JSON
	return text
}

// of is the schema of the document with a name, and further properties.
func (d *document) of(name string, more map[string]string) json.RawMessage {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(d.Components.Schemas[name], &s) // without it the schema says less
	all := map[string]string{}
	for k, v := range s.Properties {
		all[k] = string(v)
	}
	maps.Copy(all, more)
	return d.object(all)
}

// local has references lead to definitions beside a schema, which are added to defs.
func (d *document) local(schema json.RawMessage, defs map[string]json.RawMessage) json.RawMessage {
	for _, m := range reference.FindAllSubmatch(schema, -1) {
		name := string(m[1])
		if _, ok := defs[name]; ok {
			continue
		}
		defs[name] = json.RawMessage("true")
		if s, ok := d.Components.Schemas[name]; ok {
			defs[name] = d.local(s, defs)
		}
	}
	return reference.ReplaceAll(schema, []byte(`"#/$$defs/$1"`))
}

// Schemas that are used often.
const (
	anInteger = `{"type": "integer"}`
	aNumber   = `{"type": "number"}`
	aText     = `{"type": "string"}`
	aBoolean  = `{"type": "boolean"}`
	aNext     = `{"type": "integer", "description": "the cursor of the next page; none: this is the last"}`
)

// listOf is the schema of a list.
func listOf(item string) string { return `{"type": "array", "items": ` + item + `}` }
