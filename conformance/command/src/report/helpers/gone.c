/* Waits until a process has ended by itself. */
__attribute__((unused)) static void until_gone(int process) {
    int status;
    if (waitpid(processes[process], &status, 0) == processes[process])
        ended(processes[process], status);
}

/* Kills a process. */
__attribute__((unused)) static void kill_process(int process) {
    int status;
    kill(processes[process], SIGKILL);
    if (waitpid(processes[process], &status, 0) != processes[process])
        return;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        is_gone[process] = 1;
    else
        ended(processes[process], status);
}
