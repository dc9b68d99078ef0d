#include "request.hpp"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

/// Maximum number of bytes of a request.
constexpr std::size_t most_line = 1 << 20;
/// Maximum number of characters of a request that a message repeats.
constexpr std::size_t shown = 200;

/// Reads a line without its end; returns nothing where standard input has ended.
std::optional<std::string> read_line() {
    std::string line;
    int c = 0;
    while ((c = std::getc(stdin)) != EOF && c != '\n') {
        if (line.size() == most_line) {
            throw bad_request("a line of standard input is longer than " + std::to_string(most_line) +
                              " bytes, which no request is");
        }
        line.push_back(static_cast<char>(c));
    }
    if (std::ferror(stdin) != 0) {
        throw bad_request("standard input cannot be read");
    }
    if (c == EOF && line.empty()) {
        return std::nullopt;
    }
    return line;
}

void take_prepare(request &request, json_t *body) {
    const char *workload = "";
    json_int_t threads = 0, protocol = 0;
    json_error_t error;
    if (json_unpack(body, "{s?:I}", "protocol", &protocol) == 0 && protocol != protocol_version) {
        throw bad_request("it is of protocol " + std::to_string(protocol) +
                          ", and this program speaks protocol " + std::to_string(protocol_version));
    }
    if (json_unpack_ex(body, &error, JSON_STRICT, "{s:I, s:s, s?:o, s:I, s?:s}", "protocol", &protocol,
                       "workload", &workload, "params", &request.params, "threads", &threads, "input",
                       &request.path) != 0) {
        throw bad_request(std::string("prepare: ") + error.text);
    }
    if (request.params != nullptr && !json_is_object(request.params)) {
        throw bad_request("prepare: `params` is no object");
    }
    if (threads < 1) {
        throw bad_request(std::to_string(threads) + " threads: at least 1 is needed");
    }
    request.workload = workload;
    request.threads = threads;
}

void take_sample(request &request, json_t *body) {
    json_int_t iterations = 0;
    json_error_t error;
    if (json_unpack_ex(body, &error, JSON_STRICT, "{s:I}", "iterations", &iterations) != 0) {
        throw bad_request(std::string("sample: ") + error.text);
    }
    if (iterations < 1) {
        throw bad_request(std::to_string(iterations) + " iterations: at least 1 is needed");
    }
    request.iterations = static_cast<std::uint64_t>(iterations);
}

void take(request &request) {
    static const char *const kinds[] = {"prepare", "sample", "digest", "quit"};
    json_t *body = nullptr;
    int kind = 0;
    const json_t *const id = json_object_get(request.json.get(), "id");
    if (json_is_object(request.json.get()) && !json_is_integer(id)) {
        throw bad_request("it has no number `id`, as protocol 1 has none; this program speaks protocol " +
                          std::to_string(protocol_version));
    }
    request.id = json_integer_value(id);
    if (json_object_size(request.json.get()) == 2) {
        while (kind < 4 && (body = json_object_get(request.json.get(), kinds[kind])) == nullptr) {
            kind++;
        }
    }
    if (body == nullptr) {
        throw bad_request("it is an object with `id` and one of prepare, sample, digest and quit");
    }
    request.what = static_cast<enum request::kind>(kind);
    switch (request.what) {
    case request::kind::prepare:
        take_prepare(request, body);
        break;
    case request::kind::sample:
        take_sample(request, body);
        break;
    default:
        if (!json_is_object(body) || json_object_size(body) != 0) {
            throw bad_request(std::string(kinds[kind]) + ": it has an empty object");
        }
    }
}

json_t *value_of(const request &request, const char *name) {
    return request.params == nullptr ? nullptr : json_object_get(request.params, name);
}

std::string text_of(const json_t *value) {
    const std::unique_ptr<char, decltype(&std::free)> text(json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY),
                                                           std::free);
    return text == nullptr ? "unprintable" : text.get();
}

[[noreturn]] void wrong(const char *name, const json_t *value, const std::string &right) {
    throw bad_request(std::string("parameter `") + name + "` is " + text_of(value) + ": " + right);
}

std::string bounds(std::uint64_t least, std::uint64_t most) {
    return "a number from " + std::to_string(least) + " to " + std::to_string(most);
}

} // namespace

void request::only(std::initializer_list<const char *> known) const {
    const char *name = nullptr;
    json_t *value = nullptr;
    json_object_foreach(params, name, value) {
        std::string names;
        bool found = false;
        for (const char *name_known : known) {
            found = found || std::strcmp(name_known, name) == 0;
            names += (names.empty() ? "`" : ", `") + std::string(name_known) + "`";
        }
        if (!found) {
            throw bad_request("`" + workload + "` has no parameter `" + name + "`: it has " + names);
        }
    }
}

std::optional<std::uint64_t> request::number(const char *name, std::uint64_t least,
                                             std::uint64_t most) const {
    const json_t *value = value_of(*this, name);
    if (value == nullptr) {
        return std::nullopt;
    }
    const json_int_t given = json_is_integer(value) ? json_integer_value(value) : -1;
    if (given < 0 || static_cast<std::uint64_t>(given) < least || static_cast<std::uint64_t>(given) > most) {
        wrong(name, value, "it must be " + bounds(least, most));
    }
    return static_cast<std::uint64_t>(given);
}

std::uint64_t request::required(const char *name, std::uint64_t least, std::uint64_t most) const {
    const auto given = number(name, least, most);
    if (!given) {
        throw bad_request("`" + workload + "` needs the parameter `" + name + "`, " + bounds(least, most));
    }
    return *given;
}

std::uint64_t request::choice(const char *name, std::initializer_list<std::uint64_t> known) const {
    const json_t *value = value_of(*this, name);
    if (value == nullptr) {
        return *known.begin();
    }
    std::string names;
    for (const std::uint64_t name_known : known) {
        if (json_is_integer(value) && json_integer_value(value) == static_cast<json_int_t>(name_known)) {
            return name_known;
        }
        names += (names.empty() ? "" : ", ") + std::to_string(name_known);
    }
    wrong(name, value, "it can be " + names);
}

bool request::second(const char *name, const char *first, const char *second) const {
    const json_t *value = value_of(*this, name);
    if (value == nullptr) {
        return false;
    }
    const char *given = json_is_string(value) ? json_string_value(value) : "";
    if (std::strcmp(given, first) != 0 && std::strcmp(given, second) != 0) {
        wrong(name, value, std::string("it can be \"") + first + "\", \"" + second + "\"");
    }
    return std::strcmp(given, second) == 0;
}

std::vector<std::uint8_t> request::input(std::uint64_t bytes) const {
    if (path == nullptr) {
        throw bad_request("`" + workload + "` needs an input file, and none was named");
    }
    const std::string input = std::string("input ") + path + ": ";
    // Without O_NONBLOCK opening a FIFO would wait.
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) {
        throw bad_request(input + std::strerror(errno));
    }
    const std::unique_ptr<const int, void (*)(const int *)> closed(&file,
                                                                   [](const int *open) { close(*open); });
    struct stat status;
    if (fstat(file, &status) != 0) {
        throw bad_request(input + std::strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        throw bad_request(input + "not a regular file");
    }
    if (static_cast<std::uint64_t>(status.st_size) != bytes) {
        throw bad_request(input + "it has " + std::to_string(status.st_size) +
                          " bytes, but the parameters say " + std::to_string(bytes));
    }
    std::vector<std::uint8_t> all(bytes);
    for (std::size_t done = 0; done < all.size();) {
        const ssize_t now = read(file, all.data() + done, all.size() - done);
        if (now <= 0) {
            throw bad_request(input + (now < 0 ? std::strerror(errno) : "it has become shorter"));
        }
        done += static_cast<std::size_t>(now);
    }
    return all;
}

request read_request() {
    request request;
    const auto line = read_line();
    if (!line) {
        return request;
    }
    json_error_t error;
    request.json.reset(json_loadb(line->data(), line->size(), JSON_REJECT_DUPLICATES, &error));
    try {
        if (request.json == nullptr) {
            throw bad_request(error.text);
        }
        take(request);
    } catch (const bad_request &why) {
        throw bad_request("`" + line->substr(0, shown) + "` is not a request: " + why.what());
    }
    return request;
}
