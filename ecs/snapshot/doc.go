// Package snapshot keeps what a world was, and makes it that again.
package snapshot
