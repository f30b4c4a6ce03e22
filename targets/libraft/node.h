/* A server of libraft as a node of Shakedown: what its files share. */
#ifndef LIBRAFT_NODE_H
#define LIBRAFT_NODE_H

#include <raft.h>
#include <stdlib.h>

#include "shakedown.h"
#include "shakedown_msgpack.h"
#include "shakedown_random.h"

#define NODES_MAX 9
/* The largest value that is sent, written or shown. */
#define ROOM (1 << 18)

/* What libraft has asked for and is waiting for. */
typedef enum pending_kind { SENT, APPENDED, SNAPSHOT_PUT, SNAPSHOT_GET } pending_kind;

typedef struct pending {
  struct pending *next;
  pending_kind kind;
  union {
    struct raft_io_send *send;
    struct raft_io_append *append;
    struct raft_io_snapshot_put *put;
    struct raft_io_snapshot_get *get;
  } request;
} pending;

/* A snapshot on disk. */
typedef struct stored_snapshot {
  raft_index index, configuration_index;
  raft_term term;
  unsigned servers; /* node n has the role roles[n - 1] */
  int roles[NODES_MAX];
  uint8_t *data;
  size_t length;
} stored_snapshot;

/* An entry on disk. */
typedef struct stored_entry {
  raft_term term;
  unsigned short type;
  uint8_t *data;
  size_t length;
} stored_entry;

typedef struct node {
  struct raft raft;
  struct raft_io io;
  struct raft_fsm fsm;
  shakedown_random random;
  shakedown_env *env; /* of the call that is under way; NULL while the node ends */
  uint32_t id, nodes;
  raft_time time;
  unsigned tick_msecs;
  raft_io_tick_cb tick;
  raft_io_recv_cb recv;
  raft_io_close_cb close;
  bool is_closed;
  bool has_slow_disk; /* writes are durable at once, but libraft learns of it by a timer */
  pending *first, *last;
  /* What is on disk. entries[0] has the index start. */
  raft_term term;
  raft_id vote;
  raft_index start;
  stored_entry *entries;
  size_t entry_count, entry_room;
  stored_snapshot snapshot;
  /* What the state machine has applied: command i was the value applied[i]. */
  uint64_t *applied;
  size_t applied_count, applied_room;
  uint8_t room[ROOM];
} node;

extern const shakedown_actions *actions;
extern const char *const addresses[NODES_MAX];

/* Ends the call with a finding. */
void failed(node *self, const char *what, int code);

/* io.c: the clock, the network, the random numbers and the disk of a server. */
void io_init(node *self);
/* Finishes what libraft waits for, in order, until it waits for nothing. */
void io_settle(node *self);
/* Finishes the oldest request of the disk that libraft waits for. */
void io_finish_disk(node *self);

/* disk.c: what survives. */
bool disk_load(node *self, shakedown_value disk);
bool disk_append(node *self, const struct raft_entry *entries, unsigned count);
void disk_truncate(node *self, raft_index from);
void disk_write_vote(node *self);
bool disk_put_snapshot(node *self, const struct raft_snapshot *snapshot, unsigned trailing);
struct raft_snapshot *disk_get_snapshot(const node *self);
void disk_free(node *self);

/* messages.c: messages of libraft as values, and back. */
void message_send(node *self, const struct raft_message *message);
/* The message, which libraft owns from then on; false if the contents are none. */
bool message_read(node *self, uint32_t from, const char *kind, shakedown_value contents, struct raft_message *message);

/* Bytes as a text of hexadecimal digits: bytes themselves do not survive a host that speaks JSON. */
void put_data(shakedown_writer *writer, const void *bytes, size_t length);
/* The bytes of such a text, in memory that libraft may free; NULL if it is none. */
void *data_of(shakedown_value text, size_t *length);

/* Memory that libraft may free, with a copy of these bytes; at least one byte, for libraft takes NULL for a mistake. */
void *copy_bytes(const void *bytes, size_t length);

#endif
