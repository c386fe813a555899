//! Accessors: typed views of buffer bytes. Every count, offset and stride is checked against the available bytes
//! before anything is read.

use super::buffers::Buffers;
use super::document::{Accessor, BufferView, Document, PackedView, Sparse};
use super::error::{check_size, entry, invalid};
use super::{GltfError, meshopt};
use crate::limits::{MAX_FILE_BYTES, MAX_HELD_VALUES, MAX_MOTION_VALUES};
use crate::{Warnings, escape};
use std::collections::HashMap;

/// Expected element type of an accessor.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// Type name in the file.
    pub(super) kind: &'static str,
    /// Number of components of an element.
    pub(super) width: usize,
    /// Whether normalized integers are allowed.
    pub(super) fractions: bool,
}

impl Shape {
    pub(super) const TIME: Self = Self::of("SCALAR", 1, false);
    pub(super) const VECTOR: Self = Self::of("VEC3", 3, false);
    pub(super) const ROTATION: Self = Self::of("VEC4", 4, true);
    pub(super) const WEIGHT: Self = Self::of("SCALAR", 1, true);

    const fn of(kind: &'static str, width: usize, fractions: bool) -> Self {
        Self {
            kind,
            width,
            fractions,
        }
    }
}

/// Component type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(code: u32) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// Decodes a number; integers are normalized.
    fn number(self, bytes: &[u8]) -> f32 {
        match (self, bytes) {
            (Self::I8, &[a]) => (f32::from(i8::from_le_bytes([a])) / 127.0).max(-1.0),
            (Self::U8, &[a]) => f32::from(a) / 255.0,
            (Self::I16, &[a, b]) => (f32::from(i16::from_le_bytes([a, b])) / 32767.0).max(-1.0),
            (Self::U16, &[a, b]) => f32::from(u16::from_le_bytes([a, b])) / 65535.0,
            (Self::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]),
            _ => 0.0,
        }
    }

    /// Decodes an integer.
    fn index(self, bytes: &[u8]) -> u32 {
        match (self, bytes) {
            (Self::U8, &[a]) => u32::from(a),
            (Self::U16, &[a, b]) => u32::from(u16::from_le_bytes([a, b])),
            (Self::U32, &[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
            _ => u32::MAX,
        }
    }
}

/// Describes a component type code.
fn component_name(code: u32) -> String {
    match code {
        5120 => "BYTE",
        5121 => "UNSIGNED_BYTE",
        5122 => "SHORT",
        5123 => "UNSIGNED_SHORT",
        5125 => "UNSIGNED_INT",
        5126 => "FLOAT",
        _ => return format!("component type {code}"),
    }
    .to_owned()
}

/// Reads accessors of one document within a budget.
pub(super) struct AccessorReader<'a> {
    pub(super) document: &'a Document<'a>,
    buffers: Buffers<'a>,
    /// Bytes of decompressed views.
    unpacked: HashMap<u32, Vec<u8>>,
    /// Number of components read so far.
    read: u64,
}

impl<'a> AccessorReader<'a> {
    pub(super) fn new(document: &'a Document<'a>, buffers: Buffers<'a>) -> Self {
        Self {
            document,
            buffers,
            unpacked: HashMap::new(),
            read: 0,
        }
    }

    /// Reads the numbers of the accessor that `path` refers to, element by element.
    pub(super) fn numbers(
        &mut self,
        path: impl std::fmt::Display,
        index: u32,
        shape: Shape,
        warnings: &mut Warnings,
    ) -> Result<Vec<f32>, GltfError> {
        let accessor = entry(path, "accessor", &self.document.accessors, index)?;
        let accessor_path = format!("accessors[{index}]");
        let component = check_kind(&accessor_path, accessor, shape)?;
        let count = accessor.count;
        if count == 0 {
            return Err(invalid(
                format!("{accessor_path}.count"),
                "at least 1",
                count,
            ));
        }
        if accessor.buffer_view.is_some() {
            self.fetch(&format!("{accessor_path}.bufferView"), accessor.buffer_view)?;
        }
        if let Some(sparse) = &accessor.sparse {
            let view = Some(sparse.values.buffer_view);
            self.fetch(&format!("{accessor_path}.sparse.values.bufferView"), view)?;
            let view = Some(sparse.indices.buffer_view);
            self.fetch(&format!("{accessor_path}.sparse.indices.bufferView"), view)?;
        }
        self.charge(&accessor_path, count.saturating_mul(shape.width as u64))?;
        let (count, size) = (count as usize, shape.width * component.size());
        let mut numbers = Vec::new();
        match accessor.buffer_view {
            None => numbers.resize(count * shape.width, 0.0),
            Some(view) => {
                let bytes = self.view(&format!("{accessor_path}.bufferView"), view)?;
                let stride = self.stride(&accessor_path, view, size, warnings)?;
                let elements = elements(
                    &accessor_path,
                    bytes,
                    accessor.byte_offset,
                    stride,
                    size,
                    count,
                )?;
                for element in elements.chunks(stride) {
                    let parts = element.chunks(component.size()).take(shape.width);
                    numbers.extend(parts.map(|bytes| component.number(bytes)));
                }
            }
        }
        if let Some(sparse) = &accessor.sparse {
            let (indices, values) = self.replaced(&accessor_path, sparse, component, shape)?;
            for (&element, values) in indices.iter().zip(values.chunks(shape.width)) {
                let start = (element as usize).saturating_mul(shape.width);
                let place = numbers.get_mut(start..start.saturating_add(shape.width));
                let place = place.ok_or_else(|| {
                    let path = format!("{accessor_path}.sparse.indices");
                    invalid(path, format!("indices below {count}"), element)
                })?;
                place.copy_from_slice(values);
            }
        }
        Ok(numbers)
    }

    /// Charges the budget before memory is allocated: the file has bytes for the numbers, or they are few.
    fn charge(&mut self, accessor_path: &str, numbers: u64) -> Result<(), GltfError> {
        let limit = (MAX_HELD_VALUES as u64 + self.buffers.total()).min(MAX_MOTION_VALUES as u64);
        self.read = self.read.saturating_add(numbers);
        check_size(
            format_args!("{accessor_path}: the count of numbers"),
            self.read,
            limit,
        )
    }

    /// Reads the indices, strictly increasing, and the values of a sparse accessor.
    fn replaced(
        &mut self,
        accessor_path: &str,
        sparse: &Sparse,
        component: Component,
        shape: Shape,
    ) -> Result<(Vec<u32>, Vec<f32>), GltfError> {
        let accessor_path = format!("{accessor_path}.sparse");
        let code = sparse.indices.component_type;
        let whole = Component::of(code)
            .filter(|c| matches!(c, Component::U8 | Component::U16 | Component::U32));
        let whole = whole.ok_or_else(|| {
            let path = format!("{accessor_path}.indices.componentType");
            let expected = "UNSIGNED_BYTE, UNSIGNED_SHORT or UNSIGNED_INT";
            invalid(path, expected, component_name(code))
        })?;
        let width = shape.width as u64 + 1;
        self.charge(&accessor_path, sparse.count.saturating_mul(width))?;
        let count = sparse.count as usize;
        let size = shape.width * component.size();
        let indices = &sparse.indices;
        let place = format!("{accessor_path}.indices");
        let bytes = self.view(&format!("{place}.bufferView"), indices.buffer_view)?;
        let index_bytes = elements(
            &place,
            bytes,
            indices.byte_offset,
            whole.size(),
            whole.size(),
            count,
        )?;
        let place = format!("{accessor_path}.values");
        let bytes = self.view(&format!("{place}.bufferView"), sparse.values.buffer_view)?;
        let value_bytes = elements(&place, bytes, sparse.values.byte_offset, size, size, count)?;
        let indices = index_bytes
            .chunks(whole.size())
            .map(|bytes| whole.index(bytes));
        let indices: Vec<u32> = indices.collect();
        let falls = indices
            .windows(2)
            .find(|pair| matches!(pair, [a, b] if a >= b));
        if let Some([a, b]) = falls {
            let found = format!("{b} after {a}");
            return Err(invalid(
                format!("{accessor_path}.indices"),
                "indices that rise",
                found,
            ));
        }
        let values = value_bytes.chunks(component.size());
        Ok((
            indices,
            values.map(|bytes| component.number(bytes)).collect(),
        ))
    }

    fn view_entry(&self, path: &str, view: u32) -> Result<&'a BufferView, GltfError> {
        entry(path, "view", &self.document.buffer_views, view)
    }

    fn fetch(&mut self, path: &str, view: Option<u32>) -> Result<(), GltfError> {
        let Some(index) = view else {
            return Ok(());
        };
        let view = self.view_entry(path, index)?;
        let path = format!("bufferViews[{index}]");
        let Some((extension, packed)) = view.extensions.packed() else {
            return self.buffers.fetch(format!("{path}.buffer"), view.buffer);
        };
        if self.unpacked.contains_key(&index) {
            return Ok(());
        }
        match self.unpack(&path, packed) {
            Ok(bytes) => {
                self.unpacked.insert(index, bytes);
                Ok(())
            }
            Err(problem) => {
                // The fallback buffer for readers without decompression may be present.
                let fallback = self.buffers.fetch(format!("{path}.buffer"), view.buffer);
                fallback.map_err(|_| GltfError::Compressed {
                    path,
                    extension: extension.to_owned(),
                    problem,
                })
            }
        }
    }

    fn unpack(&mut self, path: &str, packed: &PackedView) -> Result<Vec<u8>, String> {
        let mut total: u64 = self.unpacked.values().map(|bytes| bytes.len() as u64).sum();
        total = total.saturating_add(meshopt::unpacked_len(packed).unwrap_or(u64::MAX));
        let what = format!("{path}: the count of unpacked bytes");
        check_size(what, total, MAX_FILE_BYTES).map_err(|error| error.to_string())?;
        let buffer = self.buffers.fetch(format!("{path}.buffer"), packed.buffer);
        buffer.map_err(|error| error.to_string())?;
        let buffer = self.buffers.bytes(packed.buffer);
        let bytes = range(buffer, packed.byte_offset, packed.byte_length);
        let bytes = bytes.ok_or_else(|| {
            let (offset, length) = (packed.byte_offset, packed.byte_length);
            let there = buffer.len();
            format!("expected a part of {there} bytes, found {length} bytes from byte {offset}")
        })?;
        meshopt::unpack(packed, bytes).map_err(|problem| problem.to_string())
    }

    /// Returns the bytes of a view whose buffer was fetched.
    fn view(&self, path: &str, index: u32) -> Result<&[u8], GltfError> {
        if let Some(bytes) = self.unpacked.get(&index) {
            return Ok(bytes);
        }
        let view = self.view_entry(path, index)?;
        let buffer = self.buffers.bytes(view.buffer);
        range(buffer, view.byte_offset, view.byte_length).ok_or_else(|| {
            let (offset, length) = (view.byte_offset, view.byte_length);
            invalid(
                format!("bufferViews[{index}]"),
                format!(
                    "a part of the {} bytes of buffer {}",
                    buffer.len(),
                    view.buffer
                ),
                format!("{length} bytes from byte {offset}"),
            )
        })
    }

    /// Returns the number of bytes from one element to the next.
    fn stride(
        &self,
        accessor_path: &str,
        index: u32,
        size: usize,
        warnings: &mut Warnings,
    ) -> Result<usize, GltfError> {
        let view = self.view_entry(accessor_path, index)?;
        let Some(stride) = view.byte_stride else {
            return Ok(size);
        };
        let path = format!("bufferViews[{index}]");
        let usable = usize::try_from(stride)
            .ok()
            .filter(|&stride| (size..=252).contains(&stride));
        let usable = usable.ok_or_else(|| {
            let expected = format!("a stride from {size} to 252, for {accessor_path}");
            invalid(format!("{path}.byteStride"), expected, stride)
        })?;
        let problem = "keys of animations have none; read with it";
        warnings.add(path, "byteStride", problem);
        Ok(usable)
    }
}

fn check_kind(
    accessor_path: &str,
    accessor: &Accessor<'_>,
    shape: Shape,
) -> Result<Component, GltfError> {
    let component = Component::of(accessor.component_type);
    let component = component.filter(|&component| match component {
        Component::F32 => true,
        Component::U32 => false,
        _ => shape.fractions && accessor.normalized,
    });
    if let Some(component) = component
        && &*accessor.kind == shape.kind
    {
        return Ok(component);
    }
    let fractions = if shape.fractions {
        " or normalized bytes or shorts"
    } else {
        ""
    };
    Err(invalid(
        accessor_path,
        format!("{} of FLOAT{fractions}", shape.kind),
        format!(
            "{} of {}{}",
            escape::name(&accessor.kind),
            component_name(accessor.component_type),
            if accessor.normalized {
                ", normalized"
            } else {
                ""
            }
        ),
    ))
}

fn range(bytes: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = usize::try_from(offset.checked_add(length)?).ok()?;
    bytes.get(start..end)
}

/// Returns the bytes of `count` elements, the last one without padding.
fn elements<'b>(
    accessor_path: &str,
    bytes: &'b [u8],
    offset: u64,
    stride: usize,
    size: usize,
    count: usize,
) -> Result<&'b [u8], GltfError> {
    let gaps = (count as u64)
        .saturating_sub(1)
        .saturating_mul(stride as u64);
    let length = if count == 0 {
        0
    } else {
        gaps.saturating_add(size as u64)
    };
    range(bytes, offset, length).ok_or_else(|| {
        invalid(
            accessor_path,
            format!("elements inside the {} bytes of its view", bytes.len()),
            format!("{count} elements of {size} bytes, each {stride} bytes after the other, from byte {offset}"),
        )
    })
}
