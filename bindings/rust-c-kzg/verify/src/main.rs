//! Verifies the blob, the commitment and the proof of the standard input, one after the other: exits with 0 if they
//! belong together, with 1 if not.

use std::io::{Error, Read};
use std::process::ExitCode;

use c_kzg::{Blob, Bytes48, ethereum_kzg_settings};

fn main() -> Result<ExitCode, Error> {
    let (mut blob, mut points) = (vec![0; c_kzg::BYTES_PER_BLOB], [[0; 48]; 2]);
    let mut input = std::io::stdin().lock();
    input.read_exact(&mut blob)?;
    input.read_exact(points.as_flattened_mut())?;
    let [commitment, proof] = points.map(Bytes48::new);
    let blob = Blob::from_bytes(&blob).map_err(Error::other)?;
    let verified =
        ethereum_kzg_settings(0).verify_blob_kzg_proof(&blob, &commitment, &proof).map_err(Error::other)?;
    Ok(ExitCode::from(u8::from(!verified)))
}
