package scene

import (
	"encoding/json"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// object is a JSON object.
type object map[string]any

// JSONSchema returns the JSON Schema, of the draft 2020-12, of the scenes of a world: which components
// there are, their fields, the kinds and ranges of these, the prefabs and relations. An editor
// that knows it proposes names and finds mistakes. What no schema can say, such as that a name leads
// to an entity, only loading finds. The same world gives the same text.
func JSONSchema(w Ground) []byte {
	components := object{}
	for _, name := range Components(w.Raw) {
		id, _ := w.ComponentNamed(name)
		components[name] = componentSchema(w.Schema(id))
	}
	relations := object{}
	for r := range w.Relations() {
		if r != w.ChildOf {
			relations[r.Name()] = object{"type": "string", "description": "the name of an entity of this scene"}
		}
	}
	prefab := object{"type": "string", "description": "a prefab that a script declares"}
	if names := w.Prefabs(); len(names) > 0 {
		slices.Sort(names)
		prefab["enum"] = slices.Compact(names)
	}
	text, _ := json.MarshalIndent(object{ // no value here has an error
		"$schema":              "https://json-schema.org/draft/2020-12/schema",
		"title":                "A scene of Perigee",
		"type":                 "object",
		"required":             []string{"entities"},
		"additionalProperties": false,
		"properties": object{
			"$schema":  object{"type": "string"},
			"entities": object{"type": "object", "description": "the entities, by name", "additionalProperties": object{"$ref": "#/$defs/entity"}},
		},
		"$defs": object{"entity": object{
			"type":                 "object",
			"additionalProperties": false,
			"properties": object{
				"prefab":     prefab,
				"parent":     object{"type": "string", "description": "the name of an entity of this scene"},
				"components": object{"type": "object", "additionalProperties": false, "properties": components},
				"relations":  object{"type": "object", "additionalProperties": false, "properties": relations},
			},
		}},
	}, "", "  ")
	return append(text, '\n')
}

// componentSchema describes a component. A tag may be true, too.
func componentSchema(s *ecs.Schema) object {
	of := structSchema(s.Fields)
	if len(s.Fields) == 0 {
		return object{"anyOf": []object{of, {"const": true}}}
	}
	return of
}

func structSchema(fields []ecs.Field) object {
	properties := object{}
	for i := range fields {
		if fields[i].Kind != ecs.Opaque {
			properties[fields[i].Name] = fieldSchema(&fields[i])
		}
	}
	return object{"type": "object", "additionalProperties": false, "properties": properties}
}

func fieldSchema(f *ecs.Field) object {
	one := kindSchema(f)
	if f.Len == 0 {
		return one
	}
	return object{"type": "array", "minItems": f.Len, "maxItems": f.Len, "items": one}
}

func kindSchema(f *ecs.Field) object {
	switch f.Kind {
	case ecs.Struct:
		return structSchema(f.Fields)
	case ecs.String:
		return object{"type": "string"}
	case ecs.Bool:
		return object{"type": "boolean"}
	case ecs.Enum:
		return object{"enum": f.Names}
	case ecs.Ref:
		return object{"anyOf": []object{{"type": "string"}, {"const": 0}}, "description": "the name of an entity of this scene, or 0 for nobody"}
	case ecs.F32, ecs.F64:
		return object{"anyOf": []object{{"type": "number"}, {"enum": []string{"NaN", "Infinity", "-Infinity"}}}}
	}
	low, high := f.Kind.Range()
	return object{"type": "integer", "minimum": low, "maximum": high}
}
