/* Replaces the child by this program, which then only uses the driver. */
static int become_a_program(int device) {
    char number[16];
    snprintf(number, sizeof number, "%d", device);
    execl("/proc/self/exe", "program", "--use-the-driver", number, (char *)NULL);
    return 1;
}
static void load(void);
__attribute__((constructor)) static void begin(int count, char **arguments) {
    if (count != 3 || strcmp(arguments[1], "--use-the-driver"))
        return;
    load();
    _exit(use_the_driver(atoi(arguments[2]), 1));
}
