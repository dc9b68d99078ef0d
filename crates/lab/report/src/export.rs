//! Exporters, each of which turns sheets into the bytes of a format and decides nothing.

pub(crate) mod csv;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod svg;
pub(crate) mod text;

/// Returns the address of a file, with all characters encoded that mean something in an address or in markup.
fn address(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let written = |byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.bytes().map(written).collect()
}
