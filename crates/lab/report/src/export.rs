//! Exporters, each of which turns sheets into the bytes of a format and decides nothing.

pub(crate) mod csv;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod svg;
pub(crate) mod text;

/// Returns the address of a file, with the characters encoded that would end it.
fn address(path: &str) -> String {
    let mut address = String::new();
    for c in path.chars() {
        match c {
            '%' | '(' | ')' | '<' | '>' | '\\' | '|' | '`' | ' ' | ',' => {
                address += &format!("%{:02X}", u32::from(c));
            }
            c if crate::format::one_line(c.encode_utf8(&mut [0; 4])) == " " => {
                c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| address += &format!("%{byte:02X}"));
            }
            c => address.push(c),
        }
    }
    address
}
