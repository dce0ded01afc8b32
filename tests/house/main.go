// Command house measures the structure of this module: how its files lean on each
// other, how wide its doors are, and how much it explains.
//
//	go run ./tests/house
//
// prints one row for each package, then the figures that the tests of this package
// hold, and the walks that package docs describe. Run it from the root of the module.
package main

import (
	"fmt"
	"os"
)

func main() {
	h, err := read(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
	fmt.Printf("%-36s %6s %6s %7s %9s %9s %8s\n", "package", "files", "code", "tests", "comments", "arrows", "backward")
	for _, p := range h.packages {
		forward, backward := p.arrows()
		fmt.Printf("%-36s %6d %6d %7d %8d%% %9d %7d%%\n", p.path, p.files, p.code, p.testLines,
			percent(p.comments, p.code), forward+backward, percent(backward, forward+backward))
	}
	fmt.Println()
	for _, f := range h.figures() {
		fmt.Println(f.String())
	}
	for _, w := range h.walks() {
		fmt.Println(w.String())
	}
	fmt.Println()
	words, _ := h.words(oneMeaning)
	for _, w := range words {
		if w.senses > 1 {
			fmt.Println(w.String())
		}
	}
}
