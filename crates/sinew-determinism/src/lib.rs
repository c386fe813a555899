//! Hashes of poses that must be equal on every target, in every profile and at every SIMD level.
//!
//! A [`Case`] computes poses from the project's samples and hashes their bits; [`CASES`] has the expected hashes. The
//! same code runs natively as a test (`cargo test -p sinew-determinism`) and as a program, under emulation
//! (`cargo xtask aarch64`), and in WebAssembly under Node (`cargo xtask wasm`).

mod cases;
mod hash;
mod motion;
mod pip;
#[cfg(target_arch = "wasm32")]
mod wasm;

pub use cases::{CASES, Case};

use sinew::simd::SimdLevel;

/// Errors of any reader or stage.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The number of hashes that were compared, and how many of them differed from the expected hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// All hashes of all cases.
    pub compared: usize,
    /// Hashes that differ, or that could not be computed.
    pub failed: usize,
}

/// Computes every case and passes one line per hash to `print`.
pub fn run(cases: &[Case], mut print: impl FnMut(&str)) -> Summary {
    let mut summary = Summary {
        compared: 0,
        failed: 0,
    };
    for case in cases {
        summary.compared += case.expected.len();
        let hashes = match (case.compute)() {
            Ok(hashes) => hashes,
            Err(error) => {
                summary.failed += case.expected.len();
                print(&format!("error      {}: {error}", case.name));
                continue;
            }
        };
        for (index, (what, expected)) in case.expected.iter().enumerate() {
            let name = case.name;
            match hashes.get(index) {
                Some(hash) if hash == expected => {
                    print(&format!("ok         {hash:016x} {name}: {what}"));
                }
                Some(hash) => {
                    summary.failed += 1;
                    print(&format!(
                        "different  {hash:016x} {name}: {what}, expected {expected:016x}"
                    ));
                }
                None => {
                    summary.failed += 1;
                    print(&format!("missing    {name}: {what}"));
                }
            }
        }
    }
    let Summary { compared, failed } = summary;
    let levels: Vec<&str> = SimdLevel::all().map(SimdLevel::name).collect();
    print(&format!(
        "{compared} hashes compared, {failed} failed, SIMD levels: {}",
        levels.join(", ")
    ));
    summary
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_hashes_to_the_expected_values() {
        let mut lines = Vec::new();
        let summary = run(&CASES, |line| lines.push(line.to_owned()));
        assert_eq!(summary.failed, 0, "\n{}", lines.join("\n"));
        assert!(summary.compared >= 12, "{summary:?}");
    }

    #[test]
    fn other_hashes_missing_hashes_and_errors_fail() {
        let case = |expected, compute| Case {
            name: "case",
            expected,
            compute,
        };
        let cases = [
            case(&[("equal", 1)], || Ok(vec![1])),
            case(&[("different", 1)], || Ok(vec![2])),
            case(&[("equal", 1), ("missing", 1)], || Ok(vec![1])),
            case(&[("error", 1)], || Err("it fails".into())),
        ];
        let mut lines = Vec::new();
        let summary = run(&cases, |line| lines.push(line.to_owned()));
        let expected = Summary {
            compared: 5,
            failed: 3,
        };
        assert_eq!(summary, expected, "{lines:?}");
        assert_eq!(
            lines[1],
            "different  0000000000000002 case: different, expected 0000000000000001"
        );
        assert_eq!(lines[4], "error      case: it fails");
    }
}
