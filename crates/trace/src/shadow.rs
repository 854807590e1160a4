//! Shadow memory: for each byte of the program's memory, which statement instance wrote it last.
//!
//! Pages of [`PAGE`] bytes are made when they are first touched. A page has one [`Cell`] per *granule*, at first as wide
//! as the accesses to it are (8 or 4 bytes); an access that is narrower or not aligned refines the page to what it needs, so the
//! answer is exact for every width. A table in front finds the pages used lately without hashing.
//!
//! A cell names the instance by its statement, the [`crate::nodes`] of its outer coordinates, and its innermost
//! coordinate: 12 bytes instead of a whole iteration vector.

use std::collections::HashMap;

/// Bytes of a page.
pub const PAGE: u64 = 4096;

/// Entries of the table in front.
const FRONT: usize = 1 << 14;

/// A statement instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cell {
    /// The statement; 0 is none that matters.
    pub stmt: u32,
    /// Its outer coordinates.
    pub node: u32,
    /// Its innermost coordinate.
    pub inner: u32,
}

#[derive(Debug)]
struct Page {
    /// Logarithm of the granule, at most 3.
    shift: u32,
    cells: Vec<Cell>,
}

/// The last writers of all memory.
#[derive(Debug)]
pub struct Shadow {
    index: HashMap<u64, u32>,
    pages: Vec<Page>,
    /// Page numbers and positions of pages used lately.
    front: Vec<(u64, u32)>,
    bytes: usize,
}

impl Default for Shadow {
    fn default() -> Self {
        Shadow { index: HashMap::new(), pages: Vec::new(), front: vec![(u64::MAX, 0); FRONT], bytes: 0 }
    }
}

impl Shadow {
    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Forget everything.
    pub fn clear(&mut self) {
        *self = Shadow::default();
    }

    /// Every cell.
    pub fn cells_mut(&mut self) -> impl Iterator<Item = &mut Cell> {
        self.pages.iter_mut().flat_map(|page| page.cells.iter_mut())
    }

    #[inline]
    fn page(&mut self, number: u64, shift: u32) -> &mut Page {
        let slot = number as usize % FRONT;
        if self.front[slot].0 != number && !self.recall(number) {
            self.add_page(number, shift);
        }
        &mut self.pages[self.front[slot].1 as usize]
    }

    /// Puts a page in front, if there is such a page.
    #[cold]
    fn recall(&mut self, number: u64) -> bool {
        let known = self.index.get(&number);
        if let Some(&position) = known {
            self.front[number as usize % FRONT] = (number, position);
        }
        known.is_some()
    }

    #[cold]
    fn add_page(&mut self, number: u64, shift: u32) {
        let position = self.pages.len() as u32;
        let cells = vec![Cell::default(); (PAGE >> shift) as usize];
        self.bytes += size_of_val(cells.as_slice()) + 64;
        self.pages.push(Page { shift, cells });
        self.index.insert(number, position);
        self.front[number as usize % FRONT] = (number, position);
    }

    /// Calls `f` with the cells under an access, page by page.
    #[inline]
    fn each(&mut self, address: u64, size: u64, mut f: impl FnMut(&mut [Cell])) {
        let shift = match size {
            4 => 2,
            n if n % 8 == 0 && n != 0 => 3,
            _ => 0,
        };
        let (mut address, mut left) = (address, size);
        while left > 0 {
            let offset = address % PAGE;
            let here = left.min(PAGE - offset);
            let grown = {
                let page = self.page(address / PAGE, shift);
                let mask = (1u64 << page.shift) - 1;
                let grown = if (offset | here) & mask != 0 { page.refine(offset | here) } else { 0 };
                let first = (offset >> page.shift) as usize;
                f(&mut page.cells[first..first + (here >> page.shift) as usize]);
                grown
            };
            self.bytes += grown;
            address = address.wrapping_add(here);
            left -= here;
        }
    }

    /// The cells of an access to whole granules of one page that is there already, the usual case.
    #[inline]
    pub fn cells(&mut self, address: u64, size: u32) -> Option<&mut [Cell]> {
        let number = address / PAGE;
        let slot = number as usize % FRONT;
        if self.front[slot].0 != number && !self.recall(number) {
            return None;
        }
        let page = &mut self.pages[self.front[slot].1 as usize];
        if (address | u64::from(size)) & ((1 << page.shift) - 1) != 0 {
            return None;
        }
        let first = ((address % PAGE) >> page.shift) as usize;
        page.cells.get_mut(first..first + (size >> page.shift) as usize)
    }

    /// Goes from access to access by a stride and shows the cells of each to `f`, until that says no, or cells are not there as
    /// whole granules of one page. Returns how many it has accepted.
    #[inline]
    pub fn walk(
        &mut self,
        mut address: u64,
        stride: i64,
        size: u32,
        most: usize,
        mut f: impl FnMut(&mut [Cell]) -> bool,
    ) -> usize {
        let mut done = 0;
        while done < most {
            let number = address / PAGE;
            let slot = number as usize % FRONT;
            if self.front[slot].0 != number && !self.recall(number) {
                return done;
            }
            let page = &mut self.pages[self.front[slot].1 as usize];
            let (width, mask) = ((size >> page.shift) as usize, (1 << page.shift) - 1);
            while done < most && address / PAGE == number {
                let first = ((address % PAGE) >> page.shift) as usize;
                let cells = page.cells.get_mut(first..first + width);
                let whole = (address | u64::from(size)) & mask == 0;
                if !cells.is_some_and(|cells| whole && f(cells)) {
                    return done;
                }
                address = address.wrapping_add_signed(stride);
                done += 1;
            }
        }
        done
    }

    /// The bytes have been written by this instance.
    #[inline]
    pub fn write(&mut self, address: u64, size: u32, cell: Cell) {
        match self.cells(address, size) {
            Some(cells) => cells.fill(cell),
            None => self.each(address, u64::from(size), |cells| cells.fill(cell)),
        }
    }

    /// Calls `f` with the writers of the bytes, each run of the same writer once.
    #[inline]
    pub fn read(&mut self, address: u64, size: u32, mut f: impl FnMut(Cell)) {
        let mut last = Cell::default();
        let mut runs = |cells: &mut [Cell]| {
            for &cell in cells.iter() {
                if cell != last {
                    f(cell);
                    last = cell;
                }
            }
        };
        match self.cells(address, size) {
            Some(cells) => runs(cells),
            None => self.each(address, u64::from(size), runs),
        }
    }
}

impl Page {
    /// Granules from now on that divide these offsets in it. Returns how many bytes that costs.
    #[cold]
    fn refine(&mut self, offsets: u64) -> usize {
        let shift = offsets.trailing_zeros().min(self.shift);
        let width = 1usize << (self.shift - shift);
        let before = self.cells.len();
        self.cells = self.cells.iter().flat_map(|cell| std::iter::repeat_n(*cell, width)).collect();
        self.shift = shift;
        (self.cells.len() - before) * size_of::<Cell>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(stmt: u32) -> Cell {
        Cell { stmt, node: 0, inner: 0 }
    }

    fn writers(shadow: &mut Shadow, address: u64, size: u32) -> Vec<u32> {
        let mut found = Vec::new();
        shadow.read(address, size, |cell| found.push(cell.stmt));
        found
    }

    #[test]
    fn any_width_against_a_map_of_bytes() {
        let mut shadow = Shadow::default();
        let mut bytes: HashMap<u64, u32> = HashMap::new();
        let mut state = 7u64;
        let mut random = |n: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % n
        };
        for stmt in 1..4000 {
            let size = [1, 2, 4, 8, 16, 32, 3][random(7) as usize];
            let wide = random(2) == 0;
            let address = 3 * PAGE - 100 + random(200) * if wide { u64::from(size) } else { 1 };
            if random(2) == 0 {
                shadow.write(address, size, cell(stmt));
                bytes.extend((address..address + u64::from(size)).map(|b| (b, stmt)));
            } else {
                let mut expected: Vec<u32> = (address..address + u64::from(size))
                    .map(|b| bytes.get(&b).copied().unwrap_or(0))
                    .collect();
                expected.dedup();
                let expected: Vec<u32> = expected
                    .iter()
                    .enumerate()
                    .filter(|(i, s)| **s != 0 || *i > 0)
                    .map(|(_, s)| *s)
                    .collect();
                assert_eq!(writers(&mut shadow, address, size), expected, "{address:#x} {size}");
            }
        }
    }

    #[test]
    fn a_walk_ends_where_cells_are_not_whole() {
        let mut shadow = Shadow::default();
        (0..600).for_each(|n| shadow.write(PAGE - 8 * 300 + 8 * n, 8, cell(n as u32 + 1)));
        let mut found = Vec::new();
        let seen = shadow.walk(PAGE - 80, 16, 8, 20, |cells| {
            found.push(cells[0].stmt);
            true
        });
        assert_eq!((seen, found), (20, (0..20).map(|n| 291 + 2 * n).collect()));
        assert_eq!(shadow.walk(PAGE, -8, 8, 20, |cells| cells[0].stmt > 290), 11);
        assert_eq!(shadow.walk(PAGE + 4, 8, 8, 20, |_| true), 0);
        assert_eq!(shadow.walk(2 * PAGE - 24, 8, 8, 20, |_| true), 3);
        assert_eq!(shadow.walk(2 * PAGE - 8, 8, 16, 20, |_| true), 0);
    }

    #[test]
    fn pages_start_coarse_and_are_refined_when_needed() {
        let mut shadow = Shadow::default();
        shadow.write(0x1000, 8, cell(1));
        let coarse = shadow.bytes();
        shadow.write(0x1004, 4, cell(2));
        assert_eq!(writers(&mut shadow, 0x1000, 8), [1, 2]);
        assert!(shadow.bytes() > coarse);
    }
}
