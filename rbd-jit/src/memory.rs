//! Pages of machine code: written, then made executable, and never both. Unmapped when dropped.

use region::{Allocation, Protection};
use std::fmt;

/// Machine code in memory, between two pages that nobody may touch.
pub struct Pages {
    /// All pages, the outer two included.
    pages: Allocation,
    /// How many bytes of code there are.
    length: usize,
    /// How many bytes a page has.
    page: usize,
}

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

impl Pages {
    /// Pages with this code.
    ///
    /// # Errors
    /// If the system gives no memory, or none that may be executed.
    pub fn new(code: &[u8]) -> Result<Self, region::Error> {
        let page = region::page::size();
        let inner = code.len().max(1).next_multiple_of(page);
        let mut pages = region::alloc(inner + 2 * page, Protection::NONE)?;
        let begin = pages.as_mut_ptr::<u8>().wrapping_add(page);
        // SAFETY: the pages between the outer two are this allocation's, which nobody else knows, and
        // nothing of it is executed yet. While they are written they are not executable, and afterwards not
        // writable. As many bytes are copied as the code has, to pages of at least that many that begin at
        // `begin`.
        unsafe {
            region::protect(begin, inner, Protection::READ_WRITE)?;
            std::ptr::copy_nonoverlapping(code.as_ptr(), begin, code.len());
            #[cfg(target_arch = "aarch64")]
            crate::coherence::publish(begin, code.len());
            region::protect(begin, inner, Protection::READ_EXECUTE)?;
        }
        Ok(Self { pages, length: code.len(), page })
    }

    /// The first byte of the code.
    pub fn begin(&self) -> *const u8 {
        self.pages.as_ptr::<u8>().wrapping_add(self.page)
    }

    /// How many bytes of code there are.
    pub fn len(&self) -> usize {
        self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of Linux: what the system says of the pages.
    #[test]
    #[cfg(target_os = "linux")]
    fn are_executable_and_not_writable_and_guarded() {
        let pages = Pages::new(&[0xc3; 5000]).unwrap();
        let protection = |at: usize| region::query(pages.begin().wrapping_add(at)).unwrap().protection();
        assert_eq!([0, 4999].map(protection), [Protection::READ_EXECUTE; 2]);
        let page = region::page::size();
        let (before, after) = (usize::MAX, 5000_usize.next_multiple_of(page));
        assert_eq!([before, after].map(protection), [Protection::NONE; 2]);
        assert_eq!(pages.len(), 5000);
    }
}
