package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// reasons say why mutants may survive. Each is a line "reason: …", followed by lines
// that each name mutants: a pattern for "file: func: kind: text of the line", or for
// "file: func: kind `what of it is changed`: text of the line". Lines that begin with #
// are comments.
type reasons []reason

type reason struct {
	why      string
	patterns []*regexp.Regexp
}

func readReasons(file string) (list reasons, err error) {
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if why, ok := strings.CutPrefix(line, "reason: "); ok {
			list = append(list, reason{why: why})
			continue
		}
		if len(list) == 0 {
			return nil, fmt.Errorf("%s: %q stands before the first reason", file, line)
		}
		p, err := regexp.Compile("^(?:" + line + ")$")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		last := &list[len(list)-1]
		last.patterns = append(last.patterns, p)
	}
	return list, nil
}

// of returns the reason of a mutant, "" when there is none.
func (list reasons) of(m Mutant) string {
	name := fmt.Sprintf("%s: %s: %s: %s", m.File, m.Func, m.Kind, m.Text)
	exact := fmt.Sprintf("%s: %s: %s `%s`: %s", m.File, m.Func, m.Kind, m.Part, m.Text)
	for _, r := range list {
		for _, p := range r.patterns {
			if p.MatchString(name) || p.MatchString(exact) {
				return r.why
			}
		}
	}
	return ""
}
