//! Cargo in a work tree: the project's benchmarks, and their programs with our Criterion instead of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::{Value, json};

use parcrypt_lab::command::{Format, Reading};
use parcrypt_lab::record::{CountKind, Failure, FailureKind, Measure};
use parcrypt_lab::suite::Program;
use parcrypt_report::head_and_tail;
use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::progress::Bar;
use parcrypt_terminal::text::{on_one_line, quoted, shown};

use super::Arguments;
use super::runner::{self, Started};
use crate::commands::run_command::program;
use crate::layouts::copy_folder;
use crate::processes::{Finished, finish, in_tree};
use crate::revisions::Tree;

/// Libraries that are replaced: Criterion, and the one of CodSpeed with its programming interface.
const CRITERION: [&str; 2] = ["criterion", "codspeed-criterion-compat"];
/// Releases of Criterion whose programming interface ours has: 0.3 to 0.8.
const MINORS: RangeInclusive<u32> = 3..=8;
/// The text in a program that has ours.
const MARKER: &str = "parlab-suite-stub 1";
/// Name of another library, whose programs are read, and a variable that it knows.
const DIVAN: &str = "divan";
const DIVAN_MARKER: &str = "DIVAN_SAMPLE_COUNT";
/// A variable that Rust's own test harness knows.
const HARNESS_MARKER: &str = "RUST_TEST_THREADS";
/// Options of `cargo bench` that choose targets, and those of them with a value.
const TARGETS: [&str; 6] = ["--benches", "--all-targets", "--lib", "--bins", "--examples", "--tests"];
const TARGET: [&str; 4] = ["--bench", "--bin", "--example", "--test"];
/// Number of lines of a compiler's error that are shown.
const ERROR_LINES: usize = 12;

/// Cargo as the user calls it.
#[derive(Debug)]
pub(super) struct Cargo<'a> {
    pub(super) arguments: &'a Arguments,
    /// Folder for copies of our Criterion, and for the temporary files of compilers.
    pub(super) temporary: &'a Path,
    /// Folder for what is built of each revision.
    pub(super) target: &'a Path,
    /// Variables for Cargo.
    pub(super) env: &'a BTreeMap<String, String>,
}

/// A program of benchmarks in one revision.
pub(super) struct Built {
    /// Package and target, such as `itertools/bench1`; of a command its text after `/`.
    pub(super) name: String,
    /// The program, if it was built.
    pub(super) state: State,
    /// The same that counts.
    pub(super) counting: State,
}

impl Built {
    /// Returns a program of which nothing is counted.
    pub(super) fn new(name: String, state: State) -> Self {
        Built { name, state, counting: unsupported("it was not built to count") }
    }
}

/// A program that can be asked for its benchmarks, or why there is none: it cannot be measured
/// ([`FailureKind::Unsupported`]), or does not compile, with the first error.
pub(super) type State = Result<Program, Failure>;

fn unsupported(why: impl Into<String>) -> State {
    Err(Failure::new(FailureKind::Unsupported, why))
}

fn broken(why: impl Into<String>) -> State {
    Err(Failure::new(FailureKind::Crash, why))
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: BTreeSet<String>,
    workspace_root: PathBuf,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    source: Option<String>,
    targets: Vec<Target>,
    dependencies: Vec<Dependency>,
    features: BTreeMap<String, Vec<String>>,
}

/// A dependency as a manifest declares it.
#[derive(Deserialize)]
struct Dependency {
    name: String,
    rename: Option<String>,
    source: Option<String>,
    registry: Option<String>,
    path: Option<String>,
    req: String,
    kind: Option<String>,
    target: Option<String>,
    optional: bool,
    uses_default_features: bool,
    features: Vec<String>,
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
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    message: String,
    rendered: Option<String>,
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: u64,
    is_primary: bool,
}

/// The user's arguments for `cargo bench`, in its parts.
struct Given<'a> {
    /// Those that choose no targets, without some that would stop a build.
    cargo: Vec<&'a str>,
    /// Those that choose targets.
    targets: Vec<&'a str>,
    /// Those for the programs.
    program: &'a [String],
}

impl<'a> Given<'a> {
    fn new(all: &'a [String]) -> Self {
        let end = all.iter().position(|word| word == "--");
        let (own, program) = (&all[..end.unwrap_or(all.len())], end.map_or(&[][..], |end| &all[end + 1..]));
        let mut given = Given { cargo: Vec::new(), targets: Vec::new(), program };
        let mut words = own.iter().map(String::as_str);
        while let Some(word) = words.next() {
            match word {
                // The lock file of the tree has another Criterion, so it cannot stay as it is.
                "--locked" | "--no-run" | "--no-fail-fast" => {}
                "--frozen" => given.cargo.push("--offline"),
                _ if TARGET.contains(&word) => given.targets.extend([word].into_iter().chain(words.next())),
                _ if TARGETS.contains(&word) || TARGET.iter().any(|name| is_option(word, name)) => {
                    given.targets.push(word);
                }
                _ => given.cargo.push(word),
            }
        }
        given
    }

    /// Returns those that `cargo metadata` takes too.
    fn of_metadata(&self) -> Vec<&'a str> {
        const FLAGS: [&str; 3] = ["--offline", "--all-features", "--no-default-features"];
        const VALUED: [&str; 4] = ["--features", "-F", "--config", "-Z"];
        let mut words = self.cargo.iter().copied();
        let mut all = Vec::new();
        while let Some(word) = words.next() {
            match word {
                _ if VALUED.contains(&word) => all.extend([word].into_iter().chain(words.next())),
                _ if FLAGS.contains(&word) || VALUED.iter().any(|name| is_option(word, name)) => {
                    all.push(word);
                }
                _ => {}
            }
        }
        all
    }
}

impl Cargo<'_> {
    /// Builds the benchmarks of a revision, the first or the second.
    ///
    /// Both have programs of the same names, so each has a folder of its own. The second's begins with what was built
    /// for the first, because most dependencies are the same.
    pub(super) fn build(&self, number: usize, tree: &Tree) -> Result<Vec<Built>, CommandError> {
        let given = Given::new(&self.arguments.cargo);
        let own = ["--target-dir", "--manifest-path"];
        if let Some(given) = given.cargo.iter().find(|given| own.iter().any(|name| is_option(given, name))) {
            let instead = "use parlab's own --target-dir, or run it in the project's folder";
            return Err(CommandError::new(format!(
                "{given}: after `--` it would apply to both revisions: {instead}"
            )));
        }
        let of_tree = |why| CommandError::new(format!("--rev {}: {why}", on_one_line(&tree.name)));
        let target = self.target.join(number.to_string());
        let metadata = self.metadata(&tree.folder, &given).map_err(of_tree)?;
        if number > 1 && !target.exists() {
            // To Cargo a package is the same in both trees, and its files, which were written
            // before the first build, are not newer than what is built.
            let own = metadata.packages.iter().filter(|one| one.source.is_none()).map(|one| &*one.name);
            let own: Vec<&str> = own.collect();
            let copied = copy_folder(&self.target.join("1"), &target).and_then(|()| forget(&target, &own));
            copied.map_err(|why| CommandError::new(format!("{}: {why}", shown(&target))))?;
        }
        if !metadata.members().any(|package| package.targets.iter().any(Target::is_bench)) {
            let why = CommandError::new("no package has a benchmark, as a file in `benches` or `[[bench]]`");
            return Err(of_tree(why));
        }
        let mut all = self.compile(tree, &target, &metadata, &given, None).map_err(of_tree)?;
        if let Some(kind) = self.arguments.counts() {
            let counting = self.compile(tree, &target, &metadata, &given, Some(kind));
            let of_kind = |why| of_tree(CommandError::new(format!("--measure {}: {why}", kind.name())));
            for other in counting.map_err(of_kind)? {
                let Some(built) = all.iter_mut().find(|built| built.name == other.name) else { continue };
                built.counting = match other.state {
                    Ok(program) if program.measure == Measure::OwnTime => {
                        unsupported(format!("{} can only be counted with Criterion", kind.name()))
                    }
                    state => state,
                };
            }
        }
        Ok(all)
    }

    /// Builds the benchmarks in a work tree, with our Criterion, which may count; returns their programs.
    fn compile(
        &self,
        tree: &Tree,
        target: &Path,
        metadata: &Metadata,
        given: &Given<'_>,
        counts: Option<CountKind>,
    ) -> Result<Vec<Built>, CommandError> {
        let patches = self.patches(metadata, counts)?;
        let has_profile = given.cargo.iter().any(|given| is_option(given, "--profile"));
        let cargo = |subcommand: &str| {
            let mut command = self.command(&tree.folder)?;
            command.env("CARGO_TARGET_DIR", target).env("CARGO_BUILD_BUILD_DIR", target).arg(subcommand);
            command.args(patches.iter().flat_map(|file| [OsStr::new("--config"), file.as_os_str()]));
            command.args((!has_profile).then_some("--profile=bench")).args(&given.cargo);
            Ok::<_, CommandError>(command)
        };
        // As `cargo bench --no-run` builds them, which stops at the first that does not compile.
        let mut command = cargo("build")?;
        command.args(["--keep-going", "--message-format=json"]).args(&given.targets);
        if given.targets.is_empty() {
            // A pattern asks for all that match it, also for those whose features are not enabled, which is an error.
            // Without one, unit tests are built too.
            let mut targets = metadata.members().flat_map(|package| &package.targets);
            let has_conditions = targets.any(|one| one.is_bench() && !one.required_features.is_empty());
            command.args(if has_conditions { &["--benches"][..] } else { &["--bench", "*"] });
        }
        let why = counts.map_or(String::new(), |kind| format!(" to count {}", kind.name()));
        let what = format!("building {}{why}", on_one_line(&tree.name));
        let bar = Bar::spinner();
        bar.begin(&what);
        let finished = |command: Command| {
            finish(command, |line| {
                bar.set_message(format!("{what}: {line}"));
                false
            })
            .map_err(|why| CommandError::new(format!("cargo: {why}")))
        };
        let done = finished(command)?;
        let messages = Messages::new(&done.stdout);
        let names: BTreeSet<&str> = messages.programs.keys().map(|(_, name)| name.as_str()).collect();
        let (mut started, mut refused) = (Vec::new(), String::new());
        if !names.is_empty() {
            let bench = |option: &str| {
                let mut command = cargo("bench")?;
                command.arg(option).args(names.iter().flat_map(|name| ["--bench", name]));
                Ok::<_, CommandError>(command)
            };
            // What Cargo would run, with the user's runner.
            let mut command = bench("--no-run")?;
            command.arg("--verbose");
            let shown = finished(command)?;
            // The first folder is the one of a platform, or of the profile.
            let first = |path: &PathBuf| {
                Some(path.strip_prefix(target).ok()?.iter().next()?.to_string_lossy().into_owned())
            };
            let mut triples: BTreeSet<String> = messages.programs.values().filter_map(first).collect();
            triples.extend(self.host(&tree.folder)?);
            let folder = tempfile::tempdir_in(self.temporary)?;
            let mut command = bench("--no-fail-fast")?;
            runner::set(&mut command, folder.path(), &triples)?;
            command.arg("--").args(given.program);
            let set = command.get_envs().filter_map(|(name, value)| value.and(name.to_str()));
            let set: Vec<String> = set.map(str::to_owned).collect();
            let ran = finished(command)?;
            started = runner::read(folder.path(), &set)?;
            started.iter_mut().for_each(|one| one.add_runner(&shown.stderr));
            refused = quoted(&error_of(&ran.stderr));
        }
        drop(bar);
        // A benchmark ends without dropping its values, as a temporary folder.
        let temporary = self.temporary.join("benchmarks");
        std::fs::create_dir_all(&temporary)?;
        let is_chosen = !given.targets.is_empty();
        let all = metadata.built(&done, &messages, (&started, &refused), &temporary, is_chosen);
        if all.iter().any(|built| built.state.is_ok()) {
            return Ok(all);
        }
        let rendered = messages.errors.first().and_then(|(.., error)| error.rendered.as_ref());
        let lines = match rendered {
            Some(error) => error.lines().take(ERROR_LINES).map(str::to_owned).collect(),
            None if done.status.success() => Vec::new(),
            None => error_of(&done.stderr),
        };
        // The first that does not compile, or else the first that was not built.
        let failures = all.iter().filter_map(|built| Some((&built.name, built.state.as_ref().err()?)));
        let first = failures.min_by_key(|(_, failure)| failure.kind == FailureKind::Unsupported);
        Err(CommandError::new(match first {
            Some((name, failure)) => {
                format!("no benchmark can be measured: {name}: {}{}", failure.why, quoted(&lines))
            }
            None => format!("`cargo build` failed: {}{}", done.status, quoted(&lines)),
        }))
    }

    fn command(&self, folder: &Path) -> std::io::Result<Command> {
        // A compiler that is killed leaves its temporary files.
        let temporary = self.temporary.join("compilers");
        std::fs::create_dir_all(&temporary)?;
        let mut command = in_tree("cargo", folder);
        command.env("TMPDIR", temporary).envs(self.env);
        Ok(command)
    }

    /// Returns the platform of Cargo in a folder.
    fn host(&self, folder: &Path) -> Result<Option<String>, CommandError> {
        let mut command = self.command(folder)?;
        command.args(["--version", "--verbose"]);
        let done = finish(command, |_| false)?;
        Ok(done.stdout.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned))
    }

    /// Returns what Cargo knows about the project in a folder.
    fn metadata(&self, folder: &Path, given: &Given<'_>) -> Result<Metadata, CommandError> {
        let mut command = self.command(folder)?;
        command.args(["metadata", "--format-version=1"]).args(given.of_metadata());
        let done = finish(command, |_| false)?;
        if done.status.success() {
            return Ok(serde_json::from_str(&done.stdout)?);
        }
        // Its message names the work tree, a temporary folder.
        Err(CommandError::new(match done.stderr.contains("could not find `Cargo.toml`") {
            true => {
                "it has no `Cargo.toml` here: for a program with a suite, give --cmd and --reads".to_owned()
            }
            false => format!("`cargo metadata` failed{}", quoted(&error_of(&done.stderr))),
        }))
    }

    /// Returns the file of settings with which Cargo takes our Criterion, a copy for each version in use; none if the
    /// project has only divan. The copies are a registry's, so that lints are capped for them.
    fn patches(
        &self,
        metadata: &Metadata,
        counts: Option<CountKind>,
    ) -> Result<Option<PathBuf>, CommandError> {
        let (mut settings, mut unknown) = (String::new(), None);
        let folder = self.target.join(counts.map_or("criterion", CountKind::name));
        let in_folder = |why| CommandError::new(format!("{}: {why}", shown(&folder)));
        let mut hash = DefaultHasher::new();
        let all = metadata.packages.iter().filter(|package| CRITERION.contains(&package.name.as_str()));
        for package in all {
            if package.name == CRITERION[0] && !is_known(&package.version) {
                let (first, last) = (MINORS.start(), MINORS.end());
                let version = &package.version;
                unknown = Some(format!("Criterion {version} is not supported, 0.{first} to 0.{last} are"));
                continue;
            }
            // Where manifests have it from; a patch may take it from elsewhere. What is a dependency of the tests of
            // other packages is not built.
            let is_built =
                |one: &&Dependency, of: &Package| one.kind.as_deref() != Some("dev") || metadata.has(of);
            let declared = metadata.packages.iter().flat_map(|of| {
                of.dependencies.iter().filter(move |one| one.name == package.name && is_built(one, of))
            });
            let sources: BTreeSet<&str> = declared.filter_map(|one| one.source.as_deref()).collect();
            if sources.is_empty() {
                unknown = Some(format!(
                    "`{}` is a path dependency: parlab can only replace one from a registry or a git repository",
                    package.name
                ));
                continue;
            }
            let own = package.source.as_deref().unwrap_or_default();
            // Two patches cannot have the same version, and of two the later one is taken unless another is locked.
            let mut version = package.version.clone();
            if !sources.iter().any(|source| own.starts_with(source)) {
                version += "+parlab";
                unlock(&metadata.workspace_root.join("Cargo.lock"), &package.name)?;
            }
            let manifest = manifest(package, &version);
            manifest.hash(&mut hash);
            write_stub(&folder.join(format!("{}-{version}", package.name)), &manifest, counts)
                .map_err(in_folder)?;
            for source in sources {
                // Two versions need two names.
                let key = toml_text(&format!("{}-{}", package.name, package.version));
                let (name, version) = (&package.name, format!("={version}"));
                let patch = json!({ "package": name, "version": version, "registry": "parlab" });
                settings += &toml_table(&format!("patch.{}.{key}", registry(source)), &patch);
            }
        }
        if settings.is_empty() {
            let neither = "its benchmarks use neither Criterion (the crate `criterion`) nor divan";
            let has_divan = metadata.packages.iter().any(|package| package.name == DIVAN);
            let why = unknown.unwrap_or_else(|| neither.to_owned());
            return if has_divan { Ok(None) } else { Err(CommandError::new(why)) };
        }
        (criterion::SOURCES, counts.map(CountKind::name)).hash(&mut hash);
        // What has another address is built again. The folder stands for it, so that it is not asked.
        let url = format!("file:///parlab/{:x}", hash.finish());
        let text = folder.to_str().ok_or_else(|| in_folder(std::io::ErrorKind::InvalidFilename.into()))?;
        settings += &toml_table("registries.parlab", &json!({ "index": url }));
        let source = json!({ "registry": url, "replace-with": "parlab-folder" });
        settings += &toml_table("source.parlab", &source);
        settings += &toml_table("source.parlab-folder", &json!({ "directory": text }));
        let file = folder.with_extension("toml");
        std::fs::write(&file, settings).map_err(in_folder)?;
        Ok(Some(file))
    }
}

/// What Cargo wrote about a build.
#[derive(Default)]
struct Messages {
    /// The programs of benchmarks, by package and target.
    programs: BTreeMap<(String, String), PathBuf>,
    /// Errors, with the packages and their targets.
    errors: Vec<(String, Target, Diagnostic)>,
}

impl Messages {
    fn new(stdout: &str) -> Self {
        let mut all = Messages::default();
        for line in stdout.lines() {
            match serde_json::from_str(line) {
                Ok(Message::Artifact { package_id, target, executable: Some(path) }) if target.is_bench() => {
                    all.programs.insert((package_id, target.name), path);
                }
                Ok(Message::Diagnostic { package_id, target, message }) if message.level == "error" => {
                    all.errors.push((package_id, target, message));
                }
                _ => {}
            }
        }
        all
    }

    /// Returns the first error of a package in one of these targets.
    fn error(&self, package: &Package, is_of: impl Fn(&Target) -> bool) -> Option<String> {
        let mut errors = self.errors.iter();
        errors.find(|(id, of, _)| *id == package.id && is_of(of)).map(|(.., error)| error.text())
    }
}

impl Metadata {
    fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| self.has(package))
    }

    fn has(&self, package: &Package) -> bool {
        self.workspace_members.contains(&package.id)
    }

    /// Returns the targets that Cargo was asked to build, with how it starts them, or why it started none of those that
    /// it should have. If the user has chosen targets, the others are not among them.
    fn built(
        &self,
        done: &Finished,
        messages: &Messages,
        (started, refused): (&[Started], &str),
        temporary: &Path,
        is_chosen: bool,
    ) -> Vec<Built> {
        let mut all = Vec::new();
        for package in self.members() {
            for target in package.targets.iter().filter(|target| target.is_bench()) {
                let program = messages.programs.get(&(package.id.clone(), target.name.clone()));
                let error = messages.error(package, |of| of.is_bench() && of.name == target.name);
                let state = match (program, error) {
                    (Some(path), _) => {
                        let is_it = |one: &&Started| one.words.iter().any(|word| Path::new(word) == path);
                        match started.iter().find(is_it) {
                            Some(started) => target.state(path, started, temporary),
                            None => broken(format!("`cargo bench` did not start it{refused}")),
                        }
                    }
                    (None, Some(error)) if error.contains("global_allocator") => broken(format!(
                        "it has an allocator of its own, and so none that counts: put `#[global_allocator]` behind a \
                         feature ({error})"
                    )),
                    (None, Some(error)) => broken(format!("it does not compile: {error}")),
                    (None, None) if done.status.success() && !target.required_features.is_empty() => {
                        unsupported(format!(
                            "it was not built: it needs the features {}; give them after `--`",
                            target.required_features.join(", ")
                        ))
                    }
                    // Not asked for, or what it needs does not compile.
                    (None, None) if is_chosen || done.status.success() => continue,
                    (None, None) => {
                        let own = messages.error(package, |of| !of.is_bench());
                        let first = messages.errors.first().map(|(.., error)| error.text());
                        broken(own.or(first).map_or("it was not built".to_owned(), |error| {
                            format!("a library that it needs does not compile: {error}")
                        }))
                    }
                };
                all.push(Built::new(format!("{}/{}", package.name, target.name), state));
            }
        }
        all
    }
}

impl Target {
    /// Returns the program at a path as Cargo starts it, by the library that it has, with a folder for its temporary
    /// files.
    fn state(&self, path: &Path, started: &Started, temporary: &Path) -> State {
        let mut env = started.env.clone();
        env.insert("TMPDIR".to_owned(), temporary.to_string_lossy().into_owned());
        // The search of texts is fast, also in a development build.
        let bytes = std::fs::read(path).unwrap_or_default();
        let contents = String::from_utf8_lossy(&bytes);
        if contents.contains(MARKER) {
            return Ok(Program {
                command: started.words.clone(),
                program: started.words.iter().position(|word| Path::new(word) == path).unwrap_or(0),
                measure: Measure::Time,
                folder: started.folder.clone(),
                env,
                layouts: Vec::new(),
            });
        }
        if contents.contains(DIVAN_MARKER) {
            let reading =
                Reading { format: Format::Divan, benchmark: None, suite: Some(temporary.to_owned()) };
            let words = started.words.iter().filter(|word| *word != "--bench").cloned().collect();
            let program = program(words, reading, Some(Path::new(&started.folder)));
            return program
                .map(|program| Program { env, ..program })
                .or_else(|why| unsupported(why.to_string()));
        }
        unsupported(match contents.contains(HARNESS_MARKER) {
            true => format!(
                "it has Rust's own test harness: if it uses Criterion or divan, `harness = false` is missing in \
                 Cargo.toml, in the `[[bench]]` with the name `{}`",
                self.name
            ),
            false => "it does not use Criterion or divan".to_owned(),
        })
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

/// Returns whether an argument is this option, with or without a value.
fn is_option(given: &str, name: &str) -> bool {
    given.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

/// Returns whether the programming interface of this version of Criterion is ours.
fn is_known(version: &str) -> bool {
    let minor = version.strip_prefix("0.").and_then(|rest| rest.split('.').next()?.parse().ok());
    minor.is_some_and(|minor| MINORS.contains(&minor))
}

/// Returns the name of a package's source in a table of patches: as of `registry+https://…` or `git+https://…?rev=…#…`.
fn registry(source: &str) -> String {
    let url = source.strip_prefix("registry+").or(source.strip_prefix("git+")).unwrap_or(source);
    toml_text(url.split(['?', '#']).next().unwrap_or(url))
}

/// Returns a text as TOML has it.
fn toml_text(text: &str) -> String {
    Value::from(text).to_string()
}

/// Returns a table of TOML, without the fields that are null.
fn toml_table(name: &str, fields: &Value) -> String {
    let fields = fields.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let lines: String = fields.map(|(key, value)| format!("{} = {value}\n", toml_text(key))).collect();
    format!("[{name}]\n{lines}")
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

/// Returns the manifest for our Criterion instead of a package: with its features and its dependencies, so that Cargo
/// enables the same features of them.
fn manifest(package: &Package, version: &str) -> String {
    let own = json!({ "name": package.name, "version": version, "edition": "2021" });
    let mut all = toml_table("package", &own) + &toml_table("features", &json!(package.features));
    for one in package.dependencies.iter().filter(|one| one.kind.as_deref() != Some("dev")) {
        let target =
            one.target.as_ref().map_or(String::new(), |target| format!("target.{}.", toml_text(target)));
        let kind = one.kind.as_ref().map_or(String::new(), |kind| format!("{kind}-"));
        let name = toml_text(one.rename.as_ref().unwrap_or(&one.name));
        let fields = json!({
            "package": one.name,
            "version": one.req,
            "optional": one.optional,
            "default-features": one.uses_default_features,
            "features": one.features,
            "registry-index": one.registry,
            "path": one.path,
        });
        all += &toml_table(&format!("{target}{kind}dependencies.{name}"), &fields);
    }
    all
}

/// Takes a package out of a lock file in a work tree, so that Cargo chooses its version again.
fn unlock(file: &Path, name: &str) -> std::io::Result<()> {
    const BEGIN: &str = "\n[[package]]\n";
    let text = std::fs::read_to_string(file)?;
    let is_other = |part: &&str| !part.starts_with(&format!("name = \"{name}\"\n"));
    std::fs::write(file, text.split(BEGIN).filter(is_other).collect::<Vec<_>>().join(BEGIN))
}

/// Writes our Criterion with a manifest into a folder, unless it is there.
fn write_stub(folder: &Path, manifest: &str, counts: Option<CountKind>) -> std::io::Result<()> {
    // The build script looks for the file of what is counted.
    let count = counts.map(|kind| (kind.name(), ""));
    let own = [("Cargo.toml", manifest), (".cargo-checksum.json", "{\"files\":{}}")];
    for (name, text) in criterion::SOURCES.iter().chain(&own).chain(&count) {
        let path = folder.join(name);
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(path, text)?;
    }
    Ok(())
}

/// Returns the error that Cargo wrote: its first lines from the one that says so on, or else the last ones.
fn error_of(stderr: &str) -> Vec<String> {
    match stderr.lines().position(|line| line.starts_with("error")) {
        Some(first) => stderr.lines().skip(first).take(ERROR_LINES).map(str::to_owned).collect(),
        None => head_and_tail(stderr),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_their_name_in_a_table_of_patches() {
        for (source, name) in [
            ("registry+https://example.org/index", "\"https://example.org/index\""),
            ("sparse+https://example.org/", "\"sparse+https://example.org/\""),
            ("git+https://example.org/criterion?branch=x#0123", "\"https://example.org/criterion\""),
        ] {
            assert_eq!(registry(source), name);
        }
    }

    #[test]
    fn arguments_are_for_cargo_for_its_targets_or_for_the_programs() {
        let words =
            "--locked --frozen --bench a --benches --features x -p b --bench=c --config d -- --locked e";
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let given = Given::new(&words);
        assert_eq!(given.cargo, ["--offline", "--features", "x", "-p", "b", "--config", "d"]);
        assert_eq!(given.targets, ["--bench", "a", "--benches", "--bench=c"]);
        assert_eq!(given.program, ["--locked", "e"]);
        assert_eq!(given.of_metadata(), ["--offline", "--features", "x", "--config", "d"]);
    }

    #[test]
    fn versions_are_known_by_their_first_two_numbers() {
        assert!(["0.3.6", "0.4.0", "0.5.1", "0.8.2"].into_iter().all(is_known));
        assert!(!["0.2.11", "0.9.0", "1.0.0", "x", "0"].into_iter().any(is_known));
    }
}
