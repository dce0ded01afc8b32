package machine

import (
	"os/exec"
	"strings"
	"testing"
)

// TestHotMethodsAreInlined: what runs for every instruction of a script costs no call.
func TestHotMethodsAreInlined(t *testing.T) {
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, f := range []string{
		"Number", "Bool", "Text", "OfTable", "OfFunction", "clean", "store",
		"Value.IsNumber", "Value.IsNil", "Value.Truth", "Value.Float", "Value.Kind", "Value.Str", "Value.Table", "Value.Function",
		"(*Table).slot", "(*Table).lacks", "(*Table).Len", "(*Table).Metatable", "(*Table).Entries", "(*Table).Bytes", "(*Heap).Grow",
	} {
		if !strings.Contains(string(out), "can inline "+f+"\n") {
			t.Errorf("the compiler inlines %s no more", f)
		}
	}
}
