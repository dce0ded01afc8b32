package inspect

import (
	_ "embed"
	"net/http"
)

// description is the OpenAPI document. A test holds it against the routes.
//
//go:embed openapi.json
var description []byte

func (i *Inspector) getOpenAPI(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(description)
}
