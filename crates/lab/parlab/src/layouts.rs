//! Other memory layouts of a program: the last link again, with the sections of the code in other orders.
//!
//! Where functions lie decides which of them share cache lines, pages and entries of branch predictors, so that a
//! change of one function may make another one faster or slower. A linker that can shuffle sections shows how much:
//! nothing is compiled again, only linked.
//!
//! rustc deletes the objects of a program after linking it. So cargo calls this program instead of rustc
//! ([`environment`]), for the packages of the workspace only; it calls rustc with itself as the linker, under the file
//! name of the linker that rustc would have called, from which rustc infers its options. As the linker it calls the
//! real one, with the same arguments, and keeps what they name. [`link`] then calls the real linker again.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

use parcrypt_lab::command::{join, words};
use parcrypt_lab::stats::MIN_LAYOUTS;
use parcrypt_terminal::error::{self, CommandError};
use parcrypt_terminal::interrupt;
use serde::{Deserialize, Serialize};

/// Set for cargo; then this program is called instead of rustc.
const KEEP: &str = "PARLAB_KEEP_LINKS";
/// Set for rustc to the real linker; then this program is called instead of it.
const LINKER: &str = "PARLAB_LINKER";
/// The linker of rustc for Linux if nothing says another.
const DEFAULT_LINKER: &str = "cc";
/// File name of this program as the linker if rustc was told none: it implies no options.
const OWN_NAME: &str = "parlab-linker";

/// End of the name of the folder in which a link is kept.
const KEPT: &str = ".layouts";

/// The arguments with which a linker makes another layout; `{}` stands for the seed.
const FORMS: [&[&str]; 3] = [
    // lld from LLVM 20 on: also padding between sections.
    &["--shuffle-sections=.text*={}", "--randomize-section-padding={}"],
    // lld.
    &["--shuffle-sections=.text*={}"],
    // mold.
    &["--shuffle-sections={}"],
];

/// The last link of a program.
#[derive(Debug, Serialize, Deserialize)]
struct Link {
    linker: String,
    arguments: Vec<String>,
    folder: PathBuf,
    path: String,
    output: String,
    /// Whether the arguments came in a file, because they are too long for a command line.
    in_file: bool,
}

/// Returns the variables with which `cargo build` keeps what [`link`] needs. Empty where
/// no linker makes other layouts.
pub(crate) fn environment() -> io::Result<BTreeMap<String, String>> {
    const WRAPPER: &str = "RUSTC_WORKSPACE_WRAPPER";
    if !cfg!(target_os = "linux") {
        return Ok(BTreeMap::new());
    }
    // A wrapper of the user is called by ours.
    let own = std::env::current_exe()?.into_os_string().into_string().map_err(|_| not_text())?;
    Ok([(WRAPPER, own), (KEEP, std::env::var(WRAPPER).unwrap_or_default())]
        .map(|(name, value)| (name.to_owned(), value))
        .into())
}

fn not_text() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "a path that is not UTF-8")
}

/// Parses a number of layouts.
pub(crate) fn number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ (0 | MIN_LAYOUTS..=100)) => Ok(number),
        _ => Err(format!("a number from {MIN_LAYOUTS} to 100, or 0")),
    }
}

/// Acts as rustc or as the linker, if this program was called instead of one; returns its exit code.
pub(crate) fn instead() -> Option<ExitCode> {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (status, what) = if let Some(linker) = std::env::var_os(LINKER) {
        (as_linker(&linker, &arguments), linker)
    } else {
        let wrapper = std::env::var_os(KEEP)?;
        if !wrapper.is_empty() {
            arguments.insert(0, wrapper);
        }
        let rustc = arguments.first().cloned()?;
        (as_rustc(&arguments), rustc)
    };
    Some(match status {
        // A signal has no code; 101 is rustc's for a failure of its own.
        Ok(status) => ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(101)),
        Err(why) => error::fail(format!("{}: {why}", what.to_string_lossy())),
    })
}

/// Calls rustc, the first of the arguments; with this program as the linker if it makes an executable.
fn as_rustc(arguments: &[OsString]) -> io::Result<ExitStatus> {
    let (rustc, arguments) = arguments.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(rustc);
    command.args(arguments).env_remove(KEEP);
    let words = expanded(arguments, |text| text.lines().map(str::to_owned).collect());
    let Some(words) = words.ok().filter(|words| makes_executable(words)) else { return command.status() };
    let linker = linker_of(&words);
    let name = linker.as_deref().map_or(Some(OsStr::new(OWN_NAME)), |linker| Path::new(linker).file_name());
    let folder = tempfile::tempdir()?;
    let own = folder.path().join(name.ok_or(io::ErrorKind::InvalidInput)?);
    std::os::unix::fs::symlink(std::env::current_exe()?, &own)?;
    let mut option = OsString::from("linker=");
    option.push(&own);
    command.arg("-C").arg(option).env(LINKER, linker.as_deref().unwrap_or(DEFAULT_LINKER)).status()
}

/// Returns whether rustc with these arguments makes an executable that is not a build script. Without a type of the
/// crate it does, as for benchmarks without a harness.
fn makes_executable(words: &[String]) -> bool {
    let value = |option: &str| {
        let after = words.windows(2).find(|pair| pair[0] == option).map(|pair| pair[1].as_str());
        after.or(words.iter().find_map(|word| word.strip_prefix(option)?.strip_prefix('=')))
    };
    let is_script = |name: &str| name.starts_with("build_script_");
    value("--crate-type").is_none_or(|kind| kind == "bin")
        && value("--crate-name").is_some_and(|name| !is_script(name))
}

/// Returns the linker that rustc's arguments name: the last one counts.
fn linker_of(words: &[String]) -> Option<String> {
    let after = |at: usize| words.get(at + 1).map(String::as_str);
    let named = |at: usize| match words[at].as_str() {
        "-C" | "--codegen" => after(at)?.strip_prefix("linker="),
        word => word.strip_prefix("-C").or(word.strip_prefix("--codegen="))?.strip_prefix("linker="),
    };
    (0..words.len()).rev().find_map(named).map(str::to_owned)
}

/// Returns arguments as texts, with the words of each `@file` in its place, as `parse` reads them.
fn expanded(arguments: &[OsString], parse: impl Fn(&str) -> Vec<String>) -> io::Result<Vec<String>> {
    let mut words = Vec::new();
    for argument in arguments {
        let text = argument.to_str().ok_or_else(not_text)?;
        match text.strip_prefix('@').filter(|file| Path::new(file).is_file()) {
            Some(file) => words.extend(parse(&std::fs::read_to_string(file)?)),
            None => words.push(text.to_owned()),
        }
    }
    Ok(words)
}

/// Calls the real linker, and keeps its link.
fn as_linker(linker: &OsStr, arguments: &[OsString]) -> io::Result<ExitStatus> {
    let status = Command::new(linker).args(arguments).env_remove(LINKER).status()?;
    if status.success()
        && let Err(why) = keep(linker, arguments)
    {
        // The program itself is right. Who asks for its layouts gets an error.
        eprintln!("parlab: the link cannot be kept: {why}");
    }
    Ok(status)
}

/// Returns the path of a program with an ending after its whole name.
fn with_ending(executable: &Path, ending: &str) -> PathBuf {
    let mut path = executable.as_os_str().to_owned();
    path.push(ending);
    path.into()
}

/// Returns the folder in which the last link of a program is kept.
fn folder_of(executable: &Path) -> PathBuf {
    with_ending(executable, KEPT)
}

/// Returns the path of a layout, from 1. It lies next to the program, which may look for files near its own.
pub(crate) fn path_of(executable: &Path, layout: usize) -> PathBuf {
    with_ending(executable, &format!(".layout-{layout}"))
}

/// Keeps a link: its arguments and the files among them that rustc deletes after it.
fn keep(linker: &OsStr, arguments: &[OsString]) -> io::Result<()> {
    // Quotes and backslashes mean in a file of arguments what they mean in a shell.
    let words = expanded(arguments, |text| words(text).unwrap_or_default())?;
    let output = words.windows(2).find(|pair| pair[0] == "-o").map(|pair| pair[1].clone());
    let Some(output) = output else { return Ok(()) };
    let executable = std::path::absolute(&output)?;
    let folder = folder_of(&executable);
    // An earlier link of it may not have come to its end.
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    remove_layouts(&executable)?;
    std::fs::create_dir(&folder)?;
    let text = |path: &Path| path.to_str().map(str::to_owned).ok_or_else(not_text);
    let mut moved: Vec<(String, String)> = Vec::new();
    for word in &words {
        let path = Path::new(word);
        let Some(parent) = path.parent().filter(|_| path.is_file()) else { continue };
        let is_next_to_it = std::path::absolute(path)?.parent() == executable.parent();
        let is_temporary = parent.file_name().is_some_and(|name| name.to_string_lossy().starts_with("rustc"));
        let new = folder.join(moved.len().to_string());
        if is_temporary && !moved.iter().any(|(old, _)| Path::new(old) == parent) {
            copy_folder(parent, &new)?;
            moved.push((text(parent)?, text(&new)?));
        } else if is_next_to_it && path.extension().is_some_and(|ending| ending == "o") {
            let new = new.with_extension("o");
            // Their bytes are shared if both are on one file system.
            std::fs::hard_link(path, &new).or_else(|_| std::fs::copy(path, &new).map(drop))?;
            moved.push((word.clone(), text(&new)?));
        }
    }
    let renamed =
        |word: &String| moved.iter().fold(word.clone(), |word, (old, new)| word.replace(old.as_str(), new));
    let link = Link {
        linker: text(Path::new(linker))?,
        arguments: words.iter().map(renamed).collect(),
        folder: std::env::current_dir()?,
        path: std::env::var("PATH").unwrap_or_default(),
        output,
        in_file: arguments.iter().any(|argument| argument.to_string_lossy().starts_with('@')),
    };
    std::fs::write(folder.join("link.json"), serde_json::to_vec(&link)?)
}

/// Removes the layouts of a program.
fn remove_layouts(executable: &Path) -> io::Result<()> {
    let (Some(folder), Some(name)) = (executable.parent(), executable.file_name()) else { return Ok(()) };
    let first = format!("{}.layout-", name.to_string_lossy());
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(&first) {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Returns the path under which a program was linked: `cargo build` links `deps/NAME-HASH`, and gives it another name.
/// The path itself if none is known.
fn linked_as(executable: &Path) -> PathBuf {
    if folder_of(executable).is_dir() {
        return executable.to_owned();
    }
    let own = std::fs::read(executable).unwrap_or_default();
    // Examples are next to it.
    let folders = executable.parent().map(|folder| [folder.to_owned(), folder.join("deps")]);
    let entries =
        folders.into_iter().flatten().filter_map(|folder| folder.read_dir().ok()).flatten().flatten();
    let mut linked = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        Some(entry.path().with_file_name(name.strip_suffix(KEPT)?))
    });
    linked
        .find(|path| std::fs::read(path).is_ok_and(|bytes| bytes == own))
        .unwrap_or_else(|| executable.to_owned())
}

/// Copies a folder with what is in it, with the times by which Cargo knows what is up to date.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    let done = Command::new("cp").arg("-Rp").args([from, to]).output()?;
    match done.status.success() {
        true => Ok(()),
        false => Err(io::Error::other(String::from_utf8_lossy(&done.stderr).trim())),
    }
}

/// Links a program that cargo built in [`environment`] in `count` other layouts, those with the seeds 1 to `count`, and
/// returns their paths. At most as many links as there are cores run at once.
///
/// # Errors
/// Its last link was not kept, its linker makes no other layouts, or Ctrl-C. Layouts that were linked before stay.
pub(crate) fn link(executable: &Path, count: usize) -> Result<Vec<PathBuf>, CommandError> {
    let executable = &std::path::absolute(executable)?;
    let linked = &linked_as(executable);
    let file = folder_of(linked).join("link.json");
    let of_file = |why: io::Error| CommandError::new(format!("{}: {why}", file.display()));
    // Those that are there may be of another link.
    remove_layouts(executable).map_err(of_file)?;
    let not_kept = || {
        CommandError::new(format!(
            "{}: its link was not kept, so it has no other layouts: they need Linux, and cargo that calls rustc with \
             its own linker",
            executable.display()
        ))
    };
    if !file.exists() {
        return Err(not_kept());
    }
    let link: Link =
        std::fs::read(&file).and_then(|text| Ok(serde_json::from_slice(&text)?)).map_err(of_file)?;
    // A copy of a program has its link's objects elsewhere, where they may be of another program by now.
    if link.folder.join(&link.output) != *linked {
        return Err(not_kept());
    }
    let paths: Vec<PathBuf> = (1..=count).map(|layout| path_of(executable, layout)).collect();
    let first = |options| link.again(options, &paths[0], 1).map(|()| options);
    // The first error is what linkers that know none of them are told too.
    let options =
        first(FORMS[0]).or_else(|why| first(FORMS[1]).or_else(|_| first(FORMS[2])).map_err(|_| why))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let work = |core: usize| {
        let mut own = paths.iter().zip(1..).skip(1 + core).step_by(cores);
        own.try_for_each(|(path, seed)| link.again(options, path, seed))
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|core| scope.spawn(move || work(core))).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    Ok(paths)
}

impl Link {
    /// Links the program again with these options, and a seed.
    fn again(&self, options: &[&str], path: &Path, seed: usize) -> Result<(), CommandError> {
        if interrupt::requested() {
            return Err(CommandError::new("interrupted"));
        }
        // Another name until it is complete, so that an interrupted link leaves no program.
        let unfinished = with_ending(path, ".unfinished");
        let output = unfinished.to_str().ok_or_else(not_text)?;
        // A compiler passes them on to its linker.
        let calls_compiler = self.arguments.iter().any(|word| word.starts_with("-Wl,"));
        let prefix = if calls_compiler { "-Wl," } else { "" };
        let own = options.iter().map(|option| format!("{prefix}{}", option.replace("{}", &seed.to_string())));
        let output_of = |word: &String| if *word == self.output { output.to_owned() } else { word.clone() };
        let arguments: Vec<String> = self.arguments.iter().map(output_of).chain(own).collect();
        let mut command = Command::new(&self.linker);
        // A work tree may be gone; rustc's paths are whole.
        let folder = if self.folder.is_dir() { Some(&*self.folder) } else { path.parent() };
        command.current_dir(folder.unwrap_or(Path::new("."))).env("PATH", &self.path).env("LC_ALL", "C");
        let file = with_ending(path, ".arguments");
        if self.in_file {
            std::fs::write(&file, join(&arguments))?;
            command.arg(format!("@{}", file.display()));
        } else {
            command.args(&arguments);
        }
        let ran = command.output();
        if self.in_file {
            std::fs::remove_file(&file)?;
        }
        let ran = ran.map_err(|why| CommandError::new(format!("{}: {why}", path.display())))?;
        if ran.status.success() {
            return Ok(std::fs::rename(&unfinished, path)?);
        }
        let said = String::from_utf8_lossy(&ran.stderr);
        let line = said.lines().find(|line| line.contains("error") || line.contains("unrecognized"));
        Err(CommandError::new(format!(
            "`{}` links no other layouts, as lld and mold do (lld is rustc's default on x86-64 Linux since 1.90; \
             elsewhere install it and set RUSTFLAGS='-C link-arg=-fuse-ld=lld'): {}",
            self.linker,
            line.or(said.lines().last()).unwrap_or("it failed without a message").trim()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_linker_counts() {
        let linker = |text: &str| linker_of(&words(text).unwrap());
        assert_eq!(linker("-C opt-level=3 --crate-type bin"), None);
        assert_eq!(linker("-C linker=clang -C linker-flavor=gcc").as_deref(), Some("clang"));
        assert_eq!(linker("-C linker=clang -Clinker=/usr/bin/gcc").as_deref(), Some("/usr/bin/gcc"));
        assert_eq!(linker("--codegen linker=a --codegen=linker=b").as_deref(), Some("b"));
        assert_eq!(linker("-C"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_link_whose_arguments_come_in_a_file_is_kept_and_made_again() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let text = |name: &str| path(name).to_str().unwrap().to_owned();
        let write = |name: &str, text: &str| std::fs::write(path(name), text).unwrap();
        std::fs::create_dir(path("rustcA")).unwrap();
        write("rustcA/symbols.o", "s");
        write("rustcA/list", "l");
        write("a b.o", "o");
        // A linker that writes its arguments into its output, one in a line.
        write(
            "linker",
            "#!/bin/sh\neval \"set -- $(tr '\\n' ' ' < \"${1#@}\")\"\nfor word; do\n  \
             case $last in -o) out=$word ;; esac; last=$word\ndone\nprintf '%s\\n' \"$@\" > \"$out\"\n",
        );
        std::fs::set_permissions(path("linker"), PermissionsExt::from_mode(0o755)).unwrap();
        let words = [
            text("rustcA/symbols.o"),
            text("a b.o"),
            format!("-Wl,x={}", text("rustcA/list")),
            "-o".to_owned(),
            text("out"),
        ];
        write("arguments", &join(&words));
        let arguments = [format!("@{}", text("arguments")).into()];
        assert!(as_linker(path("linker").as_os_str(), &arguments).unwrap().success());
        // As rustc does after a link.
        std::fs::remove_dir_all(path("rustcA")).unwrap();
        std::fs::remove_file(path("a b.o")).unwrap();
        let link = |name: &str| link(&path(name), 1).map_err(|why| why.to_string());
        assert_eq!(link("out"), Ok(vec![path("out.layout-1")]));
        let arguments = std::fs::read_to_string(path("out.layout-1")).unwrap();
        let mut files = arguments.lines().map(|line| line.replace("-Wl,x=", ""));
        for contents in ["s", "o", "l"] {
            assert_eq!(std::fs::read_to_string(files.next().unwrap()).unwrap(), contents, "{arguments}");
        }
        assert!(arguments.contains("-Wl,--shuffle-sections=.text*=1\n"), "{arguments}");
        assert!(!path("out.layout-1.arguments").exists());

        let why = link("linker").unwrap_err();
        assert!(why.contains("/linker: its link was not kept"), "{why}");
        write("out.layouts/link.json", "{");
        let why = link("out").unwrap_err();
        assert!(why.contains("link.json: EOF while parsing"), "{why}");
    }
}
