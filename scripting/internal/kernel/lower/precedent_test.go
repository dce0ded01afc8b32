package lower_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/kerneltest"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/lower"
)

// alteration makes a host of which something is another thing.
type alteration struct {
	name   string
	change func(v *lower.Resolved)
}

// alterations are made to one answer at a time.
var alterations = []alteration{
	{"another number", func(v *lower.Resolved) { v.Number++ }},
	{"another name", func(v *lower.Resolved) { v.Name += "2" }},
	{"another path", func(v *lower.Resolved) { v.Path += "2" }},
	{"nothing", func(v *lower.Resolved) { *v = lower.Resolved{Name: "\"x\", a nil,", Nil: true} }},
	{"names beside it", func(v *lower.Resolved) { v.Siblings = append(v.Siblings, "other") }},
	{"a truth", func(v *lower.Resolved) { v.Kind = lower.Truth }},
	{"a text", func(v *lower.Resolved) { v.Kind = lower.Text }},
	{"a component", func(v *lower.Resolved) { v.Kind = lower.Component }},
	{"an event", func(v *lower.Resolved) { v.Kind = lower.Event }},
	{"unreachable", func(v *lower.Resolved) { v.Unreachable = "another reason" }},
	{"in a pool", func(v *lower.Resolved) { v.Pooled = !v.Pooled }},
	{"ruled", func(v *lower.Resolved) { v.Ruled = !v.Ruled }},
	{"of another size", func(v *lower.Resolved) { v.Size += 8 }},
	{"one place for all", func(v *lower.Resolved) { v.Place = "here" }},
	{"one cell for all", func(v *lower.Resolved) { v.Cell = "here" }},
	{"one thing for all", func(v *lower.Resolved) { v.Ref = "one" }},
	{"that stays", func(v *lower.Resolved) { v.Read, v.Write = nil, nil }},
	{"that is not assigned", func(v *lower.Resolved) { v.Write = nil }},
	{"in no table", func(v *lower.Resolved) { v.Home = nil }},
	{"in a table", func(v *lower.Resolved) { v.Home = func() bool { return true } }},
	{"that reads another number", func(v *lower.Resolved) {
		if v.Read != nil {
			v.Read = func() (float64, bool) { return 77, false }
		}
	}},
	{"that has become another", func(v *lower.Resolved) {
		if v.Same != nil {
			v.Same = func() bool { return false }
		}
	}},
	{"that has gone", func(v *lower.Resolved) {
		if v.Still != nil {
			v.Still = func() bool { return false }
		}
	}},
	{"that has moved", func(v *lower.Resolved) {
		if v.Home != nil {
			v.Home = func() bool { return false }
		}
	}},
	{"of numbers", func(v *lower.Resolved) { v.Takes, v.Second = v.Takes+1, !v.Second }},
	{"with another field", func(v *lower.Resolved) {
		if v.Fields = append([]schema.Field(nil), v.Fields...); len(v.Fields) > 0 {
			v.Fields[0].Offset += 4
		}
	}},
	{"of another text", func(v *lower.Resolved) {
		if v.Code != nil {
			code := *v.Code
			code.Script, code.Captured = &lower.ScriptFacts{}, nil
			v.Code = &code
		}
	}},
}

// altered is a signature of which the nth answer is another one; 0: all are what they were. asked counts.
func altered(sig *lower.Signature, n int, a *alteration, asked *int) *lower.Signature {
	var wrap func(ask func(string) lower.Resolved) func(string) lower.Resolved
	known := map[string]int{}
	wrap = func(ask func(string) lower.Resolved) func(string) lower.Resolved {
		return func(name string) lower.Resolved {
			v := ask(name)
			at := known[v.Path+"\x00"+name]
			if at == 0 {
				*asked++
				at = *asked
				known[v.Path+"\x00"+name] = at
			}
			if v.Field != nil {
				v.Field = wrap(v.Field)
			}
			if at == n {
				a.change(&v)
			}
			return v
		}
	}
	sig.Captured, sig.Library, sig.Global = wrap(sig.Captured), wrap(sig.Library), wrap(sig.Global)
	return sig
}

// TestAPrecedentIsWhatLowerMakes: of all rules, where a precedent can be made, it comes to the kernel that Lower makes,
// with the values of the host that follows it; and where one answer is another, to that of the other answers
// or to nothing. It costs of a budget what Lower does.
func TestAPrecedentIsWhatLowerMakes(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.lua")
	made, followed, refused := 0, 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range kerneltest.Cases(strings.ReplaceAll(string(text), "§", "")) {
			s, err := kerneltest.Parse(c.Body)
			if err != nil {
				t.Fatal(err)
			}
			single := strings.HasSuffix(c.Name, "(f32)")
			study, id := s.Function()
			budget := func() *lower.CompileBudget { return &lower.CompileBudget{Most: 1 << 40} }
			alone, noting, following := budget(), budget(), budget()
			want, wantErr := study.Lower(id, s.Signature(single, alone))
			asked := 0
			f, p, err := study.LowerNoting(id, altered(s.Signature(single, noting), 0, nil, &asked))
			if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Fatalf("%s: %s: %v, want %v", file, c.Name, err, wantErr)
			}
			if alone.Used() != noting.Used() {
				t.Errorf("%s: %s: %d of the budget, want %d", file, c.Name, noting.Used(), alone.Used())
			}
			if err != nil || p == nil {
				continue
			}
			made++
			sameKernel(t, file+": "+c.Name+": noted", f, want)
			f, err = p.Follow(s.Signature(single, following))
			if f == nil || err != nil {
				t.Fatalf("%s: %s: the same answers are not the precedent's: %v", file, c.Name, err)
			}
			sameKernel(t, file+": "+c.Name, f, want)
			if alone.Used() != following.Used() {
				t.Errorf("%s: %s: %d of the budget, want %d", file, c.Name, following.Used(), alone.Used())
			}
			short := &lower.CompileBudget{Most: lower.TimeToCompile(want) - 1}
			_, wantErr = study.Lower(id, s.Signature(single, &lower.CompileBudget{Most: short.Most}))
			if f, err := p.Follow(s.Signature(single, short)); f != nil || err == nil || err.Error() != wantErr.Error() {
				t.Errorf("%s: %s: with too little time: %v, want %v", file, c.Name, err, wantErr)
			}
			for n := range asked {
				for i := range alterations {
					a, count := &alterations[i], 0
					got, err := p.Follow(altered(s.Signature(single, nil), n+1, a, &count))
					if err != nil {
						t.Fatal(err)
					}
					if got == nil {
						refused++
						continue
					}
					followed, count = followed+1, 0
					if other, err := study.Lower(id, altered(s.Signature(single, nil), n+1, a, &count)); err != nil {
						t.Errorf("%s: %s: answer %d, %s: follows, but there is no kernel: %v", file, c.Name, n+1, a.name, err)
					} else {
						sameKernel(t, file+": "+c.Name+": "+a.name, got, other)
					}
				}
			}
		}
	}
	t.Logf("%d precedents, followed %d times and not %d times by hosts of other answers", made, followed, refused)
	if made < 100 || followed < 500 || refused < 2000 {
		t.Errorf("only %d precedents, followed %d times and not %d times by hosts of other answers", made, followed, refused)
	}
}

// sameKernel compares kernels, and what they have from outside.
func sameKernel(t *testing.T, what string, got, want *ir.Func) {
	t.Helper()
	if !bytes.Equal(got.Key(), want.Key()) || got.String() != want.String() {
		t.Errorf("%s:\n%s\nwant\n%s", what, got, want)
		return
	}
	for i := range want.Inputs {
		x, ok := got.Inputs[i].Read()
		if y, yes := want.Inputs[i].Read(); x != y || ok != yes || (got.Inputs[i].Write == nil) != (want.Inputs[i].Write == nil) {
			t.Errorf("%s: input %d is %v, %v; want %v, %v", what, i, x, ok, y, yes)
		}
	}
	for i := range want.Same {
		if got.Same[i].Holds() != want.Same[i].Holds() {
			t.Errorf("%s: condition %d differs", what, i)
		}
	}
	for i := range want.Components {
		if got.Components[i].Ref != want.Components[i].Ref {
			t.Errorf("%s: component %d is %v, want %v", what, i, got.Components[i].Ref, want.Components[i].Ref)
		}
	}
	for i := range want.HostCalls {
		for k := range want.HostCalls[i].Parts {
			if x, y := got.HostCalls[i].Parts[k].Ref, want.HostCalls[i].Parts[k].Ref; x != y {
				t.Errorf("%s: part %d of call %d is %v, want %v", what, k, i, x, y)
			}
		}
	}
}

// TestAPrecedentIsOfItsSignature: a signature that says something else by itself is not followed.
func TestAPrecedentIsOfItsSignature(t *testing.T) {
	s, err := kerneltest.Parse("u.x = u.x + speed * ctx.dt")
	if err != nil {
		t.Fatal(err)
	}
	study, id := s.Function()
	_, p, err := study.LowerNoting(id, s.Signature(false, nil))
	if err != nil || p == nil {
		t.Fatal(p, err)
	}
	for name, change := range map[string]func(*lower.Signature){
		"system": func(sig *lower.Signature) { sig.System = "other" }, "single": func(sig *lower.Signature) { sig.Single = true },
		"growing": func(sig *lower.Signature) { sig.Growing = true }, "ample": func(sig *lower.Signature) { sig.Ample = true },
		"filters": func(sig *lower.Signature) { sig.Filters = nil }, "vectors": func(sig *lower.Signature) { sig.Vectors++ },
		"memory": func(sig *lower.Signature) { sig.Memory.Marks++ }, "name": func(sig *lower.Signature) { sig.Terms[0].Name = "Other" },
		"stride": func(sig *lower.Signature) { sig.Terms[0].Stride += 8 }, "optional": func(sig *lower.Signature) { sig.Terms[0].Optional = true },
		"fields": func(sig *lower.Signature) { sig.Terms[0].Fields = sig.Terms[0].Fields[:1] },
		"reach":  func(sig *lower.Signature) { sig.Terms[0].Unreachable = "no" },
		"terms":  func(sig *lower.Signature) { sig.Terms = sig.Terms[:2] },
	} {
		sig := s.Signature(false, nil)
		change(sig)
		if f, err := p.Follow(sig); f != nil || err != nil {
			t.Errorf("%s: followed: %v", name, err)
		}
	}
}
