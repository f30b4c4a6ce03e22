/* A replicated register as nodes in a shared library. Put your own protocol in its place.
 *
 * Node 1 is the primary, the others are backups. Nodes share nothing: Shakedown calls nodes of different clusters on different threads.
 */
#include <stdlib.h>

#include <shakedown.h>
#include <shakedown_msgpack.h>

#define PRIMARY 1
#define VALUE_ROOM 64

static const shakedown_actions *actions;

/* One node. */
typedef struct server {
  uint32_t id, nodes;
  uint64_t version, value;
} server;

static void *boot(shakedown_env *env, const shakedown_boot *boot) {
  server *self = calloc(1, sizeof *self);
  if (self == NULL) {
    SHAKEDOWN_FAIL(actions, env, "there is no memory left");
    return NULL;
  }
  self->id = boot->id;
  self->nodes = boot->nodes;
  return self;
}

static void end(void *node) { free(node); }

/* The version and the value: a message of the primary, and what can be observed of a node. */
static void put_both(shakedown_writer *writer, const server *self) {
  shakedown_put_map(writer, 2);
  shakedown_put_text(writer, "version");
  shakedown_put_unsigned(writer, self->version);
  shakedown_put_text(writer, "value");
  shakedown_put_unsigned(writer, self->value);
}

/* Takes a write: the request is the value, the answer its version. */
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
  uint8_t room[VALUE_ROOM];
  shakedown_writer message = shakedown_write_into(room, sizeof room);
  put_both(&message, self);
  for (uint32_t to = 1; to <= self->nodes; to++) {
    if (to != self->id) {
      actions->send(env, to, "Replicate", shakedown_written(&message), NULL);
    }
  }
  uint8_t answer_room[VALUE_ROOM];
  shakedown_writer answer = shakedown_write_into(answer_room, sizeof answer_room);
  shakedown_put_unsigned(&answer, self->version);
  actions->answer(env, id, shakedown_written(&answer));
}

/* Takes a message at a backup. An old one must not overwrite a newer value: take the condition away, and Shakedown finds out. */
static void receive(void *node, shakedown_env *env, uint32_t from, const char *kind, shakedown_value message) {
  server *self = node;
  (void)from, (void)kind;
  uint64_t version, value;
  if (!shakedown_unsigned(shakedown_field(message, "version"), &version) ||
      !shakedown_unsigned(shakedown_field(message, "value"), &value)) {
    SHAKEDOWN_FAIL(actions, env, "a message has no version or no value");
    return;
  }
  if (version > self->version) {
    self->version = version;
    self->value = value;
  }
}

/* Shows what the properties are about. */
static void observe(const void *node, shakedown_env *env) {
  uint8_t room[VALUE_ROOM];
  shakedown_writer state = shakedown_write_into(room, sizeof room);
  put_both(&state, node);
  actions->show(env, shakedown_written(&state));
}

const shakedown_type *shakedown_node_type(const shakedown_actions *given) {
  static const shakedown_type type = {
      .abi = SHAKEDOWN_ABI,
      .name = "NAME",
      .version = "NAME 1.0",
      .kinds = "Replicate",
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
