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
timers        bindings                          callbacks
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
instructions  scripting/internal/library        budget
coroutine     scripting/internal/library        coroutine
memory        scripting/internal/heapsize       -
kernel        scripting/internal/kernel/lower   lower
read          scripting/internal/kernel/lower   rows
WebAssembly   scripting/internal/kernel/wasm    -
WebAssembly   scripting/internal/kernel/engine  -
status        cmd/internal/status               -
subcommand    cmd/internal/command              run
save          hotreload                         look
`

// questions are what a stranger asks, in his words. The row of the package in the README
// leads him there by a phrase; a line of the package's doc then names the file, or the doc
// of a small package (a dash) has the answer.
const questions = `
where are pools stored?                pools                    ecs                            pools                    pool
where is a limit enforced?             limits                   scripting                      TickInstructions         budget.go
where does a reload swap?              reload                   scripting                      the swap                 reload
what does a kernel read?               what a kernel reads      scripting/internal/kernel/lower  fields read            rows
where is a change tick noted?          versions of columns      ecs                            change ticks             detection
where do random numbers come from?     random numbers           ecs                            random numbers           system
how is a query matched?                queries                  ecs                            a query is matched       Query.fits
what happens when an entity dies?      entities                 ecs                            death                    despawn
in which order do systems run?         their schedule           ecs                            the order in which       plan
where does ecs.random live?            ecs.random             bindings                       ecs.random               binding
why is a function not compiled?        why a function is not compiled  scripting/internal/kernel/lower  texts of refusals  signature
what counts the memory of scripts?     memory that scripts hold  scripting                     memory that scripts hold  memory
when does an observer run?             observers                ecs                            an observer runs         World.deliver
where are Lua's events sent?           events                   bindings                       events sent              events
what takes a failed call back?         undo log                 bindings/internal/tx           the undo log             undo
where does a timer wait?               timers that wait         bindings/internal/tx           when they are due        timers
how is a field stored by Lua?          stored                   bindings/internal/value        a field stored           store
how is an error printed?               printed                  bindings/diag                  Detail                   -
where are instructions counted?        instructions counted     scripting/internal/library     its instructions         budget
how much fuel does a kernel get?       limits                   scripting                      the fuel of kernels      budget.go
where is a script's text read?         texts of scripts         scripting                      texts, read              source
where are names resolved?              names resolved           scripting/internal/syntax      what each one means      names
how is a save noticed?                 stages each save         hotreload                      settles a save           look
where is a prefab merged?              prefabs merged           bindings                       merged                   values
where is a kernel's own memory?        scratch memory           scripting/internal/kernel      scratch memory is        functions
where are lists copied for a kernel?   scratch memory           scripting/internal/kernel      copied into scratch      run
what parks a system?                   parked                   ecs                            parked                   system
where do an error's places come from?  their places             bindings/fault                 places                   frames
where is the rule about -0 kept?       −0                       scripting/internal/kernel/passes  -0, where              zeros
where is the checksum taken?           checksums                ecs                            the checksum             check
what drops what a failed call spawned?  failed call has spawned  bindings/internal/tx          has spawned              undo
where are unknown names found?         perigee check            scripting                      names that do not exist  checknames
where is a renamed file found?         renamed files            scripting                      renamed scripts          renames
where are fixed steps made?            fixed steps              ecs                            fixed steps              schedule
where is a timer's data?               timers that wait         bindings/internal/tx           their data               timers
whose unread events go on?             events                   bindings                       unread events            events
what checks a host's arguments?        arguments and results    bindings/internal/fence        an argument              -
where are the fields of --json?        --json                   cmd/internal/game              --json                   -
`

// columns are what stands between two spaces or more.
func columns(line string) []string {
	return regexp.MustCompile(`  +`).Split(strings.TrimSpace(line), -1)
}

// TestSearches: what is searched for is found in two steps.
func TestSearches(t *testing.T) {
	found := newSigns(t)
	for line := range strings.Lines(strings.TrimSpace(searches)) {
		f := columns(line)
		found.follow(t, f[0], f[1], f[0], f[2])
	}
	for line := range strings.Lines(strings.TrimSpace(questions)) {
		f := columns(line)
		t.Run(f[0], func(t *testing.T) { found.follow(t, f[1], f[2], f[3], f[4]) })
	}
}

// signs are what leads a stranger: the rows of the README and the docs, by package.
type signs struct {
	rows map[string]string
	docs map[string]*ast.CommentGroup
}

func newSigns(t *testing.T) signs {
	s := signs{map[string]string{}, packageDocs(t)}
	for line := range strings.Lines(whereThingsAre(t)) {
		if m := readmePackage.FindStringSubmatch(line); m != nil {
			s.rows[m[1]] = line
		}
	}
	return s
}

// follow goes the two steps: by a phrase in the package's row, and by one in its doc.
func (s signs) follow(t *testing.T, phrase, pkg, inDoc, file string) {
	t.Helper()
	if !contains(s.rows[pkg], phrase) {
		t.Errorf("the README's row of %s does not say %q", pkg, phrase)
	}
	for line := range strings.Lines(s.docs[pkg].Text()) {
		if contains(line, inDoc) && (file == "-" || slices.Contains(mapLine(strings.TrimRight(line, "\n")), file)) {
			return
		}
	}
	t.Errorf("the doc of %s does not say that %q is in %s", pkg, inDoc, file)
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
