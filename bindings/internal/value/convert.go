package value

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/schema"
)

// Conversion is how values of one schema become values of another, told to those who write scripts.
type Conversion struct{ *schema.Conversion }

// NewConversion works out the conversion from one schema to another.
func NewConversion(old, now *ecs.Schema) *Conversion {
	return &Conversion{schema.NewConversion(old, now)}
}

// mostTold is how many fields of a kind are named: a type may have thousands, and a step waits for the text.
const mostTold = 20

// Story says what happens to how many values: "Health: 1,204 entities, new field
// shield = 0, field armor dropped". Of more fields than mostTold it says how many there are.
func (c *Conversion) Story(L *lua.LState, count int, of [2]string, migrates bool, drop []string) string {
	parts := []string{fmt.Sprintf("%s: %s", c.Now.Name, diag.Count(count, of[0], of[1]))}
	if c.Old.Name != c.Now.Name {
		parts = append(parts, "renamed from "+c.Old.Name)
	}
	added, kept, lost := min(len(c.Added), mostTold), min(len(c.Kept), mostTold), min(len(c.Lost), mostTold)
	for _, f := range c.Added[:added] {
		given := lua.LValue(lua.LNumber(0))
		if c.Now.Default != nil {
			given = Load(L, f, unsafe.Pointer(unsafe.SliceData(c.Now.Default)))
		} else if f.Len > 0 || f.Kind == ecs.Bool || f.Kind == ecs.Enum {
			given = lua.LNil
		}
		text := "new field " + f.Name
		if given.Type() != lua.LTNil && given.Type() != lua.LTTable {
			text += " = " + given.String()
		}
		parts = append(parts, text)
	}
	for _, k := range c.Kept[:kept] {
		if k.From.Kind != k.To.Kind {
			parts = append(parts, fmt.Sprintf("field %s %s", k.To.Name, change(k.From, k.To)))
		}
	}
	for _, name := range c.Lost[:lost] {
		switch {
		case migrates && c.Now.Field(name) != nil:
			parts = append(parts, fmt.Sprintf("field %s %s", name, change(c.Old.Field(name), c.Now.Field(name))))
		case slices.Contains(drop, name):
			parts = append(parts, fmt.Sprintf("field %s dropped", name))
		case !migrates:
			parts = append(parts, fmt.Sprintf("field %s would be lost%s, or add migrate, or drop = { %q }", name, c.reason(name), name))
		}
	}
	if more := len(c.Added) - added + len(c.Lost) - lost; more > 0 {
		parts = append(parts, fmt.Sprintf("and %s more that come or go", diag.Plural(more, "field")))
	}
	if migrates {
		parts = append(parts, fmt.Sprintf("migrated from version %d", c.Old.Version))
	}
	return strings.Join(parts, ", ")
}

// reason says why the values of a field cannot be kept, and what to do about it: it is
// gone, or it is there and cannot hold them all.
func (c *Conversion) reason(name string) string {
	from, to := c.Old.Field(name), c.Now.Field(name)
	switch {
	case to == nil:
		return ": keep it"
	case from.Len > to.Len && to.Len > 0:
		return fmt.Sprintf(", as its array has %d elements and would have %d: keep them", from.Len, to.Len)
	case from.Len != to.Len && from.Len*to.Len == 0:
		return fmt.Sprintf(", as it goes %s: keep what it was", change(from, to))
	case len(lostWords(from, to)) > 0:
		return fmt.Sprintf(", as it may hold %q, which is none of its words any more: keep that word", lostWords(from, to)[0])
	}
	return fmt.Sprintf(", as it goes %s, which cannot hold all of its values: keep the kind", change(from, to))
}

// lostWords lists the words of an enum that it does not have any more.
func lostWords(from, to *ecs.Field) []string {
	if from.Kind != ecs.Enum || to.Kind != ecs.Enum {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(from.Names), func(word string) bool { return slices.Contains(to.Names, word) })
}

// change says what a field becomes, in words.
func change(from, to *ecs.Field) string {
	if gone := lostWords(from, to); len(gone) > 0 && from.Len == to.Len {
		return fmt.Sprintf("without %q", gone)
	}
	return fmt.Sprintf("from %s to %s", fieldKind(from), fieldKind(to))
}

// fieldKind shows the kind of a field as scripts know it.
func fieldKind(f *ecs.Field) string {
	if f.Len > 0 {
		return fmt.Sprintf("an array of %d %s", f.Len, f.Kind)
	}
	return f.Kind.String()
}

// Loses names the fields that would be lost and may not be.
func (c *Conversion) Loses(drop []string) []string {
	dropped := make(map[string]bool, len(drop))
	for _, name := range drop {
		dropped[name] = true
	}
	return slices.DeleteFunc(slices.Clone(c.Lost), func(name string) bool { return dropped[name] })
}
