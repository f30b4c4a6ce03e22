// Package hosttest drives a host in a test, as Shakedown does: it makes calls and reads replies.
package hosttest

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"shakedown.dev/go"
)

// Server is a host: a [shakedown.Host] of any type of nodes.
type Server interface {
	ServeOn(in io.Reader, out io.Writer) error
}

// Welcome is how a host introduces itself.
type Welcome struct {
	Protocol int      `json:"protocol"`
	Encoding string   `json:"encoding"`
	Name     string   `json:"name"`
	Version  string   `json:"version"`
	Calls    []string `json:"calls"`
	Kinds    []string `json:"kinds"`
	Error    string   `json:"error"`
}

// Reply is what a node did.
type Reply struct {
	Seq     uint64                   `json:"seq"`
	Sends   []Send                   `json:"sends"`
	Answers []Answer                 `json:"answers"`
	Facts   []Fact                   `json:"facts"`
	Timers  []Timer                  `json:"timers"`
	Disk    []Write                  `json:"disk"`
	State   map[string]shakedown.Raw `json:"state"`
	Panic   *Panic                   `json:"panic"`
}

// Send is a message that was sent.
type Send struct {
	To      int           `json:"to"`
	Kind    string        `json:"kind"`
	Message shakedown.Raw `json:"message"`
	Text    string        `json:"text"`
}

// Answer is an answer to a client.
type Answer struct {
	ID     uint64 `json:"id"`
	Answer any    `json:"answer"`
}

// Fact is something that happened inside of a node.
type Fact struct {
	Name   string         `json:"name"`
	Fields map[string]any `json:"fields"`
}

// Timer is a timer that was set or cancelled.
type Timer struct {
	Set    string `json:"set"`
	Ticks  uint64 `json:"ticks"`
	Cancel string `json:"cancel"`
}

// Write is a change of the disk.
type Write struct {
	Put    map[string]shakedown.Raw `json:"put"`
	Delete []string                 `json:"delete"`
	Flush  bool                     `json:"flush"`
}

// Panic is a node's failure.
type Panic struct {
	Message string `json:"message"`
	Place   string `json:"place"`
}

// Client is the other end of a host.
type Client struct {
	// Welcome is what the host introduced itself with.
	Welcome Welcome
	in      *io.PipeWriter
	out     *bufio.Reader
	done    chan error
	seq     uint64
}

// Start starts a host and shakes hands. The encoding is "msgpack"; a host that serves JSON is not for this client.
func Start(host Server) (*Client, error) {
	callReader, callWriter := io.Pipe()
	replyReader, replyWriter := io.Pipe()
	c := &Client{in: callWriter, out: bufio.NewReader(replyReader), done: make(chan error, 1)}
	go func() {
		err := host.ServeOn(callReader, replyWriter)
		callReader.CloseWithError(io.ErrClosedPipe)
		replyWriter.CloseWithError(io.EOF)
		c.done <- err
	}()
	if _, err := io.WriteString(c.in, `{"call":"hello","protocol":1,"encoding":"msgpack"}`+"\n"); err != nil {
		return nil, err
	}
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(line, &c.Welcome); err != nil {
		return nil, err
	}
	if c.Welcome.Error != "" {
		return nil, errors.New(c.Welcome.Error)
	}
	return c, nil
}

// Call makes a call. Its fields are those of the protocol; the client adds seq. A crash has no reply.
func (c *Client) Call(call string, fields map[string]any) (*Reply, error) {
	c.seq++
	frame := map[string]any{"call": call, "seq": c.seq}
	for name, value := range fields {
		frame[name] = value
	}
	packed, err := shakedown.Marshal(frame)
	if err != nil {
		return nil, err
	}
	if _, err := c.in.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(packed))), packed...)); err != nil {
		return nil, err
	}
	if call == "crash" {
		return nil, nil
	}
	packed, err = c.ReadFrame()
	if err != nil {
		return nil, err
	}
	reply := &Reply{}
	if err := shakedown.Unmarshal(packed, reply); err != nil {
		return nil, err
	}
	if reply.Seq != c.seq {
		return nil, fmt.Errorf("reply %d to call %d", reply.Seq, c.seq)
	}
	return reply, nil
}

// ReadFrame reads a frame that the host writes.
func (c *Client) ReadFrame() ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(c.out, length[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, binary.BigEndian.Uint32(length[:]))
	_, err := io.ReadFull(c.out, frame)
	return frame, err
}

// Close ends the host's input and gives the error with which it ends.
func (c *Client) Close() error {
	if err := c.in.Close(); err != nil {
		return err
	}
	return <-c.done
}
