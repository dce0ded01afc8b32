// Command generate writes the functions of package ecs/detmath from their descriptions.
package main

import (
	"fmt"
	"os"

	"github.com/perigee-ecs/perigee/internal/formula"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(file string) error {
	source, err := formula.Source()
	if err != nil {
		return err
	}
	return os.WriteFile(file, source, 0o644)
}
