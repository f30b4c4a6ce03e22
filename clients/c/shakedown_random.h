/* The generator that all libraries of the node protocol offer: xoshiro256++ from SplitMix64, and Lemire's method for a bound.
 * One seed means the same numbers in all of them. Part of Shakedown's C interface; needs nothing else.
 */
#ifndef SHAKEDOWN_RANDOM_H
#define SHAKEDOWN_RANDOM_H

#include <stdint.h>

typedef struct shakedown_random {
  uint64_t words[4];
} shakedown_random;

static inline shakedown_random shakedown_random_from(uint64_t seed) {
  shakedown_random random;
  for (int i = 0; i < 4; i++) {
    seed += 0x9e3779b97f4a7c15u;
    uint64_t mixed = seed;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    random.words[i] = mixed ^ (mixed >> 31);
  }
  return random;
}

static inline uint64_t shakedown_rotate_(uint64_t word, int by) { return word << by | word >> (64 - by); }

/* The next 64 bits. */
static inline uint64_t shakedown_draw(shakedown_random *random) {
  uint64_t *words = random->words;
  uint64_t drawn = shakedown_rotate_(words[0] + words[3], 23) + words[0];
  uint64_t shifted = words[1] << 17;
  words[2] ^= words[0];
  words[3] ^= words[1];
  words[1] ^= words[2];
  words[0] ^= words[3];
  words[2] ^= shifted;
  words[3] = shakedown_rotate_(words[3], 45);
  return drawn;
}

/* The high and the low 64 bits of a product. */
static inline uint64_t shakedown_multiply_(uint64_t a, uint64_t b, uint64_t *low) {
  uint64_t a_low = a & 0xffffffff, a_high = a >> 32, b_low = b & 0xffffffff, b_high = b >> 32;
  uint64_t low_low = a_low * b_low, high_low = a_high * b_low, low_high = a_low * b_high;
  uint64_t middle = (low_low >> 32) + (high_low & 0xffffffff) + low_high;
  *low = middle << 32 | (low_low & 0xffffffff);
  return a_high * b_high + (high_low >> 32) + (middle >> 32);
}

/* A number below the bound, which is at least 1. */
static inline uint64_t shakedown_below(shakedown_random *random, uint64_t bound) {
  uint64_t low;
  uint64_t high = shakedown_multiply_(shakedown_draw(random), bound, &low);
  uint64_t threshold = (0 - bound) % bound;
  while (low < threshold) {
    high = shakedown_multiply_(shakedown_draw(random), bound, &low);
  }
  return high;
}

#endif
