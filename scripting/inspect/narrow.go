package inspect

import (
	"net"
	"net/http"
	"slices"
	"sync"
)

// narrow is a listener with a bound for connections that are open.
type narrow struct {
	net.Listener
	slots chan struct{}
	done  chan struct{}

	mu       sync.Mutex
	unproven []*counted // the oldest first
}

// Accept waits until there is room, which a connection without the token gives.
func (n *narrow) Accept() (net.Conn, error) {
	c, err := n.Listener.Accept()
	if err != nil {
		return nil, err
	}
	select {
	case n.slots <- struct{}{}:
	default:
		n.dropOldest()
		select {
		case n.slots <- struct{}{}:
		case <-n.done:
			_ = c.Close() // it was never used
			return nil, net.ErrClosed
		}
	}
	one := &counted{Conn: c, of: n}
	n.mu.Lock()
	n.unproven = append(n.unproven, one)
	n.mu.Unlock()
	return one, nil
}

// dropOldest closes the oldest connection that has not had the token, if there is one.
func (n *narrow) dropOldest() {
	n.mu.Lock()
	var oldest *counted
	if len(n.unproven) > 0 {
		oldest = n.unproven[0]
	}
	n.mu.Unlock()
	if oldest != nil {
		_ = oldest.Close() // whoever it was gets nothing more
	}
}

// counted gives its place back when it is closed.
type counted struct {
	net.Conn
	once sync.Once
	of   *narrow
}

func (c *counted) Close() error {
	c.once.Do(func() {
		c.prove()
		<-c.of.slots
	})
	return c.Conn.Close()
}

// prove notes that a request of the connection has had the token, or that it is closed: no other one takes its place.
func (c *counted) prove() {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if k := slices.Index(c.of.unproven, c); k >= 0 {
		c.of.unproven = slices.Delete(c.of.unproven, k, k+1)
	}
}

// connectionKey is the key of the connection of a request, in its context.
type connectionKey struct{}

// proveConnection notes that a request has had the token.
func proveConnection(r *http.Request) {
	if c, ok := r.Context().Value(connectionKey{}).(*counted); ok {
		c.prove()
	}
}
