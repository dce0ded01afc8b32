package rows

import (
	"fmt"
	"strings"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/yuin/gopher-lua/ast"
)

// Mark notes, in every table constructor that looks like a system, the lines of
// its options, so that a fault in one is reported where it stands and not where
// the table begins.
func Mark(stmts []ast.Stmt) {
	w := walker{expr: func(slot *ast.Expr) bool {
		t, ok := (*slot).(*ast.TableExpr)
		if ok && (field(t, "each") != nil || field(t, "batch") != nil || field(t, "run") != nil) {
			mark := &ast.Field{Key: text(bindings.OptionLines, t.Line()), Value: text(linesOf(t), t.Line())}
			t.Fields = append([]*ast.Field{mark}, t.Fields...) // a call at the end keeps all its values
		}
		return true
	}}
	w.block(stmts)
}

// linesOf writes key:line for every option, separated by ';'.
func linesOf(t *ast.TableExpr) string {
	var lines []string
	for _, f := range t.Fields {
		if key, ok := f.Key.(*ast.StringExpr); ok && plainName(key.Value) {
			line := max(key.Line(), f.Value.Line())
			if key.Line() > 0 {
				line = key.Line()
			}
			lines = append(lines, fmt.Sprintf("%s:%d", key.Value, line))
		}
	}
	return strings.Join(lines, ";")
}
