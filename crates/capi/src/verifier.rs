//! Verification of cells as they come, for C.

use std::num::NonZeroUsize;
use std::time::Duration;

use parcrypt_kzg as kzg;
use parcrypt_kzg::{BYTES_PER_CELL, BYTES_PER_COMMITMENT, BYTES_PER_PROOF};

use crate::kzg::handles;
use crate::memory::{self, Caller};
use crate::runtime::Runtime;
use crate::settings::Settings;
use crate::status::{Failure, Status};

/// The header's `parcrypt_cell_verifier`.
pub struct CellVerifier(kzg::CellVerifier);

/// The header's `parcrypt_cell_verdict`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[allow(missing_docs, reason = "the header documents them")]
pub struct CellVerdict {
    pub commitment_index: u64,
    pub cell_index: u64,
    pub ok: bool,
    pub status: Status,
}

impl CellVerdict {
    fn new(name: kzg::CellName, ok: bool, status: Status) -> Self {
        let kzg::CellName { commitment_index, cell_index } = name;
        CellVerdict { commitment_index, cell_index, ok, status }
    }
}

/// Writes the verdicts of `verify` on a number of cells that is at most `room`, and their count.
fn verdicts(
    caller: &Caller,
    settings: &Settings,
    verdicts: *mut CellVerdict,
    room: usize,
    count: *mut usize,
    verify: impl FnOnce(&kzg::Settings) -> Result<kzg::CellVerdict, kzg::Error>,
) -> Result<(), Failure> {
    let verdicts = caller.output("verdicts", verdicts, room)?;
    let count = caller.output("count", count, 1)?;
    let kzg::CellVerdict { verified, wrong } = verify(&*settings.read()?)?;
    let status = |why: Option<kzg::Error>| why.map_or(Status::OK, |why| Failure::from(why).status);
    let wrong = wrong.into_iter().map(|cell| CellVerdict::new(cell.name, false, status(cell.why)));
    let all = verified.into_iter().map(|name| CellVerdict::new(name, true, Status::OK)).chain(wrong);
    let all: Vec<CellVerdict> = all.collect();
    verdicts.write_at(0, &all);
    count.write(&[all.len()]);
    Ok(())
}

/// Returns the maximum number of cells of a call with room for this number of verdicts.
fn most(room: usize) -> Result<NonZeroUsize, Failure> {
    let message = "room: 0 verdicts, there must be room for at least 1";
    NonZeroUsize::new(room).ok_or_else(|| Failure::new(Status::LENGTH, message))
}

exported!(|caller| {
    fn parcrypt_cell_verifier_new(
        runtime: *const Runtime,
        settings: *const Settings,
        commitments: *const u8,
        commitments_length: usize,
        verifier: *mut *mut CellVerifier,
    ) -> Result<(), Failure> {
        let slot = caller.slot("verifier", verifier)?;
        let (rt, settings) = handles(caller, runtime, settings)?;
        let commitments =
            caller.items("commitments", commitments, commitments_length, BYTES_PER_COMMITMENT)?;
        slot.give(CellVerifier(kzg::CellVerifier::new(rt, &settings, &commitments)?));
        Ok(())
    }

    fn parcrypt_cell_verifier_add(
        verifier: *const CellVerifier,
        commitment_indices: *const u64,
        commitment_indices_count: usize,
        cell_indices: *const u64,
        cell_indices_count: usize,
        cells: *const u8,
        cells_length: usize,
        proofs: *const u8,
        proofs_length: usize,
    ) -> Result<(), Failure> {
        let verifier = caller.handle("verifier", verifier)?;
        let commitment_indices =
            caller.input("commitment_indices", commitment_indices, commitment_indices_count)?;
        let count = commitment_indices.len();
        let cell_indices = caller.input("cell_indices", cell_indices, cell_indices_count)?;
        if cell_indices.len() != count {
            let message = format!("cell_indices: {cell_indices_count} were given, there must be {count}");
            return Err(Failure::new(Status::LENGTH, message));
        }
        let cells = caller.many_items("cells", cells, cells_length, count, BYTES_PER_CELL)?;
        let proofs = caller.many_items("proofs", proofs, proofs_length, count, BYTES_PER_PROOF)?;
        let claims = (0..count).map(|k| kzg::CellClaim {
            commitment_index: commitment_indices[k],
            cell_index: cell_indices[k],
            cell: cells[k],
            proof: proofs[k],
        });
        Ok(verifier.0.add(&memory::list("claims", claims)?)?)
    }

    fn parcrypt_cell_verifier_verify(
        runtime: *const Runtime,
        settings: *const Settings,
        verifier: *const CellVerifier,
        verdicts: *mut CellVerdict,
        room: usize,
        count: *mut usize,
    ) -> Result<(), Failure> {
        let rt = caller.handle("runtime", runtime)?.get();
        let settings = caller.handle("settings", settings)?;
        let verifier = caller.handle("verifier", verifier)?;
        let most = most(room)?;
        self::verdicts(caller, settings, verdicts, room, count, |settings| {
            verifier.0.verify_up_to(rt, settings, most)
        })
    }

    fn parcrypt_cell_verifier_verify_next(
        runtime: *const Runtime,
        settings: *const Settings,
        verifier: *const CellVerifier,
        verdicts: *mut CellVerdict,
        room: usize,
        count: *mut usize,
    ) -> Result<(), Failure> {
        let rt = caller.handle("runtime", runtime)?.get();
        let settings = caller.handle("settings", settings)?;
        let verifier = caller.handle("verifier", verifier)?;
        let most = most(room)?;
        self::verdicts(caller, settings, verdicts, room, count, |settings| {
            verifier.0.verify_next(rt, settings, most)
        })
    }

    fn parcrypt_cell_verifier_verify_within(
        runtime: *const Runtime,
        settings: *const Settings,
        verifier: *const CellVerifier,
        nanoseconds: u64,
        verdicts: *mut CellVerdict,
        room: usize,
        count: *mut usize,
    ) -> Result<(), Failure> {
        let rt = caller.handle("runtime", runtime)?.get();
        let settings = caller.handle("settings", settings)?;
        let verifier = caller.handle("verifier", verifier)?;
        let commitments = verifier.0.commitments();
        if room < commitments {
            let message = format!("room: {room} verdicts, there must be room for {commitments}");
            return Err(Failure::new(Status::LENGTH, message));
        }
        let time = Duration::from_nanos(nanoseconds);
        self::verdicts(caller, settings, verdicts, room, count, |settings| {
            verifier.0.verify_within(rt, settings, time)
        })
    }

    fn parcrypt_cell_verifier_cost(
        settings: *const Settings,
        verifier: *const CellVerifier,
        cells: usize,
        nanoseconds: *mut u64,
    ) -> Result<(), Failure> {
        let settings = caller.handle("settings", settings)?;
        let verifier = caller.handle("verifier", verifier)?;
        let nanoseconds = caller.output("nanoseconds", nanoseconds, 1)?;
        let cost = verifier.0.cost(&*settings.read()?, cells);
        nanoseconds.write(&[u64::try_from(cost.as_nanos()).unwrap_or(u64::MAX)]);
        Ok(())
    }

    fn parcrypt_cell_verifier_pending(verifier: *const CellVerifier) -> usize {
        caller.handle("verifier", verifier).map_or(0, |verifier| verifier.0.pending())
    }

    fn parcrypt_cell_verifier_memory(verifier: *const CellVerifier) -> usize {
        caller.handle("verifier", verifier).map_or(0, |verifier| verifier.0.memory())
    }

    fn parcrypt_cell_verifier_free(verifier: *mut CellVerifier) -> () {
        caller.free(verifier)
    }
});

#[cfg(test)]
mod tests {
    use std::ptr::{null, null_mut};

    use super::*;
    use crate::runtime::{parcrypt_runtime_free, parcrypt_runtime_new};
    use crate::settings::*;

    /// Settings of another setup, here from bytes, end each kind of verification.
    #[test]
    fn settings_of_another_setup_are_refused() {
        let serial = parcrypt_runtime::Serial;
        let file = kzg::Settings::insecure(&serial, kzg::Request::Auto, &[5; 32]).unwrap().to_binary();
        let mut infinity = [0; 48];
        infinity[0] = 0xc0;
        let name = kzg::CellName { commitment_index: 0, cell_index: 0 };
        let (cell, mut count, mut verdicts) = ([0; 2048], 0, [CellVerdict::new(name, true, Status::OK)]);
        let (mut rt, mut ours, mut other, mut v) = (null_mut(), null_mut(), null_mut(), null_mut());
        // SAFETY: all pointers are null or to what the header requires, and what is made is freed once.
        unsafe {
            assert_eq!(parcrypt_runtime_new(c"serial".as_ptr(), 1, &raw mut rt), Status::OK);
            assert_eq!(parcrypt_settings_mainnet(null(), &raw mut ours), Status::OK);
            let (bytes, length) = (file.as_ptr(), file.len());
            assert_eq!(parcrypt_settings_from_bytes(rt, null(), bytes, length, &raw mut other), Status::OK);
            assert_eq!(parcrypt_cell_verifier_new(rt, ours, infinity.as_ptr(), 48, &raw mut v), Status::OK);
            let (cell, proof) = (cell.as_ptr(), infinity.as_ptr());
            assert_eq!(parcrypt_cell_verifier_add(v, &0, 1, &9, 1, cell, 2048, proof, 48), Status::OK);
            let (verdicts, count) = (verdicts.as_mut_ptr(), &raw mut count);
            let verify = parcrypt_cell_verifier_verify(rt, other, v, verdicts, 1, count);
            let verify_next = parcrypt_cell_verifier_verify_next(rt, other, v, verdicts, 1, count);
            let verify_within = parcrypt_cell_verifier_verify_within(rt, other, v, 1, verdicts, 1, count);
            assert_eq!([verify, verify_next, verify_within], [Status::SETUP; 3]);
            assert_eq!(parcrypt_cell_verifier_pending(v), 1);
            parcrypt_cell_verifier_free(v);
            parcrypt_settings_free(other);
            parcrypt_settings_free(ours);
            parcrypt_runtime_free(rt);
        }
    }
}
