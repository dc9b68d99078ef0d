//! Stacks of functions from snapshots of threads.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use framehop::{CacheNative, MayAllocateDuringUnwind, Module, Unwinder, UnwinderNative};
use nix::unistd::Pid;
use procfs::process::{MMPermissions, MMapPath, Process};

use super::binary::Binary;
use super::stop::{Snapshot, memory};

/// Maximum number of functions of a stack that are looked for, before calls of a function by itself are put together.
const MAX_FRAMES: usize = 1024;
/// Maximum length of the vDSO in bytes.
const MAX_VDSO: u64 = 1 << 20;
/// Name of what called the outermost function that is known.
const CUT: &str = "(callers not known)";
/// Name of code that is in no file, such as what is compiled while a program runs.
const NO_FILE: &str = "(code that is in no file)";

/// A function of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Frame {
    /// Its file, and its number there if it has a name.
    Known(usize, Option<usize>),
    /// It is in no file.
    NoFile,
    /// Where a stack was not unwound to its end.
    Cut,
}

/// The files of all processes.
#[derive(Default)]
pub(super) struct Binaries {
    all: Vec<Arc<Binary>>,
    /// Numbers of those that were opened, by path and number of the file; `None` if one cannot be used.
    opened: HashMap<(PathBuf, u64), Option<usize>>,
    cache: CacheNative<MayAllocateDuringUnwind>,
}

impl Binaries {
    /// Returns the number of the file of a mapping.
    fn of(&mut self, process: Pid, path: &MMapPath, inode: u64, addresses: &Range<u64>) -> Option<usize> {
        let (key, read): (_, &dyn Fn() -> Option<Binary>) = match path {
            MMapPath::Path(path) => ((path.clone(), inode), &|| Binary::open(path, inode)),
            MMapPath::Vdso => ((PathBuf::new(), 0), &|| {
                let length = (addresses.end - addresses.start).min(MAX_VDSO);
                Binary::parse("vdso", &memory(process, addresses.start, length as usize))
            }),
            _ => return None,
        };
        if let Some(known) = self.opened.get(&key) {
            return *known;
        }
        let number = read().map(|binary| {
            self.all.push(Arc::new(binary));
            self.all.len() - 1
        });
        self.opened.insert(key, number);
        number
    }

    /// Returns the name of a function.
    pub(super) fn name(&self, frame: Frame) -> String {
        match frame {
            Frame::Known(binary, function) => self.all[binary].name(function),
            Frame::NoFile => NO_FILE.to_owned(),
            Frame::Cut => CUT.to_owned(),
        }
    }
}

/// The code in a process, from one exec to the next.
pub(super) struct Image {
    unwinder: UnwinderNative<Arc<[u8]>, MayAllocateDuringUnwind>,
    parts: Vec<Part>,
}

/// Addresses in the functions of a stack.
pub(super) struct Unwound {
    /// From the innermost to the outermost.
    addresses: Vec<u64>,
    /// Whether the outermost is that with which the thread began.
    is_whole: bool,
}

/// A mapping with code.
struct Part {
    addresses: Range<u64>,
    /// The number of its file, and what was added to the file's addresses.
    file: Option<(usize, u64)>,
}

impl Image {
    /// Reads the mappings of a process.
    pub(super) fn new(process: &Process, binaries: &mut Binaries) -> Self {
        let mut image = Image { unwinder: UnwinderNative::new(), parts: Vec::new() };
        let maps = process.maps().into_iter().flatten();
        for map in maps.filter(|map| map.perms.contains(MMPermissions::EXECUTE)) {
            let addresses = map.address.0..map.address.1;
            let number = binaries.of(Pid::from_raw(process.pid), &map.pathname, map.inode, &addresses);
            let file = number.and_then(|number| {
                let binary = &binaries.all[number];
                let bias = binary.bias(addresses.start, map.offset)?;
                let module = Module::new(String::new(), addresses.clone(), bias, binary.sections());
                image.unwinder.add_module(module);
                Some((number, bias))
            });
            image.parts.push(Part { addresses, file });
        }
        image
    }

    /// Unwinds a stack.
    pub(super) fn unwind(&self, snapshot: &Snapshot, binaries: &mut Binaries) -> Unwound {
        let mut word = |address| snapshot.word(address).ok_or(());
        let (registers, at) = (snapshot.registers, snapshot.instruction);
        let mut all = self.unwinder.iter_frames(at, registers, &mut binaries.cache, &mut word);
        let mut unwound = Unwound { addresses: Vec::new(), is_whole: false };
        while unwound.addresses.len() < MAX_FRAMES
            && let Ok(next) = all.next()
        {
            let Some(frame) = next else {
                unwound.is_whole = true;
                break;
            };
            unwound.addresses.push(frame.address_for_lookup());
        }
        unwound
    }

    /// Returns whether there was code at each address of a stack when the mappings were read.
    pub(super) fn has(&self, stack: &Unwound) -> bool {
        stack.addresses.iter().all(|address| self.parts.iter().any(|part| part.addresses.contains(address)))
    }

    /// Returns the functions of a stack, from the outermost to the innermost. Calls of a function by itself are one.
    pub(super) fn stack(&self, unwound: &Unwound, binaries: &Binaries) -> Vec<Frame> {
        let cut = (!unwound.is_whole).then_some(Frame::Cut);
        let frames = unwound.addresses.iter().rev().map(|address| self.frame(*address, binaries));
        let mut frames: Vec<Frame> = cut.into_iter().chain(frames).collect();
        frames.dedup();
        frames
    }

    fn frame(&self, address: u64, binaries: &Binaries) -> Frame {
        let part = self.parts.iter().find(|part| part.addresses.contains(&address));
        let Some((number, bias)) = part.and_then(|part| part.file) else { return Frame::NoFile };
        Frame::Known(number, binaries.all[number].function(address.wrapping_sub(bias)))
    }
}
