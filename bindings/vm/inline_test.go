package vm

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
	for _, method := range []string{
		"(*Register).Set", "(*Register).Put", "(*Register).Truth",
		"(*LazyTable).Root", "(*LazyTable).Place", "(*LazyTable).OpenPlace", "(*LazyTable).Assigned", "(*LazyTable).Numbers",
		"(*Numbers).Number", "Boxer.Box",
	} {
		if !strings.Contains(string(out), "can inline "+method+"\n") && !strings.Contains(string(out), "can inline "+method+" ") {
			t.Errorf("the compiler inlines %s no more", method)
		}
	}
}
