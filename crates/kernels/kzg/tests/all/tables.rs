//! Tables and the file that stores them: the same bytes with any budget, and damaged files are refused.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use parcrypt_bls12_381::Error as PointError;
use parcrypt_kzg::setup::{Defect, Form, Location};
use parcrypt_kzg::{Error, Request, Settings, blob_to_kzg_commitment, compute_cells_and_kzg_proofs};
use parcrypt_runtime::Serial;
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::{rng, runtimes};
use sha2::{Digest, Sha256};

use super::common::{P, random_blob};

const HEADER: usize = 88;
const MIB: usize = 1 << 20;

/// A folder that is removed with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("parcrypt-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns the location and the defect of a refused file.
fn refused(settings: &mut Settings, path: &Path) -> (Location, Defect) {
    match settings.load_tables(path) {
        Err(Error::Setup(error)) => {
            assert_eq!(error.form, Form::Tables, "{error}");
            (error.location, error.defect)
        }
        other => panic!("{other:?}"),
    }
}

/// Returns the same bytes with a matching checksum.
fn sealed(mut file: Vec<u8>) -> Vec<u8> {
    file.truncate(file.len() - 32);
    let checksum = Sha256::digest(&file);
    file.extend(checksum);
    file
}

#[test]
fn every_budget_gives_the_same_bytes_and_is_kept() {
    let plain = Settings::mainnet(Request::Auto).unwrap();
    let blob = random_blob(&mut rng());
    let commitment = blob_to_kzg_commitment(&Serial, &plain, &blob).unwrap();
    let proofs = compute_cells_and_kzg_proofs(&Serial, &plain, &blob).unwrap().proofs;
    let mut sizes = vec![plain.tables().bytes()];
    for (mib, rt) in [0, 1, 2, 3, 5, 8, 13, 24, 40, 64, usize::MAX]
        .into_iter()
        .zip(runtimes("parcrypt-kzg").iter().cycle())
    {
        let mut settings = plain.clone();
        let report = settings.build_tables(&**rt, mib).unwrap();
        println!("{mib} MiB on {}: {report}", rt.name());
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

#[test]
fn a_file_of_tables_gives_the_same_tables() {
    let folder = Folder::new("tables");
    let path = folder.0.join("tables");
    let plain = Settings::mainnet(Request::Auto).unwrap();
    let mut built = plain.clone();
    let report = built.build_tables(&Serial, 16).unwrap();
    built.save_tables(&path).unwrap();
    assert_eq!(folder.names(), ["tables"], "no other file is left");
    assert_eq!(std::fs::metadata(&path).unwrap().len(), (HEADER + 2 * 12 + report.bytes() + 32) as u64);
    let mut loaded = plain.clone();
    assert_eq!(loaded.load_tables(&path).unwrap(), report);
    let again = folder.0.join("again");
    loaded.save_tables(&again).unwrap();
    assert!(std::fs::read(&path).unwrap() == std::fs::read(&again).unwrap());
    let blob = random_blob(&mut rng());
    let commitment = |settings| blob_to_kzg_commitment(&Serial, settings, &blob).unwrap();
    assert_eq!(commitment(&loaded), commitment(&plain));
    // An existing file is replaced, whatever it contains.
    std::fs::write(&again, b"something else").unwrap();
    plain.save_tables(&again).unwrap();
    assert_eq!(loaded.load_tables(&again).unwrap(), plain.tables());
    // So is one whose temporary names are taken, by killed processes with the same number; their files are removed.
    let stale = (0..64).map(|i| folder.0.join(format!(".again.{}-{i}.tmp", std::process::id())));
    stale.clone().for_each(|path| std::fs::write(path, b"half of it").unwrap());
    built.save_tables(&again).unwrap();
    assert_eq!(loaded.load_tables(&again).unwrap(), report);
    assert!(stale.clone().all(|path| !path.exists()));
    // A failed write leaves no file behind.
    let io = |error| match error {
        Err(Error::Setup(error)) => error.defect,
        other => panic!("{other:?}"),
    };
    let not_found = Defect::Io { kind: ErrorKind::NotFound };
    assert_eq!(io(built.save_tables(&folder.0.join("none").join("tables"))), not_found);
    let taken = folder.0.join("folder");
    std::fs::create_dir_all(taken.join("with a file")).unwrap();
    assert!(matches!(io(built.save_tables(&taken)), Defect::Io { .. }));
    assert!(matches!(io(built.save_tables(Path::new("/"))), Defect::Io { .. }));
    assert_eq!(folder.names().len(), 3);
    assert_eq!(io(loaded.load_tables(&folder.0.join("none")).map(|_| ())), not_found);
}

/// Returns p − y for a little-endian number below p.
fn negative(y: &[u8; 48]) -> [u8; 48] {
    let mut p = P;
    p.reverse();
    let mut borrow = 0;
    let mut difference = |(p, y): (&u8, &u8)| {
        let value = i16::from(*p) - i16::from(*y) - borrow;
        borrow = i16::from(value < 0);
        value.rem_euclid(256) as u8
    };
    let mut out = [0; 48];
    out.iter_mut().zip(p.iter().zip(y)).for_each(|(out, pair)| *out = difference(pair));
    out
}

#[test]
fn a_damaged_or_foreign_file_is_refused() {
    let folder = Folder::new("damaged-tables");
    let path = folder.0.join("tables");
    let mut settings = Settings::mainnet(Request::Auto).unwrap();
    // Small tables, because their file is read about a thousand times.
    settings.build_tables(&Serial, 4).unwrap();
    settings.save_tables(&path).unwrap();
    let before = settings.tables();
    let file = std::fs::read(&path).unwrap();
    let mut loading = Settings::mainnet(Request::Auto).unwrap();
    let mut refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        refused(&mut loading, &path)
    };
    let flipped = |bit: usize| {
        let mut bytes = file.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    };
    for bit in 0..8 * HEADER {
        let (location, defect) = refused(&flipped(bit));
        let as_expected = match bit / 8 {
            0..16 => matches!(defect, Defect::Foreign { .. }),
            16..20 => matches!(defect, Defect::Version { expected: 2, .. }),
            20..24 => matches!(defect, Defect::Header { .. }),
            24..40 => matches!(defect, Defect::OtherBackend { .. }),
            40..72 => matches!(defect, Defect::OtherSetup { .. }),
            _ => matches!(defect, Defect::Length { .. }),
        };
        assert!(as_expected, "bit {bit}: {location}: {defect}");
    }
    let mut rng = rng();
    for _ in 0..40 {
        let bit = rng.random_range(8 * HEADER..8 * file.len());
        assert!(matches!(refused(&flipped(bit)), (Location::File, Defect::Checksum { .. })), "bit {bit}");
    }
    // A bit of each byte of the checksum.
    for bit in (8 * (file.len() - 32)..8 * file.len()).step_by(7) {
        assert!(matches!(refused(&flipped(bit)), (Location::File, Defect::Checksum { .. })), "bit {bit}");
    }
    for len in (0..HEADER + 40).chain((0..50).map(|_| rng.random_range(HEADER..file.len()))) {
        let (_, defect) = refused(&file[..len]);
        let as_expected = match len {
            0 => defect == Defect::Empty,
            1..16 => matches!(defect, Defect::Foreign { .. }),
            _ => matches!(defect, Defect::Length { found, .. } if found == len as u64),
        };
        assert!(as_expected, "{len} bytes: {defect}");
    }
    assert!(matches!(refused(&[&file[..], &[0]].concat()), (Location::File, Defect::Length { .. })));
    // The other file of this library.
    let binary = settings.to_binary();
    assert_eq!(refused(&binary), (Location::Byte { offset: 0 }, Defect::Foreign { found: *b"\x89KZG-set" }));
    // Undamaged files that were made for something else, or by another program.
    let with = |at: usize, bytes: &[u8]| {
        let mut file = file.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        sealed(file)
    };
    let tables =
        |offset, at| (Location::Byte { offset }, Defect::Point(PointError::NotTables { offset: at }));
    assert_eq!(refused(&with(HEADER, &[1])), tables(HEADER, 0), "digits of 1 bit");
    assert_eq!(refused(&with(HEADER + 4, &[77])), tables(HEADER, 4), "77 tables");
    assert_eq!(refused(&with(HEADER + 12, &[0xff; 48])), tables(HEADER, 12), "p and above");
    let point = file[HEADER + 12..][..144].to_vec();
    let at = HEADER + 12 + 144 * (before.lagrange_bytes / 4096 / 144);
    assert_eq!(refused(&with(at, &point)), tables(HEADER, at - HEADER), "another point");
    // A multiple that is not checked one by one: the negative of the last one of each table.
    let negated = |end: usize| {
        let mut file = file.clone();
        let y: &mut [u8; 48] = (&mut file[end - 48..end]).try_into().unwrap();
        *y = negative(y);
        sealed(file)
    };
    let second = HEADER + 12 + before.lagrange_bytes;
    let mut beta = file.clone();
    beta[second - 96..second - 48].fill(1);
    assert_eq!(
        refused(&sealed(beta)),
        tables(HEADER, second - 144 - HEADER),
        "another x than that of the second"
    );
    assert_eq!(refused(&negated(second)), (Location::Byte { offset: HEADER }, Defect::Multiples));
    let wrong = (Location::Byte { offset: second }, Defect::Multiples);
    assert_eq!(refused(&negated(file.len() - 32)), wrong);
    let huge = with(72, &[0xff; 16]);
    assert!(matches!(refused(&huge), (Location::File, Defect::Length { expected: u64::MAX, .. })));
    let moved = [(before.lagrange_bytes as u64).to_le_bytes(), (24 + before.fk20_bytes as u64).to_le_bytes()]
        .concat();
    assert_eq!(refused(&with(72, &moved)), tables(HEADER, before.lagrange_bytes), "12 bytes less");
    // The good file is still accepted, by the settings that refused all of these.
    assert_eq!(loading.tables(), Settings::mainnet(Request::Auto).unwrap().tables());
    std::fs::write(&path, &file).unwrap();
    assert_eq!(loading.load_tables(&path).unwrap(), before);
    let mut other = Settings::insecure(&Serial, Request::Auto, &[7; 32]).unwrap();
    let digest = |settings: &Settings| u64::from_be_bytes(settings.digest()[..8].try_into().unwrap());
    let defect = Defect::OtherSetup { expected: digest(&other), found: digest(&settings) };
    assert_eq!(self::refused(&mut other, &path), (Location::Byte { offset: 40 }, defect));
}

/// Neither is read: the first never ends, the second waits for a writer, and the third has 4 GiB of zeros.
#[cfg(unix)]
#[test]
fn a_file_that_is_none_or_has_too_much_is_refused() {
    use std::io::{Seek, SeekFrom, Write};

    let mut settings = Settings::mainnet(Request::Auto).unwrap();
    assert_eq!(refused(&mut settings, Path::new("/dev/zero")), (Location::File, Defect::NoFile));
    let folder = Folder::new("no-tables");
    let (pipe, sparse) = (folder.0.join("pipe"), folder.0.join("sparse"));
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    assert_eq!(refused(&mut settings, &pipe), (Location::File, Defect::NoFile));
    settings.save_tables(&sparse).unwrap();
    let mut file = std::fs::OpenOptions::new().write(true).open(&sparse).unwrap();
    let length: u64 = 4 << 30;
    file.seek(SeekFrom::Start(72)).unwrap();
    file.write_all(&(length - HEADER as u64 - 32).to_le_bytes()).unwrap();
    file.write_all(&[0; 8]).unwrap();
    file.set_len(length).unwrap();
    let (location, defect) = refused(&mut settings, &sparse);
    assert!(matches!((location, &defect), (Location::File, Defect::TooLarge { .. })), "{defect}");
}
