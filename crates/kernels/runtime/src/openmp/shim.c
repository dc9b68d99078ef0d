/* OpenMP's pragmas as symbols, and nothing else: no globals, no allocation, no decisions.
 *
 * Callbacks never unwind: the Rust side catches a panic before it could reach a frame of C. */

#include <omp.h>
#include <stddef.h>

typedef void (*parcrypt_team)(const void *team, int thread, int threads);
typedef void (*parcrypt_task)(const void *context, size_t index);
typedef void (*parcrypt_branch)(void *context);

/* TASK(clauses) is the directive `task`, for libomp with a task of more than 8 KiB.
 *
 * In libomp (seen in 14, 15, 16 and 19) a worker that ends a small task which another thread made puts the
 * task's memory in a list, and frees it with a later one. When the thread that made it ends before that,
 * libomp frees the memory that is in the list; at its next task, for any caller, the worker reads and writes
 * there, which crashes the process or corrupts its memory. Callers cannot be required not to end. The memory
 * of a task above 8 KiB (64 lines of 128 bytes) never enters that list: it is freed at once, before the
 * region ends. clang makes the private variables of a task a part of its memory, so an array that is never
 * touched is enough. It costs a task 0.05 to 0.1 us, and 0.6 us while more than a hundred wait.
 *
 * GCC puts private variables on the stack, and libgomp has no such list. */
#define DIRECTIVE(...) _Pragma(#__VA_ARGS__)
#ifdef __clang__
#define ROOM char room[8192]
#define TASK(...) DIRECTIVE(omp task __VA_ARGS__ private(room))
#else
#define ROOM
#define TASK(...) DIRECTIVE(omp task __VA_ARGS__)
#endif

/* The date of the specification that the compiler follows, as yyyymm. */
int parcrypt_openmp_version(void) { return _OPENMP; }

/* Calls task(context, i) once for each i < tasks. Inside a region it creates tasks for the existing team;
 * otherwise it opens a region, in which each thread calls begin when it starts, and the first calls end when
 * it has no more work. */
void parcrypt_openmp_run(int threads, parcrypt_team begin, parcrypt_team end, const void *team, size_t tasks,
                         parcrypt_task task, const void *context) {
    if (omp_in_parallel()) {
        ROOM;
#pragma omp taskgroup
        for (size_t i = 0; i < tasks; i++) {
            TASK(firstprivate(i))
            task(context, i);
        }
        return;
    }
#pragma omp parallel num_threads(threads)
    {
        begin(team, omp_get_thread_num(), omp_get_num_threads());
#pragma omp for schedule(dynamic) nowait
        for (size_t i = 0; i < tasks; i++) {
            task(context, i);
        }
#pragma omp master
        end(team, omp_get_thread_num(), omp_get_num_threads());
    }
}

/* Runs b as a task beside a, inside a region. At the end of a taskgroup libgomp takes up any task
 * of the team; at a taskwait it takes up only children of this task, and idles while one of them runs on
 * another thread, which costs a balanced recursion on two threads a third of its speed. */
static void fork_two(parcrypt_branch a, void *context_a, parcrypt_branch b, void *context_b) {
    ROOM;
#pragma omp taskgroup
    {
        TASK(firstprivate(b, context_b))
        b(context_b);
        a(context_a);
    }
}

/* Calls both branches, possibly at once. The outermost call opens the region, calls inside it add tasks. */
void parcrypt_openmp_join(int threads, parcrypt_team begin, parcrypt_team end, const void *team,
                          parcrypt_branch a, void *context_a, parcrypt_branch b, void *context_b) {
    if (omp_in_parallel()) {
        fork_two(a, context_a, b, context_b);
        return;
    }
#pragma omp parallel num_threads(threads)
    {
        begin(team, omp_get_thread_num(), omp_get_num_threads());
#pragma omp master
        {
            fork_two(a, context_a, b, context_b);
            end(team, omp_get_thread_num(), omp_get_num_threads());
        }
    }
}
