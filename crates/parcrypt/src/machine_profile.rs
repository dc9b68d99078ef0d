//! The profile that was handed over, by an environment variable that is read only here.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use parcrypt_profile::ProfileError;
pub(crate) use parcrypt_profile::{Identity, MachineProfile, to_toml};

/// The environment variable with the path of the profile.
pub(crate) const ENVIRONMENT: &str = "PARCRYPT_PROFILE";

/// Reason why a profile cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A candidate of a benchmark runs in another folder, where a relative path names another file.
    #[error(
        "{ENVIRONMENT}={}: relative path, but candidates may run in another folder: give the absolute path",
        .0.display()
    )]
    Relative(PathBuf),
    /// The file is missing, is not a profile, or is one of another machine.
    #[error(transparent)]
    File(#[from] ProfileError),
}

/// Reads a profile of this machine, whose path must be absolute.
pub(crate) fn read(path: &Path) -> Result<MachineProfile, Error> {
    if path.is_relative() {
        return Err(Error::Relative(path.to_owned()));
    }
    Ok(parcrypt_profile::read(path, &Identity::here())?)
}

/// Returns the profile that the environment hands over; it is read once.
pub(crate) fn from_environment() -> Result<Option<&'static MachineProfile>, &'static Error> {
    static HANDED: OnceLock<Result<Option<MachineProfile>, Error>> = OnceLock::new();
    let handed = HANDED.get_or_init(|| environment().map(|path| read(&path)).transpose());
    handed.as_ref().map(Option::as_ref)
}

/// Returns the path that the environment has, if it is set.
pub(crate) fn environment() -> Option<PathBuf> {
    std::env::var_os(ENVIRONMENT).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Returns the path where `parcrypt tune` writes, by the XDG base directory specification; `None` without a home.
pub(crate) fn default_path() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
    Some(config?.join("parcrypt").join("machine.toml"))
}
