//! The versions of the libraries in the lock file, the C libraries without a crate, and mlkem-native and mldsa-native
//! from the sources of AWS-LC.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// C files with the folder of AWS-LC that they include, the macro of their parameter set, and its values. Each has a
/// function `peers_FILE_matrix_SET`.
const NATIVE: [(&str, &str, &str, [&str; 3]); 2] = [
    ("mlkem", "ml_kem", "MLK_CONFIG_PARAMETER_SET", ["512", "768", "1024"]),
    ("mldsa", "ml_dsa", "MLD_CONFIG_PARAMETER_SET", ["44", "65", "87"]),
];

fn main() {
    println!("cargo::rerun-if-changed=Cargo.lock");
    let lock = std::fs::read_to_string("Cargo.lock").unwrap_or_default();
    for name in ["aws-lc-rs", "aws-lc-sys", "concrete-ntt", "ring", "scrypt"] {
        // The lock file may have several versions of a library; this candidate uses the newest, which is the last.
        let package = format!("name = \"{name}\"\nversion = \"");
        let version = lock.rsplit_once(&package).and_then(|(_, rest)| rest.split('"').next());
        let variable = format!("VERSION_OF_{}", name.to_uppercase().replace('-', "_"));
        println!("cargo::rustc-env={variable}={}", version.unwrap_or_default());
    }
    for (feature, library) in [("BOTAN", "botan-2"), ("LIBSODIUM", "sodium"), ("LIBSCRYPT", "scrypt")] {
        if env::var_os(format!("CARGO_FEATURE_{feature}")).is_some() {
            println!("cargo::rustc-link-lib={library}");
        }
    }
    println!("cargo::rustc-check-cfg=cfg(native)");
    println!("cargo::rerun-if-changed=src/library/native");
    match native() {
        Ok(()) => println!("cargo::rustc-cfg=native"),
        Err(why) => {
            let why = why.replace('\n', "; ");
            println!("cargo::rustc-env=WHY_NOT_NATIVE={why}");
            println!("cargo::warning=SKIP peers-crypto mlkem-native and mldsa-native: {why}");
        }
    }
}

/// Builds mlkem-native and mldsa-native from the sources of the package aws-lc-sys, with the headers that it built.
fn native() -> Result<(), String> {
    let target = env::var("TARGET").unwrap_or_default();
    // AWS-LC has their assembly for these only; elsewhere it would be a comparison with plain C.
    let has_any = |words: [&str; 2]| words.iter().any(|word| target.contains(word));
    if !has_any(["x86_64", "aarch64"]) || !has_any(["linux", "apple"]) {
        return Err(format!("AWS-LC has no assembly of theirs for {target}"));
    }
    let of_aws_lc = |end: &str| {
        let is_it = |name: &str| name.starts_with("DEP_AWS_LC_") && name.ends_with(end);
        let value = env::vars().find_map(|(name, value)| is_it(&name).then_some(value));
        value.ok_or_else(|| format!("aws-lc-sys does not give {end}"))
    };
    let (headers, crypto) = (of_aws_lc("_INCLUDE")?, of_aws_lc("_LIBCRYPTO_PATH")?);
    let sources = sources(&target)?;
    let mut built = Vec::new();
    for (file, folder, macro_of_set, sets) in NATIVE {
        for set in sets {
            let mut build = compiler();
            build.file(format!("src/library/native/{file}.c")).define(macro_of_set, set);
            build.include(&headers).include(sources.join(folder));
            let name = format!("peers_{file}_{set}");
            build.try_compile(&name).map_err(|error| {
                println!("cargo::warning={}", error.to_string().replace('\n', "; "));
                format!("{file}.c does not compile for {set}; the warnings of the build say why")
            })?;
            built.push((format!("peers_{file}_matrix_{set}"), name));
        }
    }
    link(&built, &crypto)?;
    println!("cargo::rustc-link-search=native={}", out_dir().display());
    built.iter().for_each(|(_, name)| println!("cargo::rustc-link-lib=static={name}"));
    Ok(())
}

/// Links a program with a function of each library that was built, which fails if AWS-LC was built without assembly. In
/// the candidate that would be the loss of all libraries.
fn link(built: &[(String, String)], crypto: &str) -> Result<(), String> {
    let (source, program) = (out_dir().join("link.c"), out_dir().join("link"));
    let declared: String = built.iter().map(|(function, _)| format!("void {function}(void);\n")).collect();
    let called: String = built.iter().map(|(function, _)| format!("{function}();")).collect();
    let text = format!("{declared}int main(void) {{ {called} return 0; }}\n");
    std::fs::write(&source, text).map_err(|error| error.to_string())?;
    let mut command = compiler().get_compiler().to_command();
    command.arg(source).arg("-o").arg(program);
    command.args(built.iter().map(|(_, name)| out_dir().join(format!("lib{name}.a"))));
    let output = command.args([crypto, "-lpthread"]).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    println!("cargo::warning={}", stderr.trim().replace('\n', "; "));
    // The answer to a request names no folder.
    let missing = stderr.find("undefined ").map(|at| &stderr[at..]).and_then(|rest| rest.lines().next());
    let why = missing.unwrap_or("the warnings of the build say why");
    Err(format!("it cannot be linked with this build of AWS-LC: {why}"))
}

fn compiler() -> cc::Build {
    let mut build = cc::Build::new();
    build.warnings(false).cargo_metadata(false);
    build
}

fn out_dir() -> PathBuf {
    PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default())
}

/// Returns the folder with the sources of AWS-LC's module, by the place of the package.
fn sources(target: &str) -> Result<PathBuf, String> {
    let cargo = env::var_os("CARGO").unwrap_or("cargo".into());
    let arguments = ["metadata", "--locked", "--format-version", "1", "--filter-platform", target];
    let output = Command::new(cargo).args(arguments).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        println!("cargo::warning={}", String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; "));
        return Err("cargo metadata failed; the warnings of the build say why".to_owned());
    }
    let metadata = String::from_utf8_lossy(&output.stdout).into_owned();
    let manifests = metadata.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let is_it = |folder: &Path| {
        folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("aws-lc-sys-"))
    };
    let folder = manifests.filter_map(|manifest| Path::new(manifest).parent()).find(|folder| is_it(folder));
    let folder = folder.ok_or("cargo metadata does not name the folder of aws-lc-sys")?;
    Ok(folder.join("aws-lc/crypto/fipsmodule"))
}
