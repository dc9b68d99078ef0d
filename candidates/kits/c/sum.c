/// The sum of a file's bytes, as a candidate for the workload `sum`.
#include "parlab.h"

static uint8_t *data;
static size_t length;
static uint64_t total;

static const char *prepare(const struct parlab_work *work) {
    data = parlab_read(work->input, &length);
    return NULL;
}

static void iterate(void) {
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        sum += data[i];
    }
    total = sum;
}

static void output(struct parlab_hash *hash) { parlab_put_u64(hash, total); }

int main(void) { return parlab_run("c", "sum", prepare, iterate, output); }
