//! `libparcrypt`: the C API of the kernels; the caller chooses runtime, threads and backends.
//!
//! Each function is documented in `include/parcrypt.h`, which a test compares with the tables of `exported!`. A new
//! function is declared in the header, and is an entry of the table in the module of its kernel.
//!
//! No argument ends the caller's process: [`status::Answer`] turns panics into a status, pointers are checked before
//! they are dereferenced, and lists whose length the caller chooses are allocated by `memory::list`.
#![allow(unsafe_code, reason = "the C ABI")]

/// Exports a table of functions of the header. An argument is a name with a type of Rust, or with one of these kinds,
/// and becomes one or two parameters in C. The body gets its value, from [`memory`], and the caller's promise about the
/// pointers. C gets a status; with `->` it gets the result of the body. Nothing unwinds into C.
///
/// | kind | parameters in C | value |
/// |---|---|---|
/// | `runtime`, `settings`, `handle(T)` | a handle | what it stands for |
/// | `slot(T)` | a pointer to a handle, which becomes null before anything else is checked | the slot |
/// | `text` | a text | the same |
/// | `bytes(length)`, `numbers(count)` | bytes or numbers of 64 bits, and how many | a slice |
/// | `items(length, SIZE)`, `items(length, SIZE; count)` | the same, of any or of `count` items | a list of slices |
/// | `out(T; N)`, `room(length)` | room for N values, or for bytes | an output |
/// | `flag` | room for a `bool` | an output |
/// | `statuses(count)` | room for the status of each item, and their number | an output |
macro_rules! exported {
    (|$c:ident| { $(fn $name:ident($($args:tt)*) $(-> $answer:ty)? $body:block)* }) => {
        $(exported! { ($name [$($answer)?] $body [] [] []) $c $($args)*, })*
        /// The functions, as [`parcrypt_testkit::header_differences`] reads them.
        #[cfg(test)]
        pub(crate) const DECLARED: &[&str] =
            &[$(exported! { ((declared $name) [$($answer)?] {} [] [] []) $c $($args)*, }),*];
    };
    (($name:ident [] $body:block $p:tt $s:tt $l:tt) $c:ident $(,)?) => {
        exported! { ($name [Result<(), $crate::status::Failure>] { $body; Ok(()) } $p $s $l) $c }
    };
    (
        ($name:ident [$answer:ty] $body:block [$($p:ident: $t:ty,)*] [$($s:tt)*] [$($l:tt)*]) $c:ident $(,)?
    ) => {
        /// See the header.
        ///
        /// # Safety
        /// Each pointer is null or points to what the header requires.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($p: $t),*) -> <$answer as $crate::status::Answer>::InC {
            // SAFETY: the pointers are what the header says, by the promise above.
            let $c = &unsafe { $crate::memory::Caller::new() };
            <$answer as $crate::status::Answer>::of(|| {
                $($s)*
                $($l)*
                $body
            })
        }
    };
    (((declared $name:ident) [$($answer:ty)?] $body:tt [$($p:ident: $t:ty,)*] $s:tt $l:tt) $c:ident $(,)?) => {
        concat!(
            "    fn ", stringify!($name), "(", $(stringify!($p), ": ", stringify!($t), ",",)* ") -> ",
            $(stringify!($answer),)? " {"
        )
    };
    // Adds parameters, what comes first, and what comes then.
    (
        @ ($name:tt $answer:tt $body:tt [$($p:tt)*] [$($s:tt)*] [$($l:tt)*])
        [$($p2:tt)*] [$($s2:tt)*] [$($l2:tt)*] $c:ident $($rest:tt)*
    ) => {
        exported! {
            ($name $answer $body [$($p)* $($p2)*] [$($s)* $($s2)*] [$($l)* $($l2)*]) $c $($rest)*
        }
    };
    ($f:tt $c:ident $x:ident: runtime, $($rest:tt)*) => {
        exported! {
            @ $f [$x: *const $crate::runtime::Runtime,]
            [] [let $x = $c.handle(stringify!($x), $x)?.get();] $c $($rest)*
        }
    };
    ($f:tt $c:ident $x:ident: settings, $($rest:tt)*) => {
        exported! {
            @ $f [$x: *const $crate::settings::Settings,]
            [] [let $x = $c.handle(stringify!($x), $x)?.read()?;] $c $($rest)*
        }
    };
    ($f:tt $c:ident $x:ident: handle($t:ty), $($rest:tt)*) => {
        exported! { @ $f [$x: *const $t,] [] [let $x = $c.handle(stringify!($x), $x)?;] $c $($rest)* }
    };
    ($f:tt $c:ident $x:ident: slot($t:ty), $($rest:tt)*) => {
        exported! { @ $f [$x: *mut *mut $t,] [let $x = $c.slot(stringify!($x), $x)?;] [] $c $($rest)* }
    };
    ($f:tt $c:ident $x:ident: text, $($rest:tt)*) => {
        exported! {
            @ $f [$x: *const std::ffi::c_char,]
            [] [let $x = $c.text(stringify!($x), $x)?;] $c $($rest)*
        }
    };
    ($f:tt $c:ident $x:ident: bytes($n:ident), $($rest:tt)*) => {
        exported! {
            @ $f [$x: *const u8, $n: usize,]
            [] [let $x = $c.input(stringify!($x), $x, $n)?;] $c $($rest)*
        }
    };
    ($f:tt $c:ident $x:ident: numbers($n:ident), $($rest:tt)*) => {
        exported! {
            @ $f [$x: *const u64, $n: usize,]
            [] [let $x = $c.input(stringify!($x), $x, $n)?;] $c $($rest)*
        }
    };
    ($f:tt $c:ident $x:ident: items($n:ident, $size:expr), $($rest:tt)*) => {
        exported! {
            @ $f [$x: *const u8, $n: usize,]
            [] [let $x = $c.items(stringify!($x), $x, $n, $size)?;] $c $($rest)*
        }
    };
    ($f:tt $c:ident $x:ident: items($n:ident, $size:expr; $m:ident), $($rest:tt)*) => {
        exported! {
            @ $f [$x: *const u8, $n: usize,]
            [] [let $x = $c.many_items(stringify!($x), $x, $n, $m, $size)?;] $c $($rest)*
        }
    };
    ($f:tt $c:ident $x:ident: flag, $($rest:tt)*) => {
        exported! { @ $f [$x: *mut bool,] [] [let $x = $c.output(stringify!($x), $x, 1)?;] $c $($rest)* }
    };
    ($f:tt $c:ident $x:ident: out($t:ty; $n:expr), $($rest:tt)*) => {
        exported! { @ $f [$x: *mut $t,] [] [let $x = $c.output(stringify!($x), $x, $n)?;] $c $($rest)* }
    };
    ($f:tt $c:ident $x:ident: room($n:ident), $($rest:tt)*) => {
        exported! {
            @ $f [$x: *mut u8, $n: usize,]
            [] [let $x = $c.output(stringify!($x), $x, $n)?;] $c $($rest)*
        }
    };
    ($f:tt $c:ident $x:ident: statuses($n:ident), $($rest:tt)*) => {
        exported! {
            @ $f [$x: *mut $crate::status::Status, $n: usize,]
            [] [let $x = $c.output(stringify!($x), $x, $n)?;] $c $($rest)*
        }
    };
    ($f:tt $c:ident $x:ident: $t:ty, $($rest:tt)*) => {
        exported! { @ $f [$x: $t,] [] [] $c $($rest)* }
    };
}

pub mod kzg;
pub mod mac;
mod memory;
pub mod msm;
pub mod ntt;
pub mod runtime;
pub mod rw;
pub mod scrypt;
pub mod settings;
pub mod status;

#[cfg(test)]
mod tests {
    use parcrypt_testkit::header_differences;

    const HEADER: &str = include_str!("../include/parcrypt.h");

    #[test]
    fn the_header_and_the_tables_agree() {
        use super::*;
        let tables = [
            kzg::DECLARED,
            mac::DECLARED,
            msm::DECLARED,
            ntt::DECLARED,
            runtime::DECLARED,
            rw::DECLARED,
            scrypt::DECLARED,
            settings::DECLARED,
        ];
        let table = format!("\nexported!(|caller| {{\n{}\n}});\n", tables.concat().join("\n"));
        // As tokens are written.
        let table = table.replace(" :: ", "::").replace("* ", "*");
        let paths = ["$crate::", "crate::", "status::", "runtime::", "settings::", "std::ffi::"];
        let table = paths.iter().fold(table, |table, path| table.replace(path, ""));
        let table = table.replace("->  {", "-> Status {");
        let types = [
            ("bool", "bool"),
            ("char", "c_char"),
            ("int32_t", "i32"),
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
        let sources = [&table[..], include_str!("status.rs")];
        assert_eq!(header_differences(HEADER, &sources, &types), Vec::<String>::new());
    }

    #[test]
    fn the_header_has_the_version_of_the_library() {
        let line = format!("#define PARCRYPT_VERSION \"{}\"\n", env!("CARGO_PKG_VERSION"));
        assert!(HEADER.contains(&line));
    }
}
