/* The parent cannot see the calls of a new program, which therefore says itself how it ends, a little earlier. */
enum { LESS_SECONDS = SECONDS > 10 ? SECONDS - 5 : (SECONDS + 1) / 2 };
static void ends(int signal) {
    const char *call = calls[self] ? calls[self] : "no call";
    if (signal == SIGALRM && calls[self])
        printf("%s: %s was still running %d seconds after the program began\n", names[self], call, LESS_SECONDS);
    else if (signal != SIGALRM)
        printf("%s: killed by signal %d (%s) in %s\n", names[self], signal, strsignal(signal), call);
    else
        return;
    fflush(stdout);
    _exit(MISBEHAVES);
}
static void see_ends(void) {
    const int signals[] = { SIGALRM, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
    for (size_t one = 0; one < sizeof signals / sizeof *signals; one++)
        signal(signals[one], ends);
}
/* How many seconds this process may take. The new program goes on with what is left of them. */
static int mine(void) {
    if (!becomes[self])
        return 0;
    see_ends();
    return LESS_SECONDS;
}

/* What a new program does in place of main. */
__attribute__((constructor)) static void begin_again(int count, char **arguments) {
    if (count != 4 || strcmp(arguments[1], "--become"))
        return;
    self = atoi(arguments[2]);
    char *list = arguments[3];
    int one, other, socket, length;
    for (; sscanf(list, "%d %d %d %n", &one, &other, &socket, &length) == 3; list += length) {
        sockets[one][other] = socket;
        fcntl(socket, F_SETFD, FD_CLOEXEC);
    }
    calls = calloc(PROCESSES, sizeof *calls);
    see_ends();
    programs[self]();
    wait_for(PARENT);
    leave();
}

/* A process has replaced its program. */
static void replaced(int before, int after) {
    processes[after] = processes[before];
    processes[before] = 0;
    is_gone[before] = 1;
}
