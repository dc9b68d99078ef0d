#include "work.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <numeric>
#include <string>
#include <thread>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <cryptopp/aes.h>
#include <cryptopp/gcm.h>
#include <cryptopp/modes.h>
#include <cryptopp/pssr.h>
#include <cryptopp/rw.h>
#include <cryptopp/scrypt.h>
#include <cryptopp/sha.h>
#include <cryptopp/vmac.h>

namespace {

using bytes = std::vector<std::uint8_t>;
using input_ptr = std::shared_ptr<const bytes>;

/// Whether the library was built with OpenMP; the Makefile asks the library itself.
constexpr bool with_openmp = PEERS_LIBRARY_OPENMP != 0;

/// Maximum number of keys, messages or signatures.
constexpr std::uint64_t most_items = 1 << 20;
/// Maximum number of threads, of the library or of the caller.
constexpr std::int64_t most_threads = 256;
/// Maximum size of a message, as log2 of the bytes.
constexpr std::uint64_t most_scale = 30;
/// Bytes of a password, of a salt, and of a message to be signed.
constexpr std::size_t secret = 32;
constexpr std::size_t derived = 64;

bytes counted(std::size_t n) {
    bytes all(n);
    std::iota(all.begin(), all.end(), static_cast<std::uint8_t>(0));
    return all;
}

/// Returns the bytes 0, 1, 2, …, and at the end the message's index.
template <std::size_t N> std::array<std::uint8_t, N> nonce_of(std::size_t message) {
    std::array<std::uint8_t, N> nonce;
    std::iota(nonce.begin(), nonce.end(), static_cast<std::uint8_t>(0));
    for (std::size_t i = 0; i < 4; i++) {
        nonce[N - 1 - i] = static_cast<std::uint8_t>(message >> 8 * i);
    }
    return nonce;
}

/// Random bytes that are the same in every run: AES in output feedback from a fixed key.
class fixed_rng {
  public:
    explicit fixed_rng(std::uint8_t seed) {
        bytes key = counted(32), zero(16);
        key[0] = seed;
        stream.SetKeyWithIV(key.data(), key.size(), zero.data());
    }
    CryptoPP::RandomNumberGenerator &rng() { return stream; }

  private:
    CryptoPP::OFB_Mode<CryptoPP::AES>::Encryption stream;
};

/// Division of the work among threads.
struct cut {
    /// Threads of the caller, and of the library.
    unsigned callers = 1, inside = 1;
};

/// Whether the library has threads of its own for this work is `own`.
cut cut_of(const request &request, bool own) {
    const bool loop = request.second("loop", "serial", "threads");
    if (request.threads > most_threads) {
        throw unsupported(std::to_string(request.threads) + " threads: " + std::to_string(most_threads) +
                          " are the most");
    }
    const auto threads = static_cast<unsigned>(request.threads);
    cut cut;
    if (loop) {
        cut.callers = threads;
    } else if (own && with_openmp) {
        cut.inside = threads;
    } else if (threads > 1) {
        throw unsupported("Crypto++ " + std::string(with_openmp ? "" : "without OpenMP ") + "runs `" +
                          request.workload + "` on 1 thread, " + std::to_string(request.threads) +
                          " were asked for");
    }
#ifdef _OPENMP
    if (cut.callers > 1) {
        throw unsupported("a caller's own threads are for the builds without OpenMP");
    }
    omp_set_dynamic(0);
    omp_set_num_threads(static_cast<int>(cut.inside));
#endif
    return cut;
}

/// Fills in the common part of all workloads; `make` creates a worker.
work filled(const request &request, std::size_t items, std::size_t width, bool own,
            const std::function<worker(unsigned caller)> &make) {
    const cut cut = cut_of(request, own);
    work work;
    for (unsigned i = 0; i < cut.callers; i++) {
        work.workers.push_back(make(i));
    }
    work.width = width;
    work.items = items;
    work.written.resize(items * width);
    work.threads = std::max(cut.callers, cut.inside);
    work.by_library = own && with_openmp;
    return work;
}

work scrypt(const request &request) {
    request.only({"log-n", "r", "p", "keys", "loop"});
    const std::uint64_t n = std::uint64_t{1} << request.required("log-n", 1, 30);
    const std::uint64_t r = request.number("r", 1, 1 << 16).value_or(8);
    const std::uint64_t p = request.number("p", 1, 1 << 16).value_or(1);
    const std::size_t keys = request.number("keys", 1, most_items).value_or(1);
    const auto input = std::make_shared<const bytes>(request.input(keys * 2 * secret));
    return filled(request, keys, derived, true, [=](unsigned) {
        return [=](std::size_t key, std::uint8_t *answer) {
            const std::uint8_t *password = input->data() + key * 2 * secret;
            CryptoPP::Scrypt().DeriveKey(answer, derived, password, secret, password + secret, secret, n, r,
                                         p);
        };
    });
}

/// A tag by a class of Crypto++ that has its key.
template <std::size_t Nonce, typename Mac>
void tag(Mac &mac, std::size_t message, const bytes &input, std::size_t length, std::uint8_t *answer,
         std::size_t size) {
    const auto nonce = nonce_of<Nonce>(message);
    mac.Resynchronize(nonce.data(), static_cast<int>(nonce.size()));
    mac.Update(input.data() + message * length, length);
    mac.TruncatedFinal(answer, size);
}

work gmac(const request &request) {
    request.only({"scale", "messages", "key-bits", "loop"});
    const std::size_t length = std::size_t{1} << request.required("scale", 0, most_scale);
    const std::size_t messages = request.number("messages", 1, most_items).value_or(1);
    const bytes key = counted(request.choice("key-bits", {128, 192, 256}) / 8);
    const auto input = std::make_shared<const bytes>(request.input(messages * length));
    return filled(request, messages, 16, false, [&](unsigned) -> worker {
        const auto mac = std::make_shared<CryptoPP::GCM<CryptoPP::AES>::Encryption>();
        mac->SetKeyWithIV(key.data(), key.size(), nonce_of<12>(0).data(), 12);
        return [=](std::size_t message, std::uint8_t *answer) {
            tag<12>(*mac, message, *input, length, answer, 16);
        };
    });
}

/// VMAC whose nonce may change in its last byte: Crypto++ 8.7 then uses the previous encrypted nonce, and
/// returns a wrong tag of 64 bits (`VMAC_Base::Resynchronize` does not reset `m_padCached`).
template <int Bits> struct renewed_vmac : CryptoPP::VMAC<CryptoPP::AES, Bits> {
    /// The nonce of an odd message differs from the previous one only in the lowest bit, for which one
    /// encryption is enough. A repeated nonce takes one, as any other.
    void renew(std::size_t message) {
        if (message % 2 == 0 || message != next) {
            this->m_padCached = false;
        }
        next = message + 1;
    }

  private:
    std::size_t next = 0;
};

template <int Bits> work vmac_of(const request &request, std::size_t length, std::size_t messages) {
    const auto input = std::make_shared<const bytes>(request.input(messages * length));
    return filled(request, messages, Bits / 8, false, [&](unsigned) -> worker {
        const auto mac = std::make_shared<renewed_vmac<Bits>>();
        mac->SetKeyWithIV(counted(16).data(), 16, nonce_of<16>(0).data(), 16);
        return [=](std::size_t message, std::uint8_t *answer) {
            mac->renew(message);
            tag<16>(*mac, message, *input, length, answer, Bits / 8);
        };
    });
}

work vmac(const request &request) {
    request.only({"scale", "messages", "tag-bits", "loop"});
    const std::size_t length = std::size_t{1} << request.required("scale", 0, most_scale);
    const std::size_t messages = request.number("messages", 1, most_items).value_or(1);
    return request.choice("tag-bits", {64, 128}) == 64 ? vmac_of<64>(request, length, messages)
                                                       : vmac_of<128>(request, length, messages);
}

using scheme = CryptoPP::RWSS<CryptoPP::PSS, CryptoPP::SHA256>;

/// Returns the verdicts on a message and on the same with its lowest bit flipped.
std::array<bool, 2> verdicts(const scheme::Verifier &verifier, const std::uint8_t *message,
                             const std::uint8_t *signature) {
    std::array<std::uint8_t, secret> other;
    std::copy(message, message + secret, other.begin());
    other.back() = static_cast<std::uint8_t>(other.back() ^ 1);
    const std::size_t length = verifier.SignatureLength();
    return {verifier.VerifyMessage(message, secret, signature, length),
            verifier.VerifyMessage(other.data(), secret, signature, length)};
}

struct signing {
    std::shared_ptr<const scheme::Signer> signer;
    std::shared_ptr<const scheme::Verifier> verifier;
    input_ptr input;
    std::size_t signatures = 1;
};

signing key_for(const request &request) {
    request.only({"bits", "signatures", "loop"});
    const auto bits = static_cast<unsigned>(request.required("bits", 1024, 4096));
    if (bits % 1024 != 0) {
        throw bad_request("parameter `bits` is " + std::to_string(bits) +
                          ": it can be 1024, 2048, 3072, 4096");
    }
    signing all;
    all.signatures = request.number("signatures", 1, most_items).value_or(1);
    all.input = std::make_shared<const bytes>(request.input(all.signatures * secret));
    fixed_rng random(0xff);
    auto signer = std::make_shared<scheme::Signer>();
    signer->AccessKey().Initialize(random.rng(), bits);
    all.verifier = std::make_shared<scheme::Verifier>(*signer);
    all.signer = std::move(signer);
    return all;
}

worker signer_of(const signing &all, unsigned caller) {
    const auto random = std::make_shared<fixed_rng>(static_cast<std::uint8_t>(caller));
    return [=, signer = all.signer, input = all.input](std::size_t item, std::uint8_t *answer) {
        signer->SignMessage(random->rng(), input->data() + item * secret, secret, answer);
    };
}

work rw_sign(const request &request) {
    const signing all = key_for(request);
    const std::size_t width = all.verifier->SignatureLength();
    work work =
        filled(request, all.signatures, width, true, [&](unsigned caller) { return signer_of(all, caller); });
    work.answer = [=](const bytes &written) {
        bytes answer;
        for (std::size_t i = 0; i < all.signatures; i++) {
            const auto [right, turned] =
                verdicts(*all.verifier, all.input->data() + i * secret, written.data() + i * width);
            answer.push_back(right && !turned);
        }
        return answer;
    };
    return work;
}

work rw_verify(const request &request) {
    const signing all = key_for(request);
    const std::size_t width = all.verifier->SignatureLength();
    const worker sign = signer_of(all, 0);
    const auto made = std::make_shared<bytes>(all.signatures * width);
    for (std::size_t i = 0; i < all.signatures; i++) {
        sign(i, made->data() + i * width);
    }
    work work = filled(request, all.signatures, 1, false, [&](unsigned) {
        return [=](std::size_t item, std::uint8_t *answer) {
            *answer = all.verifier->VerifyMessage(all.input->data() + item * secret, secret,
                                                  made->data() + item * width, width);
        };
    });
    work.answer = [=](const bytes &written) {
        bytes answer;
        for (std::size_t i = 0; i < all.signatures; i++) {
            const auto [right, turned] =
                verdicts(*all.verifier, all.input->data() + i * secret, made->data() + i * width);
            // The first is the output of the last iteration.
            answer.push_back(written[i]);
            answer.push_back(turned);
            static_cast<void>(right);
        }
        return answer;
    };
    return work;
}

work sha256(const request &request) {
    request.only({"scale"});
    const std::size_t length = std::size_t{1} << request.required("scale", 0, most_scale);
    const auto input = std::make_shared<const bytes>(request.input(length));
    return filled(request, 1, CryptoPP::SHA256::DIGESTSIZE, false, [&](unsigned) {
        return [=](std::size_t, std::uint8_t *answer) {
            CryptoPP::SHA256().CalculateDigest(answer, input->data(), input->size());
        };
    });
}

} // namespace

void work::iterate() {
    const std::size_t share = (items + workers.size() - 1) / workers.size();
    std::vector<std::exception_ptr> failed(workers.size());
    const auto part = [&](std::size_t caller) {
        try {
            const std::size_t end = std::min(items, (caller + 1) * share);
            for (std::size_t i = caller * share; i < end; i++) {
                workers[caller](i, written.data() + i * width);
            }
        } catch (...) {
            failed[caller] = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    for (std::size_t caller = 1; caller < workers.size(); caller++) {
        others.emplace_back(part, caller);
    }
    part(0);
    for (std::thread &other : others) {
        other.join();
    }
    for (const std::exception_ptr &failure : failed) {
        if (failure) {
            std::rethrow_exception(failure);
        }
    }
}

work prepare(const request &request) {
    static const struct {
        const char *name;
        work (*make)(const struct request &);
    } workloads[] = {{"scrypt", scrypt},   {"gmac", gmac},           {"vmac", vmac},
                     {"rw-sign", rw_sign}, {"rw-verify", rw_verify}, {"sha256", sha256}};
    std::string names;
    for (const auto &workload : workloads) {
        if (request.workload == workload.name) {
            return workload.make(request);
        }
        names += (names.empty() ? "" : ", ") + std::string(workload.name);
    }
    throw bad_request("unknown workload `" + request.workload + "`: it can be " + names);
}
