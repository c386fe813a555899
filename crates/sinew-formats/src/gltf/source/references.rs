//! Accessors and views of a document that are used outside the animations that are rewritten.
//!
//! Meshes, skins and images refer to them by properties of the specification. Extensions may use any property, so
//! every integer inside an `extensions` object counts as a reference: at worst a few unused bytes are kept.

use super::super::document::{Accessor, Document};
use super::raw::RawObject;
use serde_json::Value;

/// Parts of a document that are handled elsewhere, or hold no references.
const ELSEWHERE: [&str; 6] = [
    "asset",
    "accessors",
    "animations",
    "bufferViews",
    "buffers",
    "extras",
];

/// The accessors and views that are kept, by index.
pub(super) struct References {
    pub(super) accessors: Vec<bool>,
    pub(super) views: Vec<bool>,
    /// Files that extensions refer to.
    pub(super) files: Vec<String>,
}

impl References {
    /// `kept` are the accessors of unchanged animations.
    pub(super) fn of(
        root: &RawObject,
        document: &Document<'_>,
        kept: impl Iterator<Item = u32>,
    ) -> Self {
        let mut found = Self {
            accessors: vec![true; document.accessors.len()],
            views: vec![true; document.buffer_views.len()],
            files: Vec::new(),
        };
        let mut used = ReferenceScan::default();
        for (key, json) in root.entries() {
            if ELSEWHERE.contains(&key) {
                continue;
            }
            // JSON that is nested too deeply to parse may refer to anything.
            match serde_json::from_str::<Value>(json) {
                Ok(value) if key == "extensions" => used.add_extension(&value),
                Ok(value) => used.add(key, &value),
                Err(_) => return found,
            }
        }
        for animation in document.animations.iter() {
            for sampler in animation.samplers.iter() {
                mark(&mut found.accessors, sampler.input, false);
                mark(&mut found.accessors, sampler.output, false);
            }
        }
        for accessor in used.accessors.iter().chain(&used.any).copied().chain(kept) {
            mark(&mut found.accessors, accessor, true);
        }
        for (accessor, is_kept) in document.accessors.iter().zip(&found.accessors) {
            if !is_kept {
                each_view(accessor, |view| mark(&mut found.views, view, false));
            }
        }
        for view in used.views.iter().chain(&used.any) {
            mark(&mut found.views, *view, true);
        }
        for (accessor, is_kept) in document.accessors.iter().zip(&found.accessors) {
            if *is_kept {
                each_view(accessor, |view| mark(&mut found.views, view, true));
            }
        }
        found.files = used.files;
        found
    }
}

fn mark(list: &mut [bool], index: u32, is_kept: bool) {
    if let Some(kept) = list.get_mut(index as usize) {
        *kept = is_kept;
    }
}

fn each_view(accessor: &Accessor<'_>, mut visit: impl FnMut(u32)) {
    accessor.buffer_view.into_iter().for_each(&mut visit);
    if let Some(sparse) = &accessor.sparse {
        visit(sparse.indices.buffer_view);
        visit(sparse.values.buffer_view);
    }
}

/// Collected references.
#[derive(Default)]
struct ReferenceScan {
    accessors: Vec<u32>,
    views: Vec<u32>,
    /// Integers that may be accessor or view indices.
    any: Vec<u32>,
    files: Vec<String>,
}

impl ReferenceScan {
    /// Inspects a property named `key`. The depth is limited by the parser.
    fn add(&mut self, key: &str, value: &Value) {
        match (key, value) {
            ("extras", _) => {}
            ("extensions", value) => self.add_extension(value),
            // Of a primitive and of each of its targets.
            ("attributes" | "indices" | "inverseBindMatrices", value) => {
                numbers(value, &mut self.accessors);
            }
            ("targets", Value::Array(targets)) => {
                targets
                    .iter()
                    .for_each(|target| numbers(target, &mut self.accessors));
            }
            ("bufferView", value) => numbers(value, &mut self.views),
            (_, Value::Array(values)) => values.iter().for_each(|value| self.add("", value)),
            (_, Value::Object(object)) => {
                object.iter().for_each(|(key, value)| self.add(key, value));
            }
            _ => {}
        }
    }

    fn add_extension(&mut self, value: &Value) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.add_extension(value)),
            Value::Object(object) => {
                for (key, value) in object {
                    if let ("uri", Some(uri)) = (key.as_str(), value.as_str())
                        && !uri.starts_with("data:")
                    {
                        self.files.push(uri.to_owned());
                    }
                    self.add_extension(value);
                }
            }
            value => numbers(value, &mut self.any),
        }
    }
}

/// Collects the integers in a value and its descendants, except for its extras and extensions.
fn numbers(value: &Value, found: &mut Vec<u32>) {
    match value {
        Value::Number(number) => {
            let index = number.as_u64().and_then(|index| u32::try_from(index).ok());
            found.extend(index);
        }
        Value::Array(values) => values.iter().for_each(|value| numbers(value, found)),
        Value::Object(object) => object.values().for_each(|value| numbers(value, found)),
        _ => {}
    }
}
