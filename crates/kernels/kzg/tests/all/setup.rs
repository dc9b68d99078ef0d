//! Trusted setups: all forms against each other and against other libraries, and every kind of damage.

#[path = "../../examples/make_setup/mainnet.rs"]
mod mainnet;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::LazyLock;

use parcrypt_bls12_381::{Error as PointError, Fr, G1};
use parcrypt_kzg::setup::{Defect, Form, JsonDefect, List, Location, Relation};
use parcrypt_kzg::{Error, Origin, Request, Settings};
use parcrypt_oracles::{MAINNET, NOT_ON_CURVE, OUTSIDE, hex, points_of, random_blob, setup_json, setup_text};
use parcrypt_runtime::{Kind, Runtime, Serial};
use parcrypt_testkit::rand::RngCore;
use parcrypt_testkit::{rand, rng};
use sha2::{Digest, Sha256};

const BINARY: &[u8] = include_bytes!("../../data/mainnet.setup");
const HEADER: usize = 40;
const G1_LAGRANGE: usize = HEADER + 4096 * 96;
const G2_MONOMIAL: usize = G1_LAGRANGE + 4096 * 96;
const FK20: usize = G2_MONOMIAL + 65 * 192;
const NOT_A_POINT: Defect = Defect::Point(PointError::NotOnCurve);
const NOT_IN_SUBGROUP: Defect = Defect::Point(PointError::NotInSubgroup);
const CHECKSUM: usize = FK20 + 8192 * 96;

/// The Lagrange form, G2 and the monomial form, compressed.
static POINTS: LazyLock<[Vec<Vec<u8>>; 3]> = LazyLock::new(|| points_of(MAINNET.ours.settings()));

/// c-kzg's text: line 1 and 2 are the counts, line 3 is g1_lagrange\[0\].
static TEXT: LazyLock<String> = LazyLock::new(|| setup_text(&POINTS));

/// Returns the same text with various white space between bytes, and none between some points.
fn spaced_text() -> String {
    let text = TEXT.replacen("\na", "\r\n\t a", 20).replacen("\nb", "b", 20);
    let first = &hex(&POINTS[0][0]);
    " \n".to_owned()
        + &text.replacen(first, &format!("{} \x0b\n{} {}", &first[..10], &first[10..12], &first[12..]), 1)
}

fn two(kind: Kind) -> Box<dyn Runtime> {
    kind.build(NonZeroUsize::new(2).unwrap()).unwrap_or(Box::new(Serial))
}

/// Returns the location and the defect of a refused file.
fn refused(result: Result<Settings, Error>, form: Form) -> (Location, Defect) {
    match result {
        Err(Error::Setup(error)) => {
            assert_eq!(error.form, form, "{error}");
            (error.location, error.defect)
        }
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("it was taken"),
    }
}

/// Returns the same bytes with a matching checksum.
fn sealed(mut binary: Vec<u8>) -> Vec<u8> {
    binary.truncate(CHECKSUM);
    let checksum = Sha256::digest(&binary);
    binary.extend(checksum);
    binary
}

#[test]
fn the_embedded_setup_is_its_generators_output() {
    let made = mainnet::settings(&*two(Kind::Rayon)).unwrap().to_binary();
    assert!(made == BINARY, "run `cargo run --release -p parcrypt-kzg --example make_setup`");
}

#[test]
fn all_forms_give_the_same_settings() {
    let mainnet = Settings::mainnet(Request::Auto).unwrap();
    assert!(mainnet.to_binary() == BINARY);
    assert_eq!(mainnet.origin(), Origin::Ceremony);
    assert_eq!(mainnet.digest(), Sha256::digest([&[0; 4], &BINARY[HEADER..CHECKSUM]].concat()).as_slice());
    let [rayon, openmp] = [Kind::Rayon, Kind::OpenMp].map(two);
    let extended = setup_json(&POINTS).replacen('{', "  {\"name\": [{\"g1_monomial\": 1}, null, 1e3], ", 1);
    let [lagrange, g2, monomial] = POINTS.each_ref().map(|list| list.concat());
    for (what, settings) in [
        ("text", Settings::load(&*rayon, Request::Auto, TEXT.as_bytes())),
        ("text with other white space", Settings::load(&*openmp, Request::Auto, spaced_text().as_bytes())),
        ("JSON with more keys", Settings::load(&*rayon, Request::Auto, extended.as_bytes())),
        ("compressed points", Settings::from_compressed(&Serial, Request::Auto, &monomial, &lagrange, &g2)),
        ("binary", Settings::load(&Serial, Request::Auto, BINARY)),
    ] {
        let settings = settings.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(settings.to_binary() == BINARY, "{what}");
        assert_eq!(settings.digest(), mainnet.digest(), "{what}");
    }
}

/// Loaders with the parameters of c-kzg's. Mainnet is recognised, and other points are checked.
#[test]
fn ckzg_loaders_read_points_text_and_files() {
    let from_points = |[lagrange, g2, monomial]: &[Vec<Vec<u8>>; 3]| {
        let [a, b, c] = [monomial, lagrange, g2].map(|list| list.concat());
        Settings::from_ckzg_points(&Serial, Request::Auto, &a, &b, &c, 0)
    };
    let from_text = |points: &[Vec<Vec<u8>>; 3]| {
        Settings::from_ckzg_text(&Serial, Request::Auto, setup_text(points).as_bytes(), 0)
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("setup");
    let from_file = |contents: &[u8]| {
        std::fs::write(&path, contents).unwrap();
        Settings::from_ckzg_file(&Serial, Request::Auto, &path, 0)
    };
    let mainnet = Settings::mainnet(Request::Auto).unwrap();
    let other = Settings::insecure(&Serial, Request::Auto, &Fr::from(7).to_bytes()).unwrap();
    let others = points_of(&other);
    for (settings, points) in [(&mainnet, &*POINTS), (&other, &others)] {
        let file = from_file(setup_text(points).as_bytes());
        for loaded in [from_points(points), from_text(points), file] {
            let loaded = loaded.unwrap();
            assert_eq!(loaded.digest() == mainnet.digest(), settings.digest() == mainnet.digest());
            assert!(points_of(&loaded) == *points);
        }
    }
    // One point of mainnet's among the others: not one secret's powers.
    for list in 0..3 {
        let mut mixed = others.clone();
        mixed[list][1].clone_from(&POINTS[list][1]);
        for loaded in [from_points(&mixed), from_text(&mixed)] {
            assert!(matches!(loaded, Err(Error::Setup(_))), "list {list}");
        }
    }
    for more in ["00", "\n# a comment", "\n12\n", "\0"] {
        let loaded = from_file((TEXT.clone() + more).as_bytes()).unwrap();
        assert_eq!(loaded.digest(), mainnet.digest(), "{more:?}");
    }
    assert_eq!(from_file(&other.to_binary()).unwrap().digest(), other.digest());
    let mut short = POINTS.clone();
    short[1].truncate(1);
    let of_folder = Settings::from_ckzg_file(&Serial, Request::Auto, folder.path(), 0);
    for refused in [from_file(b"4096\n65\nx"), of_folder, from_points(&short)] {
        assert!(matches!(refused, Err(Error::Setup(_))));
    }
}

#[test]
fn c_kzg_takes_the_same_text() {
    c_kzg::KzgSettings::parse_kzg_trusted_setup(&TEXT, 0).unwrap();
    let path = std::env::temp_dir().join(format!("parcrypt-c-kzg-{}", std::process::id()));
    std::fs::write(&path, spaced_text()).unwrap();
    let read = c_kzg::KzgSettings::load_trusted_setup_file(&path, 0);
    std::fs::remove_file(&path).unwrap();
    read.unwrap();
    // Its own setup is the setup that is part of the library: the same commitment to the same blob.
    let blob = random_blob(&mut rng());
    let theirs = c_kzg::Blob::from_bytes(&blob).unwrap();
    let theirs = c_kzg::ethereum_kzg_settings(0).blob_to_kzg_commitment(&theirs).unwrap();
    let ours =
        parcrypt_kzg::blob_to_kzg_commitment(&Serial, &Settings::mainnet(Request::Auto).unwrap(), &blob)
            .unwrap();
    assert_eq!(ours, *theirs.to_bytes());
}

#[test]
fn damaged_text_is_refused_with_its_line() {
    let text = &*TEXT;
    let lines: Vec<&str> = text.lines().collect();
    let with = |line: usize, new: &str| {
        let mut lines = lines.clone();
        lines[line - 1] = new;
        lines.join("\n")
    };
    let at_line = |line| Location::Line { line };
    let lagrange = |line| Location::PointAtLine { list: List::G1Lagrange, index: line - 3, line };
    let points = |list, expected, found| Defect::Points { list, expected, found };
    let digit = |found| Defect::NotHexadecimal { found };
    let [outside, off] = [*OUTSIDE, *NOT_ON_CURVE].map(|point| hex(&point));
    let (g2_line, monomial_line) = (3 + 4096, 3 + 4096 + 65);
    let in_monomial = Location::PointAtLine { list: List::G1Monomial, index: 7, line: monomial_line + 7 };
    let in_g2 = Location::PointAtLine { list: List::G2Monomial, index: 1, line: g2_line + 1 };
    for (what, text, location, defect) in [
        ("count of G1", with(1, "4097"), at_line(1), points(List::G1Lagrange, 4096, 4097)),
        ("no points", with(1, "0"), at_line(1), points(List::G1Lagrange, 4096, 0)),
        ("count of G2", with(2, "64"), at_line(2), points(List::G2Monomial, 65, 64)),
        ("huge", with(1, &"9".repeat(1000)), at_line(1), points(List::G1Lagrange, 4096, u64::MAX)),
        ("no number", with(2, "6x"), at_line(2), Defect::NotANumber { found: b'x' }),
        ("no digit", with(7, &lines[6].replacen('a', "g", 1)), lagrange(7), digit(b'g')),
        ("half a byte", with(7, &lines[6][..95]), lagrange(7), digit(b'\n')),
        ("0x", with(7, &format!("0x{}", lines[6])), lagrange(7), digit(b'x')),
        ("not on the curve", with(9, &off), lagrange(9), NOT_A_POINT),
        ("outside", with(4098, &outside), lagrange(4098), NOT_IN_SUBGROUP),
        ("outside, monomial", with(monomial_line + 7, &outside), in_monomial, NOT_IN_SUBGROUP),
        ("no point of G2", with(g2_line + 1, &"ff".repeat(96)), in_g2, NOT_A_POINT),
        ("more", text.to_owned() + "\n 00", at_line(8261), Defect::Trailing),
    ] {
        let found = refused(Settings::load(&Serial, Request::Auto, text.as_bytes()), Form::Text);
        assert_eq!(found, (location, defect), "{what}");
    }
    // With a point too many or too few, the next list is read from the wrong position, where there is no valid point.
    let one_less =
        lines.iter().enumerate().filter(|(i, _)| *i != 100).map(|(_, line)| *line).collect::<Vec<_>>();
    refused(Settings::load(&Serial, Request::Auto, one_less.join("\n").as_bytes()), Form::Text);
    refused(
        Settings::load(&Serial, Request::Auto, with(100, &format!("{0}\n{0}", lines[99])).as_bytes()),
        Form::Text,
    );
}

#[test]
fn truncated_text_is_refused_wherever_it_ends() {
    let text = &*TEXT;
    let expected = |end: usize| {
        let points = |list, expected, found| Defect::Truncated { list, expected, found };
        let g2 = 8 + 4096 * 97;
        let g1 = g2 + 65 * 193;
        match end {
            ..8 => points(List::G1Lagrange, 4096, 0),
            _ if end < g2 - 1 => points(List::G1Lagrange, 4096, (end - 8 + 1) / 97),
            _ if end < g1 - 1 => points(List::G2Monomial, 65, (end - g2 + 1) / 193),
            _ => points(List::G1Monomial, 4096, (end - g1 + 1) / 97),
        }
    };
    let mut rng = rng();
    let random = (0..200).map(|_| rand::Rng::random_range(&mut rng, 1..text.len() - 1));
    for end in (1..300).chain(random).chain([text.len() - 98, text.len() - 97, text.len() - 2]) {
        let (_, defect) =
            refused(Settings::load(&Serial, Request::Auto, &text.as_bytes()[..end]), Form::Text);
        assert_eq!(defect, expected(end), "{end}");
    }
    assert_eq!(
        refused(Settings::load(&Serial, Request::Auto, b""), Form::Unknown),
        (Location::File, Defect::Empty)
    );
    // The last line needs no line end.
    assert!(Settings::load(&*two(Kind::Rayon), Request::Auto, &text.as_bytes()[..text.len() - 1]).is_ok());
}

#[test]
fn damaged_json_is_refused_with_its_list_and_index() {
    let json = setup_json(&POINTS);
    let point = |list, index| Location::Point { list, index };
    let list = |list| Location::List { list };
    let [lagrange, g2, monomial] =
        POINTS.each_ref().map(|list| list.iter().map(|point| hex(point)).collect::<Vec<_>>());
    let [outside, off] = [*OUTSIDE, *NOT_ON_CURVE].map(|point| hex(&point));
    let with = |old: &str, new: &str| {
        assert!(json.contains(old));
        json.replacen(old, new, 1)
    };
    let is = |what| Defect::Json { what };
    let column = |line, column| Location::Column { line, column };
    let points = |found| Defect::Points { list: List::G1Lagrange, expected: 4096, found };
    let digits = |list, expected, found| Defect::Digits { list, expected, found };
    let digit = |found| Defect::NotHexadecimal { found };
    let first = format!("\"0x{}\",", lagrange[0]);
    let second = format!("\"0x{}\"", monomial[1]);
    for (what, json, location, defect) in [
        ("missing", with("g1_lagrange", "g1_lagrangE"), list(List::G1Lagrange), is(JsonDefect::Missing)),
        ("missing G2", with("g2_monomial", ""), list(List::G2Monomial), is(JsonDefect::Missing)),
        ("twice", with("g1_lagrange", "g1_monomial"), list(List::G1Monomial), is(JsonDefect::Twice)),
        (
            "no digit",
            with(&lagrange[3], &lagrange[3].replacen('a', "G", 1)),
            point(List::G1Lagrange, 3),
            digit(b'G'),
        ),
        (
            "short",
            with(&g2[64], &g2[64][2..]),
            point(List::G2Monomial, 64),
            digits(List::G2Monomial, 192, 190),
        ),
        ("empty", with(&monomial[4095], ""), point(List::G1Monomial, 4095), digits(List::G1Monomial, 96, 0)),
        ("escaped", with(&monomial[5], "\\u0000"), point(List::G1Monomial, 5), digit(0)),
        ("outside", with(&monomial[9], &outside), point(List::G1Monomial, 9), NOT_IN_SUBGROUP),
        ("not on the curve", with(&lagrange[9], &off), point(List::G1Lagrange, 9), NOT_A_POINT),
        ("one more", with(&first, &first.repeat(2)), list(List::G1Lagrange), points(4097)),
        ("one less", with(&first, ""), list(List::G1Lagrange), points(4095)),
        (
            "many more",
            with(&first, &"\"\",".repeat(100_000)),
            point(List::G1Lagrange, 0),
            digits(List::G1Lagrange, 96, 0),
        ),
        ("a number", with(&second, "1"), column(2, 1), is(JsonDefect::Shape)),
        (
            "no list",
            with("\"g1_lagrange\": [", "\"g1_lagrange\": 7, \"x\": ["),
            column(4097, 16),
            is(JsonDefect::Shape),
        ),
        ("no comma", with("],\n", "]\n"), column(4097, 1), is(JsonDefect::Syntax)),
        ("more", json.clone() + " {}", column(8258, 2), is(JsonDefect::Syntax)),
        ("deep", format!("{{\"x\": {}", "[".repeat(100_000)), column(1, 100_006), is(JsonDefect::Truncated)),
    ] {
        let found = refused(Settings::from_json(&Serial, Request::Auto, &json), Form::Json);
        assert_eq!(found, (location, defect), "{what}");
    }
    let many = json.replacen('[', &format!("[{}", "\"0x\",".repeat(10)), 1);
    refused(Settings::from_json(&Serial, Request::Auto, &many), Form::Json);
    // Cut off at any position.
    let mut rng = rng();
    let random = (0..100).map(|_| rand::Rng::random_range(&mut rng, 1..json.len() - 2));
    for end in (1..300).chain(random) {
        let (_, defect) =
            refused(Settings::load(&Serial, Request::Auto, &json.as_bytes()[..end]), Form::Json);
        assert_eq!(defect, Defect::Json { what: JsonDefect::Truncated }, "{end}");
    }
    refused(Settings::load(&Serial, Request::Auto, b"{\"\xff\": 1}"), Form::Json);
}

#[test]
fn damaged_binary_is_refused_for_every_bit() {
    let refused = |bytes: &[u8]| refused(Settings::from_binary(Request::Auto, bytes), Form::Binary);
    let flipped = |bit: usize| {
        let mut bytes = BINARY.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    };
    for bit in 0..8 * HEADER {
        let (location, defect) = refused(&flipped(bit));
        let value = u32::from_le_bytes(flipped(bit)[bit / 32 * 4..][..4].try_into().unwrap());
        let at = |byte| Location::Byte { offset: byte };
        match bit / 8 {
            0..16 => {
                assert!(matches!((location, defect), (Location::Byte { offset: 0 }, Defect::Foreign { .. })))
            }
            16..20 => assert_eq!((location, defect), (at(16), Defect::Version { expected: 1, found: value })),
            // The origin 1 is defined, but not with this checksum.
            20 if bit == 160 => assert!(matches!(defect, Defect::Checksum { .. })),
            20..24 => assert_eq!((location, defect), (at(20), Defect::Header { found: value })),
            byte => {
                let lists = [
                    (List::G1Monomial, 4096),
                    (List::G1Lagrange, 4096),
                    (List::G2Monomial, 65),
                    (List::Fk20, 8192),
                ];
                let (list, expected) = lists[(byte - 24) / 4];
                assert_eq!(
                    (location, defect),
                    (at(byte / 4 * 4), Defect::Points { list, expected, found: value.into() })
                );
            }
        }
    }
    let mut rng = rng();
    let random = (0..400).map(|_| rand::Rng::random_range(&mut rng, 8 * HEADER..8 * BINARY.len()));
    for bit in random.chain(8 * CHECKSUM..8 * BINARY.len()) {
        assert!(matches!(refused(&flipped(bit)), (Location::File, Defect::Checksum { .. })), "{bit}");
    }
    let lengths =
        (HEADER..HEADER + 200).chain((HEADER..BINARY.len()).step_by(4999)).chain([BINARY.len() - 1]);
    for len in lengths {
        let length = Defect::Length { expected: BINARY.len() as u64, found: len as u64 };
        assert_eq!(refused(&BINARY[..len]), (Location::File, length));
    }
    (16..HEADER).for_each(|len| assert!(matches!(refused(&BINARY[..len]).1, Defect::Length { .. })));
    (0..16).for_each(|len| _ = refused(&BINARY[..len]));
    let longer = [BINARY, &[0]].concat();
    assert!(matches!(refused(&longer).1, Defect::Length { found: 1_585_417, .. }));
}

#[test]
fn points_of_a_binary_form_are_checked_under_any_checksum() {
    let with = |at: usize, bytes: &[u8]| {
        let mut file = BINARY.to_vec();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        refused(Settings::from_binary(Request::Auto, &sealed(file)), Form::Binary)
    };
    for (list, start, size, len) in [
        (List::G1Monomial, HEADER, 96, 4096),
        (List::G1Lagrange, G1_LAGRANGE, 96, 4096),
        (List::G2Monomial, G2_MONOMIAL, 192, 65),
        (List::Fk20, FK20, 96, 8192),
    ] {
        for index in [1, len / 2, len - 1] {
            let offset = start + index * size;
            let place = Location::PointAtByte { list, index, offset };
            assert_eq!(with(offset, &[1, 2, 3]), (place, NOT_A_POINT), "a point off the curve");
            assert_eq!(with(offset, &[0xff; 48]), (place, NOT_A_POINT), "a coordinate of p and above");
        }
    }
    let generator = Defect::Relation(Relation::Generator);
    let other = BINARY[HEADER + 96..][..96].to_vec();
    assert_eq!(
        with(HEADER, &other),
        (Location::Point { list: List::G1Monomial, index: 0 }, generator.clone())
    );
    let other = BINARY[G2_MONOMIAL + 192..][..192].to_vec();
    assert_eq!(with(G2_MONOMIAL, &other), (Location::Point { list: List::G2Monomial, index: 0 }, generator));
}

/// The points of FK20 are not checked when a binary form is loaded; what is computed with others must not be taken for
/// results of the same setup.
#[test]
fn other_points_of_fk20_are_another_setup() {
    let mut file = BINARY.to_vec();
    let (a, b) = (FK20 + 5 * 96, FK20 + 77 * 96);
    let point = file[a..a + 96].to_vec();
    file.copy_within(b..b + 96, a);
    file[b..b + 96].copy_from_slice(&point);
    let forged = Settings::from_binary(Request::Auto, &sealed(file)).unwrap();
    let mainnet = Settings::mainnet(Request::Auto).unwrap();
    assert_ne!(forged.digest(), mainnet.digest());
}

#[test]
fn points_that_do_not_belong_together_are_refused() {
    let relation = |g1_monomial: &[Vec<u8>], g1_lagrange: &[Vec<u8>], g2_monomial: &[Vec<u8>]| {
        let [a, b, c] = [g1_monomial, g1_lagrange, g2_monomial].map(|list| list.concat());
        refused(Settings::from_compressed(&*two(Kind::Rayon), Request::Auto, &a, &b, &c), Form::Compressed)
    };
    let [g1_lagrange, g2_monomial, g1_monomial] = &*POINTS;
    let of = |list, relation| (Location::List { list }, Defect::Relation(relation));
    let swapped = |list: &[Vec<u8>]| {
        let mut list = list.to_vec();
        list.swap(100, 101);
        list
    };
    // c-kzg refuses only the first of these.
    let wrong = relation(g1_monomial, g1_monomial, g2_monomial);
    assert_eq!(wrong, of(List::G1Lagrange, Relation::Lagrange));
    let wrong = relation(g1_monomial, &swapped(g1_lagrange), g2_monomial);
    assert_eq!(wrong, of(List::G1Lagrange, Relation::Lagrange));
    let wrong = relation(&swapped(g1_monomial), g1_lagrange, g2_monomial);
    assert_eq!(wrong, of(List::G1Monomial, Relation::G1Powers));
    let mut last = g1_monomial.clone();
    last[4095] = last[0].clone();
    assert_eq!(relation(&last, g1_lagrange, g2_monomial), of(List::G1Monomial, Relation::G1Powers));
    let mut g2 = g2_monomial.clone();
    g2[64] = g2[63].clone();
    assert_eq!(relation(g1_monomial, g1_lagrange, &g2), of(List::G2Monomial, Relation::G2Powers));
    let mut g2 = g2_monomial.clone();
    g2.swap(0, 1);
    let generator =
        (Location::Point { list: List::G2Monomial, index: 0 }, Defect::Relation(Relation::Generator));
    assert_eq!(relation(g1_monomial, g1_lagrange, &g2), generator);
    // Lists of other lengths.
    let length = |expected, found| Defect::Length { expected, found };
    let short = relation(&g1_monomial[1..], g1_lagrange, g2_monomial);
    assert_eq!(short, (Location::List { list: List::G1Monomial }, length(4096 * 48, 4095 * 48)));
    let none = relation(g1_monomial, g1_lagrange, &[]);
    assert_eq!(none, (Location::List { list: List::G2Monomial }, length(65 * 96, 0)));
}

#[test]
fn foreign_files_are_refused() {
    for file in [
        &b"\x89PNG\r\n\x1a\n and so on"[..],
        b"-1",
        b"4O96",
        b"0x1000\n65",
        b"[]",
        b"\xef\xbb\xbf4096",
        b" \n",
        b"\x7fELF",
    ] {
        let Err(Error::Setup(error)) = Settings::load(&Serial, Request::Auto, file) else {
            panic!("{file:?} was taken")
        };
        println!("{error}");
    }
    let foreign = refused(Settings::load(&Serial, Request::Auto, b"\x7fELF"), Form::Unknown);
    assert_eq!(foreign, (Location::File, Defect::Foreign { found: *b"\x7fELF\0\0\0\0" }));
}

#[test]
fn errors_say_what_is_wrong_and_where() {
    let text = &*TEXT;
    let says = |result: Result<Settings, Error>, expected: &str| {
        assert_eq!(result.unwrap_err().to_string(), expected)
    };
    says(
        Settings::load(&Serial, Request::Auto, b"\x7fELF"),
        "trusted setup: it begins with `\\x7fELF`, and no file of this kind does; the kinds are c-kzg's text, the JSON of \
         the consensus specifications, and Parcrypt's binary form",
    );
    says(
        Settings::load(&Serial, Request::Auto, text.replacen('a', "?", 1).as_bytes()),
        "trusted setup as text, line 3, g1_lagrange[0]: expected a hexadecimal digit, found `?`",
    );
    says(
        Settings::load(&Serial, Request::Auto, &text.as_bytes()[..text.len() / 2]),
        "trusted setup as text, line 4131: it ends after 32 of 65 points of g2_monomial",
    );
    says(
        Settings::from_json(&Serial, Request::Auto, "{\"g1_monomial\": [\"0x00\"]}"),
        "trusted setup as JSON, g1_monomial[0]: 2 hexadecimal digits: a point of g1_monomial has 96",
    );
    says(
        Settings::from_binary(
            Request::Auto,
            &sealed([&BINARY[..HEADER], &[3; CHECKSUM + 32 - HEADER]].concat()),
        ),
        "trusted setup in Parcrypt's binary form, byte 40, g1_monomial[0]: the bytes are not a point of the curve",
    );
}

#[test]
fn files_are_read_within_bounds() {
    let folder = std::env::temp_dir().join(format!("parcrypt-setup-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("setup");
    let io = |kind| (Location::File, Defect::Io { kind });
    let load = |path: &Path| Settings::from_file(&Serial, Request::Auto, path);
    assert_eq!(refused(load(&path), Form::Unknown), io(std::io::ErrorKind::NotFound));
    std::fs::write(&path, BINARY).unwrap();
    assert!(load(&path).unwrap().to_binary() == BINARY);
    // Neither is waited for or read.
    #[cfg(unix)]
    {
        let pipe = folder.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [&folder, &pipe, Path::new("/dev/zero")] {
            assert_eq!(refused(load(path), Form::Unknown), (Location::File, Defect::NoFile));
        }
    }
    std::fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    let large = (Location::File, Defect::TooLarge { limit: 16 << 20 });
    assert_eq!(refused(load(&path), Form::Unknown), large);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Checks that a caller who catches a panic may use settings again, as those of c-kzg.
#[test]
fn settings_are_unwind_safe() {
    fn unwind_safe<T: std::panic::UnwindSafe + std::panic::RefUnwindSafe>() {}
    unwind_safe::<Settings>();
    unwind_safe::<Box<dyn parcrypt_runtime::Runtime>>();
}

#[test]
fn an_insecure_setup_is_that_of_its_secret_and_says_what_it_is() {
    let rt = two(Kind::Rayon);
    // 0, a root of unity, where all points but one of the Lagrange form are at infinity, and any other.
    let root = Fr::root_of_unity(12).unwrap().pow_vartime(5);
    let mut any = [0; 64];
    rng().fill_bytes(&mut any);
    for secret in [Fr::zero(), root, Fr::from_bytes_reduced(&any)] {
        let settings = Settings::insecure(&*rt, Request::Auto, &secret.to_bytes()).unwrap();
        assert_eq!(settings.origin(), Origin::KnownSecret);
        assert!(format!("{settings:?}").contains("INSECURE"), "{settings:?}");
        let binary = settings.to_binary();
        let points = points_of(&settings);
        let point = |index: usize| G1::from_compressed(points[2][index].first_chunk().unwrap()).unwrap();
        assert_eq!(point(1), G1::generator() * secret);
        assert_eq!(point(4095), G1::generator() * secret.pow_vartime(4095));
        // The points as text pass every check, which also computes the points for FK20 in another way.
        let again = Settings::load(&*rt, Request::Auto, setup_text(&points).as_bytes()).unwrap();
        assert!(again.to_binary()[HEADER..CHECKSUM] == binary[HEADER..CHECKSUM]);
        assert_ne!(again.digest(), settings.digest(), "the origin is part of the digest");
        assert!(!format!("{again:?}").contains("INSECURE"));
        let loaded = Settings::from_binary(Request::Auto, &binary).unwrap();
        assert_eq!((loaded.origin(), loaded.digest()), (Origin::KnownSecret, settings.digest()));
    }
    assert!(Settings::insecure(&*rt, Request::Auto, &[0xff; 32]).is_err());
}
