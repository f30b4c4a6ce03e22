package shakedown

import "bytes"

// State collects the fields of a node's state. Only those that changed since the last call are sent.
type State struct {
	whole bool
	// What was sent last, in the order in which fields appeared.
	fields []shown
	// The part of the reply that is being written: pairs, and how many.
	patch   []byte
	changed int
	scratch []byte
	// Where the next field is expected: nodes set their fields in the same order every time.
	expected int
}

// shown is a field as it was sent last.
type shown struct {
	name    string
	encoded []byte
	// isSet: the node has set it in this call.
	isSet bool
	// isDelta: it shows changes and is never taken away.
	isDelta bool
}

// Whole reports whether the whole state is wanted: at boot, and when it is observed. Only nodes that use
// [State.Change] have to look at it.
func (s *State) Whole() bool { return s.whole }

// Set shows a field. The library sends it if it is not as it was. A field that is not set again is taken away.
//
// It panics if the value is none that [Marshal] takes.
func (s *State) Set(name string, value any) {
	encoded, err := appendAny(s.scratch[:0], value, 1)
	s.scratch = encoded
	if err != nil {
		panic("shakedown: state field " + name + ": " + err.Error())
	}
	f := s.field(name)
	f.isSet, f.isDelta = true, false
	if !s.whole && f.encoded != nil && bytes.Equal(f.encoded, encoded) {
		return
	}
	f.encoded = append(f.encoded[:0], encoded...)
	s.add(name, encoded)
}

// Change sends a field whatever was sent before. It is for a field that shows what changed instead of what is, such as
// the new end of a long log, for which the target's own code knows how to read it. It is never taken away.
func (s *State) Change(name string, value any) {
	encoded, err := appendAny(s.scratch[:0], value, 1)
	s.scratch = encoded
	if err != nil {
		panic("shakedown: state field " + name + ": " + err.Error())
	}
	f := s.field(name)
	f.isSet, f.isDelta = true, true
	s.add(name, encoded)
}

func (s *State) add(name string, encoded []byte) {
	s.patch = appendText(s.patch, name)
	s.patch = append(s.patch, encoded...)
	s.changed++
}

func (s *State) field(name string) *shown {
	if at := s.expected; at < len(s.fields) && s.fields[at].name == name {
		s.expected++
		return &s.fields[at]
	}
	for i := range s.fields {
		if s.fields[i].name == name {
			s.expected = i + 1
			return &s.fields[i]
		}
	}
	if !validText(name) {
		panic("shakedown: the name of a state field is not UTF-8")
	}
	s.fields = append(s.fields, shown{name: name})
	s.expected = len(s.fields)
	return &s.fields[len(s.fields)-1]
}

// begin prepares for a call of Node.State.
func (s *State) begin(whole bool) {
	s.whole = whole
	s.patch = s.patch[:0]
	s.changed = 0
	s.expected = 0
	for i := range s.fields {
		s.fields[i].isSet = false
	}
}

// end takes away what was not set.
func (s *State) end() {
	kept := s.fields[:0]
	for _, f := range s.fields {
		if f.isSet || f.isDelta {
			kept = append(kept, f)
		} else if !s.whole {
			s.add(f.name, []byte{0xc0})
		}
	}
	clear(s.fields[len(kept):])
	s.fields = kept
}
