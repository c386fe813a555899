//! `sinew decompress`: converts packed motions to an editable format with `sinew convert`.

use super::convert::convert_planned;
use super::convert::find::{self, PlanRequest};
use crate::Outcome;
use crate::args::{ConvertArgs, DecompressArgs, OutFormat, SourceArgs};
use crate::error::CliError;
use sinew_formats::{Format, detect_file};
use std::path::Path;

pub(crate) fn run(args: &DecompressArgs) -> Result<Outcome, CliError> {
    let mut plan = find::plan(&PlanRequest {
        inputs: &args.inputs,
        to: args.to,
        out: args.out.as_deref(),
        may_gather: false,
        packed: true,
    })?;
    if plan.to == OutFormat::Sinew {
        return Err(CliError::Unusable {
            path: "--to sinew".to_owned(),
            problem: "expected bvh, glb, gltf or json".to_owned(),
        });
    }
    // The reader reports files that cannot be opened or have a damaged header.
    let mut missing = Vec::new();
    // A pipe can be read only once; the conversion reads it.
    let format_of = |path: &Path| match path.is_file() {
        true => detect_file(path),
        false => Ok(None),
    };
    plan.jobs.retain(|job| match format_of(&job.input) {
        Ok(Some(format)) if format != Format::Sinew => {
            let problem = format!(
                "expected a .sinew file, found {}; use `sinew convert`",
                format.name()
            );
            missing.push((job.input.clone(), problem));
            false
        }
        _ => true,
    });
    plan.missing.append(&mut missing);
    convert_planned(
        &plan,
        &ConvertArgs {
            inputs: args.inputs.clone(),
            to: args.to,
            out: args.out.clone(),
            fps: None,
            trim: None,
            mirror: false,
            center: false,
            no_mesh: false,
            force: false,
            batch: args.batch.clone(),
            source: SourceArgs::default(),
            json: args.json,
        },
    )
}
