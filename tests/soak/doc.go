// Package soak holds long histories of random operations, each compared with the
// slow model of package ecstest: of few entities for millions of operations, of
// crowds, and of slots that retire. It stands apart from the other tests so that
// the core can be built with faults on purpose, one after the other, and each be
// found.
package soak
