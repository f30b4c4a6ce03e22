package shakedown

import "math/bits"

// Random is a seeded source of random numbers: xoshiro256++. One seed gives the same numbers in every library.
type Random struct {
	s [4]uint64
}

// NewRandom gives the source that a seed stands for.
func NewRandom(seed uint64) *Random {
	r := &Random{}
	for i := range r.s {
		// SplitMix64.
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		r.s[i] = z ^ z>>31
	}
	return r
}

// Uint64 draws 64 random bits.
func (r *Random) Uint64() uint64 {
	s := &r.s
	result := bits.RotateLeft64(s[0]+s[3], 23) + s[0]
	t := s[1] << 17
	s[2] ^= s[0]
	s[3] ^= s[1]
	s[1] ^= s[2]
	s[0] ^= s[3]
	s[2] ^= t
	s[3] = bits.RotateLeft64(s[3], 45)
	return result
}

// Below draws a uniformly random number below the bound. It panics if the bound is 0.
func (r *Random) Below(bound uint64) uint64 {
	if bound == 0 {
		panic("shakedown: there is no number below 0")
	}
	// Lemire's method. The division is needed rarely if the bound is small.
	high, low := bits.Mul64(r.Uint64(), bound)
	if low < bound {
		threshold := -bound % bound
		for low < threshold {
			high, low = bits.Mul64(r.Uint64(), bound)
		}
	}
	return high
}

// Index draws a uniformly random place in something of this length. It panics if the length is not above 0.
func (r *Random) Index(length int) int {
	if length <= 0 {
		panic("shakedown: there is no place in something that is empty")
	}
	return int(r.Below(uint64(length)))
}

// Unit draws a uniformly random number from 0 to 1, without 1.
func (r *Random) Unit() float64 {
	return float64(r.Uint64()>>11) / (1 << 53)
}

// Chance draws true with this probability.
func (r *Random) Chance(probability float64) bool {
	return r.Unit() < probability
}

// Shuffle puts n items into a uniformly random order.
func (r *Random) Shuffle(n int, swap func(i, j int)) {
	for last := n - 1; last > 0; last-- {
		swap(last, r.Index(last+1))
	}
}
