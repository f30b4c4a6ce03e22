/* The headers, held to the shared vectors (clients/vectors), and writers that run out of room. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../shakedown.h"
#include "../shakedown_msgpack.h"
#include "../shakedown_random.h"

static int checks, failures;

static void check(bool holds, int line, const char *what) {
  checks++;
  if (!holds) {
    failures++;
    fprintf(stderr, "vectors.h:%d: %s\n", line, what);
  }
}

/* The words that vectors.h is written in. */
static uint8_t room[1 << 17];
#define BEGIN(bytes, count)                                             \
  {                                                                     \
    shakedown_value vector = {bytes, count};                            \
    shakedown_writer writer = shakedown_write_into(room, sizeof room);  \
    shakedown_writer *w = &writer;                                      \
    shakedown_reader reader = shakedown_read(vector);                   \
    shakedown_item i;                                                   \
    (void)w;
#define W(write) write;
#define SAME()                                                                                                   \
  check(shakedown_written(w).length == vector.length && memcmp(room, vector.data, vector.length) == 0, __LINE__, \
        "other bytes are written");
#define R(expected, holds)         \
  i = shakedown_next(&reader);     \
  check(i.kind == expected && (holds), __LINE__, "another value is read");
#define END()                                                                      \
  check(!reader.failed && reader.at == reader.end, __LINE__, "bytes are left");    \
  reader = shakedown_read(vector);                                                 \
  check(shakedown_skip(&reader).length == vector.length, __LINE__, "skip differs"); \
  }
/* A value that cannot be read whole, or that something follows. */
#define BAD(bytes, count)                                                                           \
  {                                                                                                 \
    shakedown_value vector = {bytes, count};                                                        \
    shakedown_reader reader = shakedown_read(vector);                                               \
    shakedown_skip(&reader);                                                                        \
    check(count == 0 || reader.failed || reader.at != reader.end, __LINE__, "a bad value is read"); \
  }
static shakedown_random generator;
#define SEED(seed) generator = shakedown_random_from(seed);
#define DRAW(expected) check(shakedown_draw(&generator) == expected, __LINE__, "another draw");
#define BELOW(bound, expected) check(shakedown_below(&generator, bound) == expected, __LINE__, "another number");

#include "vectors.h"

/* A writer never writes beyond its room, and what did not fit is no value. */
static void little_room(void) {
  for (size_t size = 0; size < 20; size++) {
    uint8_t *memory = malloc(size + 1);
    memory[size] = 0xa5;
    shakedown_writer writer = shakedown_write_into(memory, size);
    shakedown_put_map(&writer, 1);
    shakedown_put_text(&writer, "version");
    shakedown_put_unsigned(&writer, UINT64_MAX);
    check(memory[size] == 0xa5, __LINE__, "the writer leaves its room");
    check((shakedown_written(&writer).length > 0) == (size >= 18), __LINE__, "what did not fit counts as written");
    free(memory);
  }
}

int main(void) {
  good();
  also();
  bad();
  random_numbers();
  little_room();
  printf("%d checks, %d failures\n", checks, failures);
  return failures == 0 ? 0 : 1;
}
