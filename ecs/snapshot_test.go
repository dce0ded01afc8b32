package ecs

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/schema"
)

// partOf is a line of the table in the documentation of package snapshot.
var partOf = regexp.MustCompile(`^//\t(\w+)\.([\w, ]+?)\s{2,}(copied|rebuilt|left)\b`)

// parts reads the table: what becomes of each field, by type and field.
func parts(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("snapshot/doc.go")
	must(t, err)
	all := map[string]string{}
	for line := range strings.Lines(string(text)) {
		m := partOf.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		for _, field := range strings.Split(m[2], ", ") {
			key := m[1] + "." + field
			if all[key] != "" {
				t.Errorf("the table has %s twice", key)
			}
			all[key] = m[3]
		}
	}
	return all
}

// partWalk goes through the types that a world consists of.
type partWalk struct {
	t     *testing.T
	table map[string]string
	met   map[string]bool
	seen  map[reflect.Type]bool
}

// walk demands that the table names each field of a type, and goes on with the types of those that
// are not left.
func (w *partWalk) walk(typ reflect.Type) {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		w.walk(typ.Elem())
		return
	case reflect.Map:
		w.walk(typ.Key())
		w.walk(typ.Elem())
		return
	case reflect.Struct:
	default:
		return
	}
	if w.seen[typ] || !strings.Contains(typ.PkgPath(), "/ecs") || typ.PkgPath() == reflect.TypeFor[schema.Schema]().PkgPath() {
		return
	}
	w.seen[typ] = true
	name, _, _ := strings.Cut(typ.Name(), "[")
	for i := range typ.NumField() {
		f := typ.Field(i)
		if watch := f.Type; watch == reflect.TypeFor[debugState]() || watch == reflect.TypeFor[lease]() {
			w.met[name+"."+f.Name] = true
			continue // it has fields in the debugging build alone, and nothing of the world in them
		}
		key := name + "." + f.Name
		w.met[key] = true
		switch w.table[key] {
		case "":
			w.t.Errorf("%s: the table in snapshot/doc.go does not say what a snapshot does with it: is it copied, rebuilt or left, and where?", key)
		case "left":
		default:
			w.walk(f.Type)
		}
	}
}

// TestEachPartIsNamed: whoever adds a field to a world, or to what it consists of, says what becomes of
// it in a snapshot.
func TestEachPartIsNamed(t *testing.T) {
	w := &partWalk{t: t, table: parts(t), met: map[string]bool{}, seen: map[reflect.Type]bool{}}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[World](), reflect.TypeFor[Query](),
		reflect.TypeFor[arenaPool](), reflect.TypeFor[heapPool[string]](), reflect.TypeFor[storedPool[string]](), // behind an interface
	} {
		w.walk(typ)
	}
	for key := range w.table {
		if !w.met[key] {
			t.Errorf("%s: the table in snapshot/doc.go names what is not there", key)
		}
	}
}
