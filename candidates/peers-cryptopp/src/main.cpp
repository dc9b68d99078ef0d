/// A candidate of the lab: Crypto++ with scrypt, GMAC, VMAC, Rabin-Williams signatures and SHA-256.
///
/// It implements the protocol of docs/reference/protocol.md. The same program is built for several builds of
/// the library, with and without OpenMP; `ready` reports which one it is. It ends with 0 after `quit` or at
/// the end of standard input, with 2 after an error.

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include <cryptopp/cryptlib.h>
#include <cryptopp/filters.h>
#include <cryptopp/hex.h>
#include <cryptopp/sha.h>

#include "request.hpp"
#include "work.hpp"

namespace {

constexpr int status_done = 0, status_error = 2;

/// Writes a response as one line with the number of its request.
void respond(const request &request, json_t *json) {
    const json_ptr owned(json);
    if (json == nullptr || json_object_set_new(json, "id", json_integer(request.id)) != 0 ||
        json_dumpf(json, stdout, JSON_COMPACT) != 0 || std::putchar('\n') == EOF ||
        std::fflush(stdout) != 0) {
        throw bad_request("standard output cannot be written");
    }
}

/// As 8.7.0 without OpenMP.
std::string version() {
    const int version = CryptoPP::LibraryVersion();
    const std::string numbers = std::to_string(version / 100) + "." + std::to_string(version / 10 % 10) +
                                "." + std::to_string(version % 10);
#ifdef _OPENMP
    return numbers + " with OpenMP " + std::to_string(_OPENMP);
#else
    return numbers + " without OpenMP";
#endif
}

/// Resets the peak to the memory that is resident now. Where the system refuses, it stays the peak of the
/// whole process.
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

/// Returns the maximum resident set since then, in bytes; 0 if the system does not report it.
json_int_t peak() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind("VmHWM:", 0) == 0) {
            return std::stoll(line.substr(std::strlen("VmHWM:"))) * 1024;
        }
    }
    return 0;
}

/// Prepared work; an empty one has no workers.
using prepared = work;

void take_prepare(const request &request, prepared &work) {
    try {
        work = prepare(request);
    } catch (const unsupported &why) {
        respond(request, json_pack("{s:s}", "unsupported", why.what()));
        return;
    }
    forget_peak();
    const char *runtime = work.by_library ? "openmp" : work.threads > 1 ? "threads" : "serial";
    respond(request,
            json_pack("{s:{s:s, s:s, s:s, s:i}}", "ready", "name", "Crypto++", "version", version().c_str(),
                      "runtime", runtime, "threads", static_cast<int>(work.threads)));
}

void take_sample(const request &request, prepared &work) {
    const auto begun = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < request.iterations; i++) {
        work.iterate();
    }
    const auto elapsed = std::chrono::steady_clock::now() - begun;
    const json_int_t ns = std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count();
    json_t *const counts = json_object();
    if (const json_int_t bytes = peak(); bytes > 0) {
        json_object_set_new(counts, "peak-memory-bytes", json_integer(bytes));
    }
    // Short work may take less than the clock's resolution.
    respond(request, json_pack("{s:I, s:o}", "elapsed_ns", ns > 0 ? ns : 1, "counts", counts));
}

void take_digest(const request &request, const prepared &work) {
    const std::vector<std::uint8_t> answer = work.answer ? work.answer(work.written) : work.written;
    CryptoPP::SHA256 hash;
    std::string hex = "sha256:";
    // The pipeline owns its parts.
    CryptoPP::StringSource(
        answer.data(), answer.size(), true,
        new CryptoPP::HashFilter(hash, new CryptoPP::HexEncoder(new CryptoPP::StringSink(hex), false)));
    respond(request, json_pack("{s:s}", "digest", hex.c_str()));
}

/// Answers the requests on standard input.
void serve() {
    prepared work;
    bool sampled = false;
    for (;;) {
        const request request = read_request();
        if (request.what == request::kind::quit) {
            return;
        }
        if (request.what == request::kind::prepare) {
            if (!work.workers.empty()) {
                throw bad_request("`prepare` came a second time; it comes once");
            }
            take_prepare(request, work);
        } else if (work.workers.empty()) {
            throw bad_request("`sample` or `digest` came before a successful `prepare`");
        } else if (request.what == request::kind::sample) {
            take_sample(request, work);
            sampled = true;
        } else if (!sampled) {
            throw bad_request("`digest` came before the first `sample`: there is no output yet");
        } else {
            take_digest(request, work);
        }
    }
}

} // namespace

int main() {
    // The reader of the responses may have closed them; then writing fails.
    std::signal(SIGPIPE, SIG_IGN);
    try {
        serve();
        return status_done;
    } catch (const std::exception &why) {
        std::fprintf(stderr, "error: %s\n", why.what());
        return status_error;
    }
}
