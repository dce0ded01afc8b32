package capture

import (
	html "html/template"
	"reflect"
	"testing"
	text "text/template"
)

// TestTypesOfResources: types that Go shows alike are told apart by the paths of their packages; what is written where
// there was one only is found as long as there is one only.
func TestTypesOfResources(t *testing.T) {
	of := func(v any, name string) Resource { return Resource{Type: reflect.TypeOf(v), Name: name} }
	in := func() Resource { type config struct{}; return of(config{}, "") }
	also := func() Resource { type config struct{}; return of(config{}, "") }
	list := []Resource{of(text.Template{}, ""), of(html.Template{}, ""), of(html.Template{}, "page"), of([]int{}, ""), in(), also()}
	for i, want := range []string{"text/template.Template", "html/template.Template", "template.Template", "[]int", "", ""} {
		if got := ResourceType(list, i); got != want {
			t.Errorf("%d is %q, want %q", i, got, want)
		}
		if want != "" && FindResource(list, list[i].Name, want) != i {
			t.Errorf("%d is not found", i)
		}
	}
	for name, want := range map[string]int{"template.Template": -1, "capture.config": -1, "x": -1, "": -1} {
		if got := FindResource(list, "", name); got != want {
			t.Errorf("%q is %d", name, got)
		}
	}
	if one := list[1:4]; FindResource(one, "", "template.Template") != 0 || ResourceType(one, 0) != "template.Template" || FindResource(one, "", "html/template.Template") != 0 {
		t.Error("a type that is the only one of its name is not found by it")
	}
}
