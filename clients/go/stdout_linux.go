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
	// Not every architecture has dup2.
	if err := syscall.Dup3(syscall.Stderr, syscall.Stdout, 0); err != nil {
		return nil, os.NewSyscallError("dup3", err)
	}
	return os.NewFile(uintptr(own), "replies"), nil
}
