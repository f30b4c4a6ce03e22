#!/usr/bin/env node
// Maelstrom nodes for g-counter, pn-counter and kafka; with the argument `flaw`, each has a flaw.
"use strict";

const flaw = process.argv.includes("flaw");
const retryMs = 100;
let name = null;
let peers = [];
let lastId = 0;
const callbacks = new Map();
// Counters: what each node added, and what it took away. The flawed ones have a total.
const added = {};
const taken = {};
let total = 0;
const unacknowledged = new Map();

function send(dest, body) {
  process.stdout.write(JSON.stringify({ src: name, dest, body }) + "\n");
}

function reply(message, body) {
  send(message.src, { ...body, in_reply_to: message.body.msg_id });
}

function call(dest, body) {
  lastId += 1;
  const id = lastId;
  send(dest, { ...body, msg_id: id });
  return new Promise((resolve) => callbacks.set(id, resolve));
}

// Counters

function value() {
  if (flaw) return total;
  const sum = (counts) => Object.values(counts).reduce((a, b) => a + b, 0);
  return sum(added) - sum(taken);
}

function merge(counts, others) {
  for (const [node, count] of Object.entries(others)) counts[node] = Math.max(counts[node] || 0, count);
}

function count(delta) {
  if (flaw) total += delta;
  const counts = delta < 0 ? taken : added;
  counts[name] = (counts[name] || 0) + Math.abs(delta);
  for (const peer of peers) {
    if (!flaw) unacknowledged.set(peer, true);
    spread(peer, delta);
  }
  // The flawed counter repeats once, and its peers add it again.
  if (flaw) setTimeout(() => peers.forEach((peer) => spread(peer, delta)), retryMs);
}

function spread(peer, delta) {
  send(peer, { type: "spread", delta, total, added, taken });
}

function hear(message) {
  if (flaw) {
    const { delta, total: other } = message.body;
    total = process.argv.includes("pn") ? Math.max(total, other) : total + delta;
    return;
  }
  merge(added, message.body.added);
  merge(taken, message.body.taken);
  send(message.src, { type: "spread_ok", added: message.body.added, taken: message.body.taken });
}

function acknowledged(message) {
  const isSame = (theirs, mine) => (theirs[name] || 0) === (mine[name] || 0);
  if (isSame(message.body.added, added) && isSame(message.body.taken, taken)) unacknowledged.delete(message.src);
}

if (!flaw) setInterval(() => unacknowledged.forEach((_, peer) => spread(peer, 0)), retryMs);

// Logs: a list for each key in lin-kv.

async function change(key, empty, next) {
  for (;;) {
    const read = await call("lin-kv", { type: "read", key });
    const old = read.type === "error" ? empty : read.value;
    const now = next(old);
    const body = flaw
      ? { type: "write", key, value: now }
      : { type: "cas", key, from: old, to: now, create_if_not_exists: true };
    const wrote = await call("lin-kv", body);
    if (wrote.type !== "error") return old;
  }
}

async function read(key, empty) {
  const answer = await call("lin-kv", { type: "read", key });
  return answer.type === "error" ? empty : answer.value;
}

async function poll(message) {
  const msgs = {};
  for (const [key, offset] of Object.entries(message.body.offsets)) {
    const log = await read(`log-${key}`, []);
    msgs[key] = log.map((msg, at) => [at, msg]).slice(offset);
  }
  reply(message, { type: "poll_ok", msgs });
}

async function commit(message) {
  for (const [key, offset] of Object.entries(message.body.offsets)) {
    await change(`commit-${key}`, -1, (old) => Math.max(old, offset));
  }
  reply(message, { type: "commit_offsets_ok" });
}

async function committed(message) {
  const offsets = {};
  for (const key of message.body.keys) {
    const offset = await read(`commit-${key}`, -1);
    if (offset >= 0) offsets[key] = offset;
  }
  reply(message, { type: "list_committed_offsets_ok", offsets });
}

function handle(message) {
  const { body } = message;
  const callback = callbacks.get(body.in_reply_to);
  if (callback) {
    callbacks.delete(body.in_reply_to);
    callback(body);
    return;
  }
  switch (body.type) {
    case "init":
      name = body.node_id;
      peers = body.node_ids.filter((node) => node !== name);
      reply(message, { type: "init_ok" });
      break;
    case "add":
      count(body.delta);
      reply(message, { type: "add_ok" });
      break;
    case "read":
      reply(message, { type: "read_ok", value: value() });
      break;
    case "spread":
      hear(message);
      break;
    case "spread_ok":
      acknowledged(message);
      break;
    case "send":
      change(`log-${body.key}`, [], (log) => [...log, body.msg]).then((log) =>
        reply(message, { type: "send_ok", offset: log.length }),
      );
      break;
    case "poll":
      poll(message);
      break;
    case "commit_offsets":
      commit(message);
      break;
    case "list_committed_offsets":
      committed(message);
      break;
  }
}

let unread = "";
process.stdin.on("data", (data) => {
  const lines = (unread + data).split("\n");
  unread = lines.pop();
  for (const line of lines) handle(JSON.parse(line));
});
process.stdin.on("end", () => process.exit(0));
