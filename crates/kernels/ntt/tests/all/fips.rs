//! ML-KEM (FIPS 203) and ML-DSA (FIPS 204) by the algorithms of the standards, over a ring of ours. Matrices are
//! sampled as transforms there, so that a key is correct only with the standard's transform, its order, its products.

use parcrypt_cpu::Backend;
use parcrypt_ntt::Convolution::Negacyclic;
use parcrypt_ntt::{MlDsa, MlKem, Ring};
use parcrypt_testkit::backends;
use sha3::{Digest, Sha3_256, Sha3_512};
use shake::digest::{ExtendableOutput, Update, XofReader};
use shake::{Shake128, Shake256};

type Polynomial = [u32; 256];

/// Returns ML-KEM's or ML-DSA's ring on every backend, and with the portable kernels for any modulus.
pub(crate) fn rings(modulus: u32) -> Vec<Ring> {
    let offered = if modulus == Kem::Q { MlKem::backends() } else { MlDsa::backends() };
    let tuned = backends("parcrypt-ntt", &offered).into_iter();
    let tuned = tuned.map(|backend| Ring::new(backend.into(), modulus, 256, Negacyclic));
    let any = Ring::any(Backend::Portable.into(), modulus, 256, Negacyclic);
    tuned.chain([any]).map(|ring| ring.expect("a ring")).collect()
}

fn add(ring: &Ring, a: &Polynomial, b: &Polynomial) -> Polynomial {
    std::array::from_fn(|i| (a[i] + b[i]) % ring.modulus())
}

fn subtract(ring: &Ring, a: &Polynomial, b: &Polynomial) -> Polynomial {
    std::array::from_fn(|i| (a[i] + ring.modulus() - b[i]) % ring.modulus())
}

/// Returns the sum of the products of transforms.
fn dot(ring: &Ring, a: &[Polynomial], b: &[Polynomial]) -> Polynomial {
    let mut product = [0; 256];
    a.iter().zip(b).fold([0; 256], |sum, (a, b)| {
        ring.pointwise(a, b, &mut product).expect("transforms");
        add(ring, &sum, &product)
    })
}

fn forward(ring: &Ring, polynomials: &[Polynomial]) -> Vec<Polynomial> {
    let mut all = polynomials.to_vec();
    all.iter_mut().for_each(|x| ring.forward(x).expect("a polynomial"));
    all
}

fn inverse(ring: &Ring, mut transform: Polynomial) -> Polynomial {
    ring.inverse(&mut transform).expect("a transform");
    transform
}

/// Applies a function to each coefficient.
fn each(polynomials: &[Polynomial], f: impl Fn(u32) -> u32) -> Vec<Polynomial> {
    polynomials.iter().map(|x| x.map(&f)).collect()
}

/// Returns coefficients of `bits` bits each, from the lowest bit of the first byte on: FIPS 203, algorithms 3 to 6;
/// FIPS 204, algorithm 16.
fn pack(polynomials: &[Polynomial], bits: usize) -> Vec<u8> {
    let values = polynomials.as_flattened();
    let mut bytes = vec![0; values.len() * bits / 8];
    for i in 0..values.len() * bits {
        bytes[i / 8] |= ((values[i / bits] >> (i % bits) & 1) as u8) << (i % 8);
    }
    bytes
}

fn unpack(bytes: &[u8], bits: usize) -> Vec<Polynomial> {
    let polynomial = |bytes: &[u8]| {
        let bit = |i: usize| u32::from(bytes[i / 8] >> (i % 8) & 1);
        std::array::from_fn(|i| (0..bits).map(|j| bit(i * bits + j) << j).sum())
    };
    bytes.chunks(32 * bits).map(polynomial).collect()
}

fn read<const N: usize>(xof: &mut impl XofReader) -> [u8; N] {
    let mut bytes = [0; N];
    xof.read(&mut bytes);
    bytes
}

fn shake<H: Default + Update + ExtendableOutput>(parts: &[&[u8]]) -> H::Reader {
    let mut hash = H::default();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize_xof()
}

/// H of FIPS 204, section 3.7.
pub(crate) fn shake_256<const N: usize>(parts: &[&[u8]]) -> [u8; N] {
    read(&mut shake::<Shake256>(parts))
}

/// ML-KEM with k rows: section 8.
pub(crate) struct Kem<'a> {
    ring: &'a Ring,
    k: usize,
    eta: usize,
    du: usize,
    dv: usize,
}

impl<'a> Kem<'a> {
    pub(crate) const Q: u32 = 3329;

    pub(crate) fn new(ring: &'a Ring, k: usize) -> Self {
        let (eta, du, dv) = [(3, 10, 4), (2, 10, 4), (2, 11, 5)][k - 2];
        Kem { ring, k, eta, du, dv }
    }

    fn h(bytes: &[u8]) -> [u8; 32] {
        Sha3_256::digest(bytes).into()
    }

    fn g(parts: &[&[u8]]) -> ([u8; 32], [u8; 32]) {
        let hash = Sha3_512::digest(parts.concat());
        (std::array::from_fn(|i| hash[i]), std::array::from_fn(|i| hash[32 + i]))
    }

    /// Returns Â, sampled by algorithm 7.
    fn matrix(&self, rho: &[u8]) -> Vec<Vec<Polynomial>> {
        let sample = |i: usize, j: usize| {
            let mut xof = shake::<Shake128>(&[rho, &[j as u8, i as u8]]);
            let mut values = Vec::new();
            while values.len() < 256 {
                let [a, b, c] = read::<3>(&mut xof).map(u32::from);
                values.extend([a + 256 * (b % 16), b / 16 + 16 * c].into_iter().filter(|d| *d < Self::Q));
            }
            std::array::from_fn(|i| values[i])
        };
        (0..self.k).map(|i| (0..self.k).map(|j| sample(i, j)).collect()).collect()
    }

    /// Returns `count` polynomials, sampled by algorithm 8.
    fn noise(eta: usize, seed: &[u8], first: usize, count: usize) -> Vec<Polynomial> {
        let sample = |number: usize| {
            let mut bytes = vec![0; 64 * eta];
            shake::<Shake256>(&[seed, &[number as u8]]).read(&mut bytes);
            let bit = |i: usize| u32::from(bytes[i / 8] >> (i % 8) & 1);
            std::array::from_fn(|i| {
                let half = |from: usize| (0..eta).map(|j| bit(2 * i * eta + from + j)).sum::<u32>();
                (half(0) + Self::Q - half(eta)) % Self::Q
            })
        };
        (first..first + count).map(sample).collect()
    }

    fn compress(polynomials: &[Polynomial], bits: usize) -> Vec<u8> {
        pack(&each(polynomials, |x| ((x << bits) + Self::Q / 2) / Self::Q % (1 << bits)), bits)
    }

    fn decompress(bytes: &[u8], bits: usize) -> Vec<Polynomial> {
        each(&unpack(bytes, bits), |x| (Self::Q * x + (1 << (bits - 1))) >> bits)
    }

    fn decode(bytes: &[u8]) -> Vec<Polynomial> {
        each(&unpack(bytes, 12), |x| x % Self::Q)
    }

    /// ML-KEM.KeyGen_internal, algorithm 16, with K-PKE.KeyGen, algorithm 13: returns ek and dk.
    pub(crate) fn keys(&self, d: &[u8], z: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let (rho, sigma) = Self::g(&[d, &[self.k as u8]]);
        let noise = |first| forward(self.ring, &Self::noise(self.eta, &sigma, first, self.k));
        let (s, e) = (noise(0), noise(self.k));
        let t = self.matrix(&rho);
        let t = t.iter().zip(&e).map(|(row, e)| add(self.ring, &dot(self.ring, row, &s), e));
        let t: Vec<Polynomial> = t.collect();
        let ek = [pack(&t, 12), rho.to_vec()].concat();
        let dk = [&pack(&s, 12)[..], &ek, &Self::h(&ek), z].concat();
        (ek, dk)
    }

    /// K-PKE.Encrypt, algorithm 14.
    fn encrypt(&self, ek: &[u8], m: &[u8], random: &[u8]) -> Vec<u8> {
        let (t, rho) = ek.split_at(384 * self.k);
        let a = self.matrix(rho);
        let y = Self::noise(self.eta, random, 0, self.k);
        let e1 = Self::noise(2, random, self.k, self.k);
        let e2 = Self::noise(2, random, 2 * self.k, 1);
        let mu = Self::decompress(m, 1);
        let y = forward(self.ring, &y);
        let transposed: Vec<Vec<Polynomial>> =
            (0..self.k).map(|i| a.iter().map(|row| row[i]).collect()).collect();
        let product = |row: &[Polynomial]| inverse(self.ring, dot(self.ring, row, &y));
        let u = transposed.iter().zip(&e1).map(|(row, e1)| add(self.ring, &product(row), e1));
        let u: Vec<Polynomial> = u.collect();
        let v = add(self.ring, &add(self.ring, &product(&Self::decode(t)), &e2[0]), &mu[0]);
        [Self::compress(&u, self.du), Self::compress(&[v], self.dv)].concat()
    }

    /// K-PKE.Decrypt, algorithm 15.
    fn decrypt(&self, s: &[u8], c: &[u8]) -> Vec<u8> {
        let (u, v) = c.split_at(32 * self.du * self.k);
        let (u, v) = (Self::decompress(u, self.du), Self::decompress(v, self.dv));
        let u = forward(self.ring, &u);
        let w = subtract(self.ring, &v[0], &inverse(self.ring, dot(self.ring, &Self::decode(s), &u)));
        Self::compress(&[w], 1)
    }

    /// ML-KEM.Encaps, algorithm 20 with 17: returns c and K, or `None` for a key that fails the checks of section 7.2.
    pub(crate) fn encapsulate(&self, ek: &[u8], m: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
        let t = ek.get(..384 * self.k).map(|t| unpack(t, 12))?;
        if ek.len() != 384 * self.k + 32 || t.as_flattened().iter().any(|x| *x >= Self::Q) {
            return None;
        }
        let (key, random) = Self::g(&[m, &Self::h(ek)]);
        Some((self.encrypt(ek, m, &random), key.to_vec()))
    }

    /// ML-KEM.Decaps, algorithm 21 with 18: returns K, or `None` if the checks of section 7.3 fail.
    pub(crate) fn decapsulate(&self, dk: &[u8], c: &[u8]) -> Option<Vec<u8>> {
        if dk.len() != 768 * self.k + 96 || c.len() != 32 * (self.du * self.k + self.dv) {
            return None;
        }
        let (s, rest) = dk.split_at(384 * self.k);
        let (ek, rest) = rest.split_at(384 * self.k + 32);
        let (hash, z) = rest.split_at(32);
        if hash != Self::h(ek) {
            return None;
        }
        let m = self.decrypt(s, c);
        let (key, random) = Self::g(&[&m, hash]);
        let rejected = shake_256::<32>(&[z, c]);
        Some(if self.encrypt(ek, &m, &random) == c { key } else { rejected }.to_vec())
    }
}

/// ML-DSA of a security category: section 4.
pub(crate) struct Dsa<'a> {
    ring: &'a Ring,
    k: usize,
    l: usize,
    eta: u32,
    tau: usize,
    /// λ/4.
    challenge: usize,
    gamma1: u32,
    gamma2: u32,
    omega: usize,
}

impl<'a> Dsa<'a> {
    pub(crate) const Q: u32 = 8380417;

    /// Returns the scheme of a set: 44, 65 or 87.
    pub(crate) fn new(ring: &'a Ring, set: usize) -> Self {
        let (eta, tau, challenge, gamma1, gamma2, omega) = match set {
            44 => (2, 39, 32, 1 << 17, (Self::Q - 1) / 88, 80),
            65 => (4, 49, 48, 1 << 19, (Self::Q - 1) / 32, 55),
            _ => (2, 60, 64, 1 << 19, (Self::Q - 1) / 32, 75),
        };
        Dsa { ring, k: set / 10, l: set % 10, eta, tau, challenge, gamma1, gamma2, omega }
    }

    /// Returns Â, by ExpandA and RejNTTPoly, algorithms 32 and 30.
    fn matrix(&self, rho: &[u8]) -> Vec<Vec<Polynomial>> {
        let sample = |r: usize, s: usize| {
            let mut xof = shake::<Shake128>(&[rho, &[s as u8, r as u8]]);
            let mut number = || {
                let [a, b, c] = read::<3>(&mut xof).map(u32::from);
                a + (b << 8) + ((c & 0x7f) << 16)
            };
            let mut below = || std::iter::repeat_with(&mut number).find(|z| *z < Self::Q);
            std::array::from_fn(|_| below().expect("endless"))
        };
        (0..self.k).map(|r| (0..self.l).map(|s| sample(r, s)).collect()).collect()
    }

    /// RejBoundedPoly, algorithm 31.
    fn bounded(&self, seed: &[u8], number: usize) -> Polynomial {
        let mut xof = shake::<Shake256>(&[seed, &[number as u8, 0]]);
        let (below, modulus) = if self.eta == 2 { (15, 5) } else { (9, 9) };
        let mut values = Vec::new();
        while values.len() < 256 {
            let [z] = read::<1>(&mut xof).map(u32::from);
            let halves = [z % 16, z / 16].into_iter().filter(|half| *half < below);
            values.extend(halves.map(|half| (Self::Q + self.eta - half % modulus) % Self::Q));
        }
        std::array::from_fn(|i| values[i])
    }

    /// SampleInBall, algorithm 29, transformed.
    fn ball(&self, challenge: &[u8]) -> Polynomial {
        let mut xof = shake::<Shake256>(&[challenge]);
        let signs = u64::from_le_bytes(read(&mut xof));
        let mut c = [0; 256];
        for i in 256 - self.tau..256 {
            let mut indices = std::iter::repeat_with(|| usize::from(read::<1>(&mut xof)[0]));
            let j = indices.find(|j| *j <= i).expect("endless");
            c[i] = c[j];
            c[j] = if signs >> (i + self.tau - 256) & 1 == 1 { Self::Q - 1 } else { 1 };
        }
        self.ring.forward(&mut c).expect("a polynomial");
        c
    }

    /// Bits of a coefficient of z, of s₁ and s₂, and of w₁.
    fn bits(&self) -> [usize; 3] {
        let z = 1 + self.gamma1.ilog2() as usize;
        [z, if self.eta == 2 { 3 } else { 4 }, if self.omega == 80 { 6 } else { 4 }]
    }

    /// BitPack of b − x, algorithm 17.
    fn pack_from(b: u32, x: &[Polynomial], bits: usize) -> Vec<u8> {
        pack(&each(x, |x| (b + Self::Q - x) % Self::Q), bits)
    }

    /// BitUnpack, algorithm 19.
    fn unpack_from(b: u32, bytes: &[u8], bits: usize) -> Vec<Polynomial> {
        each(&unpack(bytes, bits), |x| (b + Self::Q - x) % Self::Q)
    }

    /// Decompose, algorithm 36.
    fn decompose(&self, r: u32) -> (u32, i64) {
        let (r, two) = (i64::from(r), 2 * i64::from(self.gamma2));
        let low = if r % two > two / 2 { r % two - two } else { r % two };
        if r - low == i64::from(Self::Q) - 1 { (0, low - 1) } else { (((r - low) / two) as u32, low) }
    }

    /// Returns the maximum of the absolute values.
    fn norm(polynomials: &[Polynomial]) -> u32 {
        polynomials.as_flattened().iter().map(|x| (*x).min(Self::Q - x)).max().unwrap_or_default()
    }

    /// Returns c̃ of w₁.
    fn challenge(&self, mu: &[u8], w1: &[Polynomial]) -> Vec<u8> {
        shake_256::<64>(&[mu, &pack(w1, self.bits()[2])])[..self.challenge].to_vec()
    }

    /// ML-DSA.KeyGen_internal, algorithm 6: returns pk and sk.
    pub(crate) fn keys(&self, xi: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let mut hash = shake::<Shake256>(&[xi, &[self.k as u8, self.l as u8]]);
        let (rho, rho_prime, key): ([u8; 32], [u8; 64], [u8; 32]) =
            (read(&mut hash), read(&mut hash), read(&mut hash));
        let s: Vec<Polynomial> = (0..self.l + self.k).map(|i| self.bounded(&rho_prime, i)).collect();
        let (s1, s2) = s.split_at(self.l);
        let s1 = forward(self.ring, s1);
        let t = self.matrix(&rho);
        let t = t
            .iter()
            .zip(s2)
            .map(|(row, s2)| add(self.ring, &inverse(self.ring, dot(self.ring, row, &s1)), s2));
        let t: Vec<Polynomial> = t.collect();
        // Power2Round, algorithm 35: the remainder of t₁·2^13 lies in (−2^12, 2^12].
        let t1 = each(&t, |t| (t + (1 << 12) - 1) >> 13);
        let t0 = each(&t, |t| (t + Self::Q - ((t + (1 << 12) - 1) >> 13 << 13)) % Self::Q);
        let pk = [&rho[..], &pack(&t1, 10)].concat();
        let (s, t0) = (Self::pack_from(self.eta, &s, self.bits()[1]), Self::pack_from(1 << 12, &t0, 13));
        let sk = [&rho[..], &key, &shake_256::<64>(&[&pk]), &s, &t0].concat();
        (pk, sk)
    }

    /// Returns μ of algorithms 2 and 3, or `None` if the context is too long.
    pub(crate) fn representative(tr: &[u8], context: &[u8], message: &[u8]) -> Option<[u8; 64]> {
        let length = u8::try_from(context.len()).ok()?;
        Some(shake_256(&[tr, &[0, length], context, message]))
    }

    /// ML-DSA.Sign_internal, algorithm 7, after μ; `None` for a key of a wrong length or with a value out of range.
    pub(crate) fn sign(&self, sk: &[u8], mu: &[u8], random: &[u8]) -> Option<Vec<u8>> {
        let ([z_bits, s_bits, _], ring) = (self.bits(), self.ring);
        let secrets = 32 * s_bits * (self.k + self.l);
        if sk.len() != 128 + secrets + 416 * self.k {
            return None;
        }
        let (s, t0) = sk[128..].split_at(secrets);
        let s = Self::unpack_from(self.eta, s, s_bits);
        if Self::norm(&s) > self.eta {
            return None;
        }
        let (s, t0) = (forward(ring, &s), forward(ring, &Self::unpack_from(1 << 12, t0, 13)));
        let (s1, s2) = s.split_at(self.l);
        let a = self.matrix(&sk[..32]);
        let rho = shake_256::<64>(&[&sk[32..64], random, mu]);
        let beta = self.tau as u32 * self.eta;
        (0u16..).step_by(self.l).find_map(|kappa| {
            let mask = |r: u16| {
                let mut bytes = vec![0; 32 * z_bits];
                shake::<Shake256>(&[&rho, &(kappa + r).to_le_bytes()]).read(&mut bytes);
                Self::unpack_from(self.gamma1, &bytes, z_bits)
            };
            let y: Vec<Polynomial> = (0..self.l as u16).flat_map(mask).collect();
            let transformed = forward(ring, &y);
            let w: Vec<_> = a.iter().map(|row| inverse(ring, dot(ring, row, &transformed))).collect();
            let challenge = self.challenge(mu, &each(&w, |w| self.decompose(w).0));
            let c = self.ball(&challenge);
            let by_c = |x: &Polynomial| inverse(ring, dot(ring, &[c], &[*x]));
            let z: Vec<_> = y.iter().zip(s1).map(|(y, s1)| add(ring, y, &by_c(s1))).collect();
            let r: Vec<_> = w.iter().zip(s2).map(|(w, s2)| subtract(ring, w, &by_c(s2))).collect();
            let t: Vec<_> = t0.iter().map(by_c).collect();
            let low = r.as_flattened().iter().map(|r| self.decompose(*r).1.unsigned_abs()).max()?;
            let hints = r.iter().zip(&t).map(|(r, t)| {
                let sum = add(ring, r, t);
                let differs =
                    |i: &u8| self.decompose(r[usize::from(*i)]).0 != self.decompose(sum[usize::from(*i)]).0;
                (0..=255).filter(differs).collect::<Vec<u8>>()
            });
            let hints: Vec<Vec<u8>> = hints.collect();
            let accepted = Self::norm(&z) < self.gamma1 - beta
                && low < u64::from(self.gamma2 - beta)
                && Self::norm(&t) < self.gamma2
                && hints.concat().len() <= self.omega;
            accepted.then(|| {
                // HintBitPack, algorithm 20.
                let mut packed = hints.concat();
                packed.resize(self.omega, 0);
                packed.extend((1..=self.k).map(|i| hints[..i].concat().len() as u8));
                [challenge, Self::pack_from(self.gamma1, &z, z_bits), packed].concat()
            })
        })
    }

    /// HintBitUnpack, algorithm 21.
    fn hints(&self, bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
        let (indices, ends) = bytes.split_at(self.omega);
        let mut from = 0;
        let hints = ends.iter().map(|end| {
            let of_one = indices.get(from..usize::from(*end))?;
            from = usize::from(*end);
            of_one.is_sorted_by(|a, b| a < b).then(|| of_one.to_vec())
        });
        let hints = hints.collect::<Option<Vec<_>>>()?;
        indices[from..].iter().all(|byte| *byte == 0).then_some(hints)
    }

    /// ML-DSA.Verify_internal, algorithm 8, after μ.
    pub(crate) fn verify(&self, pk: &[u8], mu: &[u8], signature: &[u8]) -> bool {
        let ([z_bits, ..], ring) = (self.bits(), self.ring);
        let z_len = 32 * z_bits * self.l;
        if pk.len() != 32 + 320 * self.k || signature.len() != self.challenge + z_len + self.omega + self.k {
            return false;
        }
        let (challenge, rest) = signature.split_at(self.challenge);
        let (z, hints) = rest.split_at(z_len);
        let z = Self::unpack_from(self.gamma1, z, z_bits);
        let Some(hints) = self.hints(hints) else { return false };
        if Self::norm(&z) >= self.gamma1 - self.tau as u32 * self.eta {
            return false;
        }
        let (c, z) = (self.ball(challenge), forward(ring, &z));
        let t = forward(ring, &each(&unpack(&pk[32..], 10), |t1| t1 << 13));
        let rows = self.matrix(&pk[..32]);
        let w1 = rows.iter().zip(&t).zip(&hints).map(|((row, t), hints)| {
            let difference = subtract(ring, &dot(ring, row, &z), &dot(ring, &[c], &[*t]));
            let w = inverse(ring, difference);
            // UseHint, algorithm 40.
            let m = (Self::Q - 1) / (2 * self.gamma2);
            std::array::from_fn(|i| match (self.decompose(w[i]), hints.contains(&(i as u8))) {
                ((high, _), false) => high,
                ((high, low), true) => (high + if low > 0 { 1 } else { m - 1 }) % m,
            })
        });
        self.challenge(mu, &w1.collect::<Vec<_>>()) == challenge
    }
}
