
/* Starts a process after others. */
static void make_late(int process, void (*run)(void)) {
    make(process, run);
    for (int other = 0; other < PROCESSES; other++)
        if (other != process)
            close(sockets[process][other]);
}
