package scripting_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// flat is what programs for vectors run in: over points of float32 and float64, over
// structs of all kinds of fields, and entities.
var flat = setting{
	opening: opening + `local Gamma, Delta, Friend = ecs.native("Gamma"), ecs.native("Delta"), ecs.native("Friend")
local width = 300
`,
	system: func(name, mode, each string) string {
		return fmt.Sprintf("ecs.system %q { query = { Alpha, Beta, Gamma, Delta, Friend }, kernel = %q,\n  each = %s}\n", name, mode, each)
	},
}

// short is flat with precision = "f32".
var short = setting{opening: flat.opening, system: func(name, mode, each string) string {
	return strings.Replace(flat.system(name, mode, each), "kernel =", `precision = "f32", kernel =`, 1)
}}

// flatProgram writes functions that vectors can do: arithmetic, comparisons and
// branches, without loops and without what may stop a kernel.
type flatProgram struct {
	r      *rand.Rand
	atoms  []string
	truths []string
	names  int
	alone  bool // no statement is around: a local is one of the function
}

// generateFlat returns the text of one each function. Half of what it writes does
// the same for fields side by side. With single, all numbers are float32.
func generateFlat(r *rand.Rand, single bool) string {
	p := &flatProgram{r: r, truths: []string{"a.b", "b.b", "on", "m.mate == e", "m.mate ~= m.home"}}
	p.atoms = []string{"c.x", "c.y", "a.g", "b.g", "speed", "edge", "width", "ctx.dt", "0", "1", "0.5", "-2", "1e30", "1e-40"}
	if !single {
		p.atoms = append(p.atoms, "d.x", "d.y", "d.z", "b.f", "b.h", "a.f", "a.i8", "a.u8", "b.i32", "b.u32", "a.i64", "e", "ctx.time", "(0/0)", "5e-324")
	}
	var b strings.Builder
	b.WriteString("function(e, a, b, c, d, m, ctx)\n")
	for range 1 + r.IntN(4) {
		if p.alone = r.IntN(2) == 0; !p.alone {
			p.alike(&b, single)
		} else {
			p.stmt(&b, 1, p.fields(single))
		}
	}
	b.WriteString("end\n")
	return b.String()
}

func (p *flatProgram) fields(single bool) []string {
	if single {
		return []string{"c.x", "c.y", "a.g", "b.g"}
	}
	return []string{"c.x", "c.y", "a.g", "b.g", "d.x", "d.y", "d.z", "b.f", "b.h", "a.f"}
}

// alike writes a statement once for each of some fields.
func (p *flatProgram) alike(b *strings.Builder, single bool) {
	owner, fields := "c", []string{"x", "y"}
	if !single && p.r.IntN(2) == 0 {
		owner, fields = "d", []string{"x", "y", "z"}
	}
	atoms := p.atoms
	for range 12 { // the fields themselves, mostly
		p.atoms = append(p.atoms, p.pick(owner, owner, "c")+".@")
	}
	var text strings.Builder
	p.stmt(&text, 0, []string{owner + ".@"})
	p.atoms = atoms
	for _, f := range fields {
		one := strings.ReplaceAll(text.String(), "c.@", "c."+fields[min(len(f), 1)-1+strings.Index("xyz", f)%2])
		b.WriteString(strings.ReplaceAll(one, "@", f))
	}
}

func (p *flatProgram) pick(list ...string) string { return list[p.r.IntN(len(list))] }

// stmt writes an assignment, a branch, a local or a way out.
func (p *flatProgram) stmt(b *strings.Builder, depth int, fields []string) {
	switch n := p.r.IntN(20); {
	case n < 6 || depth > 2:
		fmt.Fprintf(b, "%s = %s\n", p.pick(fields...), p.num(3))
	case n < 10:
		fmt.Fprintf(b, "if %s then\n", p.truth(2))
		p.stmt(b, depth+1, fields)
		if p.r.IntN(2) == 0 {
			b.WriteString("else\n")
			p.stmt(b, depth+1, fields)
		}
		b.WriteString("end\n")
	case n == 10 && depth > 0:
		fmt.Fprintf(b, "if %s then return end\n", p.truth(2))
	case n == 11 && depth > 0:
		fmt.Fprintf(b, "a.b = %s\n", p.truth(2))
	case n == 12 && depth == 1 && p.alone:
		p.names++
		name := fmt.Sprintf("v%d", p.names)
		fmt.Fprintf(b, "local %s = %s\n", name, p.num(3))
		p.atoms = append(p.atoms, name, name)
	case n == 13 && depth > 0:
		fmt.Fprintf(b, p.pick("a.u8 = %s and 3 or 200\n", "a.i8 = %s and -128 or 127\n", "a.i16 = %s and -700 or a.u8\n",
			"b.u32 = %s and 4294967295 or b.u16\n", "b.i32 = %s and -2147483648 or a.i8\n", "b.u16 = %s and 0 or 65535\n"), p.truth(1))
	case n == 14 && depth > 0: // ways out of both arms
		fmt.Fprintf(b, "if %s then if %s then return end\n", p.truth(1), p.truth(1))
		p.stmt(b, depth+1, fields)
		fmt.Fprintf(b, "else if %s then return end end\nif %s then return end\n", p.truth(1), p.truth(1))
		p.stmt(b, depth+1, fields)
	case n == 15 && depth > 0: // a block that is left
		p.names++
		label := fmt.Sprintf("out%d", p.names)
		fmt.Fprintf(b, "do if %s then goto %s end\n", p.truth(1), label)
		p.stmt(b, depth+1, fields)
		fmt.Fprintf(b, "::%s:: end\n", label)
	case n == 16: // what goes row by row, where it comes to that
		fmt.Fprintf(b, "if %s then %s = %s end\n", p.truth(2), p.pick(fields...), p.pick(
			fmt.Sprintf("math.ldexp(%s, 1)", p.num(1)), fmt.Sprintf("math.deg(%s)", p.num(1)), "ecs.random()"))
	case n == 17 && depth > 0:
		fmt.Fprintf(b, "%s = %s\n", p.pick("a.i8", "b.u16", "b.i32"), p.pick("0", "a.u8 - 100", "a.i8 + 1", "b.u16 * 2"))
	case n == 18: // what begins anew
		field := p.pick(fields...)
		fmt.Fprintf(b, "%s = %s\nif %s then %s = %s - %s end\n", field, p.num(2), p.truth(1), field, field, p.num(1))
	case n == 19: // a choice of nothing
		fmt.Fprintf(b, p.pick("%s = %s and %s or 0\n", "%s = %s and 0 or %s\n"), p.pick(fields...), p.truth(1), p.num(1))
	default:
		fmt.Fprintf(b, "%s = %s\n", p.pick(fields...), p.num(2))
	}
}

func (p *flatProgram) num(depth int) string {
	if depth == 0 || p.r.IntN(6) == 0 {
		return p.pick(p.atoms...)
	}
	x := func() string { return p.num(depth - 1) }
	switch n := p.r.IntN(18); {
	case n > 15:
		return mathematics(p.r, x)
	case n < 4:
		return fmt.Sprintf("(%s + %s)", x(), x())
	case n < 6:
		return fmt.Sprintf("(%s - %s)", x(), x())
	case n < 9:
		return fmt.Sprintf("(%s * %s)", x(), x())
	case n == 9:
		return fmt.Sprintf("(%s / %s)", x(), x())
	case n == 10:
		return fmt.Sprintf("-(%s)", x())
	case n < 13:
		return fmt.Sprintf("%s(%s)", p.pick("math.floor", "math.ceil", "math.abs", "math.sqrt"), x())
	case n == 13:
		return fmt.Sprintf("%s(%s, %s)", p.pick("math.max", "math.min"), x(), x())
	}
	return fmt.Sprintf("(%s and %s or %s)", p.truth(depth-1), x(), x())
}

func (p *flatProgram) truth(depth int) string {
	if depth == 0 {
		return p.pick(p.truths...)
	}
	switch n := p.r.IntN(9); {
	case n == 8:
		return fmt.Sprintf("((%s) %s (%s))", p.truth(depth-1), p.pick("==", "~="), p.truth(depth-1))
	case n < 5:
		return fmt.Sprintf("%s %s %s", p.num(depth-1), p.pick("<", "<=", ">", ">=", "==", "~="), p.num(depth-1))
	case n == 5:
		return fmt.Sprintf("not (%s)", p.truth(depth-1))
	case n == 6:
		return fmt.Sprintf("(%s and %s)", p.truth(depth-1), p.truth(depth-1))
	}
	return fmt.Sprintf("(%s or %s)", p.truth(depth-1), p.truth(depth-1))
}

// TestVectorsEqualLua runs random functions that vectors can do on the Lua
// interpreter, row by row and by one of their plans, over all small numbers of rows.
// Memory must be equal to the bit. They are a quarter of the programs that were
// asked for, because each runs three times.
func TestVectorsEqualLua(t *testing.T) {
	sideBySide(t)
	flat.vectors(t, *kernelPrograms/4, func(r *rand.Rand) string { return generateFlat(r, false) }, true)
}

// TestComparisonsOfBothPrecisions: those of float64 and of float32 in lanes of the same
// vector were once taken for each other, without an end.
func TestComparisonsOfBothPrecisions(t *testing.T) {
	const text = `function(e, a, b, c, d, m, ctx)
		if (a.b and 5e-324 or a.g) > ctx.time then b.f = math.sin(math.sqrt(b.g)) end
		d.z = b.h >= width and a.g or 0
		if (b.g - ctx.dt) <= -(speed) then
			d.x = (a.u8 + math.floor(1e30)) * (d.x == d.z and b.g / a.u8 or c.x * c.x)
		end
		if (b.g - ctx.dt) <= -(speed) then
			d.y = (a.u8 + math.floor(1e30)) * (d.y == d.z and b.g / a.u8 or c.x * c.y)
		end
		if (b.g - ctx.dt) <= -(speed) then
			d.z = (a.u8 + math.floor(1e30)) * (d.z == d.z and b.g / a.u8 or c.x * c.x)
		end
		a.g = 1e-40
	end`
	for seed := range uint64(10) { // of which depends, too, what goes together
		if o, why := flat.plans(t, []string{text}, seed, 8, true); o.refused != nil || why != "" {
			t.Errorf("seed %d: %v\n%s", seed, o.refused, why)
		}
	}
}

// TestVectorsThatStoreTheirGuard: what keeps rows from going together may be the very
// first value of a plan, one that is stored, too.
func TestVectorsThatStoreTheirGuard(t *testing.T) {
	for _, body := range []string{
		"b.b = a.b if a.b then d.x = math.sin(d.y) else d.x = d.y end",
		"b.b = not a.b if a.b then d.x = math.sin(d.y) else d.x = d.y end",
		"b.b = d.x < 3 if d.x < 3 then c.x = math.sin(d.y) end",
	} {
		for seed := range uint64(10) {
			o, why := flat.plans(t, []string{"function(e, a, b, c, d, m, ctx)\n" + body + "\nend"}, seed, 17, true)
			if o.refused != nil || o.compiled != 1 || why != "" {
				t.Fatalf("seed %d: %s: %v, %v\n%s", seed, body, o.refused, o.reasons, why)
			}
		}
	}
}

// TestSinglesEqual does the same for precision = "f32". The VM has no
// float32, and is left out.
func TestSinglesEqual(t *testing.T) {
	sideBySide(t)
	short.vectors(t, *kernelPrograms/4, func(r *rand.Rand) string { return generateFlat(r, true) }, false)
}

// place is what differs between programs in the words about them.
var place = regexp.MustCompile(`line \d+: |about .*`)

// vectors runs so many programs. Half of them or more must have a plan.
func (in setting) vectors(t *testing.T, programs int, generate func(*rand.Rand) string, lua bool) {
	const batch = 20
	planned, compiled, total := 0, 0, 0
	shapes := map[string]int{}
	for seed := *kernelSeed; total < programs; seed++ {
		r := rand.New(rand.NewPCG(seed, 5))
		texts := make([]string, batch)
		for i := range texts {
			texts[i] = generate(r)
		}
		rows := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 45, 131}[seed%13]
		difference := func(texts []string) (outcome, string) { return in.plans(t, texts, seed, rows, lua) }
		o, why := difference(texts)
		if o.refused != nil {
			t.Fatalf("seed %d: %v\n%s", seed, o.refused, strings.Join(texts, "\n"))
		}
		if why != "" {
			for _, text := range texts {
				fails := func(text string) bool { _, d := difference([]string{text}); return d != "" }
				if fails(text) {
					text = shrink(text, fails)
					_, why = difference([]string{text})
					t.Fatalf("seed %d, %d rows\n%s\n%s", seed, rows, why, text)
				}
			}
			t.Fatalf("seed %d, %d rows: only together\n%s", seed, rows, why)
		}
		for _, shape := range o.rows {
			if strings.HasPrefix(shape, "vectorised") {
				planned++
			}
			shape, _, _ = strings.Cut(shape, "; ")
			shapes[place.ReplaceAllString(shape, "")]++
		}
		compiled += o.compiled
		total += batch
	}
	t.Logf("%d programs from seed %d: %d compiled, %d with vectors: %v", total, *kernelSeed, compiled, planned, shapes)
	if planned < total/2 {
		t.Errorf("only %d of %d programs had vectors", planned, total)
	}
}

// plans runs programs in all ways and returns what the vectors did.
func (in setting) plans(t *testing.T, programs []string, seed uint64, rows int, lua bool) (outcome, string) {
	t.Helper()
	run := func(mode string, vectors int) (outcome, error) {
		text := in.opening
		for i, p := range programs {
			text += in.system(fmt.Sprintf("s%02d", i), mode, p)
		}
		return playWith(t, text, seed, rows, 2, vectors)
	}
	scalar, err := run("auto", -1)
	if err != nil {
		return outcome{refused: err}, "" // shrinking makes such texts
	}
	vectors, err := run("auto", int(1+seed%5))
	if err != nil {
		return outcome{}, err.Error()
	}
	if !slices.Equal(scalar.sums, vectors.sums) || scalar.memory != vectors.memory {
		return vectors, "scalar, then vectors\n" + differentSums(scalar, vectors) + firstDifference(scalar.memory, vectors.memory)
	}
	if !lua {
		return vectors, ""
	}
	if vm, err := run("off", 0); err != nil || !slices.Equal(vm.sums, vectors.sums) || vm.memory != vectors.memory {
		return vectors, fmt.Sprint(err) + differentSums(vm, vectors) + firstDifference(vm.memory, vectors.memory)
	}
	return vectors, ""
}

// TestVectorForms runs functions that are made of a form of vectors of its own, or
// nearly, by each plan: where a choice takes something away, where it is a choice of
// nothing, where it turns a sign, and where it is the lesser or the greater.
func TestVectorForms(t *testing.T) {
	sideBySide(t)
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
	in := rowsSetting
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
