package adapter

import (
	"fmt"

	"shakedown.dev/go"
)

// logger writes nothing. When the library gives up, its words are the panic, and its place is where it gave up.
type logger struct{}

func (logger) Debug(...any)            {}
func (logger) Debugf(string, ...any)   {}
func (logger) Error(...any)            {}
func (logger) Errorf(string, ...any)   {}
func (logger) Info(...any)             {}
func (logger) Infof(string, ...any)    {}
func (logger) Warning(...any)          {}
func (logger) Warningf(string, ...any) {}

func (logger) Fatal(v ...any) { panic(shakedown.FailureAt(1, fmt.Sprint(v...))) }
func (logger) Fatalf(format string, v ...any) {
	panic(shakedown.FailureAt(1, fmt.Sprintf(format, v...)))
}
func (logger) Panic(v ...any) { panic(shakedown.FailureAt(1, fmt.Sprint(v...))) }
func (logger) Panicf(format string, v ...any) {
	panic(shakedown.FailureAt(1, fmt.Sprintf(format, v...)))
}
