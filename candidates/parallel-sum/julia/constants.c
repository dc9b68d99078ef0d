/// Prints the definitions of mpi.h as Julia: the library, the types of the handles and the constants.
///
/// A handle is a number in MPICH, and in Open MPI the address of a symbol, which is known to the dynamic
/// linker by its name.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void print_handle(const char *name, const char *type, const void *handle, size_t size) {
    int number;
    void *address;
    Dl_info info;
    if (size == sizeof number) {
        memcpy(&number, handle, sizeof number);
        printf("const %s = %s(%d)\n", name, type, number);
        return;
    }
    memcpy(&address, handle, sizeof address);
    if (address == NULL) {
        printf("const %s = %s(C_NULL)\n", name, type);
    } else if (dladdr(address, &info) != 0 && info.dli_sname != NULL && info.dli_saddr == address) {
        printf("const %s = %s(cglobal((:%s, libmpi)))\n", name, type, info.dli_sname);
    } else {
        fprintf(stderr, "error: MPI_%s is neither a number nor the address of a symbol\n", name);
        failures++;
    }
}

#define TYPE(name) printf("const %s = %s\n", #name, sizeof(MPI_##name) == sizeof(int) ? "Cint" : "Ptr{Cvoid}")
#define HANDLE(type, name)                                                                                   \
    do {                                                                                                     \
        const MPI_##type handle = MPI_##name;                                                                \
        print_handle(#name, #type, &handle, sizeof handle);                                                  \
    } while (0)
#define ADDRESS(name) printf("const %s = Ptr{UInt8}(%" PRIdPTR ")\n", #name, (intptr_t)MPI_##name)
#define NUMBER(name) printf("const %s = Cint(%d)\n", #name, (int)MPI_##name)

int main(void) {
    // A program that calls no function of a library may be linked without it.
    int (*const volatile used)(int *, char ***) = MPI_Init;
    void *const init = used != NULL ? dlsym(RTLD_DEFAULT, "MPI_Init") : NULL;
    Dl_info info;
    if (init == NULL || dladdr(init, &info) == 0 || strpbrk(info.dli_fname, "\"\\$") != NULL) {
        fprintf(stderr, "error: MPI_Init is in no shared library that can be named\n");
        return 1;
    }
    printf("const libmpi = \"%s\"\n", info.dli_fname);
    TYPE(Comm);
    TYPE(Datatype);
    TYPE(Op);
    TYPE(Request);
    TYPE(Win);
    TYPE(Info);
    TYPE(Errhandler);
    HANDLE(Comm, COMM_WORLD);
    HANDLE(Comm, COMM_SELF);
    HANDLE(Comm, COMM_NULL);
    HANDLE(Datatype, BYTE);
    HANDLE(Datatype, UINT64_T);
    HANDLE(Op, SUM);
    HANDLE(Op, MAX);
    HANDLE(Op, BOR);
    HANDLE(Win, WIN_NULL);
    HANDLE(Info, INFO_NULL);
    HANDLE(Errhandler, ERRORS_RETURN);
    ADDRESS(STATUS_IGNORE);
    ADDRESS(IN_PLACE);
    NUMBER(COMM_TYPE_SHARED);
    NUMBER(MAX_ERROR_STRING);
    return failures == 0 ? 0 : 1;
}
