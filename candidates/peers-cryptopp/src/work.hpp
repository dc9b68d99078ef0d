/// The workloads of docs/reference/workloads.md by Crypto++.

#ifndef PEERS_CRYPTOPP_WORK_HPP
#define PEERS_CRYPTOPP_WORK_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "request.hpp"

/// Makes the answer for one key, message or signature, whose number it gets.
using worker = std::function<void(std::size_t item, std::uint8_t *answer)>;

/// Work that is ready to be done as often as anybody likes.
struct work {
    /// One for each thread of the caller's own.
    std::vector<worker> workers;
    /// Bytes that a worker writes for each.
    std::size_t width = 0;
    std::size_t items = 0;
    /// What the workers wrote last.
    std::vector<std::uint8_t> written;
    /// Makes the canonical bytes of the answer out of it; nothing where they are the same.
    std::function<std::vector<std::uint8_t>(const std::vector<std::uint8_t> &written)> answer;
    /// Threads that really run: of the library where `by_library`, else of the caller.
    unsigned threads = 1;
    bool by_library = false;

    /// Does all of it once.
    void iterate();
};

/// Makes the work ready. Throws `unsupported` or `bad_request`.
work prepare(const request &request);

#endif
