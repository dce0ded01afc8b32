package tests_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// A word has one meaning in the whole project. The glossary says which: it is in the
// docs of the packages ecs and scripting, below the heading "Glossary", a line for each
// word:
//
//	archetype  a set of components, and the chunks of the entities that have it
//
// The tables below hold the words that are not used, because a standard term says the
// same and is known to a reader before he opens the first file.

// glossaryWords is how many words the glossary has at least.
const glossaryWords = 60

// bannedNames are words of which no file name and no exported name is made, and what to
// write instead. After the bar are exceptions: files and names where the word is the
// standard term.
const bannedNames = `
abroad     random_language, or what else is drawn at random 
apart      parallel                                         
aside      the noun for what is kept                        | bindings/internal/view/aside.go view.Aside exec.Aside
asides     swap errors
away       unreachable
behind     unwrap
beside     join, or concurrent
crew       worker pool
doubtful   inconclusive
enlist     adopt
escaped    materialised
farewell   on_unload, or remove hook
farewells  remove hooks
foretold   reserved
forgive    forget
former     forwarding
forms      random_statements, or what else is drawn at random
front      syntax, or proxy
greetings  add hooks
grouped    number, or text                                  | bindings/diag/grouped_test.go diag.Grouped
handed     handover
herd       the noun for what there are many of
imprint    snapshot
lone       kernel_direct
manner     strategy
meddles    overwrites library
member     named world, or field
mold       tree copy
obstacles  stop reasons
outdoors   random_world
outlook    published state
passage    batch move
passages   batch moves
patrol     check freed
refresh    forward
rig        the noun for what the test drives: host, folder, world
room       reservation, or left for what remains of a limit | ecs.Room slots.Room tx.RoomForSets tx.MakeRoom
seek       lookup
site       column slot, host call, literal or inline cache
sites      host calls
story      random_world, or what else is drawn at random | value.Story
stranger   host stub
summon     wake
sweep      batch over a query
tally      usage
tap        log limit
thing      ref
told       reported
unplayed   kernel stub
vacancy    freed row
vigil      debug state
way        join, or path
welcome    on_reload
whole      required                                         | vector.Whole ecs.Whole
wild       random_rows, or what else is drawn at random     
witnessed  observed
words      messages
writeback  stores
`

// bannedProse are patterns that no doc comment matches, and what to write instead.
const bannedProse = `
\bmachine's (own )?code\b  bytecode
\bLua machine(s|'s)?\b  the VM
\b(is|are|was|were) told of\b  gets, or is reported to
\bnone is\b|\b(is|are|was|were) none\b  there is no …
\bwho(ever)? (is|are) told\b  the noun
\b(vigil|vacancy|imprint|outlook|stranger|farewell|mold)s?\b  the standard noun
`

// ban is one line of a table.
type ban struct {
	word, instead string
	except        []string
}

var banLine = regexp.MustCompile(`^(\S+(?: \S+)*?)  +([^|]*?)\s*(?:\|(.*))?$`)

// bans reads a table.
func bans(t *testing.T, table string) []ban {
	t.Helper()
	var list []ban
	for line := range strings.Lines(strings.TrimSpace(table)) {
		m := banLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			t.Fatalf("not a line of the table: %q", line)
		}
		list = append(list, ban{word: m[1], instead: m[2], except: strings.Fields(m[3])})
	}
	return list
}

// wordsOf takes a name apart: words begin with a capital, or after _ or a dot.
func wordsOf(name string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
		}
		word = nil
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case r == '_' || r == '.':
			end()
			continue
		case unicode.IsUpper(r) && (i == 0 || !unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			end()
		}
		word = append(word, r)
	}
	end()
	return words
}

// TestWordsOf: how names are taken apart.
func TestWordsOf(t *testing.T) {
	for name, want := range map[string]string{
		"kernel_direct_test.go": "kernel direct test go", "OnReload": "on reload", "HTTPServer": "http server",
		"newID": "new id", "x": "x", "Left": "left",
	} {
		if got := strings.Join(wordsOf(name), " "); got != want {
			t.Errorf("%s is made of %q, want %q", name, got, want)
		}
	}
}

// exportedNames lists what other packages see of a file: types, functions, methods,
// constants, variables and fields.
func exportedNames(f *ast.File) []string {
	var names []string
	add := func(ids ...*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() {
				names = append(names, id.Name)
			}
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					add(spec.Names...)
				case *ast.TypeSpec:
					names = append(names, spec.Name.Name) // what a type is called is read everywhere in its package
					ast.Inspect(spec.Type, func(n ast.Node) bool {
						if field, ok := n.(*ast.Field); ok {
							add(field.Names...)
						}
						return true
					})
				}
			}
		}
	}
	return names
}

// docComments lists the doc comments of a file.
func docComments(f *ast.File) []*ast.CommentGroup {
	var docs []*ast.CommentGroup
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.File:
			docs = append(docs, n.Doc)
		case *ast.FuncDecl:
			docs = append(docs, n.Doc)
		case *ast.GenDecl:
			docs = append(docs, n.Doc)
		case *ast.TypeSpec:
			docs = append(docs, n.Doc)
		case *ast.ValueSpec:
			docs = append(docs, n.Doc)
		case *ast.Field:
			docs = append(docs, n.Doc)
		}
		return true
	})
	return slices.DeleteFunc(docs, func(g *ast.CommentGroup) bool { return g == nil })
}

// source is one parsed file of the module.
type source struct {
	pkg, path string
	*ast.File
	set *token.FileSet
}

// parsed are the files of the module, which several tests read and none changes.
var parsed []source

// sources parses the files of the module, once for all tests.
func sources(t *testing.T) []source {
	t.Helper()
	if parsed != nil {
		return parsed
	}
	var all []source
	goFiles(t, func(pkg, file string) {
		s := source{pkg: pkg, path: path.Join(pkg, path.Base(strings.ReplaceAll(file, `\`, "/"))), set: token.NewFileSet()}
		var err error
		if s.File, err = parser.ParseFile(s.set, file, nil, parser.ParseComments); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	})
	parsed = all
	return all
}

// TestNamesOfTheField: no file and no exported name is called by a word of our own.
func TestNamesOfTheField(t *testing.T) {
	banned := map[string]*ban{}
	list := bans(t, bannedNames)
	used := map[string]bool{}
	for i := range list {
		banned[list[i].word] = &list[i]
	}
	check := func(at, name string) {
		for _, word := range wordsOf(name) {
			b := banned[word]
			switch {
			case b == nil:
			case slices.Contains(b.except, at):
				used[b.word+" "+at] = true
			default:
				t.Errorf("%s: %q is not a word of the glossary; write: %s", at, word, b.instead)
			}
		}
	}
	for _, s := range sources(t) {
		check(s.path, path.Base(s.path))
		if strings.HasSuffix(s.path, "_test.go") {
			continue
		}
		for _, name := range exportedNames(s.File) {
			check(path.Base(s.pkg)+"."+name, name)
		}
	}
	for _, b := range list {
		for _, at := range b.except {
			if !used[b.word+" "+at] {
				t.Errorf("%s is an exception for %q, and there is no such file or name any more", at, b.word)
			}
		}
	}
}

// usual takes out what is good English and looks like a pattern.
var usual = strings.NewReplacer("there is none", "", "there are none", "", "there was none", "", "there were none", "")

// TestPlainDocs: doc comments are in plain English, with the words of the glossary.
func TestPlainDocs(t *testing.T) {
	type pattern struct {
		ban
		*regexp.Regexp
		found map[string]int
	}
	var patterns []pattern
	for _, b := range bans(t, bannedProse) {
		patterns = append(patterns, pattern{b, regexp.MustCompile(`(?i)` + b.word), map[string]int{}})
	}
	for _, s := range sources(t) {
		if strings.HasSuffix(s.path, "_test.go") {
			continue
		}
		for _, doc := range docComments(s.File) {
			text := usual.Replace(strings.Join(strings.Fields(doc.Text()), " "))
			for _, p := range patterns {
				m := p.FindString(text)
				if m == "" {
					continue
				}
				p.found[s.pkg]++
				t.Errorf("%s: a comment says %q; write: %s", s.set.Position(doc.Pos()), m, p.instead)
			}
		}
	}
	for _, p := range patterns {
		t.Logf("%q: %d times in %v", p.word, len(p.found), p.found)
	}
}

// glossary reads the words that a package's doc defines.
func glossary(doc *ast.CommentGroup) (words []string) {
	if doc == nil {
		return nil
	}
	inside := false
	for line := range strings.Lines(doc.Text()) {
		line = strings.TrimRight(line, "\n")
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			inside = heading == "Glossary"
		}
		if word, _, ok := strings.Cut(strings.TrimPrefix(line, "\t"), "  "); ok && inside && strings.HasPrefix(line, "\t") && word != "" {
			words = append(words, word)
		}
	}
	return words
}

// TestGlossary: each word is defined once, in alphabetical order within its package, and
// none of them is one that is not to be used.
func TestGlossary(t *testing.T) {
	where := map[string]string{}
	for _, s := range sources(t) {
		words := glossary(s.Doc)
		if !slices.IsSortedFunc(words, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) }) {
			t.Errorf("the glossary of %s is not in alphabetical order", s.pkg)
		}
		for _, word := range words {
			if other, twice := where[word]; twice {
				t.Errorf("the glossary defines %q twice, in %s and in %s", word, other, s.pkg)
			}
			where[word] = s.pkg
		}
	}
	for _, b := range bans(t, bannedNames) {
		if where[b.word] != "" {
			t.Errorf("%q is defined in %s and banned here", b.word, where[b.word])
		}
	}
	if len(where) < glossaryWords {
		t.Errorf("the glossary has %d words, want at least %d", len(where), glossaryWords)
	}
}
