package shakedown

import (
	"fmt"
	"strconv"
)

// call is a call as it was read. Its slices are parts of the frame.
type call struct {
	name                   []byte
	seq, node, now         uint64
	id, nodes, life        uint64
	from, peer             uint64
	kind, timer, seed      []byte
	message, request       []byte
	options, disk          []byte
	isText, hasSeq, hasOne bool
}

// parse reads a call. Fields that it does not know are ignored.
func (c *call) parse(frame []byte, isText bool) error {
	*c = call{isText: isText}
	r := reader{data: frame}
	pairs, err := r.pairs()
	if err != nil {
		return err
	}
	for range pairs {
		key, err := r.text()
		if err != nil {
			return err
		}
		if err := c.field(key, &r); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	if r.left() > 0 {
		return fmt.Errorf("%d bytes follow the call", r.left())
	}
	if c.name == nil {
		return fmt.Errorf("the field call is missing")
	}
	if !c.hasOne || !c.hasSeq && string(c.name) != "crash" {
		return fmt.Errorf("%s: the field node or seq is missing", c.name)
	}
	return nil
}

func (c *call) field(key []byte, r *reader) (err error) {
	switch string(key) {
	case "call":
		c.name, err = r.text()
	case "seq":
		c.seq, err = r.uint()
		c.hasSeq = true
	case "node":
		c.node, err = r.uint()
		c.hasOne = true
	case "now":
		c.now, err = r.uint()
	case "id":
		c.id, err = r.uint()
	case "nodes":
		c.nodes, err = r.uint()
	case "life":
		c.life, err = r.uint()
	case "from":
		c.from, err = r.uint()
	case "peer":
		c.peer, err = r.uint()
	case "kind":
		c.kind, err = r.text()
	case "timer":
		c.timer, err = r.text()
	case "seed":
		c.seed, err = r.text()
	case "message":
		c.message, err = r.value()
	case "request":
		c.request, err = r.value()
	case "options":
		c.options, err = r.value()
	case "disk":
		c.disk, err = r.value()
	default:
		err = r.skip(1)
	}
	return err
}

const seedDigits = 16

func (c *call) parseSeed() (uint64, error) {
	if len(c.seed) != seedDigits {
		return 0, fmt.Errorf("seed: it has %d digits, not %d", len(c.seed), seedDigits)
	}
	seed, err := strconv.ParseUint(string(c.seed), 16, 64)
	if err != nil {
		return 0, fmt.Errorf("seed: %q is not hexadecimal", c.seed)
	}
	return seed, nil
}

func (c *call) parseOptions() (map[string]string, error) {
	options := map[string]string{}
	if c.options == nil {
		return options, nil
	}
	r := reader{data: c.options}
	pairs, err := r.pairs()
	if err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	for range pairs {
		key, err := r.text()
		if err != nil {
			return nil, fmt.Errorf("options: %w", err)
		}
		value, err := r.text()
		if err != nil {
			return nil, fmt.Errorf("options: %s: %w", key, err)
		}
		options[string(key)] = string(value)
	}
	return options, nil
}

func (c *call) parseDisk() (*Disk, error) {
	disk := &Disk{map[string]Raw{}}
	if c.disk == nil {
		return disk, nil
	}
	r := reader{data: c.disk}
	pairs, err := r.pairs()
	if err != nil {
		return nil, fmt.Errorf("disk: %w", err)
	}
	for range pairs {
		key, err := r.text()
		if err != nil {
			return nil, fmt.Errorf("disk: %w", err)
		}
		value, err := r.value()
		if err != nil {
			return nil, fmt.Errorf("disk: %s: %w", key, err)
		}
		disk.values[string(key)] = Raw{value, c.isText}
	}
	return disk, nil
}
