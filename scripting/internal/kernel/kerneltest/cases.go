package kerneltest

import "strings"

// This file reads files of cases, by which package lower says what each of its rules makes of
// a few lines.

// Case is one function of a file of cases.
type Case struct{ Name, Body string }

// Cases cuts a file: a line that begins with --- names a case, the lines after it are
// the body of a function.
func Cases(text string) []Case {
	var list []Case
	for _, part := range strings.Split("\n"+text, "\n--- ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		list = append(list, Case{name, strings.Trim(body, "\n")})
	}
	return list
}
