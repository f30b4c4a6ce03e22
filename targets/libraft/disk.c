/* What survives a crash: term and vote, the log entry by entry, and the last snapshot. A copy is kept in memory, and every change of it
 * is written at once. */
#include <stdio.h>

#include "node.h"

static void write_disk(node *self, shakedown_writer *put, shakedown_writer *remove) {
  if (self->env == NULL) {
    return;
  }
  shakedown_value nothing = {NULL, 0};
  if ((put != NULL && put->length > put->room) || (remove != NULL && remove->length > remove->room)) {
    actions->fail(self->env, "a write is larger than this adapter allows", "disk.c");
    return;
  }
  actions->write(self->env, put == NULL ? nothing : shakedown_written(put), remove == NULL ? nothing : shakedown_written(remove));
}

static void key_of(raft_index index, char key[24]) { snprintf(key, 24, "entry-%012llu", index); }

void disk_write_vote(node *self) {
  shakedown_writer writer = shakedown_write_into(self->room, sizeof self->room);
  shakedown_put_map(&writer, 2);
  shakedown_put_text(&writer, "term");
  shakedown_put_unsigned(&writer, self->term);
  shakedown_put_text(&writer, "vote");
  shakedown_put_unsigned(&writer, self->vote);
  write_disk(self, &writer, NULL);
}

static bool keep(node *self, raft_term term, unsigned short type, const void *data, size_t length) {
  if (self->entry_count == self->entry_room) {
    size_t room = self->entry_room == 0 ? 16 : 2 * self->entry_room;
    stored_entry *grown = realloc(self->entries, room * sizeof *grown);
    if (grown == NULL) {
      return false;
    }
    self->entries = grown;
    self->entry_room = room;
  }
  uint8_t *copy = malloc(length + 1);
  if (copy == NULL) {
    return false;
  }
  memcpy(copy, data, length);
  self->entries[self->entry_count++] = (stored_entry){term, type, copy, length};
  return true;
}

bool disk_append(node *self, const struct raft_entry *entries, unsigned count) {
  shakedown_writer writer = shakedown_write_into(self->room, sizeof self->room);
  shakedown_put_map(&writer, count);
  for (unsigned i = 0; i < count; i++) {
    const struct raft_entry *entry = &entries[i];
    char key[24];
    key_of(self->start + self->entry_count, key);
    if (!keep(self, entry->term, entry->type, entry->buf.base, entry->buf.len)) {
      return false;
    }
    shakedown_put_text(&writer, key);
    shakedown_put_list(&writer, 3);
    shakedown_put_unsigned(&writer, entry->term);
    shakedown_put_unsigned(&writer, entry->type);
    put_data(&writer, entry->buf.base, entry->buf.len);
  }
  write_disk(self, &writer, NULL);
  return true;
}

/* Takes away the entries from a place on, or up to it. */
static void forget(node *self, size_t from, size_t to) {
  shakedown_writer writer = shakedown_write_into(self->room, sizeof self->room);
  shakedown_put_list(&writer, to - from);
  for (size_t i = from; i < to; i++) {
    char key[24];
    key_of(self->start + i, key);
    shakedown_put_text(&writer, key);
    free(self->entries[i].data);
  }
  write_disk(self, NULL, &writer);
  if (self->entry_count > to) {
    memmove(&self->entries[from], &self->entries[to], (self->entry_count - to) * sizeof *self->entries);
  }
  self->entry_count -= to - from;
  if (from == 0) {
    self->start += to;
  }
}

void disk_truncate(node *self, raft_index from) {
  if (from >= self->start && from - self->start < self->entry_count) {
    size_t place = (size_t)(from - self->start), count = self->entry_count;
    raft_index start = self->start;
    forget(self, place, count);
    self->start = start;
  }
}

static void put_snapshot(shakedown_writer *writer, const stored_snapshot *snapshot) {
  shakedown_put_list(writer, 5);
  shakedown_put_unsigned(writer, snapshot->index);
  shakedown_put_unsigned(writer, snapshot->term);
  shakedown_put_unsigned(writer, snapshot->configuration_index);
  shakedown_put_list(writer, snapshot->servers);
  for (unsigned i = 0; i < snapshot->servers; i++) {
    shakedown_put_unsigned(writer, (uint64_t)snapshot->roles[i]);
  }
  put_data(writer, snapshot->data, snapshot->length);
}

bool disk_put_snapshot(node *self, const struct raft_snapshot *snapshot, unsigned trailing) {
  stored_snapshot stored = {.index = snapshot->index, .term = snapshot->term, .configuration_index = snapshot->configuration_index};
  for (unsigned i = 0; i < snapshot->configuration.n; i++) {
    const struct raft_server *server = &snapshot->configuration.servers[i];
    if (server->id == 0 || server->id > NODES_MAX) {
      return false;
    }
    stored.roles[server->id - 1] = server->role;
    stored.servers = server->id > stored.servers ? (unsigned)server->id : stored.servers;
  }
  for (unsigned i = 0; i < snapshot->n_bufs; i++) {
    uint8_t *grown = realloc(stored.data, stored.length + snapshot->bufs[i].len + 1);
    if (grown == NULL) {
      free(stored.data);
      return false;
    }
    memcpy(grown + stored.length, snapshot->bufs[i].base, snapshot->bufs[i].len);
    stored.data = grown;
    stored.length += snapshot->bufs[i].len;
  }
  free(self->snapshot.data);
  self->snapshot = stored;
  shakedown_writer writer = shakedown_write_into(self->room, sizeof self->room);
  shakedown_put_map(&writer, 1);
  shakedown_put_text(&writer, "snapshot");
  put_snapshot(&writer, &stored);
  write_disk(self, &writer, NULL);
  raft_index last = self->start + self->entry_count - 1;
  if (trailing == 0 || last < snapshot->index) {
    /* It came from a leader: what is on disk is of the past. */
    forget(self, 0, self->entry_count);
    self->start = snapshot->index + 1;
  } else if (snapshot->index > trailing && snapshot->index - trailing >= self->start) {
    forget(self, 0, (size_t)(snapshot->index - trailing - self->start + 1));
  }
  return true;
}

struct raft_snapshot *disk_get_snapshot(const node *self) {
  const stored_snapshot *stored = &self->snapshot;
  struct raft_snapshot *snapshot = raft_calloc(1, sizeof *snapshot);
  if (snapshot == NULL) {
    return NULL;
  }
  snapshot->index = stored->index;
  snapshot->term = stored->term;
  snapshot->configuration_index = stored->configuration_index;
  raft_configuration_init(&snapshot->configuration);
  for (unsigned i = 0; i < stored->servers; i++) {
    raft_configuration_add(&snapshot->configuration, i + 1, addresses[i], stored->roles[i]);
  }
  snapshot->bufs = raft_calloc(1, sizeof *snapshot->bufs);
  snapshot->n_bufs = 1;
  snapshot->bufs[0] = (struct raft_buffer){copy_bytes(stored->data, stored->length), stored->length};
  return snapshot;
}

/* Reading */

static bool read_number(shakedown_reader *reader, uint64_t *number) { return shakedown_unsigned(shakedown_skip(reader), number); }

static bool load_snapshot(node *self, shakedown_value value) {
  shakedown_reader reader = shakedown_read(value);
  uint64_t index, term, configuration_index;
  if (shakedown_next(&reader).kind != SHAKEDOWN_LIST || !read_number(&reader, &index) || !read_number(&reader, &term) ||
      !read_number(&reader, &configuration_index)) {
    return false;
  }
  shakedown_item roles = shakedown_next(&reader);
  stored_snapshot stored = {.index = index, .term = term, .configuration_index = configuration_index, .servers = (unsigned)roles.length};
  for (size_t i = 0; i < roles.length; i++) {
    uint64_t role;
    if (i >= NODES_MAX || !read_number(&reader, &role)) {
      return false;
    }
    stored.roles[i] = (int)role;
  }
  stored.data = data_of(shakedown_skip(&reader), &stored.length);
  self->snapshot = stored;
  return stored.data != NULL;
}

static bool load_entry(node *self, raft_index index, shakedown_value value) {
  shakedown_reader reader = shakedown_read(value);
  uint64_t term, type;
  if (shakedown_next(&reader).kind != SHAKEDOWN_LIST || !read_number(&reader, &term) || !read_number(&reader, &type)) {
    return false;
  }
  if (self->entry_count == 0) {
    self->start = index;
  }
  size_t length = 0;
  void *data = data_of(shakedown_skip(&reader), &length);
  /* Keys come in order, and the log has no holes. */
  bool is_good = data != NULL && index == self->start + self->entry_count && keep(self, term, (unsigned short)type, data, length);
  raft_free(data);
  return is_good;
}

bool disk_load(node *self, shakedown_value disk) {
  shakedown_reader reader = shakedown_read(disk);
  shakedown_item head = shakedown_next(&reader);
  bool is_good = head.kind == SHAKEDOWN_MAP;
  for (size_t i = 0; is_good && i < head.length; i++) {
    shakedown_item key = shakedown_next(&reader);
    shakedown_value value = shakedown_skip(&reader);
    char name[24] = {0};
    memcpy(name, key.data, key.length < 23 ? key.length : 23);
    uint64_t number = 0;
    if (strcmp(name, "term") == 0) {
      is_good = shakedown_unsigned(value, &number);
      self->term = number;
    } else if (strcmp(name, "vote") == 0) {
      is_good = shakedown_unsigned(value, &number);
      self->vote = number;
    } else if (strcmp(name, "snapshot") == 0) {
      is_good = load_snapshot(self, value);
    } else if (strncmp(name, "entry-", 6) == 0) {
      is_good = load_entry(self, strtoull(name + 6, NULL, 10), value);
    }
  }
  if (self->entry_count == 0) {
    self->start = self->snapshot.index + 1;
  }
  return is_good && !reader.failed;
}

void disk_free(node *self) {
  for (size_t i = 0; i < self->entry_count; i++) {
    free(self->entries[i].data);
  }
  free(self->entries);
  free(self->snapshot.data);
}
