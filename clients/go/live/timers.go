package live

import (
	"sync"
	"time"
)

// setTimer is a timer that is set: its number, and what is called.
type setTimer struct {
	id uint64
	f  func()
}

// SetTimer sets a timer, or sets it anew: f is called when a step fires it, which is possible when its time has passed on
// Shakedown's clock. It is called like Deliver, and not while a call of either lasts. For nil it is a timer of package time.
func (n *Node) SetTimer(name string, after time.Duration, f func()) {
	if n == nil {
		real.set(name, after, f)
		return
	}
	n.order.Lock()
	defer n.order.Unlock()
	n.mutex.Lock()
	n.lastTimer++
	id := n.lastTimer
	n.timers[name] = setTimer{id, f}
	n.mutex.Unlock()
	n.show(timer{"timer", id, name, max(after.Milliseconds(), 0)})
}

// ClearTimer clears a timer. One that is not set stays so. A timer that was fired before is not called after this
// returns, unless it is called already.
func (n *Node) ClearTimer(name string) {
	if n == nil {
		real.clear(name)
		return
	}
	n.order.Lock()
	defer n.order.Unlock()
	n.mutex.Lock()
	delete(n.timers, name)
	n.mutex.Unlock()
	n.show(clear{"clear", name})
}

// fire calls what a timer is for, unless it was cleared or set anew since Shakedown fired it.
func (n *Node) fire(name string, id uint64) {
	n.mutex.Lock()
	set, isSet := n.timers[name]
	isSet = isSet && set.id == id
	if isSet {
		delete(n.timers, name)
	}
	n.mutex.Unlock()
	if isSet {
		set.f()
	}
}

// real are the timers of a server that nobody tests.
var real = realTimers{timers: map[string]*time.Timer{}}

type realTimers struct {
	mutex  sync.Mutex
	timers map[string]*time.Timer
}

func (r *realTimers) set(name string, after time.Duration, f func()) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if old := r.timers[name]; old != nil {
		old.Stop()
	}
	r.timers[name] = time.AfterFunc(after, f)
}

func (r *realTimers) clear(name string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if old := r.timers[name]; old != nil {
		old.Stop()
		delete(r.timers, name)
	}
}

// Action waits until a step allows it, and then calls body: the step ends when body has returned. Parameters are what
// scenarios and models see of it. For nil, body is called at once. The error is that of a connection that has ended; then body is not called.
func (n *Node) Action(name string, parameters Fields, body func()) error {
	if n == nil {
		body()
		return nil
	}
	permission := make(chan uint64, 1)
	n.mutex.Lock()
	n.lastAction++
	id := n.lastAction
	n.actions[id] = permission
	n.mutex.Unlock()
	if err := n.tell(action{"action", id, name, parameters}); err != nil {
		return err
	}
	select {
	case seq := <-permission:
		body()
		return n.tell(done{"done", seq})
	case <-n.done:
		return n.Err()
	}
}
