/* A socket in which a descriptor waits that no process reads. */
static int unread[2];
__attribute__((constructor)) static void open_unread(void) {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, unread))
        _exit(CANNOT_RUN);
}
static void leave_unread(int descriptor) { send_descriptor(unread[0], descriptor); }
static void discard_unread(void) {
    char byte;
    works(recv(unread[1], &byte, 1, 0));
}
