//! The limits of the control groups of this process, versions 1 and 2.
//!
//! The limits of all groups from the process's own up to the root apply, so the least counts. The paths follow
//! `cgroups(7)`; the files follow the kernel's `admin-guide/cgroup-v2.rst` and `admin-guide/cgroup-v1/memory.rst`.

use std::path::{Path, PathBuf};

use crate::files::Files;

/// The hierarchy of a folder: the two name their files differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// Returns the folders that limit `controller` for this process, its own first.
fn folders(files: &impl Files, controller: &str) -> Vec<(Version, PathBuf)> {
    let groups = files.text(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let mounts = files.text(Path::new("/proc/self/mountinfo")).unwrap_or_default();
    let mut all = Vec::new();
    for version in [Version::One, Version::Two] {
        let Some(group) = own_group(&groups, version, controller) else { continue };
        let Some((root, point)) = mounts.lines().find_map(|line| mount(line, version, controller)) else {
            continue;
        };
        // In a container the mount can show a part of the hierarchy only, and the group's path can lie outside of it.
        let below = Path::new(group).strip_prefix(&root).unwrap_or(Path::new(""));
        let leaf = Path::new(&point).join(below);
        all.extend(
            leaf.ancestors().take_while(|f| f.starts_with(&point)).map(|f| (version, f.to_path_buf())),
        );
    }
    all
}

/// Returns the path of the process's group from `/proc/self/cgroup`, whose lines are `id:controllers:path`.
fn own_group<'a>(groups: &'a str, version: Version, controller: &str) -> Option<&'a str> {
    groups.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (id, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let ours = match version {
            Version::One => controllers.split(',').any(|c| c == controller),
            Version::Two => id == "0" && controllers.is_empty(),
        };
        (ours && path.starts_with('/') && !path.split('/').any(|p| p == "..")).then_some(path)
    })
}

/// Returns root and mount point from a line of `/proc/self/mountinfo`, where the line is the hierarchy's (`proc(5)`):
/// `id parent device root point options… - type source super-options`.
fn mount(line: &str, version: Version, controller: &str) -> Option<(String, String)> {
    let (left, right) = line.split_once(" - ")?;
    let mut left = left.split(' ').skip(3);
    let (root, point) = (left.next()?, left.next()?);
    let mut right = right.split(' ');
    let (kind, _source, options) = (right.next()?, right.next()?, right.next().unwrap_or(""));
    let ours = match version {
        Version::One => kind == "cgroup" && options.split(',').any(|o| o == controller),
        Version::Two => kind == "cgroup2",
    };
    ours.then(|| (unescape(root), unescape(point)))
}

/// Returns a text of `mountinfo` without its escapes: space, tab, newline and backslash as three octal digits.
fn unescape(text: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .into_iter()
        .fold(text.to_owned(), |text, (escape, plain)| text.replace(escape, plain))
}

/// Returns the quota of the groups in cores, as `1.5`; `None` without a limit.
pub(crate) fn quota(files: &impl Files) -> Option<f64> {
    let of = |(version, folder): (Version, PathBuf)| match version {
        Version::One => ratio(
            &files.line(folder.join("cpu.cfs_quota_us"))?,
            &files.line(folder.join("cpu.cfs_period_us"))?,
        ),
        Version::Two => {
            let text = files.line(folder.join("cpu.max"))?;
            let mut parts = text.split_whitespace();
            ratio(parts.next()?, parts.next().unwrap_or("100000"))
        }
    };
    folders(files, "cpu").into_iter().filter_map(of).min_by(f64::total_cmp)
}

/// Returns quota over period, both in microseconds. `max` (version 2) and `-1` (version 1) are no limit.
fn ratio(quota: &str, period: &str) -> Option<f64> {
    let (quota, period) = (quota.parse::<u32>().ok()?, period.parse::<u32>().ok()?);
    (quota > 0 && period > 0).then(|| f64::from(quota) / f64::from(period))
}

/// A limit on memory and the remainder below it, in bytes.
pub(crate) struct Memory {
    /// The least limit.
    pub(crate) limit: u64,
    /// The least remainder below any limit.
    pub(crate) left: u64,
}

/// Returns the memory that the groups allow; `None` without a limit.
///
/// The page cache that the kernel can drop at once (`inactive_file`) counts as free, as it does in `MemAvailable`.
pub(crate) fn memory(files: &impl Files) -> Option<Memory> {
    let of = |(version, folder): (Version, PathBuf)| {
        let (limit, usage, dropped) = match version {
            Version::One => ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
            Version::Two => ("memory.max", "memory.current", "inactive_file"),
        };
        // Version 1 writes 'no limit' as the greatest multiple of the page's size below 2^63.
        let limit = files.number(folder.join(limit)).filter(|&l| l < 1 << 62)?;
        let usage = files.number(folder.join(usage)).unwrap_or(0);
        let stat = files.text(&folder.join("memory.stat")).unwrap_or_default();
        let dropped =
            stat.lines().find_map(|line| line.strip_prefix(dropped)?.trim().parse::<u64>().ok()).unwrap_or(0);
        Some(Memory { limit, left: limit.saturating_sub(usage.saturating_sub(dropped)) })
    };
    folders(files, "memory")
        .into_iter()
        .filter_map(of)
        .reduce(|a, b| Memory { limit: a.limit.min(b.limit), left: a.left.min(b.left) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::tests::made;

    const MOUNT_2: &str = "24 1 0:22 / /sys rw - sysfs sysfs rw\n\
        35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

    /// Returns the quota, and the limit of memory with the remainder below it.
    fn limits<const N: usize>(files: [(&'static str, &'static str); N]) -> (Option<f64>, Option<[u64; 2]>) {
        let files = made(files);
        (quota(&files), memory(&files).map(|memory| [memory.limit, memory.left]))
    }

    #[test]
    fn version_2_takes_the_least_up_to_the_root() {
        let found = limits([
            ("/proc/self/cgroup", "0::/a/b\n"),
            ("/proc/self/mountinfo", MOUNT_2),
            ("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n"),
            ("/sys/fs/cgroup/a/cpu.max", "150000 100000\n"),
            ("/sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("/sys/fs/cgroup/a/memory.max", "1000\n"),
            ("/sys/fs/cgroup/a/memory.current", "700\n"),
            ("/sys/fs/cgroup/a/memory.stat", "anon 5\nfile 6\ninactive_file 200\n"),
            ("/sys/fs/cgroup/memory.max", "2000\n"),
            ("/sys/fs/cgroup/memory.current", "1900\n"),
        ]);
        assert_eq!(found, (Some(1.5), Some([1000, 100])));
        // A group outside of the mount is taken at the mount.
        let outside = limits([
            ("/proc/self/cgroup", "0::/system.slice/x\n"),
            ("/proc/self/mountinfo", "35 24 0:30 /other /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
            ("/sys/fs/cgroup/cpu.max", "200000 100000\n"),
        ]);
        assert_eq!(outside, (Some(2.0), None));
    }

    #[test]
    fn version_1_reads_its_own_names() {
        let of = |quota, limit, usage| {
            limits([
                ("/proc/self/cgroup", "4:memory:/docker/x\n2:cpu,cpuacct:/docker/x\n0::/\n"),
                (
                    "/proc/self/mountinfo",
                    "35 31 0:32 /docker/x /cg\\040/memory rw - cgroup cgroup rw,memory\n\
                     32 31 0:29 /docker/x /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n",
                ),
                ("/cg/cpu/cpu.cfs_quota_us", quota),
                ("/cg/cpu/cpu.cfs_period_us", "100000\n"),
                ("/cg /memory/memory.limit_in_bytes", limit),
                ("/cg /memory/memory.usage_in_bytes", usage),
            ])
        };
        assert_eq!(of("50000\n", "4096\n", "8192\n"), (Some(0.5), Some([4096, 0])));
        assert_eq!(of("-1\n", "9223372036854771712\n", "1\n"), (None, None), "no limit");
    }

    #[test]
    fn malformed_files_are_unknown_facts() {
        for groups in ["", "0", "0:", "::", "0::", "0::relative", "0::/../..", "x:memory", "\u{0}:\u{0}"] {
            for mounts in ["", " - ", "1 2 3 - cgroup2", "1 2 3 4 5 - cgroup2 x", "- - - - - -"] {
                let found = limits([
                    ("/proc/self/cgroup", groups),
                    ("/proc/self/mountinfo", mounts),
                    ("5/cpu.max", "0 0"),
                    ("5/memory.max", "-7"),
                ]);
                assert_eq!(found, (None, None), "{groups:?} {mounts:?}");
            }
        }
        for text in ["", "max", "0 100000", "5 0", "a b", "-1 100000", "99999999999 1"] {
            let found = limits([
                ("/proc/self/cgroup", "0::/"),
                ("/proc/self/mountinfo", MOUNT_2),
                ("/sys/fs/cgroup/cpu.max", text),
                ("/sys/fs/cgroup/memory.max", text),
            ]);
            assert_eq!(found, (None, None), "{text:?}");
        }
    }
}
