//! Builds the OpenMP shim if the C compiler supports OpenMP; otherwise builds the crate without it and records why.
//!
//! `PARCRYPT_OPENMP` selects: `libgomp` (GCC's, the default), `libomp` (LLVM's, needs clang) or `none`.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(openmp, values(none(), \"libgomp\", \"libomp\"))");
    println!("cargo::rerun-if-changed=src/openmp/shim.c");
    println!("cargo::rerun-if-env-changed=PARCRYPT_OPENMP");
    match openmp() {
        Ok(()) => println!("cargo::rustc-cfg=openmp"),
        Err(why) => println!("cargo::rustc-env=PARCRYPT_WHY_NO_OPENMP={why}"),
    }
}

#[cfg(not(feature = "openmp"))]
fn openmp() -> Result<(), String> {
    Err("this build has the feature `openmp` off".into())
}

#[cfg(feature = "openmp")]
fn openmp() -> Result<(), String> {
    let choice = std::env::var("PARCRYPT_OPENMP").unwrap_or_default();
    let clangs = ["clang", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14"];
    let result = match choice.as_str() {
        "none" => return Err("this build was made with PARCRYPT_OPENMP=none".into()),
        "libgomp" => first_that_works(&["gcc"], "gomp"),
        "libomp" => first_that_works(&clangs, "omp"),
        "" => build(None, "gomp").or_else(|why| first_that_works(&clangs, "omp").map_err(|_| why)),
        other => {
            println!("cargo::error=PARCRYPT_OPENMP={other}: it can be `libgomp`, `libomp` or `none`");
            return Err("PARCRYPT_OPENMP is not valid".into());
        }
    };
    if let Err(why) = &result {
        if choice.is_empty() {
            println!("cargo::warning=building without OpenMP: {why}");
        } else {
            println!("cargo::error=PARCRYPT_OPENMP={choice}: {why}");
        }
    }
    result
}

#[cfg(feature = "openmp")]
fn first_that_works(compilers: &[&str], library: &str) -> Result<(), String> {
    let mut why = String::new();
    for compiler in compilers {
        match build(Some(compiler), library) {
            Ok(()) => return Ok(()),
            Err(reason) => why = format!("{why}{compiler}: {reason}; "),
        }
    }
    Err(why.trim_end_matches("; ").to_owned())
}

/// Compiles the shim with `compiler` (cc's own choice if it is `None`) and links `library`.
#[cfg(feature = "openmp")]
fn build(compiler: Option<&str>, library: &str) -> Result<(), String> {
    let mut build = cc::Build::new();
    build.cargo_warnings(false);
    if let Some(compiler) = compiler {
        // cc would print a warning for each one that is missing.
        let there = std::process::Command::new(compiler).arg("--version").output();
        there.map_err(|e| format!("cannot be started ({e})"))?;
        build.compiler(compiler);
    }
    let tool = build.try_get_compiler().map_err(|e| e.to_string())?;
    let flag = match (library, tool.is_like_clang()) {
        ("gomp", false) => "-fopenmp",
        ("omp", true) => "-fopenmp=libomp",
        ("gomp", true) => return Err("clang makes no code for libgomp".into()),
        _ => return Err("libomp needs clang".into()),
    };
    let out = std::path::PathBuf::from(std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let probe = out.join("probe.c");
    std::fs::write(&probe, "#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n")
        .map_err(|e| e.to_string())?;
    // Some compilers leave files in the folder in which they run.
    let tried =
        tool.to_command().current_dir(&out).arg(flag).arg(&probe).arg("-o").arg(out.join("probe")).output();
    let tried = tried.map_err(|e| format!("cannot be started ({e})"))?;
    if !tried.status.success() {
        let said = String::from_utf8_lossy(&tried.stderr);
        let line = said.lines().find(|l| l.contains("error")).or(said.lines().next());
        return Err(line.unwrap_or("a program with OpenMP could not be built").to_owned());
    }
    let file = format!("lib{library}.so");
    let found = tool.to_command().current_dir(&out).arg(format!("-print-file-name={file}")).output();
    let found = found.map_err(|e| e.to_string())?.stdout;
    let found = std::path::PathBuf::from(String::from_utf8_lossy(&found).trim());
    build
        .file("src/openmp/shim.c")
        .flag(flag)
        .std("c11")
        .flags(["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"])
        .opt_level(2)
        .try_compile("parcrypt_openmp")
        .map_err(|e| e.to_string())?;
    // The folder of the compiler's libraries, for the linker of another compiler.
    if let Some(folder) = found.parent().filter(|folder| folder.is_absolute()) {
        println!("cargo::rustc-link-search=native={}", folder.display());
    }
    println!("cargo::rustc-link-lib=dylib={library}");
    println!("cargo::rustc-cfg=openmp=\"lib{library}\"");
    Ok(())
}
