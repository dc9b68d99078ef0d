//! Random programs of integers in a lane: at random inputs, each value is what the processor would compute, and within
//! its bounds, and each atom within its own.

use std::collections::BTreeMap;

use iced_x86::Mnemonic;
use num_bigint::BigInt;
use num_integer::Integer;

use crate::instructions::{Shift, binary, or, shifted, ternary};
use crate::values::{Atoms, Expected, Number, Value, constant};

const OPERATIONS: [Mnemonic; 14] = [
    Mnemonic::Vpaddw,
    Mnemonic::Vpsubw,
    Mnemonic::Vpmullw,
    Mnemonic::Vpmulhw,
    Mnemonic::Vpmulhuw,
    Mnemonic::Vpmulhrsw,
    Mnemonic::Vpsubusw,
    Mnemonic::Vpminuw,
    Mnemonic::Vpand,
    Mnemonic::Vpandn,
    Mnemonic::Vpor,
    Mnemonic::Vpxor,
    Mnemonic::Vpcmpgtw,
    Mnemonic::Vpcmpeqd,
];

/// Returns what an operation computes, of the operation's number, its operands and a third one, and a number.
fn expected(operation: usize, a: u16, b: u16, c: u16, by: u32) -> u16 {
    let (x, y) = (i32::from(a.cast_signed()), i32::from(b.cast_signed()));
    match operation {
        0 => a.wrapping_add(b),
        1 => a.wrapping_sub(b),
        2 => a.wrapping_mul(b),
        3 => ((x * y) >> 16) as u16,
        4 => ((u32::from(a) * u32::from(b)) >> 16) as u16,
        5 => ((x * y + 0x4000) >> 15) as u16,
        6 => a.saturating_sub(b),
        7 => a.min(b),
        8 => a & b,
        9 => !a & b,
        10 => a | b,
        11 => a ^ b,
        12 => u16::from(x > y).wrapping_neg(),
        13 => u16::from(a == b).wrapping_neg(),
        14 => a.checked_shl(by).unwrap_or(0),
        15 => a.checked_shr(by).unwrap_or(0),
        16 => (x >> by.min(15)) as u16,
        _ => (0..16).fold(0, |sum, k| {
            let bits = (a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1);
            sum | (((by * 37) >> bits & 1) as u16) << k
        }),
    }
}

#[test]
fn values_are_what_the_processor_computes() {
    let mut random = crate::random();
    let mut used = BTreeMap::new();
    for _ in 0..20_000 {
        let mut atoms = Atoms::default();
        let mut values: Vec<Value> = Vec::new();
        for _ in 0..3 {
            let (low, high) = [(0, 65535), (0, 3328), (-32768, 32767), (-1, 0)][random() as usize % 4];
            values.push(atoms.input(low, high));
        }
        values.push(constant([3329, -3327, 20159, 0xffff, 1, 7, 32768][random() as usize % 7]));
        let mut program = vec![None; values.len()];
        for _ in 0..7 {
            let [i, j] = [0; 2].map(|_: usize| random() as usize % values.len());
            let (operation, by) = (random() as usize % 18, 1 + random() as u32 % 16);
            let (a, b, c) = (values[i].clone(), values[j].clone(), values[0].clone());
            let value = match operation {
                // `any` may return a new input, which has no value here.
                10 => or(&mut atoms, 16, &a, &b),
                0..14 => {
                    let (_, function) = binary(OPERATIONS[operation]).unwrap();
                    function(&mut atoms, 16, &a, &b)
                }
                14 => shifted(&mut atoms, 16, Shift::Left, &a, by.into()),
                15 => shifted(&mut atoms, 16, Shift::Right, &a, by.into()),
                16 => shifted(&mut atoms, 16, Shift::Signed, &a, by.into()),
                _ => ternary(&mut atoms, 16, (by * 37) as u8, [&a, &b, &c]),
            };
            // What it cannot follow it refuses.
            if let Ok(value) = value {
                *used.entry(operation).or_insert(0) += 1;
                values.push(value);
                program.push(Some((operation, i, j, by)));
            }
        }
        for _ in 0..8 {
            let numbers = atoms.numbers(&mut random);
            let lane = |value: &Value| {
                let number = value.at(&numbers);
                assert!(
                    BigInt::from(value.low) <= number && number <= BigInt::from(value.high),
                    "{program:?}"
                );
                u16::try_from(number.mod_floor(&BigInt::from(1 << 16))).unwrap()
            };
            let lanes: Vec<u16> = values.iter().map(lane).collect();
            for (lane, step) in lanes.iter().zip(&program) {
                if let Some((operation, i, j, by)) = *step {
                    assert_eq!(
                        *lane,
                        expected(operation, lanes[i], lanes[j], lanes[0], by),
                        "{program:?} {lanes:?}"
                    );
                }
            }
        }
    }
    assert!(used.len() == 18 && used.values().all(|count| *count > 100), "{used:?}");
}

/// A subtraction of m from integers below 2·m that are not below m, in three limbs of 8 bits; and ways to do it wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Right,
    /// m is kept.
    TooLate,
    /// m − 1 is not kept.
    TooEarly,
    NoCarry,
    Exchanged,
    AnotherModulus,
}

#[test]
fn only_right_subtractions_pass_the_check() {
    let mut random = crate::random();
    let ways = [Way::TooLate, Way::TooEarly, Way::NoCarry, Way::Exchanged, Way::AnotherModulus];
    for round in 0..500 {
        let modulus = i128::from(random() % (1 << 22)) | 1 << 21 | 1;
        for way in [Way::Right, ways[round % ways.len()]] {
            let mut atoms = Atoms::default();
            let x: Vec<Value> = [255, 255, modulus >> 15].map(|high| atoms.input(0, high)).into();
            // The limbs of x + more, and what is carried beyond them.
            let mut sum = |more: i128| {
                let (mut carry, mut limbs) = (constant(0), Vec::new());
                for (i, limb) in x.iter().enumerate() {
                    let carried = if way == Way::NoCarry && i == 2 { constant(0) } else { carry };
                    let sum = limb.plus(&constant(more >> (8 * i) & 255)).unwrap().plus(&carried).unwrap();
                    let (high, low) = atoms.split(&sum, 8).unwrap();
                    (carry, _) = (high, limbs.push(low));
                }
                (limbs, carry)
            };
            let (less, carry) = sum((1 << 24) - modulus);
            let carry = match way {
                Way::TooLate => sum((1 << 24) - modulus - 1).1,
                Way::TooEarly => sum((1 << 24) - modulus + 1).1,
                _ => carry,
            };
            let keep = if way == Way::Exchanged { carry } else { constant(1).minus(&carry).unwrap() };
            let mut found = Vec::new();
            for (limb, less) in x.iter().zip(&less) {
                let chosen = atoms.chosen(&keep, &limb.minus(less).unwrap()).unwrap();
                found.push(atoms.sum(&chosen, less).unwrap());
                assert!(found.iter().all(|limb| limb.within(0, 255)));
            }
            let expected = Expected {
                unit: BigInt::from(1),
                sum: Number::from_limbs(&x, 8),
                most: (2 * modulus - 1).into(),
                modulus: (modulus + if way == Way::AnotherModulus { 2 } else { 0 }).into(),
                bound: 1,
                ..Expected::default()
            };
            let checked = atoms.check(&Number::from_limbs(&found, 8), Some(24), &expected);
            assert_eq!(checked.is_ok(), way == Way::Right, "{way:?} {checked:?}");
        }
    }
}
