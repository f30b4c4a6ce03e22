/* Messages of libraft as values, and back. */
#include <stdio.h>

#include "node.h"

static void put(shakedown_writer *writer, const char *name, uint64_t number) {
  shakedown_put_text(writer, name);
  shakedown_put_unsigned(writer, number);
}

static void put_truth(shakedown_writer *writer, const char *name, bool truth) {
  shakedown_put_text(writer, name);
  shakedown_put_bool(writer, truth);
}

static void put_entries(shakedown_writer *writer, const struct raft_append_entries *append) {
  shakedown_put_text(writer, "entries");
  shakedown_put_list(writer, append->n_entries);
  for (unsigned i = 0; i < append->n_entries; i++) {
    const struct raft_entry *entry = &append->entries[i];
    shakedown_put_map(writer, 3);
    put(writer, "term", entry->term);
    put(writer, "type", entry->type);
    shakedown_put_text(writer, "data");
    put_data(writer, entry->buf.base, entry->buf.len);
  }
}

static void put_snapshot(shakedown_writer *writer, const struct raft_install_snapshot *install) {
  put(writer, "last_index", install->last_index);
  put(writer, "last_term", install->last_term);
  put(writer, "conf_index", install->conf_index);
  shakedown_put_text(writer, "conf");
  shakedown_put_list(writer, install->conf.n);
  for (unsigned i = 0; i < install->conf.n; i++) {
    shakedown_put_list(writer, 2);
    shakedown_put_unsigned(writer, install->conf.servers[i].id);
    shakedown_put_unsigned(writer, (uint64_t)install->conf.servers[i].role);
  }
  shakedown_put_text(writer, "data");
  put_data(writer, install->data.base, install->data.len);
}

/* The kind of a message, its contents in the writer, and a few words on it. */
static const char *write_message(const struct raft_message *message, shakedown_writer *writer, char text[120]) {
  switch (message->type) {
    case RAFT_IO_REQUEST_VOTE: {
      const struct raft_request_vote *m = &message->request_vote;
      shakedown_put_map(writer, 6);
      put(writer, "term", m->term);
      put(writer, "candidate", m->candidate_id);
      put(writer, "last_index", m->last_log_index);
      put(writer, "last_term", m->last_log_term);
      put_truth(writer, "disrupt", m->disrupt_leader);
      put_truth(writer, "pre_vote", m->pre_vote);
      snprintf(text, 120, "term %llu last %llu of term %llu%s", m->term, m->last_log_index, m->last_log_term, m->pre_vote ? " pre" : "");
      return "RequestVote";
    }
    case RAFT_IO_REQUEST_VOTE_RESULT: {
      const struct raft_request_vote_result *m = &message->request_vote_result;
      shakedown_put_map(writer, 3);
      put(writer, "term", m->term);
      put_truth(writer, "granted", m->vote_granted);
      put(writer, "pre_vote", m->pre_vote);
      snprintf(text, 120, "term %llu %s", m->term, m->vote_granted ? "granted" : "refused");
      return "RequestVoteResult";
    }
    case RAFT_IO_APPEND_ENTRIES: {
      const struct raft_append_entries *m = &message->append_entries;
      shakedown_put_map(writer, 5);
      put(writer, "term", m->term);
      put(writer, "prev_index", m->prev_log_index);
      put(writer, "prev_term", m->prev_log_term);
      put(writer, "commit", m->leader_commit);
      put_entries(writer, m);
      snprintf(text, 120, "term %llu after %llu of term %llu, %u entries, commit %llu", m->term, m->prev_log_index, m->prev_log_term,
               m->n_entries, m->leader_commit);
      return "AppendEntries";
    }
    case RAFT_IO_APPEND_ENTRIES_RESULT: {
      const struct raft_append_entries_result *m = &message->append_entries_result;
      shakedown_put_map(writer, 3);
      put(writer, "term", m->term);
      put(writer, "rejected", m->rejected);
      put(writer, "last_index", m->last_log_index);
      snprintf(text, 120, "term %llu last %llu%s", m->term, m->last_log_index, m->rejected > 0 ? " rejected" : "");
      return "AppendEntriesResult";
    }
    case RAFT_IO_INSTALL_SNAPSHOT: {
      shakedown_put_map(writer, 6);
      put(writer, "term", message->install_snapshot.term);
      put_snapshot(writer, &message->install_snapshot);
      snprintf(text, 120, "term %llu up to %llu", message->install_snapshot.term, message->install_snapshot.last_index);
      return "InstallSnapshot";
    }
    default: {
      const struct raft_timeout_now *m = &message->timeout_now;
      shakedown_put_map(writer, 3);
      put(writer, "term", m->term);
      put(writer, "last_index", m->last_log_index);
      put(writer, "last_term", m->last_log_term);
      snprintf(text, 120, "term %llu", m->term);
      return "TimeoutNow";
    }
  }
}

void message_send(node *self, const struct raft_message *message) {
  char text[120];
  if (self->env == NULL) {
    return;
  }
  shakedown_writer writer = shakedown_write_into(self->room, sizeof self->room);
  const char *kind = write_message(message, &writer, text);
  if (writer.length > writer.room) {
    actions->fail(self->env, "a message is larger than this adapter allows", "messages.c");
    return;
  }
  actions->send(self->env, (uint32_t)message->server_id, kind, shakedown_written(&writer), text);
}

/* Reading: a field that is missing or something else is 0, and `good` false. */

typedef struct fields {
  shakedown_value map;
  bool good;
} fields;

static uint64_t get(fields *fields, const char *name) {
  uint64_t number = 0;
  fields->good &= shakedown_unsigned(shakedown_field(fields->map, name), &number);
  return number;
}

static bool get_truth(fields *fields, const char *name) {
  shakedown_reader reader = shakedown_read(shakedown_field(fields->map, name));
  shakedown_item item = shakedown_next(&reader);
  fields->good &= item.kind == SHAKEDOWN_BOOL;
  return item.kind == SHAKEDOWN_BOOL && item.number.truth;
}

static struct raft_buffer get_data(fields *fields, const char *name) {
  struct raft_buffer buffer = {NULL, 0};
  buffer.base = data_of(shakedown_field(fields->map, name), &buffer.len);
  fields->good &= buffer.base != NULL;
  return buffer;
}

static void read_entries(fields *from, struct raft_append_entries *append) {
  shakedown_reader reader = shakedown_read(shakedown_field(from->map, "entries"));
  shakedown_item list = shakedown_next(&reader);
  from->good &= list.kind == SHAKEDOWN_LIST;
  append->n_entries = list.kind == SHAKEDOWN_LIST ? (unsigned)list.length : 0;
  append->entries = append->n_entries > 0 ? raft_calloc(append->n_entries, sizeof *append->entries) : NULL;
  for (unsigned i = 0; append->entries != NULL && i < append->n_entries; i++) {
    fields entry = {shakedown_skip(&reader), true};
    append->entries[i].term = get(&entry, "term");
    append->entries[i].type = (unsigned short)get(&entry, "type");
    append->entries[i].buf = get_data(&entry, "data");
    from->good &= entry.good;
  }
}

static void read_snapshot(fields *from, struct raft_install_snapshot *install) {
  install->term = get(from, "term");
  install->last_index = get(from, "last_index");
  install->last_term = get(from, "last_term");
  install->conf_index = get(from, "conf_index");
  install->data = get_data(from, "data");
  raft_configuration_init(&install->conf);
  shakedown_reader reader = shakedown_read(shakedown_field(from->map, "conf"));
  shakedown_item list = shakedown_next(&reader);
  from->good &= list.kind == SHAKEDOWN_LIST;
  for (size_t i = 0; list.kind == SHAKEDOWN_LIST && i < list.length; i++) {
    uint64_t id = 0, role = 0;
    from->good &= shakedown_next(&reader).kind == SHAKEDOWN_LIST && shakedown_unsigned(shakedown_skip(&reader), &id) &&
                  shakedown_unsigned(shakedown_skip(&reader), &role) && id >= 1 && id <= NODES_MAX;
    if (from->good) {
      raft_configuration_add(&install->conf, id, addresses[id - 1], (int)role);
    }
  }
}

bool message_read(node *self, uint32_t from, const char *kind, shakedown_value contents, struct raft_message *message) {
  fields fields = {contents, from >= 1 && from <= self->nodes};
  memset(message, 0, sizeof *message);
  message->server_id = from;
  message->server_address = fields.good ? addresses[from - 1] : "";
  if (strcmp(kind, "RequestVote") == 0) {
    message->type = RAFT_IO_REQUEST_VOTE;
    message->request_vote = (struct raft_request_vote){
        .term = get(&fields, "term"),
        .candidate_id = get(&fields, "candidate"),
        .last_log_index = get(&fields, "last_index"),
        .last_log_term = get(&fields, "last_term"),
        .disrupt_leader = get_truth(&fields, "disrupt"),
        .pre_vote = get_truth(&fields, "pre_vote"),
    };
  } else if (strcmp(kind, "RequestVoteResult") == 0) {
    message->type = RAFT_IO_REQUEST_VOTE_RESULT;
    message->request_vote_result = (struct raft_request_vote_result){
        .term = get(&fields, "term"),
        .vote_granted = get_truth(&fields, "granted"),
        .pre_vote = (raft_tribool)get(&fields, "pre_vote"),
    };
  } else if (strcmp(kind, "AppendEntries") == 0) {
    message->type = RAFT_IO_APPEND_ENTRIES;
    message->append_entries = (struct raft_append_entries){
        .term = get(&fields, "term"),
        .prev_log_index = get(&fields, "prev_index"),
        .prev_log_term = get(&fields, "prev_term"),
        .leader_commit = get(&fields, "commit"),
    };
    read_entries(&fields, &message->append_entries);
  } else if (strcmp(kind, "AppendEntriesResult") == 0) {
    message->type = RAFT_IO_APPEND_ENTRIES_RESULT;
    message->append_entries_result = (struct raft_append_entries_result){
        .term = get(&fields, "term"),
        .rejected = get(&fields, "rejected"),
        .last_log_index = get(&fields, "last_index"),
    };
  } else if (strcmp(kind, "InstallSnapshot") == 0) {
    message->type = RAFT_IO_INSTALL_SNAPSHOT;
    read_snapshot(&fields, &message->install_snapshot);
  } else {
    message->type = RAFT_IO_TIMEOUT_NOW;
    message->timeout_now = (struct raft_timeout_now){
        .term = get(&fields, "term"),
        .last_log_index = get(&fields, "last_index"),
        .last_log_term = get(&fields, "last_term"),
    };
  }
  return fields.good;
}
