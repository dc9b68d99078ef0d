//! `candidate --template`: a candidate in a language, with its kit.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use parcrypt_lab::{command, write_new};

use parcrypt_terminal::error::{CommandError, fail};
use parcrypt_terminal::text::{Printed, shown, tell};

/// Print a candidate in a language with its kit: a program to begin with
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Arguments {
    /// The language
    #[arg(long, value_name = "LANGUAGE", value_enum)]
    pub(crate) template: Language,
    /// Write the files into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// End of the help.
const HELP: &str = "\
Example:
  parlab candidate --template python --out mine

The folder has a program that sums the bytes of a file, and the kit that answers the requests of the lab. The commands \
         that build and check it are printed.

Exit codes: 0 written, 2 an error.";

/// A language with a kit.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[allow(missing_docs, reason = "names of languages, which the help shows as they are")]
pub(crate) enum Language {
    #[value(name = "bash", alias = "shell")]
    Shell,
    C,
    Go,
    Julia,
    Python,
    Rust,
}

/// A file of a template, by its path in the folder.
struct TemplateFile {
    path: &'static str,
    text: &'static str,
}

/// Returns the files of a repository path, each under its own name or another.
macro_rules! files {
    ($($path:literal: $source:literal),+ $(,)?) => {
        &[$(TemplateFile { path: $path, text: include_str!(concat!("../../../../../", $source)) }),+]
    };
}

impl Language {
    /// Returns the files, the candidate first.
    fn files(self) -> &'static [TemplateFile] {
        match self {
            Language::C => files! {
                "sum.c": "candidates/kits/c/sum.c",
                "parlab.h": "candidates/kits/c/parlab.h",
            },
            Language::Go => files! {
                "sum.go": "candidates/kits/go/sum.go",
                "go.mod": "candidates/kits/go/go.mod",
                "parlab/parlab.go": "candidates/kits/go/parlab/parlab.go",
            },
            Language::Julia => files! {
                "sum.jl": "candidates/kits/julia/sum.jl",
                "parlab.jl": "candidates/kits/julia/parlab.jl",
            },
            Language::Python => files! {
                "sum.py": "candidates/kits/python/sum.py",
                "parlab.py": "candidates/kits/python/parlab.py",
            },
            Language::Shell => files! {
                "sum.sh": "candidates/kits/shell/sum.sh",
                "parlab.bash": "candidates/kits/shell/parlab.bash",
            },
            // The crate is on no registry. Its manifest takes versions from the workspace, which manifest.toml is here.
            Language::Rust => files! {
                "src/main.rs": "crates/lab/protocol/examples/sum.rs",
                "Cargo.toml": "candidates/kits/rust/manifest.toml",
                "parcrypt-protocol/Cargo.toml": "crates/lab/protocol/Cargo.toml",
                "parcrypt-protocol/README.md": "crates/lab/protocol/README.md",
                "parcrypt-protocol/src/error.rs": "crates/lab/protocol/src/error.rs",
                "parcrypt-protocol/src/escape.rs": "crates/lab/protocol/src/escape.rs",
                "parcrypt-protocol/src/functions.rs": "crates/lab/protocol/src/functions.rs",
                "parcrypt-protocol/src/input.rs": "crates/lab/protocol/src/input.rs",
                "parcrypt-protocol/src/lib.rs": "crates/lab/protocol/src/lib.rs",
                "parcrypt-protocol/src/memory.rs": "crates/lab/protocol/src/memory.rs",
                "parcrypt-protocol/src/params.rs": "crates/lab/protocol/src/params.rs",
                "parcrypt-protocol/src/request.rs": "crates/lab/protocol/src/request.rs",
                "parcrypt-protocol/src/response.rs": "crates/lab/protocol/src/response.rs",
                "parcrypt-protocol/src/worker.rs": "crates/lab/protocol/src/worker.rs",
            },
        }
    }

    /// Returns the commands that build it, and the words of the command of the candidate.
    fn commands(self) -> (Option<&'static str>, &'static [&'static str]) {
        match self {
            Language::C => (Some("cc -std=c11 -O3 -o sum sum.c"), &["./sum"]),
            Language::Go => (Some("go build -o sum ."), &["./sum"]),
            Language::Julia => (None, &["julia", "sum.jl"]),
            Language::Python => (None, &["python3", "sum.py"]),
            Language::Shell => (None, &["bash", "sum.sh"]),
            Language::Rust => (Some("cargo build --release"), &["target/release/sum"]),
        }
    }
}

/// Writes the files into a new or an existing folder, or prints them if there is none.
///
/// `program` is the command that checks it.
pub(crate) fn run(Arguments { template: language, out }: &Arguments) -> ExitCode {
    match out {
        Some(folder) => write(*language, folder).map_or_else(fail, |text| Printed::Plain(&text).code()),
        None => {
            let text: String = (language.files().iter())
                .map(|file| format!("==> {} <==\n{}\n", file.path, file.text))
                .collect();
            let code = Printed::Plain(&text).code();
            tell(
                "with --out DIR they are written to a folder, and the commands that build and check them are printed",
            );
            code
        }
    }
}

/// Writes the files and returns the next steps.
fn write(language: Language, folder: &Path) -> Result<String, CommandError> {
    let at = |path: &Path, error| CommandError::new(format!("{}: {error}", shown(path)));
    let Some(name) = folder.to_str() else {
        let why = "its name is not UTF-8, as the commands that are printed have to be";
        return Err(CommandError::new(format!("--out {}: {why}", shown(folder))));
    };
    // Before anything is written, so that no part of a candidate is left among other files.
    for file in language.files() {
        let path = folder.join(file.path);
        if path.symlink_metadata().is_ok() {
            return Err(CommandError::new(format!("{} exists: choose another folder", shown(&path))));
        }
    }
    for file in language.files() {
        let path = folder.join(file.path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|error| at(parent, error))?;
        }
        write_new(&path, file.text.as_bytes()).map_err(|error| at(&path, error))?;
    }
    let (build, words) = language.commands();
    let mut text = format!(
        "{}: the sum of a file's bytes. Change {} to your work.\n\nNext:\n",
        shown(folder),
        language.files()[0].path
    );
    text += &format!("  cd {}\n", command::join(&[name.to_owned()]));
    if let Some(step) = build {
        text += &format!("  {step}\n");
    }
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    text += &format!(
        "  parlab check-candidate --workload sum --param scale=20 --input-bytes 1048576 -- {}\n\n\
         In a plan:\n\n  [[candidate]]\n  name = \"mine\"\n  command = [{}]\n",
        words.join(" "),
        quoted.join(", ")
    );
    Ok(text)
}
