package shakedown

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// Failure is a panic with its own words and its own place. A node panics with a *Failure when the place of the panic
// is not where it comes from, for example in a logger that a library calls when it gives up.
type Failure struct {
	// Message is what went wrong.
	Message string
	// Place is where: a file without its folders, a colon, a line.
	Place string
}

func (f *Failure) Error() string { return f.Place + ": " + f.Message }

// FailureAt is a [Failure] at the caller's place; skip goes further up, by so many callers.
func FailureAt(skip int, message string) *Failure {
	_, file, line, _ := runtime.Caller(skip + 1)
	return &Failure{message, place(file, line)}
}

func place(file string, line int) string {
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

// messageMax is how many bytes of a panic's message are reported.
const messageMax = 4096

// failureOf describes what a deferred function has recovered. It must be called by that function.
func failureOf(recovered any) *Failure {
	if f, ok := recovered.(*Failure); ok {
		return f
	}
	message := fmt.Sprint(recovered)
	if err, ok := recovered.(error); ok {
		message = err.Error()
	}
	if len(message) > messageMax {
		message = message[:messageMax] + "..."
	}
	f := &Failure{Message: message, Place: "unknown"}
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	// The frames begin with this function and the deferred one. The panic's own frames follow them, and then the frame
	// that panicked: the first one outside of the runtime.
	panics := false
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		switch {
		case frame.Function == "runtime.gopanic" || frame.Function == "runtime.sigpanic":
			panics = true
		case panics && !strings.HasPrefix(frame.Function, "runtime."):
			f.Place = place(frame.File, frame.Line)
			return f
		}
	}
	return f
}
