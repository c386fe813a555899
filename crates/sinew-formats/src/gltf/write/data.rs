//! The bytes of a written file: views of one buffer, each with one use, and their accessors.

use super::json::{AccessorJson, BufferViewJson};

/// Targets of views, for those that need one.
pub(in crate::gltf) const VERTICES: u32 = 34_962;
pub(in crate::gltf) const INDICES: u32 = 34_963;

pub(in crate::gltf) const U8: u32 = 5121;
pub(in crate::gltf) const U16: u32 = 5123;
pub(in crate::gltf) const U32: u32 = 5125;
pub(in crate::gltf) const F32: u32 = 5126;

struct View {
    bytes: Vec<u8>,
    stride: Option<u32>,
    target: Option<u32>,
}

/// Builder of views and accessors.
#[derive(Default)]
pub(in crate::gltf) struct Data {
    views: Vec<View>,
    accessors: Vec<AccessorJson>,
}

/// The accessors and views of a document, and the buffer that they describe.
pub(in crate::gltf) struct BufferData {
    pub(in crate::gltf) accessors: Vec<AccessorJson>,
    pub(in crate::gltf) views: Vec<BufferViewJson>,
    pub(in crate::gltf) buffer: Vec<u8>,
}

impl Data {
    /// Adds an empty view.
    pub(in crate::gltf) fn view(&mut self, stride: Option<u32>, target: Option<u32>) -> u32 {
        self.views.push(View {
            bytes: Vec::new(),
            stride,
            target,
        });
        (self.views.len() - 1) as u32
    }

    /// Appends the elements of an accessor to its view.
    pub(in crate::gltf) fn accessor(
        &mut self,
        view: u32,
        component_type: u32,
        kind: &'static str,
        count: usize,
        bytes: &[u8],
    ) -> u32 {
        let mut byte_offset = 0;
        if let Some(view) = self.views.get_mut(view as usize) {
            byte_offset = view.bytes.len() as u64;
            view.bytes.extend_from_slice(bytes);
        }
        self.accessors.push(AccessorJson {
            buffer_view: view,
            byte_offset,
            component_type,
            normalized: false,
            count: count as u64,
            kind,
            min: Vec::new(),
            max: Vec::new(),
            extras: None,
        });
        (self.accessors.len() - 1) as u32
    }

    /// Returns the last accessor, to add properties.
    pub(in crate::gltf) fn last(&mut self) -> Option<&mut AccessorJson> {
        self.accessors.last_mut()
    }

    /// Concatenates the views, each aligned to four bytes.
    pub(in crate::gltf) fn collect(self) -> BufferData {
        let mut buffer: Vec<u8> = Vec::new();
        let mut views = Vec::new();
        for view in self.views {
            buffer.resize(buffer.len().next_multiple_of(4), 0);
            views.push(BufferViewJson {
                buffer: 0,
                byte_offset: buffer.len() as u64,
                byte_length: view.bytes.len() as u64,
                byte_stride: view.stride,
                target: view.target,
            });
            buffer.extend_from_slice(&view.bytes);
        }
        BufferData {
            accessors: self.accessors,
            views,
            buffer,
        }
    }
}

/// Returns the bytes of numbers.
pub(in crate::gltf) fn bytes_of(numbers: impl IntoIterator<Item = f32>) -> Vec<u8> {
    numbers.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// Returns the component-wise minimum and maximum.
pub(in crate::gltf) fn bounds<const N: usize>(elements: &[[f32; N]]) -> (Vec<f64>, Vec<f64>) {
    let fold = |pick: fn(f32, f32) -> f32| {
        let column = |index: usize| {
            let mut numbers = elements.iter().map(|element| element[index]);
            let first = numbers.next().unwrap_or(0.0);
            f64::from(numbers.fold(first, pick))
        };
        (0..N).map(column).collect()
    };
    (fold(f32::min), fold(f32::max))
}
