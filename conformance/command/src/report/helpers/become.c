/* Whether a participant is this process, or one that it becomes. */
static int is_of(int process, int participant) {
    while (process != participant && becomes[process])
        process = becomes[process];
    return process == participant;
}

/* Runs this program again in this process, which goes on as another participant. It keeps the sockets of all participants
   that it becomes. */
static void become(int process) {
    char number[16], list[48 * PROCESSES * PROCESSES] = "";
    snprintf(number, sizeof number, "%d", process);
    for (int one = 1; one < PROCESSES; one++)
        for (int other = 0; other < PROCESSES; other++)
            if (one != other && is_of(process, one)) {
                snprintf(list + strlen(list), 48, "%d %d %d ", one, other, sockets[one][other]);
                fcntl(sockets[one][other], F_SETFD, 0);
            }
    execl("/proc/self/exe", "program", "--become", number, list, (char *)NULL);
    end(CANNOT_RUN, "cannot run: execl: %s", strerror(errno));
}
