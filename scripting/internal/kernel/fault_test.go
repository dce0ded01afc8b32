package kernel_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/analysis"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// TestPanicsAreFaults has each way into the compiler panic.
func TestPanicsAreFaults(t *testing.T) {
	tree, err := syntax.Parse("test.lua", []byte(before+"function(e, body) body.x = speed end }"), syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	id := analysis.Of(tree).Each[0].Function.ID
	sig := func() *kernel.Signature {
		return &kernel.Signature{
			System: "test", Captured: value, Library: library, Global: value, Terms: []kernel.Term{term(bodySchema)},
		}
	}
	study := kernel.Study(tree)
	program, err := kernel.Translate(study, id, sig())
	if err != nil {
		t.Fatal(err)
	}
	broken := sig()
	broken.Captured = func(string) kernel.Resolved { panic("planted") }
	unread := kernel.Study(&syntax.Tree{Body: append([]syntax.Stmt{(*syntax.Return)(nil)}, tree.Body...)})
	for name, enter := range map[string]func() error{
		"study":     func() error { _, err := kernel.Translate(unread, id, sig()); return err },
		"translate": func() error { _, err := kernel.Translate(study, id, broken); return err },
		"explain":   func() error { _, _, err := kernel.Explain(study, id, broken); return err },
		"new":       func() error { _, err := kernel.New(program, nil, nil); return err },
		"prepare": func() error {
			l, err := (*kernel.Translations)(nil).Lower(study, id, sig())
			if err != nil {
				return err
			}
			_, err = l.Prepare(new(kernel.Engine))
			return err
		},
	} {
		var fault *kernel.CompilerError
		if err := enter(); !errors.As(err, &fault) || !strings.Contains(fault.Place, ".go:") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
