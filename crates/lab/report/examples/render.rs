//! Writes the page and the figures of a record to a folder, without the command and its kernels:
//! `cargo run -p parcrypt-report --example render docs/results/quick.json.gz target/render`.
#![allow(clippy::unwrap_used, reason = "an example fails by a panic")]

use std::path::PathBuf;

use parcrypt_lab::record::Record;
use parcrypt_report::{Overwrite, html, write_plots};

fn main() {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [record, folder] = &paths[..] else { panic!("usage: render RECORD DIR") };
    let record = Record::read(record).unwrap();
    let written = write_plots(&record, folder, Overwrite::Reports).unwrap();
    let page = folder.join("page.html");
    std::fs::write(&page, html(&[record])).unwrap();
    println!("{} and {} figures beside it", page.display(), written.plots);
}
