package scripting_test

import "testing"

// TestVectorForms runs functions that are made of a form of vectors of its own, or
// nearly, by each plan: where a choice takes something away, where it is a choice of
// nothing, where it turns a sign, and where it is the lesser or the greater.
func TestVectorForms(t *testing.T) {
	for _, body := range []string{
		"c.x = c.x * 2 if c.y > 0 then c.x = c.x - a.g end",
		"d.x = d.x + 1 if d.y > 0 then d.x = d.x - d.z end",
		"d.x = d.x + 1 if d.y > 0 then d.x = d.y - d.z end",
		"d.x = d.x + 1 if d.y > 0 then d.x = d.y - d.x end",
		"d.x = d.x + 1 if d.y > 0 then d.x = d.x + d.z end",
		"if d.y > 0 then d.x = d.x - d.z end",
		"if d.y > 0 then d.x = d.x end d.y = d.y + 1",
		"d.x = math.abs(d.x) if d.y > 0 then d.x = d.x - 1 end", // a signalling not-a-number stays one
		"d.x = math.abs(d.x) d.y = math.abs(d.y) if d.z > 0 then d.x = d.x - 1 d.y = d.y - 1 end",
		"if m.mate == e then d.x = 1 else d.x = d.y end",
		"d.x = m.mate ~= m.home and d.y or d.z if m.home == e and d.z > 0 then d.y = 2 end",
		"if m.mate == m.home then c.x = c.y end",
		"d.x = a.b and d.y or 0",
		"d.x = a.b and 0 or d.y",
		"d.x = d.y > d.z and d.y * 2 or 0 d.y = d.z > 1 and 0 or d.z - 1",
		"c.x = c.y > 1 and c.x + 1 or 0 c.y = c.y > 1 and 0 or c.y + 1",
		"d.x = a.b and 0 or -d.y d.z = d.x",
		"c.x = a.b and 0 or 1 c.y = a.b and 1 or 0",
		"if a.b then d.x, d.y = 0, 1 end",
		"if a.b then d.x, d.y = -0.5, 0 else d.x, d.y = 0, 0 end",
		"if a.b then d.x = -d.x end",
		"if a.b then d.x = -d.y end",
		"d.x = d.y < d.z and d.y or d.z",
		"d.x = d.y > d.z and d.y or d.z",
		"d.x = d.y <= d.z and d.y or d.z",
		"d.x = d.y >= d.z and d.y or d.z",
		"c.x = c.y <= a.g and c.y or a.g",
		"d.x = math.max(d.y, d.z) d.y = math.min(d.z, d.x)",
		// % makes the choice one that looks at its condition first, and is gone when on is known.
		"d.x = d.z ~= 2 and (d.z ~= 2 and ctx.tick or ctx.time) or on and d.y or d.z % 7",
		"d.x = d.z ~= 2 and (d.z ~= 2 and math.max(d.y + 1, d.x + 2) or 5) or on and d.y or d.z % 7",
		"d.x = d.z + 2 < d.y + 1 and (d.z + 2) * (d.y + 1) or on and (d.y + 1) / (d.z + 2) or d.z % 7",
	} {
		for seed := range uint64(10 / oneOf) {
			o, why := flat.plans(t, []string{"function(e, a, b, c, d, m, ctx)\n" + body + "\nend"}, seed, 131, true)
			if o.refused != nil || o.compiled != 1 {
				t.Fatalf("%s: %v, %v", body, o.refused, o.reasons)
			}
			if why != "" {
				t.Errorf("seed %d: %s\n%s", seed, body, why)
				break
			}
		}
	}
}

// TestCapturedNotANumber compares with a number that no order holds for, of which the
// kernel knows that when it is made.
func TestCapturedNotANumber(t *testing.T) {
	in := indoors
	in.opening += "local never = 0/0\n"
	for _, body := range []string{
		"local v = never a.u8 = math.floor(math.min(a.i8, v))",
		"local v = never a.u8 = math.floor(math.max(b.u16, v))",
		"local v = never a.u8 = math.floor(math.min(v, a.u8))",
		"a.u8 = math.min(a.i8, never)",
		"local v = never if not (v > 3) then a.u8 = a.i16 end",
		"local v = never if a.i16 > v or a.i16 < 256 then a.u8 = a.i16 end",
		"a.u8 = never < a.u8 and a.u8 or b.u16",
		"if a.f ~= never then a.i8 = a.u8 end",
	} {
		for seed := range uint64(4) {
			o, why := in.compare(t, []string{"function(e, a, b, ctx)\n" + body + "\nend"}, seed)
			if o.refused != nil || o.compiled != 1 {
				t.Fatalf("%s: %v, %v", body, o.refused, o.reasons)
			}
			if why != "" {
				t.Errorf("seed %d: %s\n%s", seed, body, why)
				break
			}
		}
	}
}
