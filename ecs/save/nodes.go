package save

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// bounded refuses JSON of more nodes than there may be, before it is read into a type: lists, objects, entries of maps,
// and what stands in a list in place of a list or an object, as null does, which makes one all the same. Of any, each
// value is a node.
func bounded(text []byte, t reflect.Type, most int) error {
	c := nodeCounter{text: text, left: most, fields: map[reflect.Type]map[string]reflect.Type{}}
	c.value(readAs(t), deepestJSON)
	if c.left < 0 {
		return fmt.Errorf("%w: it has more than %d lists and objects", ErrTooLarge, most)
	}
	return nil
}

// nodeCounter walks over a text of JSON. Where the text is not JSON, it ends: who reads the text then says what is wrong.
type nodeCounter struct {
	text   []byte
	at     int
	left   int // nodes that may yet come
	fields map[reflect.Type]map[string]reflect.Type
}

// deepestJSON is how many lists and objects package encoding/json reads in each other.
const deepestJSON = 10000

// anything is the type of values that are read as maps and lists.
var anything = reflect.TypeFor[any]()

// value walks over a value that is read into a type, nil for one that nobody reads.
func (c *nodeCounter) value(t reflect.Type, depth int) {
	first := c.next()
	if c.left < 0 || depth == 0 {
		c.stop()
		return
	}
	if t == anything || first == '{' || first == '[' {
		c.left--
	}
	switch first {
	case '{':
		c.object(t, depth-1)
	case '[':
		c.list(t, depth-1)
	case '"':
		c.quoted()
	default:
		c.word()
	}
}

// object walks over the fields of an object.
func (c *nodeCounter) object(t reflect.Type, depth int) {
	for c.at++; c.next() == '"'; {
		key := c.quoted()
		if c.next() != ':' {
			break
		}
		c.at++
		if t != nil && t.Kind() == reflect.Map {
			c.left--
		}
		c.value(c.field(t, key), depth)
		if c.next() != ',' {
			break
		}
		c.at++
	}
	c.end('}')
}

// list walks over the items of a list.
func (c *nodeCounter) list(t reflect.Type, depth int) {
	inner := t
	if t != anything && t != nil {
		inner = nil
		if k := t.Kind(); k == reflect.Slice || k == reflect.Array {
			inner = readAs(t.Elem())
		}
	}
	c.at++
	for first := c.next(); first != ']' && first != 0; first = c.next() {
		if first != '{' && first != '[' && large(inner) {
			c.left--
		}
		c.value(inner, depth)
		if c.next() != ',' {
			break
		}
		c.at++
	}
	c.end(']')
}

// large reports whether items of a list are more than numbers and texts, whatever stands in the text.
func large(t reflect.Type) bool {
	return t != nil && t != anything && t.Size() > reflect.TypeFor[string]().Size()
}

// field returns the type of a field of an object, found as encoding/json does.
func (c *nodeCounter) field(t reflect.Type, key []byte) reflect.Type {
	switch {
	case t == nil || t == anything:
		return t
	case t.Kind() == reflect.Map:
		return readAs(t.Elem())
	case t.Kind() != reflect.Struct:
		return nil
	}
	known := c.fields[t]
	if known == nil {
		known = fieldTypes(t)
		c.fields[t] = known
	}
	if found, ok := known[string(key[1:len(key)-1])]; ok {
		return found
	}
	var name string
	if json.Unmarshal(key, &name) != nil {
		return nil
	}
	for other, found := range known {
		if strings.EqualFold(other, name) {
			return found
		}
	}
	return nil
}

// fieldTypes returns the fields of a struct by the names that they have in JSON.
func fieldTypes(t reflect.Type) map[string]reflect.Type {
	m := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" && !f.Anonymous {
			if name == "" {
				name = f.Name
			}
			m[name] = readAs(f.Type)
		}
	}
	return m
}

// readAs returns what a type is for encoding/json: nil if its own method reads it.
func readAs(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil
	}
	return t
}

// next goes to the next byte that is no space, and returns it; 0 at the end.
func (c *nodeCounter) next() byte {
	for ; c.at < len(c.text); c.at++ {
		switch b := c.text[c.at]; b {
		case ' ', '\t', '\n', '\r':
		default:
			return b
		}
	}
	return 0
}

// quoted goes over a text, and returns it with its quotes.
func (c *nodeCounter) quoted() []byte {
	from := c.at
	for c.at++; c.at < len(c.text) && c.text[c.at] != '"'; c.at++ {
		if c.text[c.at] == '\\' {
			c.at++
		}
	}
	c.at = min(c.at+1, len(c.text))
	return c.text[from:c.at]
}

// word goes over a number, or another word.
func (c *nodeCounter) word() {
	for ; c.at < len(c.text); c.at++ {
		switch c.text[c.at] {
		case ' ', '\t', '\n', '\r', ',', ']', '}', ':', '{', '[', '"':
			return
		}
	}
}

// end goes over the end of a list or an object.
func (c *nodeCounter) end(b byte) {
	if c.next() != b {
		c.stop()
		return
	}
	c.at++
}

// stop ends the walk.
func (c *nodeCounter) stop() { c.at = len(c.text) }
