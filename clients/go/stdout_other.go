//go:build !unix

package shakedown

import "os"

// takeStdout gives the standard output of the process and lets whatever writes to os.Stdout from now on write to standard
// error.
func takeStdout() (*os.File, error) {
	own := os.Stdout
	os.Stdout = os.Stderr
	return own, nil
}
