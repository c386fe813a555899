//! The lists of a document that hold keys: accessors and buffer views. What only old animations used becomes free, and
//! new entries take its places, since the indices of all others must not change.

use super::raw::RawObject;
use super::references::References;
use super::storage::Storage;
use super::{Container, set_list};
use crate::gltf::GltfWriteError;
use crate::gltf::document::Document;

/// A list of a document with free slots.
pub(super) struct ObjectSlots(Vec<Option<String>>);

impl ObjectSlots {
    pub(super) fn new(list: Vec<String>) -> Self {
        Self(list.into_iter().map(Some).collect())
    }

    fn free(&mut self, index: usize) {
        if let Some(slot) = self.0.get_mut(index) {
            *slot = None;
        }
    }

    /// Inserts an entry into the first free slot and returns its index.
    pub(super) fn add(&mut self, json: String) -> usize {
        match self.0.iter().position(Option::is_none) {
            Some(index) => {
                self.0[index] = Some(json);
                index
            }
            None => {
                self.0.push(Some(json));
                self.0.len() - 1
            }
        }
    }

    /// Returns the list without free slots at its end; others hold `filler`.
    fn finish(mut self, filler: &str) -> Vec<String> {
        while self.0.last().is_some_and(Option::is_none) {
            self.0.pop();
        }
        let entries = self.0.into_iter();
        entries
            .map(|entry| entry.unwrap_or_else(|| filler.to_owned()))
            .collect()
    }
}

/// The lists that contain keys.
pub(super) struct Lists {
    pub(super) storage: Storage,
    pub(super) accessors: ObjectSlots,
    pub(super) views: ObjectSlots,
}

impl Lists {
    /// Frees the slots that only the old animations used, and moves the kept views.
    pub(super) fn drop_unused(
        &mut self,
        document: &Document<'_>,
        references: &References,
    ) -> Result<(), serde_json::Error> {
        for (index, is_kept) in references.accessors.iter().enumerate() {
            if !is_kept {
                self.accessors.free(index);
            }
        }
        let views = document.buffer_views.iter().zip(&references.views);
        for (index, (view, is_kept)) in views.enumerate() {
            match self.views.0.get_mut(index) {
                Some(Some(json)) if *is_kept => *json = self.storage.moved_view(view, json)?,
                Some(slot) => *slot = None,
                None => {}
            }
        }
        Ok(())
    }

    /// Writes the lists into the document; returns the bytes of the binary chunk.
    pub(super) fn finish(
        self,
        root: &mut RawObject,
        container: Container,
    ) -> Result<Vec<u8>, GltfWriteError> {
        // A slot in the middle cannot be removed: the following entries would change their indices.
        let accessor = "{\"componentType\":5126,\"count\":1,\"type\":\"SCALAR\"}";
        let view = "{\"buffer\":0,\"byteLength\":1}";
        set_list(root, "accessors", &self.accessors.finish(accessor));
        set_list(root, "bufferViews", &self.views.finish(view));
        let (buffers, chunk) = self.storage.finish(container)?;
        set_list(root, "buffers", &buffers);
        Ok(chunk)
    }
}
