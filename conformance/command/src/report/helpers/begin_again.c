/* The parent cannot see the calls of a new program, which therefore ends by itself a little earlier. */
enum { LESS_SECONDS = SECONDS > 10 ? SECONDS - 5 : (SECONDS + 1) / 2 };
static void still_calls(int signal) {
    (void)signal;
    if (calls[self]) {
        printf("%s: %s was still running %d seconds after the process replaced its program\n", names[self],
               calls[self], LESS_SECONDS);
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
    alarm(LESS_SECONDS);
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
