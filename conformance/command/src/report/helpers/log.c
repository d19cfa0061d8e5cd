/* Counts the lines of the driver's log, and those with a letter in them. */
static int heard_lines, heard_texts;
static void hear(void *data, CUlogLevel level, char *message, size_t length) {
    (void)data;
    (void)level;
    heard_lines++;
    while (length && !isalpha((unsigned char)message[length - 1]))
        length--;
    heard_texts += length > 0;
}
static void ignore(void *data, CUlogLevel level, char *message, size_t length) {
    (void)data;
    (void)level;
    (void)message;
    (void)length;
}
