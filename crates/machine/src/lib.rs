//! Facts about a machine that bound speed: processor, caches, memory, limits of control groups, system.
//!
//! ```
//! let machine = parcrypt_machine::Machine::detect();
//! println!("{} on {}", machine.processor, machine.system);
//! ```
//!
//! It is for records and for `parcrypt doctor`; kernels do not use it. It depends on no other crate of the workspace.

mod cgroup;
mod files;
#[cfg(any(test, target_arch = "x86", target_arch = "x86_64"))]
mod generation;

use std::path::Path;

use files::{Files, Here};

/// Returns the bytes that this process can still allocate without swapping or being killed; `None` if they are unknown.
///
/// On Linux it is the least of `MemAvailable` (`proc(5)`), in which page cache that can be dropped counts as free, the
/// remainders below the limits of the cgroups, version 1 or 2, and the address space below its limit (`ulimit -v`).
/// Other threads change it: each that starts reserves address space, 8 MiB for its stack and up to 128 MiB for the heap
/// that glibc gives it.
pub fn memory_available() -> Option<u64> {
    available(&Here)
}

fn available(files: &impl Files) -> Option<u64> {
    let free = files.text(Path::new("/proc/meminfo")).and_then(|t| meminfo(&t, "MemAvailable"));
    let left = cgroup::memory(files).map(|m| m.left);
    free.into_iter().chain(left).chain(address_space(files)).min()
}

fn address_space(files: &impl Files) -> Option<u64> {
    let limits = files.text(Path::new("/proc/self/limits"))?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let most: u64 = limit.split_whitespace().next()?.parse().ok()?;
    let used = meminfo(&files.text(Path::new("/proc/self/status"))?, "VmSize")?;
    Some(most.saturating_sub(used))
}

/// One cache of the first core.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cache {
    /// The usual short name: `L1d`, `L1i`, `L2`.
    pub name: String,
    /// Bytes of one instance.
    pub bytes: u64,
    /// Online cores (hardware threads) that share one instance; `None` if unknown.
    pub shared_by: Option<usize>,
}

/// The known facts about this machine; an unknown one is `None` or empty.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Machine {
    /// The processor's brand string, or the architecture if it has none. A string without the number of a model is
    /// followed by the generation, as `AMD EPYC (Zen 5)`: virtual machines hide the model.
    pub processor: String,
    /// Target architecture as Rust names it, as `x86_64`.
    pub arch: &'static str,
    /// Cores (hardware threads) that are online.
    pub cores_online: Option<usize>,
    /// Cores that the affinity mask and the cpuset allow to the calling thread.
    pub cores_allowed: Option<usize>,
    /// The least CPU quota of the cgroups in cores, as `1.5`; `None` also where there is no quota.
    pub quota: Option<f64>,
    /// Physical memory in bytes.
    pub memory: Option<u64>,
    /// The least memory limit of the cgroups in bytes; `None` also where there is no limit.
    pub memory_limit: Option<u64>,
    /// Bytes that can be allocated, as [`memory_available`] returns.
    pub memory_available: Option<u64>,
    /// Caches of the first core, nearest first.
    pub caches: Vec<Cache>,
    /// The operating system's name, as `Debian GNU/Linux 12 (bookworm)`.
    pub system: String,
    /// The kernel and its release, as `Linux 6.18.44`.
    pub kernel: Option<String>,
    /// The hypervisor, as `KVM`, or `unknown` for one without a name; `None` if none is detected.
    pub hypervisor: Option<String>,
}

impl Machine {
    /// Returns the facts about this machine. It reads about a dozen small files and never fails.
    pub fn detect() -> Self {
        Machine::read(&Here)
    }

    fn read(files: &impl Files) -> Self {
        let text = |path: &str| files.text(Path::new(path)).unwrap_or_default();
        let cpuinfo = text("/proc/cpuinfo");
        let memory = text("/proc/meminfo");
        let (brand, shown) = cpuid();
        let processor = brand
            .or_else(|| processor_name(&cpuinfo))
            .or_else(|| files.line("/proc/device-tree/model"))
            .unwrap_or_else(|| std::env::consts::ARCH.to_owned());
        let kernel = match (files.line("/proc/sys/kernel/ostype"), files.line("/proc/sys/kernel/osrelease")) {
            (Some(name), Some(release)) => Some(format!("{name} {release}")),
            (name, release) => name.or(release),
        };
        Machine {
            processor,
            arch: std::env::consts::ARCH,
            cores_online: files.line("/sys/devices/system/cpu/online").and_then(|l| count(&l)),
            cores_allowed: field(&text("/proc/thread-self/status"), "Cpus_allowed_list").and_then(count),
            quota: cgroup::quota(files),
            memory: meminfo(&memory, "MemTotal"),
            memory_limit: cgroup::memory(files).map(|m| m.limit),
            memory_available: available(files),
            caches: caches(files),
            system: system(&text("/etc/os-release")).unwrap_or_else(|| std::env::consts::OS.to_owned()),
            kernel,
            hypervisor: shown.or_else(|| files.line("/sys/hypervisor/type")),
        }
    }
}

/// Returns brand string, with the generation if the string does not tell it, and hypervisor from the instruction CPUID.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn cpuid() -> (Option<String>, Option<String>) {
    let cpuid = raw_cpuid::CpuId::new();
    let brand = cpuid
        .get_processor_brand_string()
        .map(|b| b.as_str().split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|b| !b.is_empty());
    let vendor = cpuid.get_vendor_info();
    let known = vendor.zip(cpuid.get_feature_info());
    let known = known.and_then(|(v, f)| generation::generation(v.as_str(), f.family_id(), f.model_id()));
    let brand = brand.map(|brand| generation::with_generation(brand, known));
    let hypervisor = cpuid.get_feature_info().filter(|f| f.has_hypervisor()).map(|_| {
        match cpuid.get_hypervisor_info().map(|h| h.identify()) {
            None | Some(raw_cpuid::Hypervisor::Unknown(..)) => "unknown".to_owned(),
            Some(known) => format!("{known:?}"),
        }
    });
    (brand, hypervisor)
}

/// Returns nothing: other architectures have no such instruction.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn cpuid() -> (Option<String>, Option<String>) {
    (None, None)
}

/// Returns the value of the first line `name : value` or `name: value`, trimmed; `None` if it is missing or empty.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find_map(|(key, value)| (key.trim() == name).then_some(value.trim()))
        .filter(|value| !value.is_empty())
}

/// Returns the processor's name in `/proc/cpuinfo`, whose keys differ between architectures.
fn processor_name(cpuinfo: &str) -> Option<String> {
    ["model name", "uarch", "cpu model", "Processor", "cpu", "isa"]
        .iter()
        .find_map(|key| field(cpuinfo, key))
        .map(str::to_owned)
}

/// Returns a value of `/proc/meminfo`, in bytes; the file counts in units of 1024 bytes that it calls kB.
fn meminfo(text: &str, name: &str) -> Option<u64> {
    let mut words = field(text, name)?.split_whitespace();
    let number: u64 = words.next()?.parse().ok()?;
    match (words.next(), words.next()) {
        (Some("kB"), None) => number.checked_mul(1024),
        _ => None,
    }
}

/// Returns the number of cores in a list such as `0-3,8`; `None` for an empty or invalid list.
fn count(list: &str) -> Option<usize> {
    let mut all = 0usize;
    for part in list.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        all = all.checked_add(last.checked_sub(first)?.checked_add(1)?)?;
    }
    Some(all)
}

/// Returns the caches of the first core from sysfs, nearest first.
fn caches(files: &impl Files) -> Vec<Cache> {
    let mut all: Vec<Cache> = (0..16)
        .filter_map(|index| {
            let of = |name| files.line(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}"));
            let kind = match of("type")?.as_str() {
                "Data" => "d",
                "Instruction" => "i",
                "Unified" => "",
                _ => return None,
            };
            Some(Cache {
                name: format!("L{}{kind}", of("level")?.parse::<u8>().ok()?),
                bytes: cache_bytes(&of("size")?)?,
                shared_by: of("shared_cpu_list").and_then(|list| count(&list)),
            })
        })
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// Returns the bytes of a size as sysfs writes it: `48K`, `32M`, or plain bytes.
fn cache_bytes(text: &str) -> Option<u64> {
    let (digits, unit) = match text.strip_suffix(['K', 'M', 'G']) {
        Some(digits) if text.ends_with('K') => (digits, 1 << 10),
        Some(digits) if text.ends_with('M') => (digits, 1 << 20),
        Some(digits) => (digits, 1 << 30),
        None => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit).filter(|&b| b > 0)
}

/// Returns `PRETTY_NAME`, or else `NAME`, of `os-release(5)`, without quotes.
fn system(text: &str) -> Option<String> {
    ["PRETTY_NAME=", "NAME="].iter().find_map(|key| {
        let value = text.lines().find_map(|line| line.trim().strip_prefix(key))?;
        let name = value.trim().trim_matches(['"', '\'']).trim();
        (!name.is_empty()).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::tests::made;

    #[test]
    fn this_machine_is_consistent() {
        let machine = Machine::detect();
        println!("{machine:#?}");
        assert!(!machine.processor.is_empty() && !machine.system.is_empty());
        if let (Some(online), Some(allowed)) = (machine.cores_online, machine.cores_allowed) {
            assert!(allowed <= online);
        }
        if let (Some(all), Some(free)) = (machine.memory, machine.memory_available) {
            assert!(free <= all);
        }
        if cfg!(target_os = "linux") {
            assert!(machine.memory_available.is_some_and(|free| free > 0));
        }
    }

    #[test]
    fn an_empty_machine_is_known_by_its_target() {
        let machine = Machine::read(&made([]));
        assert_eq!(machine.system, std::env::consts::OS);
        assert!(machine.caches.is_empty());
        assert_eq!((machine.memory, machine.memory_available, machine.quota), (None, None, None));
        assert_eq!((machine.cores_online, machine.cores_allowed, machine.kernel), (None, None, None));
    }

    #[test]
    fn memory_is_the_least_of_the_free_memory_and_the_groups_remainder() {
        let files = made([
            ("/proc/meminfo", "MemTotal:  100 kB\nMemFree: 1 kB\nMemAvailable:     64 kB\n"),
            ("/proc/self/cgroup", "0::/\n"),
            ("/proc/self/mountinfo", "35 24 0:30 / /g rw - cgroup2 cgroup2 rw\n"),
            ("/g/memory.max", "5000\n"),
            ("/g/memory.current", "1000\n"),
        ]);
        let machine = Machine::read(&files);
        assert_eq!(machine.memory, Some(102_400));
        assert_eq!(machine.memory_available, Some(4000));
        assert_eq!(machine.memory_limit, Some(5000));
        assert_eq!(available(&made([("/proc/meminfo", "MemAvailable: 64 kB")])), Some(65_536));
    }

    #[test]
    fn memory_is_at_most_what_the_limit_of_the_address_space_leaves() {
        for (limits, status, left) in [
            ("Max address space   51200   unlimited   bytes\n", "VmSize: 40 kB\n", Some(10_240)),
            ("Max address space   51200   51200   bytes\n", "VmSize: 60 kB\n", Some(0)),
            ("Max address space   unlimited   unlimited   bytes\n", "VmSize: 40 kB\n", None),
            ("", "", None),
            ("Max address space", "VmSize: 1 kB", None),
            ("Max address space 5 5 bytes", "VmRSS: 1 kB", None),
        ] {
            let files = made([
                ("/proc/meminfo", "MemAvailable: 64 kB"),
                ("/proc/self/limits", limits),
                ("/proc/self/status", status),
            ]);
            assert_eq!(address_space(&files), left, "{limits}");
            assert_eq!(available(&files), left.or(Some(65_536)), "{limits}");
        }
    }

    #[test]
    fn invalid_memory_lines() {
        for text in
            ["", "MemTotal", "MemTotal:", "MemTotal: kB", "MemTotal: -1 kB", "MemTotal: 1", "MemTotal: 1 MB"]
        {
            assert_eq!(meminfo(text, "MemTotal"), None, "{text:?}");
        }
        assert_eq!(meminfo("MemTotal: 18446744073709551615 kB", "MemTotal"), None);
        assert_eq!(meminfo("XMemTotal: 2 kB\nMemTotal: 1 kB", "MemTotal"), Some(1024));
    }

    #[test]
    fn lists_of_cores() {
        for (list, cores) in [("0", 1), ("0-3", 4), ("0-3,8,10-11\n", 7), (" 5-5 ", 1)] {
            assert_eq!(count(list), Some(cores), "{list:?}");
        }
        for odd in ["", ",", "0-", "-3", "3-0", "a", "0-1-2", "0,,1", "0-18446744073709551615"] {
            assert_eq!(count(odd), None, "{odd:?}");
        }
    }

    #[test]
    fn sizes_of_caches() {
        for (text, bytes) in [("48K", 49_152), ("32768K", 33_554_432), ("2M", 2_097_152), ("512", 512)] {
            assert_eq!(cache_bytes(text), Some(bytes), "{text:?}");
        }
        for odd in ["", "K", "0K", "-1K", "1T", "1.5M", "99999999999999999999K", "18446744073709551615G"] {
            assert_eq!(cache_bytes(odd), None, "{odd:?}");
        }
        let files = made([
            ("/sys/devices/system/cpu/cpu0/cache/index0/level", "2\n"),
            ("/sys/devices/system/cpu/cpu0/cache/index0/type", "Unified\n"),
            ("/sys/devices/system/cpu/cpu0/cache/index0/size", "1024K\n"),
            ("/sys/devices/system/cpu/cpu0/cache/index1/level", "1\n"),
            ("/sys/devices/system/cpu/cpu0/cache/index1/type", "Data\n"),
            ("/sys/devices/system/cpu/cpu0/cache/index1/size", "48K\n"),
            ("/sys/devices/system/cpu/cpu0/cache/index1/shared_cpu_list", "0,4\n"),
            ("/sys/devices/system/cpu/cpu0/cache/index3/level", "1000\n"),
        ]);
        let found = caches(&files);
        assert_eq!(found.iter().map(|cache| &cache.name[..]).collect::<Vec<_>>(), ["L1d", "L2"]);
        assert_eq!((found[0].shared_by, found[1].shared_by), (Some(2), None));
    }

    #[test]
    fn names() {
        assert_eq!(processor_name("processor : 0\nmodel name\t: A  B\n").as_deref(), Some("A  B"));
        assert_eq!(processor_name("hart : 0\nisa : rv64imafdcv\n").as_deref(), Some("rv64imafdcv"));
        assert_eq!(processor_name("model name :\n"), None);
        let model = |text| made([("/model", text)]).line("/model");
        assert_eq!((model("Board X\0").as_deref(), model("\0")), (Some("Board X"), None));
        assert_eq!(system("NAME=a\nPRETTY_NAME=\"a 1\"\n").as_deref(), Some("a 1"));
        assert_eq!(system("PRETTY_NAME=\"\"\nNAME='b'").as_deref(), Some("b"));
        for odd in ["", "PRETTY_NAME", "NAME=", "NAME=\""] {
            assert_eq!(system(odd), None, "{odd:?}");
        }
    }
}
