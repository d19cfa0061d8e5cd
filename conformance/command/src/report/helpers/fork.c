/* Forks a child that does something. Returns how the child ended. */
static const char *end_of(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) && !WEXITSTATUS(status) ? "Worked" : "Otherwise";
}
#define forked(work)                                                                                                \
    ({                                                                                                              \
        calls[self] = "fork";                                                                                       \
        pid_t child = works(fork());                                                                                \
        if (!child)                                                                                                 \
            _exit(prctl(PR_SET_PDEATHSIG, SIGKILL) || (work));                                                      \
        const char *end = end_of(child);                                                                            \
        calls[self] = NULL;                                                                                         \
        end;                                                                                                        \
    })
