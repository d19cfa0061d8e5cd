/* Descriptors travel as SCM_RIGHTS. */
static void send_descriptor(int socket, int descriptor) {
    char byte = 0;
    union { struct cmsghdr head; char space[CMSG_SPACE(sizeof(int))]; } control = { 0 };
    struct iovec part = { &byte, 1 };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control };
    control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
    memcpy(CMSG_DATA(&control.head), &descriptor, sizeof descriptor);
    if (sendmsg(socket, &message, MSG_NOSIGNAL) != 1)
        alone();
}
__attribute__((unused)) static void give_descriptor(int to, int descriptor) {
    send_descriptor(sockets[self][to], descriptor);
}
__attribute__((unused)) static int take_descriptor(int from) {
    char byte;
    int descriptor;
    union { struct cmsghdr head; char space[CMSG_SPACE(sizeof(int))]; } control = { 0 };
    struct iovec part = { &byte, 1 };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control };
    if (recvmsg(sockets[self][from], &message, MSG_CMSG_CLOEXEC) != 1 || control.head.cmsg_type != SCM_RIGHTS)
        alone();
    memcpy(&descriptor, CMSG_DATA(&control.head), sizeof descriptor);
    return descriptor;
}
