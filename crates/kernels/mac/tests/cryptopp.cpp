// VMAC by Crypto++, for tests/cryptopp.rs. Reads records from standard input and writes the tag of each to
// standard output. A record: bytes of key, nonce and tag, one byte each; bytes of the message as four bytes,
// little-endian; key, nonce, message.

#include <cryptopp/aes.h>
#include <cryptopp/vmac.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static std::vector<CryptoPP::byte> take(std::size_t count) {
    std::vector<CryptoPP::byte> bytes(count + 1);
    if (std::fread(bytes.data(), 1, count, stdin) != count) {
        std::fputs("a record ends early\n", stderr);
        std::exit(2);
    }
    bytes.resize(count);
    return bytes;
}

template <class Mac>
static void answer(std::size_t key_size, std::size_t nonce_size, std::size_t message_size) {
    const auto key = take(key_size), nonce = take(nonce_size), message = take(message_size);
    Mac mac;
    mac.SetKeyWithIV(key.data(), key.size(), nonce.data(), nonce.size());
    std::vector<CryptoPP::byte> tag(mac.DigestSize());
    mac.CalculateDigest(tag.data(), message.data(), message.size());
    std::fwrite(tag.data(), 1, tag.size(), stdout);
}

int main() {
    CryptoPP::byte head[7];
    while (std::fread(head, 1, sizeof head, stdin) == sizeof head) {
        const std::size_t size =
            head[3] | head[4] << 8 | head[5] << 16 | static_cast<std::size_t>(head[6]) << 24;
        if (head[2] == 8)
            answer<CryptoPP::VMAC<CryptoPP::AES, 64>>(head[0], head[1], size);
        else
            answer<CryptoPP::VMAC<CryptoPP::AES, 128>>(head[0], head[1], size);
    }
    return 0;
}
