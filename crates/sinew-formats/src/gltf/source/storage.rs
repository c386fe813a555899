//! The bytes of a rewritten document: its buffers without the data of rewritten animations, and the added data.

use super::super::document::{BufferView, Document};
use super::super::{GltfWriteError, base64_uri};
use super::raw::RawObject;
use super::{Container, source_error};

/// Ranges of a buffer that are kept, and their new offsets.
#[derive(Default)]
struct Segments(Vec<Segment>);

struct Segment {
    start: u64,
    end: u64,
    /// New offset.
    to: u64,
}

impl Segments {
    /// Keeps complete groups of four bytes, so that alignment is preserved.
    fn of(mut ranges: Vec<(u64, u64)>, length: u64) -> Self {
        for (start, end) in &mut ranges {
            *start = (*start).min(length);
            *start -= *start % 4;
            *end = (*end).min(length).next_multiple_of(4).min(length);
        }
        ranges.sort_unstable();
        let mut segments: Vec<Segment> = Vec::new();
        for (start, end) in ranges {
            match segments.last_mut() {
                Some(last) if start <= last.end => last.end = last.end.max(end),
                _ => {
                    let before = segments.last();
                    let to = before.map_or(0, |last| {
                        (last.to + last.end - last.start).next_multiple_of(4)
                    });
                    segments.push(Segment { start, end, to });
                }
            }
        }
        Self(segments)
    }

    fn moved(&self, offset: u64) -> u64 {
        let after = self.0.partition_point(|segment| segment.start <= offset);
        let segment = after.checked_sub(1).and_then(|index| self.0.get(index));
        segment.map_or(0, |segment| {
            segment.to.saturating_add(offset - segment.start)
        })
    }

    fn cut(&self, bytes: &[u8]) -> Vec<u8> {
        let mut cut = Vec::new();
        for segment in &self.0 {
            cut.resize(segment.to as usize, 0);
            let range = segment.start as usize..segment.end as usize;
            cut.extend_from_slice(bytes.get(range).unwrap_or_default());
        }
        cut
    }
}

/// A buffer to write.
struct StoredBuffer {
    /// `None` if its bytes are unavailable: the views' extensions hold the actual data.
    bytes: Option<Vec<u8>>,
    /// Its JSON.
    json: String,
}

impl StoredBuffer {
    /// Creates a buffer for added bytes that the source does not have.
    fn empty() -> Self {
        Self {
            bytes: Some(Vec::new()),
            json: "{}".to_owned(),
        }
    }
}

/// The new place of a buffer of the source.
struct BufferPlace {
    /// Index of the written buffer.
    buffer: usize,
    /// Offset of its first byte there.
    start: u64,
    /// Remaining ranges, if something was removed.
    segments: Option<Segments>,
}

impl BufferPlace {
    fn moved(&self, offset: u64) -> u64 {
        let inside = self
            .segments
            .as_ref()
            .map_or(offset, |segments| segments.moved(offset));
        self.start.saturating_add(inside)
    }

    /// Returns whether the buffer of this index is unchanged.
    fn is_same(&self, index: u32) -> bool {
        self.buffer == index as usize && self.start == 0 && self.segments.is_none()
    }
}

/// The buffers of a document.
pub(super) struct Storage {
    buffers: Vec<StoredBuffer>,
    /// Places by source buffer.
    places: Vec<BufferPlace>,
    /// Index of the buffer for new bytes; one past the end until something is added.
    target: usize,
}

impl Storage {
    /// `json` are the buffers of the source, `bytes` their contents, and `is_kept` returns which views are kept.
    ///
    /// A container has one chunk, for its first buffer. The bytes of the others are merged into it, unless a buffer
    /// has properties besides its name. A first buffer with unavailable bytes would be taken for a missing chunk, so
    /// the chunk is inserted before it.
    pub(super) fn new(
        document: &Document<'_>,
        json: Vec<String>,
        bytes: Vec<Option<Vec<u8>>>,
        is_kept: &[bool],
        container: Container,
    ) -> Self {
        let views = || document.buffer_views.iter().zip(is_kept);
        let mut storage = Self {
            buffers: Vec::new(),
            places: Vec::new(),
            target: 0,
        };
        if container == Container::Glb && bytes.first().is_some_and(Option::is_none) {
            storage.buffers.push(StoredBuffer::empty());
        }
        for (index, (json, mut bytes)) in json.into_iter().zip(bytes).enumerate() {
            let has_lost = views().any(|(view, is_kept)| !is_kept && view.uses(index));
            let segments = bytes.as_mut().filter(|_| has_lost).map(|bytes| {
                let kept = views().filter(|(_, is_kept)| **is_kept);
                let ranges = kept.flat_map(|(view, _)| view.ranges(index));
                let segments = Segments::of(ranges.collect(), bytes.len() as u64);
                *bytes = segments.cut(bytes);
                segments
            });
            let chunk = storage.buffers.first_mut();
            let chunk = chunk.and_then(|first| first.bytes.as_mut());
            let (buffer, start) = match (chunk, &bytes) {
                (Some(chunk), Some(bytes)) if container == Container::Glb && is_plain(&json) => {
                    (0, append(chunk, bytes))
                }
                _ => {
                    storage.buffers.push(StoredBuffer { bytes, json });
                    (storage.buffers.len() - 1, 0)
                }
            };
            storage.places.push(BufferPlace {
                buffer,
                start,
                segments,
            });
        }
        // The chunk of a container is the first buffer.
        let has_chunk = storage
            .buffers
            .first()
            .is_some_and(|first| first.bytes.is_some());
        storage.target = if has_chunk { 0 } else { storage.buffers.len() };
        storage
    }

    /// Returns the JSON of a kept view, with its new offset.
    pub(super) fn moved_view(
        &self,
        view: &BufferView,
        json: &str,
    ) -> Result<String, serde_json::Error> {
        let place = |buffer: u32| {
            let place = self.places.get(buffer as usize);
            place.filter(|place| !place.is_same(buffer))
        };
        let of_view = place(view.buffer);
        let packed = view.extensions.packed();
        let of_packed = packed.and_then(|(_, packed)| place(packed.buffer));
        if of_view.is_none() && of_packed.is_none() {
            return Ok(json.to_owned());
        }
        let mut object = RawObject::parse(json)?;
        if let Some(place) = of_view {
            object.set("buffer", place.buffer.to_string());
            object.set("byteOffset", place.moved(view.byte_offset).to_string());
        }
        if let (Some(place), Some((name, packed))) = (of_packed, packed) {
            let mut extensions = RawObject::parse(object.get("extensions").unwrap_or("{}"))?;
            let mut extension = RawObject::parse(extensions.get(name).unwrap_or("{}"))?;
            extension.set("buffer", place.buffer.to_string());
            extension.set("byteOffset", place.moved(packed.byte_offset).to_string());
            extensions.set(name, extension.to_json());
            object.set("extensions", extensions.to_json());
        }
        Ok(object.to_json())
    }

    /// Adds bytes at a multiple of four; returns the buffer and the offset.
    pub(super) fn add(&mut self, bytes: &[u8]) -> (usize, u64) {
        if self.target >= self.buffers.len() {
            self.buffers.push(StoredBuffer::empty());
        }
        let target = self.buffers.get_mut(self.target);
        let target = target.and_then(|stored| stored.bytes.as_mut());
        let offset = target.map_or(0, |target| append(target, bytes));
        (self.target, offset)
    }

    /// Returns the JSON of all buffers, and the bytes of the binary chunk.
    pub(super) fn finish(
        self,
        container: Container,
    ) -> Result<(Vec<String>, Vec<u8>), GltfWriteError> {
        let mut written = Vec::new();
        let mut chunk = Vec::new();
        for (index, stored) in self.buffers.into_iter().enumerate() {
            let Some(bytes) = stored.bytes else {
                written.push(stored.json);
                continue;
            };
            let mut object = RawObject::parse(&stored.json).map_err(source_error)?;
            // A buffer has at least one byte.
            let bytes = if bytes.is_empty() { vec![0; 4] } else { bytes };
            object.set("byteLength", bytes.len().to_string());
            if index == 0 && container == Container::Glb {
                object.remove("uri");
                chunk = bytes;
            } else {
                let uri = serde_json::to_string(&base64_uri(&bytes)).map_err(source_error)?;
                object.set("uri", uri);
            }
            written.push(object.to_json());
        }
        Ok((written, chunk))
    }
}

/// Appends bytes at a multiple of four; returns their offset.
fn append(buffer: &mut Vec<u8>, bytes: &[u8]) -> u64 {
    buffer.resize(buffer.len().next_multiple_of(4), 0);
    let offset = buffer.len() as u64;
    buffer.extend_from_slice(bytes);
    offset
}

/// Returns whether a buffer has no properties besides its length, URI and name.
fn is_plain(json: &str) -> bool {
    let plain = ["uri", "byteLength", "name"];
    RawObject::parse(json).is_ok_and(|object| object.entries().all(|(key, _)| plain.contains(&key)))
}

impl BufferView {
    /// Iterates over the ranges of a buffer that it refers to.
    fn ranges(&self, buffer: usize) -> impl Iterator<Item = (u64, u64)> {
        let range = |used: u32, offset: u64, length: u64| {
            (used as usize == buffer).then(|| (offset, offset.saturating_add(length)))
        };
        let packed = self.extensions.packed();
        let packed = packed
            .and_then(|(_, packed)| range(packed.buffer, packed.byte_offset, packed.byte_length));
        range(self.buffer, self.byte_offset, self.byte_length)
            .into_iter()
            .chain(packed)
    }

    fn uses(&self, buffer: usize) -> bool {
        self.ranges(buffer).next().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_ranges_stay_aligned_and_shared() {
        let segments = Segments::of(vec![(40, 50), (6, 9), (8, 14), (44, 64)], 62);
        let bytes: Vec<u8> = (0..62).collect();
        let cut = segments.cut(&bytes);
        for (from, to) in [(6, 9), (8, 14), (40, 50), (44, 62)] {
            let start = segments.moved(from) as usize;
            let length = (to - from) as usize;
            assert_eq!(
                cut[start..start + length],
                bytes[from as usize..to as usize]
            );
            assert_eq!(start as u64 % 4, from % 4);
        }
        assert_eq!(cut.len(), 12 + 22);
        assert!(Segments::of(Vec::new(), 9).cut(&bytes).is_empty());
    }
}
