// Package inspect shows a running host to browsers and to other programs: an http.Handler
// with a versioned API, and a page that uses it: the game is seen on it, played, and looked into.
//
//	pace, err := loop.New(loop.Options{Hz: 60})
//	players, err := kit.InstallView(world)
//	view, err := inspect.New(host, inspect.Options{Loop: pace, View: players, Control: true})
//	go view.Serve(listener)              // 127.0.0.1
//	fmt.Println(view.URL(listener.Addr().String()))
//	err = pace.Run(ctx, host.Step)
//
// There are four nouns.
//
//   - An [Inspector] is the handler of one host. It lives from New to Close, beside the host.
//   - A question is what a request wants to know of the world. It is answered on the
//     goroutine of the world, between two steps.
//   - A stream is a connection that stays and gets events, a few times a second.
//   - A viewer is a connection that gets pictures of the game, and says what a player does.
//
// # The world is looked at between steps
//
// A world belongs to one goroutine, and requests come on others. So a handler checks its
// request, leaves a question, waits, and writes its answer when it has it: the question copies
// what the request needs, and nothing of the world leaves the goroutine of the world. Questions
// are answered in [Inspector.Answer], which a [Pacer] calls when there are some, also while the
// game is paused. A host without one calls it between two steps.
//
// Changes (with Options.Edit) are questions, too: they are made between two steps, as the
// host's own code makes them, with hooks, observers and the checks that scripts have.
//
// While streams are open, the entities of each set of components are counted once a second of
// simulation, and what has grown for a minute is named among the warnings; with a journal, so are the prefab and the line of a script that
// have spawned it. A function of
// [ecs.Schedule.OnTick] sums up how long systems take. For who asks for ticks run by run, it keeps those: the last 120, and the slowest
// 16 since then, for ten seconds after each question. It goes when the last of them has gone. So an
// inspector whom nobody asks costs nothing: no function is called, no clock is looked at.
//
// # Pictures
//
// With Options.View, viewers get a picture at each tick, over a WebSocket. The tick copies what is to be drawn, a [kit.DrawList]: the
// shapes, sprites, trails, bars and labels of package kit, with their places, and what is drawn in the world's sketch, which keeps it from New on. Another goroutine makes the picture of
// it, once for all viewers: 12 bytes for each shape, and a table of looks; picture.go says what is where. A viewer gets
// two pictures at most before it says that it has drawn one. When nobody may get one, or
// the last list is still being made into one, the tick copies nothing. So a slow viewer sees fewer
// pictures, and no old ones. The page draws between the last two, with WebGL, or without where that
// is made in software. It makes trails of the places in successive pictures, and fetches the image of a sprite once for each version
// of its file.
//
// What players do goes to [kit.Screen.Feed], and to scripts by the resource Input and the event Key. All viewers play by one input: a key that two
// hold is up when both have let it go, or have left, and who holds a button has the pointer.
//
// # Going back in time
//
// With Options.Session, the last ticks are kept when somebody asks for it (or from New on, with
// Options.Keep): a capture after each tick, within Options.Rewind; when the memory is full, older ticks
// get gaps. A client looks at one of them: the game is paused, and the world itself is what it was
// then, so that the picture, the entities and all other answers are of that tick. Why the world itself, and
// not a copy? What a game has registered, only its program can make again; and this way each panel
// shows the past without knowing of it.
//
// To look leaves no trace: no script runs, edits are refused, and before the next step, whoever asks
// for it, the world is what it was (see [record.Rollback.Look]). With Options.Edit, a client makes an earlier
// tick the present, with what scripts keep; the later ticks are given up. Two ticks are compared beside
// the game, from copies: entities, components, fields, resources, and what scripts keep.
//
//	nothing kept    nothing
//	kept            a capture in each tick: 0.5 to 0.7 of a tick of the demo, where nearly all of 10,000
//	                entities move, and 1.5 MB: the usual memory then has 170 ticks, with gaps among the older
//	a look          a restore: 0.8 ms there
//	a comparison    the game stands for two restores and two copies; the rest is beside it
//
// # Who has changed it
//
// With Options.Journal, or when a client asks for it who has Control, a [journal.Journal] notes who changes what:
// which system has given an entity a component, which line of a script has recorded the command, with whom an
// entity died. Of entities that a client watches it has the values of fields, too. Where a function over rows writes
// a field, no command says the line: the answer lists the lines of the system that assign a field of that
// name.
//
// # Lua that is typed
//
// With Options.Edit, clients run texts of Lua by [scripting.Host.Console], between two steps. Each is captured before, so that a
// client can take it back; with Options.Session, the ticks before stay kept. A text holds the game as long as a call of a
// script may by the limits of the host, and a capture costs what one of an earlier tick does. A program that lets clients edit lets
// them do whatever scripts may, and nothing else: see [scripting.Console].
//
// # A client never delays a tick
//
//	a question    looks at 10,000 rows at most, at 20,000 by the terms of a query, and copies 256 KiB at most; lists go on at a cursor
//	all of them   after a millisecond, the rest waits for the next step
//	questions     64 wait at a time; a request beyond them is refused with 503
//	waiting       2 s, then 504: the question is forgotten, and never asked
//	texts         one set is tried at a time, beside the steps, with the limits of a reload
//	bodies        64 KiB, 2 MiB with texts of scripts; URLs are bounded by the server
//	comparisons   one at a time, of 200,000 entities
//	trees         100 entities in an answer; a cursor leads on without a look at those before it
//	ticks         2,000 runs of systems of each tick that is kept: 9 MB at most, a fiftieth of it with forty systems
//	streams       32; each keeps one event that was not sent yet, older ones are dropped
//	images        of what the game has loaded: 4 MiB and 2,048 by 2,048 pixels at most; 256 in a picture
//	viewers       32, of 50,000 shapes and sprites, 4,096 trails and 4,096 strokes; messages of 64 bytes, 400 in a second, further ones are dropped
//
// A tick never writes to a connection. [Inspector.Serve] has 256 connections at a time: a new one takes the place of
// the oldest that has not had the token, and waits only if all have. It cuts off clients that take longer than 10 s to send a request, or 18 s to read an answer. A program that
// mounts the handler in a server of its own sets such times there.
//
// # Who may ask
//
// All of the rules hold at the same time:
//
//   - The client is on this machine (Options.Remote lifts that).
//   - The header Host names this machine, an address, or one of Options.Hosts: a page whose own
//     name leads to this machine by now (DNS rebinding) is refused.
//   - Requests that a page of another origin makes are refused, whatever their method.
//   - Each request of the API has the token: "Authorization: Bearer TOKEN". The page has it from
//     the fragment of its URL, which browsers neither send nor log, and keeps it for the tab.
//
// Without the token there are only the files of the page, which say nothing about the game. Their
// policy (CSP) permits no script, style or connection but those of this server. What scripts
// name and say is text on it, and never HTML. Unless Options.Edit says otherwise, requests change nothing
// in the world; Options.Control lets them play, pause, step, change the speed and look at earlier ticks.
//
// # The API
//
// The document at /api/v1/openapi.json describes it. Within v1, what is there stays; more may
// come. Answers are JSON; errors are {"error": {"status": 404, "text": "..."}}. Entities are
// numbers: all handles are exact in JSON and in JavaScript.
//
// At /metrics are figures in the text format of Prometheus, for who has the token (as "credentials" of
// "authorization"): those of package telemetry/prometheus with the same names, the durations as sums and counts
// without buckets. Ticks are summed up from the first request on, until none has come for five minutes.
//
// # Where code lives
//
//	the Inspector, its options, Serve, Close  inspect
//	how many connections there are            narrow
//	who may ask                               guard
//	questions, and their answers              question
//	routes; JSON of requests and answers      api, openapi
//	status, time, faults                      status
//	entities, edits                           entities
//	components, archetypes, pools             world
//	what grows and does not come back         growth
//	who spawns it                             spawner
//	entities as a tree, relations             tree
//	systems, how long they take, traces       systems
//	the order of systems, their conflicts     schedule
//	ticks that are kept, run by run           ticks
//	earlier ticks that are kept, a look       rewind
//	what is different in two ticks            changes
//	what scripts keep, value by value         kept
//	who has changed what                      journal
//	scripts, with what is wrong at each line  scripts
//	texts that are checked, and run           stage
//	Lua that is typed                         console
//	what is summed up at each tick            watch
//	the same for Prometheus                   metrics
//	events                                    stream
//	pictures, byte by byte                    picture
//	what is above and below its shapes        picture_parts
//	images of sprites                         image
//	viewers, and what players do              view
//	what several of them hold                 hands
//	the page, whose files lie in a folder     page
package inspect
