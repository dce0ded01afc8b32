package save_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// withSection is a save of an empty world with a section.
func withSection(t *testing.T, name, text string) *save.File {
	s, err := snapshot.Capture(bare(t))
	must(t, err)
	var b bytes.Buffer
	must(t, save.Write(&b, s, save.Options{Sections: map[string][]byte{name: []byte(text)}}))
	return reopened(t, b.Bytes())
}

// TestDiffOfSections: values of JSON, and lists that grow, are compared place by place.
func TestDiffOfSections(t *testing.T) {
	items := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"v":%d}`, i))
		}
		return `{"list":[` + strings.Join(list, ",") + `]}`
	}
	for _, c := range []struct {
		a, b string
		want []string
	}{
		{items(9), items(10), []string{`list[10] new:  -> {"v":9}`}},
		{items(101), items(99), []string{`list[100] gone: {"v":99} -> `, `list[101] gone: {"v":100} -> `}},
		{`{"x":[]}`, `{"x":{}}`, []string{"x: [] -> {}"}},
		{`{"x":[{"name":"a"}]}`, `{"x":[{"name":"b"},1]}`, []string{`x[1].name: "a" -> "b"`, "x[2] new:  -> 1"}},
		{`{"x":[["a",1],["b",2]]}`, `{"x":[["b",2],["a",1]]}`, nil},
		{`{"x":[]}`, `{"x":[["a",1]]}`, []string{"x.a new:  -> 1"}},
		{`{"x":1}`, ` { "x" : 1 } `, nil},
	} {
		var want []string
		for _, w := range c.want {
			want = append(want, "section s.json "+w)
		}
		if got := differences(t, withSection(t, "s.json", c.a), withSection(t, "s.json", c.b)); !slices.Equal(got, want) {
			t.Errorf("%.40s and %.40s: %q, want %q", c.a, c.b, got, want)
		}
	}
	if got := differences(t, withSection(t, "s.json", `{"x":1}`), withSection(t, "s.json", `{"x":1} 2`)); len(got) != 1 {
		t.Errorf("more after the value: %q", got)
	}
}

// TestDiffOfAFieldCalledHidden: it is a field as any other.
func TestDiffOfAFieldCalledHidden(t *testing.T) {
	w := bare(t)
	id, err := w.Raw().Define(ecs.Schema{Name: "C", Fields: []ecs.Field{{Name: "_hidden", Kind: ecs.F64}}}, false)
	must(t, err)
	zero := 0.0
	e := w.Spawn(w.Raw().ValueAt(id, unsafe.Pointer(&zero)))
	a := reopened(t, written(t, w))
	*(*float64)(w.Raw().Edit(e, id)) = 1
	if got := differences(t, a, reopened(t, written(t, w))); !slices.Equal(got, []string{"field 1v1 C _hidden: 0 -> 1"}) {
		t.Errorf("%q", got)
	}
}

// TestDiffOfProgress: how far systems and readers have come, and what waits for queries, is state.
func TestDiffOfProgress(t *testing.T) {
	s := declare(t, 3)
	r := s.shots.Reader("waits")
	must(t, s.Schedule().Add(ecs.System{Name: "often", Every: 1, Run: func(*ecs.Tick) error { return nil }}))
	q := s.Query().Added(s.position)
	must(t, s.shots.Emit(shot{0, 1}))
	must(t, s.Step(0.1))
	must(t, s.shots.Emit(shot{0, 2}))
	a := s.opened(t, save.Options{})
	for range s.shots.Read(r) {
	}
	b := s.opened(t, save.Options{})
	if got := differences(t, a, b); !slices.Equal(got, []string{"progress shot readers.waits.next: 0 -> 2"}) {
		t.Errorf("%q", got)
	}
	s.Schedule().Enable("often", false)
	c := s.opened(t, save.Options{})
	if got := differences(t, b, c); !slices.Equal(got, []string{"progress systems often.disabled new:  -> true"}) {
		t.Errorf("%q", got)
	}
	s.Spawn(s.position.With(position{}))
	d := s.opened(t, save.Options{})
	for range q.Chunks() {
	}
	if got := differences(t, d, s.opened(t, save.Options{})); len(got) != 1 || !strings.HasPrefix(got[0], "progress queries [1]") {
		t.Errorf("%q", got)
	}
}

// TestNames: what differences may be of has a name that is listed, also where nothing differs.
func TestNames(t *testing.T) {
	s := declare(t, 3).fill(t, 3)
	names, err := s.opened(t, save.Options{Sections: map[string][]byte{"note": nil}}).Names()
	must(t, err)
	for _, want := range []string{"position", "Follows", "shot", "save_test.score", "note", "systems"} {
		if !slices.Contains(names, want) {
			t.Errorf("%q is not in %q", want, names)
		}
	}
	if _, err := (&save.File{}).Names(); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
}
