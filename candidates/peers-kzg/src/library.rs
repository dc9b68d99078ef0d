//! The functions of a library that the workloads use. Blobs and points are in the types of c-kzg, which rust_eth_kzg
//! reads as arrays, and cells in the library's own, so that its work is measured without conversions.

mod c_kzg;
mod rust_eth_kzg;

pub(crate) use ::c_kzg::{Blob, Bytes48};

pub(crate) use self::c_kzg::CKzg;
pub(crate) use self::rust_eth_kzg::RustEthKzg;

/// Bytes of a field element.
pub(crate) const ELEMENT: usize = 32;
/// Bytes of a blob: 4096 field elements.
pub(crate) const BLOB: usize = 131_072;
/// Bytes of a cell: 64 field elements.
pub(crate) const CELL: usize = 2048;
/// Number of cells of a blob that is extended to twice its length.
pub(crate) const CELLS: usize = 128;

/// A field element, big-endian.
pub(crate) type Element = [u8; ELEMENT];

/// Reason why a library did not do the work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    /// The library has no such function, or supports fewer threads.
    #[error("{0}")]
    Unsupported(String),
    /// A library's error, which no workload should cause.
    #[error("{library}: {what}")]
    Failed { library: &'static str, what: String },
}

/// A library with its trusted setup.
pub(crate) trait Library: Clone + Sync + 'static {
    /// A cell of a slice of cells.
    type Cell: Send;
    /// The 128 cells of a blob.
    type Cells: Send;

    /// Name and version.
    const NAME: (&'static str, &'static str);
    /// Whether several threads of callers make the preparation faster. Not so if the library has its own threads.
    const MANY_CALLERS: bool;

    /// Makes the library work on that many threads, as far as it can. Called once, before everything else.
    fn threads(threads: usize) -> Result<(), Refusal>;
    /// Loads mainnet's trusted setup, with tables of windows of this width, or none for 0. Called once in a process and
    /// width.
    fn load(precompute: u8) -> Result<Self, Refusal>;
    /// Returns the library's form of a cell.
    fn cell(bytes: &[u8; CELL]) -> Self::Cell;
    /// Returns the bytes of the cells, one after the other.
    fn bytes(cells: &Self::Cells) -> Vec<u8>;

    fn commit(&self, blob: &Blob) -> Result<Bytes48, Refusal>;
    fn proof(&self, blob: &Blob, z: &Element) -> Result<(Bytes48, Element), Refusal>;
    fn blob_proof(&self, blob: &Blob, commitment: &Bytes48) -> Result<Bytes48, Refusal>;
    fn verify_proof(
        &self,
        commitment: &Bytes48,
        z: &Element,
        y: &Element,
        proof: &Bytes48,
    ) -> Result<bool, Refusal>;
    fn verify_blob(&self, blob: &Blob, commitment: &Bytes48, proof: &Bytes48) -> Result<bool, Refusal>;
    fn verify_blobs(
        &self,
        blobs: &[Blob],
        commitments: &[Bytes48],
        proofs: &[Bytes48],
    ) -> Result<bool, Refusal>;
    fn cells(&self, blob: &Blob) -> Result<Self::Cells, Refusal>;
    fn cells_and_proofs(&self, blob: &Blob) -> Result<(Self::Cells, Vec<Bytes48>), Refusal>;
    /// Refused with [`Refusal::Unsupported`] if the library recovers cells only together with their proofs.
    fn recover_cells(&self, indices: &[u64], cells: &[Self::Cell]) -> Result<Self::Cells, Refusal>;
    fn recover(&self, indices: &[u64], cells: &[Self::Cell]) -> Result<(Self::Cells, Vec<Bytes48>), Refusal>;
    fn verify_cells(
        &self,
        commitments: &[Bytes48],
        indices: &[u64],
        cells: &[Self::Cell],
        proofs: &[Bytes48],
    ) -> Result<bool, Refusal>;
}
