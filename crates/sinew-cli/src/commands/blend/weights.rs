//! Blend weights from the command line or from a file.

use crate::error::CliError;
use serde_json::Value;
use sinew_author::register::BlendWeights;
use std::path::Path;

/// The largest size of a weight file in bytes.
const MOST_BYTES: u64 = 16 << 20;

/// The valid range of a weight.
const RANGE: std::ops::RangeInclusive<f64> = -0.2..=1.2;

/// Sums of weights up to this are rejected: weights are normalized, and a small sum would enlarge them.
const MIN_SUM: f64 = 0.2;

/// Returns constant weights: of the second motion, or of each motion.
pub(super) fn constant(weights: &[f64], motions: usize) -> Result<BlendWeights, CliError> {
    let values = match (weights, motions) {
        (&[second], 2) => vec![1.0 - second, second],
        (all, _) if all.len() == motions => all.to_vec(),
        (all, _) => {
            let given: Vec<String> = all.iter().map(f64::to_string).collect();
            return Err(CliError::Unusable {
                path: format!("--weight {}", given.join(",")),
                problem: format!("expected a weight for each of the {motions} motions"),
            });
        }
    };
    if values.iter().sum::<f64>() <= MIN_SUM {
        return Err(CliError::Unusable {
            path: "--weight".to_owned(),
            problem: format!("expected weights with a sum above {MIN_SUM}"),
        });
    }
    Ok(BlendWeights::Constant(values))
}

/// Reads weights over time from a file.
pub(super) fn read(path: &Path, motions: usize) -> Result<BlendWeights, CliError> {
    let failed = |problem: String| CliError::unusable(path, problem);
    let about = std::fs::metadata(path).map_err(|error| failed(error.to_string()))?;
    if about.len() > MOST_BYTES {
        return Err(failed(format!("larger than {MOST_BYTES} bytes")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    parse(&text, motions).map_err(failed)
}

fn parse(text: &str, motions: usize) -> Result<BlendWeights, String> {
    let json: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let expected = "expected a list of times with weights, such as [[0, 0], [1.5, 1]]";
    let list = json.as_array().ok_or(expected)?;
    let mut keys: Vec<(f64, Vec<f64>)> = Vec::with_capacity(list.len());
    for (index, key) in list.iter().enumerate() {
        let bad = |problem: &str| format!("[{index}]: {problem}");
        let pair = key.as_array().map(Vec::as_slice);
        let Some([time, weights]) = pair else {
            return Err(bad("expected seconds and a weight, such as [1.5, 1]"));
        };
        let time = time.as_f64().filter(|time| time.is_finite());
        let time = time.ok_or_else(|| bad("expected seconds as the first number"))?;
        if keys.last().is_some_and(|(before, _)| *before >= time) {
            return Err(bad("expected a time after the previous one"));
        }
        let weights = match weights {
            Value::Array(all) => all.iter().map(Value::as_f64).collect(),
            value => value.as_f64().map(|second| vec![1.0 - second, second]),
        };
        let weights = weights.filter(|all| all.iter().all(|weight| RANGE.contains(weight)));
        let weights = weights.ok_or_else(|| bad("expected weights from 0 to 1"))?;
        if weights.len() != motions {
            return Err(bad(&format!(
                "found {} weights; expected one for each of the {motions} motions",
                weights.len()
            )));
        }
        keys.push((time, weights));
    }
    if keys.is_empty() {
        return Err(expected.to_owned());
    }
    Ok(BlendWeights::Keys(keys))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_no_weights_say_where_and_why() {
        let refused = [
            ("", "EOF"),
            ("{}", "a list of times"),
            ("[]", "a list of times"),
            ("[1]", "[0]: expected seconds and a weight"),
            ("[[0, 0, 0]]", "[0]: expected seconds and a weight"),
            ("[[\"0\", 0]]", "[0]: expected seconds as"),
            ("[[0, 0], [0, 1]]", "[1]: expected a time after"),
            ("[[0, 7]]", "[0]: expected weights from 0 to 1"),
            ("[[0, \"1\"]]", "[0]: expected weights from 0 to 1"),
            (
                "[[0, [1, 0, 0]]]",
                "[0]: found 3 weights; expected one for each of the 2",
            ),
        ];
        for (text, said) in refused {
            let problem = parse(text, 2).unwrap_err();
            assert!(problem.contains(said), "{text}: {problem}");
        }
    }

    #[test]
    fn weights_are_of_the_second_motion_or_of_all() {
        let keys = BlendWeights::Keys(vec![(0.0, vec![1.0, 0.0]), (1.5, vec![0.25, 0.75])]);
        assert_eq!(parse("[[0, 0], [1.5, 0.75]]", 2), Ok(keys.clone()));
        assert_eq!(parse("[[0, [1, 0]], [1.5, [0.25, 0.75]]]", 2), Ok(keys));
        assert!(constant(&[0.5], 3).is_err());
        assert!(constant(&[0.0, 0.0, 0.0], 3).is_err());
        let all = BlendWeights::Constant(vec![0.75, 0.25]);
        assert_eq!(constant(&[0.25], 2).ok(), Some(all));
    }
}
