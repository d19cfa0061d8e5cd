/* A program that inherits a descriptor and does nothing with it. It ends with its standard input. */
static pid_t holder;
static int end_of_holder;
static void start_holder(int descriptor) {
    int input[2], begun[2];
    char nothing;
    works(pipe2(input, O_CLOEXEC));
    works(pipe2(begun, O_CLOEXEC));
    holder = works(fork());
    if (!holder) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        works(fcntl(descriptor, F_SETFD, 0));
        works(dup2(input[0], 0));
        works(dup2(open("/dev/null", O_WRONLY), 1));
        execlp("cat", "cat", (char *)NULL);
        _exit(1);
    }
    close(input[0]);
    close(begun[1]);
    /* Wait until the new process runs cat: before that, it has copies of all descriptors of this one. */
    works(read(begun[0], &nothing, 1));
    close(begun[0]);
    end_of_holder = input[1];
}
__attribute__((unused)) static void end_holder(void) {
    close(end_of_holder);
    waitpid(holder, NULL, 0);
}
