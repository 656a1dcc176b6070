//! Instructions that were just written, seen by all cores. Processors of this architecture fetch instructions
//! by caches of their own, which do not follow what is written.

/// Lets every thread execute what was written to these bytes, from its next call on.
///
/// # Safety
/// The bytes are in memory of this program that can be read.
pub unsafe fn publish(begin: *const u8, length: usize) {
    // SAFETY: the caller promises that the bytes are there.
    unsafe { system::publish(begin, length) }
}

#[cfg(not(any(windows, target_vendor = "apple")))]
mod system {
    use std::arch::asm;

    pub unsafe fn publish(begin: *const u8, length: usize) {
        let sizes: u64;
        // SAFETY: it reads a register that tells programs the sizes of cache lines, and changes nothing.
        unsafe { asm!("mrs {}, ctr_el0", out(reg) sizes, options(nomem, nostack, preserves_flags)) };
        // As powers of two, in words of four bytes.
        let [data, instructions] = [16, 0].map(|at| 4_usize << (sizes >> at & 0xf));
        let lines = |size: usize| (begin.addr() & !(size - 1)..begin.addr() + length).step_by(size);
        // The order is that of the Arm Architecture Reference Manual for A-profile, on coherency between data
        // and instruction accesses: data to where both kinds of caches meet, then instructions forgotten by
        // all cores, each complete before what follows.
        for line in lines(data) {
            // SAFETY: the caller promises that the bytes are there. To clean a line changes no memory.
            unsafe { asm!("dc cvau, {}", in(reg) line, options(nostack, preserves_flags)) };
        }
        // SAFETY: a barrier changes nothing.
        unsafe { asm!("dsb ish", options(nostack, preserves_flags)) };
        for line in lines(instructions) {
            // SAFETY: as above. What is forgotten is fetched again.
            unsafe { asm!("ic ivau, {}", in(reg) line, options(nostack, preserves_flags)) };
        }
        // SAFETY: barriers change nothing.
        unsafe { asm!("dsb ish", "isb", options(nostack, preserves_flags)) };
        #[cfg(target_os = "linux")]
        other_threads();
    }

    /// Lets other threads forget what they fetched ahead, where other code may have been before.
    #[cfg(target_os = "linux")]
    fn other_threads() {
        const SYNC_CORE: libc::c_int = 1 << 5;
        const REGISTER: libc::c_int = 1 << 6;
        // Older systems refuse. Their cores forget at the next interrupt.
        // SAFETY: the call takes two integers more and touches no memory of the program.
        unsafe {
            libc::syscall(libc::SYS_membarrier, REGISTER, 0, 0);
            libc::syscall(libc::SYS_membarrier, SYNC_CORE, 0, 0);
        }
    }
}

#[cfg(target_vendor = "apple")]
mod system {
    use std::ffi::c_void;

    unsafe extern "C" {
        fn sys_icache_invalidate(begin: *const c_void, length: usize);
    }

    pub unsafe fn publish(begin: *const u8, length: usize) {
        // SAFETY: the system's function for this; the caller promises that the bytes are there.
        unsafe { sys_icache_invalidate(begin.cast(), length) }
    }
}

#[cfg(windows)]
mod system {
    use std::ffi::c_void;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GetCurrentProcess() -> *mut c_void;
        fn FlushInstructionCache(process: *mut c_void, begin: *const c_void, length: usize) -> i32;
    }

    pub unsafe fn publish(begin: *const u8, length: usize) {
        // SAFETY: the system's function for this; the caller promises that the bytes are there. It fails only
        // for other programs.
        unsafe { FlushInstructionCache(GetCurrentProcess(), begin.cast(), length) };
    }
}
