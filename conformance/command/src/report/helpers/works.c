/* A system call that must work. */
static long must_work(const char *call, long result) {
    if (result < 0)
        end(CANNOT_RUN, "cannot run: %s: %s", call, strerror(errno));
    return result;
}
#define works(call) must_work(#call, (call))
