/* Shakedown's C interface: nodes of a protocol in a shared library.
 *
 * A library exports one function, shakedown_node_type, which returns what its nodes are. Shakedown loads the library and calls the nodes
 * in its own process: what goes out and comes back costs a function call. For C, C++, Zig, Go (-buildmode=c-shared) and whatever else
 * can make a shared library.
 *
 * The meaning of the calls is that of the node protocol (docs/node-protocol.md). The rules:
 *
 * - What a node does follows from its calls: no clock, no unseeded random source, no thread. shakedown_random.h draws from the seed.
 * - Nodes share nothing: no variable of the library changes. Clusters of several threads live beside each other.
 * - An env is valid until the call returns. Texts and bytes that come in are valid until then, too.
 * - Contents are values in MessagePack; shakedown_msgpack.h reads and writes them. Texts end with a zero byte.
 * - A crash of the library (a failed assert, a bad address) ends Shakedown. Report a failure with SHAKEDOWN_FAIL, or run the library in a
 *   process of its own: shakedown host library ./libregister.so.
 */
#ifndef SHAKEDOWN_H
#define SHAKEDOWN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. */
#define SHAKEDOWN_ABI 1

/* What a node acts on during a call. */
typedef struct shakedown_env shakedown_env;

/* A value in MessagePack; no bytes at all stand for null. */
typedef struct shakedown_value {
  const uint8_t *data;
  size_t length;
} shakedown_value;

/* What a node learns when it starts. */
typedef struct shakedown_boot {
  uint32_t id;    /* which node it is, counted from 1 */
  uint32_t nodes; /* how many there are */
  uint32_t life;  /* which of its lives this is, counted from 1 */
  uint64_t now;   /* the ticks that it has seen, over all its lives */
  uint64_t seed;  /* all randomness of this life comes from it */
  shakedown_value options; /* a map from texts to texts */
  shakedown_value disk;    /* a map from texts to values: what survived */
} shakedown_boot;

/* What a node can do. Shakedown hands this over when it loads the library. */
typedef struct shakedown_actions {
  uint32_t abi;
  void (*send)(shakedown_env *env, uint32_t to, const char *kind, shakedown_value message, const char *text);
  void (*answer)(shakedown_env *env, uint64_t id, shakedown_value answer);
  void (*fact)(shakedown_env *env, const char *name, shakedown_value fields);
  void (*set_timer)(shakedown_env *env, const char *timer, uint64_t ticks);
  void (*cancel_timer)(shakedown_env *env, const char *timer);
  void (*write)(shakedown_env *env, shakedown_value put, shakedown_value remove);
  void (*flush)(shakedown_env *env);
  void (*show)(shakedown_env *env, shakedown_value fields);
  void (*fail)(shakedown_env *env, const char *message, const char *place);
  uint64_t (*now)(const shakedown_env *env);
} shakedown_actions;

/* What the nodes of a library are. A function that is NULL is never called; boot, receive, observe and end are needed. */
typedef struct shakedown_type {
  uint32_t abi;        /* SHAKEDOWN_ABI */
  const char *name;    /* what is under test; failure files carry it */
  const char *version;
  const char *kinds;   /* every kind of message, with spaces between; or NULL */
  void *(*boot)(shakedown_env *env, const shakedown_boot *boot); /* NULL: it cannot start; see SHAKEDOWN_FAIL */
  void (*receive)(void *node, shakedown_env *env, uint32_t from, const char *kind, shakedown_value message);
  void (*observe)(const void *node, shakedown_env *env); /* shows the state by actions->show; nothing may change */
  void (*end)(void *node);                               /* the node is gone: a crash, or the end of an execution */
  void (*tick)(void *node, shakedown_env *env);
  void (*fire)(void *node, shakedown_env *env, const char *timer);
  void (*request)(void *node, shakedown_env *env, uint64_t id, shakedown_value request);
  void (*flushed)(void *node, shakedown_env *env);
  void (*reconnected)(void *node, shakedown_env *env, uint32_t peer);
  void (*disconnected)(void *node, shakedown_env *env, uint32_t peer);
} shakedown_type;

#if defined(_WIN32)
#define SHAKEDOWN_EXPORT __declspec(dllexport)
#else
#define SHAKEDOWN_EXPORT __attribute__((visibility("default")))
#endif

/* The one function that a library exports. It is called once for each time that the library is loaded; what it returns, and the actions
 * that it gets, last as long as the library is there. NULL: the library does not know this version of the interface. */
SHAKEDOWN_EXPORT const shakedown_type *shakedown_node_type(const shakedown_actions *actions);

#ifdef __cplusplus
}
#endif

/* A failure of the node with the place in the source: a finding, and the execution ends. Return from the call after it. */
#define SHAKEDOWN_TEXT_(x) #x
#define SHAKEDOWN_TEXT(x) SHAKEDOWN_TEXT_(x)
#define SHAKEDOWN_FAIL(actions, env, message) ((actions)->fail((env), (message), __FILE__ ":" SHAKEDOWN_TEXT(__LINE__)))

#endif
