//! rust_eth_kzg's interface as a [`Kzg`](crate::Kzg). A macro: the original, its versions and the package with the same
//! interface over Parcrypt have no type in common.

/// Defines an adaptor over a crate with rust_eth_kzg's interface: a [`Kzg`](crate::Kzg) over its context. The
/// interface has an error for a proof that does not verify, where the specifications have `false`.
#[doc(hidden)]
#[macro_export]
macro_rules! eth_kzg_adaptor {
    ($name:ident, $library:ident, $text:expr) => {
        /// The context of rust_eth_kzg's interface.
        pub struct $name(pub $library::DASContext);

        const _: () = {
            use $library::Error;

            /// Returns an array of the one length that the interface takes.
            fn array<const N: usize>(bytes: &[u8]) -> Result<&[u8; N], String> {
                bytes.try_into().map_err(|_| format!("{} bytes instead of {N}", bytes.len()))
            }

            fn list<'a, const N: usize>(all: &[&'a [u8]]) -> Result<Vec<&'a [u8; N]>, String> {
                all.iter().map(|bytes| array(bytes)).collect()
            }

            fn text(error: Error) -> String {
                format!("{error:?}")
            }

            fn verdict(result: Result<(), Error>) -> Result<bool, String> {
                match result {
                    Ok(()) => Ok(true),
                    Err(error) if error.is_proof_invalid() => Ok(false),
                    Err(error) => Err(text(error)),
                }
            }

            fn joined(
                (cells, proofs): ([$library::Cell; 128], [$library::KZGProof; 128]),
            ) -> $crate::CellsAndProofs {
                let cells = cells.iter().map(|cell| **cell).collect();
                $crate::CellsAndProofs { cells, proofs: proofs.to_vec() }
            }

            impl $crate::Kzg for $name {
                type Error = String;

                fn name(&self) -> String {
                    $text.to_owned()
                }

                fn blob_to_kzg_commitment(&self, blob: &[u8]) -> Result<$crate::Commitment, String> {
                    self.0.blob_to_kzg_commitment(array(blob)?).map_err(text)
                }

                fn compute_kzg_proof(
                    &self,
                    blob: &[u8],
                    z: &[u8],
                ) -> Result<($crate::Proof, $crate::FieldBytes), String> {
                    self.0.compute_kzg_proof(array(blob)?, *array(z)?).map_err(text)
                }

                fn compute_blob_kzg_proof(
                    &self,
                    blob: &[u8],
                    commitment: &[u8],
                ) -> Result<$crate::Proof, String> {
                    self.0.compute_blob_kzg_proof(array(blob)?, array(commitment)?).map_err(text)
                }

                fn verify_kzg_proof(
                    &self,
                    commitment: &[u8],
                    z: &[u8],
                    y: &[u8],
                    proof: &[u8],
                ) -> Result<bool, String> {
                    let (commitment, proof) = (array(commitment)?, array(proof)?);
                    verdict(self.0.verify_kzg_proof(commitment, *array(z)?, *array(y)?, proof))
                }

                fn verify_blob_kzg_proof_batch(
                    &self,
                    blobs: &[&[u8]],
                    commitments: &[&[u8]],
                    proofs: &[&[u8]],
                ) -> Result<bool, String> {
                    let (blobs, commitments, proofs) = (list(blobs)?, list(commitments)?, list(proofs)?);
                    verdict(self.0.verify_blob_kzg_proof_batch(blobs, commitments, proofs))
                }

                fn compute_cells(&self, blob: &[u8]) -> Result<Vec<$crate::Cell>, String> {
                    let cells = self.0.compute_cells(array(blob)?).map_err(text)?;
                    Ok(cells.iter().map(|cell| **cell).collect())
                }

                fn compute_cells_and_kzg_proofs(
                    &self,
                    blob: &[u8],
                ) -> Result<$crate::CellsAndProofs, String> {
                    self.0.compute_cells_and_kzg_proofs(array(blob)?).map(joined).map_err(text)
                }

                fn recover_cells_and_kzg_proofs(
                    &self,
                    cell_indices: &[u64],
                    cells: &[&[u8]],
                ) -> Result<$crate::CellsAndProofs, String> {
                    let recovered = self.0.recover_cells_and_kzg_proofs(cell_indices.to_vec(), list(cells)?);
                    recovered.map(joined).map_err(text)
                }

                fn verify_cell_kzg_proof_batch(
                    &self,
                    commitments: &[&[u8]],
                    cell_indices: &[u64],
                    cells: &[&[u8]],
                    proofs: &[&[u8]],
                ) -> Result<bool, String> {
                    let (commitments, cells, proofs) = (list(commitments)?, list(cells)?, list(proofs)?);
                    verdict(self.0.verify_cell_kzg_proof_batch(commitments, cell_indices, cells, proofs))
                }
            }
        };
    };
}
