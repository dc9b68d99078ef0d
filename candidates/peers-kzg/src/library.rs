//! The functions of a library that the workloads use, in the library's own types, so that its work is measured without
//! conversions.

mod c_kzg;
mod rust_eth_kzg;

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

/// A commitment or a proof: a compressed point.
pub(crate) type Point = [u8; 48];
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
    Failed {
        /// Name of the library.
        library: &'static str,
        /// Description of the error.
        what: String,
    },
}

/// A library with its trusted setup.
pub(crate) trait Library: Clone + Sync {
    /// A blob, if the library takes slices of blobs.
    type Blob: Clone + Send + Sync;
    /// The bytes of a commitment or a proof.
    type Bytes48: Clone + Send + Sync;
    /// A cell, if the library takes slices of cells.
    type Cell: Clone + Send;
    /// The 128 cells of a blob, in the library's form.
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

    /// Returns the library's form of a blob, which must be [`BLOB`] bytes.
    fn blob(bytes: &[u8]) -> Result<Self::Blob, Refusal>;
    /// Returns the library's form of a commitment or a proof.
    fn bytes48(point: &Point) -> Self::Bytes48;
    /// Returns the library's form of a cell, which must be [`CELL`] bytes.
    fn cell(bytes: &[u8]) -> Result<Self::Cell, Refusal>;
    /// Passes the bytes of the cells to `take`, in order.
    fn take_cells(cells: &Self::Cells, take: &mut dyn FnMut(&[u8]));

    fn commit(&self, blob: &Self::Blob) -> Result<Point, Refusal>;
    fn proof(&self, blob: &Self::Blob, z: &Element) -> Result<(Point, Element), Refusal>;
    fn blob_proof(&self, blob: &Self::Blob, commitment: &Self::Bytes48) -> Result<Point, Refusal>;
    fn verify_proof(
        &self,
        commitment: &Self::Bytes48,
        z: &Element,
        y: &Element,
        proof: &Self::Bytes48,
    ) -> Result<bool, Refusal>;
    fn verify_blob(
        &self,
        blob: &Self::Blob,
        commitment: &Self::Bytes48,
        proof: &Self::Bytes48,
    ) -> Result<bool, Refusal>;
    fn verify_blobs(
        &self,
        blobs: &[Self::Blob],
        commitments: &[Self::Bytes48],
        proofs: &[Self::Bytes48],
    ) -> Result<bool, Refusal>;
    fn cells(&self, blob: &Self::Blob) -> Result<Self::Cells, Refusal>;
    fn cells_and_proofs(&self, blob: &Self::Blob) -> Result<(Self::Cells, Vec<Point>), Refusal>;
    /// Refused with [`Refusal::Unsupported`] if the library recovers cells only together with their proofs.
    fn recover_cells(&self, indices: &[u64], cells: &[Self::Cell]) -> Result<Self::Cells, Refusal>;
    fn recover(&self, indices: &[u64], cells: &[Self::Cell]) -> Result<(Self::Cells, Vec<Point>), Refusal>;
    fn verify_cells(
        &self,
        commitments: &[Self::Bytes48],
        indices: &[u64],
        cells: &[Self::Cell],
        proofs: &[Self::Bytes48],
    ) -> Result<bool, Refusal>;
}
