// Package soak holds long histories of random operations, each compared with a slow
// model: of few entities for millions of operations, of crowds, of runs of rows that
// meet the ends of chunks and of worlds, and of slots that retire. It stands apart from
// the other tests so that the core can be built with faults on purpose, one after the
// other, and each be found.
package soak
