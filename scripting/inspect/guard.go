package inspect

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// patience is how long a client of Serve may take to send a request, or to read an answer.
const patience = 10 * time.Second

// policy is what the page may do: nothing but load its own files and talk to its server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP serves the page and the API.
func (i *Inspector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if err := i.admit(r); err != nil {
		fail(w, err)
		return
	}
	if needsToken(r.URL.Path) {
		proveConnection(r)
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostOf(r.URL.Path))
	i.routes.ServeHTTP(w, r)
}

// admit says why a request is not served.
func (i *Inspector) admit(r *http.Request) error {
	switch {
	case i.isClosed():
		return failf(http.StatusServiceUnavailable, "the inspector is closed")
	case !i.options.Remote && !isLocal(r.RemoteAddr):
		return failf(http.StatusForbidden, "only programs on this machine may ask")
	case !i.knows(r.Host):
		return failf(http.StatusMisdirectedRequest, "the header Host has a name that is not permitted here")
	case !sameOrigin(r):
		return failf(http.StatusForbidden, "a page of another origin may not ask")
	case needsToken(r.URL.Path) && !i.proven(r):
		return failf(http.StatusUnauthorized, "the token is missing or wrong: open the URL that the program has printed, or send it as a Bearer token")
	}
	return nil
}

// needsToken reports whether requests of a path must have the token: all but those of the page itself.
func needsToken(path string) bool { return strings.HasPrefix(path, "/api/") || path == metricsPath }

// isLocal reports whether an address with a port is of this machine. A connection without an
// address, such as one of memory, is.
func isLocal(address string) bool {
	a, err := netip.ParseAddrPort(address)
	return err != nil && (address == "" || address == "@" || address == "pipe") || err == nil && a.Addr().Unmap().IsLoopback()
}

// knows reports whether a header Host may be that of the inspector. Why may it be an address?
// The attack that the rule is against needs a name, which its owner can have lead anywhere.
func (i *Inspector) knows(header string) bool {
	name := header
	if host, _, err := net.SplitHostPort(header); err == nil {
		name = host
	}
	name = strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(name), "["), "]")
	if ip, err := netip.ParseAddr(name); err == nil {
		return i.options.Remote || ip.Unmap().IsLoopback()
	}
	return name == "localhost" || slices.ContainsFunc(i.options.Hosts, func(h string) bool { return strings.EqualFold(h, name) })
}

// sameOrigin reports whether a request comes from the page, or from no page at all. Following a
// link to the page from elsewhere is fine: it shows nothing without a token.
func sameOrigin(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		return err == nil && strings.EqualFold(u.Host, r.Host)
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	return r.Method == http.MethodGet && r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate"
}

// protocolToken begins the subprotocol with which a WebSocket says its token: a page cannot give
// it headers.
const protocolToken = "perigee.token."

// proven reports whether a request has the token.
func (i *Inspector) proven(r *http.Request) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		for _, p := range strings.Split(strings.Join(r.Header.Values("Sec-WebSocket-Protocol"), ","), ",") {
			if t, is := strings.CutPrefix(strings.TrimSpace(p), protocolToken); is {
				token = t
			}
		}
	}
	return subtle.ConstantTimeCompare([]byte(token), []byte(i.token)) == 1
}
