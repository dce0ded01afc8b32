package data

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// shown writes a value in one line: records in braces, lists in brackets.
func shown(v *Datum) string {
	switch v.Kind {
	case Truth:
		return fmt.Sprint(v.Number == 1)
	case Number:
		return fmt.Sprint(v.Number)
	case Text:
		return fmt.Sprintf("%q", v.Text)
	case Nothing:
		return "nothing"
	}
	var parts []string
	for i := range v.Items {
		part := shown(&v.Items[i])
		if v.Kind == Record {
			part = v.Keys[i] + "=" + part
		}
		parts = append(parts, part)
	}
	if v.Kind == Record {
		return "{" + strings.Join(parts, " ") + "}"
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// outcome is what a file holds, or what is wrong with it and where.
func outcome(name, text string, l Limits) string {
	f, err := Read(name, []byte(text), l)
	if err != nil {
		return err.Error()
	}
	return shown(&f.Root)
}

func TestJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:       `{}`,
		" [ ]\r\n": `[]`,
		`{"orc":{"hp":30,"fast":false,"name":"Orc"},"list":[1,-2.5e2,"a"]}`: `{orc={hp=30 fast=false name="Orc"} list=[1 -250 "a"]}`,
		"\ufeff[true]":                           `[true]`,
		`{"a":null,"b":1}`:                       `{b=1}`,
		`["\u00e9\ud83d\ude00\n\"\\\/\b\f\r\t"]`: `["é😀\n\"\\/\b\f\r\t"]`,
		`[1e-999, -0, 9007199254740992, 1e300]`:  `[0 -0 9.007199254740992e+15 1e+300]`,
		`{"":1}`:                                 `{=1}`,

		``:                                 `x.json:1:1: the file is empty: write {} for a record without keys`,
		`3`:                                `x.json:1:1: a data file holds a list or a record, in [] or {}; this is a number`,
		`null`:                             `x.json:1:1: a data file holds a list or a record, in [] or {}; this is nothing`,
		`[1] 2`:                            `x.json:1:5: expected the end of the file, got "2"`,
		`[1 2]`:                            `x.json:1:4: expected , or ], got "2"`,
		`[1,]`:                             `x.json:1:3: no comma may stand before the closing ] in JSON`,
		`[,1]`:                             `x.json:1:2: a comma stands with nothing before it`,
		`[1,,2]`:                           `x.json:1:4: a comma stands with nothing before it`,
		"{\n \"a\": 1\n \"b\": 2}":         `x.json:3:2: expected , or }, got "\""`,
		"{\n \"hp\": 1,\n \"hp\": 2 }":     `x.json:3:2: key "hp" stands twice: first in line 2`,
		`{"a":null,"a":1}`:                 `x.json:1:11: key "a" stands twice: first in line 1`,
		`{hp: 1}`:                          `x.json:1:2: a key stands in double quotes in JSON: "hp"`,
		`{'hp': 1}`:                        `x.json:1:2: a text stands in double quotes in JSON`,
		`{"hp" 1}`:                         `x.json:1:7: expected : after the key "hp", got "1"`,
		"{\n\"a\":[1,\n2":                  `x.json:3:2: expected ] to close the [ of line 2, got the end of the file`,
		`[orc]`:                            `x.json:1:2: a text stands in double quotes in JSON: "orc"`,
		`[True]`:                           `x.json:1:2: JSON writes true`,
		`[nil]`:                            `x.json:1:2: JSON has no nil: leave the key out`,
		`[1, null]`:                        `x.json:1:5: null stands in a list, which has no gaps: leave it out, or write false`,
		"[1, // one\n2]":                   `x.json:1:5: JSON has no comments: remove this, or keep it as a value, such as "note": "…"`,
		"{ # one\n}":                       `x.json:1:3: JSON has no comments: remove this, or keep it as a value, such as "note": "…"`,
		`[NaN]`:                            `x.json:1:2: NaN is no number that JSON has, and none that a game can compute with`,
		`[-Infinity]`:                      `x.json:1:2: -Infinity is no number that JSON has, and none that a game can compute with`,
		`[1e999]`:                          `x.json:1:2: 1e999: the number is too large: the largest is about 1.8e308`,
		`[9007199254740993]`:               `x.json:1:2: 9007199254740993: a whole number of this size would be rounded: up to 9007199254740992 all are exact; write it in quotes to have it as a text`,
		`[007]`:                            `x.json:1:2: "007": a number has no zeros before it in JSON`,
		`[+1]`:                             `x.json:1:2: a number has no + before it in JSON`,
		`[.5]`:                             `x.json:1:2: a number begins with a digit in JSON: write 0 before the point`,
		`[5.]`:                             `x.json:1:2: "5." is no number in JSON`,
		`[0x10]`:                           `x.json:1:2: "0x10" is no number in JSON`,
		`[-]`:                              `x.json:1:2: "-" is no number in JSON`,
		"[\"a\nb\"]":                       `x.json:1:2: the text that begins here has no closing quote in its line; a line break in a text is \n`,
		"[\"a\tb\"]":                       `x.json:1:4: the character 0x09 cannot stand in a text as it is: write \u0009`,
		`["\x"]`:                           `x.json:1:3: "\\x" is no escape of JSON: a backslash is written \\`,
		`["\u12"]`:                         `x.json:1:3: \u has four hexadecimal digits after it, as in \u00e9`,
		`["\ud800"]`:                       `x.json:1:3: this is half of a character: \ud800 to \udfff stand in pairs`,
		`["\ud800\u0041"]`:                 `x.json:1:3: this is half of a character: \ud800 to \udfff stand in pairs`,
		"[\n\"\xff\"]":                     `x.json:2:2: the byte 0xff is no UTF-8: save the file in the encoding UTF-8`,
		"[\"\xed\xa0\x80\"]":               `x.json:1:3: the byte 0xed is no UTF-8: save the file in the encoding UTF-8`,
		`["a", {"b": [1, 2, 3, 4, 5]}, 6]`: `["a" {b=[1 2 3 4 5]} 6]`,
		`[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]`:  `x.json:1:29: the file has more than 10 values (Limits.DataValues)`,
	} {
		if got := outcome("x.json", text, Limits{Values: 10}); got != want {
			t.Errorf("%.60q:\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestCSV(t *testing.T) {
	for text, want := range map[string]string{
		"name,hp\norc,30\nelf,20.5\n":     `[{name="orc" hp=30} {name="elf" hp=20.5}]`,
		"a,b\r\n1,2":                      `[{a=1 b=2}]`,
		"a,b\n\n1,2\n\n":                  `[{a=1 b=2}]`,
		"a":                               `[]`,
		"\ufeffa\n1":                      `[{a=1}]`,
		"a,b,c\n,\"\",x":                  `[{b="" c="x"}]`,
		"a,b,c\nx,,":                      `[{a="x"}]`,
		"a,b\n 7 ,  two words \n":         `[{a=7 b="two words"}]`,
		"a\n\"say \"\"hi\"\", he said\"":  `[{a="say \"hi\", he said"}]`,
		"a,b\n\"two\nlines\",1":           `[{a="two\nlines" b=1}]`,
		"a,b,c\ntrue,FALSE,True":          `[{a=true b=false c="True"}]`,
		"a,b,c,d\n007,\"7\",+5,.5":        `[{a="007" b="7" c=5 d=0.5}]`,
		"a,b,c,d\n1e3,0x10,1-2,-0.25":     `[{a=1000 b="0x10" c="1-2" d=-0.25}]`,
		"a,b\n\"x\" , 1":                  `[{a="x" b=1}]`,
		"\"na,me\",b\n1,2":                `[{na,me=1 b=2}]`,
		"a,b\n1,2\n3,4\n5,6\n7,8\n9,10\n": `x.csv:5:1: the file has more than 12 values (Limits.DataValues)`,

		"":                     `x.csv:1:1: the file is empty: its first row names the columns`,
		"a,b\n1":               `x.csv:2:1: the row has 1 cell, and the first row names 2 columns: column "b" has none`,
		"a,b\n1,2,3":           `x.csv:2:5: the row has more cells than the 2 columns in the first row; a cell that has a comma in it stands in quotes`,
		"a,,c\n1,2,3":          `x.csv:1:3: column 2 has no name`,
		"a,b,a":                `x.csv:1:5: two columns are called "a"`,
		"a;b\n1;2":             `x.csv:1:1: there is one column, called "a;b": a comma separates columns, not a semicolon or a tab`,
		"a\nx\"y":              `x.csv:2:2: a quote stands inside of a cell: put the cell in quotes as a whole, with no blanks before them, and write the quote in it twice`,
		"a,b\n1, \"x\"":        `x.csv:2:4: a quote stands inside of a cell: put the cell in quotes as a whole, with no blanks before them, and write the quote in it twice`,
		"a\n\n\"x":             `x.csv:3:1: the quote that begins here is never closed`,
		"a\n\"x\"y":            `x.csv:2:4: expected a comma or the end of the line after the closing quote, got "y"; a quote inside of a text is written twice`,
		"a,b\n1,NaN":           `x.csv:2:3: NaN is no number that a game can compute with: leave the cell empty, or put it in quotes to have it as a text`,
		"a\n-inf":              `x.csv:2:1: -inf is no number that a game can compute with: leave the cell empty, or put it in quotes to have it as a text`,
		"a\n#DIV/0!":           `x.csv:2:1: #DIV/0! is no number that a game can compute with: leave the cell empty, or put it in quotes to have it as a text`,
		"a\n1e999":             `x.csv:2:1: 1e999: the number is too large: the largest is about 1.8e308`,
		"a\n12345678901234567": `x.csv:2:1: 12345678901234567: a whole number of this size would be rounded: up to 9007199254740992 all are exact; write it in quotes to have it as a text`,
		"a\n\xe9":              `x.csv:2:1: the byte 0xe9 is no UTF-8: save the file in the encoding UTF-8`,
	} {
		if got := outcome("x.csv", text, Limits{Values: 12}); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestDepth: as many lists inside of each other as are allowed are read, and one more is not.
func TestDepth(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	if got := outcome("x.json", nested(MaxDepth), Limits{}); got != nested(MaxDepth) {
		t.Error(got)
	}
	if got := outcome("x.json", nested(MaxDepth+1), Limits{}); got != "x.json:1:65: lists and records are inside of each other more than 64 times" {
		t.Error(got)
	}
}

// TestManyKeys: a key that stands twice is found among many, too.
func TestManyKeys(t *testing.T) {
	var keys, columns strings.Builder
	for i := range 100 {
		fmt.Fprintf(&keys, "\"k%d\":%d,\n", i, i)
		fmt.Fprintf(&columns, "k%d,", i)
	}
	for _, twice := range []int{0, 7, 8, 9, 99} {
		if got, want := outcome("x.json", fmt.Sprintf("{%s\"k%d\":1}", keys.String(), twice), Limits{}), fmt.Sprintf(`x.json:101:1: key "k%d" stands twice: first in line %d`, twice, twice+1); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
		if got, want := outcome("x.csv", fmt.Sprintf("%sk%d", columns.String(), twice), Limits{}), fmt.Sprintf(`two columns are called "k%d"`, twice); !strings.Contains(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	if got := outcome("x.json", "{"+keys.String()+`"end":1}`, Limits{}); !strings.Contains(got, "k0=0") || !strings.Contains(got, "k99=99 end=1") {
		t.Error(got)
	}
}

// plain returns a value as encoding/json has it.
func plain(v *Datum) any {
	switch v.Kind {
	case Truth:
		return v.Number == 1
	case Number:
		return v.Number
	case Text:
		return v.Text
	case List:
		list := []any{}
		for i := range v.Items {
			list = append(list, plain(&v.Items[i]))
		}
		return list
	case Record:
		record := map[string]any{}
		for i := range v.Items {
			record[v.Keys[i]] = plain(&v.Items[i])
		}
		return record
	}
	return nil
}

// jsonValue draws a value that JSON has.
func jsonValue(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.Map(rapid.Float64(), func(x float64) any { return x }),
		rapid.Map(rapid.Int64Range(-1<<53, 1<<53), func(x int64) any { return float64(x) }),
		rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
	)
	if depth == 0 {
		return leaf
	}
	inner := jsonValue(depth - 1)
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(inner, 0, 5), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(rapid.String(), inner, 0, 12), func(m map[string]any) any { return m }))
}

// TestJSONAgrees: what encoding/json writes is read as what it was.
func TestJSONAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.MarshalIndent([]any{jsonValue(3).Draw(t, "value")}, "", "  ")
		if err != nil {
			t.Skip(err) // NaN and its like
		}
		f, fault := Read("x.json", text, Limits{})
		if fault != nil {
			t.Fatalf("%s\n%s", fault, text)
		}
		again, err := json.Marshal(plain(&f.Root))
		if err != nil {
			t.Fatal(err)
		}
		var want, got any
		if json.Unmarshal(text, &want) != nil || json.Unmarshal(again, &got) != nil || fmt.Sprint(want) != fmt.Sprint(got) {
			t.Fatalf("got %s\nof %s", again, text)
		}
	})
}

// TestCSVAgrees: what encoding/csv writes is read cell by cell as what it was, where all cells
// stand in quotes.
func TestCSVAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 5).Draw(t, "columns")
		rows := rapid.SliceOf(rapid.SliceOfN(rapid.String(), columns, columns)).Draw(t, "rows")
		var text strings.Builder
		for c := range columns {
			fmt.Fprintf(&text, ",c%d", c)
		}
		head := strings.TrimPrefix(text.String(), ",")
		text.Reset()
		text.WriteString(head + "\n")
		for _, row := range rows {
			for c, cell := range row {
				if c > 0 {
					text.WriteByte(',')
				}
				text.WriteString(`"` + strings.ReplaceAll(cell, `"`, `""`) + `"`)
			}
			text.WriteString("\r\n")
		}
		f, fault := Read("x.csv", []byte(text.String()), Limits{})
		if fault != nil {
			t.Fatalf("%s\n%s", fault, text.String())
		}
		if len(f.Root.Items) != len(rows) {
			t.Fatalf("%d rows of %d", len(f.Root.Items), len(rows))
		}
		for i, row := range rows {
			for c, cell := range row {
				if v := f.Root.Items[i].Items[c]; v.Kind != Text || v.Text != cell {
					t.Fatalf("row %d, column %d: %s, want %q", i, c, shown(&v), cell)
				}
			}
		}
	})
}

// checkValue holds the invariants of Datum.
func checkValue(t *testing.T, v *Datum, depth int) (values int) {
	if depth > MaxDepth+1 || math.IsNaN(v.Number) || math.IsInf(v.Number, 0) || !utf8.ValidString(v.Text) {
		t.Fatalf("depth %d, number %v, text %q", depth, v.Number, v.Text)
	}
	if v.Kind != List && v.Kind != Record {
		return 1
	}
	values, seen := 1, map[string]bool{}
	for i := range v.Items {
		if v.Kind == Record {
			if seen[v.Keys[i]] {
				t.Fatalf("key %q stands twice", v.Keys[i])
			}
			seen[v.Keys[i]] = true
		}
		if v.Items[i].Kind == Nothing {
			t.Fatal("nothing stands among the values")
		}
		values += checkValue(t, &v.Items[i], depth+1)
	}
	return values
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"a":[1,2.5,true,null,"x\u00e9"],"b":{}}`))
	f.Add([]byte(`[[[[]]]] //`))
	f.Fuzz(func(t *testing.T, text []byte) {
		const most = 1000
		read, err := Read("x.json", text, Limits{Values: most})
		if err != nil {
			if err.Script != "x.json" || err.Line < 1 || err.Column < 1 {
				t.Fatalf("no place: %v", err)
			}
			return
		}
		if n := checkValue(t, &read.Root, 1); n > read.Values || read.Values > most {
			t.Fatalf("%d values, counted %d", n, read.Values)
		}
		var other any
		if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &other); err != nil {
			t.Fatalf("encoding/json refuses what was read: %v", err)
		}
	})
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("a,b\n1,\"x\"\"y\"\n,\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		read, err := Read("x.csv", text, Limits{Values: 1000})
		if err != nil {
			if err.Script != "x.csv" || err.Line < 1 || err.Column < 1 {
				t.Fatalf("no place: %v", err)
			}
			return
		}
		checkValue(t, &read.Root, 1)
		other := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
		other.LazyQuotes = true // it refuses blanks after a quote, which do not count here
		if _, err := other.Read(); err != nil && err != io.EOF {
			t.Fatalf("encoding/csv refuses what was read: %v", err)
		}
	})
}
