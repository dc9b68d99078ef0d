//! The loaders of trusted setups.
//!
//! c-kzg accepts invalid setups, such as points that are not the powers of one secret. So the expected result follows
//! from the construction of an input: mainnet's setup in some form, with changes that keep its meaning or do not.

use std::sync::LazyLock;

use parcrypt_kzg::{Request, Settings};
use parcrypt_oracles::{hex, points_of};
use sha2::{Digest, Sha256};

use crate::input::{Input, OURS, runtime};

/// Expected result of loading a setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Right {
    /// Mainnet's settings.
    Same,
    /// An error.
    Refused,
    /// Either of them, but no other result.
    Any,
}

fn check<E: std::fmt::Debug>(found: Result<Settings, E>, right: Right) {
    match (found, right) {
        (Ok(_), Right::Refused) => panic!("taken, though it is not mainnet's setup"),
        (Ok(settings), _) => assert!(settings.to_binary() == OURS[0].settings().to_binary(), "another setup"),
        (Err(why), Right::Same) => panic!("refused, though it is mainnet's setup: {why:?}"),
        (Err(_), _) => {}
    }
}

/// The points of mainnet's setup, compressed, in the order of the files: lagrange, g2, monomial.
static POINTS: LazyLock<[Vec<Vec<u8>>; 3]> = LazyLock::new(|| points_of(OURS[0].settings()));

/// Changes one point in one of the lists, or their number. Returns whether that changes their meaning.
fn spoil_points(input: &mut Input<'_>, lists: &mut [Vec<Vec<u8>>; 3]) -> bool {
    let list = &mut lists[input.below(3)];
    let at = match input.below(3) {
        0 => 0,
        1 => list.len() - 1,
        _ => input.below(list.len()),
    };
    match input.below(6) {
        0 => {
            let bit = input.below(8 * list[at].len());
            list[at][bit / 8] ^= 1 << (bit % 8);
        }
        1 => {
            let other = input.below(list.len());
            list.swap(at, other);
            return at != other;
        }
        2 => drop(list.remove(at)),
        3 => list.push(list[at].clone()),
        // Infinity.
        4 => {
            list[at].fill(0);
            list[at][0] = 0xc0;
        }
        // −P is in the subgroup if P is.
        _ => list[at][0] ^= 0x20,
    }
    true
}

/// Tests c-kzg's text.
pub fn setup_text(data: &[u8]) {
    let mut input = Input(data);
    let (rt, mut right, mut lists) = (runtime(&mut input), Right::Same, POINTS.clone());
    if input.rarely(2) && spoil_points(&mut input, &mut lists) {
        right = Right::Refused;
    }
    let mut text = parcrypt_oracles::setup_text(&lists);
    let mut numbers = "4096\n65\n".len();
    if input.rarely(8) {
        let (a, b) = (input.number(), input.number());
        if (a, b) != (4096, 65) {
            right = Right::Refused;
        }
        text.replace_range(..numbers, &format!("{a} {b} "));
        numbers = format!("{a} {b} ").len();
    }
    for _ in 0..input.below(3) {
        let at = input.below(text.len() + 1);
        // Between the bytes of points, where each byte is two digits and each line ends after whole bytes.
        let digits = text[..at].bytes().skip(numbers).filter(u8::is_ascii_hexdigit).count();
        let between = at >= numbers && digits % 2 == 0;
        match input.below(5) {
            0 => {
                text.insert_str(at, [" ", "\n", "\t\r\n ", "\u{b}\u{c}"][input.below(4)]);
                if !between {
                    right = Right::Refused;
                }
            }
            1 if at >= numbers => text = text[..at].to_owned() + &text[at..].to_uppercase(),
            2 => {
                if text[at..].trim() != "" {
                    right = Right::Refused;
                }
                text.truncate(at);
            }
            3 => {
                text.insert_str(at, ["0", "g", "0x", "-", "\0", "é"][input.below(6)]);
                right = Right::Refused;
            }
            _ => {}
        }
    }
    // Changes in or next to the two numbers may keep their meaning.
    if !text.starts_with("4096\n65\n") {
        right = Right::Any;
    }
    check(Settings::load(rt, Request::Auto, text.as_bytes()), right);
}

/// Tests the JSON of the consensus specifications.
pub fn setup_json(data: &[u8]) {
    let mut input = Input(data);
    let (rt, mut right, mut lists) = (runtime(&mut input), Right::Same, POINTS.clone());
    // If points are wrong no other error is reported.
    if input.rarely(8) && spoil_points(&mut input, &mut lists) {
        right = Right::Refused;
    }
    let mut names = ["g1_lagrange", "g2_monomial", "g1_monomial"];
    if input.rarely(8) {
        names[input.below(3)] = ["g1_lagrange", "G1_monomial", "", "g3_monomial"][input.below(4)];
        if names != ["g1_lagrange", "g2_monomial", "g1_monomial"] {
            right = Right::Refused;
        }
    }
    let prefix = if input.rarely(4) { "" } else { "0x" };
    let mut members: Vec<String> = std::iter::zip(names, &lists)
        .map(|(name, list)| {
            let quoted = |point: &Vec<u8>| format!("\"{prefix}{}\"", hex(point));
            let points: Vec<String> = list.iter().map(quoted).collect();
            format!("\"{name}\": [{}]", points.join(",\n"))
        })
        .collect();
    if input.rarely(2) {
        let (extra, becomes) = match input.below(4) {
            0 => {
                (r#""other": {"g1_monomial": [1, "0x", null, true, -1e9, [[[{}]]]]}"#.to_owned(), Right::Same)
            }
            // Deeper than any stack allows, and a number that does not fit in a float: ignored values may be refused.
            1 => (format!("\"deep\": {}{}", "[".repeat(100_000), "]".repeat(100_000)), Right::Any),
            2 => (r#""number": 1e999"#.to_owned(), Right::Any),
            // A repeated key.
            _ => (members[input.below(members.len())].clone(), Right::Refused),
        };
        if right != Right::Refused {
            right = becomes;
        }
        members.insert(input.below(members.len() + 1), extra);
    }
    let turn = input.below(members.len());
    members.rotate_left(turn);
    let mut json = format!("{{\n{}\n}}\n", members.join(",\n"));
    if input.rarely(4) {
        let at = input.below(json.len() + 1);
        match input.below(3) {
            0 => {
                if json[at..].trim() != "" {
                    right = Right::Refused;
                }
                json.truncate(at);
            }
            1 => {
                json.push_str([" \t\r\n", "x", "{}", "\0"][input.below(4)]);
                if !json.ends_with('\n') {
                    right = Right::Refused;
                }
            }
            _ => {
                // A control character is not allowed in JSON except as white space, which this one is not.
                json.insert(at, '\u{1}');
                right = Right::Refused;
            }
        }
    }
    let found = match input.below(2) {
        0 => Settings::from_json(rt, Request::Auto, &json),
        _ => Settings::load(rt, Request::Auto, json.as_bytes()),
    };
    check(found, right);
}

/// Tests lists of compressed points.
pub fn setup_compressed(data: &[u8]) {
    let mut input = Input(data);
    let (rt, mut right, mut lists) = (runtime(&mut input), Right::Same, POINTS.clone());
    if input.rarely(2) && spoil_points(&mut input, &mut lists) {
        right = Right::Refused;
    }
    let mut lists = lists.map(|list| list.concat());
    for list in &mut lists {
        let before = list.len();
        if input.rarely(32) {
            let len = [0, before - 1, before + 1, input.below(2 * before)][input.below(4)];
            list.resize(len, 0);
        }
        if list.len() != before {
            right = Right::Refused;
        }
    }
    let [lagrange, g2, monomial] = lists;
    check(Settings::from_compressed(rt, Request::Auto, &monomial, &lagrange, &g2), right);
}

/// Changes bytes of a file with a checksum at its end, which is then corrected or not. Returns whether it was
/// corrected, if anything is changed.
fn spoil_file(input: &mut Input<'_>, file: &mut Vec<u8>) -> Option<bool> {
    let before = file.clone();
    for _ in 0..input.below(4) {
        let at = match input.below(4) {
            // The header, where a byte matters most.
            0 => input.below(96.min(file.len())),
            1 => file.len() - 1 - input.below(64),
            _ => input.below(file.len()),
        };
        match input.below(4) {
            0 => file[at] ^= 1 << input.below(8),
            1 => file[at] = [0, 0xff, 0x7f, 0x80][input.below(4)],
            2 => file[at] = input.below(256) as u8,
            _ => {
                let end = file.len().min(at + 8);
                file[at..end].fill([0, 0xff][input.below(2)]);
            }
        }
    }
    if input.rarely(4) {
        let len = match input.below(3) {
            0 => input.below(file.len()),
            1 => file.len().saturating_sub(input.below(64)),
            _ => file.len() + input.below(64),
        };
        file.resize(len, 0);
    }
    let forge = input.rarely(2) && file.len() >= 32;
    if forge {
        let body = file.len() - 32;
        let checksum = Sha256::digest(&file[..body]);
        file[body..].copy_from_slice(&checksum);
    }
    (*file != before).then_some(forge)
}

/// Tests our own form.
pub fn setup_binary(data: &[u8]) {
    let mut input = Input(data);
    let (rt, mut file) = (runtime(&mut input), OURS[0].settings().to_binary());
    let spoilt = spoil_file(&mut input, &mut file);
    let found = match input.below(2) {
        0 => Settings::from_binary(Request::Auto, &file),
        _ => Settings::load(rt, Request::Auto, &file),
    };
    match spoilt {
        None => check(found, Right::Same),
        Some(false) => check(found, Right::Refused),
        // A valid checksum may cover any points of the curve, but the points that are read are those in the file.
        Some(true) => {
            if let Ok(settings) = found {
                assert!(settings.to_binary() == file, "read as something else");
            }
        }
    }
}
