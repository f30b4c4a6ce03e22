package adapter

import (
	"github.com/cometbft/cometbft/libs/log"
	"shakedown.dev/go"
)

// logger makes a fact of every error that the library logs, and drops the rest.
type logger struct{ node *Node }

func (l logger) Error(message string, fields ...any) {
	f := []shakedown.Field{shakedown.F("reason", message)}
	for i := 0; i+1 < len(fields); i += 2 {
		if err, ok := fields[i+1].(error); ok && fields[i] == "err" {
			f = append(f, shakedown.F("error", err.Error()))
		}
	}
	l.node.env.Emit("error", f...)
}

func (l logger) Debug(string, ...any)   {}
func (l logger) Info(string, ...any)    {}
func (l logger) With(...any) log.Logger { return l }
