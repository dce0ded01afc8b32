// The program perigee-parquet writes components of a saved game as files of Apache Parquet, one file for each. The
// command perigee save export --parquet runs it. It is a module of its own for the library that it needs.
//
//	perigee-parquet SAVE DIR             a file for each component that entities have
//	perigee-parquet SAVE FILE COMPONENT  one of them
//
// A row is an entity: the column entity has its handle, and each field has a column. Numbers have the width of the
// field; entities are numbers; enums are texts, a number without a word likewise; arrays are lists and structs are groups.
// Nothing is null. Values with Go pointers are one column of bytes, value, as the codec of the program has written them.
// Bytes that are in no field are left out. Columns are in alphabetical order.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/perigee-ecs/perigee/ecs/save"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "perigee-parquet: %v\n", err)
		os.Exit(1)
	}
}

// run runs a command line.
func run(args []string, out io.Writer) error {
	if len(args) < 2 || len(args) > 3 {
		return errors.New("usage: perigee-parquet SAVE DIR, or perigee-parquet SAVE FILE COMPONENT")
	}
	f, err := save.OpenFile(args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	if len(args) == 3 {
		return toFile(f, args[2], args[1], out)
	}
	if err := os.MkdirAll(args[1], 0o777); err != nil {
		return err
	}
	taken := map[string]bool{}
	for _, c := range f.Components() {
		if c.Entities == 0 || c.Name == "(prefab)" {
			continue
		}
		if err := toFile(f, c.Name, filepath.Join(args[1], fileName(c.Name, taken)), out); err != nil {
			return err
		}
	}
	return nil
}

// fileName makes the name of a file of that of a component. Those that differ in no letter that a file
// system tells apart get another one.
func fileName(component string, taken map[string]bool) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", r) {
			return r
		}
		return '_'
	}, component)
	for taken[strings.ToLower(name)] {
		name += "_"
	}
	taken[strings.ToLower(name)] = true
	return name + ".parquet"
}

// toFile writes a component to a file, whole or not at all.
func toFile(f *save.File, component, path string, out io.Writer) error {
	rows := 0
	err := save.Replace(path, func(w io.Writer) (err error) {
		rows, err = export(f, component, w)
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %d rows\n", path, rows)
	return err
}
