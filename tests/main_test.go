package tests_test

import (
	"os"
	"testing"
)

// TestMain gives the perigee command a folder to be built in.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "perigee")
	if err != nil {
		panic(err)
	}
	commandFolder = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}
