/* Runs this program again in this process, which goes on as another participant. */
static void become(int process) {
    char number[16], list[16 * PROCESSES] = "";
    snprintf(number, sizeof number, "%d", process);
    for (int other = 0; other < PROCESSES; other++) {
        int socket = other == process ? -1 : sockets[process][other];
        snprintf(list + strlen(list), 16, "%d ", socket);
        fcntl(socket, F_SETFD, 0);
    }
    execl("/proc/self/exe", "program", "--become", number, list, (char *)NULL);
    end(CANNOT_RUN, "cannot run: execl: %s", strerror(errno));
}

/* Whether a participant is this process, or one that it becomes. */
static int is_of(int process, int participant) {
    while (process != participant && becomes[process])
        process = becomes[process];
    return process == participant;
}
