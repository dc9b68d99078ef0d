//! c-kzg and rust_eth_kzg as a [`Kzg`](crate::Kzg). The two and Parcrypt share only blst.

use std::sync::{Arc, LazyLock};

use parcrypt_kzg::{Request, Settings, TABLES};
use parcrypt_testkit::backends;
use rust_eth_kzg::{DASContext, TrustedSetup, UsePrecomp};

use crate::{Answer, Call, Function, Parcrypt, eth_kzg_adaptor};

/// Defines an adaptor over a crate with c-kzg's interface, a [`Kzg`](crate::Kzg) over its settings.
#[macro_export]
macro_rules! c_kzg_adaptor {
    ($name:ident, $library:ident) => {
        /// The settings of c-kzg's interface.
        pub struct $name(pub std::sync::Arc<$library::KzgSettings>);

        const _: () = {
            use $library::{Blob, Bytes32, Bytes48, Cell, Error, KzgProof};

            type Both = (Box<[Cell; 128]>, Box<[KzgProof; 128]>);

            fn list<T>(all: &[&[u8]], read: fn(&[u8]) -> Result<T, Error>) -> Result<Vec<T>, Error> {
                let mut list = Vec::with_capacity(all.len());
                for bytes in all {
                    // Adaptors of iterators would move a blob many times, which is large for the stack.
                    list.push(read(bytes)?);
                }
                Ok(list)
            }

            fn joined((cells, proofs): Both) -> $crate::CellsAndProofs {
                let proofs = proofs.iter().map(|proof| proof.to_bytes().into_inner()).collect();
                $crate::CellsAndProofs { cells: cells.iter().map(Cell::to_bytes).collect(), proofs }
            }

            impl $crate::Kzg for $name {
                type Error = Error;

                fn name(&self) -> String {
                    stringify!($library).to_owned()
                }

                fn blob_to_kzg_commitment(&self, blob: &[u8]) -> Result<$crate::Commitment, Error> {
                    Ok(self.0.blob_to_kzg_commitment(&Blob::from_bytes(blob)?)?.to_bytes().into_inner())
                }

                fn compute_kzg_proof(
                    &self,
                    blob: &[u8],
                    z: &[u8],
                ) -> Result<($crate::Proof, $crate::FieldBytes), Error> {
                    let (blob, z) = (Blob::from_bytes(blob)?, Bytes32::from_bytes(z)?);
                    let (proof, y) = self.0.compute_kzg_proof(&blob, &z)?;
                    Ok((proof.to_bytes().into_inner(), *y))
                }

                fn compute_blob_kzg_proof(
                    &self,
                    blob: &[u8],
                    commitment: &[u8],
                ) -> Result<$crate::Proof, Error> {
                    let (blob, commitment) = (Blob::from_bytes(blob)?, Bytes48::from_bytes(commitment)?);
                    Ok(self.0.compute_blob_kzg_proof(&blob, &commitment)?.to_bytes().into_inner())
                }

                fn verify_kzg_proof(
                    &self,
                    commitment: &[u8],
                    z: &[u8],
                    y: &[u8],
                    proof: &[u8],
                ) -> Result<bool, Error> {
                    let (commitment, proof) = (Bytes48::from_bytes(commitment)?, Bytes48::from_bytes(proof)?);
                    let (z, y) = (Bytes32::from_bytes(z)?, Bytes32::from_bytes(y)?);
                    self.0.verify_kzg_proof(&commitment, &z, &y, &proof)
                }

                fn verify_blob_kzg_proof_batch(
                    &self,
                    blobs: &[&[u8]],
                    commitments: &[&[u8]],
                    proofs: &[&[u8]],
                ) -> Result<bool, Error> {
                    let blobs = list(blobs, Blob::from_bytes)?;
                    let commitments = list(commitments, Bytes48::from_bytes)?;
                    let proofs = list(proofs, Bytes48::from_bytes)?;
                    self.0.verify_blob_kzg_proof_batch(&blobs, &commitments, &proofs)
                }

                fn compute_cells(&self, blob: &[u8]) -> Result<Vec<$crate::Cell>, Error> {
                    let cells = self.0.compute_cells(&Blob::from_bytes(blob)?)?;
                    Ok(cells.iter().map(Cell::to_bytes).collect())
                }

                fn compute_cells_and_kzg_proofs(&self, blob: &[u8]) -> Result<$crate::CellsAndProofs, Error> {
                    self.0.compute_cells_and_kzg_proofs(&Blob::from_bytes(blob)?).map(joined)
                }

                fn recover_cells_and_kzg_proofs(
                    &self,
                    cell_indices: &[u64],
                    cells: &[&[u8]],
                ) -> Result<$crate::CellsAndProofs, Error> {
                    let cells = list(cells, Cell::from_bytes)?;
                    self.0.recover_cells_and_kzg_proofs(cell_indices, &cells).map(joined)
                }

                fn verify_cell_kzg_proof_batch(
                    &self,
                    commitments: &[&[u8]],
                    cell_indices: &[u64],
                    cells: &[&[u8]],
                    proofs: &[&[u8]],
                ) -> Result<bool, Error> {
                    let commitments = list(commitments, Bytes48::from_bytes)?;
                    let (cells, proofs) =
                        (list(cells, Cell::from_bytes)?, list(proofs, Bytes48::from_bytes)?);
                    self.0.verify_cell_kzg_proof_batch(&commitments, cell_indices, &cells, &proofs)
                }
            }
        };
    };
}

c_kzg_adaptor!(CKzg, c_kzg);
eth_kzg_adaptor!(EthKzg, rust_eth_kzg, "rust_eth_kzg");

/// Three libraries with one setup.
pub struct Libraries {
    /// Parcrypt, on the caller's thread.
    pub ours: Parcrypt,
    /// c-kzg.
    pub c_kzg: CKzg,
    /// rust_eth_kzg.
    pub eth_kzg: EthKzg,
}

/// All three libraries on mainnet's setup.
pub static MAINNET: LazyLock<Libraries> = LazyLock::new(|| Libraries {
    ours: Parcrypt::new(Settings::mainnet(Request::Auto).unwrap()),
    c_kzg: CKzg(c_kzg::ethereum_kzg_settings_arc(0)),
    eth_kzg: EthKzg(DASContext::new(&TrustedSetup::default(), UsePrecomp::No)),
});

/// Returns Parcrypt on mainnet's setup with the baseline of all tables, and with each further backend of this machine.
pub fn rows() -> Vec<(String, Parcrypt)> {
    const CRATE: &str = "parcrypt-kzg";
    let mut all: Vec<_> = TABLES.iter().flat_map(|(_, backends)| backends[1..].iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    let all = backends(CRATE, &all).into_iter().map(|backend| (backend.to_string(), backend.into()));
    let requests = std::iter::once(("baseline".to_owned(), Request::Baseline)).chain(all);
    requests.map(|(name, request)| (name, Parcrypt::new(Settings::mainnet(request).unwrap()))).collect()
}

/// Returns the compressed points of settings, in the order of c-kzg's text: the Lagrange form, G2, the monomial form.
pub fn points_of(settings: &Settings) -> [Vec<Vec<u8>>; 3] {
    // Settings have the Lagrange form in bit-reversed order.
    let lagrange = (0..4096u16).map(|i| &settings.g1_lagrange()[usize::from(i.reverse_bits() >> 4)]);
    [
        lagrange.map(|point| point.to_compressed().into()).collect(),
        settings.g2_monomial().iter().map(|point| point.to_compressed().into()).collect(),
        settings.g1_monomial().iter().map(|point| point.to_compressed().into()).collect(),
    ]
}

/// Returns hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns c-kzg's text of a setup with these points, a line each.
pub fn setup_text(points: &[Vec<Vec<u8>>; 3]) -> String {
    points.iter().flatten().fold("4096\n65\n".to_owned(), |text, point| text + &hex(point) + "\n")
}

/// Returns the JSON of the consensus specifications of a setup with these points, a line each.
pub fn setup_json(points: &[Vec<Vec<u8>>; 3]) -> String {
    let list = |list: &Vec<Vec<u8>>| {
        list.iter().map(|point| format!("\"0x{}\"", hex(point))).collect::<Vec<_>>().join(",\n")
    };
    let [g1_lagrange, g2_monomial, g1_monomial] = points.each_ref().map(list);
    format!(
        "{{\"g1_monomial\": [{g1_monomial}],\n\"g1_lagrange\": [{g1_lagrange}],\n\"g2_monomial\": [{g2_monomial}]}}\n"
    )
}

impl Libraries {
    /// Returns all three libraries with the setup of these settings.
    pub fn from_settings(settings: Settings) -> Self {
        let [lagrange, g2, monomial] = points_of(&settings);
        let c_kzg =
            c_kzg::KzgSettings::load_trusted_setup(&monomial.concat(), &lagrange.concat(), &g2.concat(), 0);
        let json = setup_json(&[lagrange, g2, monomial]);
        let eth_kzg = DASContext::new(&TrustedSetup::from_json_unchecked(&json), UsePrecomp::No);
        Libraries {
            ours: Parcrypt::new(settings),
            c_kzg: CKzg(Arc::new(c_kzg.unwrap())),
            eth_kzg: EthKzg(eth_kzg),
        }
    }

    /// Returns the answer of c-kzg and rust_eth_kzg.
    ///
    /// # Panics
    /// If they differ, except for cells that are not the cells of a blob: rust_eth_kzg refuses them as Parcrypt does,
    /// and c-kzg returns cells and proofs that contradict each other.
    #[track_caller]
    pub fn answer(&self, what: &str, call: &Call) -> Answer {
        let (c_kzg, eth_kzg) = (call.ask(&self.c_kzg), call.ask(&self.eth_kzg));
        let more_than_needed = call.function == Function::Recover && call.inputs[0].len() > 64;
        if !(more_than_needed && eth_kzg.is_refused()) {
            assert!(c_kzg.agrees(&eth_kzg), "{what}: c-kzg returns {c_kzg:?}, rust_eth_kzg {eth_kzg:?}");
        }
        eth_kzg
    }
}
