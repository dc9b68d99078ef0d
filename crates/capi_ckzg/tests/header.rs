//! Comparison of the header with the exported functions. `scripts/test-capi` compiles programs with c-kzg's header too,
//! which shows that it has the same declarations.

use parcrypt_testkit::header_differences;

#[test]
fn the_header_and_the_functions_agree() {
    let sources =
        [include_str!("../src/bytes.rs"), include_str!("../src/kzg.rs"), include_str!("../src/setup.rs")];
    let types = [
        ("Blob", "Blob"),
        ("Bytes32", "Bytes32"),
        ("Bytes48", "Bytes48"),
        ("C_KZG_RET", "Ret"),
        ("Cell", "Cell"),
        ("FILE", "FILE"),
        ("KZGCommitment", "Bytes48"),
        ("KZGProof", "Bytes48"),
        ("KZGSettings", "KzgSettings"),
        ("bool", "bool"),
        ("fr_t", "RawFr"),
        ("g1_t", "RawG1"),
        ("uint64_t", "u64"),
        ("uint8_t", "u8"),
    ];
    let differences = header_differences(include_str!("../include/ckzg.h"), &sources, &types);
    assert_eq!(differences, Vec::<String>::new());
}
