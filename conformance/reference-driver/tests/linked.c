/* A program that links libcuda and nothing else of CUDA or of this repository. Prints the name of device 0, the machine
   that the environment names, and its arguments. */
#include <stdio.h>
#include <stdlib.h>

int cuInit(unsigned flags);
int cuDeviceGetName(char *name, int length, int device);

int main(int count, char **arguments) {
    char name[128];
    if (cuInit(0) || cuDeviceGetName(name, sizeof name, 0)) return 1;
    printf("%s\n%s\n", name, getenv("REFERENCE_DRIVER_MACHINE"));
    for (int index = 1; index < count; index++) printf("%s\n", arguments[index]);
    return 42;
}
