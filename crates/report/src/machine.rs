//! What is known of the machine that is compiled for, and from whom: `orthant explain --target`.
//!
//! The plugin writes a [`MachineReport`] as JSON ([`MachineReport::json`]), the command reads it back ([`MachineReport::read`])
//! and prints it as it is or as text. In the text each line is a fact with its origin:
//!
//! ```text
//! x86_64-pc-linux-gnu, processor znver4
//!   first-level data cache   32 KiB, 8 ways    this machine
//!   cache line               64 bytes          generic
//! ```

use serde::{Deserialize, Serialize};

/// Who says something about the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// An option.
    Given,
    /// The machine that compiles.
    Native,
    /// LLVM, of the processor that is compiled for.
    Target,
    /// Nobody: it suits most machines.
    Generic,
}

impl Origin {
    fn text(self) -> &'static str {
        match self {
            Origin::Given => "by option",
            Origin::Native => "this machine",
            Origin::Target => "LLVM",
            Origin::Generic => "generic",
        }
    }
}

/// A number with its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// The number; 0: there is none.
    pub value: u64,
    /// Who says so.
    pub origin: Origin,
}

/// A cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// Its size.
    pub bytes: Fact,
    /// Places for each line.
    pub ways: Fact,
}

/// Everything that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineReport {
    /// As in [`crate::FunctionReport`].
    pub format: u32,
    /// What is compiled for.
    pub triple: String,
    /// And which processor of that kind, if the code says it.
    pub processor: Option<String>,
    /// Data.
    pub l1: Cache,
    /// Of each core or shared.
    pub l2: Cache,
    /// The same; 0 bytes if there is none or nobody knows.
    pub l3: Cache,
    /// Bytes that caches move at once.
    pub line_bytes: Fact,
    /// Vectors that LLVM makes of loops.
    pub vector_bits: Fact,
    /// The widest vector registers.
    pub widest_bits: Fact,
    /// How many vector registers there are.
    pub vector_registers: Fact,
    /// How many others.
    pub scalar_registers: Fact,
    /// Whether there are fused multiplications and additions.
    pub fma: bool,
    /// Threads that are planned for if `parallel` is set.
    pub threads: Fact,
}

impl MachineReport {
    /// As the plugin writes it.
    pub fn json(&self) -> String {
        // Numbers, texts and names cannot fail to be written.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// What [`MachineReport::json`] wrote; if it is something else, why.
    pub fn read(text: &str) -> Result<MachineReport, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// For people.
    pub fn text(&self) -> String {
        let processor = self.processor.as_ref().map(|name| format!(", processor {name}"));
        let mut text = format!("{}{}\n", self.triple, processor.unwrap_or_default());
        for (name, value, origin) in self.lines() {
            text.push_str(&format!("  {name:<26}{value:<20}{origin}\n"));
        }
        text
    }

    fn lines(&self) -> Vec<(&'static str, String, &'static str)> {
        let plain = |name, fact: Fact, unit: &str| {
            let value =
                if fact.value == 0 { "not known".to_owned() } else { format!("{}{unit}", fact.value) };
            (name, value, fact.origin.text())
        };
        let cache = |name, cache: Cache| (name, cache.text(), cache.bytes.origin.text());
        let fma = if self.fma { "yes" } else { "no" };
        vec![
            cache("first-level data cache", self.l1),
            cache("second-level cache", self.l2),
            cache("third-level cache", self.l3),
            plain("cache line", self.line_bytes, " bytes"),
            plain("vectors made of loops", self.vector_bits, " bits"),
            plain("widest vectors", self.widest_bits, " bits"),
            plain("vector registers", self.vector_registers, ""),
            plain("other registers", self.scalar_registers, ""),
            ("fused multiply and add", fma.to_owned(), Origin::Target.text()),
            plain("threads, if parallel", self.threads, ""),
        ]
    }
}

impl Cache {
    fn text(&self) -> String {
        let ways = if self.ways.value == 0 { String::new() } else { format!(", {} ways", self.ways.value) };
        match self.bytes.value {
            0 => "not known".to_owned(),
            bytes => size(bytes) + &ways,
        }
    }
}

/// Bytes in the largest unit that leaves a whole number.
fn size(bytes: u64) -> String {
    let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let unit = units.into_iter().find(|(_, factor)| bytes.is_multiple_of(*factor));
    unit.map_or_else(|| format!("{bytes} bytes"), |(name, factor)| format!("{} {name}", bytes / factor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FORMAT;

    fn report() -> MachineReport {
        let fact = |value, origin| Fact { value, origin };
        let llvm = |value| fact(value, Origin::Target);
        let cache = |bytes, ways, origin| Cache { bytes: fact(bytes, origin), ways: fact(ways, origin) };
        MachineReport {
            format: FORMAT,
            triple: "x86_64-pc-linux-gnu".into(),
            processor: Some("znver4".into()),
            l1: cache(48 << 10, 12, Origin::Given),
            l2: cache(1 << 20, 8, Origin::Native),
            l3: cache(0, 0, Origin::Generic),
            line_bytes: fact(64, Origin::Native),
            vector_bits: llvm(256),
            widest_bits: llvm(512),
            vector_registers: llvm(32),
            scalar_registers: llvm(0),
            fma: true,
            threads: fact(2, Origin::Native),
        }
    }

    #[test]
    fn json_is_read_back() {
        assert_eq!(MachineReport::read(&report().json()).unwrap(), report());
        assert!(MachineReport::read("{}").is_err());
    }

    #[test]
    fn each_line_has_a_value_and_its_origin() {
        let text = report().text();
        let has = |words: &[&str]| {
            let expected = words.join(" ");
            let found =
                text.lines().any(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") == expected);
            assert!(found, "{expected}\n{text}");
        };
        has(&["x86_64-pc-linux-gnu,", "processor", "znver4"]);
        has(&["first-level data cache", "48 KiB, 12 ways", "by option"]);
        has(&["second-level cache", "1 MiB, 8 ways", "this machine"]);
        has(&["third-level cache", "not known", "generic"]);
        has(&["other registers", "not known", "LLVM"]);
        has(&["fused multiply and add", "yes", "LLVM"]);
    }
}
