package shakedown

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// wire reads calls and writes replies, one system call each where that is possible. It keeps its buffers.
type wire struct {
	in     *bufio.Reader
	out    io.Writer
	isText bool
	frame  []byte // of the call, in MessagePack
	long   []byte // a line that is longer than the reader's buffer
	packed []byte // the reply
	text   []byte // the reply in JSON
}

const bufferSize = 64 << 10

func newWire(in io.Reader, out io.Writer) *wire {
	return &wire{in: bufio.NewReaderSize(in, bufferSize), out: out}
}

// read reads a call. It gives io.EOF when the input ends before it begins.
func (w *wire) read() ([]byte, error) {
	if w.isText {
		line, err := w.line()
		if err != nil {
			return nil, err
		}
		w.frame, err = fromJSON(w.frame[:0], line)
		return w.frame, err
	}
	header, err := w.in.Peek(4)
	if err != nil {
		if len(header) == 0 && err == io.EOF {
			return nil, io.EOF
		}
		return nil, fmt.Errorf("the input ends inside of a frame: %w", noEOF(err))
	}
	length := int(binary.BigEndian.Uint32(header))
	if length > frameMax {
		return nil, fmt.Errorf("a frame of %d bytes; the limit is %d", length, frameMax)
	}
	if _, err := w.in.Discard(4); err != nil {
		return nil, err
	}
	if cap(w.frame) < length {
		if w.frame, err = readGrowing(w.in, length); err != nil {
			return nil, fmt.Errorf("the input ends inside of a frame: %w", noEOF(err))
		}
		return w.frame, nil
	}
	w.frame = w.frame[:length]
	if _, err := io.ReadFull(w.in, w.frame); err != nil {
		return nil, fmt.Errorf("the input ends inside of a frame: %w", noEOF(err))
	}
	return w.frame, nil
}

// readGrowing reserves no more than what arrives: the length is only a promise.
func readGrowing(in io.Reader, length int) ([]byte, error) {
	frame := make([]byte, 0, min(length, bufferSize))
	for len(frame) < length {
		if len(frame) == cap(frame) {
			frame = append(frame, 0)[:len(frame)]
		}
		n, err := in.Read(frame[len(frame):min(cap(frame), length)])
		frame = frame[:len(frame)+n]
		if err != nil {
			return nil, err
		}
	}
	return frame, nil
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// line reads a line. It is valid until the next read.
func (w *wire) line() ([]byte, error) {
	line, err := w.in.ReadSlice('\n')
	if err == nil {
		return line, nil
	}
	w.long = append(w.long[:0], line...)
	for err == bufio.ErrBufferFull && len(w.long) <= frameMax {
		line, err = w.in.ReadSlice('\n')
		w.long = append(w.long, line...)
	}
	switch {
	case len(w.long) > frameMax:
		return nil, fmt.Errorf("a line of more than %d bytes", frameMax)
	case err == io.EOF && len(w.long) == 0:
		return nil, io.EOF
	case err != nil:
		return nil, fmt.Errorf("the input ends inside of a line: %w", noEOF(err))
	}
	return w.long, nil
}

func (w *wire) send(frame []byte) error {
	_, err := w.out.Write(frame)
	return err
}

// reply writes what a node did.
func (w *wire) reply(seq uint64, env *Env, state *State, failed *Failure) error {
	b := append(w.packed[:0], 0, 0, 0, 0)
	if failed == nil {
		b = appendReply(b, seq, env, state)
		if size := len(b) - 4; size > frameMax {
			failed = &Failure{fmt.Sprintf("the reply has %d bytes; the limit is %d", size, frameMax), "reply"}
		}
	}
	if failed != nil {
		b = appendFailure(b[:4], seq, failed)
	}
	w.packed = b
	if !w.isText {
		binary.BigEndian.PutUint32(b, uint32(len(b)-4))
		return w.send(b)
	}
	text, err := toJSON(w.text[:0], &reader{data: b, at: 4})
	if err != nil {
		return err
	}
	w.text = append(text, '\n')
	return w.send(w.text)
}

func appendReply(b []byte, seq uint64, env *Env, state *State) []byte {
	parts := [...]struct {
		name string
		part *part
	}{
		{"sends", &env.sends}, {"answers", &env.answers}, {"facts", &env.facts}, {"timers", &env.timers},
		{"disk", &env.disk},
	}
	pairs := 1 + count(state.changed > 0 || state.whole)
	for i := range parts {
		pairs += count(parts[i].part.count > 0)
	}
	b = appendMap(b, pairs)
	b = appendUint(appendText(b, "seq"), seq)
	for i := range parts {
		if p := parts[i].part; p.count > 0 {
			b = appendList(appendText(b, parts[i].name), p.count)
			b = append(b, p.items...)
		}
	}
	if state.changed > 0 || state.whole {
		b = appendMap(appendText(b, "state"), state.changed)
		b = append(b, state.patch...)
	}
	return b
}

func appendFailure(b []byte, seq uint64, failed *Failure) []byte {
	b = appendMap(b, 2)
	b = appendUint(appendText(b, "seq"), seq)
	b = appendMap(appendText(b, "panic"), 2)
	b = appendText(appendText(b, "message"), strings.ToValidUTF8(failed.Message, "?"))
	return appendText(appendText(b, "place"), strings.ToValidUTF8(failed.Place, "?"))
}
