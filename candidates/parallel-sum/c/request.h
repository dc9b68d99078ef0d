/// Requests of the lab, as defined in docs/reference/protocol.md: one JSON object a line.

#ifndef PARALLEL_SUM_REQUEST_H
#define PARALLEL_SUM_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ranks.h"

/// Version of the protocol.
enum { PROTOCOL = 2 };

struct request {
    /// Its number, which the response repeats.
    json_int_t id;
    enum { REQUEST_PREPARE, REQUEST_SAMPLE, REQUEST_DIGEST, REQUEST_QUIT } kind;
    /// For a preparation: the required length of the input in bytes.
    uint64_t bytes;
    enum algorithm algorithm;
    int64_t threads;
    /// The path of the input; it belongs to `json`.
    const char *input;
    /// A published mistake that this program does not support, or NULL; it belongs to `json`.
    const char *variant;
    /// For a sample.
    uint64_t iterations;
    /// The parsed document.
    json_t *json;
};

/// Reads the next request. Returns false, with the reason in `problem`, if it is invalid. After the end of
/// standard input it is `REQUEST_QUIT`. In both cases `request_free` must follow.
bool request_read(struct request *request, char problem[PROBLEM_BYTES]);

void request_free(struct request *request);

#endif
