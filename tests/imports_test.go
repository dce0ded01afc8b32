package tests_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// importTable says which package may import which. The direction is
// ecs ← bindings ← scripting ← cmd; nothing looks back.
//
// DO NOT EDIT THIS TABLE TO FIX A BUILD. When an import is refused, the code is
// in the wrong package. A row changes when the design does, and the change says
// why.
//
// A row names packages ("x/..." those below x), then what their files may
// import: "std" is any package of the standard library, "-os" not package os
// nor those below it; names with a slash-separated path of this module are its
// packages, all others are modules. After the bar stands what tests may import
// besides; for them no package of the standard library is forbidden.
const importTable = `
ecs                     std -os -log -net -io/fs -path/filepath  golang.org/x/sys  ecs/schema ecs/sparse ecs/internal/... | ecs tests/twin pgregory.net/rapid internal/golden internal/testmain internal/planted
ecs/internal/...        std -os -log -net -io/fs -path/filepath  golang.org/x/sys ecs/schema                         | pgregory.net/rapid
ecs/detmath             std -os -log -net -io/fs -path/filepath                                                            | ecs/detmath internal/golden internal/testmain
ecs/sparse              std -os -log -net -io/fs -path/filepath                                                            | ecs/sparse pgregory.net/rapid
ecs/schema              std -os -log -net -io/fs -path/filepath                                                            | pgregory.net/rapid
ecs/snapshot            std -os -log -net -io/fs -path/filepath  ecs ecs/internal/capture                              | ecs/snapshot ecs/save tests/twin pgregory.net/rapid internal/planted
ecs/save                std -log -net              ecs ecs/codec ecs/schema ecs/snapshot ecs/internal/capture             | ecs/save pgregory.net/rapid internal/misuse internal/planted
ecs/codec               std -os -log -net -io/fs -path/filepath                                                            | pgregory.net/rapid
ecs/replica             std -os -log -net -io/fs -path/filepath  ecs ecs/codec ecs/schema ecs/snapshot ecs/internal/capture ecs/internal/slots github.com/klauspost/compress | ecs/replica ecs/save tests/twin internal/misuse internal/planted
ecs/asset               std -os -log -net              ecs ecs/schema ecs/snapshot                                        | ecs/asset ecs/save
ecs/sketch              std -os -log -net -io/fs -path/filepath  ecs ecs/snapshot                                      | ecs/sketch
ecs/journal             std -os -log -net -io/fs -path/filepath  ecs ecs/fields                                        | ecs/journal ecs/snapshot
ecs/fields              std -os -log -net -io/fs -path/filepath  ecs internal/nearest                                  | ecs/fields internal/misuse
ecs/ecstest             std -os -log -net -io/fs -path/filepath  ecs                                       | tests/twin
bindings/bytecode       std -os -net -log  github.com/yuin/gopher-lua                                      | bindings/bytecode internal/golden internal/testmain
bindings/machine        std -os -net -log  ecs/detmath bindings/diag internal/numbers github.com/yuin/gopher-lua                   | bindings/machine pgregory.net/rapid internal/golden internal/testmain internal/lua51 internal/luatest
bindings/proxy          std -os -net -log  bindings/lua                                      | bindings/proxy internal/golden internal/testmain
bindings/facts          std -os -net -log  bindings/diag bindings/lua                                      | bindings/facts internal/golden internal/testmain
bindings/holes          std -os -net -log  bindings/bytecode bindings/diag bindings/proxy bindings/lua github.com/yuin/gopher-lua  | bindings/holes internal/golden internal/testmain
bindings/symbol         std -os -net -log  ecs                                                             | internal/golden internal/testmain
bindings/running        std -os -net -log  ecs                                                             | internal/golden internal/testmain
bindings/lua            std -os -net -log  bindings/diag bindings/machine  github.com/yuin/gopher-lua                   | internal/golden internal/testmain
bindings/diag           std -os -net -log  ecs internal/nearest                                                          | bindings/diag internal/golden internal/testmain
bindings/fault          std -os -net -log  bindings/bytecode bindings/diag bindings/lua bindings/machine github.com/yuin/gopher-lua                   | bindings/fault internal/golden internal/testmain
bindings/rows           std -os -net -log  ecs                                                             | internal/golden internal/testmain
bindings/internal/fence std -os -net -log  ecs bindings/running bindings/diag bindings/fault bindings/lua bindings/proxy bindings/internal/tx bindings/internal/value bindings/internal/bridge bindings/machine github.com/yuin/gopher-lua layeh.com/gopher-luar | bindings/internal/fence internal/golden internal/testmain
bindings/internal/...   std -os -net -log  ecs ecs/schema ecs/sketch bindings/running bindings/bytecode bindings/lua bindings/machine bindings/proxy bindings/diag bindings/facts bindings/fault bindings/rows bindings/internal/...  github.com/yuin/gopher-lua  | pgregory.net/rapid internal/golden internal/testmain
bindings                std -os -net       ecs ecs/sketch bindings/running bindings/bytecode bindings/lua bindings/machine bindings/proxy bindings/holes bindings/facts bindings/symbol bindings/diag bindings/fault bindings/rows bindings/internal/...          | bindings pgregory.net/rapid internal/golden internal/testmain internal/nearest
scripting               std -os -net       ecs ecs/asset ecs/fields ecs/snapshot bindings bindings/running bindings/diag bindings/lua bindings/machine bindings/fault bindings/proxy bindings/holes bindings/facts bindings/symbol bindings/rows scripting/internal/... internal/goroutine | ecs/journal scripting scripts scripting/kit pgregory.net/rapid go.uber.org/goleak internal/golden internal/planted internal/testmain internal/lua51 github.com/yuin/gopher-lua layeh.com/gopher-luar internal/misuse internal/nearest
scripting/kit           std -os -net       ecs ecs/asset ecs/detmath ecs/sketch bindings/running                       | scripting/kit scripting ecs/snapshot internal/misuse
scripting/inspect       std -os                       ecs ecs/asset ecs/codec ecs/fields ecs/journal ecs/save ecs/sketch ecs/snapshot bindings/diag scripting scripting/kit scripting/record  github.com/coder/websocket | ecs/fields scripting/inspect scripting/kit scripting/loop
scripting/record        std -os -net -log          ecs ecs/snapshot scripting                                          | scripting/record log/slog scripting/saves
scripting/saves         std -log -net              ecs ecs/fields ecs/save bindings/diag scripting scripting/internal/scene | scripting/saves scripting internal/misuse
scripting/loop          std -os -net                                                                                   | scripting/loop internal/misuse
scripting/internal/kernel/ir      std -os -net -log  ecs/schema internal/formula scripting/internal/... | pgregory.net/rapid github.com/rogpeppe/go-internal internal/golden internal/testmain
scripting/internal/kernel/lower   std -os -net -log  ecs/schema scripting/internal/...  github.com/yuin/gopher-lua | pgregory.net/rapid github.com/rogpeppe/go-internal internal/golden internal/testmain
scripting/internal/kernel/passes  std -os -net -log  ecs/schema scripting/internal/... | pgregory.net/rapid github.com/rogpeppe/go-internal internal/golden internal/testmain
scripting/internal/luarun std              ecs bindings/machine scripting scripting/internal/...  github.com/yuin/gopher-lua |
scripting/internal/kernel/vector  std -os -net -log  ecs/schema internal/formula scripting/internal/... | pgregory.net/rapid github.com/rogpeppe/go-internal internal/golden internal/testmain
scripting/internal/kernel/wasm    std -os -net -log  ecs/schema internal/formula scripting/internal/...  github.com/tetratelabs/wazero | ecs bindings/rows pgregory.net/rapid github.com/rogpeppe/go-internal internal/golden internal/testmain
scripting/internal/...  std -os -net -log  ecs ecs/detmath internal/formula bindings bindings/bytecode bindings/lua bindings/machine  bindings/proxy bindings/diag bindings/facts bindings/fault bindings/rows scripting/internal/... internal/numbers internal/nearest  github.com/yuin/gopher-lua  github.com/tetratelabs/wazero | pgregory.net/rapid github.com/rogpeppe/go-internal internal/golden internal/testmain internal/lua51 internal/luatest
hotreload               std -net           github.com/fsnotify/fsnotify  internal/goroutine                | hotreload go.uber.org/goleak pgregory.net/rapid internal/golden internal/testmain internal/misuse
scripts                 embed io/fs                                                                        | scripts ecs bindings scripting
cmd/...                 std                ecs ecs/asset ecs/journal ecs/save ecs/sketch scripting/saves ecs/snapshot bindings bindings/diag scripting scripting/inspect scripting/kit scripting/loop scripting/record hotreload scripts cmd/internal/...  github.com/spf13/cobra  golang.org/x/term | github.com/rogpeppe/go-internal pgregory.net/rapid internal/golden internal/testmain
examples/...            std                ecs ecs/detmath bindings bindings/diag scripting scripting/kit scripting/loop scripting/record ecs/replica hotreload scripts         | internal/hosttest
tests/kernels           std                                                                                | ecs scripting internal/golden internal/testmain internal/hosttest
tests/fuzz              std                                                                                | ecs scripting internal/golden internal/testmain
tests/house             std                                                                                |
tests/soak              std                                                                                | ecs tests/twin internal/golden internal/planted internal/testmain
tests/mutants           std                                                                                |
tests/twin              std                ecs ecs/save ecs/snapshot                                                |
internal/formula/...    std                internal/formula                                                        | ecs/detmath github.com/tetratelabs/wazero internal/testmain
internal/luatest        std                internal/lua51                                                  | internal/luatest
internal/hosttest       std                scripting                                                       |
internal/...            std                                                                                | internal/lua51
tests                   std                ecs ecs/asset bindings bindings/diag scripting scripting/kit hotreload scripts | github.com/rogpeppe/go-internal pgregory.net/rapid go.uber.org/goleak internal/golden internal/testmain internal/hosttest
`

const module = "github.com/perigee-ecs/perigee"

// importRule is one row of the table.
type importRule struct {
	of, allowed, forbidden, tests []string
}

// importRules reads the table.
func importRules() []importRule {
	var rules []importRule
	for line := range strings.Lines(importTable) {
		left, right, _ := strings.Cut(line, "|")
		words := strings.Fields(left)
		if len(words) == 0 {
			continue
		}
		r := importRule{of: words[:1], tests: strings.Fields(right)}
		for _, w := range words[1:] {
			if name, no := strings.CutPrefix(w, "-"); no {
				r.forbidden = append(r.forbidden, name)
			} else {
				r.allowed = append(r.allowed, w)
			}
		}
		rules = append(rules, r)
	}
	return rules
}

// allows reports whether a file of the row's packages may import a path.
func (r *importRule) allows(imported string, test bool) bool {
	own, isOwn := strings.CutPrefix(imported, module+"/")
	switch {
	case isOwn:
		return matches(r.allowed, own) || test && matches(r.tests, own)
	case !strings.Contains(strings.Split(imported, "/")[0], "."):
		return test || slices.Contains(r.allowed, imported) || slices.Contains(r.allowed, "std") && !below(r.forbidden, imported)
	}
	return below(r.allowed, imported) || test && below(r.tests, imported)
}

// matches reports whether a package of this module is one of the names, or below
// one that ends in "/...".
func matches(names []string, pkg string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		above, all := strings.CutSuffix(n, "...")
		return n == pkg || all && (strings.HasPrefix(pkg, above) || pkg+"/" == above)
	})
}

// below reports whether a path is one of the names or lies below one.
func below(names []string, p string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return p == n || strings.HasPrefix(p, n+"/") })
}

// goFiles calls f for each Go file of this module, with its package's folder.
func goFiles(t *testing.T, f func(pkg, file string)) {
	t.Helper()
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			nested, _ := filepath.Glob(filepath.Join(file, "go.mod"))
			name := d.Name()
			if file != ".." && (len(nested) > 0 || name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
				return fs.SkipDir // another module, or no package
			}
			return nil
		}
		if strings.HasSuffix(file, ".go") {
			pkg, err := filepath.Rel("..", filepath.Dir(file))
			if err != nil {
				return err
			}
			f(filepath.ToSlash(pkg), file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestImports holds every file of the module against the table.
func TestImports(t *testing.T) {
	rules := importRules()
	wazero := map[string]bool{}
	goFiles(t, func(pkg, file string) {
		i := slices.IndexFunc(rules, func(r importRule) bool { return matches(r.of, pkg) })
		if i < 0 {
			t.Errorf("%s: package %q has no row in the table", file, pkg)
			return
		}
		for _, imported := range importsOf(t, file) {
			test := strings.HasSuffix(file, "_test.go")
			if !rules[i].allows(imported, test) {
				t.Errorf("%s: package %q must not import %q", file, pkg, imported)
			}
			if below([]string{"github.com/tetratelabs/wazero"}, imported) && !test {
				wazero[pkg] = true
			}
		}
	})
	if len(wazero) > 1 {
		t.Errorf("one package may know wazero, these do: %v", wazero)
	}
}

func importsOf(t *testing.T, file string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// TestTheTableRefuses: rows that allow everything would hold nothing.
func TestTheTableRefuses(t *testing.T) {
	rules := importRules()
	for _, c := range []struct {
		pkg, imported string
		test, want    bool
	}{
		{"ecs", "fmt", false, true}, {"ecs", "golang.org/x/sys/unix", false, true}, {"ecs", module + "/ecs/internal/mask", false, true},
		{"ecs", "os", false, false}, {"ecs", "os", true, true}, {"ecs", "os/exec", false, false}, {"ecs", "log/slog", false, false},
		{"ecs", module + "/bindings", true, false}, {"ecs", "github.com/yuin/gopher-lua", true, false},
		{"ecs/internal/mask", module + "/ecs", true, false}, {"bindings", module + "/scripting", true, false},
		{"scripting/internal/syntax", "github.com/yuin/gopher-lua/ast", false, true}, {"scripting", "github.com/tetratelabs/wazero", false, false},
		{"scripting", module + "/hotreload", true, false}, {"hotreload", module + "/ecs", false, false}, {"scripts", "fmt", false, false},
		{"cmd/internal/bench", module + "/scripting/internal/syntax", false, false}, {"examples/01-embed", module + "/ecs/internal/mask", false, false},
	} {
		i := slices.IndexFunc(rules, func(r importRule) bool { return matches(r.of, c.pkg) })
		if i < 0 || rules[i].allows(c.imported, c.test) != c.want {
			t.Errorf("%s importing %s, in a test %v: want %v", c.pkg, path.Base(c.imported), c.test, c.want)
		}
	}
}
