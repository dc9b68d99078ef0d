//! Machines that lack what others have, for tests of commands: each starts a command on this one without it. Linux
//! only.

use std::process::{Command, Stdio};

/// What a machine lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadMachine {
    /// The system refuses to bind a thread to processors (EPERM), as in some sandboxes.
    Affinity,
    /// No file system has locks (ENOLCK), as in some network file systems.
    Locks,
    /// `/proc` is empty.
    Proc,
    /// `/sys` is empty.
    Sys,
    /// There is one processor.
    OneProcessor,
    /// The home folder is on a file system that is read-only.
    ReadOnlyHome,
    /// No variable names a home folder.
    Homeless,
}

impl BadMachine {
    /// The home folder that is read-only.
    pub const HOME: &str = "/srv";
    /// All of them.
    pub const ALL: [BadMachine; 7] = {
        use BadMachine::*;
        [Affinity, Locks, Proc, Sys, OneProcessor, ReadOnlyHome, Homeless]
    };

    /// Returns the command on such a machine; `None`, and prints a line, if this one cannot be made one.
    ///
    /// The command's folder and variables are kept.
    pub fn with(self, command: &Command) -> Option<Command> {
        let words = self.words();
        let start = || {
            let mut start = Command::new(&words[0]);
            start.args(&words[1..]);
            start
        };
        let tried = start().arg("true").stdin(Stdio::null()).stderr(Stdio::null()).status();
        if !tried.is_ok_and(|status| status.success()) {
            crate::skip("parcrypt-testkit", &format!("{self:?}"), &format!("`{}` failed", words[0]));
            return None;
        }
        let mut bad = start();
        bad.arg(command.get_program()).args(command.get_args()).stdin(Stdio::null());
        if let Some(folder) = command.get_current_dir() {
            bad.current_dir(folder);
        }
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => bad.env(name, value),
                None => bad.env_remove(name),
            };
        }
        Some(bad)
    }

    /// Returns the words before a command.
    fn words(self) -> Vec<String> {
        let words: &[&str] = match self {
            BadMachine::Affinity => &["python3", "-c", REFUSE, numbers()[0], "1"],
            BadMachine::Locks => &["python3", "-c", REFUSE, numbers()[1], "37"],
            BadMachine::Proc => &["unshare", "-rm", "sh", "-c", EMPTY, "/proc"],
            BadMachine::Sys => &["unshare", "-rm", "sh", "-c", EMPTY, "/sys"],
            BadMachine::OneProcessor => &["sh", "-c", ONE],
            BadMachine::ReadOnlyHome => &["unshare", "-rm", "sh", "-c", READ_ONLY_HOME, Self::HOME],
            BadMachine::Homeless => &["env", "-u", "HOME", "-u", "XDG_CONFIG_HOME"],
        };
        let words = words.iter().map(|&word| word.to_owned());
        // `sh` names what follows from $0 on.
        words.chain((self == BadMachine::OneProcessor).then(|| "sh".to_owned())).collect()
    }
}

/// Returns the numbers of the calls sched_setaffinity and flock.
fn numbers() -> [&'static str; 2] {
    if cfg!(target_arch = "x86_64") { ["203", "73"] } else { ["122", "32"] }
}

/// Makes a call of the system fail by a filter (seccomp(2)), and becomes the command.
const REFUSE: &str = r#"
import ctypes, os, struct, sys
number, errno = int(sys.argv[1]), int(sys.argv[2])
LOAD, IF_EQUAL, RETURN = 0x20, 0x15, 0x06
steps = [(LOAD, 0, 0, 0), (IF_EQUAL, 0, 1, number), (RETURN, 0, 0, 0x50000 | errno), (RETURN, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code)))
libc = ctypes.CDLL(None)
NO_NEW_PRIVS, SECCOMP, FILTER = 38, 22, 2
if libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(SECCOMP, FILTER, program, 0, 0):
    sys.exit("no filter")
os.execvp(sys.argv[3], sys.argv[3:])
"#;

/// Covers the folder $0 in a mount namespace, and becomes the command.
const EMPTY: &str = r#"mount -t tmpfs none "$0" && exec "$@""#;
const READ_ONLY_HOME: &str =
    r#"mount -t tmpfs -o ro none "$0" && unset XDG_CONFIG_HOME && HOME=$0 exec "$@""#;
/// The first processor that is allowed here.
const ONE: &str =
    r#"exec taskset -c "$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)" "$@""#;

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn each_machine_lacks_what_it_says() {
        for machine in BadMachine::ALL {
            // Succeeds only on a machine that has it.
            let script = match machine {
                BadMachine::Affinity => "taskset -p -c 0 $$",
                BadMachine::Locks => "flock -n . true",
                BadMachine::Proc => "test -e /proc/self",
                BadMachine::Sys => "test -e /sys/devices",
                BadMachine::OneProcessor => "test $(nproc) -gt 1",
                BadMachine::ReadOnlyHome => "touch $HOME/file && rm $HOME/file",
                BadMachine::Homeless => "test -n \"$HOME$XDG_CONFIG_HOME\"",
            };
            let mut command = Command::new("sh");
            command.args(["-c", script]).stdout(Stdio::null()).stderr(Stdio::null());
            let Some(mut bad) = machine.with(&command) else { continue };
            let status = bad.stdout(Stdio::null()).stderr(Stdio::null()).status();
            assert!(!status.unwrap().success(), "{machine:?}");
        }
    }
}
