
static const char *last_call_of(int process) { return calls[process] ? calls[process] : "no call"; }

static int is_in_a_call(int process) { return calls[process] && strncmp(calls[process], "no call", 7); }

/* Whether the driver refused what a bug would allow. */
static int has_refused;

/* Nobody has found anything. */
static void say_that_it_behaves(void) {
    //BEHAVES//
}

/* Ends everything with a code that a process had, or that the parent found. */
static void conclude(int code) {
    alarm(0);
    for (int process = 1; process < PROCESSES; process++)
        if (processes[process] && !is_gone[process])
            kill(processes[process], SIGKILL);
    for (int tries = 0; tries < 3000 && waitpid(-1, NULL, WNOHANG) >= 0; tries++)
        nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    exit(code);
}

/* A process has ended. */
static void ended(pid_t pid, int status) {
    int process = 1;
    while (process < PROCESSES && processes[process] != pid)
        process++;
    if (process == PROCESSES || is_gone[process])
        return;
    is_gone[process] = 1;
    if (//WITH_ITS_NAMESPACE//WIFSIGNALED(status)) {
        printf("%s: killed by signal %d (%s) in %s\n", names[process], WTERMSIG(status), strsignal(WTERMSIG(status)),
               last_call_of(process));
        fflush(stdout);
        conclude(MISBEHAVES);
    }
    switch (WEXITSTATUS(status)) {
    case MISBEHAVES:
    case CANNOT_RUN:
        conclude(WEXITSTATUS(status));
        break;
    case REFUSED:
        has_refused = 1;
        break;
    case ALONE:
        break;
    default:
        if (WEXITSTATUS(status) || (is_in_a_call(process) && calls[process] != leaving)) {
            printf("%s: exited with code %d in %s\n", names[process], WEXITSTATUS(status), last_call_of(process));
            fflush(stdout);
            conclude(MISBEHAVES);
        }
    }
}

/* Notes how a process has ended, if it has. */
static void look_after(int process) {
    int status;
    if (processes[process] && !is_gone[process] && waitpid(processes[process], &status, WNOHANG) == processes[process])
        ended(processes[process], status);
}

/* A process has ended before its turn was over: it has found something, or another one has. */
static void lost(int process) {
    const struct timespec millisecond = { 0, 1000000 };
    for (int tries = 0; !is_gone[process]; tries++) {
        look_after(process);
        /* Process 1 of a PID namespace ends only after the others in it have been waited for. */
        for (int other = 1; tries >= 1000 && other < PROCESSES; other++)
            look_after(other);
        nanosleep(&millisecond, NULL);
    }
    for (int tries = 0; tries < 1000; tries++) {
        for (int other = 1; other < PROCESSES; other++)
            look_after(other);
        nanosleep(&millisecond, NULL);
    }
    if (*has_found)
        conclude(MISBEHAVES);
    if (has_refused)
        say_that_it_behaves();
    else
        printf("cannot tell: %s has ended early\n", names[process]);
    fflush(stdout);
    conclude(has_refused ? BEHAVES : CANNOT_RUN);
}

static void too_long(int signal) {
    (void)signal;
    if (*has_found)
        conclude(MISBEHAVES);
    for (int process = 1; process < PROCESSES; process++)
        if (!is_gone[process] && is_in_a_call(process)) {
            printf("%s: %s was still running %d seconds after the program began\n", names[process],
                   calls[process], SECONDS);
            fflush(stdout);
            conclude(MISBEHAVES);
        }
    printf("cannot tell: the processes have not ended after %d seconds\n", SECONDS);
    fflush(stdout);
    conclude(CANNOT_RUN);
}

static void make(int process, void (*run)(void)) {
    pid_t pid = //FORK//;
    if (pid < 0)
        end(CANNOT_RUN, "cannot run: fork: %s", strerror(errno));
    if (pid) {
        processes[process] = pid;
        return;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    self = process;
    alarm(//MY_SECONDS//);
    for (int one = 0; one < PROCESSES; one++)
        for (int other = 0; other < PROCESSES; other++)
            if (//NOT_MINE// && one != other)
                close(sockets[one][other]);
    run();
    /* What the process shares lives until the parent says that all have finished. */
    wait_for(PARENT);
    leave();
}

int main(void) {
    has_found = mmap(NULL, 2 * sizeof *has_found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    calls = mmap(NULL, sizeof *calls * PROCESSES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    processes = mmap(NULL, sizeof *processes * PROCESSES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int one = 0; one < PROCESSES; one++)
        for (int other = one + 1; other < PROCESSES; other++) {
            int pair[2];
            if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
                end(CANNOT_RUN, "cannot run: socketpair: %s", strerror(errno));
            sockets[one][other] = pair[0];
            sockets[other][one] = pair[1];
        }
//MAKE//    for (int one = 1; one < PROCESSES; one++)
        for (int other = 0; other < PROCESSES; other++)
            if (//STARTED//one != other)
                close(sockets[one][other]);
    signal(SIGALRM, too_long);
    alarm(SECONDS);

//PARENT//
    /* All have finished, or one has found something. */
    for (int process = 1; process < PROCESSES; process++)
        if (!is_gone[process])
            go_on(process);
    int status;
    pid_t pid;
    while ((pid = wait(&status)) > 0)
        ended(pid, status);
    alarm(0);
    say_that_it_behaves();
    return BEHAVES;
}
