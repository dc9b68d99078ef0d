//! The comparison of a C header with the Rust functions that it declares.

use std::collections::BTreeMap;

/// A function's parameters, each as `name: type`, and its result; types in Rust's notation.
type Functions = BTreeMap<String, (Vec<String>, String)>;

/// Returns a line for each difference between the functions of a C header and those that Rust sources export: the
/// functions, the names and types of their parameters in order, and their results.
///
/// `types` maps each C type to its Rust name, without pointers and `const`. It parses the part of C that our headers
/// use: one declaration of a function ends at each semicolon, types are a word, pointers have one star for each level
/// and an array in a parameter is a pointer.
///
/// # Panics
/// If a declaration cannot be read, or has a type that `types` does not name.
pub fn header_differences(header: &str, sources: &[&str], types: &[(&str, &str)]) -> Vec<String> {
    let (declared, exported) = (of_header(header, types), of_sources(sources));
    assert!(!declared.is_empty() && !exported.is_empty(), "nothing was found to compare");
    let mut differences = Vec::new();
    for (name, declaration) in &declared {
        match exported.get(name) {
            None => differences.push(format!("{name}: declared, and not exported")),
            Some(export) if export != declaration => {
                differences.push(format!("{name}: declared as {declaration:?}, exported as {export:?}"));
            }
            Some(_) => {}
        }
    }
    let hidden = exported.keys().filter(|name| !declared.contains_key(*name));
    differences.extend(hidden.map(|name| format!("{name}: exported, and not declared")));
    differences
}

fn of_header(header: &str, types: &[(&str, &str)]) -> Functions {
    let mut functions = Functions::new();
    for declaration in without_comments(header).split([';', '{', '}']) {
        // The last line break of a preprocessor's line ends it.
        let declaration: Vec<&str> = declaration.lines().filter(|line| !line.starts_with('#')).collect();
        let declaration = declaration.join(" ");
        let Some((head, parameters)) = declaration.split_once('(') else { continue };
        // The type of a pointer to a function.
        if head.trim_start().starts_with("typedef ") {
            continue;
        }
        let (returns, name) = split_name(head);
        let (parameters, _) = parameters.rsplit_once(')').unwrap_or_else(|| panic!("no `)`: {declaration}"));
        let parameters = parameters.split(',').filter(|parameter| parameter.trim() != "void");
        let parameters = parameters.map(|parameter| {
            let (of, name) = split_name(parameter);
            let (name, array) = name.split_once('[').map_or((name, ""), |(name, _)| (name, "*"));
            format!("{name}: {}", rust_type(&format!("{of}{array}"), types))
        });
        let returns = if returns.trim() == "void" { String::new() } else { rust_type(returns, types) };
        functions.insert(name.to_owned(), (parameters.collect(), returns));
    }
    functions
}

fn without_comments(text: &str) -> String {
    let mut rest = text;
    let mut out = String::new();
    while let Some((before, comment)) = rest.split_once("/*") {
        out.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, behind)| behind);
    }
    out + rest
}

/// Splits `const uint8_t *blob` into `const uint8_t *` and `blob`.
fn split_name(declarator: &str) -> (&str, &str) {
    let declarator = declarator.trim();
    let start = declarator.rfind([' ', '*']).unwrap_or_else(|| panic!("no type: {declarator}"));
    declarator.split_at(start + 1)
}

/// Translates `const uint8_t *` to `*const u8`.
fn rust_type(c: &str, types: &[(&str, &str)]) -> String {
    let stars = c.matches('*').count();
    let words = c.replace('*', " ");
    let (constant, words): (Vec<&str>, Vec<&str>) =
        words.split_whitespace().partition(|word| *word == "const");
    let found = types.iter().find(|(c, _)| [*c] == words[..]);
    let (_, rust) = found.unwrap_or_else(|| panic!("unknown type: {c}"));
    let innermost = if constant.is_empty() { "*mut " } else { "*const " };
    match stars {
        0 => (*rust).to_owned(),
        _ => format!("{}{innermost}{rust}", "*mut ".repeat(stars - 1)),
    }
}

fn of_sources(sources: &[&str]) -> Functions {
    let mut functions = Functions::new();
    // Each has the attribute, or is in a block of the macro `exported`, which gives it to all.
    let blocks = |source: &&str| -> Vec<String> {
        let mut rest = (*source).to_owned();
        let mut found = Vec::new();
        while let Some((before, behind)) = rest.split_once("\nexported!(|caller| {") {
            let (inside, behind) = behind.split_once("\n});\n").unwrap_or_else(|| panic!("no end: {behind}"));
            found.extend(inside.split("\n    fn ").skip(1).map(str::to_owned));
            rest = format!("{before}\n{behind}");
        }
        let attributed = rest.split("#[unsafe(no_mangle)]").skip(1).map(|exported| {
            let function = exported.split_once("extern \"C\" fn ");
            function.unwrap_or_else(|| panic!("no function: {exported}")).1.to_owned()
        });
        found.extend(attributed);
        found
    };
    for function in sources.iter().flat_map(blocks) {
        let (name, rest) = function.split_once('(').unwrap_or_else(|| panic!("no `(`: {function}"));
        let (parameters, rest) = rest.split_once(')').unwrap_or_else(|| panic!("no `)`: {function}"));
        let (returns, _) = rest.split_once('{').unwrap_or_else(|| panic!("no body: {function}"));
        let parameters = parameters.split(',').map(str::trim).filter(|parameter| !parameter.is_empty());
        // The macro exports the error of a result, as C sees it.
        let returns = returns.trim().trim_start_matches("->").trim();
        let error = returns.strip_prefix("Result<(), ").and_then(|rest| rest.strip_suffix('>'));
        let returns = match error.unwrap_or(returns) {
            "()" => "",
            "Failure" => "Status",
            other => other,
        };
        functions.insert(name.to_owned(), (parameters.map(str::to_owned).collect(), returns.to_owned()));
    }
    functions
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: [(&str, &str); 4] =
        [("uint8_t", "u8"), ("size_t", "usize"), ("thing", "Thing"), ("int32_t", "i32")];
    const HEADER: &str = "#define N(x) x\nextern \"C\" {\n/* f(a); */ int32_t f(const uint8_t *a, size_t n,\n  uint8_t out[4]);\n\
        /** Text; text. */\nvoid g(thing **where);\nvoid h(void);\n}\n";
    const RUST: &str = "#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn f(\n a: *const u8,\n n: usize,\n out: *mut u8,\n) -> i32 {}\n\
        #[unsafe(no_mangle)]\npub extern \"C\" fn g(r#where: *mut *mut Thing) {}\n\
        #[unsafe(no_mangle)]\npub extern \"C\" fn h() {}\n";

    #[test]
    fn the_macro_exports_its_functions() {
        let rust = "\nexported!(|caller| {\n    fn f(\n a: *const u8,\n n: usize,\n out: *mut u8,\n) -> Result<(), Failure> {\n    }\n\n    \
                    fn g(w: *mut *mut Thing) -> () {\n    }\n});\n\
                    #[unsafe(no_mangle)]\npub extern \"C\" fn h() {}\n";
        let header = HEADER.replace("**where", "**w");
        let types = TYPES.map(|(c, rust)| (c, if rust == "i32" { "Status" } else { rust }));
        assert_eq!(header_differences(&header, &[rust], &types), Vec::<String>::new());
        let hidden = rust.replace("exported!(", "other!(");
        assert_eq!(header_differences(&header, &[&hidden], &types).len(), 2);
    }

    #[test]
    fn equal_entries_have_no_difference() {
        assert_eq!(header_differences(HEADER, &[&RUST.replace("r#", "")], &TYPES), Vec::<String>::new());
    }

    #[test]
    fn each_difference_is_found() {
        let rust = RUST.replace("r#", "");
        let changes = [
            ("n: usize", "n: u8"),
            ("n: usize", "m: usize"),
            ("a: *const u8", "a: *mut u8"),
            ("-> i32", "-> usize"),
            ("-> i32", ""),
            ("*mut *mut Thing", "*mut Thing"),
            ("fn h()", "fn h(n: usize)"),
            ("fn h()", "fn i()"),
        ];
        for (from, to) in changes {
            let changed = rust.replace(from, to);
            assert_ne!(changed, rust);
            assert!(!header_differences(HEADER, &[&changed], &TYPES).is_empty(), "{from} as {to}");
        }
        assert_eq!(header_differences(HEADER, &[&rust.replace("fn h()", "fn i()")], &TYPES).len(), 2);
    }
}
