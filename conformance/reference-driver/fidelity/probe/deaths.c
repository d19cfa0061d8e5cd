/* An importer's resources when the exporter ends, and its waits when the event or the event's process ends. */
#include "groups.h"

/* In milliseconds. A wait that takes longer is pending: no other call of the driver takes as long. */
enum { A_WHILE = 250 };

static void memory_and_event(struct Peer *exporter, struct Peer *importer) {
    struct Answer memory = ask(exporter, ALLOC, 6), event = ask(exporter, EVENT_CREATE, 0);
    struct Answer import = open_memory(importer, memory.handle);
    say_answer("death open", import);
    end_peer(exporter);
    say_value("death byte", ask(importer, READ_BYTE, import.value).value);
    say_answer("death open again", open_memory(importer, memory.handle));
    ask(importer, CLOSE, import.value);
    ask(importer, CLOSE, import.value);
    say_answer("death open after close", open_memory(importer, memory.handle));
    say_answer("death event open", ask_about(importer, EVENT_OPEN, event.handle));
}

static void destroy_while_pending(struct Peer *exporter, struct Peer *importer) {
    struct Answer event = ask(exporter, EVENT_PENDING, 0);
    Pointer import = ask_about(importer, EVENT_OPEN, event.handle).value;
    begin(importer, EVENT_SYNCHRONISE, import);
    say_answer("pending event destroy", ask(exporter, EVENT_DESTROY, event.value));
    say_value("pending event destroyed wait ends early", (Pointer)answers_within(importer, A_WHILE));
    ask(exporter, EVENT_COMPLETE, 0);
    say_answer("pending event destroyed wait", finish(importer));
}

static void kill_while_pending(struct Peer *exporter, struct Peer *importer) {
    struct Answer event = ask(exporter, EVENT_PENDING, 0);
    begin(importer, EVENT_SYNCHRONISE, ask_about(importer, EVENT_OPEN, event.handle).value);
    say_value("pending event wait ends early", (Pointer)answers_within(importer, A_WHILE));
    end_peer(exporter);
    say_value("pending event killed wait ends", (Pointer)answers_within(importer, 4 * A_WHILE));
}

void deaths(void) {
    void (*const cases[])(struct Peer *, struct Peer *) = {memory_and_event, destroy_while_pending, kill_while_pending};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct Peer exporter = start_peer(0), importer = start_peer(importer_device);
        cases[i](&exporter, &importer);
        end_peer(&exporter);
        end_peer(&importer);
    }
}
