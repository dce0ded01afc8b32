package bytecode_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/bytecode"
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// everything has most of what Lua can say.
const everything = `
local a, b = 1, "x"
local t = { 1, 2, 3, k = a, [b] = 5, ... }
t.k, t[a], t[1] = t[b], t.k, nil
g = a + 2 - t.k * 3 / a % 4 ^ 2 .. b .. #t
local function inner(x, ...)
  a = a + x
  return function() return a, x, b end
end
for i = 1, 10, 2 do if i == 3 or not t[i] and i < a then break end end
for k, v in pairs(t) do t[k] = -v end
while a <= 5 do a = a + 1 repeat local c = a until c >= 2 end
t:method(a, inner(a), g)
local x, y, z = inner(1), ...
do local gone = function() return gone, x end end
return a > b, t.k ~= x, inner(y)
`

// line is one of the VM's own disassembly.
var line = regexp.MustCompile(`(?m)^\[(\d+)\] (\w+) +\| +(\d+), (-?\d+)(?:, (\d+))?`)

// TestOperandsAreThoseOfTheVM compares the operands with what the VM's own disassembly
// says of what its compiler makes of a text.
func TestOperandsAreThoseOfTheVM(t *testing.T) {
	seen := map[string]bool{}
	var visit func(p *lua.FunctionProto)
	visit = func(p *lua.FunctionProto) {
		for _, inner := range p.FunctionPrototypes {
			visit(inner)
		}
		for _, m := range line.FindAllStringSubmatch(p.String(), -1) { // lines of functions inside are indented
			number, _ := strconv.Atoi(m[1])
			code := p.Code[number-1]
			got, want := fmt.Sprint(bytecode.A(code), bytecode.Bx(code)), m[3]+" "+m[4]
			if op := bytecode.Op(code); op == lua.OP_JMP || op == lua.OP_FORLOOP || op == lua.OP_FORPREP {
				got = fmt.Sprint(bytecode.A(code), bytecode.Target(number-1, code)-number)
			}
			if op := bytecode.Op(code); bytecode.MakeBx(op, bytecode.A(code), bytecode.Bx(code)) != code {
				t.Errorf("%s: made again of two operands it is another one", m[0])
			}
			if m[5] != "" {
				op, a, b, c := bytecode.Parts(code)
				if bytecode.Make(op, a, b, c) != code {
					t.Errorf("%s: made again it is %x, not %x", m[0], bytecode.Make(op, a, b, c), code)
				}
				got, want = fmt.Sprint(a, b, c), want+" "+m[5]
			}
			if seen[m[2]] = true; got != want {
				t.Errorf("%s: %s, want %s", m[0], got, want)
			}
		}
	}
	visit(compiled(t, everything))
	if len(seen) < 25 {
		t.Errorf("only %d operations: %v", len(seen), seen)
	}
}

func compiled(t *testing.T, text string) *lua.FunctionProto {
	t.Helper()
	chunk, err := parse.Parse(strings.NewReader(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	p, err := lua.Compile(chunk, "test")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestWhatInstructionsLeadTo holds constants, jumps and captured variables of a function
// of which they can be seen.
func TestWhatInstructionsLeadTo(t *testing.T) {
	p := compiled(t, "local t, u = {} u = t.k while t do u = t end return function() return t, u end")
	var found []string
	for pc := 0; pc < len(p.Code); pc += 1 + captures(p, pc) {
		op, _, b, c := bytecode.Parts(p.Code[pc])
		switch op {
		case lua.OP_GETTABLEKS:
			key, isConstant := bytecode.Constant(c)
			found = append(found, fmt.Sprint(b, p.Constants[key], isConstant))
		case lua.OP_JMP:
			if bytecode.Jump(pc, bytecode.Target(pc, p.Code[pc])) != p.Code[pc] {
				t.Error("a jump that is made again is another one")
			}
			found = append(found, fmt.Sprint("jump ", bytecode.Target(pc, p.Code[pc])-pc > 0))
		case lua.OP_CLOSURE:
			found = append(found, fmt.Sprint("captures ", captures(p, pc)))
		}
	}
	if _, isConstant := bytecode.Constant(3); isConstant {
		t.Error("register 3 is no constant")
	}
	want := "0ktrue, jump true, jump false, captures 2"
	if got := strings.Join(found, ", "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// captures returns how many instructions after the one at pc belong to it: the captured
// variables of a CLOSURE.
func captures(p *lua.FunctionProto, pc int) int {
	if bytecode.Op(p.Code[pc]) != lua.OP_CLOSURE {
		return 0
	}
	return int(p.FunctionPrototypes[bytecode.Bx(p.Code[pc])].NumUpvalues)
}
