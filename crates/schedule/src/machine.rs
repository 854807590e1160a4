//! What the scheduler knows about the machine that the program is to run on.
//!
//! Plain numbers: who finds them out, and whether they are those of a real machine, is no concern of the scheduler. The
//! defaults are *generic*: caches that are not larger than those of most machines, because a tile that does not
//! fill a cache costs little and one that does not fit costs much.
//!
//! # Room
//! Not all of a cache is for what is to stay in it. In a cache of `w` ways each line has `w` places to choose from; what is
//! used once and streams past takes one of them in each set, and what comes next another (T. Low et al.,
//! "Analytical modeling is enough for high-performance BLIS", 2016, section 4). The rest is the *room*: `(w - 2) / w` of the bytes.
//!
//! ```
//! let machine = schedule::Machine::default();
//! assert_eq!(machine.l1_room(), 24 << 10); // of 32 KiB in 8 ways
//! ```

/// The machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Bytes of the first-level data cache.
    pub l1_bytes: u64,
    /// Its ways.
    pub l1_ways: u32,
    /// Bytes of the second-level cache.
    pub l2_bytes: u64,
    /// Its ways.
    pub l2_ways: u32,
    /// Bytes of the third-level cache; 0: there is none, or nothing is known of it.
    pub l3_bytes: u64,
    /// Bytes of a cache line.
    pub line_bytes: u64,
    /// Bits of a vector as LLVM makes them of a loop.
    pub vector_bits: u32,
    /// Bits of the widest vector register.
    pub widest_bits: u32,
    /// How many vector registers there are.
    pub vector_registers: u32,
    /// Bytes on the stack for operands that blocks of cells share; 0: none.
    pub panel_bytes: u64,
}

impl Default for Machine {
    fn default() -> Self {
        Machine {
            l1_bytes: 32 << 10,
            l1_ways: 8,
            l2_bytes: 512 << 10,
            l2_ways: 8,
            l3_bytes: 8 << 20,
            line_bytes: 64,
            vector_bits: 256,
            widest_bits: 256,
            vector_registers: 16,
            panel_bytes: 0,
        }
    }
}

impl Machine {
    /// Bytes of the first-level cache for what is to stay in it.
    pub fn l1_room(&self) -> u64 {
        room(self.l1_bytes, self.l1_ways)
    }

    /// Bytes of the second-level cache for what is to stay in it.
    pub fn l2_room(&self) -> u64 {
        room(self.l2_bytes, self.l2_ways)
    }

    /// Bytes of the last cache for what is to stay in it. The third level is shared with other cores, and in rented machines with
    /// other tenants: no more than a few megabytes of it are for sure.
    pub fn l3_room(&self) -> u64 {
        self.l3_bytes.min(SHARED).max(self.l2_bytes)
    }
}

/// What one core can count on in a cache that it shares. Two arrays that take up 27 of 32 MB are swept over at half the speed of
/// 8 MB (`heat-3d`).
const SHARED: u64 = 8 << 20;

fn room(bytes: u64, ways: u32) -> u64 {
    match u64::from(ways) {
        // Everything is in the way of everything else: half is a guess.
        0..=3 => bytes / 2,
        ways => bytes / ways * (ways - 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_ways_are_for_what_passes() {
        assert_eq!(Machine::default().l2_room(), 384 << 10);
        assert_eq!(Machine { l1_bytes: 48 << 10, l1_ways: 12, ..Machine::default() }.l1_room(), 40 << 10);
        for ways in [0, 1, 2, 3, 4] {
            assert_eq!(room(64 << 10, ways), 32 << 10, "{ways} ways");
        }
    }

    #[test]
    fn the_third_level_is_shared_or_missing() {
        let with = |l3_bytes| Machine { l3_bytes, ..Machine::default() }.l3_room();
        assert_eq!([with(32 << 20), with(4 << 20), with(0)], [8 << 20, 4 << 20, 512 << 10]);
    }
}
