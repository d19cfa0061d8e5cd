/* Makes this process another user, in no other group. */
static void load(void);
static void become_user(uid_t user) {
    load();
    if (setgroups(0, NULL) || setresgid(user, user, user) || setresuid(user, user, user))
        end(CANNOT_RUN, "cannot run: it must be root to become user %d", (int)user);
    prctl(PR_SET_DUMPABLE, 1);
}
