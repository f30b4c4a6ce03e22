/* A leader commits an entry that it alone holds, and the entry is lost: shown by the simulator that comes with libraft,
 * without Shakedown. build.sh builds it as target/hosts/libraft/story.
 *
 * 1. Server 1 leads in term 2, and writes 8 to its own log only, at index 2.
 * 2. Server 2 leads in term 3. Its first heartbeat, without entries, is under way to server 1.
 * 3. A client gives 25 to server 2, which writes it at index 2.
 * 4. Server 1 answers the heartbeat. It accepts, and reports index 2 as the end of its log: that is 8, not 25.
 * 5. Server 2 counts server 1 for index 2, commits 25 and answers.
 * 6. Server 2 stops. Server 1 leads in term 4 and commits 8 at index 2, with server 3. What was answered is lost. */
#include <raft.h>
#include <raft/fixture.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SERVERS = 3, VALUES_MAX = 8, WAIT_MSECS = 5000 };

struct machine {
    unsigned applied[VALUES_MAX];
    unsigned count;
};

static int apply(struct raft_fsm *fsm, const struct raft_buffer *buffer, void **result)
{
    struct machine *machine = fsm->data;
    if (machine->count < VALUES_MAX)
        memcpy(&machine->applied[machine->count++], buffer->base, sizeof(unsigned));
    *result = NULL;
    return 0;
}

static int snapshot(struct raft_fsm *fsm, struct raft_buffer *buffers[], unsigned *count)
{
    (void)fsm, (void)buffers, (void)count;
    return RAFT_NOMEM; /* no snapshot is taken after so few entries */
}

static int restore(struct raft_fsm *fsm, struct raft_buffer *buffer)
{
    (void)fsm, (void)buffer;
    return RAFT_NOMEM;
}

static void must(int is_true, const char *what)
{
    if (!is_true) {
        fprintf(stderr, "story: %s\n", what);
        exit(2);
    }
}

static void on_applied(struct raft_apply *request, int status, void *result)
{
    (void)result;
    if (status == 0)
        printf("the client of %u is answered: it is committed\n", *(const unsigned *)request->data);
}

static void give(struct raft_fixture *fixture, unsigned server, struct raft_apply *request, unsigned value)
{
    static unsigned values[VALUES_MAX];
    static unsigned count;
    values[count] = value;
    request->data = &values[count++];
    struct raft_buffer buffer = {.base = raft_malloc(sizeof value), .len = sizeof value};
    memcpy(buffer.base, &value, sizeof value);
    must(raft_apply(raft_fixture_get(fixture, server), request, &buffer, 1, on_applied) == 0, "the leader takes no request");
}

/* Cuts both directions between two servers. */
static void cut(struct raft_fixture *fixture, unsigned a, unsigned b)
{
    raft_fixture_saturate(fixture, a, b);
    raft_fixture_saturate(fixture, b, a);
}

static void heal(struct raft_fixture *fixture, unsigned a, unsigned b)
{
    raft_fixture_desaturate(fixture, a, b);
    raft_fixture_desaturate(fixture, b, a);
}

int main(void)
{
    static struct machine machines[SERVERS];
    struct raft_fsm fsms[SERVERS] = {0};
    for (unsigned i = 0; i < SERVERS; i++) {
        fsms[i].version = 1;
        fsms[i].data = &machines[i];
        fsms[i].apply = apply;
        fsms[i].snapshot = snapshot;
        fsms[i].restore = restore;
    }
    static struct raft_fixture fixture;
    struct raft_configuration configuration;
    must(raft_fixture_initialize(&fixture) == 0, "no simulator");
    for (unsigned i = 0; i < SERVERS; i++)
        must(raft_fixture_grow(&fixture, &fsms[i]) == 0, "no server");
    must(raft_fixture_configuration(&fixture, SERVERS, &configuration) == 0, "no configuration");
    must(raft_fixture_bootstrap(&fixture, &configuration) == 0, "no first log");
    must(raft_fixture_start(&fixture) == 0, "the servers do not start");

    static struct raft_apply first, second, third;
    raft_fixture_elect(&fixture, 0);
    cut(&fixture, 0, 1);
    cut(&fixture, 0, 2);
    give(&fixture, 0, &first, 8);
    must(raft_fixture_step_until_state_is(&fixture, 0, RAFT_FOLLOWER, WAIT_MSECS), "server 1 does not give up");

    heal(&fixture, 0, 1);
    raft_fixture_elect(&fixture, 1);
    cut(&fixture, 1, 2);
    give(&fixture, 1, &second, 25);
    must(raft_fixture_step_until_applied(&fixture, 1, 2, WAIT_MSECS), "25 is not committed: the flaw is not there");

    raft_fixture_kill(&fixture, 1);
    heal(&fixture, 0, 2);
    must(raft_fixture_step_until_has_no_leader(&fixture, WAIT_MSECS), "server 2 still leads");
    raft_fixture_elect(&fixture, 0);
    give(&fixture, 0, &third, 40);
    must(raft_fixture_step_until_applied(&fixture, 0, 3, WAIT_MSECS), "40 is not committed");

    for (unsigned i = 0; i < SERVERS; i++) {
        struct machine *machine = &machines[i];
        printf("server %u applied:", i + 1);
        for (unsigned k = 0; k < machine->count; k++)
            printf(" %u", machine->applied[k]);
        printf("\n");
    }
    return machines[0].applied[0] == machines[1].applied[0] ? 0 : 1;
}
