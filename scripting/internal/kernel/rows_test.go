package kernel_test

import (
	"strings"
	"testing"
)

// TestRows holds how rows go together, and the words for why they do not. The
// bodies begin at line 7.
func TestRows(t *testing.T) {
	const grouped = "; four rows in each turn of the loop, one after the other"
	for _, c := range []struct{ body, want string }{
		{"p.x = p.x + v.x * ctx.dt p.y = p.y + v.y * ctx.dt", "vectorised: 2 fields × 1 row, f64x2"},
		{"if p.x < 0 or p.x > 9 then v.x = -v.x end if p.y < 0 or p.y > 7 then v.y = -v.y end", "vectorised: 2 fields × 1 row, f64x2"},
		{"v.x = math.sqrt(v.x) / 2 v.y = v.y * v.y", "vectorised: 1 field × 2 rows, f64x2"},
		{"if p.ok then return end v.x = math.max(0, v.x) v.y = math.max(0, v.y)", "vectorised: 2 fields × 1 row, f64x2"},
		{"p.x = p.x / 3 + p.r p.y = p.y / 3 + p.r", "vectorised: 2 fields × 1 row, f64x2"},
		{"local a = v.x\nv.x = math.sin(a)", "vectorised: 1 field × 2 rows, f64x2"},
		{"local a = v.x\nv.x = math.deg(a)", "not vectorised: line 8: math.deg is a function of the host" + grouped},
		{"v.x = v.x % 3", "vectorised: 1 field × 2 rows, f64x2"},
		{"v.y = 1\nfor i = 1, 30 do v.x = v.x + i end", "not vectorised: line 8: a loop"},
		{"while v.x > 0 do v.x = v.x - 1 end", "not vectorised: line 7: a loop"},
		{"p.n = p.x", "vectorised: 1 field × 2 rows, f64x2; rows with what a field cannot hold go one by one"},
		{"v.x = p.n", "not vectorised: row by row costs less: about 8 against 10 for each" + grouped},
		{"v.x = math.random()", "not vectorised: line 7: a random number"},
		{"v.x = v.x - ctx.dt\nif v.x < 0 then\nv.x = math.random() end", "vectorised: 1 field × 2 rows, f64x2; rows that come to line 9 go one by one"},
		{"v.x = v.x - ctx.dt\nif v.x < 0 then\nif p.ok then\nv.x = math.random() else v.x = 3 end end", "vectorised: 1 field × 2 rows, f64x2; rows that come to line 10 go one by one"},
		{"v.x = v.x - ctx.dt\nif v.x < 0 then\nif p.ok then\nv.x = math.random() else v.x = math.deg(v.x) end end", "vectorised: 1 field × 2 rows, f64x2; rows that come to line 9 go one by one"},
		{"if p.n == 0 then v.x = v.x + 1 if v.x > 5 then p.n = 1 end elseif p.n == 1 then v.x = v.x - 1 else p.x = p.x - 1 end", "vectorised: 1 field × 2 rows, f64x2"}, // which it is, nobody foresees
		{"p.wide = p.wide + 1", "not vectorised: body.wide is an integer of 64 bits"},
		{"if p.ok then v.x = math.sin(v.x) else\nv.x = math.cos(v.x) end", "vectorised: 1 field × 2 rows, f64x2"},
		{"local a = p.x", "not vectorised: it stores nothing" + grouped},
		{"v.x = 1 v.y = v.x == 1 and p.x or 2", "vectorised: 1 field × 2 rows, f64x2"},
		{"p.n = p.ok and 1 or 2", "vectorised: 1 field × 2 rows, f64x2"},
	} {
		programs, err := translate(before + "function(e, p, v, ctx)\n" + c.body + "\nend }")
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		if got := programs[0].Packing(); got != c.want {
			t.Errorf("%s\n  %s\n  want %s", c.body, got, c.want)
		}
	}
}

// TestRowsOfFloat32 holds what is proven to be the same in float32, and what is not, of
// functions that have not asked for it: each rule, and what just misses it.
func TestRowsOfFloat32(t *testing.T) {
	const same, twice, noFloat32 = "four", "twice", "0.1 is no float32"
	for _, c := range []struct{ body, want string }{
		{"spot.@ = spot.@ + drift.@", same},
		{"spot.@ = spot.@ * drift.@", same},
		{"spot.@ = spot.@ / drift.@", same},
		{"spot.@ = math.sqrt(spot.@)", same},
		{"spot.@ = spot.@ * 0.1", noFloat32},
		{"spot.@ = spot.@ + drift.@ + 1", twice},
		{"spot.@ = ctx.dt", same},
		{"spot.@ = ctx.dt * spot.@", twice},
		{"spot.@ = math.abs(spot.@ + drift.@)", same},
		{"spot.@ = -(spot.@ + drift.@)", same},
		{"spot.@ = math.floor(spot.@) + 1", same},
		{"spot.@ = math.max(spot.@, -spot.@)", same},
		{"spot.@ = math.min(spot.@ + drift.@, 5)", same},
		{"spot.@ = math.max(drift.@ - 1, spot.@)", same},
		{"spot.@ = math.min(math.sqrt(spot.@), 5)", same},
		{"spot.@ = math.min(-(spot.@ + drift.@), 5)", same},
		{"spot.@ = math.min(math.max(spot.@ + drift.@, 2), 5)", same},
		{"spot.@ = math.min(spot.@ * drift.@, 5)", "two"}, // it may vanish
		{"spot.@ = math.min(spot.@ * 0.75, 5)", same},
		{"spot.@ = math.min(0.75 * spot.@, 5)", same},
		{"spot.@ = math.min(spot.@ * 0.5, 5)", "two"},
		{"spot.@ = math.min(spot.@ / 1.5, 5)", same},
		{"spot.@ = math.min(spot.@ / 2, 5)", "two"},
		{"if spot.@ + drift.@ < 0 then spot.@ = 1 end", same},
		{"if spot.@ + drift.@ < 1 then spot.@ = 1 end", same}, // the sum as float64
		{"if spot.@ < 0.1 then spot.@ = 1 end", same},
		{"spot.@ = spot.@ < 1 and spot.@ + 1 or 1", same},
		{"spot.@ = spot.@ < 1 and spot.@ + 0.1 or 1", noFloat32},
		{"p.r = p.n * 2 + p.n", same},
		{"p.r = p.n * 65793 + p.n", same}, // just below 2^24
		{"p.r = p.n * 65794 + p.n", twice},
		{"p.r = -p.n + 3", same},
		{"p.r = p.n - p.n * p.n", same},
		{"p.r = p.n * p.n * p.n + 1", same},
		{"p.r = p.n * p.n * p.n * 2 + 1", twice},
		{"p.r = math.max(p.n, 7) + 1 + p.n", same},
		{"p.r = (p.n < 7 and 2 or p.n) * 3 + 1", same},
		{"p.r = math.floor(p.n) + 1 + 2", same},
		{"p.r = p.n + 1 + 0.5", same},
		{"p.r = p.n / 2", same},
		{"p.r = p.n / 2 + 1", twice},
		{"p.r = p.r + p.n * 2", same},
		{"if p.n * 2 + 1 < p.r then p.r = 1 end", same},
	} {
		head, body := "function(e, p, v, ctx)\n", c.body
		if strings.Contains(body, "@") {
			head, body = "function(e, spot, drift, ctx)\n", strings.ReplaceAll(body, "@", "x")+" "+strings.ReplaceAll(body, "@", "y")
		}
		programs, err := translate(before + head + body + "\nend }")
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		want := map[string]string{same: "f32x4; float32 gives the same", "two": "f64x2"}[c.want]
		if want == "" {
			want = c.want
		}
		if got := programs[0].Packing(); !strings.Contains(got, want) {
			t.Errorf("%s\n  %s\n  want %s", c.body, got, c.want)
		}
	}
}

// TestDoublingEnds translates functions in which a value is made of the one before,
// twice, again and again: looking at each use would take longer than anyone can wait.
func TestDoublingEnds(t *testing.T) {
	for _, c := range []struct{ first, step string }{
		{"ctx.dt", "a = a + a"},
		{"ctx.dt", "a = math.min(a, a + 1)"},
		{"spot.x", "a = a + a"},
		{"spot.x", "a = math.min(a, a + spot.x)"},
		{"spot.x", "a = math.max(a, -a)"},
		{"1", "a = a * a"},
	} {
		body := "local a = " + c.first + "\n" + strings.Repeat(c.step+"\n", 100) + "spot.x = a"
		if _, err := translate(before + "function(e, spot, drift, ctx)\n" + body + "\nend }"); err != nil {
			t.Errorf("%s: %v", c.step, err)
		}
		body = "local a = " + strings.Replace(c.first, "spot.x", "p.n", 1) + "\n" + strings.Repeat(strings.ReplaceAll(c.step, "spot.x", "p.n")+"\n", 100) + "p.r = a"
		if _, err := translate(before + "function(e, p, v, ctx)\n" + body + "\nend }"); err != nil {
			t.Errorf("%s: %v", c.step, err)
		}
	}
}
