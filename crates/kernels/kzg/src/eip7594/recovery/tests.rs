#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use parcrypt_runtime::Serial;
use parcrypt_testkit::{rand::Rng, rng};

use super::*;
use crate::{Request, compute_cells};

/// Each way gives the same polynomial and the same cells, whichever would be chosen.
#[test]
fn ways_agree() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let mut rng = rng();
    let mut blob: Vec<u8> = (0..crate::BYTES_PER_BLOB).map(|_| rng.random()).collect();
    blob.iter_mut().step_by(32).for_each(|byte| *byte &= 0x3f);
    let all = compute_cells(&Serial, &settings, &blob).unwrap();
    for missing in [0, 1, 2, 7, 30, 64] {
        // Every other cell of the second half first.
        let gone: Vec<usize> = (0..missing).map(|i| i * 37 % 64).collect();
        let others: Vec<usize> = (0..64).map(|i| 64 + i * 29 % 64).take(missing).collect();
        let mut indices: Vec<u64> =
            (0..64).filter(|cell| !gone.contains(cell)).map(|cell| cell as u64).collect();
        indices.extend(others.iter().map(|cell| *cell as u64));
        indices.sort_unstable();
        let cells: Vec<&[u8]> = indices.iter().map(|cell| &all[*cell as usize][..]).collect();
        let known = Known::new(&Samples { cell_indices: &indices, cells: &cells }).unwrap();
        let by_any = recover_any(&Serial, &settings, std::slice::from_ref(&known)).pop().unwrap().unwrap();
        let missing = known.which(false, 0..64);
        let used = known.which(true, 64..128);
        let mut by_sums = by_sums_of_cells(&settings, &known, &missing, &used).unwrap();
        assert!(by_sums.half == by_any.half && by_sums.data[..] == blob, "{missing:?}");
        assert!(by_any.into_cells() == all, "{missing:?}");
        extend(&Serial, &settings, std::slice::from_mut(&mut by_sums), Keeps::Remainders);
        assert!(by_sums.into_cells() == all, "{missing:?}");
        if missing.len() == 64 {
            let by_mirror = by_mirror_image(&Serial, &settings, &known).unwrap();
            let by_any = recover_any(&Serial, &settings, &[known]).pop().unwrap().unwrap();
            assert!(by_mirror.half == by_any.half);
            assert!(
                by_mirror.extension.as_ref().unwrap().others == by_any.extension.as_ref().unwrap().others
            );
            assert!(by_mirror.into_cells() == all);
        }
    }
}

#[test]
fn few_missing_cells_take_a_short_way() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    assert_eq!(costs::shortest_way(&settings.rows, 0, 0, None), Way::Sums);
    assert_eq!(costs::shortest_way(&settings.rows, 1, 3, None), Way::Sums);
    assert_eq!(costs::shortest_way(&settings.rows, 0, 64, Some(&[])), Way::Sums);
    assert_eq!(costs::shortest_way(&settings.rows, 64, 64, None), Way::MirrorImage);
    assert_eq!(costs::shortest_way(&settings.rows, 32, 32, None), Way::Any);
}
