/* What a process uses of the system. */
struct usage {
    unsigned long long resident, mapped, mappings, descriptors, children, shared_files;
    char **files;
};

/* Adds a file of /dev/shm to those of a process, if it is not there yet. */
static void add_shared(struct usage *usage, const char *path) {
    const char *name = strstr(path, "/dev/shm/");
    if (!name)
        return;
    size_t length = strcspn(name, "\n");
    for (size_t file = 0; file < usage->shared_files; file++)
        if (strlen(usage->files[file]) == length && !strncmp(usage->files[file], name, length))
            return;
    usage->files = realloc(usage->files, (usage->shared_files + 1) * sizeof *usage->files);
    usage->files[usage->shared_files++] = strndup(name, length);
}

/* Counts the files of /dev/shm that a process has, and did not have before. */
__attribute__((unused)) static size_t new_files(const struct usage *before, const struct usage *after) {
    size_t count = after->shared_files;
    for (size_t new = 0; new < after->shared_files; new++)
        for (size_t old = 0; old < before->shared_files; old++)
            count -= !strcmp(after->files[new], before->files[old]);
    return count;
}

static FILE *open_of(pid_t process, const char *file) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", process, file);
    FILE *opened = fopen(path, "re");
    if (!opened)
        end(CANNOT_RUN, "cannot run: %s: %s", path, strerror(errno));
    return opened;
}

static DIR *folder_of(pid_t process, const char *folder) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", process, folder);
    DIR *opened = opendir(path);
    if (!opened)
        end(CANNOT_RUN, "cannot run: %s: %s", path, strerror(errno));
    return opened;
}

static struct usage usage_of(pid_t process) {
    struct usage usage = { 0 };
    char line[4096], rights[8];
    unsigned long begin, after;
    FILE *file = open_of(process, "status");
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %llu", &usage.resident))
            usage.resident *= 1024;
    fclose(file);
    file = open_of(process, "maps");
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%lx-%lx %7s", &begin, &after, rights) == 3) {
            usage.mappings++;
            usage.mapped += strncmp(rights, "---", 3) ? after - begin : 0;
            add_shared(&usage, line);
        }
    fclose(file);
    struct dirent *entry;
    DIR *folder = folder_of(process, "fd");
    while ((entry = readdir(folder))) {
        ssize_t length = readlinkat(dirfd(folder), entry->d_name, line, sizeof line - 1);
        usage.descriptors += entry->d_name[0] != '.';
        line[length > 0 ? length : 0] = 0;
        if (!strncmp(line, "/dev/shm/", 9))
            add_shared(&usage, line);
    }
    closedir(folder);
    folder = folder_of(process, "task");
    while ((entry = readdir(folder))) {
        char path[300];
        int child;
        snprintf(path, sizeof path, "/proc/%d/task/%s/children", process, entry->d_name);
        file = fopen(path, "re");
        while (file && fscanf(file, "%d", &child) == 1)
            usage.children++;
        if (file)
            fclose(file);
    }
    closedir(folder);
    folder = opendir("/dev/shm");
    while (folder && (entry = readdir(folder)))
        if (is_named_after(entry->d_name, process)) {
            snprintf(line, sizeof line, "/dev/shm/%s", entry->d_name);
            add_shared(&usage, line);
        }
    if (folder)
        closedir(folder);
    return usage;
}
