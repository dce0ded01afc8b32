// Command 10-rooms is a server of many games. Rooms are opened over HTTP. Each has a world and
// a goroutine of its own, and runs scripts that were compiled once for all. Clients come over
// WebSockets: they send what they steer, and get what has changed.
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"
)

//go:embed *.lua
var scripts embed.FS

func main() {
	addr := flag.String("addr", "", "address to serve at, such as localhost:8080; empty plays a short game and ends")
	folder := flag.String("scripts", "", "folder of scripts in place of those of the program; read again at each hang-up signal")
	rooms := flag.Int("rooms", 0, "measure so many rooms with real clients, and print figures")
	clients := flag.Int("clients", 4, "clients in each of these rooms")
	seconds := flag.Float64("seconds", 5, "how long these are measured")
	flag.Parse()
	var err error
	switch {
	case *rooms != 0:
		err = measure(os.Stdout, scripts, *rooms, *clients, time.Duration(*seconds*float64(time.Second)))
	case *addr != "":
		err = serve(*addr, *folder)
	default:
		err = run(os.Stdout, scripts)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// serve runs the server until it is interrupted.
func serve(addr, folder string) error {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	var files fs.FS = scripts
	if folder != "" {
		files = os.DirFS(folder)
	}
	s, err := newServer(files, slog.Default())
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	hangUp := make(chan os.Signal, 1)
	signal.Notify(hangUp, syscall.SIGHUP)
	defer signal.Stop(hangUp)
	s.running.Go(func() { s.follow(hangUp, files) })
	slog.Info("serving", "address", listener.Addr())
	return s.serve(ctx, listener)
}

// run plays a short game over real connections: two rooms, two players in one of them.
func run(out io.Writer, scripts fs.FS) error {
	g, err := start(scripts, slog.Default())
	if err != nil {
		return err
	}
	defer g.stop()
	first, err := g.open()
	if err != nil {
		return err
	}
	second, err := g.open()
	if err != nil {
		return err
	}
	ada, err := g.play(first)
	if err != nil {
		return err
	}
	bob, err := g.play(first)
	if err != nil {
		return err
	}
	cleo, err := g.play(second)
	if err != nil {
		return err
	}
	if err := ada.steer(Steering{X: 1}); err != nil {
		return err
	}
	if err := bob.until(func(m *mirror) bool { return m.players() == 2 && m.rows[ada.you][2] > 60_000 }); err != nil {
		return err
	}
	fmt.Fprintln(out, "bob sees two players, and how ada moves to the right")
	if err := cleo.until(func(m *mirror) bool { return m.tick > 10 && m.players() == 1 }); err != nil {
		return err
	}
	fmt.Fprintln(out, "cleo is alone in the other room")
	if err := g.close(first); err != nil {
		return err
	}
	fmt.Fprintf(out, "ada was told: %v\n", ada.reason())
	fmt.Fprintf(out, "bob was told: %v\n", bob.reason())
	g.cancel()
	fmt.Fprintf(out, "cleo was told: %v\n", cleo.reason())
	return g.stop()
}
