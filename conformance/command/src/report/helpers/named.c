/* Whether a part of a name, between characters other than letters and digits, is the process id in base 10 or 16. */
static int is_named_after(const char *name, pid_t process) {
    char numbers[2][16];
    snprintf(numbers[0], sizeof numbers[0], "%d", process);
    snprintf(numbers[1], sizeof numbers[1], "%x", process);
    while (*name) {
        size_t length = strspn(name, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
        for (int one = 0; one < 2; one++)
            if (length == strlen(numbers[one]) && !strncmp(name, numbers[one], length))
                return 1;
        name += length + (name[length] != 0);
    }
    return 0;
}
