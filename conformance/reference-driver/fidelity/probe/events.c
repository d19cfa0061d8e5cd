#include "groups.h"

void events(void) {
    struct Peer importer = start_peer(importer_device);
    Object event, timed, own;
    Handle handle;
    float time;
    enter(0);
    say("event interprocess with timing", cuEventCreate(&event, INTERPROCESS));
    NEED(cuEventCreate(&timed, 0));
    say("event get of another", cuIpcGetEventHandle(&handle, timed));
    NEED(cuEventCreate(&event, INTERPROCESS | DISABLE_TIMING));
    say("event get null output", cuIpcGetEventHandle(NULL, event));
    say("event get", cuIpcGetEventHandle(&handle, event));
    say("event open own process", cuIpcOpenEventHandle(&own, handle));
    say_answer("event open zeros", ask_about(&importer, EVENT_OPEN, filled(0)));
    say_answer("event open ones", ask_about(&importer, EVENT_OPEN, filled(0xff)));
    struct Answer import = ask_about(&importer, EVENT_OPEN, handle);
    say_answer("event open", import);
    say_answer("event get of an import", ask(&importer, EVENT_GET, import.value));
    say_answer("event import query before a record", ask(&importer, EVENT_QUERY, import.value));
    say_answer("event import record", ask(&importer, EVENT_RECORD, import.value));
    say_answer("event import synchronise", ask(&importer, EVENT_SYNCHRONISE, import.value));
    say_answer("event import destroy", ask(&importer, EVENT_DESTROY, import.value));
    NEED(cuEventRecord(event, NULL));
    NEED(cuEventRecord(timed, NULL));
    NEED(cuCtxSynchronize());
    say("event elapsed time", cuEventElapsedTime(&time, timed, event));
    Pointer destroyed = ask_about(&importer, EVENT_OPEN, handle).value;
    NEED(cuEventDestroy(event));
    say_answer("event open destroyed", ask_about(&importer, EVENT_OPEN, handle));
    ask(&importer, EVENT_DESTROY, destroyed);
    say_answer("event import query after its destroy", ask(&importer, EVENT_QUERY, destroyed));
    end_peer(&importer);
}
