//! The profile that was handed over, by an environment variable that is read only here.

use std::path::PathBuf;
use std::sync::OnceLock;

pub(crate) use parcrypt_profile::{Identity, LoadedProfile, ProfileError, read, text};

/// The environment variable with the path of the profile.
pub(crate) const ENVIRONMENT: &str = "PARCRYPT_PROFILE";

/// Returns the profile that the environment hands over; it is read once.
///
/// # Errors
/// Those of [`read`].
pub(crate) fn from_environment() -> Result<Option<&'static LoadedProfile>, &'static ProfileError> {
    static HANDED: OnceLock<Result<Option<LoadedProfile>, ProfileError>> = OnceLock::new();
    let handed = HANDED.get_or_init(|| environment().map(|path| read(&path, &Identity::here())).transpose());
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
