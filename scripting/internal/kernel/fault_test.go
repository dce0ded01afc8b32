package kernel_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/front"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
	"github.com/perigee-ecs/perigee/scripting/internal/rows"
	"github.com/yuin/gopher-lua/ast"
)

// TestPanicsAreFaults has each way into the compiler panic.
func TestPanicsAreFaults(t *testing.T) {
	chunk, err := front.Parse("test.lua", []byte(before+"function(e, body) body.x = speed end }"), front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	functions := rows.Each(chunk.Stmts)
	sig := func() *kernel.Signature {
		return &kernel.Signature{
			System: "test", Line: functions[0].Line(), Captured: value, Library: library, Global: value, Terms: []kernel.Term{term(bodySchema)},
		}
	}
	study := kernel.Study(chunk.Stmts, functions)
	program, err := kernel.Translate(study, 0, sig())
	if err != nil {
		t.Fatal(err)
	}
	broken := sig()
	broken.Captured = func(string) kernel.Value { panic("planted") }
	unread := kernel.Study(append([]ast.Stmt{(*ast.ReturnStmt)(nil)}, chunk.Stmts...), functions)
	for name, enter := range map[string]func() error{
		"study":     func() error { _, err := kernel.Translate(unread, 0, sig()); return err },
		"translate": func() error { _, err := kernel.Translate(study, 0, broken); return err },
		"explain":   func() error { _, _, err := kernel.Explain(study, 0, broken); return err },
		"new":       func() error { _, err := kernel.New(program, nil); return err },
		"prepare":   func() error { _, err := kernel.Prepare(study, 0, sig(), new(kernel.Engine)); return err },
	} {
		var fault *kernel.Fault
		if err := enter(); !errors.As(err, &fault) || !strings.Contains(fault.Place, ".go:") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
