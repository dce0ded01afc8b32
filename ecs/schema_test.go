package ecs

import (
	"errors"
	"strings"
	"testing"
)

func TestDefineRefusesWhatCannotBe(t *testing.T) {
	deep := []Field{{Name: "x", Kind: F64}}
	for range 8 { // 4096⁸ elements: more than any integer can count
		deep = []Field{{Name: "x", Kind: Struct, Len: 4096, Fields: deep}}
	}
	for name, c := range map[string]struct {
		schema Schema
		want   error
	}{
		"no name":          {Schema{}, ErrConflict},
		"a nameless field": {Schema{Name: "a", Fields: []Field{{Kind: F32}}}, ErrConflict},
		"a field twice":    {Schema{Name: "a", Fields: []Field{{Name: "x", Kind: F32}, {Name: "x", Kind: F32}}}, ErrConflict},
		"no kind":          {Schema{Name: "a", Fields: []Field{{Name: "x"}}}, ErrConflict},
		"a string":         {Schema{Name: "a", Fields: []Field{{Name: "x", Kind: String}}}, ErrConflict},
		"a nested string":  {Schema{Name: "a", Fields: []Field{{Name: "x", Kind: Struct, Fields: []Field{{Name: "y", Kind: String}}}}}, ErrConflict},
		"too many":         {Schema{Name: "a", Fields: []Field{{Name: "x", Kind: F32, Len: 4097}}}, ErrRange},
		"less than none":   {Schema{Name: "a", Fields: []Field{{Name: "x", Kind: F32, Len: -1}}}, ErrRange},
		"too large":        {Schema{Name: "a", Fields: deep}, ErrRange},
		"a short default":  {Schema{Name: "a", Fields: []Field{{Name: "x", Kind: F32}}, Default: []byte{1}}, ErrConflict},
	} {
		w := NewWorld()
		before := w.Raw().ComponentCount()
		if _, err := w.define(c.schema, false); !errors.Is(err, c.want) || w.Raw().ComponentCount() != before {
			t.Errorf("%s: %v, want %v; %d components more", name, err, c.want, w.Raw().ComponentCount()-before)
		}
		if _, err := w.defineEvent(c.schema); !errors.Is(err, c.want) {
			t.Errorf("%s, as an event: %v, want %v", name, err, c.want)
		}
		w.Close()
	}
}

// TestDefineKeepsACopy: what the caller does to its slices afterwards is its own
// affair.
func TestDefineKeepsACopy(t *testing.T) {
	w := NewWorld()
	defer w.Close()
	inner := []Field{{Name: "state", Kind: Enum, Names: []string{"idle", "busy"}}}
	fields := []Field{{Name: "inner", Kind: Struct, Fields: inner}}
	id, err := w.define(Schema{Name: "A", Fields: fields, Default: []byte{1}}, false)
	must(t, err)
	fields[0].Name, inner[0].Name, inner[0].Names[0] = "changed", "changed", "changed"
	f := w.schemaByID(id).Field("inner")
	if f == nil || f.Fields[0].Name != "state" || f.Fields[0].Names[0] != "idle" {
		t.Errorf("the schema changed with the caller's slices: %+v", w.schemaByID(id))
	}
}

func TestDefinedTwice(t *testing.T) {
	w := NewWorld()
	defer w.Close()
	a, err := w.define(Schema{Name: "A", Fields: []Field{{Name: "x", Kind: F32}}}, false)
	must(t, err)
	if b, err := w.define(Schema{Name: "A", Fields: []Field{{Name: "x", Kind: F32}}}, true); err != nil || a != b {
		t.Errorf("the same definition again gave %d, %v; want %d", b, err, a)
	}
	for _, other := range []Field{{Name: "y", Kind: F32}, {Name: "x", Kind: I32}, {Name: "x", Kind: F32, Len: 2}} {
		_, err := w.define(Schema{Name: "A", Fields: []Field{other}}, false)
		if !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), `"A"`) {
			t.Errorf("another definition, %+v, answered %v", other, err)
		}
	}
	if id, ok := w.componentNamed("A"); !ok || id != a {
		t.Errorf("the name leads to %d, %v", id, ok)
	}
	if _, ok := w.componentNamed("links"); ok {
		t.Error("the hierarchy's own component is for the taking")
	}
}
