// Command 16-replicas keeps copies of a world in other processes: viewers that come late or lose a message, and
// one that goes on when the server has ended.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/signal"
	"time"
)

func main() {
	listen := flag.String("serve", "", "an address: be a server for viewers, until Ctrl-C")
	dial := flag.String("watch", "", "the address of a server: be a viewer of it, and go on without it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := error(nil)
	switch {
	case *listen != "":
		err = serveUntil(ctx, os.Stdout, *listen)
	case *dial != "":
		err = watch(ctx, os.Stdout, *dial)
	default:
		err = run(os.Stdout)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// serveUntil is a server of its own.
func serveUntil(ctx context.Context, out io.Writer, address string) (err error) {
	w, err := open()
	if err != nil {
		return err
	}
	defer w.Close()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	s, err := serve(w, listener)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, s.close()) }()
	fmt.Fprintln(out, "serving", listener.Addr())
	return atEachTick(ctx, func(n int) error {
		if n%20 == 0 {
			fmt.Fprintf(out, "tick %d: %d fish, checksum %016x, the last message had %d bytes\n", n, w.Len(), w.Checksum(), s.stats.Bytes)
		}
		return s.step()
	})
}

// watch is a viewer of its own. When its server ends, it goes on by itself.
func watch(ctx context.Context, out io.Writer, address string) error {
	v, err := newStandby()
	if err != nil {
		return err
	}
	defer v.world.Close()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { conn.Close() })
	defer conn.Close()
	show := func() {
		if n := v.copy.Tick(); n%20 == 0 {
			fmt.Fprintf(out, "tick %d: %d fish, checksum %016x\n", n, v.world.Len(), v.world.Checksum())
		}
	}
	err = v.watch(conn, show)
	if ctx.Err() != nil {
		return nil
	} else if err != nil {
		return err
	}
	fmt.Fprintln(out, "the server has ended: going on without it")
	return atEachTick(ctx, func(int) error { return v.world.Step(tick) })
}

// atEachTick calls a function with the numbers of ticks, in the time of the game.
func atEachTick(ctx context.Context, do func(n int) error) error {
	beat := time.NewTicker(time.Duration(tick * float64(time.Second)))
	defer beat.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-beat.C:
			if err := do(n); err != nil {
				return err
			}
		}
	}
}
