package inspect

import (
	"net/http"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
)

const (
	mostOrders    = 2000 // in an answer
	mostConflicts = 1000 // in an answer
)

// scheduleJSON is the schedule as a graph: stages one after the other, and the orders that were asked for.
type scheduleJSON struct {
	Workers    int         `json:"workers"` // goroutines that a stage may have
	Stages     []stageJSON `json:"stages"`
	Orders     []orderJSON `json:"orders"`
	TotalUS    float64     `json:"total_us"`    // of a run of each system
	CriticalUS float64     `json:"critical_us"` // of those on the critical path: no number of workers makes it shorter
}

// stageJSON is one system, or several that run at the same time.
type stageJSON struct {
	Fixed    bool          `json:"fixed"`
	Phase    string        `json:"phase"`
	Parallel bool          `json:"parallel"`
	Why      string        `json:"why,omitempty"` // why its first system is not part of the stage before
	Systems  []plannedJSON `json:"systems"`
}

// plannedJSON is a system of a stage, and what it touches as far as the schedule knows.
type plannedJSON struct {
	Name     string   `json:"name"`
	Enabled  bool     `json:"enabled"`
	Parallel bool     `json:"parallel"`
	Serial   string   `json:"serial,omitempty"` // why it is not parallel
	Reads    []string `json:"reads"`            // components
	Writes   []string `json:"writes"`
	Event    string   `json:"event,omitempty"` // that it reads
	MeanUS   float64  `json:"mean_us"`         // of a run, since the world began
	Critical bool     `json:"critical"`        // no system of its stage takes longer
}

// orderJSON says that one system is to run before another.
type orderJSON struct {
	First  string `json:"first"`
	Second string `json:"second"`
}

// getSchedule returns the plan of the schedule.
func (i *Inspector) getSchedule(r *http.Request) (any, error) {
	var stats []ecs.SystemStats
	var plan ecs.Plan
	err := i.ask(r.Context(), func() error {
		stats, plan = i.world.Schedule().Stats(nil), i.world.Schedule().Plan()
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := newSchedule(stats, plan)
	all.Workers = i.world.Raw().Workers()
	return all, nil
}

// newSchedule makes the answer.
func newSchedule(stats []ecs.SystemStats, plan ecs.Plan) scheduleJSON {
	all := scheduleJSON{Stages: make([]stageJSON, 0, len(plan.Stages)), Orders: []orderJSON{}}
	by := make(map[string]*ecs.SystemStats, len(stats))
	for k := range stats {
		by[stats[k].Name] = &stats[k]
	}
	for _, st := range plan.Stages {
		one := stageJSON{Fixed: st.Fixed, Phase: st.Phase.String(), Parallel: st.Parallel, Why: st.Why}
		slowest, critical := 0, 0.0
		for k, name := range st.Systems {
			s := newPlanned(by[name])
			all.TotalUS += s.MeanUS
			if s.MeanUS > critical {
				slowest, critical = k, s.MeanUS
			}
			one.Systems = append(one.Systems, s)
		}
		one.Systems[slowest].Critical = true
		all.CriticalUS += critical
		all.Stages = append(all.Stages, one)
	}
	seen := map[orderJSON]bool{}
	for k := range stats {
		all.addOrders(&stats[k], by, seen)
	}
	return all
}

// newPlanned makes the JSON of a system.
func newPlanned(s *ecs.SystemStats) plannedJSON {
	one := plannedJSON{
		Name: s.Name, Enabled: s.Enabled, Parallel: s.Parallel, Serial: cut(s.Serial), Reads: sorted(s.Reads), Writes: sorted(s.Writes), Event: s.Event,
	}
	if s.Runs > 0 {
		one.MeanUS = microseconds(s.Total) / float64(s.Runs)
	}
	return one
}

// addOrders adds what a system asks for with Before and After, of systems that exist: an order that both ask for once.
func (all *scheduleJSON) addOrders(s *ecs.SystemStats, by map[string]*ecs.SystemStats, seen map[orderJSON]bool) {
	add := func(names []string, order func(other string) orderJSON) {
		for _, name := range names {
			name = strings.TrimSuffix(name, "?")
			if one := order(name); by[name] != nil && !seen[one] && len(all.Orders) < mostOrders {
				seen[one] = true
				all.Orders = append(all.Orders, one)
			}
		}
	}
	add(s.Before, func(other string) orderJSON { return orderJSON{s.Name, other} })
	add(s.After, func(other string) orderJSON { return orderJSON{other, s.Name} })
}

// conflictJSON says why a system does not run at the same time as another one.
type conflictJSON struct {
	With      string `json:"with"`
	Kind      string `json:"kind"`
	By        string `json:"by,omitempty"` // the system that is serial, that writes, or that comes between
	Component string `json:"component,omitempty"`
	Text      string `json:"text"`
}

// getConflicts says of a system why the others of its phase do not run beside it.
func (i *Inspector) getConflicts(r *http.Request) (any, error) {
	name := r.PathValue("name")
	var list []ecs.Conflict
	err := i.ask(r.Context(), func() (err error) {
		if _, ok := i.world.Schedule().Health(name); !ok {
			return failf(http.StatusNotFound, "there is no system %q", cut(name))
		}
		list, err = i.world.Schedule().Conflicts(name)
		return err
	})
	if err != nil {
		return nil, err
	}
	all := []conflictJSON{}
	for _, c := range list[:min(len(list), mostConflicts)] {
		with := c.First
		if with == name {
			with = c.Second
		}
		all = append(all, conflictJSON{with, c.Kind.String(), c.By, c.Component, cut(c.Text)})
	}
	return map[string]any{"system": name, "conflicts": all, "left_out": len(list) - len(all)}, nil
}
