//! Pages of machine code: written, then made executable, and never both. Unmapped when dropped.
//!
//! The code of a robot is in one huge page, where the system gives one, so that its pages follow one another
//! in physical memory as well. On the AMD processor (Zen 5) on which this was measured, pages of one function
//! that are anywhere may push each other out of the instruction cache: one process in twenty took two to four
//! times as long for a function of 30 KB, in every call (docs/run-time.md has the figures).

use region::{Allocation, Protection};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a huge page, of x86-64 and of aarch64 with pages of 4 KB.
const HUGE: usize = 1 << 21;

/// Machine code in memory, between two pages that nobody may touch.
pub struct Pages {
    /// Block that the pages are a part of.
    _block: Arc<Block>,
    begin: *const u8,
    /// Number of bytes of code.
    length: usize,
}

/// Memory of the system's.
struct Block(#[expect(dead_code, reason = "it is unmapped when dropped")] Allocation);

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes at {:?}", self.length, self.begin())
    }
}

// SAFETY: nothing writes to the pages once they are made, so that threads may share them, and any thread
// may unmap them.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}
// SAFETY: a block is only unmapped, which any thread may do. Who hands out its pages is alone with those that
// nobody has yet.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Pages {
    /// Pages of their own with this code.
    ///
    /// # Errors
    /// If the system gives no memory, or none that may be executed.
    pub fn alone(code: &[u8]) -> Result<Self, region::Error> {
        let page = region::page::size();
        let inner = inner(code);
        let mut pages = region::alloc(inner + 2 * page, Protection::NONE)?;
        let begin = pages.as_mut_ptr::<u8>().wrapping_add(page);
        // SAFETY: the pages between the outer two are this allocation's, which nobody else knows.
        unsafe {
            region::protect(begin, inner, Protection::READ_WRITE)?;
            write(begin, code)?;
        }
        Ok(Self { _block: Arc::new(Block(pages)), begin, length: code.len() })
    }

    /// The first byte of the code.
    pub fn begin(&self) -> *const u8 {
        self.begin
    }

    /// Number of bytes of code.
    pub fn len(&self) -> usize {
        self.length
    }
}

/// The bytes of the pages for this code.
fn inner(code: &[u8]) -> usize {
    code.len().max(1).next_multiple_of(region::page::size())
}

/// Writes code to pages, and makes them executable.
///
/// # Safety
/// From `begin` on are so many pages that can be written, which nobody else knows, and nothing of which is
/// executed yet.
unsafe fn write(begin: *mut u8, code: &[u8]) -> Result<(), region::Error> {
    // SAFETY: the caller promises that there are pages for all bytes. While they are written they are not
    // executable, and afterwards not writable.
    unsafe {
        std::ptr::copy_nonoverlapping(code.as_ptr(), begin, code.len());
        #[cfg(target_arch = "aarch64")]
        crate::coherence::publish(begin, code.len());
        region::protect(begin, inner(code), Protection::READ_EXECUTE)
    }
}

/// Memory for the code of one robot: huge pages, of which each piece of code takes the next pages that are
/// left, and one that nobody may touch after them.
#[derive(Default)]
pub struct CodeMemory {
    room: Mutex<Option<Room>>,
}

impl fmt::Debug for CodeMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("memory for code")
    }
}

/// Remainder of a huge page: pages that can be written, and that nobody has yet.
struct Room {
    block: Arc<Block>,
    begin: *mut u8,
    left: usize,
}

// SAFETY: the pages that are left are known to it alone.
unsafe impl Send for Room {}

impl CodeMemory {
    /// Pages with this code. They keep what they are a part of.
    ///
    /// # Errors
    /// If the system gives no memory, or none that may be executed.
    pub fn pages(&self, code: &[u8]) -> Result<Pages, region::Error> {
        let (page, inner) = (region::page::size(), inner(code));
        let needed = inner + page;
        // Elsewhere nobody has tried it.
        if !cfg!(target_os = "linux") || needed > HUGE {
            return Pages::alone(code);
        }
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        let last = room.take().filter(|room| room.left >= needed);
        let Room { block, begin, left } = last.map_or_else(Room::new, Ok)?;
        // SAFETY: these pages are left, so that nobody has them, and from now on they are not.
        unsafe {
            write(begin, code)?;
            region::protect(begin.wrapping_add(inner), page, Protection::NONE)?;
        }
        let pages = Pages { _block: Arc::clone(&block), begin, length: code.len() };
        *room = Some(Room { block, begin: begin.wrapping_add(needed), left: left - needed });
        Ok(pages)
    }
}

impl Room {
    /// A huge page, after a page that nobody may touch. Where the system has none, or gives none, these are
    /// pages anywhere.
    fn new() -> Result<Self, region::Error> {
        let page = region::page::size();
        let mut all = region::alloc(page + 2 * HUGE, Protection::NONE)?;
        let first = all.as_mut_ptr::<u8>().wrapping_add(page);
        let begin = first.wrapping_add(first.addr().next_multiple_of(HUGE) - first.addr());
        // SAFETY: as many bytes as a huge page has begin within that many after the first page, which is in
        // the allocation; nobody else knows it. What is advised changes nothing but which pages there are.
        unsafe {
            region::protect(begin, HUGE, Protection::READ_WRITE)?;
            #[cfg(target_os = "linux")]
            libc::madvise(begin.cast(), HUGE, libc::MADV_HUGEPAGE);
        }
        Ok(Self { block: Arc::new(Block(all)), begin, left: HUGE })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linux reports pages as executable, not writable, and guarded.
    #[test]
    #[cfg(target_os = "linux")]
    fn are_executable_and_not_writable_and_guarded() {
        let memory = CodeMemory::default();
        let sizes = [5000, 1, 0, HUGE / 2, HUGE / 2, HUGE - region::page::size(), HUGE];
        let shared = sizes.map(|size| memory.pages(&vec![0xc3; size]).unwrap());
        drop(memory);
        for pages in shared.iter().chain([&Pages::alone(&[0xc3; 5000]).unwrap()]) {
            let protection = |at: usize| region::query(pages.begin().wrapping_add(at)).unwrap().protection();
            let length = pages.len();
            assert_eq!([0, length.max(1) - 1].map(protection), [Protection::READ_EXECUTE; 2], "{length}");
            let (before, after) = (usize::MAX, length.max(1).next_multiple_of(region::page::size()));
            assert_eq!([before, after].map(protection), [Protection::NONE; 2], "{length}");
            // SAFETY: the pages have so many bytes, which can be read and never change.
            let code = unsafe { std::slice::from_raw_parts(pages.begin(), length) };
            assert!(code.iter().all(|byte| *byte == 0xc3));
        }
    }

    /// Code of one robot is together on Linux, from the beginning of a huge page on.
    #[test]
    #[cfg(target_os = "linux")]
    fn code_of_a_robot_is_together() {
        let (memory, page) = (CodeMemory::default(), region::page::size());
        let [first, second] = [5000, 100].map(|size| memory.pages(&vec![0xc3; size]).unwrap());
        assert_eq!(first.begin().addr() % HUGE, 0);
        assert_eq!(second.begin().addr() - first.begin().addr(), 5000_usize.next_multiple_of(page) + page);
    }
}
