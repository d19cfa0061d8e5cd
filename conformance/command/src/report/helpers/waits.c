/* What a process does after a step that others can wait for. */
static const char nothing[] = "no call";

/* Whether a process has not ended its step after some time. */
static int still_waits(int process, int milliseconds) {
    while (milliseconds-- && calls[process] != nothing)
        nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    return calls[process] != nothing;
}
