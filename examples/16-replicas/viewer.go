package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/replica"
)

// largest is how many bytes a message may have: what comes from a network is bounded before it is read.
const largest = 64 << 20

// writeFrame writes a message after its length.
func writeFrame(to io.Writer, message []byte) error {
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(message)), uint32(len(message)))
	_, err := to.Write(append(frame, message...))
	return err
}

// readFrame reads one.
func readFrame(from io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(from, length[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(length[:])
	if n > largest {
		return nil, fmt.Errorf("a message of %d bytes", n)
	}
	message := make([]byte, n)
	_, err := io.ReadFull(from, message)
	return message, err
}

// standby has a copy of the server's pond.
type standby struct {
	world *ecs.World
	copy  *replica.Replica
	lose  uint64 // a tick whose message it loses, 0 for none
}

// newStandby makes one that knows nothing yet.
func newStandby() (*standby, error) {
	w, err := open()
	if err != nil {
		return nil, err
	}
	copy, err := replica.New(w, replica.Options{Bytes: 4 * largest})
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return &standby{world: w, copy: copy}, nil
}

// watch applies the messages of a server until it ends the connection, and calls seen after each.
func (v *standby) watch(conn net.Conn, seen func()) error {
	from := bufio.NewReader(conn)
	lost := v.lose
	for {
		message, err := readFrame(from)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if lost != 0 && v.copy.Tick()+1 == lost {
			lost = 0 // as if it had never come
			continue
		}
		switch err := v.copy.Apply(message); {
		case errors.Is(err, replica.ErrOld): // it has that, or more
		case errors.Is(err, replica.ErrGap):
			if _, err := conn.Write([]byte{1}); err != nil {
				return err
			}
		case err != nil:
			return err
		default:
			seen()
		}
	}
}
