//! Exporters, one for each format.

pub(crate) mod csv;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod screen;
pub(crate) mod svg;
