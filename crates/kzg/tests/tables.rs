//! Tables and the file that stores them: the same bytes with any budget, and damaged files are refused.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use parcrypt_bls12_381::Error as PointError;
use parcrypt_kzg::setup::{Defect, Form, Location};
use parcrypt_kzg::{Error, Request, Settings, blob_to_kzg_commitment, compute_cells_and_kzg_proofs};
use parcrypt_runtime::Serial;
use parcrypt_testkit::rand::{Rng, RngCore};
use parcrypt_testkit::{rng, runtimes};
use sha2::{Digest, Sha256};

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

fn blob() -> Vec<u8> {
    let mut blob = vec![0; 131_072];
    rng().fill_bytes(&mut blob);
    blob.iter_mut().step_by(32).for_each(|byte| *byte = 0);
    blob
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
    let blob = blob();
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
    let blob = blob();
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

#[test]
fn a_damaged_or_foreign_file_is_refused() {
    let folder = Folder::new("damaged-tables");
    let path = folder.0.join("tables");
    let mut settings = Settings::mainnet(Request::Auto).unwrap();
    settings.build_tables(&Serial, 3).unwrap();
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
            16..20 => matches!(defect, Defect::Version { expected: 1, .. }),
            20..24 => matches!(defect, Defect::Header { .. }),
            24..40 => matches!(defect, Defect::OtherBackend { .. }),
            40..72 => matches!(defect, Defect::OtherSetup { .. }),
            _ => matches!(defect, Defect::Length { .. }),
        };
        assert!(as_expected, "bit {bit}: {location}: {defect}");
    }
    let mut rng = rng();
    for _ in 0..200 {
        let bit = rng.random_range(8 * HEADER..8 * file.len());
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

#[cfg(unix)]
#[test]
fn a_file_that_never_ends_is_refused() {
    let mut settings = Settings::mainnet(Request::Auto).unwrap();
    assert!(matches!(refused(&mut settings, Path::new("/dev/zero")).1, Defect::Foreign { .. }));
}
