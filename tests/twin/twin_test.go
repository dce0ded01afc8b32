package twin

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// failures collects what a comparison reports.
type failures struct{ text string }

func (f *failures) Helper() {}

func (f *failures) Fatalf(format string, args ...any) {
	f.text = fmt.Sprintf(format, args...)
	panic(f)
}

// judge runs f on a twin and returns the first difference found.
func judge(t *testing.T, ops []Op, f func(T, *Twin)) (found string) {
	t.Helper()
	tw := New(t, ecs.Options{MaxBytes: 32 << 20})
	defer tw.Close()
	for _, op := range ops {
		tw.Do(t, op)
	}
	if err := tw.Compare(); err != nil {
		t.Fatal(err)
	}
	fail := &failures{}
	defer func() {
		if r := recover(); r != nil && r != any(fail) {
			panic(r)
		}
		if found == "" {
			found = fail.text
		}
	}()
	f(fail, tw)
	for _, op := range []Op{{Kind: Look, A: 1}, {Kind: OpenReader}, {Kind: Step}} {
		tw.Do(fail, op)
	}
	if err := tw.Compare(); err != nil {
		return err.Error()
	}
	return ""
}

// TestTheJudgeSees: each way in which a world could go wrong is played by the
// host behind the model's back, and must be found. A judge that finds nothing
// here would find nothing anywhere.
func TestTheJudgeSees(t *testing.T) {
	ops := []Op{
		{Kind: Spawn, C: 1}, {Kind: Spawn, C: 0x91}, {Kind: Spawn, C: 1, D: 9}, {Kind: SetParent, A: 1, B: 0}, {Kind: SetParent, A: 2, B: 0},
		{Kind: Step}, {Kind: OpenReader}, {Kind: Look, A: 13},
	}
	for name, c := range map[string]struct {
		wrong func(T, *Twin, []ecs.Entity)
		says  string
	}{
		"a value": {func(_ T, tw *Twin, es []ecs.Entity) {
			tw.kinds[0].write(tw.World.Raw().Pointer(es[0], tw.kinds[0].id), 77)
		}, "kind 0"},
		"a change not sent": {func(t T, tw *Twin, es []ecs.Entity) {
			tw.followers[0].copied[es[0]] = position{5, 5}
			tw.Do(t, Op{Kind: Compact})
		}, "it differs at"},
		"a change sent twice": {func(t T, tw *Twin, _ []ecs.Entity) {
			before := tw.followers[0].version
			tw.Do(t, Op{Kind: Edit, D: 55})
			tw.followers[0].version = before
			tw.Do(t, Op{Kind: Compact})
		}, "has not changed"},
		"a component lost":      {func(_ T, tw *Twin, es []ecs.Entity) { tw.World.Remove(es[1], tw.kinds[4].id) }, ""},
		"a component too many":  {func(_ T, tw *Twin, es []ecs.Entity) { tw.World.Add(es[0], tw.kinds[9].value(1)) }, ""},
		"an entity lost":        {func(_ T, tw *Twin, es []ecs.Entity) { tw.World.Despawn(es[2]) }, ""},
		"an entity too many":    {func(_ T, tw *Twin, _ []ecs.Entity) { tw.World.Spawn() }, ""},
		"a parent":              {func(_ T, tw *Twin, es []ecs.Entity) { tw.World.SetParent(es[1], es[2]) }, "the target"},
		"the order of children": {func(_ T, tw *Twin, es []ecs.Entity) { tw.World.SetParent(es[1], es[0]) }, "the sources"},
		"a notice too many":     {func(_ T, tw *Twin, es []ecs.Entity) { tw.World.Raw().Edit(es[0], tw.kinds[0].id) }, "that nobody made"},
		"a notice not sent":     {func(_ T, tw *Twin, es []ecs.Entity) { tw.Model.note(ecs.OnSet, 0, es[0], 0) }, "were not told"},
		"a handle come back":    {func(_ T, tw *Twin, es []ecs.Entity) { tw.dead = append(tw.dead, es[0]) }, "dead"},
		"an event lost": {func(t T, tw *Twin, _ []ecs.Entity) {
			tw.boxes[0].sent = append(tw.boxes[0].sent, 1)
			tw.Do(t, Op{Kind: ReadEvents})
		}, "events wait"},
		"a refusal that is none": {func(t T, _ *Twin, _ []ecs.Entity) { agree(t, Op{}, ecs.ErrDead, nil) }, "the model"},
	} {
		found := judge(t, ops, func(t T, tw *Twin) {
			c.wrong(t, tw, slices.SortedFunc(tw.World.Entities(), byIndex))
		})
		if found == "" || !strings.Contains(found, c.says) {
			t.Errorf("%s: the judge says %q", name, found)
		}
	}
}

func TestOpsAreBytes(t *testing.T) {
	ops := []Op{{Spawn, 1, 2, 3, 4}, {Compact, 5, 6, 7, 8}}
	if got := Decode(append(Encode(ops), 9, 9)); !slices.Equal(got, ops) {
		t.Errorf("%v became %v", ops, got)
	}
	if s := ops[1].String(); s != "compact(5, 6, 7, 8)" {
		t.Errorf("printed as %q", s)
	}
	if ks := (Op{B: 2, C: 0x81}).kindsOf(11); !slices.Equal(ks, []int{0, 7, 9}) {
		t.Errorf("names the kinds %v", ks)
	}
}

// TestEveryKindOfOperation runs once with fixed bytes, so that a kind that was
// forgotten, or that panics, shows without luck.
func TestEveryKindOfOperation(t *testing.T) {
	var ops []Op
	for k := range KindCount {
		if kindNames[k] == "" {
			t.Errorf("operation %d has no name", k)
		}
		ops = append(ops, Op{SpawnMany, 0, 1, 0x95, byte(k)}, Op{k, 3, 5, 0x5A, byte(k)}, Op{System, 1, 3, byte(k), 0})
	}
	Run(t, ecs.Options{MaxBytes: 32 << 20}, ops)
	Run(t, ecs.Options{MaxBytes: 1, MaxEntities: 30}, ops)
}
