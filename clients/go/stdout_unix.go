//go:build unix && !linux

package shakedown

import (
	"os"
	"syscall"
)

// takeStdout gives the standard output of the process and lets everything else that writes there, also through a copy of
// os.Stdout that was made before, write to standard error.
func takeStdout() (*os.File, error) {
	own, err := syscall.Dup(syscall.Stdout)
	if err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	syscall.CloseOnExec(own)
	if err := syscall.Dup2(syscall.Stderr, syscall.Stdout); err != nil {
		return nil, os.NewSyscallError("dup2", err)
	}
	return os.NewFile(uintptr(own), "replies"), nil
}
