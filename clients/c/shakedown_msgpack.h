/* Values in MessagePack, written into a buffer and read out of one. Part of Shakedown's C interface; needs nothing else.
 *
 * A writer takes memory of the caller; what does not fit is counted but not written, and shakedown_written then gives no value.
 * A reader never reads beyond its bytes. After a mistake it stands at its end, and every further read fails.
 */
#ifndef SHAKEDOWN_MSGPACK_H
#define SHAKEDOWN_MSGPACK_H

#include <stdbool.h>
#include <string.h>

#include "shakedown.h"

/* How deep values may be nested. */
#define SHAKEDOWN_DEPTH_MAX 128

/* Writing */

typedef struct shakedown_writer {
  uint8_t *data;
  size_t room;
  size_t length;
} shakedown_writer;

static inline shakedown_writer shakedown_write_into(void *memory, size_t room) {
  shakedown_writer writer = {(uint8_t *)memory, room, 0};
  return writer;
}

static inline void shakedown_put_bytes_(shakedown_writer *writer, const void *bytes, size_t length) {
  if (length > 0 && writer->length <= writer->room && length <= writer->room - writer->length) {
    memcpy(writer->data + writer->length, bytes, length);
  }
  writer->length += length;
}

/* A marker and a number after it, the most significant byte first. */
static inline void shakedown_put_head_(shakedown_writer *writer, uint8_t marker, uint64_t number, int bytes) {
  uint8_t head[9];
  head[0] = marker;
  for (int i = 0; i < bytes; i++) {
    head[1 + i] = (uint8_t)(number >> (8 * (bytes - 1 - i)));
  }
  shakedown_put_bytes_(writer, head, 1 + (size_t)bytes);
}

static inline void shakedown_put_null(shakedown_writer *writer) { shakedown_put_head_(writer, 0xc0, 0, 0); }

static inline void shakedown_put_bool(shakedown_writer *writer, bool truth) {
  shakedown_put_head_(writer, truth ? 0xc3 : 0xc2, 0, 0);
}

static inline void shakedown_put_unsigned(shakedown_writer *writer, uint64_t number) {
  if (number < 0x80) {
    shakedown_put_head_(writer, (uint8_t)number, 0, 0);
  } else if (number <= 0xff) {
    shakedown_put_head_(writer, 0xcc, number, 1);
  } else if (number <= 0xffff) {
    shakedown_put_head_(writer, 0xcd, number, 2);
  } else if (number <= 0xffffffff) {
    shakedown_put_head_(writer, 0xce, number, 4);
  } else {
    shakedown_put_head_(writer, 0xcf, number, 8);
  }
}

static inline void shakedown_put_int(shakedown_writer *writer, int64_t number) {
  if (number >= 0) {
    shakedown_put_unsigned(writer, (uint64_t)number);
  } else if (number >= -32) {
    shakedown_put_head_(writer, (uint8_t)number, 0, 0);
  } else if (number >= INT8_MIN) {
    shakedown_put_head_(writer, 0xd0, (uint64_t)number, 1);
  } else if (number >= INT16_MIN) {
    shakedown_put_head_(writer, 0xd1, (uint64_t)number, 2);
  } else if (number >= INT32_MIN) {
    shakedown_put_head_(writer, 0xd2, (uint64_t)number, 4);
  } else {
    shakedown_put_head_(writer, 0xd3, (uint64_t)number, 8);
  }
}

static inline void shakedown_put_float(shakedown_writer *writer, double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  shakedown_put_head_(writer, 0xcb, bits, 8);
}

static inline void shakedown_put_text_of(shakedown_writer *writer, const char *text, size_t length) {
  if (length < 32) {
    shakedown_put_head_(writer, (uint8_t)(0xa0 | length), 0, 0);
  } else if (length <= 0xff) {
    shakedown_put_head_(writer, 0xd9, length, 1);
  } else if (length <= 0xffff) {
    shakedown_put_head_(writer, 0xda, length, 2);
  } else {
    shakedown_put_head_(writer, 0xdb, length, 4);
  }
  shakedown_put_bytes_(writer, text, length);
}

static inline void shakedown_put_text(shakedown_writer *writer, const char *text) {
  shakedown_put_text_of(writer, text, strlen(text));
}

static inline void shakedown_put_bytes(shakedown_writer *writer, const void *bytes, size_t length) {
  if (length <= 0xff) {
    shakedown_put_head_(writer, 0xc4, length, 1);
  } else if (length <= 0xffff) {
    shakedown_put_head_(writer, 0xc5, length, 2);
  } else {
    shakedown_put_head_(writer, 0xc6, length, 4);
  }
  shakedown_put_bytes_(writer, bytes, length);
}

/* A list; its values follow. */
static inline void shakedown_put_list(shakedown_writer *writer, size_t count) {
  if (count < 16) {
    shakedown_put_head_(writer, (uint8_t)(0x90 | count), 0, 0);
  } else if (count <= 0xffff) {
    shakedown_put_head_(writer, 0xdc, count, 2);
  } else {
    shakedown_put_head_(writer, 0xdd, count, 4);
  }
}

/* A map; its keys and values follow in turns. */
static inline void shakedown_put_map(shakedown_writer *writer, size_t count) {
  if (count < 16) {
    shakedown_put_head_(writer, (uint8_t)(0x80 | count), 0, 0);
  } else if (count <= 0xffff) {
    shakedown_put_head_(writer, 0xde, count, 2);
  } else {
    shakedown_put_head_(writer, 0xdf, count, 4);
  }
}

/* What was written; no bytes if there was too little room. */
static inline shakedown_value shakedown_written(const shakedown_writer *writer) {
  shakedown_value value = {writer->data, writer->length <= writer->room ? writer->length : 0};
  return value;
}

/* Reading */

typedef struct shakedown_reader {
  const uint8_t *at;
  const uint8_t *end;
  bool failed;
} shakedown_reader;

typedef enum shakedown_kind {
  SHAKEDOWN_NULL,
  SHAKEDOWN_BOOL,
  SHAKEDOWN_INT,      /* number.signed_ holds it */
  SHAKEDOWN_UNSIGNED, /* too large for a sign: number.unsigned_ */
  SHAKEDOWN_FLOAT,
  SHAKEDOWN_TEXT_KIND,
  SHAKEDOWN_BYTES,
  SHAKEDOWN_LIST, /* length values follow */
  SHAKEDOWN_MAP,  /* length pairs follow */
  SHAKEDOWN_BAD
} shakedown_kind;

/* One value, or the head of a list or a map. */
typedef struct shakedown_item {
  shakedown_kind kind;
  union {
    bool truth;
    int64_t signed_;
    uint64_t unsigned_;
    double floating;
  } number;
  const uint8_t *data; /* of a text or bytes */
  size_t length;
} shakedown_item;

static inline shakedown_reader shakedown_read(shakedown_value value) {
  shakedown_reader reader = {value.data, value.data + value.length, false};
  return reader;
}

static inline shakedown_item shakedown_bad_(shakedown_reader *reader) {
  shakedown_item item = {SHAKEDOWN_BAD, {0}, NULL, 0};
  reader->at = reader->end;
  reader->failed = true;
  return item;
}

static inline bool shakedown_get_number_(shakedown_reader *reader, int bytes, uint64_t *number) {
  if (reader->end - reader->at < bytes) {
    return false;
  }
  *number = 0;
  for (int i = 0; i < bytes; i++) {
    *number = *number << 8 | *reader->at++;
  }
  return true;
}

/* Whether the bytes are a text in UTF-8. */
static inline bool shakedown_is_utf8_(const uint8_t *at, size_t length) {
  const uint8_t *end = at + length;
  while (at < end) {
    uint8_t first = *at++;
    if (first < 0x80) {
      continue;
    }
    int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4 || end - at < more) {
      return false;
    }
    /* The second byte is narrower after some first ones: no longer forms, no surrogates, nothing beyond U+10FFFF. */
    uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (*at < low || *at > high) {
      return false;
    }
    for (at++; --more > 0; at++) {
      if ((*at & 0xc0) != 0x80) {
        return false;
      }
    }
  }
  return true;
}

static inline shakedown_item shakedown_int_item_(int64_t number) {
  shakedown_item item = {SHAKEDOWN_INT, {0}, NULL, 0};
  item.number.signed_ = number;
  return item;
}

/* The next value, or the head of the next list or map. */
static inline shakedown_item shakedown_next(shakedown_reader *reader) {
  shakedown_item item = {SHAKEDOWN_NULL, {0}, NULL, 0};
  uint64_t number = 0;
  if (reader->failed || reader->at == reader->end) {
    return shakedown_bad_(reader);
  }
  uint8_t marker = *reader->at++;
  if (marker < 0x80) {
    return shakedown_int_item_(marker);
  }
  if (marker >= 0xe0) {
    return shakedown_int_item_((int8_t)marker);
  }
  if (marker < 0xc0) {
    item.kind = marker < 0x90 ? SHAKEDOWN_MAP : marker < 0xa0 ? SHAKEDOWN_LIST : SHAKEDOWN_TEXT_KIND;
    number = marker & (marker < 0xa0 ? 0x0f : 0x1f);
  } else {
    int size = 0;
    switch (marker) {
      case 0xc0: return item;
      case 0xc2: case 0xc3:
        item.kind = SHAKEDOWN_BOOL;
        item.number.truth = marker == 0xc3;
        return item;
      case 0xc4: case 0xc5: case 0xc6: item.kind = SHAKEDOWN_BYTES; size = 1 << (marker - 0xc4); break;
      case 0xca: case 0xcb: item.kind = SHAKEDOWN_FLOAT; size = marker == 0xca ? 4 : 8; break;
      case 0xcc: case 0xcd: case 0xce: case 0xcf: item.kind = SHAKEDOWN_UNSIGNED; size = 1 << (marker - 0xcc); break;
      case 0xd0: case 0xd1: case 0xd2: case 0xd3: item.kind = SHAKEDOWN_INT; size = 1 << (marker - 0xd0); break;
      case 0xd9: case 0xda: case 0xdb: item.kind = SHAKEDOWN_TEXT_KIND; size = 1 << (marker - 0xd9); break;
      case 0xdc: case 0xdd: item.kind = SHAKEDOWN_LIST; size = marker == 0xdc ? 2 : 4; break;
      case 0xde: case 0xdf: item.kind = SHAKEDOWN_MAP; size = marker == 0xde ? 2 : 4; break;
      default: return shakedown_bad_(reader);
    }
    if (!shakedown_get_number_(reader, size, &number)) {
      return shakedown_bad_(reader);
    }
    switch (item.kind) {
      case SHAKEDOWN_INT: {
        int unused = 64 - 8 * size;
        return shakedown_int_item_((int64_t)(number << unused) >> unused);
      }
      case SHAKEDOWN_UNSIGNED:
        if (number <= INT64_MAX) {
          return shakedown_int_item_((int64_t)number);
        }
        item.number.unsigned_ = number;
        return item;
      case SHAKEDOWN_FLOAT:
        if (size == 8) {
          memcpy(&item.number.floating, &number, sizeof number);
        } else {
          uint32_t bits = (uint32_t)number;
          float single;
          memcpy(&single, &bits, sizeof single);
          item.number.floating = single;
        }
        return item;
      default: break;
    }
  }
  item.length = (size_t)number;
  if (item.kind == SHAKEDOWN_TEXT_KIND || item.kind == SHAKEDOWN_BYTES) {
    if ((uint64_t)(reader->end - reader->at) < number) {
      return shakedown_bad_(reader);
    }
    item.data = reader->at;
    reader->at += number;
    if (item.kind == SHAKEDOWN_TEXT_KIND && !shakedown_is_utf8_(item.data, item.length)) {
      return shakedown_bad_(reader);
    }
  } else if ((uint64_t)(reader->end - reader->at) < number) {
    /* Every value has at least one byte. */
    return shakedown_bad_(reader);
  }
  return item;
}

/* The bytes of the next value, whole, and the reader after it; no bytes if there is none. */
static inline shakedown_value shakedown_skip(shakedown_reader *reader) {
  shakedown_value value = {reader->at, 0};
  size_t left[SHAKEDOWN_DEPTH_MAX + 1];
  bool is_map[SHAKEDOWN_DEPTH_MAX + 1];
  int depth = 0;
  left[0] = 1;
  is_map[0] = false;
  while (true) {
    while (left[depth] == 0) {
      if (depth == 0) {
        value.length = (size_t)(reader->at - value.data);
        return value;
      }
      depth--;
    }
    bool is_key = is_map[depth] && left[depth] % 2 == 0;
    left[depth]--;
    shakedown_item item = shakedown_next(reader);
    if (item.kind == SHAKEDOWN_BAD || (is_key && item.kind != SHAKEDOWN_TEXT_KIND)) {
      shakedown_bad_(reader);
      return value;
    }
    if (item.kind == SHAKEDOWN_LIST || item.kind == SHAKEDOWN_MAP) {
      if (depth == SHAKEDOWN_DEPTH_MAX) {
        shakedown_bad_(reader);
        return value;
      }
      depth++;
      is_map[depth] = item.kind == SHAKEDOWN_MAP;
      left[depth] = item.kind == SHAKEDOWN_MAP ? 2 * item.length : item.length;
    }
  }
}

/* The field of a map; no bytes if it is no map or has no such field. */
static inline shakedown_value shakedown_field(shakedown_value map, const char *name) {
  shakedown_value nothing = {NULL, 0};
  shakedown_reader reader = shakedown_read(map);
  shakedown_item head = shakedown_next(&reader);
  size_t length = strlen(name);
  for (size_t i = 0; head.kind == SHAKEDOWN_MAP && i < head.length; i++) {
    shakedown_item key = shakedown_next(&reader);
    shakedown_value value = shakedown_skip(&reader);
    if (reader.failed) {
      return nothing;
    }
    if (key.kind == SHAKEDOWN_TEXT_KIND && key.length == length && memcmp(key.data, name, length) == 0) {
      return value;
    }
  }
  return nothing;
}

/* The value as a number that is not negative; false if it is something else. */
static inline bool shakedown_unsigned(shakedown_value value, uint64_t *number) {
  shakedown_reader reader = shakedown_read(value);
  shakedown_item item = shakedown_next(&reader);
  if (item.kind == SHAKEDOWN_INT && item.number.signed_ >= 0) {
    *number = (uint64_t)item.number.signed_;
    return true;
  }
  if (item.kind == SHAKEDOWN_UNSIGNED) {
    *number = item.number.unsigned_;
    return true;
  }
  return false;
}

/* Whether the value is this text. */
static inline bool shakedown_is_text(shakedown_value value, const char *text) {
  shakedown_reader reader = shakedown_read(value);
  shakedown_item item = shakedown_next(&reader);
  return item.kind == SHAKEDOWN_TEXT_KIND && item.length == strlen(text) && memcmp(item.data, text, item.length) == 0;
}

#endif
