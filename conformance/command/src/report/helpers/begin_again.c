/* The parent cannot see the calls of a new program, which therefore ends by itself if one does not return. */
static void still_calls(int signal) {
    (void)signal;
    if (calls[self]) {
        printf("%s: %s has not returned after %d seconds\n", names[self], calls[self], SECONDS - 5);
        fflush(stdout);
        _exit(MISBEHAVES);
    }
}

/* What a new program does in place of main. */
__attribute__((constructor)) static void begin_again(int count, char **arguments) {
    if (count != 4 || strcmp(arguments[1], "--become"))
        return;
    self = atoi(arguments[2]);
    char *list = arguments[3];
    for (int other = 0; other < PROCESSES; other++) {
        sockets[self][other] = strtol(list, &list, 10);
        fcntl(sockets[self][other], F_SETFD, FD_CLOEXEC);
    }
    calls = calloc(PROCESSES, sizeof *calls);
    signal(SIGALRM, still_calls);
    alarm(SECONDS - 5);
    programs[self]();
    wait_for(PARENT);
    exit(BEHAVES);
}

/* A process has replaced its program. */
static void replaced(int before, int after) {
    processes[after] = processes[before];
    processes[before] = 0;
    is_gone[before] = 1;
}
