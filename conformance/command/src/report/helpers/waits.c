/* What a process does after a step that others can wait for: an element for each such step. */
static const char no_call[1000][8] = { [0 ... 999] = "no call" };

/* Whether a process has ended this step or a later one. */
static int has_ended(int process, int step) {
    const char *call = calls[process];
    return call >= no_call[step] && call <= no_call[999];
}
/* Whether a process has still not ended this step after some milliseconds. */
static int still_waits(int process, int step, int milliseconds) {
    while (milliseconds-- && !has_ended(process, step))
        nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    return !has_ended(process, step);
}
