//! Tables: the same bytes with any budget.

use std::panic::{AssertUnwindSafe, catch_unwind};

use parcrypt_kzg::{Request, Settings, blob_to_kzg_commitment, compute_cells_and_kzg_proofs};
use parcrypt_oracles::random_blob;
use parcrypt_runtime::Serial;
use parcrypt_testkit::{Untouched, rng, runtimes};

const MIB: usize = 1 << 20;

#[test]
fn every_budget_gives_the_same_bytes_and_the_documented_sizes() {
    let plain = Settings::mainnet(Request::Auto).unwrap();
    let blob = random_blob(&mut rng());
    let commitment = blob_to_kzg_commitment(&Serial, &plain, &blob).unwrap();
    let proofs = compute_cells_and_kzg_proofs(&Serial, &plain, &blob).unwrap().proofs;
    let mut sizes = vec![plain.tables().bytes()];
    let rows = include_str!("../../../../../docs/explanation/kzg.md");
    // The limits of c-kzg's `precompute` from 0 to 8, and none.
    for ((precompute, mib), rt) in [0, 1, 2, 3, 6, 12, 24, 48, 96, usize::MAX]
        .into_iter()
        .enumerate()
        .zip(runtimes("parcrypt-kzg").iter().cycle())
    {
        let mut settings = plain.clone();
        let report = settings.build_tables(&**rt, mib).unwrap();
        let [lagrange, fk20, both] = [report.lagrange_bytes, report.fk20_bytes, report.bytes()]
            .map(|bytes| format!("{:.1}", bytes as f64 / MIB as f64));
        let name = if precompute == 8 { "8 to 15".to_owned() } else { precompute.to_string() };
        let row = format!("| {name} | {mib} | {lagrange} | {fk20} | {both} |\n");
        assert!(rows.contains(&row) || precompute > 8, "docs/explanation/kzg.md has not {row}");
        assert_eq!(report, settings.tables());
        // The points themselves take 144 bytes each.
        let most = mib.saturating_mul(MIB).max((4096 + 8192) * 144);
        assert!(report.bytes() <= most && report.bytes() == report.lagrange_bytes + report.fk20_bytes);
        sizes.push(report.bytes());
        assert_eq!(blob_to_kzg_commitment(&**rt, &settings, &blob).unwrap(), commitment, "{mib} MiB");
        assert!(compute_cells_and_kzg_proofs(&**rt, &settings, &blob).unwrap().proofs == proofs, "{mib} MiB");
    }
    assert!(sizes.is_sorted() && sizes.last() > sizes.first(), "{sizes:?}");
}

#[test]
fn tables_of_given_sizes_are_built_apart() {
    let plain = Settings::mainnet(Request::Auto).unwrap();
    let mut whole = plain.clone();
    let whole = whole.build_tables(&Serial, 34).unwrap();
    let blob = random_blob(&mut rng());
    let commitment = blob_to_kzg_commitment(&Serial, &plain, &blob).unwrap();
    let proofs = compute_cells_and_kzg_proofs(&Serial, &plain, &blob).unwrap().proofs;
    let mut settings = plain.clone();
    assert_eq!(settings.build_tables_within(&Serial, plain.tables()).unwrap(), plain.tables());
    for raise_fk20 in [false, true] {
        let mut most = settings.tables();
        // More than is of use is not taken.
        *if raise_fk20 { &mut most.fk20_bytes } else { &mut most.lagrange_bytes } = 64 * MIB;
        // A panic half way leaves the tables of before.
        let (before, build) = (settings.tables(), || settings.build_tables_within(&Untouched, most));
        assert!(catch_unwind(AssertUnwindSafe(build)).is_err() && settings.tables() == before);
        let report = settings.build_tables_within(&Serial, most).unwrap();
        assert_eq!(report, settings.tables());
        let fk20 = if raise_fk20 { whole.fk20_bytes } else { plain.tables().fk20_bytes };
        assert_eq!((report.lagrange_bytes, report.fk20_bytes), (whole.lagrange_bytes, fk20));
        assert_eq!(blob_to_kzg_commitment(&Serial, &settings, &blob).unwrap(), commitment);
        assert!(compute_cells_and_kzg_proofs(&Serial, &settings, &blob).unwrap().proofs == proofs);
    }
    // The sizes of one are those of another.
    let mut other = plain.clone();
    assert_eq!(other.build_tables_within(&Serial, whole).unwrap(), whole);
    // Smaller ones change nothing.
    assert_eq!(other.build_tables_within(&Serial, plain.tables()).unwrap(), whole);
}
