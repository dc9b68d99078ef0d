//! Tables of multiples of a setup's points: their memory, and the file that stores them.
//!
//! Numbers in the file are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 16 | [`MAGIC`] |
//! | 4 | the version, 2 |
//! | 4 | 0 |
//! | 16 | the backend whose representation of numbers the tables have, padded with zeros |
//! | 32 | the digest of the setup |
//! | 2 × 8 | the bytes of the tables for the Lagrange form and for FK20 |
//! | | the tables, as `FixedMsm::to_bytes` returns them |
//! | 32 | the SHA-256 of all bytes before |

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use parcrypt_bls12_381::{FixedMsm, Fr, G1, GlvTable, msm};
use parcrypt_cpu::Row;
use parcrypt_runtime::{Runtime, Serial};
use sha2::{Digest, Sha256};

use super::{Defect, FK20_POINTS, Form, G1_POINTS, Location, SetupError, first_8, foreign};
use crate::settings::Tables;
use crate::{CELLS_PER_EXT_BLOB, Error, Settings};

pub(super) const MAGIC: [u8; 16] = *b"\x89KZG-tables\r\n\x1a\n\0";
const VERSION: u32 = 2;
const HEADER: usize = 16 + 4 + 4 + 16 + 32 + 2 * 8;
const CHECKSUM: usize = 32;
/// Maximum size of a file of tables, in bytes. The largest useful ones take 35 MB, so no file of zeros whose length is
/// made up takes much memory or time.
const MOST_BYTES: u64 = 64 << 20;

/// Memory of the tables of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableReport {
    /// Bytes for multiples of the Lagrange form: commitments and proofs of blobs.
    pub lagrange_bytes: usize,
    /// Bytes for multiples of the points of FK20: proofs of cells.
    pub fk20_bytes: usize,
}

impl TableReport {
    /// Returns the sum, in bytes.
    pub fn bytes(&self) -> usize {
        self.lagrange_bytes + self.fk20_bytes
    }
}

impl fmt::Display for TableReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes| bytes as f64 / f64::from(1 << 20);
        write!(
            f,
            "{:.1} MiB of tables: {:.1} for commitments and proofs of blobs, {:.1} for proofs of cells",
            mib(self.bytes()),
            mib(self.lagrange_bytes),
            mib(self.fk20_bytes)
        )
    }
}

/// Layout and multiples of the tables for the Lagrange form, and of those for FK20.
pub type TableParts<'a> = [([u32; 3], &'a [GlvTable]); 2];

/// The most bytes that tables for the Lagrange form take: 7 multiples of each point. A commitment takes 11 % less time
/// with 2, 15 % with 7, and 15 % with all 16: fewer additions, of points that are not in the second cache.
const MOST_LAGRANGE: usize = 7 * G1_POINTS * size_of::<GlvTable>();

/// Builds tables for the Lagrange form within a budget in bytes; the largest take [`MOST_LAGRANGE`].
fn make_lagrange(rt: &dyn Runtime, settings: &Settings, budget: usize) -> Result<FixedMsm, Error> {
    let budget = budget.min(MOST_LAGRANGE);
    Ok(FixedMsm::new(rt, settings.rows.fp_request(), &settings.g1_lagrange, 1, budget)?)
}

/// Builds tables for FK20 within a budget in bytes; the largest useful ones take 29.25 MiB.
fn make_fk20(rt: &dyn Runtime, settings: &Settings, budget: usize) -> Result<FixedMsm, Error> {
    let points = &settings.fk20_points;
    Ok(FixedMsm::new(rt, settings.rows.fp_request(), points, CELLS_PER_EXT_BLOB, budget)?)
}

/// # Tables
///
/// Multi-scalar multiplications of the same points take less time with tables of their multiples. Settings begin
/// without tables; each of these functions replaces the current ones.
impl Settings {
    /// Builds tables of at most `budget_mib` MiB, or of 1.7 MiB, the size of the points themselves, where that is more,
    /// and returns their sizes. For all 34 MiB that takes 70 ms on one thread with AVX-512 IFMA, half a second without.
    /// Larger budgets are not faster.
    ///
    /// # Errors
    /// [`Error::Arithmetic`] if they cannot be built.
    ///
    /// ```
    /// use parcrypt_kzg::{Request, Settings};
    /// let mut settings = Settings::mainnet(Request::Auto)?;
    /// let report = settings.build_tables(&parcrypt_runtime::Serial, 8)?;
    /// assert!(report.bytes() <= 8 << 20, "{report}");
    /// # Ok::<(), parcrypt_kzg::Error>(())
    /// ```
    pub fn build_tables(&mut self, rt: &dyn Runtime, budget_mib: usize) -> Result<TableReport, Error> {
        let budget = budget_mib.saturating_mul(1 << 20);
        // Those for the Lagrange form get a quarter, and what those for FK20 leave of the rest.
        let fk20 = make_fk20(rt, self, budget - MOST_LAGRANGE.min(budget / 4))?;
        let lagrange = make_lagrange(rt, self, budget.saturating_sub(fk20.table_bytes()))?;
        Ok(self.set_tables(lagrange, fk20))
    }

    /// Builds tables of at most these sizes and returns their sizes. Tables that would not be larger than the current
    /// ones are not built. With [`Settings::tables`] of another process the tables become as large as there; with one
    /// of the sizes raised, as for commitments only, the others take no time.
    ///
    /// # Errors
    /// [`Error::Arithmetic`] if they cannot be built.
    ///
    /// ```
    /// use parcrypt_kzg::{Request, Settings};
    /// let mut settings = Settings::mainnet(Request::Auto)?;
    /// let mut most = settings.tables();
    /// most.lagrange_bytes = 4 << 20;
    /// let report = settings.build_tables_within(&parcrypt_runtime::Serial, most)?;
    /// assert_eq!(report.fk20_bytes, most.fk20_bytes);
    /// # Ok::<(), parcrypt_kzg::Error>(())
    /// ```
    pub fn build_tables_within(&mut self, rt: &dyn Runtime, most: TableReport) -> Result<TableReport, Error> {
        let now = self.tables();
        // Nothing is replaced before both are built.
        let larger = |most: usize, now: usize| Some(most).filter(|most| *most > now);
        let lagrange = larger(most.lagrange_bytes, now.lagrange_bytes);
        let lagrange = lagrange.map(|budget| make_lagrange(rt, self, budget)).transpose()?;
        let fk20 = larger(most.fk20_bytes, now.fk20_bytes);
        let fk20 = fk20.map(|budget| make_fk20(rt, self, budget)).transpose()?;
        if let Some(tables) = lagrange {
            self.lagrange = Ok(tables).into();
        }
        if let Some(tables) = fk20 {
            self.fk20 = Ok(tables).into();
        }
        Ok(self.tables())
    }

    /// Uses other tables, and returns their sizes.
    fn set_tables(&mut self, lagrange: FixedMsm, fk20: FixedMsm) -> TableReport {
        let report = TableReport { lagrange_bytes: lagrange.table_bytes(), fk20_bytes: fk20.table_bytes() };
        (self.lagrange, self.fk20) = (Ok(lagrange).into(), Ok(fk20).into());
        report
    }

    /// Returns the sizes of the current tables, which may be those of the points alone; those are made by the first
    /// commitment and by the first proof of cells.
    pub fn tables(&self) -> TableReport {
        let bytes = |tables: &Tables, points: usize| match tables.get() {
            Some(Ok(tables)) => tables.table_bytes(),
            _ => size_of::<GlvTable>() * points,
        };
        TableReport {
            lagrange_bytes: bytes(&self.lagrange, G1_POINTS),
            fk20_bytes: bytes(&self.fk20, FK20_POINTS),
        }
    }

    /// Returns layout and multiples of the tables for the Lagrange form and for FK20, for [`Settings::use_tables`] in
    /// another process with the same backend.
    ///
    /// # Errors
    /// [`Error::Arithmetic`] if they cannot be built.
    pub fn table_parts(&self) -> Result<TableParts<'_>, Error> {
        Ok([self.lagrange()?, self.fk20()?].map(|tables| (tables.layout(), tables.glv_tables())))
    }

    /// Uses tables in memory that several processes share, without a copy. It checks what
    /// [`FixedMsm::from_glv_tables`] checks; the other processes are trusted. After an error the settings are as
    /// before.
    ///
    /// # Errors
    /// [`Error::Arithmetic`] where they are not tables of this setup.
    pub fn use_tables(&mut self, parts: TableParts<'static>) -> Result<TableReport, Error> {
        let [(lagrange, lagrange_tables), (fk20, fk20_tables)] = parts;
        let request = self.rows.fp_request();
        let lagrange = FixedMsm::from_glv_tables(request, &self.g1_lagrange, 1, lagrange, lagrange_tables)?;
        let points = &self.fk20_points;
        let fk20 = FixedMsm::from_glv_tables(request, points, CELLS_PER_EXT_BLOB, fk20, fk20_tables)?;
        Ok(self.set_tables(lagrange, fk20))
    }

    /// Writes the tables to a file, with a checksum. The file appears whole or not at all: it is written under
    /// another name in the same folder and renamed. [`Settings::load_tables`] reads it on machines with the same
    /// backend.
    ///
    /// # Errors
    /// [`Error::Setup`] with [`Defect::Io`] where it cannot be written.
    pub fn save_tables(&self, path: &Path) -> Result<(), Error> {
        let parts = [self.lagrange()?.to_bytes(), self.fk20()?.to_bytes()];
        let mut header = Vec::with_capacity(HEADER);
        header.extend(MAGIC);
        header.extend(VERSION.to_le_bytes());
        header.extend([0; 4]);
        header.extend(backend(self));
        header.extend(self.digest());
        parts.iter().for_each(|part| header.extend((part.len() as u64).to_le_bytes()));
        debug_assert_eq!(header.len(), HEADER);
        let checksum =
            Sha256::new().chain_update(&header).chain_update(&parts[0]).chain_update(&parts[1]).finalize();
        replace(path, &[&header, &parts[0], &parts[1], &checksum]).map_err(|error| io_error(&error).into())
    }

    /// Reads the tables from a file of [`Settings::save_tables`] and returns their sizes. 34 MiB take about 80 ms.
    ///
    /// The checksum is verified first. Then a sum with random scalars is compared with the sum without tables: a wrong
    /// multiple under a right checksum changes it, except with a probability of 4^-c for digits of c bits, which is at
    /// most 1/16, and 2^-14 for c = 7. After an error the settings are as before.
    ///
    /// # Errors
    /// [`Error::Setup`] with [`Form::Tables`], and [`Defect::OtherSetup`], [`Defect::OtherBackend`],
    /// [`Defect::Version`], [`Defect::Foreign`], [`Defect::Checksum`], [`Defect::Length`], [`Defect::TooLarge`],
    /// [`Defect::NoFile`], [`Defect::Io`], [`Defect::Point`], or [`Defect::Multiples`].
    pub fn load_tables(&mut self, path: &Path) -> Result<TableReport, Error> {
        let error = |location, defect| SetupError::new(Form::Tables, location, defect);
        // Opening a named pipe waits for a writer.
        if !std::fs::metadata(path).map_err(|error| io_error(&error))?.is_file() {
            return Err(error(Location::File, Defect::NoFile).into());
        }
        let file = File::open(path).map_err(|error| io_error(&error))?;
        let mut header = Vec::with_capacity(HEADER);
        (&file).take(HEADER as u64).read_to_end(&mut header).map_err(|error| io_error(&error))?;
        let (lagrange_len, fk20_len) = self.check_header(&header)?;

        let expected = lagrange_len.saturating_add(fk20_len).saturating_add((HEADER + CHECKSUM) as u64);
        let found = file.metadata().map_err(|error| io_error(&error))?.len();
        if found != expected {
            return Err(error(Location::File, Defect::Length { expected, found }).into());
        }
        if expected > MOST_BYTES {
            return Err(error(Location::File, Defect::TooLarge { limit: MOST_BYTES }).into());
        }
        let rest = expected - HEADER as u64;
        let mut body = Vec::new();
        // One byte more, so that the end of the file is detected without growing the buffer.
        let room = usize::try_from(rest + 1).ok().and_then(|room| body.try_reserve_exact(room).ok());
        room.ok_or_else(|| error(Location::File, Defect::Memory { bytes: rest }))?;
        file.take(rest).read_to_end(&mut body).map_err(|error| io_error(&error))?;
        // The file may have changed since its length was read.
        let Some((tables, stored)) =
            body.split_last_chunk::<CHECKSUM>().filter(|_| body.len() as u64 == rest)
        else {
            let found = (HEADER + body.len()) as u64;
            return Err(error(Location::File, Defect::Length { expected, found }).into());
        };
        let computed = Sha256::new().chain_update(&header).chain_update(tables).finalize();
        if computed[..] != *stored {
            let defect = Defect::Checksum { stored: first_8(stored), computed: first_8(&computed) };
            return Err(error(Location::File, defect).into());
        }
        // Both lengths are less than the length of the body.
        let (lagrange, fk20) = tables.split_at(lagrange_len as usize);
        let at = |offset| move |why| error(Location::Byte { offset }, Defect::Point(why));
        let lagrange = FixedMsm::from_bytes(self.rows.fp_request(), &self.g1_lagrange, 1, lagrange)
            .map_err(at(HEADER))?;
        let fk20 = FixedMsm::from_bytes(self.rows.fp_request(), &self.fk20_points, CELLS_PER_EXT_BLOB, fk20)
            .map_err(at(HEADER + lagrange_len as usize))?;
        let scalars = random_scalars().map_err(|error| io_error(&error))?;
        for (tables, points, offset) in [
            (&lagrange, &self.g1_lagrange, HEADER),
            (&fk20, &self.fk20_points, HEADER + lagrange_len as usize),
        ] {
            let scalars = &scalars[..points.len()];
            let sums = tables.msm_vartime(&Serial, &[scalars])?;
            let sum = sums.into_iter().fold(G1::identity(), |sum, group| sum + group);
            if sum != msm::msm_vartime(&Serial, self.rows.fp, points, scalars)? {
                return Err(error(Location::Byte { offset }, Defect::Multiples).into());
            }
        }
        Ok(self.set_tables(lagrange, fk20))
    }

    /// Checks the header and returns the lengths of both tables.
    fn check_header(&self, header: &[u8]) -> Result<(u64, u64), SetupError> {
        let error = |offset, defect| Err(SetupError::new(Form::Tables, Location::Byte { offset }, defect));
        if !header.starts_with(&MAGIC) {
            return error(0, foreign(header));
        }
        let Some(header) = header.first_chunk::<HEADER>() else {
            let defect = Defect::Length { expected: (HEADER + CHECKSUM) as u64, found: header.len() as u64 };
            return Err(SetupError::new(Form::Tables, Location::File, defect));
        };
        let word =
            |at: usize| header[at..at + 4].iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        let long = |at: usize| u64::from(word(at + 4)) << 32 | u64::from(word(at));
        if word(16) != VERSION {
            return error(16, Defect::Version { expected: VERSION, found: word(16) });
        }
        if word(20) != 0 {
            return error(20, Defect::Header { found: word(20) });
        }
        let expected = backend(self);
        if header[24..40] != expected {
            let mut found = [0; 16];
            found.copy_from_slice(&header[24..40]);
            return error(24, Defect::OtherBackend { expected, found });
        }
        if header[40..72] != self.digest() {
            let (expected, found) = (first_8(&self.digest()), first_8(&header[40..72]));
            return error(40, Defect::OtherSetup { expected, found });
        }
        Ok((long(72), long(80)))
    }
}

/// Returns the name of the backend for points, padded with zeros.
fn backend(settings: &Settings) -> [u8; 16] {
    let mut name = [0; 16];
    name.iter_mut().zip(settings.rows.fp.backend().name().bytes()).for_each(|(to, byte)| *to = byte);
    name
}

/// Returns random scalars from the system, one for each point of the longest list. The writer of a file does not know
/// them.
fn random_scalars() -> io::Result<Vec<Fr>> {
    let seed = Sha256::new_with_prefix(random_bytes()?);
    let scalar = |i: usize| seed.clone().chain_update((i as u64).to_be_bytes()).finalize();
    Ok((0..FK20_POINTS.max(G1_POINTS)).map(|i| Fr::from_bytes_reduced(&scalar(i))).collect())
}

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn random_bytes() -> io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

/// Without a system; it has no files with tables either.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn random_bytes() -> io::Result<[u8; 32]> {
    Err(io::ErrorKind::Unsupported.into())
}

fn io_error(error: &io::Error) -> SetupError {
    SetupError::new(Form::Tables, Location::File, Defect::Io { kind: error.kind() })
}

/// Writes a temporary file beside `path`, and renames it when all of it is on the disk.
fn replace(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let (temporary, mut file) = create_beside(path)?;
    let written = parts.iter().try_for_each(|part| file.write_all(part)).and_then(|()| file.sync_all());
    let renamed = written.and_then(|()| std::fs::rename(&temporary, path));
    if renamed.is_err() {
        // The first error is the one that matters.
        let _ = std::fs::remove_file(&temporary);
    }
    renamed
}

/// Creates a file in the same folder, under a name that no other process or thread writes to. It is locked while it is
/// open, so that a file left by a killed process is detected by its missing lock, and removed.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for left in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (file, path) = (left.file_name(), left.path());
        let middle =
            file.as_encoded_bytes().strip_prefix(b".").and_then(|n| n.strip_prefix(name.as_encoded_bytes()));
        let middle = middle.and_then(|n| n.strip_prefix(b".")).and_then(|n| n.strip_suffix(b".tmp"));
        let ours = middle.is_some_and(|n| n.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-'));
        // A file that was created but is not locked yet is empty; it may be in use.
        let left = ours && left.metadata().is_ok_and(|info| info.is_file() && info.len() > 0);
        if left && File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
            // A file that cannot be removed does no harm.
            let _ = std::fs::remove_file(&path);
        }
    }
    loop {
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        let temporary = path.with_file_name(hidden);
        match File::create_new(&temporary) {
            // The file was left by a process that was killed; in a container all processes may have the same number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => {
                // Without locks nothing is removed.
                return created.map(|file| (temporary, file)).inspect(|(_, file)| drop(file.lock()));
            }
        }
    }
}
