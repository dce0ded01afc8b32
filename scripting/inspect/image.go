package inspect

import (
	"net/http"
	"strconv"
)

// getImage serves the file of an image that sprites show, by its number. Only what the game has loaded can be
// asked for: there is no path in the request. The type is that of the head of the file, PNG or JPEG, neither of which can
// hold a script.
func (i *Inspector) getImage(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseUint(r.PathValue("id"), 10, 32)
	if err != nil {
		fail(w, failf(http.StatusBadRequest, "an image is a whole number from 1 to 4294967295"))
		return
	}
	image, _ := i.options.View.Image(uint32(id))
	switch {
	case image == nil:
		fail(w, failf(http.StatusNotFound, "the game has loaded no image of this number"))
	case image.Problem != "":
		fail(w, failf(http.StatusUnprocessableEntity, "this file cannot be shown: %s", image.Problem))
	default:
		w.Header().Set("Content-Type", image.Type)
		w.Header().Set("Content-Length", strconv.Itoa(len(image.Bytes)))
		_, _ = w.Write(image.Bytes) // a client that has gone needs no answer
	}
}
