/* A library that breaks the rule that its option `way` names, when it gets a request. */
#include <stdlib.h>

#include "shakedown.h"
#include "shakedown_msgpack.h"

#ifndef ABI
#define ABI SHAKEDOWN_ABI
#endif
#ifndef ENTRY
#define ENTRY shakedown_node_type
#endif

static const shakedown_actions *actions;

typedef struct node {
  shakedown_value way;
  uint8_t bytes[64];
  shakedown_env *env;
} node;

static bool is(const node *self, const char *way) { return shakedown_is_text(self->way, way); }

static void *boot(shakedown_env *env, const shakedown_boot *boot) {
  node *self = calloc(1, sizeof *self);
  shakedown_value way = shakedown_field(boot->options, "way");
  memcpy(self->bytes, way.data, way.length);
  self->way = (shakedown_value){self->bytes, way.length};
  self->env = env;
  return self;
}

static void request(void *node_, shakedown_env *env, uint64_t id, shakedown_value request) {
  node *self = node_;
  const uint8_t end_early[] = {0x92, 0x01}, text[] = {0xa1, 'a'}, list[] = {0x81, 0xa1, 'a', 0x91, 0x01};
  const shakedown_value nothing = {NULL, 0}, broken = {end_early, sizeof end_early};
  if (is(self, "to-no-node")) actions->send(env, 9, "Add", nothing, NULL);
  if (is(self, "bad-kind")) actions->send(env, 1, "two words", nothing, NULL);
  if (is(self, "no-kind")) actions->send(env, 1, NULL, nothing, NULL);
  if (is(self, "broken-message")) actions->send(env, 1, "Add", broken, NULL);
  if (is(self, "broken-answer")) actions->answer(env, id, broken);
  if (is(self, "bad-answer")) actions->answer(env, (uint64_t)1 << 40, request);
  if (is(self, "bad-fact")) actions->fact(env, "fact", (shakedown_value){list, sizeof list});
  if (is(self, "bad-timer")) actions->set_timer(env, "", 3);
  if (is(self, "bad-disk")) actions->write(env, (shakedown_value){text, sizeof text}, nothing);
  if (is(self, "fails")) SHAKEDOWN_FAIL(actions, env, "the log has a hole");
  for (int i = 0; is(self, "floods") && i <= 10000; i++) actions->send(env, 1, "Add", nothing, NULL);
  /* The env of the boot is another call's. It has the same address here, and so it is the one that is under way. */
  if (is(self, "behaves")) actions->send(self->env, 2, "Add", request, "a text");
}

static void receive(void *node_, shakedown_env *env, uint32_t from, const char *kind, shakedown_value message) {
  (void)node_, (void)env, (void)from, (void)kind, (void)message;
}

static void observe(const void *node_, shakedown_env *env) {
  const node *self = node_;
  const uint8_t number[] = {0x01};
  if (is(self, "acts-when-observed")) actions->flush(env);
  if (is(self, "broken-state")) actions->show(env, (shakedown_value){number, sizeof number});
}

const shakedown_type *ENTRY(const shakedown_actions *given) {
  static const shakedown_type type = {
      .abi = ABI,
      .name = "misbehaves",
      .version = "1",
      .boot = boot,
      .receive = receive,
#ifndef WITHOUT_OBSERVE
      .observe = observe,
#endif
      .end = free,
      .request = request,
  };
  (void)observe;
  actions = given;
  return &type;
}
