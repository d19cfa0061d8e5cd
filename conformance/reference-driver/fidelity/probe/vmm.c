#include "groups.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>

static const Properties plain = {PINNED, 0, {DEVICE, 0}, NULL, {0}};
static const Properties shared = {PINNED, FILE_DESCRIPTOR, {DEVICE, 0}, NULL, {0}};

/* Creations with invalid or unusual properties. */
void vmm_refusals(void) {
    Properties nowhere = plain, windows = plain, unknown = plain;
    Physical physical;
    enter(0);
    nowhere.location.id = 1000;
    windows.handle_types = 2;
    unknown.handle_types = 0x40;
    say("vmm create granularity + 1", cuMemCreate(&physical, 2 * MIB + 1, &plain, 0));
    say("vmm create 0", cuMemCreate(&physical, 0, &plain, 0));
    say("vmm create flags", cuMemCreate(&physical, BLOCK, &plain, 1));
    say("vmm create on no device", cuMemCreate(&physical, BLOCK, &nowhere, 0));
    say("vmm create for windows", cuMemCreate(&physical, BLOCK, &windows, 0));
    say("vmm create handle type 0x40", cuMemCreate(&physical, BLOCK, &unknown, 0));
}

static int is_of_the_control_device(int descriptor) {
    char link[32], target[64] = {0};
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    return readlink(link, target, sizeof target - 1) > 0 && !strcmp(target, "/dev/nvidiactl");
}

static int export_memory(Physical physical, Physical exportable) {
    Handle bytes;
    Physical imported;
    int descriptor = -1;
    say("vmm export not asked for", cuMemExportToShareableHandle(&descriptor, physical, FILE_DESCRIPTOR, 0));
    say("vmm export fabric not asked for", cuMemExportToShareableHandle(&bytes, exportable, FABRIC, 0));
    say("vmm export flags", cuMemExportToShareableHandle(&descriptor, exportable, FILE_DESCRIPTOR, 1));
    say("vmm export", cuMemExportToShareableHandle(&descriptor, exportable, FILE_DESCRIPTOR, 0));
    say_value("vmm close-on-exec", fcntl(descriptor, F_GETFD) & FD_CLOEXEC);
    say_value("vmm descriptor of /dev/nvidiactl", (Pointer)is_of_the_control_device(descriptor));
    say("vmm import own", cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)descriptor, FILE_DESCRIPTOR));
    say_value("vmm import own is another handle", imported != exportable);
    return descriptor;
}

static void misuse_mapping(Pointer address, Physical physical, Physical exportable) {
    Access access = {{DEVICE, 0}, READ};
    Handle bytes;
    int capable = -1;
    say("vmm map part", cuMemMap(address, BLOCK / 2, 0, physical, 0));
    cuMemUnmap(address, BLOCK / 2);
    NEED(cuMemMap(address, BLOCK, 0, exportable, 0));
    say("vmm map over", cuMemMap(address, BLOCK, 0, physical, 0));
    say("vmm set before access", cuMemsetD8(address, 1, BLOCK));
    NEED(cuMemSetAccess(address, BLOCK, &access, 1));
    say("vmm set under read", cuMemsetD8(address, 1, BLOCK));
    say("vmm context afterwards", cuCtxSynchronize());
    access.flags = READ_WRITE;
    say("vmm access over a hole", cuMemSetAccess(address, 2 * BLOCK, &access, 1));
    NEED(cuMemSetAccess(address, BLOCK, &access, 1));
    access.location.id = 1000;
    say("vmm access of no device", cuMemSetAccess(address, BLOCK, &access, 1));
    NEED(cuMemsetD8(address, 9, BLOCK));
    NEED(cuCtxSynchronize());
    say("vmm legacy get", cuIpcGetMemHandle(&bytes, address));
    NEED(cuPointerGetAttribute(&capable, LEGACY_CAPABLE, address));
    say_value("vmm legacy capable", (Pointer)capable);
    say("vmm free", cuMemFree(address));
    say("vmm address free mapped", cuMemAddressFree(address, 2 * BLOCK));
    say("vmm unmap half", cuMemUnmap(address, BLOCK / 2));
    say("vmm address free part", cuMemAddressFree(address, BLOCK));
}

void vmm(void) {
    struct Peer importer = start_peer(importer_device);
    Physical physical, exportable;
    Pointer address;
    enter(0);
    NEED(cuMemCreate(&physical, BLOCK, &plain, 0));
    NEED(cuMemCreate(&exportable, BLOCK, &shared, 0));
    int descriptor = export_memory(physical, exportable);
    NEED(cuMemAddressReserve(&address, 2 * BLOCK, 0, 0, 0));
    misuse_mapping(address, physical, exportable);
    struct Answer import = pass_descriptor(&importer, VMM_IMPORT, descriptor);
    say_answer("vmm import", import);
    say_answer("vmm import exported again", ask(&importer, VMM_EXPORT, import.value));
    struct Answer types = ask(&importer, VMM_TYPES, import.value);
    say_answer("vmm import properties", types);
    say_value("vmm import handle types", types.value);
    say("vmm release before unmap", cuMemRelease(exportable));
    say("vmm unmap with the rest", cuMemUnmap(address, 2 * BLOCK));
    say("vmm unmap twice", cuMemUnmap(address, BLOCK));
    say("vmm release twice", cuMemRelease(exportable));
    struct Answer read = map_memory(&importer, import.value, BLOCK);
    say_answer("vmm import mapped after release", read);
    say_value("vmm import byte", read.value);
    end_peer(&importer);
}

void fabric(void) {
    static const unsigned char values[] = {0, 3, 0xff};
    Properties properties = plain;
    Physical physical;
    enter(0);
    properties.handle_types = FABRIC;
    say("fabric create", cuMemCreate(&physical, BLOCK, &properties, 0));
    properties.handle_types |= FILE_DESCRIPTOR;
    say("fabric or descriptor create", cuMemCreate(&physical, BLOCK, &properties, 0));
    for (size_t i = 0; i < sizeof values; i++) {
        char name[32];
        Handle bytes = filled(values[i]);
        snprintf(name, sizeof name, "fabric import %d", values[i]);
        say(name, cuMemImportFromShareableHandle(&physical, &bytes, FABRIC));
    }
}

static void foreign(const char *kind, int descriptor) {
    Physical imported;
    Object pool;
    void *number = (void *)(intptr_t)descriptor;
    char name[64];
    snprintf(name, sizeof name, "vmm import %s", kind);
    say(name, cuMemImportFromShareableHandle(&imported, number, FILE_DESCRIPTOR));
    snprintf(name, sizeof name, "pool import %s", kind);
    say(name, cuMemPoolImportFromShareableHandle(&pool, number, FILE_DESCRIPTOR, 0));
    if (descriptor >= 0) close(descriptor);
}

/* Imports of descriptors that do not refer to memory. */
void foreign_descriptors(void) {
    int ends[2];
    Physical imported;
    enter(0);
    say("vmm import stdin", cuMemImportFromShareableHandle(&imported, (void *)0, FILE_DESCRIPTOR));
    foreign("minus one", -1);
    foreign("closed", 999);
    foreign("/dev/null", open("/dev/null", O_RDWR));
    if (pipe(ends)) exit(2);
    foreign("pipe", ends[0]);
    foreign("socket", socket(AF_UNIX, SOCK_STREAM, 0));
    foreign("eventfd", eventfd(0, 0));
    foreign("memfd", memfd_create("probe", 0));
}
