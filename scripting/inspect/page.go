package inspect

import (
	"embed"
	"net/http"
	"path"
)

// pageFiles are the files of the page: plain HTML, CSS and ES modules, as browsers read them.
//
//go:embed page
var pageFiles embed.FS

// types are the types of its files.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// getPage serves a file of the page. It needs no token: there is nothing of the game in it.
func getPage(w http.ResponseWriter, r *http.Request) {
	file := r.PathValue("file")
	if file == "" {
		file = "index.html"
	}
	text, err := pageFiles.ReadFile("page/" + file)
	if err != nil {
		fail(w, failf(http.StatusNotFound, "the page has no such file"))
		return
	}
	w.Header().Set("Content-Type", types[path.Ext(file)])
	_, _ = w.Write(text)
}
