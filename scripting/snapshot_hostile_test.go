package scripting_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestManyScenesInASave: reading a hundred thousand scenes takes as long for each as reading a thousand.
func TestManyScenesInASave(t *testing.T) {
	took := func(n int) time.Duration {
		input := bytes.NewBufferString(`{"format":1,"tick":0,"scenes":[`)
		for i := range n {
			if i > 0 {
				input.WriteByte(',')
			}
			fmt.Fprintf(input, `{"name":"%d","entities":[]}`, i)
		}
		input.WriteString(`]}`)
		began := time.Now()
		x, err := scripting.ReadScripts(input.Bytes(), scripting.Limits{Saved: 1 << 30})
		if took := time.Since(began); err != nil || x == nil {
			t.Fatal(err)
		} else {
			return took
		}
		return 0
	}
	few, many := took(1000), took(100_000)
	for tries := 1; many > 1000*few+time.Second && tries < 4; tries++ { // a machine may have been busy
		few, many = max(few, took(1000)), min(many, took(100_000))
	}
	if many > 1000*few+time.Second {
		t.Errorf("1,000 scenes take %v, 100,000 %v", few, many)
	}
}

// TestListsThatAreTooLong: a list that no script could have made is refused, and one that a plain assignment has made a
// little too long is read.
func TestListsThatAreTooLong(t *testing.T) {
	read := func(items int) error {
		list := strings.Repeat("1,", items)
		_, err := scripting.ReadScripts([]byte(`{"format":1,"tick":0,"states":[{"name":"s","value":{"table":0}}],"tables":[{"list":[`+list[:len(list)-1]+`],"room":`+fmt.Sprint(items)+`,"keys":[]}]}`), scripting.Limits{Table: 1000})
		return err
	}
	if err := read(1001); err != nil {
		t.Error(err)
	}
	if err := read(100_000); err == nil || !strings.Contains(err.Error(), "Limits.Table") {
		t.Errorf("100,000 items of 1,000: %v", err)
	}
}
