//! Cargo in a work tree: the project's benchmarks, and their programs with our Criterion instead of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use parcrypt_lab::command::{Format, Reading};
use parcrypt_lab::record::{CountKind, Measure};
use parcrypt_lab::suite::Program;
use parcrypt_report::stderr_tail;
use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::progress::Bar;
use parcrypt_terminal::text::{on_one_line, quoted, shown};

use super::commands::program;
use crate::layouts::copy_folder;
use crate::processes::{Finished, finish, in_tree};
use crate::revisions::Tree;

/// Name of the library that is replaced.
const CRITERION: &str = "criterion";
/// Releases of it whose programming interface ours has.
const FIRST: (u64, u64) = (0, 3);
const LAST: (u64, u64) = (0, 8);
/// The line of our manifest with its version.
const OWN_VERSION: &str = "version = \"0.8.2\"";
/// The text in a program that has ours.
const MARKER: &str = "parlab-suite-stub 1";
/// Name of another library, whose programs are read, and a variable that it knows.
const DIVAN: &str = "divan";
const DIVAN_MARKER: &str = "DIVAN_SAMPLE_COUNT";

/// Cargo as the user calls it.
#[derive(Debug)]
pub(super) struct Cargo<'a> {
    /// The user's arguments for `cargo bench`.
    pub(super) arguments: &'a [String],
    /// Folder for copies of our Criterion, and for the temporary files of compilers.
    pub(super) temporary: &'a Path,
    /// Folder for what is built of each revision.
    pub(super) target: &'a Path,
    /// Variables for Cargo.
    pub(super) env: &'a BTreeMap<String, String>,
    /// What each program counts that is built a second time.
    pub(super) counts: Option<CountKind>,
}

/// A program of benchmarks in one revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Built {
    /// Package and target, such as `itertools/bench1`; of a command its text after `/`.
    pub(super) name: String,
    /// The program, if it was built.
    pub(super) state: State,
    /// The same that counts, if that was asked for.
    pub(super) counting: Option<(CountKind, State)>,
}

/// What became of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It can be asked for its benchmarks.
    Ready(Program),
    /// It cannot be measured, with the reason.
    Not(String),
    /// It does not compile, with the first error.
    Broken(String),
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    source: Option<String>,
    manifest_path: PathBuf,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
    #[serde(default, rename = "required-features")]
    required_features: Vec<String>,
}

impl Target {
    fn is_bench(&self) -> bool {
        self.kind.iter().any(|kind| kind == "bench")
    }
}

/// A message of Cargo, of the kinds that are read.
#[derive(Deserialize)]
#[serde(tag = "reason")]
enum Message {
    #[serde(rename = "compiler-artifact")]
    Artifact { package_id: String, target: Target, executable: Option<PathBuf> },
    #[serde(rename = "compiler-message")]
    Diagnostic { package_id: String, target: Target, message: Diagnostic },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    message: String,
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: u64,
    is_primary: bool,
}

impl Cargo<'_> {
    /// Builds the benchmarks of a revision, the first or the second.
    ///
    /// Both have programs of the same names, so each has a folder of its own. The second's begins with what was built
    /// for the first, because most dependencies are the same.
    ///
    /// # Errors
    /// Cargo fails before it compiles, the project has no benchmarks, or none of them could be built.
    pub(super) fn build(&self, number: usize, tree: &Tree) -> Result<Vec<Built>, CommandError> {
        let own = ["--target-dir", "--manifest-path"];
        let is_own = |given: &&String| own.iter().any(|name| is_option(given, name));
        if let Some(given) = self.arguments.iter().find(is_own) {
            let instead = "use parlab's own --target-dir, or run it in the project's folder";
            return Err(CommandError::new(format!(
                "{given}: after `--` it would be for both revisions: {instead}"
            )));
        }
        let of_tree = |why: String| CommandError::new(format!("--rev {}: {why}", on_one_line(&tree.name)));
        let target = self.target.join(number.to_string());
        let mut copied_from = None;
        if number > 1 && !target.exists() {
            let copied = copy_folder(&self.target.join("1"), &target);
            copied.map_err(|why| CommandError::new(format!("{}: {why}", shown(&target))))?;
            copied_from = Some(&target);
        }
        let metadata = self.metadata(&tree.folder).map_err(of_tree)?;
        if let Some(target) = copied_from {
            // To Cargo a package is the same in both trees, and its files, which were written
            // before the first build, are not newer than what is built.
            let own: Vec<&str> =
                metadata.packages.iter().filter(|one| one.source.is_none()).map(|one| &*one.name).collect();
            forget(target, &own).map_err(|why| CommandError::new(format!("{}: {why}", shown(target))))?;
        }
        if !metadata.members().any(|package| package.targets.iter().any(Target::is_bench)) {
            return Err(of_tree("no package has a benchmark, as a file in `benches` or `[[bench]]`".into()));
        }
        let (mut all, done) = self.compile(tree, &target, &metadata, None).map_err(of_tree)?;
        if !all.iter().any(|built| matches!(built.state, State::Ready(_))) {
            let lines = quoted(&stderr_tail(&done.stderr));
            return Err(of_tree(match first_reason(&all) {
                Some(why) => format!("no benchmark can be measured: {why}{lines}"),
                None => format!("`cargo build` failed: {}{lines}", done.status),
            }));
        }
        if let Some(kind) = self.counts {
            let (counting, _) = self.compile(tree, &target, &metadata, Some(kind)).map_err(of_tree)?;
            if !counting.iter().any(|built| matches!(built.state, State::Ready(_))) {
                let why = first_reason(&counting).unwrap_or_else(|| "`cargo build` failed".to_owned());
                return Err(of_tree(format!("--{}: {why}", kind.name())));
            }
            for built in &mut all {
                let found = counting.iter().find(|other| other.name == built.name);
                built.counting = found.map(|other| (kind, other.state.clone()));
            }
        }
        Ok(all)
    }

    /// Builds the benchmarks in a work tree, with our Criterion, which may count; returns their programs, and what
    /// Cargo wrote.
    fn compile(
        &self,
        tree: &Tree,
        target: &Path,
        metadata: &Metadata,
        counts: Option<CountKind>,
    ) -> Result<(Vec<Built>, Finished), String> {
        let patches = self.patches(metadata, counts)?;
        let mut command = self.command(&tree.folder).map_err(|why| why.to_string())?;
        command.env("CARGO_TARGET_DIR", target).env("CARGO_BUILD_BUILD_DIR", target);
        // As `cargo bench --no-run` builds them, which stops at the first that does not compile.
        command.args(["build", "--keep-going", "--message-format=json"]);
        if !self.arguments.iter().any(|given| is_option(given, "--profile")) {
            command.arg("--profile=bench");
        }
        let chosen = ["--bench", "--benches", "--all-targets"];
        let is_chosen = self.arguments.iter().any(|given| chosen.iter().any(|name| is_option(given, name)));
        if !is_chosen {
            // A pattern asks for all that match it, also for those whose features are not enabled, which is an error.
            // Without one, unit tests are built too.
            let mut targets = metadata.members().flat_map(|package| &package.targets);
            let has_conditions = targets.any(|one| one.is_bench() && !one.required_features.is_empty());
            command.args(if has_conditions { &["--benches"][..] } else { &["--bench", "*"] });
        }
        // The lock file of the tree has another Criterion, so it cannot stay as it is.
        let unknown = ["--locked", "--no-run", "--no-fail-fast"];
        let given = self.arguments.iter().filter(|given| !unknown.contains(&given.as_str()));
        let given = given.map(|given| if given == "--frozen" { "--offline" } else { given });
        command.args(&patches).args(given);
        let why = counts.map_or(String::new(), |kind| format!(" to count {}", kind.name()));
        let what = format!("building {}{why}", on_one_line(&tree.name));
        let bar = Bar::spinner();
        bar.begin(&what);
        let done = finish(command, |line| {
            bar.set_message(format!("{what}: {line}"));
            false
        });
        let done = done.map_err(|why| format!("cargo build: {why}"))?;
        drop(bar);
        // A benchmark ends without dropping its values, as a temporary folder.
        let temporary = self.temporary.join("benchmarks");
        std::fs::create_dir_all(&temporary).map_err(|why| why.to_string())?;
        let all = metadata.built(&done, &temporary, is_chosen);
        Ok((all, done))
    }

    fn command(&self, folder: &Path) -> std::io::Result<Command> {
        // A compiler that is killed leaves its temporary files.
        let temporary = self.temporary.join("compilers");
        std::fs::create_dir_all(&temporary)?;
        // As a subcommand of Cargo is told.
        let mut command = in_tree(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), folder);
        command.env("TMPDIR", temporary).envs(self.env);
        Ok(command)
    }

    /// Returns what Cargo knows about the project in a folder.
    fn metadata(&self, folder: &Path) -> Result<Metadata, String> {
        let mut command = self.command(folder).map_err(|why| why.to_string())?;
        command.args(["metadata", "--format-version=1"]);
        // Of the user's arguments it takes few.
        let both = ["--offline", "--frozen", "--locked"];
        command.args(self.arguments.iter().filter(|given| both.contains(&given.as_str())));
        let done = finish(command, |_| false).map_err(|why| format!("cargo metadata: {why}"))?;
        if !done.status.success() {
            // Its message names the work tree, a temporary folder.
            if done.stderr.contains("could not find `Cargo.toml`") {
                return Err(
                    "it has no `Cargo.toml` here: for a program with a suite, give --cmd and --reads"
                        .to_owned(),
                );
            }
            return Err(format!("`cargo metadata` failed{}", quoted(&stderr_tail(&done.stderr))));
        }
        serde_json::from_str(&done.stdout).map_err(|why| format!("what `cargo metadata` printed: {why}"))
    }

    /// Returns the arguments with which Cargo takes our Criterion, a copy for each version in use; none if the project
    /// has only divan.
    fn patches(&self, metadata: &Metadata, counts: Option<CountKind>) -> Result<Vec<String>, String> {
        let (mut arguments, mut unknown) = (Vec::new(), None);
        for package in metadata.packages.iter().filter(|package| package.name == CRITERION) {
            let Some(source) = package.source.as_deref() else { continue };
            if !is_known(&package.version) {
                let ((a, b), (c, d)) = (FIRST, LAST);
                unknown =
                    Some(format!("it uses Criterion {}; parlab knows {a}.{b} to {c}.{d}", package.version));
                continue;
            }
            let folder = write_stub(self.target, &package.version, counts)
                .map_err(|why| format!("our Criterion in {}: {why}", shown(self.target)))?;
            let folder = folder.to_str().ok_or("the temporary folder's path is not UTF-8")?;
            // Two versions need two names.
            let key = format!("patch.{}.{CRITERION}-{}", registry(source), package.version.replace('.', "-"));
            arguments.extend([
                "--config".to_owned(),
                format!("{key}.package={}", toml_text(CRITERION)),
                "--config".to_owned(),
                format!("{key}.path={}", toml_text(folder)),
            ]);
        }
        if arguments.is_empty() && !metadata.packages.iter().any(|package| package.name == DIVAN) {
            let neither = "its benchmarks do not use Criterion (the crate `criterion`) or divan";
            return Err(unknown.unwrap_or_else(|| neither.to_owned()));
        }
        Ok(arguments)
    }
}

impl Metadata {
    fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| self.workspace_members.contains(&package.id))
    }

    /// Returns the targets that Cargo was asked to build, from what it wrote, with a folder for the temporary files of
    /// benchmarks. If the user has chosen targets, the others are not among them.
    fn built(&self, done: &Finished, temporary: &Path, is_chosen: bool) -> Vec<Built> {
        let mut paths: BTreeMap<(String, String), PathBuf> = BTreeMap::new();
        let mut errors: BTreeMap<(String, String), String> = BTreeMap::new();
        // By package, the first error in what benchmarks need.
        let mut needed: Vec<(String, String)> = Vec::new();
        for line in done.stdout.lines() {
            match serde_json::from_str(line) {
                Ok(Message::Artifact { package_id, target, executable: Some(path) }) if target.is_bench() => {
                    paths.insert((package_id, target.name), path);
                }
                Ok(Message::Diagnostic { package_id, target, message }) if message.level == "error" => {
                    match target.is_bench() {
                        true => {
                            let first = errors.entry((package_id, target.name)).or_default();
                            if first.is_empty() {
                                *first = message.text();
                            }
                        }
                        false => needed.push((package_id, message.text())),
                    }
                }
                _ => {}
            }
        }
        let mut all = Vec::new();
        for package in self.members() {
            let folder = package.manifest_path.parent().unwrap_or(Path::new("."));
            for target in package.targets.iter().filter(|target| target.is_bench()) {
                let key = (package.id.clone(), target.name.clone());
                let state = match (paths.get(&key), errors.get(&key)) {
                    (Some(path), _) => package.state(path, folder, temporary),
                    (None, Some(error)) if error.contains("global_allocator") => State::Broken(format!(
                        "it has an allocator of its own, and so none that counts: put `#[global_allocator]` behind a \
                         feature ({error})"
                    )),
                    (None, Some(error)) => State::Broken(format!("it does not compile: {error}")),
                    (None, None) if !target.required_features.is_empty() => State::Not(format!(
                        "it was not built: it needs the features {}; give them after `--`",
                        target.required_features.join(", ")
                    )),
                    // Not asked for, or what it needs does not compile.
                    (None, None) if is_chosen || done.status.success() => continue,
                    (None, None) => {
                        let own = needed.iter().find(|(id, _)| *id == package.id);
                        let error = match (own, needed.first()) {
                            (Some((_, error)), _) => format!(": {error}"),
                            (None, Some((_, error))) => format!("; the first error of the build: {error}"),
                            (None, None) => String::new(),
                        };
                        State::Broken(format!("it was not built: what it needs does not compile{error}"))
                    }
                };
                all.push(Built { name: format!("{}/{}", package.name, target.name), state, counting: None });
            }
        }
        all
    }
}

impl Package {
    /// Returns the program at a path, by the library that it has.
    fn state(&self, path: &Path, folder: &Path, temporary: &Path) -> State {
        let (Some(command), Some(text)) = (path.to_str(), folder.to_str()) else {
            return State::Not("the path of its program is not UTF-8".to_owned());
        };
        let env = self.env(folder, temporary);
        // The search of texts is fast, also in a development build.
        let bytes = std::fs::read(path).unwrap_or_default();
        let contents = String::from_utf8_lossy(&bytes);
        if contents.contains(MARKER) {
            return State::Ready(Program {
                command: vec![command.to_owned()],
                measure: Measure::Time,
                folder: text.to_owned(),
                env,
                layouts: Vec::new(),
            });
        }
        if !contents.contains(DIVAN_MARKER) {
            return State::Not("it does not use Criterion or divan".to_owned());
        }
        let reading = Reading { format: Format::Divan, benchmark: None, suite: Some(temporary.to_owned()) };
        match program(vec![command.to_owned()], reading, Some(folder)) {
            Ok(program) => State::Ready(Program { env, ..program }),
            Err(why) => State::Not(why.to_string()),
        }
    }

    /// Returns the variables that Cargo sets when it runs a benchmark of this package, and the folder for its temporary
    /// files.
    fn env(&self, folder: &Path, temporary: &Path) -> BTreeMap<String, String> {
        let [folder, temporary] = [folder, temporary].map(|path| path.to_string_lossy().into_owned());
        [("CARGO_MANIFEST_DIR", folder), ("CARGO_PKG_NAME", self.name.clone())]
            .into_iter()
            .chain([("CARGO_PKG_VERSION", self.version.clone()), ("TMPDIR", temporary)])
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }
}

impl Diagnostic {
    /// Returns its first line with its place.
    fn text(&self) -> String {
        let place = self.spans.iter().find(|span| span.is_primary);
        let place = place.map_or(String::new(), |at| format!(" ({}:{})", at.file_name, at.line_start));
        format!("{}{place}", self.message.lines().next().unwrap_or_default())
    }
}

/// Returns why the first target that does not compile has no program, or else the first that was not built.
fn first_reason(all: &[Built]) -> Option<String> {
    let why = |broken: bool| {
        all.iter().find_map(|built| match &built.state {
            State::Broken(why) if broken => Some(format!("{}: {why}", built.name)),
            State::Not(why) if !broken => Some(format!("{}: {why}", built.name)),
            _ => None,
        })
    };
    why(true).or_else(|| why(false))
}

/// Returns whether an argument is this option, with or without a value.
fn is_option(given: &str, name: &str) -> bool {
    given.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

/// Returns whether the programming interface of this version is ours.
fn is_known(version: &str) -> bool {
    let mut numbers = version.split('.').map(|number| number.parse::<u64>().ok());
    let number = numbers.next().flatten().zip(numbers.next().flatten());
    number.is_some_and(|number| (FIRST..=LAST).contains(&number))
}

/// Returns the name of a package's source in a table of patches: as of `registry+https://…` or `git+https://…?rev=…#…`.
fn registry(source: &str) -> String {
    const CRATES_IO: [&str; 2] = ["github.com/rust-lang/crates.io-index", "index.crates.io"];
    if CRATES_IO.iter().any(|known| source.contains(known)) {
        return "crates-io".to_owned();
    }
    let url = source.split_once('+').map_or(source, |(_, url)| url);
    toml_text(url.split(['?', '#']).next().unwrap_or(url))
}

/// Returns a text as TOML has it.
fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Makes Cargo build these packages again: removes what it knows of them in a folder of builds.
fn forget(target: &Path, packages: &[&str]) -> std::io::Result<()> {
    for entry in std::fs::read_dir(target)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_of = |package: &&str| {
            let hash = name.strip_prefix(*package).and_then(|rest| rest.strip_prefix('-'));
            hash.is_some_and(|hash| hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit()))
        };
        let is_known = target.file_name().is_some_and(|folder| folder == ".fingerprint");
        match entry.file_type()?.is_dir() {
            true if is_known && packages.iter().any(is_of) => std::fs::remove_dir_all(entry.path())?,
            true if !is_known => forget(&entry.path(), packages)?,
            _ => {}
        }
    }
    Ok(())
}

/// Writes our Criterion under a version, unless it is there, and returns its folder. A copy that counts has a folder of
/// its own.
fn write_stub(stubs: &Path, version: &str, counts: Option<CountKind>) -> std::io::Result<PathBuf> {
    let kind = counts.map(CountKind::name);
    let folder = stubs.join(kind.unwrap_or_default()).join(format!("{CRITERION}-{version}"));
    // Its build script looks for the file.
    let mark = kind.map(|name| (name, ""));
    for (name, text) in criterion::SOURCES.iter().chain(&mark) {
        let path = folder.join(name);
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        let text = match *name {
            "Cargo.toml" => text.replacen(OWN_VERSION, &format!("version = \"{version}\""), 1),
            _ => (*text).to_owned(),
        };
        // What is the same is not built again.
        if std::fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
            std::fs::write(path, text)?;
        }
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_their_name_in_a_table_of_patches() {
        for (source, name) in [
            ("registry+https://github.com/rust-lang/crates.io-index", "crates-io"),
            ("sparse+https://index.crates.io/", "crates-io"),
            ("git+https://example.org/criterion?branch=x#0123", "\"https://example.org/criterion\""),
            ("registry+https://example.org/index", "\"https://example.org/index\""),
        ] {
            assert_eq!(registry(source), name);
        }
    }

    #[test]
    fn our_library_is_written_with_a_version() {
        let folder = tempfile::tempdir().unwrap();
        let written = write_stub(folder.path(), "0.5.1", None).unwrap();
        let manifest = std::fs::read_to_string(written.join("Cargo.toml")).unwrap();
        assert!(manifest.contains("name = \"criterion\"") && manifest.contains("\nversion = \"0.5.1\"\n"));
        assert!(!manifest.contains(OWN_VERSION) && !written.join("allocations").exists());
    }

    #[test]
    fn versions_are_known_by_their_first_two_numbers() {
        assert!(["0.3.6", "0.4.0", "0.5.1", "0.8.2"].into_iter().all(is_known));
        assert!(!["0.2.11", "0.9.0", "1.0.0", "x", "0"].into_iter().any(is_known));
        assert!(is_option("--bench=x", "--bench") && is_option("--bench", "--bench"));
        assert!(!is_option("--benches", "--bench"));
    }
}
