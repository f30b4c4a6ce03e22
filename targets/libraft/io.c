/* struct raft_io: the clock, the network, the random numbers and the disk of a server, all in Shakedown's hands. */
#include "node.h"

static node *node_of(struct raft_io *io) { return io->impl; }

void *copy_bytes(const void *bytes, size_t length) {
  void *copy = raft_malloc(length + 1);
  if (copy != NULL && length > 0) {
    memcpy(copy, bytes, length);
  }
  return copy;
}

void put_data(shakedown_writer *writer, const void *bytes, size_t length) {
  static const char digits[] = "0123456789abcdef";
  char text[4096];
  if (length > sizeof text / 2) {
    /* What does not fit makes the whole value too large, and that is a failure. */
    writer->length = writer->room + 1;
    return;
  }
  for (size_t i = 0; i < length; i++) {
    uint8_t byte = ((const uint8_t *)bytes)[i];
    text[2 * i] = digits[byte >> 4];
    text[2 * i + 1] = digits[byte & 15];
  }
  shakedown_put_text_of(writer, text, 2 * length);
}

static int digit(uint8_t letter) {
  return letter >= '0' && letter <= '9' ? letter - '0' : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

void *data_of(shakedown_value text, size_t *length) {
  shakedown_reader reader = shakedown_read(text);
  shakedown_item item = shakedown_next(&reader);
  if (item.kind != SHAKEDOWN_TEXT_KIND || item.length % 2 != 0) {
    return NULL;
  }
  *length = item.length / 2;
  uint8_t *bytes = raft_malloc(*length + 1);
  for (size_t i = 0; bytes != NULL && i < *length; i++) {
    int high = digit(item.data[2 * i]), low = digit(item.data[2 * i + 1]);
    if (high < 0 || low < 0) {
      raft_free(bytes);
      return NULL;
    }
    bytes[i] = (uint8_t)(high << 4 | low);
  }
  return bytes;
}

static int init(struct raft_io *io, raft_id id, const char *address) {
  (void)io, (void)id, (void)address;
  return 0;
}

/* libraft waits for the callback, which comes when everything else is finished. */
static void close_(struct raft_io *io, raft_io_close_cb cb) { node_of(io)->close = cb; }

static int start(struct raft_io *io, unsigned msecs, raft_io_tick_cb tick, raft_io_recv_cb recv) {
  node *self = node_of(io);
  self->tick_msecs = msecs;
  self->tick = tick;
  self->recv = recv;
  return 0;
}

static int load(struct raft_io *io, raft_term *term, raft_id *voted_for, struct raft_snapshot **snapshot, raft_index *start_index,
                struct raft_entry *entries[], size_t *n_entries) {
  node *self = node_of(io);
  *term = self->term;
  *voted_for = self->vote;
  *snapshot = self->snapshot.index > 0 ? disk_get_snapshot(self) : NULL;
  *start_index = self->start;
  *n_entries = self->entry_count;
  *entries = NULL;
  if (self->entry_count > 0) {
    *entries = raft_calloc(self->entry_count, sizeof **entries);
    for (size_t i = 0; *entries != NULL && i < self->entry_count; i++) {
      const stored_entry *stored = &self->entries[i];
      (*entries)[i] = (struct raft_entry){
          .term = stored->term, .type = stored->type, .buf = {copy_bytes(stored->data, stored->length), stored->length}};
    }
  }
  return self->entry_count > 0 && *entries == NULL ? RAFT_NOMEM : 0;
}

static int bootstrap(struct raft_io *io, const struct raft_configuration *conf) {
  node *self = node_of(io);
  struct raft_entry entry = {.term = 1, .type = RAFT_CHANGE};
  int code = raft_configuration_encode(conf, &entry.buf);
  if (code != 0) {
    return code;
  }
  self->term = 1;
  disk_write_vote(self);
  bool is_written = disk_append(self, &entry, 1);
  raft_free(entry.buf.base);
  return is_written ? 0 : RAFT_IOERR;
}

static int recover(struct raft_io *io, const struct raft_configuration *conf) {
  (void)io, (void)conf;
  return RAFT_INVALID;
}

static int set_term(struct raft_io *io, raft_term term) {
  node *self = node_of(io);
  self->term = term;
  self->vote = 0;
  disk_write_vote(self);
  return 0;
}

static int set_vote(struct raft_io *io, raft_id id) {
  node *self = node_of(io);
  self->vote = id;
  disk_write_vote(self);
  return 0;
}

static int wait_for(node *self, pending waited) {
  pending *made = malloc(sizeof *made);
  if (made == NULL) {
    return RAFT_NOMEM;
  }
  *made = waited;
  made->next = NULL;
  *(self->last == NULL ? &self->first : &self->last->next) = made;
  self->last = made;
  return 0;
}

static int send_(struct raft_io *io, struct raft_io_send *req, const struct raft_message *message, raft_io_send_cb cb) {
  node *self = node_of(io);
  req->cb = cb;
  message_send(self, message);
  return wait_for(self, (pending){.kind = SENT, .request.send = req});
}

static int append(struct raft_io *io, struct raft_io_append *req, const struct raft_entry entries[], unsigned n, raft_io_append_cb cb) {
  node *self = node_of(io);
  req->cb = cb;
  if (!disk_append(self, entries, n)) {
    return RAFT_IOERR;
  }
  return wait_for(self, (pending){.kind = APPENDED, .request.append = req});
}

static int truncate_(struct raft_io *io, raft_index index) {
  disk_truncate(node_of(io), index);
  return 0;
}

static int snapshot_put(struct raft_io *io, unsigned trailing, struct raft_io_snapshot_put *req, const struct raft_snapshot *snapshot,
                        raft_io_snapshot_put_cb cb) {
  node *self = node_of(io);
  req->cb = cb;
  if (!disk_put_snapshot(self, snapshot, trailing)) {
    return RAFT_IOERR;
  }
  return wait_for(self, (pending){.kind = SNAPSHOT_PUT, .request.put = req});
}

static int snapshot_get(struct raft_io *io, struct raft_io_snapshot_get *req, raft_io_snapshot_get_cb cb) {
  req->cb = cb;
  return wait_for(node_of(io), (pending){.kind = SNAPSHOT_GET, .request.get = req});
}

static raft_time time_(struct raft_io *io) { return node_of(io)->time; }

static int random_(struct raft_io *io, int min, int max) {
  return max <= min ? min : min + (int)shakedown_below(&node_of(io)->random, (uint64_t)(max - min));
}

void io_init(node *self) {
  self->start = 1;
  self->io = (struct raft_io){
      .version = 1,
      .impl = self,
      .init = init,
      .close = close_,
      .load = load,
      .start = start,
      .bootstrap = bootstrap,
      .recover = recover,
      .set_term = set_term,
      .set_vote = set_vote,
      .send = send_,
      .append = append,
      .truncate = truncate_,
      .snapshot_put = snapshot_put,
      .snapshot_get = snapshot_get,
      .time = time_,
      .random = random_,
  };
}

static void finish(node *self, const pending *waited, int status) {
  switch (waited->kind) {
    case SENT:
      /* libraft does not wait for a TimeoutNow, and gives no callback. */
      if (waited->request.send->cb != NULL) {
        waited->request.send->cb(waited->request.send, status);
      }
      break;
    case APPENDED: waited->request.append->cb(waited->request.append, status); break;
    case SNAPSHOT_PUT: waited->request.put->cb(waited->request.put, status); break;
    case SNAPSHOT_GET:
      waited->request.get->cb(waited->request.get, status == 0 ? disk_get_snapshot(self) : NULL, status);
      break;
  }
}

/* Takes a request out of the queue: the first one, or the first one that is not of the disk. */
static pending *take(node *self, bool disk_too) {
  pending *before = NULL;
  for (pending *waited = self->first; waited != NULL; before = waited, waited = waited->next) {
    if (disk_too || waited->kind == SENT) {
      *(before == NULL ? &self->first : &before->next) = waited->next;
      if (self->last == waited) {
        self->last = before;
      }
      return waited;
    }
  }
  return NULL;
}

static void finish_and_free(node *self, pending *waited) {
  /* A server that ends gets nothing more done. */
  finish(self, waited, self->close != NULL ? RAFT_CANCELED : 0);
  free(waited);
}

/* The newest first: libraft takes the entries of a write that failed out of its log, and everything after them. */
static void turn_round(node *self) {
  pending *turned = NULL;
  self->last = self->first;
  while (self->first != NULL) {
    pending *next = self->first->next;
    self->first->next = turned;
    turned = self->first;
    self->first = next;
  }
  self->first = turned;
}

void io_settle(node *self) {
  pending *waited;
  if (self->close != NULL) {
    turn_round(self);
  }
  while ((waited = take(self, !self->has_slow_disk || self->close != NULL)) != NULL) {
    finish_and_free(self, waited);
  }
  if (self->first != NULL && self->env != NULL) {
    actions->set_timer(self->env, "disk", 1);
  }
  if (self->close != NULL) {
    raft_io_close_cb close = self->close;
    self->close = NULL;
    close(&self->io);
  }
}

void io_finish_disk(node *self) {
  pending *waited = take(self, true);
  if (waited != NULL) {
    finish_and_free(self, waited);
  }
  io_settle(self);
}
