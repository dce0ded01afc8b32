// Package kit is a stock movement and collision kit: components, systems and a
// spatial index that a host installs into its world, so that designers without Go
// have fast movement and collision from the first line. It is what every world of the
// perigee command offers to Lua.
//
//	stock, err := kit.Install(world, kit.Options{})
//	host, err := scripting.New(world, scripting.Options{})
//	err = stock.Expose(host.Expose)
//
// There are three nouns. The [Kit] of a world is what Install puts into it: data, which
// lives and ends with the world, and which Go code reaches with ecs.Register[kit.Position]
// and ecs.Resource[kit.Arena]. An [Index] finds entities by where they are; the kit has one of
// all colliders, and a host may fill others. A [DrawList] is a copy of what is to be seen of a world. The names below are those of Lua; the Go types have
// the same names and fields, in upper case.
//
// Components, which scripts fetch with ecs.native("Position"):
//
//	Position   x, y                f64   where an entity is, in world units
//	Velocity   x, y                f64   world units per second
//	Collider   radius              f32   a circle around the position
//	           layer, mask         u32   bits: what it is, and what it looks for
//	Box        width, height       f32   makes the collider a rectangle around the position
//	Edge       rule                enum  what happens to it at the arena's edge
//	Transform  x, y, angle, scale  f64   where it is, seen from its parent; scale is 1 unless it is given
//	GlobalTransform  as Transform  f64   the same seen from the world; comes with a Transform
//
// Events, which scripts fetch with ecs.native_event("Collision"):
//
//	Collision  a, b                      a looks for b, and they touch
//
// Resources, which scripts fetch with ecs.resource("Arena"):
//
//	Arena      width, height       f64   from 0,0; an axis of 0 has no edge
//	           edge                enum  rule of entities without an Edge
//	Collisions limit               i64   most events sent in one tick; those that a query yields last get none
//	                                     scripts may lower limit and work, and raise them again to what the host allows
//	           pairs, dropped      u64   touching pairs, and events left out, so far
//	           work                i64   most comparisons in one tick, see Cost
//	           cut                 u64   searches that it has cut short, so far
//
// Systems, all in the phase "physics":
//
//	kit.move       priority 10   position += velocity · dt, then the edge
//	kit.transform  priority 15   works out where everything with a Transform is
//	kit.collide    priority 20   sends Collision events
//
// Functions, on the table that require "host" returns, by [Kit.Expose]. They find entities with
// a collider, of which the mask has the layer. Lists are tables in order of distance, and have a
// second result: whether they are whole, see Cost.
//
//	host.nearest(x, y, reach, mask)        the entity nearest to a point; 0 if there is none
//	host.k_nearest(x, y, k, reach, mask)   a list of the k nearest
//	host.within(x, y, radius, mask)        a list of those within a radius
//	host.count_within(x, y, radius, mask)  how many these are, and whether it is all
//	host.in_box(x1, y1, x2, y2, mask)      a list of those in a box between two corners
//	host.ray(x1, y1, x2, y2, mask)         what a line hits first, or 0; how far it is free; whether it is whole
//	host.ray_all(x1, y1, x2, y2, mask)     a list of what it hits
//
// Rays hit shapes; the others look at positions. A mask of 0, or a coordinate that is not a number,
// finds nothing. The functions know entities as they were when the tick began, and from kit.collide on as they
// were then; they leave out the dead. Work is charged to the script before it is done, and lists when they are made, so a
// search in a crowd ends with a limit of the script at worst.
//
// # What is seen and played
//
// [InstallView] is for worlds that people look at: it adds what a view draws, and what players do.
// It changes nothing else. Packages that draw, such as scripting/inspect, read the components; [Screen.Feed]
// takes what players do, and the system kit.input, in the phase "input", hands it on.
//
//	Shape   form, turns, layer, color, alpha, size, angle, glow   how an entity looks
//	Sprite  image, frame, columns, rows, turns, layer, color, …   a picture from a file, or a part of one
//	Trail   seconds, width, color, alpha                          a line along the places where it was
//	Label   text, size, color, dx, dy                             a text at it; without a place: in the corner
//	Bar     value, max, width, height, color, dy                  a part of a whole, such as health
//	Camera  height, background                                    the view looks at this entity
//
// Shapes and sprites are drawn at the Position, or the GlobalTransform, and in the order of layers, trails below all of
// them. The forms are "circle", "ring", "square", "triangle", "diamond", "star", "arrow" and "dot". Colors are
// 0xRRGGBB. An entity may have a Shape and a Sprite. The image of a sprite is the number that ecs.asset
// returns: the program says with [Screen.ShowImages] that files of its store are images.
//
// A program that draws itself reads a [DrawList]: a copy of all that, in the order of layers, with what is seen of the world.
// The page, and the window and the terminal among the examples, draw from it.
//
// What scripts draw with ecs.draw, and programs with [Screen.Draw], is shown over all of it: see package ecs/sketch.
//
//	Input   x, y, fire, fire_pressed, pointer_x, pointer_y, …     a resource: what players do in this tick
//	        down, just_pressed                                    keys: input.down.space
//	Key     key, down                                             an event: a key went down or up
//
// Input is a part of the world: it is in its checksum and in snapshots, and the same signals before
// the same ticks make the same game.
//
// # Edges
//
// The rules are "none" (nothing happens), "bounce" (comes back, velocity
// turned), "wrap" (comes in at the other side), "stop" (stays at the edge,
// velocity 0) and "despawn". The edge is where the position is; a collider's
// radius does not count.
//
// # Transforms
//
// An entity with a Transform goes with its parent. Where the parent has a Transform, too, it is seen
// from the parent's GlobalTransform; where that has only a Position, from there; and else from the
// world. What comes out becomes its GlobalTransform, and its Position if it has one, so that it
// collides where it is. An entity without a parent that has a Position is where the Position says, and has
// the angle and the scale of its Transform: a ship moves by its Velocity, and its guns with it.
//
// # Layers and masks
//
// A collider's layer says what it is, its mask which layers it looks for; both
// are sums of 1, 2, 4, 8 and so on. A bullet of layer 2 and mask 4 finds the
// enemies of layer 4; enemies with mask 0 look for nothing and cost nothing. While a
// pair touches, there is one event for it in each tick: a is the entity that looks;
// if both look for each other, it is the one with the smaller handle. A layer of 0 is
// never found. Colliders whose position or size is not a number, or beyond a
// billion, do not collide.
//
// # Cost
//
// One core, 10,000 entities: kit.move takes about 20 µs; kit.collide 0.3 ms when
// 1,000 of them are bullets that look for the others, and 1 ms when all look for
// all. Neither allocates once its buffers have grown. The expensive case is a crowd:
// entities that stand on one spot are compared with each other, all of them, up
// to the work: 3,000,000 comparisons in one tick, some 8 ms, which is enough for
// 1,700 on one spot. In a greater crowd each collider is compared with a part of the
// others, of at least 32, so collisions are missed there and nowhere else; a
// warning says where, and Collisions.cut counts. All colliders together make no more
// comparisons than the work, or 32 each. Where there are boxes, a comparison counts twice.
// Scripts lower the work and the limit of events: what they write above [Options].Work and
// Options.Limit counts as these.
//
// kit.transform takes some 100 ns for each entity that it places, in deep chains as in flat
// ones. It looks at the tops of trees, and places those that have moved; when a Transform was written
// or a parent has changed, it places all.
//
// Compiled each functions call host.nearest and host.count_within without the VM: each has one
// number as its result, and at most "true" as a second one. A search that has more candidates than
// its share of the work is left to the VM, with its row. host.ray and the functions that return
// lists are the VM's. A function that calls one for each entity is not compiled, and is refused with
// kernel = "require"; one that calls it in a branch is, and leaves the entities that come there to
// the VM.
//
// Searches cost what lies around them, see [Index]; those of a tick up to kit.collide
// share a work as large as that of collisions, and so do those from there on. Once it is used up, a search looks at a part of a crowd,
// says that its result is not whole, and counts in Collisions.cut.
//
// # Determinism
//
// Results follow from the world alone: entities are visited in the order of the
// query, events are sent in that order, and the sums of products are rounded in
// the same way on every processor. Searches return what is there in an order of its own, whoever
// was added first. When a tick begins they look at the world anew, 20 µs for 10,000 colliders: so a game that was
// loaded, or has gone back, finds what one finds that never stopped.
//
// # Where code lives
//
//	components, resources, Install    kit
//	what moves, and the arena's edge  move
//	transforms along the hierarchy    transform
//	collisions                        collide
//	a work that is shared             crowd
//	circles, boxes and segments       shape
//	bodies in cells                   grid
//	the index and its searches        index, search
//	the functions of scripts          expose
//	what is drawn                     view
//	what views draw from              drawlist
//	sprites and their images          sprite
//	keys, pointer and sticks          input
package kit
