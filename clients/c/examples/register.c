/* The replicated register of the book, as nodes in a shared library.
 *
 * Node 1 is the primary, the others are backups. The primary gives every write a version and sends it to the backups; when all of them
 * have acknowledged, the client gets the version as its answer. Messages may overtake each other on the network, and then a backup goes
 * back to an older version. With the option versions=true it does not.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../shakedown.h"
#include "../shakedown_msgpack.h"

/* Whether every message has a few words for diagrams. They are made for each message, drawn or not. */
#ifndef TEXTS
#define TEXTS 1
#endif
#define PRIMARY 1
#define VALUE_ROOM 64

static const shakedown_actions *actions;

/* A write that not all backups hold yet. */
typedef struct pending {
  uint64_t version, client;
  uint32_t acks;
} pending;

typedef struct server {
  uint32_t id, nodes;
  bool looks_at_versions;
  uint64_t version, value;
  pending *pending;
  size_t pending_count, pending_room;
} server;

static void *boot(shakedown_env *env, const shakedown_boot *boot) {
  server *self = calloc(1, sizeof *self);
  if (self == NULL) {
    SHAKEDOWN_FAIL(actions, env, "there is no memory left");
    return NULL;
  }
  self->id = boot->id;
  self->nodes = boot->nodes;
  self->looks_at_versions = shakedown_is_text(shakedown_field(boot->options, "versions"), "true");
  return self;
}

static void end(void *node) {
  server *self = node;
  free(self->pending);
  free(self);
}

static bool remember(server *self, uint64_t client) {
  if (self->pending_count == self->pending_room) {
    size_t room = self->pending_room == 0 ? 8 : 2 * self->pending_room;
    pending *grown = realloc(self->pending, room * sizeof *grown);
    if (grown == NULL) {
      return false;
    }
    self->pending = grown;
    self->pending_room = room;
  }
  self->pending[self->pending_count++] = (pending){self->version, client, 0};
  return true;
}

/* A client writes: the request is the value. */
static void request(void *node, shakedown_env *env, uint64_t id, shakedown_value request) {
  server *self = node;
  uint64_t value;
  if (!shakedown_unsigned(request, &value)) {
    SHAKEDOWN_FAIL(actions, env, "a request is no number");
    return;
  }
  if (self->id != PRIMARY) {
    return;
  }
  self->version++;
  self->value = value;
  if (!remember(self, id)) {
    SHAKEDOWN_FAIL(actions, env, "there is no memory left");
    return;
  }
  uint8_t room[VALUE_ROOM];
  shakedown_writer writer = shakedown_write_into(room, sizeof room);
  shakedown_put_map(&writer, 2);
  shakedown_put_text(&writer, "version");
  shakedown_put_unsigned(&writer, self->version);
  shakedown_put_text(&writer, "value");
  shakedown_put_unsigned(&writer, value);
  char text[VALUE_ROOM];
  if (TEXTS) snprintf(text, sizeof text, "version %llu is %llu", (unsigned long long)self->version, (unsigned long long)value);
  for (uint32_t to = 1; to <= self->nodes; to++) {
    if (to != PRIMARY) {
      actions->send(env, to, "Replicate", shakedown_written(&writer), TEXTS ? text : NULL);
    }
  }
}

/* A backup gets a value of the primary. */
static void replicate(server *self, shakedown_env *env, uint32_t from, uint64_t version, uint64_t value) {
  if (!self->looks_at_versions || version > self->version) {
    self->version = version;
    self->value = value;
  }
  uint8_t room[VALUE_ROOM];
  shakedown_writer writer = shakedown_write_into(room, sizeof room);
  shakedown_put_map(&writer, 1);
  shakedown_put_text(&writer, "version");
  shakedown_put_unsigned(&writer, version);
  char text[VALUE_ROOM];
  if (TEXTS) snprintf(text, sizeof text, "version %llu", (unsigned long long)version);
  actions->send(env, from, "Ack", shakedown_written(&writer), TEXTS ? text : NULL);
}

/* The primary learns that a backup holds a version. */
static void acknowledged(server *self, shakedown_env *env, uint64_t version) {
  size_t kept = 0;
  for (size_t i = 0; i < self->pending_count; i++) {
    pending write = self->pending[i];
    write.acks += write.version == version;
    if (write.acks < self->nodes - 1) {
      self->pending[kept++] = write;
    } else {
      uint8_t room[VALUE_ROOM];
      shakedown_writer writer = shakedown_write_into(room, sizeof room);
      shakedown_put_unsigned(&writer, version);
      actions->answer(env, write.client, shakedown_written(&writer));
    }
  }
  self->pending_count = kept;
}

static void receive(void *node, shakedown_env *env, uint32_t from, const char *kind, shakedown_value message) {
  uint64_t version, value;
  if (!shakedown_unsigned(shakedown_field(message, "version"), &version)) {
    SHAKEDOWN_FAIL(actions, env, "a message has no version");
  } else if (strcmp(kind, "Ack") == 0) {
    acknowledged(node, env, version);
  } else if (shakedown_unsigned(shakedown_field(message, "value"), &value)) {
    replicate(node, env, from, version, value);
  } else {
    SHAKEDOWN_FAIL(actions, env, "a message has no value");
  }
}

static void observe(const void *node, shakedown_env *env) {
  const server *self = node;
  uint8_t room[VALUE_ROOM];
  shakedown_writer writer = shakedown_write_into(room, sizeof room);
  shakedown_put_map(&writer, 2);
  shakedown_put_text(&writer, "version");
  shakedown_put_unsigned(&writer, self->version);
  shakedown_put_text(&writer, "value");
  shakedown_put_unsigned(&writer, self->value);
  actions->show(env, shakedown_written(&writer));
}

const shakedown_type *shakedown_node_type(const shakedown_actions *given) {
  static const shakedown_type type = {
      .abi = SHAKEDOWN_ABI,
      .name = "register",
      .version = "register 1.0",
      .kinds = "Replicate Ack",
      .boot = boot,
      .receive = receive,
      .observe = observe,
      .end = end,
      .request = request,
  };
  if (given->abi != SHAKEDOWN_ABI) {
    return NULL;
  }
  actions = given;
  return &type;
}
