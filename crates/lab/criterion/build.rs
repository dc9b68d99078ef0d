//! Says which variants of `Throughput` the version of Criterion has whose place this package takes:
//! formatters of measurements match on the variants without a default. A file `allocations` or `instructions` here
//! makes programs count instead of taking times.

use std::env::var;

fn main() {
    let minor = var("CARGO_PKG_VERSION_MINOR").ok().and_then(|minor| minor.parse::<u32>().ok());
    // Under its own name the package has all variants.
    let minor = minor.filter(|_| var("CARGO_PKG_NAME").as_deref() == Ok("criterion")).unwrap_or(u32::MAX);
    println!("cargo:rerun-if-changed=build.rs");
    for (cfg, since) in [("bytes_decimal", 4), ("bits", 7), ("elements_and_bytes", 8)] {
        println!("cargo:rustc-check-cfg=cfg({cfg})");
        if minor >= since {
            println!("cargo:rustc-cfg={cfg}");
        }
    }
    println!("cargo:rustc-check-cfg=cfg(counting)");
    for kind in ["allocations", "instructions"] {
        println!("cargo:rustc-check-cfg=cfg({kind})");
        if std::path::Path::new(kind).exists() {
            println!("cargo:rustc-cfg=counting");
            println!("cargo:rustc-cfg={kind}");
        }
    }
}
