package tests_test

import (
	"go/ast"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A stranger finds a thing in two steps: the README names the package, and the package
// doc names the file. The map of a package stands in its doc, below the heading "Where
// code lives". Each line names things, and after two spaces the files that hold them,
// without ".go"; a line that begins with many spaces goes on with files:
//
//	entities, handles    entity, record
//	                     limbo
//
// A path, such as internal/arena, names a package below.

// mapHeading is the heading of a map.
const mapHeading = "Where code lives"

// mapLeast is how many files a package has at least whose doc has a map.
const mapLeast = 8

// codeMap reads the files that the map in a package's doc names. ok: there is a map.
func codeMap(doc *ast.CommentGroup) (files []string, ok bool) {
	for line := range strings.Lines(doc.Text()) {
		line = strings.TrimRight(line, "\n")
		if heading, is := strings.CutPrefix(line, "# "); is {
			if ok {
				return files, true
			}
			ok = heading == mapHeading
		}
		if ok && strings.HasPrefix(line, "\t") {
			files = append(files, mapLine(line)...)
		}
	}
	return files, ok
}

// mapGap is what stands between things and files.
var mapGap = regexp.MustCompile(`^\t(?:.*\S)?  +(\S.*)$`)

// mapLine reads the files of one line.
func mapLine(line string) []string {
	m := mapGap.FindStringSubmatch(line)
	if m == nil {
		return []string{line}
	}
	return strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ' ' })
}

// TestMapLine: how lines of a map are read.
func TestMapLine(t *testing.T) {
	for line, want := range map[string]string{
		"\tentities, handles    entity, record": "entity record",
		"\t                     limbo,":         "limbo",
		"\tchunks  internal/arena, chunk":       "internal/arena chunk",
	} {
		if got := strings.Join(mapLine(line), " "); got != want {
			t.Errorf("%q names %q, want %q", line, got, want)
		}
	}
}

// TestMapsOfPackages: the doc of a package with many files names each of them, and names
// none that does not exist.
func TestMapsOfPackages(t *testing.T) {
	docs, files := packageDocs(t), map[string][]string{}
	for _, s := range sources(t) {
		if name := path.Base(s.path); !strings.HasSuffix(name, "_test.go") {
			files[s.pkg] = append(files[s.pkg], strings.TrimSuffix(name, ".go"))
		}
	}
	for pkg, has := range files {
		named, ok := codeMap(docs[pkg])
		switch {
		case !ok && len(has) >= mapLeast:
			t.Errorf("%s has %d files and no section %q in its doc", pkg, len(has), mapHeading)
		case !ok:
			continue
		}
		for _, name := range has {
			if name != "doc" && !slices.Contains(named, name) {
				t.Errorf("the map in the doc of %s does not name the file %s.go", pkg, name)
			}
		}
		for _, name := range named {
			_, folder := files[path.Join(pkg, name)]
			if !folder && !slices.Contains(has, name) {
				t.Errorf("the map in the doc of %s names %q: there is no such file", pkg, name)
			}
		}
	}
}

// searches are things that a stranger looks for: a word, the package whose row of the README
// has it, and the file that the line of the package's map names which has the word. A dash
// stands for a package that is small enough to need no map; its doc has the word.
const searches = `
pools         ecs                               pool
queries       ecs                               query
schedule      ecs                               schedule
prefab        ecs                               prefab
observer      ecs                               observer
event         ecs                               event
commands      ecs                               commands_apply
seed          ecs/internal/rng                  -
memory        ecs/internal/arena                -
events        bindings                          events
timers        bindings                          hooks
ecs.state     bindings                          state
host          bindings                          internal/fence
text          bindings/diag                     -
place         bindings/fault                    -
stored        bindings/internal/value           store
undo          bindings/internal/tx              undo
timers        bindings/internal/tx              timers
limits        bindings/internal/tx              usage
rows          bindings/internal/view            -
each          bindings/internal/exec            each
rest          bindings/internal/exec            park
file names    scripting                         source
limits        scripting                         limits
reload        scripting                         reload
memory        scripting                         memory
errors        scripting                         errors
parsing       scripting/internal/syntax         parser
names         scripting/internal/syntax         names
second forms  scripting/internal/syntax         compile
second form   scripting/internal/analysis       form
instructions  scripting/internal/stdlib         budget
coroutine     scripting/internal/stdlib         coroutine
memory        scripting/internal/heapsize       -
kernel        scripting/internal/kernel/lower   lower
read          scripting/internal/kernel/lower   rows
WebAssembly   scripting/internal/kernel/wasm    -
WebAssembly   scripting/internal/kernel/engine  -
status        cmd/perigee/internal/status       -
subcommand    cmd/perigee                       run
save          hotreload                         look
`

// TestSearches: what is searched for is found in two steps.
func TestSearches(t *testing.T) {
	rows := map[string]string{}
	for line := range strings.Lines(whereThingsAre(t)) {
		if m := readmePackage.FindStringSubmatch(line); m != nil {
			rows[m[1]] = line
		}
	}
	docs := packageDocs(t)
	for line := range strings.Lines(strings.TrimSpace(searches)) {
		fields := regexp.MustCompile(`  +`).Split(strings.TrimSpace(line), -1)
		word, pkg, file := fields[0], fields[1], fields[2]
		if !contains(rows[pkg], word) {
			t.Errorf("the README's row of %s does not say %q", pkg, word)
		}
		found := false
		for line := range strings.Lines(docs[pkg].Text()) {
			found = found || contains(line, word) && (file == "-" || slices.Contains(mapLine(strings.TrimRight(line, "\n")), file))
		}
		if !found {
			t.Errorf("the doc of %s does not say that %q is in %s", pkg, word, file)
		}
	}
}

// contains reports whether a text has a word, in upper or lower case.
func contains(text, word string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(word))
}

// packageDocs returns the doc of each package.
func packageDocs(t *testing.T) map[string]*ast.CommentGroup {
	t.Helper()
	docs := map[string]*ast.CommentGroup{}
	for _, s := range sources(t) {
		if s.Doc != nil && (docs[s.pkg] == nil || strings.HasSuffix(s.path, "doc.go")) {
			docs[s.pkg] = s.Doc
		}
	}
	return docs
}

// whereThingsAre returns the README's section of that name.
func whereThingsAre(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "\n## Where things are\n")
	if !ok {
		t.Fatal(`the README has no section "Where things are"`)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

// readmePackage is a package that the README names, as a link to its folder.
var readmePackage = regexp.MustCompile(`\]\(([a-z0-9/-]+)\)`)

// TestMapInReadme: the README names each package, in the section "Where things are".
func TestMapInReadme(t *testing.T) {
	named := map[string]bool{}
	for _, m := range readmePackage.FindAllStringSubmatch(whereThingsAre(t), -1) {
		named[m[1]] = true
	}
	packages := map[string]bool{}
	goFiles(t, func(pkg, _ string) { packages[pkg] = true })
	for pkg := range packages {
		if path.Dir(pkg) != "examples" && !named[pkg] { // examples have a list of their own
			t.Errorf("the README does not say what is in %s", pkg)
		}
	}
	for pkg := range named {
		if _, err := os.Stat(path.Join("..", pkg)); err != nil {
			t.Errorf("the README says what is in %s: %v", pkg, err)
		}
	}
}
