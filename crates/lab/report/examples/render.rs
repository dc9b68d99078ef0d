//! Writes the page and the figures of a record to a folder, without the command and its kernels:
//! `cargo run -p parcrypt-report --example render docs/results/quick.json.gz target/render`.
#![allow(clippy::unwrap_used, reason = "an example fails by a panic")]

use std::path::PathBuf;

use parcrypt_lab::record::Record;
use parcrypt_report::{Format, Output, Overwrite, write};

fn main() {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [path, folder] = &paths[..] else { panic!("usage: render RECORD DIR") };
    let record = Record::read(path).unwrap();
    let page = folder.join("page.html");
    for output in [Output::Figures(folder), Output::File(Format::Html, &page)] {
        write(&[(&record, path)], &output, Overwrite::Reports).unwrap();
    }
    println!("{} and its figures", page.display());
}
