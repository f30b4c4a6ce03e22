/* libraft (Canonical's raft in C, Debian's libraft-dev) under Shakedown's C interface.
 *
 * libraft has no step interface, but everything that a server sees of the world goes through struct raft_io:
 *
 *   its clock      time() is the number of ticks times the interval that libraft asks for
 *   its randomness random() draws from the seed of the node's life
 *   its network    send() becomes a message; what arrives goes to the callback that libraft gave
 *   its disk       load(), set_term(), set_vote(), append(), truncate(), snapshots: what is written is durable at once
 *   its event loop there is none: what libraft waits for is finished, in order, before a call returns; with slow_disk=1 what it waits
 *                  for of its disk is finished one by one when a timer goes off
 *
 * It starts no thread and no loop of libuv. The state machine is a list of numbers. Requests are numbers to be appended; the answer is
 * the place in the list.
 */
#include "node.h"

#include <stdio.h>

const shakedown_actions *actions;
const char *const addresses[NODES_MAX] = {"1", "2", "3", "4", "5", "6", "7", "8", "9"};

void failed(node *self, const char *what, int code) {
  char text[512];
  snprintf(text, sizeof text, "%s: %s%s%s", what, raft_strerror(code), self->raft.errmsg[0] ? ": " : "", self->raft.errmsg);
  if (self->env != NULL) {
    actions->fail(self->env, text, "libraft");
  }
}

/* The state machine. */

static int fsm_apply(struct raft_fsm *fsm, const struct raft_buffer *buf, void **result) {
  node *self = fsm->data;
  if (buf->len != sizeof(uint64_t)) {
    return RAFT_MALFORMED;
  }
  if (self->applied_count == self->applied_room) {
    size_t room = self->applied_room == 0 ? 16 : 2 * self->applied_room;
    uint64_t *grown = realloc(self->applied, room * sizeof *grown);
    if (grown == NULL) {
      return RAFT_NOMEM;
    }
    self->applied = grown;
    self->applied_room = room;
  }
  memcpy(&self->applied[self->applied_count++], buf->base, sizeof(uint64_t));
  *result = (void *)(uintptr_t)self->applied_count;
  return 0;
}

static int fsm_snapshot(struct raft_fsm *fsm, struct raft_buffer *bufs[], unsigned *n_bufs) {
  node *self = fsm->data;
  *bufs = raft_malloc(sizeof **bufs);
  if (*bufs == NULL) {
    return RAFT_NOMEM;
  }
  *n_bufs = 1;
  (*bufs)[0].len = self->applied_count * sizeof(uint64_t);
  (*bufs)[0].base = copy_bytes(self->applied, (*bufs)[0].len);
  return (*bufs)[0].base == NULL ? RAFT_NOMEM : 0;
}

/* libraft hands the buffer over. */
static int fsm_restore(struct raft_fsm *fsm, struct raft_buffer *buf) {
  node *self = fsm->data;
  size_t count = buf->len / sizeof(uint64_t);
  uint64_t *restored = malloc(buf->len + 1);
  if (restored == NULL) {
    return RAFT_NOMEM;
  }
  memcpy(restored, buf->base, buf->len);
  free(self->applied);
  self->applied = restored;
  self->applied_count = self->applied_room = count;
  raft_free(buf->base);
  return 0;
}

/* Options */

static unsigned option(const shakedown_boot *boot, const char *name, unsigned otherwise) {
  shakedown_value text = shakedown_field(boot->options, name);
  shakedown_reader reader = shakedown_read(text);
  shakedown_item item = shakedown_next(&reader);
  unsigned number = 0;
  if (item.kind != SHAKEDOWN_TEXT_KIND || item.length == 0 || item.length > 9) {
    return otherwise;
  }
  for (size_t i = 0; i < item.length; i++) {
    if (item.data[i] < '0' || item.data[i] > '9') {
      return otherwise;
    }
    number = 10 * number + (item.data[i] - '0');
  }
  return number;
}

static int bootstrap(node *self) {
  struct raft_configuration configuration;
  raft_configuration_init(&configuration);
  int code = 0;
  for (uint32_t id = 1; code == 0 && id <= self->nodes; id++) {
    code = raft_configuration_add(&configuration, id, addresses[id - 1], RAFT_VOTER);
  }
  if (code == 0) {
    code = raft_bootstrap(&self->raft, &configuration);
  }
  raft_configuration_close(&configuration);
  return code;
}

/* The calls */

static void end(void *node_);

static void *boot(shakedown_env *env, const shakedown_boot *boot) {
  if (boot->nodes > NODES_MAX) {
    actions->fail(env, "there are more nodes than this adapter knows", "node.c");
    return NULL;
  }
  node *self = calloc(1, sizeof *self);
  if (self == NULL) {
    actions->fail(env, "there is no memory left", "node.c");
    return NULL;
  }
  self->env = env;
  self->id = boot->id;
  self->nodes = boot->nodes;
  self->random = shakedown_random_from(boot->seed);
  self->fsm = (struct raft_fsm){.version = 1, .data = self, .apply = fsm_apply, .snapshot = fsm_snapshot, .restore = fsm_restore};
  self->has_slow_disk = option(boot, "slow_disk", 0) != 0;
  io_init(self);
  if (!disk_load(self, boot->disk)) {
    actions->fail(env, "the disk cannot be read", "node.c");
  }
  bool is_new = self->entry_count == 0 && self->snapshot.index == 0;
  int code = raft_init(&self->raft, &self->io, &self->fsm, self->id, addresses[self->id - 1]);
  if (code != 0) {
    failed(self, "raft_init", code);
    free(self);
    return NULL;
  }
  raft_set_pre_vote(&self->raft, option(boot, "pre_vote", 0) != 0);
  raft_set_election_timeout(&self->raft, option(boot, "election_msecs", 1000));
  raft_set_heartbeat_timeout(&self->raft, option(boot, "heartbeat_msecs", 100));
  raft_set_snapshot_threshold(&self->raft, option(boot, "snapshot_threshold", 1024));
  raft_set_snapshot_trailing(&self->raft, option(boot, "snapshot_trailing", 128));
  if (is_new) {
    code = bootstrap(self);
  }
  if (code == 0) {
    code = raft_start(&self->raft);
  }
  if (code != 0) {
    failed(self, "raft_start", code);
  }
  io_settle(self);
  self->env = NULL;
  return self;
}

static void closed(struct raft *raft) { ((node *)raft->data)->is_closed = true; }

static void end(void *node_) {
  node *self = node_;
  self->env = NULL;
  self->raft.data = self;
  raft_close(&self->raft, closed);
  io_settle(self);
  disk_free(self);
  free(self->applied);
  free(self);
}

static void receive(void *node_, shakedown_env *env, uint32_t from, const char *kind, shakedown_value contents) {
  node *self = node_;
  struct raft_message message;
  self->env = env;
  if (!message_read(self, from, kind, contents, &message)) {
    actions->fail(env, "a message cannot be read", "node.c");
  } else {
    self->recv(&self->io, &message);
    io_settle(self);
  }
  self->env = NULL;
}

static void tick(void *node_, shakedown_env *env) {
  node *self = node_;
  self->env = env;
  self->time += self->tick_msecs;
  self->tick(&self->io);
  io_settle(self);
  self->env = NULL;
}

/* The timer "disk". */
static void fire(void *node_, shakedown_env *env, const char *timer) {
  node *self = node_;
  (void)timer;
  self->env = env;
  io_finish_disk(self);
  self->env = NULL;
}

/* A request that waits for its command to be applied. */
typedef struct waiting {
  struct raft_apply apply;
  node *node;
  uint64_t id;
} waiting;

static void applied(struct raft_apply *apply, int status, void *result) {
  waiting *request = apply->data;
  node *self = request->node;
  /* What was not applied may be applied later, by another leader: there is no answer. */
  if (status == 0 && self->env != NULL) {
    uint8_t room[16];
    shakedown_writer writer = shakedown_write_into(room, sizeof room);
    shakedown_put_unsigned(&writer, (uint64_t)(uintptr_t)result);
    actions->answer(self->env, request->id, shakedown_written(&writer));
  }
  free(request);
}

static void transferred(struct raft_transfer *transfer) { free(transfer); }

static void request(void *node_, shakedown_env *env, uint64_t id, shakedown_value value) {
  node *self = node_;
  uint64_t number;
  self->env = env;
  if (shakedown_is_text(value, "transfer")) {
    struct raft_transfer *transfer = malloc(sizeof *transfer);
    if (transfer != NULL && raft_transfer(&self->raft, transfer, 0, transferred) != 0) {
      free(transfer);
    }
  } else if (!shakedown_unsigned(value, &number)) {
    actions->fail(env, "a request is a number or \"transfer\"", "node.c");
  } else {
    waiting *request = calloc(1, sizeof *request);
    struct raft_buffer buf = {copy_bytes(&number, sizeof number), sizeof number};
    *request = (waiting){.apply.data = request, .node = self, .id = id};
    if (raft_apply(&self->raft, &request->apply, &buf, 1, applied) != 0) {
      raft_free(buf.base);
      free(request);
    }
  }
  io_settle(self);
  self->env = NULL;
}

/* What can be seen */

static const char *role(const struct raft *raft) {
  switch (raft->state) {
    case RAFT_FOLLOWER: return "follower";
    case RAFT_CANDIDATE: return raft->candidate_state.in_pre_vote ? "precandidate" : "candidate";
    case RAFT_LEADER: return "leader";
    default: return "unavailable";
  }
}

static void put_number(shakedown_writer *writer, const char *name, uint64_t number) {
  shakedown_put_text(writer, name);
  shakedown_put_unsigned(writer, number);
}

static void observe(const void *node_, shakedown_env *env) {
  /* The room belongs to the node, and what is in it to no call. */
  node *self = (node *)node_;
  const struct raft *raft = &self->raft;
  shakedown_writer writer = shakedown_write_into(self->room, sizeof self->room);
  shakedown_put_map(&writer, 8);
  shakedown_put_text(&writer, "role");
  shakedown_put_text(&writer, role(raft));
  put_number(&writer, "term", raft->current_term);
  put_number(&writer, "vote", raft->voted_for);
  put_number(&writer, "commit", raft->commit_index);
  put_number(&writer, "last_applied", raft->last_applied);
  put_number(&writer, "offset", raft->log.offset);
  size_t size = raft->log.size, front = raft->log.front;
  size_t count = size == 0 ? 0 : (raft->log.back + size - front) % size;
  shakedown_put_text(&writer, "log");
  shakedown_put_list(&writer, count);
  for (size_t i = 0; i < count; i++) {
    const struct raft_entry *entry = &raft->log.entries[(front + i) % size];
    uint64_t value = 0;
    if (entry->type == RAFT_COMMAND && entry->buf.len == sizeof value) {
      memcpy(&value, entry->buf.base, sizeof value);
    }
    shakedown_put_map(&writer, 3);
    put_number(&writer, "term", entry->term);
    shakedown_put_text(&writer, "type");
    shakedown_put_text(&writer, entry->type == RAFT_COMMAND ? "command" : entry->type == RAFT_CHANGE ? "change" : "barrier");
    put_number(&writer, "value", value);
  }
  shakedown_put_text(&writer, "applied");
  shakedown_put_list(&writer, self->applied_count);
  for (size_t i = 0; i < self->applied_count; i++) {
    shakedown_put_unsigned(&writer, self->applied[i]);
  }
  actions->show(env, shakedown_written(&writer));
}

const shakedown_type *shakedown_node_type(const shakedown_actions *given) {
  static const shakedown_type type = {
      .abi = SHAKEDOWN_ABI,
      .name = "libraft",
      .version = "libraft 0.15.0",
      .kinds = "AppendEntries AppendEntriesResult RequestVote RequestVoteResult InstallSnapshot TimeoutNow",
      .boot = boot,
      .receive = receive,
      .observe = observe,
      .end = end,
      .tick = tick,
      .fire = fire,
      .request = request,
  };
  actions = given;
  return given->abi == SHAKEDOWN_ABI ? &type : NULL;
}
