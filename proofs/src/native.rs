//! Routines on this processor: the same bytes, with their constants, at another address.
#![allow(unsafe_code, reason = "machine code is called")]

use memmap2::{Mmap, MmapMut};

use crate::claims::{Argument, Layout};
use crate::code::Routine;

/// A routine that can be called.
pub struct Native {
    code: Mmap,
    layout: Layout,
}

/// Returns whether this processor has the instructions of a routine.
pub fn is_supported(routine: &Routine) -> bool {
    routine.instructions.iter().flat_map(|instruction| instruction.cpuid_features().iter()).all(|feature| {
        use iced_x86::CpuidFeature::*;
        match feature {
            AVX | AVX2 => is_x86_feature_detected!("avx2"),
            BMI1 | BMI2 => is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2"),
            AVX512F => is_x86_feature_detected!("avx512f"),
            AVX512BW => is_x86_feature_detected!("avx512bw"),
            AVX512VL => is_x86_feature_detected!("avx512vl"),
            AVX512DQ => is_x86_feature_detected!("avx512dq"),
            AVX512_IFMA => is_x86_feature_detected!("avx512ifma"),
            AVX_IFMA => is_x86_feature_detected!("avxifma"),
            INTEL8086 | INTEL386 | INTEL486 | X64 | MULTIBYTENOP | CMOV => true,
            _ => false,
        }
    })
}

impl Native {
    /// Places a routine in memory, its constants behind it.
    ///
    /// # Errors
    /// If there is no memory that may be executed.
    pub fn new(routine: &Routine, layout: Layout) -> std::io::Result<Self> {
        let align = |at: usize| at.next_multiple_of(64);
        let mut sections = Vec::new();
        let mut end = align(routine.bytes.len());
        for bytes in &routine.sections {
            sections.push(end);
            end = align(end + bytes.len());
        }
        // Addresses that are read from a table.
        let slots = end;
        let count = routine.constants.len() + routine.copies.len();
        let mut code = MmapMut::map_anon(slots + 8 * count)?;
        code[..routine.bytes.len()].copy_from_slice(&routine.bytes);
        for (bytes, at) in routine.sections.iter().zip(&sections) {
            code[*at..*at + bytes.len()].copy_from_slice(bytes);
        }
        let base = code.as_ptr() as u64;
        let first = routine.instructions.first().map_or(0, iced_x86::Instruction::ip);
        let mut used = 0;
        let next =
            |ip: u64| routine.instructions.iter().find(|i| i.ip() == ip).map_or(0, |i| i.next_ip() - first);
        let mut set = |ip: u64, field: usize, target: usize, address: Option<u64>, code: &mut MmapMut| {
            let target = match address {
                Some(address) => {
                    let slot = slots + 8 * used;
                    used += 1;
                    code[slot..slot + 8].copy_from_slice(&address.to_le_bytes());
                    slot
                }
                None => target,
            };
            let displacement = target as i32 - next(ip) as i32;
            code[field..field + 4].copy_from_slice(&displacement.to_le_bytes());
        };
        for (ip, constant) in &routine.constants {
            let target = (sections[constant.section] as i64 + constant.at) as usize;
            let address = constant.is_address.then_some(base + target as u64);
            set(*ip, constant.field, target, address, &mut code);
        }
        for (ip, field) in &routine.copies {
            set(*ip, *field, 0, Some(libc::memcpy as *const () as u64), &mut code);
        }
        Ok(Native { code: code.make_exec()?, layout })
    }

    /// Calls the routine; the result is in buffer 0. Buffers have the sizes of the layout.
    pub fn call(&self, buffers: &mut [Vec<u64>]) {
        let sizes = buffers.iter().map(Vec::len);
        assert!(sizes.eq(self.layout.buffers.iter().copied()), "other buffers");
        // Vectors in memory are aligned to their size.
        let total: usize = buffers.iter().map(|buffer| buffer.len() + 8).sum();
        let mut memory = vec![0_u64; total + 8];
        let base = memory.as_mut_ptr();
        let mut at = base.align_offset(64);
        let mut places = Vec::new();
        for buffer in buffers.iter() {
            memory[at..at + buffer.len()].copy_from_slice(buffer);
            places.push(at);
            at = (at + buffer.len()).next_multiple_of(8) + base.align_offset(64) % 8;
        }
        let address = |buffer: &usize| base.wrapping_add(places[*buffer]) as u64;
        let tables: Vec<Vec<u64>> = self
            .layout
            .arguments
            .iter()
            .map(|argument| match argument {
                Argument::Pointers(all) => all.iter().map(address).collect(),
                _ => Vec::new(),
            })
            .collect();
        let mut registers = [0; 5];
        for ((register, argument), table) in registers.iter_mut().zip(&self.layout.arguments).zip(&tables) {
            *register = match argument {
                Argument::Buffer(buffer) => address(buffer),
                Argument::Pointers(_) => table.as_ptr() as u64,
                Argument::Number(number) => *number,
            };
        }
        // SAFETY: the routine was executed on polynomials with such buffers before, where it only read and wrote in
        // these, and the processor has its instructions.
        unsafe {
            let function: extern "C" fn(u64, u64, u64, u64, u64) = std::mem::transmute(self.code.as_ptr());
            let [a, b, c, d, e] = registers;
            function(a, b, c, d, e);
        }
        let words = buffers[0].len();
        buffers[0].copy_from_slice(&memory[places[0]..places[0] + words]);
    }
}
