package kerneltest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/kerneltest"
)

// TestReadIsTheInverseOfString reads the text of a kernel that uses most of what there
// is, and those that other packages of the compiler keep in files.
func TestReadIsTheInverseOfString(t *testing.T) {
	texts := map[string]string{"sound": sound, "odd names": odd}
	for seed := range uint64(200) {
		// Read numbers locals as they come in the text, and what is known of them is listed by
		// number: the first time the order of these lines may change.
		f, err := kerneltest.Read(kerneltest.Kernel(seed, seed%2 == 0, seed%3 == 0).String())
		if err != nil {
			t.Fatal(seed, err)
		}
		texts[f.Name] = f.String()
	}
	for _, pattern := range []string{"../testdata/*.ir", "../wasm/testdata/*.ir"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = string(text)
		}
	}
	for name, text := range texts {
		f, err := kerneltest.Read(text)
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
			continue
		}
		f.Memory.ScratchEnd = 1 << 16
		if err := ir.Check(f); err != nil || f.String() != text {
			t.Errorf("%s: %v\n%s\nbecame\n%s", name, err, text, f)
		}
	}
}

// sound is a kernel with a little of everything that is structure.
const sound = `kernel "sound"
column c term 0 stride 16
field c.x f64 at 0 store
field c.ok bool at 8
once
  once = dt
row
  n = 3
  block 1
    loop cost 2
      if c.ok
        leave 1
      n = (pick (tee held n) held c.ok)
  c.x = (add once n)
  leave 0
`

// odd is a kernel whose names could be read as something else.
const odd = `kernel "odd"
column c term 0 stride 16
field "c.x y" f64 at 0 store
field "c.(" bool at 8
once
  "#n" = dt
row
  "1e3" = 3
  "random" = (pick (tee "=" "1e3") "=" "c.(")
  "c.x y" = (add "#n" (add "1e3" "random"))
`

// TestReadFindsEachFault holds what is said of texts that are no kernels, and where.
func TestReadFindsEachFault(t *testing.T) {
	const head = "kernel \"k\"\ncolumn c term 0 stride 8\nfield c.x f64 at 0 store\nrow\n"
	for text, want := range map[string]string{
		"what\n":                            `line 5: "what" begins nothing`,
		"  c.x = y\n":                       `line 5: "y" is read before it is assigned`,
		"  c.x = (add c.x)\n":               "line 5: add has 1 operands",
		"  c.x = (plus c.x 1)\n":            `line 5: there is no operation "plus"`,
		"  c.x = (add c.x 1\n":              `line 5: ")" is missing`,
		"  c.x = 1 2\n":                     `line 5: "2" is too much`,
		"  loop\n":                          `line 5: "cost" is missing`,
		"  leave\n":                         "line 5: a number is missing",
		"  go 1\n":                          `line 5: "go" begins no statement`,
		"  c.x = (load f65 at 8 nowhere)\n": `line 5: there is no kind "f65"`,
		"input n number\n":                  `line 5: there is no type "number"`,
	} {
		if _, err := kerneltest.Read(head + text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
