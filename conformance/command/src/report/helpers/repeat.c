
/* The failure shows only by chance. So the processes run again and again, until it shows or a quarter of the seconds is
 * over. */
int main(void) {
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    int runs = 0;
    do {
        int status;
        pid_t run = fork();
        if (run < 0) {
            printf("cannot run: fork: %s\n", strerror(errno));
            return CANNOT_RUN;
        }
        if (!run) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            exit(run_once());
        }
        while (waitpid(run, &status, 0) != run)
            ;
        runs++;
        if (!WIFEXITED(status)) {
            printf("cannot tell: a run was killed by signal %d\n", WTERMSIG(status));
            return CANNOT_RUN;
        }
        if (WEXITSTATUS(status) != BEHAVES)
            return WEXITSTATUS(status);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - begin.tv_sec < SECONDS / 4);
    printf("the driver behaves as expected in %d runs\n", runs);
    return BEHAVES;
}
