/* Starts a process in a PID namespace with a /proc of its own, as a container does. The first process of a namespace is its
   process 1. */
static pid_t fork_in(int namespace) {
    static int namespaces[PROCESSES];
    char path[32];
    int own = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
    int is_first = !namespaces[namespace];
    if (is_first ? unshare(CLONE_NEWPID) : setns(namespaces[namespace], CLONE_NEWPID))
        end(CANNOT_RUN, "cannot run: cannot create or enter a PID namespace, which needs root: %s", strerror(errno));
    pid_t child = fork();
    if (!child && (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
                   mount("proc", "/proc", "proc", 0, NULL)))
        end(CANNOT_RUN, "cannot run: cannot mount /proc in a PID namespace: %s", strerror(errno));
    if (child > 0) {
        snprintf(path, sizeof path, "/proc/%d/ns/pid", child);
        if (is_first)
            namespaces[namespace] = open(path, O_RDONLY | O_CLOEXEC);
        if (namespaces[namespace] < 0 || setns(own, CLONE_NEWPID))
            end(CANNOT_RUN, "cannot run: %s: %s", path, strerror(errno));
    }
    close(own);
    return child;
}
