// The headers compile as C++ too.
#include "../shakedown.h"
#include "../shakedown_msgpack.h"
#include "../shakedown_random.h"

uint64_t drawn() {
  shakedown_random random = shakedown_random_from(1);
  uint8_t room[16];
  shakedown_writer writer = shakedown_write_into(room, sizeof room);
  shakedown_put_unsigned(&writer, shakedown_below(&random, 10));
  uint64_t number = 0;
  shakedown_unsigned(shakedown_written(&writer), &number);
  return number;
}
