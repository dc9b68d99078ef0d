/// Requests of the lab, as defined in docs/reference/protocol.md: one JSON object a line.

#ifndef PEERS_CRYPTOPP_REQUEST_HPP
#define PEERS_CRYPTOPP_REQUEST_HPP

#include <cstdint>
#include <initializer_list>
#include <jansson.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

/// The work is not supported here; this is a response, not an error.
struct unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A request that cannot be answered; it ends the program.
struct bad_request : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct json_deleter {
    void operator()(json_t *json) const { json_decref(json); }
};
using json_ptr = std::unique_ptr<json_t, json_deleter>;

/// Version of the protocol.
constexpr json_int_t protocol_version = 2;

struct request {
    enum class kind { prepare, sample, digest, quit };

    kind what = kind::quit;
    /// Its number, which the response repeats.
    json_int_t id = 0;
    /// For a preparation.
    std::string workload;
    std::int64_t threads = 1;
    /// For a sample.
    std::uint64_t iterations = 0;

    /// Refuses parameters other than these.
    void only(std::initializer_list<const char *> known) const;
    /// Returns a number in these bounds; nothing where it is left out.
    std::optional<std::uint64_t> number(const char *name, std::uint64_t least, std::uint64_t most) const;
    /// Returns a required number in these bounds.
    std::uint64_t required(const char *name, std::uint64_t least, std::uint64_t most) const;
    /// Returns one of these numbers; the first where it is left out.
    std::uint64_t choice(const char *name, std::initializer_list<std::uint64_t> known) const;
    /// Returns whether the text is the second of two; it is the first where it is left out.
    bool second(const char *name, const char *first, const char *second) const;
    /// Returns the bytes of the input, whose length must be `bytes`.
    std::vector<std::uint8_t> input(std::uint64_t bytes) const;

    /// The parsed document, with the parameters and the path of the input in it.
    json_ptr json;
    json_t *params = nullptr;
    const char *path = nullptr;
};

/// Returns the next request; `quit` at the end of standard input.
request read_request();

#endif
