package facts

// Origin says where a value with fields comes from. It decides which fields the value
// has, whether they can be assigned, and what becomes of what is assigned.
type Origin uint8

// The origins of values with fields.
const (
	Given    Origin = iota // what an each function gets of an entity; stored when it returns
	Updated                // what the function of ecs.update gets; stored when it returns
	Event                  // what the each function of an event gets
	Received               // what ecs.events gives: a copy that is the script's own
	Observed               // what an observer gets
	Resource               // of the host; stored at once
	Context                // ctx
	Copied                 // what ecs.get returns; stored nowhere
	Batch                  // what a batch function gets
	Column                 // what b:read and b:write name
	ReadList               // what b:read gives; the field is that of the column
	State                  // a table of ecs.state: its own variable is meant, see analysis
)
