//! Comparison of the header with the exported functions.

use parcrypt_testkit::header_differences;

#[test]
fn the_header_and_the_functions_agree() {
    let sources = [
        include_str!("../src/cells.rs"),
        include_str!("../src/kzg.rs"),
        include_str!("../src/mac.rs"),
        include_str!("../src/msm.rs"),
        include_str!("../src/ntt.rs"),
        include_str!("../src/runtime.rs"),
        include_str!("../src/rw.rs"),
        include_str!("../src/scrypt.rs"),
        include_str!("../src/settings.rs"),
        include_str!("../src/status.rs"),
        include_str!("../src/verifier.rs"),
    ];
    let types = [
        ("bool", "bool"),
        ("char", "c_char"),
        ("int32_t", "i32"),
        ("parcrypt_cell_verdict", "CellVerdict"),
        ("parcrypt_cell_verifier", "CellVerifier"),
        ("parcrypt_matrix", "Matrix"),
        ("parcrypt_points", "Points"),
        ("parcrypt_ring", "Ring"),
        ("parcrypt_runtime", "Runtime"),
        ("parcrypt_rw_public_key", "RwPublicKey"),
        ("parcrypt_rw_secret_key", "RwSecretKey"),
        ("parcrypt_settings", "Settings"),
        ("parcrypt_status", "Status"),
        ("parcrypt_table_report", "TableReport"),
        ("size_t", "usize"),
        ("uint32_t", "u32"),
        ("uint64_t", "u64"),
        ("uint8_t", "u8"),
        ("void", "c_void"),
    ];
    let differences = header_differences(include_str!("../include/parcrypt.h"), &sources, &types);
    assert_eq!(differences, Vec::<String>::new());
}

#[test]
fn the_header_has_the_version_of_the_library() {
    let line = format!("#define PARCRYPT_VERSION \"{}\"\n", env!("CARGO_PKG_VERSION"));
    assert!(include_str!("../include/parcrypt.h").contains(&line));
}
