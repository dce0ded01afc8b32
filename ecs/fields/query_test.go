package fields

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// TestQueriesFromText find what they say.
func TestQueriesFromText(t *testing.T) {
	z := newZoo(t)
	odd := z.Spawn(z.all.With(All{I8: 7, Flag: true, Mood: 2, F32: 0.1, I64: 1<<53 + 1, U64: math.MaxUint64, Target: z.mate, Cells: [3]uint16{5}}), z.burning.With(Burning{math.NaN()}))
	for text, want := range map[string][]ecs.Entity{
		"": {z.mate, z.e, odd}, "All": {z.e, odd}, "All, !Burning": {z.e}, " All ,?Label, !Frozen": {z.e, odd}, "any(Label|Frozen)": {z.e, z.mate}, `"my script"`: {z.e},
		"All.i8 < 0": {z.e}, "All.i8 >= 7": {odd}, "All.i8 ~= 7": {z.e}, "All.i8 != 7.5": {z.e, odd}, "All.i8 > -3, All.flag == true": {odd},
		"All.f32 == 0.1": {z.e, odd}, "All.f32 < 0.1": nil, "All.mood == sad": {odd}, `All.mood ~= "sad"`: {z.e}, "All.mood == 2": {odd},
		"All.i64 == 9007199254740992": nil, "All.i64 > 9007199254740992": {odd}, "All.u64 > 9007199254740992": {odd}, "All.u64 >= -1": {z.e, odd},
		"All.at.x == 1": {z.e}, "All.cells[0] > 1": {odd}, "All.path[1].y <= 0": {z.e, odd}, "Burning.left < 1": nil, "Burning.left ~= 1": {odd},
		`Label.text == "hey"`: {z.e}, `Label.text ~= "hey"`: nil, `"my script".hp == 10`: {z.e}, fmt.Sprintf("All.target == %d", uint64(z.mate)): {odd},
		"Frozen, !Frozen": nil, "?All, Frozen": {z.mate},
	} {
		q, err := z.f.Query(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got := slices.Sorted(q.All())
		slices.Sort(want)
		if !slices.Equal(got, want) || q.Count() != len(want) || (q.First() != 0) != (len(want) > 0) {
			t.Errorf("%q finds %v, %d, want %v", text, got, q.Count(), want)
		}
		for _, e := range []ecs.Entity{z.e, z.mate, odd} {
			if q.Matches(e) != slices.Contains(want, e) {
				t.Errorf("%q: Matches(%v) is %v", text, e, q.Matches(e))
			}
		}
	}
	must(t, z.Check())
}

// TestWrongQueries say where and what.
func TestWrongQueries(t *testing.T) {
	z := newZoo(t)
	for text, want := range map[string]struct {
		column int
		wraps  error
		says   string
	}{
		"All, Burnin": {6, ecs.ErrUnknown, `did you mean "Burning"?`}, "All, !Frozn": {7, ecs.ErrUnknown, `did you mean "Frozen"?`}, "All Frozen": {5, ecs.ErrConflict, "a comma"},
		"All,": {5, ecs.ErrConflict, "the end"}, ",": {1, ecs.ErrConflict, "a component"}, "All.fleg == true": {4, ecs.ErrUnknown, `did you mean "flag"?`},
		"All.i8": {7, ecs.ErrConflict, "a comparison"}, "All.i8 = 3": {8, ecs.ErrConflict, "a comparison"}, "All.i8 == ": {11, ecs.ErrConflict, "a value"}, "All.i8 == x": {11, ecs.ErrConflict, "compares with a number"},
		"All.i8 === 3": {10, ecs.ErrConflict, "a value"}, "All.i8 < true": {10, ecs.ErrConflict, "All.i8"}, "All.flag < true": {12, ecs.ErrConflict, "=="}, "All.flag == 2": {13, ecs.ErrRange, "All.flag"},
		"All.mood == med": {13, ecs.ErrUnknown, `did you mean "mad"?`}, "All.at == 1": {11, ecs.ErrConflict, "cannot be compared"}, "All.cells == 1": {14, ecs.ErrConflict, "cannot be compared"},
		"All.cells[3] == 1": {4, ecs.ErrRange, "0 to 2"}, "All.cells[ == 1": {4, ecs.ErrConflict, "']'"}, "Label.text == hey": {15, ecs.ErrConflict, "in quotes"}, "Label.tags == 1": {15, ecs.ErrConflict, "compared"},
		`"All`: {1, ecs.ErrConflict, "no end"}, "any(All": {8, ecs.ErrConflict, `"|" or ")"`}, "any()": {5, ecs.ErrConflict, "a component"}, "any(All), any(Label)": {14, ecs.ErrConflict, "one any"},
		"All.u64 < 18446744073709551616": {11, ecs.ErrRange, "exactly"}, "All.i64 == 9007199254740993": {12, ecs.ErrRange, "exactly"}, "All < 3": {5, ecs.ErrConflict, "All.field"}, "All.i8 < 1e999": {10, ecs.ErrConflict, "no number"}, "All.i8 < 0x": {10, ecs.ErrConflict, "no number"}, "ä, All": {1, ecs.ErrUnknown, "ä"},
		`"ä", All`: {1, ecs.ErrUnknown, "ä"}, "All, ä": {6, ecs.ErrUnknown, "ä"}, "All. == 1": {4, ecs.ErrConflict, "after the dot"}, "ChildOf": {1, ecs.ErrUnknown, "ChildOf"},
		strings.Repeat("All,", 70) + "All": {256, ecs.ErrRange, "64 terms"}, strings.Repeat(" ", 5000): {1, ecs.ErrRange, "4096"},
	} {
		_, err := z.f.Query(text)
		var at *QueryError
		if !errors.As(err, &at) || at.Column != want.column || !errors.Is(err, want.wraps) || !strings.Contains(err.Error(), want.says) {
			t.Errorf("%.40q: %v, want column %d, %v: %q", text, err, want.column, want.wraps, want.says)
		}
	}
}

// TestAQueryOutlivesAMigration: fields move, and what is gone holds for nobody.
func TestAQueryOutlivesAMigration(t *testing.T) {
	z := newZoo(t)
	q, err := z.f.Query(`"my script".max == 9`)
	must(t, err)
	migrate := func(fields ...ecs.Field) {
		m := z.Raw().Migrate()
		must(t, m.Component(ecs.Schema{Name: "my script", Fields: fields}, nil))
		must(t, m.Prepare())
		m.Commit()
	}
	if q.First() != z.e {
		t.Error("not found before")
	}
	migrate(ecs.Field{Name: "a", Kind: ecs.F64}, ecs.Field{Name: "b", Kind: ecs.F64}, ecs.Field{Name: "max", Kind: ecs.F64})
	must(t, z.f.Set(z.e, z.script, "max", 9))
	if q.First() != z.e || !q.Matches(z.e) {
		t.Error("not found where it has moved to")
	}
	migrate(ecs.Field{Name: "a", Kind: ecs.U8})
	if q.Count() != 0 || q.Matches(z.e) {
		t.Error("found without the field")
	}
}

// condition is a part of a query in text, and the same in Go.
type condition struct {
	text string
	is   func(*zoo, ecs.Entity) bool
}

// TestTextFindsWhatGoFinds over random worlds and random conditions.
func TestTextFindsWhatGoFinds(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		z := newZoo(t)
		for range r.IntN(300) {
			spawnRandom(z, r)
		}
		for range 20 {
			var parts []string
			var conditions []condition
			for range 1 + r.IntN(3) {
				c := randomCondition(r)
				parts, conditions = append(parts, c.text), append(conditions, c)
			}
			text := strings.Join(parts, ", ")
			q, err := z.f.Query(text)
			if err != nil {
				t.Fatalf("seed %d: %q: %v", seed, text, err)
			}
			var want []ecs.Entity
			for e := range z.Entities() {
				if !slices.ContainsFunc(conditions, func(c condition) bool { return !c.is(z, e) }) {
					want = append(want, e)
				}
			}
			if got := slices.Sorted(q.All()); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
				t.Fatalf("seed %d: %q finds %v, Go %v", seed, text, got, want)
			}
		}
		must(t, z.Close())
	}
}

func spawnRandom(z *zoo, r *rand.Rand) {
	var values []ecs.Value
	if r.IntN(3) > 0 {
		values = append(values, z.all.With(All{Flag: r.IntN(2) == 0, I8: int8(r.IntN(7) - 3), I64: r.Int64N(3)<<52 + r.Int64N(3) - 1, F32: float32(r.IntN(7)) / 10, F64: r.NormFloat64(), Mood: uint8(r.IntN(3)), At: Place{float32(r.IntN(3)), 0}}))
	}
	if r.IntN(2) == 0 {
		values = append(values, z.burning.With(Burning{float64(r.IntN(4))}))
	}
	if r.IntN(2) == 0 {
		values = append(values, z.label.With(Label{Text: string(rune('a' + r.IntN(3)))}))
	}
	if r.IntN(3) == 0 {
		values = append(values, z.frozen.With(Frozen{}))
	}
	z.Spawn(values...)
}

// randomCondition has the reference in plain Go.
func randomCondition(r *rand.Rand) condition {
	all := func(keep func(*All) bool) func(*zoo, ecs.Entity) bool {
		return func(z *zoo, e ecs.Entity) bool { v, ok := z.all.Get(e); return ok && keep(&v) }
	}
	n := r.IntN(7) - 3
	tenth := float32(n+3) / 10
	big := r.Int64N(3)<<52 - r.Int64N(2)
	letter := string(rune('a' + r.IntN(3)))
	list := []condition{
		{"All", all(func(*All) bool { return true })},
		{"!Frozen", func(z *zoo, e ecs.Entity) bool { return !z.frozen.Has(e) }},
		{"?Label", func(*zoo, ecs.Entity) bool { return true }},
		{"Burning", func(z *zoo, e ecs.Entity) bool { return z.burning.Has(e) }},
		{fmt.Sprintf("All.i8 < %d", n), all(func(v *All) bool { return int(v.I8) < n })},
		{fmt.Sprintf("All.i8 ~= %d", n), all(func(v *All) bool { return int(v.I8) != n })},
		{fmt.Sprintf("All.f32 <= %v", tenth), all(func(v *All) bool { return v.F32 <= tenth })},
		{fmt.Sprintf("All.f64 > %d", n), all(func(v *All) bool { return v.F64 > float64(n) })},
		{fmt.Sprintf("All.i64 >= %d", big), all(func(v *All) bool { return v.I64 >= big })},
		{fmt.Sprintf("All.i64 == %d", big), all(func(v *All) bool { return v.I64 == big })},
		{"All.flag == false", all(func(v *All) bool { return !v.Flag })},
		{"All.mood == mad", all(func(v *All) bool { return v.Mood == 1 })},
		{"All.at.x != 1", all(func(v *All) bool { return v.At.X != 1 })},
		{"Burning.left >= 2", func(z *zoo, e ecs.Entity) bool { v, ok := z.burning.Get(e); return ok && v.Left >= 2 }},
		{fmt.Sprintf("Label.text == %q", letter), func(z *zoo, e ecs.Entity) bool { v, ok := z.label.Get(e); return ok && v.Text == letter }},
	}
	return list[r.IntN(len(list))]
}

// TestTwoDots before a field are a mistake, also where a field of the rest is there.
func TestTwoDots(t *testing.T) {
	z := newZoo(t)
	for _, text := range []string{"All..i8 < 1", "All..at.x < 1", "All.at..x < 1", "All...i8 < 1", "All. < 1"} {
		if _, err := z.f.Query(text); !errors.Is(err, ecs.ErrConflict) && !errors.Is(err, ecs.ErrUnknown) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := z.f.Query("All.i8 = 1"); err == nil || !strings.Contains(err.Error(), "~= or !=") {
		t.Error(err)
	}
}

// FuzzQuery: whatever the text, there is a query that can be used or an error with a
// column inside of the text.
func FuzzQuery(f *testing.F) {
	f.Add("All, !Frozen, ?Label, any(Burning|Label), All.cells[0] <= 3, Label.text == \"x\"")
	z := newZoo(f)
	f.Fuzz(func(t *testing.T, text string) {
		q, err := z.f.Query(text)
		if err != nil {
			var at *QueryError
			if !errors.As(err, &at) || at.Column < 1 || at.Column > len(text)+1 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		n := 0
		for e := range q.All() {
			if n++; !q.Matches(e) {
				t.Fatalf("%q finds %v, which does not match", text, e)
			}
		}
		if n != q.Count() {
			t.Fatalf("%q finds %d and counts %d", text, n, q.Count())
		}
	})
}
