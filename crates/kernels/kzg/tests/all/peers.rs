//! Every function of EIP-4844 and EIP-7594 against c-kzg and rust_eth_kzg: on random inputs, and on inputs with special
//! cases or chosen by an adversary.
//!
//! All three must return the same value or verdict, or all must refuse. `same_bytes.rs` has the functions on many
//! items, which return what those on one item return. The other two differ from each other in one case: cells that do
//! not lie on one polynomial.
//!
//! 64 cells fix a polynomial of degree below 4096. If there are more, some may contradict the others. The specification
//! (`recover_polynomialcoeff` in polynomial-commitments-sampling.md of Fulu) goes on from "we know that (P*Z)(x) has
//! degree at most FIELD_ELEMENTS_PER_EXT_BLOB - 1", which is not so for such cells, and checks nothing: it takes the
//! polynomial of degree below 8192 that results from the division, and drops the coefficients above 4095. c-kzg does so
//! too for the proofs, but returns the cells of the polynomial before that. rust_eth_kzg refuses if a dropped
//! coefficient is not 0, and so do we, with `Error::Inconsistent`: no blob has such cells, so no answer could be right.

use parcrypt_bls12_381::{Fr, G1};
use parcrypt_kzg::{Error, FieldBytes, Request, Samples, Settings, Want};
use parcrypt_oracles::{
    Answer, Call, Function, INFINITY, Libraries, MAINNET, SAMPLES, Sample, blob_of, bytes_of, called,
    random_fr,
};
use parcrypt_runtime::Serial;
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::rand::seq::IndexedRandom;
use parcrypt_testkit::rand::seq::index::sample as choose;
use parcrypt_testkit::rng;

use super::{add, answer};

/// Returns the answer of all three libraries.
#[track_caller]
fn agreed_by(libraries: &Libraries, what: &str, call: &Call) -> Answer {
    let (ours, theirs) = (answer(&libraries.ours, what, call), libraries.answer(what, call));
    assert!(ours.agrees(&theirs), "{what}: Parcrypt returns {ours:?}, the others {theirs:?}");
    ours
}

/// Returns the answer of all three libraries with mainnet's setup.
#[track_caller]
fn agreed(what: &str, call: &Call) -> Answer {
    agreed_by(&MAINNET, what, call)
}

/// Checks an honest call, and the call with one thing spoiled: each, or `some` of them at random.
#[track_caller]
fn check_spoiled(what: &str, call: &Call, at: usize, some: usize) {
    let mut rng = rng();
    let computes = matches!(agreed(what, call), Answer::Value(_));
    assert!(computes || agreed(what, call) == Answer::Valid, "{what}");
    let spoiled = call.spoiled(&mut rng, at);
    for (how, spoiled) in spoiled.choose_multiple(&mut rng, some) {
        let answer = agreed(&format!("{what}, {how}"), spoiled);
        // A constant has the same value everywhere, and the same proof.
        let at_infinity = call.function == Function::VerifyProof && spoiled.inputs[3][0] == INFINITY;
        assert!(answer != Answer::Valid || at_infinity, "{what}, {how}");
    }
}

#[test]
fn commitments_proofs_and_cells() {
    let mut rng = rng();
    let places = places(&mut rng);
    for (i, sample) in SAMPLES.iter().enumerate() {
        let (blob, commitment, z) = (&sample.blob[..], sample.commitment(), places[i % places.len()].1);
        for (function, inputs, some) in [
            (Function::BlobToCommitment, &[blob][..], 30),
            (Function::ComputeProof, &[blob, &z], 30),
            (Function::ComputeBlobProof, &[blob, &commitment], 30),
            // The commitment of another blob is as good as its own.
            (Function::ComputeBlobProof, &[blob, &SAMPLES[0].commitment()], 0),
            (Function::ComputeCells, &[blob], 30),
            (Function::ComputeCellsAndProofs, &[blob], 5),
        ] {
            check_spoiled(sample.name, &Call::new(function, inputs), 0, if i == 0 { some } else { 0 });
        }
    }
    for (name, z) in places {
        let answer = agreed(&name, &Call::new(Function::ComputeProof, &[&SAMPLES[0].blob, &z]));
        assert!(!answer.is_refused());
    }
}

/// Returns evaluation points: small numbers, roots of unity where blobs have a value and where only their extension has
/// one, and random ones.
fn places(rng: &mut impl Rng) -> Vec<(String, FieldBytes)> {
    let root = |scale, exponent| Fr::root_of_unity(scale).unwrap().pow_vartime(exponent);
    let exponent = rng.random_range(0..4096);
    let places: [(String, Fr); 10] = [
        ("0".into(), Fr::zero()),
        ("1".into(), Fr::one()),
        ("2".into(), Fr::from(2)),
        ("r − 1".into(), -Fr::one()),
        ("the root of order 4".into(), root(2, 1)),
        ("the first root of order 4096".into(), root(12, 1)),
        ("the last root of order 4096".into(), root(12, 4095)),
        ("a root of the other half".into(), root(13, 2 * exponent + 1)),
        ("anywhere".into(), random_fr(rng)),
        (format!("root {exponent} of 4096"), root(12, exponent)),
    ];
    places.map(|(name, z)| (name, z.to_bytes())).into()
}

#[test]
fn values_with_one_thing_spoiled() {
    for (sample, (place, z)) in SAMPLES.iter().zip(places(&mut rng()).into_iter().cycle()) {
        let (proof, y) =
            parcrypt_kzg::compute_kzg_proof(&Serial, MAINNET.ours.settings(), &sample.blob, &z).unwrap();
        let (commitment, what) = (sample.commitment(), format!("{} at {place}", sample.name));
        let call = |inputs: [&[u8]; 4]| Call::new(Function::VerifyProof, &inputs);
        check_spoiled(&what, &call([&commitment, &z, &y, &proof]), 0, usize::MAX);
        let exchanged = agreed(&what, &call([&commitment, &y, &z, &proof]));
        assert_eq!(exchanged == Answer::Valid, y == z, "{what}");
        let exchanged = agreed(&what, &call([&proof, &z, &y, &commitment]));
        assert_eq!(exchanged == Answer::Valid, proof == commitment, "{what}");
    }
}

#[test]
fn blobs_with_one_thing_spoiled() {
    for (i, sample) in SAMPLES.iter().enumerate() {
        check_spoiled(sample.name, &Call::blobs([sample]), 0, if i % 3 == 0 { usize::MAX } else { 15 });
        let mut call = Call::blobs([sample]);
        call.inputs[2][0] = INFINITY.to_vec();
        let valid = agreed("a proof at infinity", &call) == Answer::Valid;
        assert_eq!(valid, sample.proof() == INFINITY);
        call.inputs[0][0].clone_from(&SAMPLES[(i + 1) % SAMPLES.len()].blob);
        assert_eq!(agreed("another blob", &call), Answer::Invalid);
    }
    for at in 0..3 {
        check_spoiled("three blobs", &Call::blobs(&SAMPLES[..3]), at, 40);
    }
    let mut exchanged = Call::blobs(&SAMPLES[..3]);
    for (list, expected) in [(2, Answer::Invalid), (1, Answer::Invalid), (0, Answer::Valid)] {
        exchanged.inputs[list].swap(0, 1);
        assert_eq!(agreed("exchanged", &exchanged), expected, "lists from {list}");
    }
    assert_eq!(agreed("no blobs", &Call::blobs([])), Answer::Valid);
}

/// Checks errors in two claims whose sum is 0 without random factors.
#[test]
fn errors_in_blobs_do_not_cancel() {
    let mut rng = rng();
    for (size, [first, second]) in [(2, [0, 1]), (12, [3, 11]), (24, [1, 13]), (65, [0, 64])] {
        let right = Call::blobs(SAMPLES.iter().cycle().take(size));
        assert_eq!(agreed("all right", &right), Answer::Valid, "{size} blobs");
        // Two claims on one blob: the same z, so both sums of proofs stay the same.
        let mut twice = right.clone();
        twice.inputs.iter_mut().for_each(|list| list[second] = list[first].clone());
        twice.oppose(&mut rng, 2, first, second);
        assert_eq!(agreed("opposite errors in proofs of one blob", &twice), Answer::Invalid, "{size} blobs");
        // Two claims on two blobs: only the sum that is paired with τ stays the same.
        for list in [1, 2] {
            let mut two = right.clone();
            two.oppose(&mut rng, list, first, second);
            let verdict = agreed("opposite errors in points of two blobs", &two);
            assert_eq!(verdict, Answer::Invalid, "list {list} of {size} blobs");
        }
    }
}

#[test]
fn batches_of_cells() {
    let mut rng = rng();
    // None, one (which has no random factors), few, and sizes around a piece of 64.
    for size in [0, 1, 2, 63, 64, 65, 129] {
        let (column, of) = (rng.random_range(0..128), rng.random_range(0..SAMPLES.len()));
        let anywhere: Vec<_> =
            (0..size).map(|_| (rng.random_range(0..SAMPLES.len()), rng.random_range(0..128))).collect();
        type Place<'a> = &'a dyn Fn(usize) -> (usize, usize);
        let layouts: [(&str, Place); 5] = [
            ("in a column", &|k| (k, column)),
            ("of a blob", &|k| (of, k % 128)),
            ("on a diagonal", &|k| (k, 5 * k % 128)),
            ("one again and again", &|_| (0, column)),
            ("anywhere", &|k| anywhere[k]),
        ];
        for (layout, place) in layouts {
            let right =
                Call::cells((0..size).map(place).map(|(of, index)| (&SAMPLES[of % SAMPLES.len()], index)));
            let what = format!("{size} cells {layout}");
            assert_eq!(agreed(&what, &right), Answer::Valid, "{what}");
            if size == 0 {
                continue;
            }
            let at = [0, size - 1, rng.random_range(0..size)][rng.random_range(0..3)];
            let mut wrong = right.clone();
            wrong.repeat(at);
            wrong.oppose(&mut rng, 3, at, size);
            assert_eq!(agreed(&what, &wrong), Answer::Invalid, "{what}, wrong proofs");
        }
    }
}

#[test]
fn cells_with_one_thing_spoiled() {
    let mut rng = rng();
    // Alone, and among others: of its column, of its blob, and of neither.
    let (of, index) = (rng.random_range(0..2), rng.random_range(0..128));
    let other = (index + rng.random_range(1..128)) % 128;
    let cell = |(of, index): (usize, usize)| (&SAMPLES[[0, 1, 7, 8][of]], index);
    check_spoiled("one cell", &Call::cells([cell((of, index))]), 0, usize::MAX);
    let among = [(of, other), (3, index), (of, index), ((of + 1) % 4, other), (of, index)];
    check_spoiled("five cells", &Call::cells(among.map(cell)), 2, usize::MAX);

    // A polynomial of a low degree: proofs at infinity are right for all of its cells and for no other.
    let right = Call::cells((0..128).map(|index| (called("degree 63"), index)));
    assert!(right.inputs[3].iter().all(|proof| *proof == INFINITY));
    assert_eq!(agreed("all proofs at infinity", &right), Answer::Valid);
    let mut wrong = right.clone();
    wrong.inputs[0][7] = SAMPLES[0].commitment().to_vec();
    wrong.inputs[2][7] = SAMPLES[0].cells_and_proofs().cells[7].to_vec();
    assert_eq!(agreed("all proofs at infinity, one of which is wrong", &wrong), Answer::Invalid);
    let mut wrong = right.clone();
    wrong.inputs[2].swap(0, 1);
    assert_eq!(agreed("all proofs at infinity, two cells exchanged", &wrong), Answer::Invalid);
}

/// Checks errors in two cells whose sum is 0 without random factors.
#[test]
fn errors_in_cells_do_not_cancel() {
    let mut rng = rng();
    let column = rng.random_range(0..128);
    let cells = |cells: &[(usize, usize)]| {
        Call::cells(cells.iter().map(|(of, index)| (&SAMPLES[of % SAMPLES.len()], *index)))
    };
    let of_a_column: Vec<_> = (0..70).map(|k| (k, column)).collect();
    let of_a_blob: Vec<_> = (0..128).map(|index| (0, index)).collect();
    let batches = [
        ("the same cell twice", cells(&[(0, column), (0, column)]), [0, 1]),
        ("one column of two blobs", cells(&[(0, column), (1, column)]), [0, 1]),
        ("two columns of one blob", cells(&[(1, column), (1, (column + 3) % 128)]), [0, 1]),
        ("more than 64 in a column", cells(&of_a_column), [0, 69]),
        ("a whole blob", cells(&of_a_blob), [31, 96]),
    ];
    for (what, right, [first, second]) in batches {
        assert_eq!(agreed(what, &right), Answer::Valid);
        for list in [0, 3] {
            let mut wrong = right.clone();
            wrong.oppose(&mut rng, list, first, second);
            assert_eq!(agreed(what, &wrong), Answer::Invalid, "{what}, list {list}");
        }
        let mut wrong = right.clone();
        let difference = Fr::from(rng.random::<u64>() | 1);
        add(&mut wrong.inputs[2][first], 17, difference);
        add(&mut wrong.inputs[2][second], 17, -difference);
        assert_eq!(agreed(what, &wrong), Answer::Invalid, "{what}, cells");
        let mut wrong = right.clone();
        wrong.inputs[3].swap(first, second);
        assert_eq!(agreed(what, &wrong) == Answer::Valid, wrong == right, "{what}, proofs exchanged");
    }
    // The same constant added to the cell and to the commitment: correct for another polynomial, but only if all of its
    // commitments have it.
    let mut other = cells(&[(0, 3), (0, 4)]);
    let commitment = G1::from_compressed(&SAMPLES[0].commitment()).unwrap() + G1::generator();
    other.inputs[0][0] = commitment.to_compressed().to_vec();
    (0..64).for_each(|element| add(&mut other.inputs[2][0], element, Fr::one()));
    assert_eq!(agreed("another polynomial, of which it is a cell", &other), Answer::Valid);
    other.inputs[0].swap(0, 1);
    assert_eq!(agreed("the commitments of two polynomials exchanged", &other), Answer::Invalid);
}

/// Returns sets of at least 64 of the 128 cells by their indices, in order.
fn patterns(rng: &mut impl Rng) -> Vec<(String, Vec<u64>)> {
    let mut all: Vec<(String, Vec<u64>)> = vec![
        ("the first 64".into(), (0..64).collect()),
        ("the last 64".into(), (64..128).collect()),
        ("the even ones".into(), (0..128).step_by(2).collect()),
        ("the odd ones".into(), (1..128).step_by(2).collect()),
        ("all but the first".into(), (1..128).collect()),
        ("all but the last".into(), (0..127).collect()),
        ("all".into(), (0..128).collect()),
        // The y of the missing cells are a group, and their polynomial is X^32 − 1.
        ("all but 0, 4, 8, …".into(), (0..128).filter(|index| index % 4 != 0).collect()),
    ];
    for count in [64, 65, rng.random_range(66..127)] {
        let mut indices: Vec<u64> = choose(rng, 128, count).into_iter().map(|index| index as u64).collect();
        indices.sort_unstable();
        all.push((format!("{count} at random"), indices));
    }
    all
}

#[test]
fn recovery_from_64_to_128_cells() {
    let mut rng = rng();
    let patterns = patterns(&mut rng);
    for sample in SAMPLES.choose_multiple(&mut rng, 4) {
        let (pattern, indices) = patterns.choose(&mut rng).unwrap();
        let what = format!("{} from {pattern}", sample.name);
        let answer = agreed(&what, &Call::recovery(sample, indices.iter().copied()));
        assert!(
            answer == Answer::cells_and_proofs(Ok::<_, Error>(sample.cells_and_proofs().clone())),
            "{what}"
        );
    }
    check_spoiled("half of the cells", &Call::recovery(&SAMPLES[0], 64..128), 9, 12);
    // The other libraries are slow, but the result for each blob and pattern is known.
    for sample in SAMPLES.iter() {
        let all = &sample.cells_and_proofs().cells;
        for (pattern, indices) in &patterns {
            let cells: Vec<&[u8]> = indices.iter().map(|index| &all[*index as usize][..]).collect();
            let samples = [Samples { cell_indices: indices, cells: &cells }];
            let settings = MAINNET.ours.settings();
            let mut made = parcrypt_kzg::recover_wanted(&Serial, settings, &samples, Want::CELLS).unwrap();
            assert!(made.remove(0).unwrap().cells == *all, "{} from {pattern}", sample.name);
        }
    }
    // Any 64 cells are the cells of some polynomial.
    let mut mixed = Call::recovery(&SAMPLES[0], (0..128).filter(|index| (index / 7) % 2 == 0).take(64));
    for (at, index) in mixed.indices(0).into_iter().enumerate() {
        let of = &SAMPLES[at % SAMPLES.len()];
        mixed.inputs[1][at] = of.cells_and_proofs().cells[index as usize].to_vec();
    }
    assert!(!agreed("64 cells of different blobs", &mixed).is_refused());
}

#[test]
fn redundant_cells_that_are_damaged() {
    let mut rng = rng();
    let other = &SAMPLES[1].cells_and_proofs().cells;
    let check = |what: &str, call: &Call| {
        let answer = agreed(what, call);
        assert_eq!(answer, Answer::Refused(format!("{:?}", Error::Inconsistent)), "{what}");
        let Answer::Value(by_c_kzg) = call.ask(&MAINNET.c_kzg) else { panic!("{what}: c-kzg refuses") };
        let kept = |(index, cell): (u64, &Vec<u8>)| by_c_kzg[2048 * index as usize..].starts_with(cell);
        assert!(
            call.indices(0).into_iter().zip(&call.inputs[1]).all(kept),
            "{what}: c-kzg returns the given cells"
        );
    };
    for (pattern, indices) in patterns(&mut rng).into_iter().filter(|(_, indices)| indices.len() > 64).skip(4)
    {
        let mut damaged = Call::recovery(&SAMPLES[0], indices);
        let last = damaged.inputs[1].len() - 1;
        let at = [0, last, rng.random_range(0..=last)][rng.random_range(0..3)];
        let element = rng.random_range(0..64);
        damaged.inputs[1][at][32 * element..][..32].copy_from_slice(&random_fr(&mut rng).to_bytes());
        check(&format!("{pattern}, number {at} damaged"), &damaged);
    }
    // Whole cells of another blob are damage too, as are more cells of it than are needed.
    for from in [1, 64, 127] {
        let mut two = Call::recovery(&SAMPLES[0], 0..128);
        (from..128).for_each(|index| two.inputs[1][index] = other[index].to_vec());
        check("cells of two blobs", &two);
    }
}

/// Uses a setup with a known secret: so polynomials with chosen values at the secret, and with them chosen proofs, can
/// be constructed.
#[test]
fn infinity_where_only_the_secret_can_place_it() {
    let mut rng = rng();
    let secret = random_fr(&mut rng);
    let settings = Settings::insecure(&Serial, Request::Auto, &secret.to_bytes()).unwrap();
    let libraries: &'static Libraries = Box::leak(Box::new(Libraries::from_settings(settings)));

    // With P = Σ p_k·X^(64·k), the proof of cell c is (Σ h_i·y_c^i)·G₁, where h_i = Σ p_k·τ^(64·(k − i − 1)) over k >
    // i. So constants p_k give any polynomial h of degree below 63: here one with 62 zeros at the y_c of some cells.
    let mut chosen: Vec<usize> = choose(&mut rng, 128, 62).into_vec();
    let root = Fr::root_of_unity(7).unwrap();
    let mut h = vec![Fr::one()];
    for cell in &chosen {
        let y = root.pow_vartime(u64::from((*cell as u8).reverse_bits() >> 1));
        // Times X − y.
        h.insert(0, Fr::zero());
        (0..h.len() - 1).for_each(|i| h[i] = h[i] - y * h[i + 1]);
    }
    let step = secret.pow_vartime(64);
    let mut coefficients = vec![Fr::zero(); 4096];
    coefficients[0] = random_fr(&mut rng);
    for i in 0..63 {
        coefficients[64 * (i + 1)] = h[i] - step * h.get(i + 1).copied().unwrap_or_default();
    }
    let some = Sample::new(libraries, "62 proofs at infinity", blob_of(&coefficients));
    let is_infinity = |cell: &usize| some.cells_and_proofs().proofs[*cell] == INFINITY;
    chosen.sort_unstable();
    assert_eq!(
        (0..128).filter(is_infinity).collect::<Vec<_>>(),
        chosen,
        "c-kzg has these proofs at infinity"
    );

    // X − τ has a commitment at infinity as 0 has, and is not 0. Its quotient by X − z is 1.
    let line = Sample::new(libraries, "X − τ", blob_of(&[-secret, Fr::one()]));
    assert_eq!(line.commitment(), INFINITY);

    let agreed = |name: &str, call: &Call| agreed_by(libraries, name, call);
    for sample in [&some, &line] {
        let (name, blob, commitment) = (sample.name, &sample.blob[..], sample.commitment());
        for function in [Function::BlobToCommitment, Function::ComputeCellsAndProofs] {
            assert!(!agreed(name, &Call::new(function, &[blob])).is_refused());
        }
        let proof = Call::new(Function::ComputeBlobProof, &[blob, &commitment]);
        assert!(!agreed(name, &proof).is_refused());
        // At the secret itself the pairing compares infinity with infinity.
        let z = secret.to_bytes();
        let Answer::Value(both) = agreed(name, &Call::new(Function::ComputeProof, &[blob, &z])) else {
            panic!("{name}: refused")
        };
        for proof in [&both[..48], &INFINITY, &some.commitment()] {
            let call = Call::new(Function::VerifyProof, &[&commitment, &z, &both[48..], proof]);
            assert_eq!(agreed(name, &call), Answer::Valid, "at the secret any proof will do");
        }
        // The correct proofs, and all proofs at infinity, where only some of them are.
        let mut cells = Call::cells((0..128).map(|index| (sample, index)));
        assert_eq!(agreed(name, &cells), Answer::Valid);
        cells.inputs[3].iter_mut().for_each(|proof| *proof = INFINITY.to_vec());
        assert_eq!(agreed(name, &cells) == Answer::Valid, name == "X − τ");
    }
}

/// Checks that the samples have the properties in their names, so that the other tests cover them.
#[test]
fn samples_have_the_properties_in_their_names() {
    assert_eq!(called("all 0").commitment(), INFINITY);
    assert_eq!(called("all r − 1").blob, bytes_of(&[-Fr::one(); 4096]));
    // The second value of X is the root of order 2.
    assert_eq!(called("X").blob[32..64], (-Fr::one()).to_bytes());
    // The proof of a cell is the quotient by a polynomial of degree 64: 0 below that degree, a constant at it.
    for (name, count) in [
        ("all 0", 128),
        ("all r − 1", 128),
        ("X", 128),
        ("degree 63", 128),
        ("random", 0),
        ("0 but for the first", 0),
        ("degree 64", 0),
        ("degree 4094", 0),
        ("X^4095", 0),
    ] {
        let proofs = &called(name).cells_and_proofs().proofs;
        assert_eq!(proofs.iter().filter(|proof| **proof == INFINITY).count(), count, "{name}");
        assert!(name != "degree 64" || proofs.iter().all(|proof| *proof == proofs[0]));
    }
}
