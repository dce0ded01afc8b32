package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"runtime/trace"
	"sync"

	"github.com/spf13/cobra"
)

// The flags --cpuprofile and --trace: where run writes what Go's tools show of it.

// profiles are the files that the flags name, "" for none.
type profiles struct {
	cpu, trace string
	stop       []func() error // in the order in which they began
	mu         sync.Mutex     // a run that is given up ends them from another goroutine
}

// flags adds the flags to a command.
func (p *profiles) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.cpu, "cpuprofile", "", "write a CPU profile to this file; go tool pprof -tags shows the share of each system")
	cmd.Flags().StringVar(&p.trace, "trace", "", "write an execution trace to this file; go tool trace shows systems as regions")
}

// begin starts what was asked for. What has begun is to be ended, also after an error.
func (p *profiles) begin() error {
	err := p.start("--cpuprofile", p.cpu, pprof.StartCPUProfile, pprof.StopCPUProfile)
	if err != nil {
		return err
	}
	return p.start("--trace", p.trace, trace.Start, trace.Stop)
}

// end writes what is left, and closes the files. A second call does nothing.
func (p *profiles) end() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, stop := range p.stop {
		errs = append(errs, stop())
	}
	p.stop = nil
	return errors.Join(errs...)
}

// start opens the file of a flag, and begins to write it.
func (p *profiles) start(flag, path string, start func(io.Writer) error, stop func()) error {
	if path == "" {
		return nil
	}
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	if err := start(file); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", flag, err), file.Close())
	}
	p.stop = append(p.stop, func() error { stop(); return file.Close() })
	return nil
}
