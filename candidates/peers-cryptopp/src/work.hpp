/// The workloads of docs/reference/workloads.md by Crypto++.

#ifndef PEERS_CRYPTOPP_WORK_HPP
#define PEERS_CRYPTOPP_WORK_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "request.hpp"

/// Writes the output for one key, message or signature with the given index.
using worker = std::function<void(std::size_t item, std::uint8_t *answer)>;

/// Prepared work that can be repeated.
struct work {
    /// One for each thread of the caller's own.
    std::vector<worker> workers;
    /// Bytes that a worker writes for each index.
    std::size_t width = 0;
    std::size_t items = 0;
    /// The last output of the workers.
    std::vector<std::uint8_t> written;
    /// Returns the canonical bytes of the output; empty where the output is already canonical.
    std::function<std::vector<std::uint8_t>(const std::vector<std::uint8_t> &written)> answer;
    /// Threads in effect: of the library where `by_library`, else of the caller.
    unsigned threads = 1;
    bool by_library = false;

    /// Does the work once.
    void iterate();
};

/// Prepares the work. Throws `unsupported` or `bad_request`.
work prepare(const request &request);

#endif
