package scripting_test

import (
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// inChild is set in the process that TestKernelsWithoutExecutableMemory starts.
const inChild = "PERIGEE_TEST_WITHOUT_EXECUTABLE_MEMORY"

// TestKernelsWithoutExecutableMemory runs scripts in a process that may not make memory
// executable, as under systemd's MemoryDenyWriteExecute. It may have compiled kernels before.
func TestKernelsWithoutExecutableMemory(t *testing.T) {
	if os.Getenv(inChild) == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestKernelsWithoutExecutableMemory$", "-test.v")
		child.Env = append(os.Environ(), inChild+"=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	before, said, play := hostWithLog(t, everyMode, scripting.Options{}, func(*scripting.Host) {})
	if slices.ContainsFunc(*said, cannotCompile) {
		t.Skip("this platform has no compiler for kernels")
	}
	want := play()
	const setMDWE, refuseExecGain = 65, 1 // PR_SET_MDWE of prctl(2)
	if _, _, err := syscall.Syscall6(syscall.SYS_PRCTL, setMDWE, refuseExecGain, 0, 0, 0, 0); err != 0 {
		t.Skipf("this system cannot deny executable memory: %v", err) // Linux before 6.3, qemu
	}
	h, said, play := hostWithLog(t, everyMode, scripting.Options{}, func(*scripting.Host) {})
	if got := play(); got != want {
		t.Error(firstDifference(want, got))
	}
	withoutCompiler(t, h, *said)

	// What is compiled goes on, and what is new is the VM's.
	if err := before.Replace(folderOf(everyMode + system("s", "require", "function(e, a) a.f = a.f * 1.25 + 3 end"))); err != nil {
		t.Fatal(err)
	}
	for _, k := range before.Kernels() {
		if k.Compiled != (k.System != "s") || k.Compiled == cannotCompile(k.String()) {
			t.Error(k)
		}
	}
}
