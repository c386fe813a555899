//! Meshes for parts that bend: strips of rows across a chain of bones.
//!
//! A part drawn straight → rows of vertices → binds to the chain, by path or by weight. In both ways
//! of SkelForm a bound vertex is kept relative to the bones that pull it, so the strip bends with the
//! chain from whatever pose that starts in.

use crate::art::Part;
use sinew::glam::Vec2;
use sinew::skelform::{BindData, MeshData, VertexData};

/// Which way the chain runs in the drawing.
#[derive(Clone, Copy, Debug)]
pub(super) enum Axis {
    /// From the joint to the right.
    Right,
    /// From the joint upward.
    Up,
    /// From the joint downward.
    Down,
}

/// How far a knee or an elbow reaches to either side, as a share of the limb's bones.
const JOINT: f32 = 0.3;

/// How a strip is cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strip<'a> {
    /// Which way the chain runs in the drawing.
    pub(super) axis: Axis,
    /// The bones of the chain.
    pub(super) chain: &'a [usize],
    /// Distance from one bone to the next.
    pub(super) spacing: f32,
    /// Rows between two bones.
    pub(super) rows: usize,
    /// Vertices in a row, at least two.
    pub(super) columns: usize,
}

/// A vertex: how far along the chain, how far to its left, and its place in the texture.
struct Station {
    along: f32,
    aside: f32,
    uv: Vec2,
}

impl Strip<'_> {
    /// A mesh whose vertices follow the line through the chain. Its rows lie on the bones, where the
    /// line turns.
    pub(super) fn path(&self, part: &Part) -> MeshData {
        let mut binds = self.binds(true);
        let mut vertices = Vec::new();
        for (station, index) in self.stations(part, 0.0).zip(0..) {
            let nearest = self.path_bone(station.along);
            // A path turns its vertices so that x is the line's left and y points back along it.
            let back = nearest * self.spacing - station.along;
            vertices.push(VertexData {
                position: Vec2::new(station.aside, back),
                uv: station.uv,
            });
            if let Some(bind) = binds.get_mut(nearest as usize) {
                bind.vertices.push((index, 1.0));
            }
        }
        MeshData {
            indices: self.triangles(vertices.len()),
            vertices,
            binds,
        }
    }

    /// A mesh whose vertices are shared between the bone before and the bone after. Its rows lie beside
    /// the bones, which rounds the corners there.
    ///
    /// A weighted vertex is carried to the same place relative to each bone that pulls it, so it is
    /// kept relative to the point between them that the weights make.
    pub(super) fn weighted(&self, part: &Part) -> MeshData {
        let last = self.chain.len().saturating_sub(1);
        let mut binds = self.binds(false);
        let mut vertices = Vec::new();
        for (station, index) in self.stations(part, 0.5).zip(0..) {
            let spacings = (station.along / self.spacing).clamp(0.0, last as f32);
            let before = libm::floorf(spacings);
            let after = spacings - before;
            let ahead = station.along - spacings * self.spacing;
            vertices.push(VertexData {
                position: Vec2::new(ahead, station.aside),
                uv: station.uv,
            });
            // Binds are applied in order, each pulling the vertex from where the last one left it.
            for (bone, weight) in [(before as usize, 1.0), (before as usize + 1, after)] {
                if let Some(bind) = binds.get_mut(bone)
                    && weight > 0.0
                {
                    bind.vertices.push((index, weight));
                }
            }
        }
        MeshData {
            indices: self.triangles(vertices.len()),
            vertices,
            binds,
        }
    }

    /// The bone that a place along the path belongs to: the nearest, except that a limb of three keeps
    /// its two halves stiff and gives the middle bone no more than the joint.
    fn path_bone(&self, along: f32) -> f32 {
        let spacings = along / self.spacing;
        match self.chain.len() {
            3 if spacings < 1.0 - JOINT => 0.0,
            3 if spacings > 1.0 + JOINT => 2.0,
            count => libm::roundf(spacings).clamp(0.0, count.saturating_sub(1) as f32),
        }
    }

    fn binds(&self, is_path: bool) -> Vec<BindData> {
        let bind = |&bone| BindData {
            bone: Some(bone),
            is_path,
            vertices: Vec::new(),
        };
        self.chain.iter().map(bind).collect()
    }

    /// Where rows lie: at both ends of the texture, and evenly in between from `offset` steps past
    /// the first bone.
    fn row_positions(&self, part: &Part, offset: f32) -> Vec<f32> {
        let (start, end) = match self.axis {
            Axis::Right => (
                part.left as f32,
                part.left as f32 + part.image.width() as f32,
            ),
            Axis::Down => (
                part.top as f32,
                part.top as f32 + part.image.height() as f32,
            ),
            Axis::Up => (
                -part.top as f32 - part.image.height() as f32,
                -part.top as f32,
            ),
        };
        let step = self.spacing / self.rows.max(1) as f32;
        let near_end = step / 4.0;
        let inner = (0..)
            .map(|i| (i as f32 + offset) * step)
            .skip_while(|&along| along < start + near_end)
            .take_while(|&along| along < end - near_end);
        core::iter::once(start)
            .chain(inner)
            .chain(core::iter::once(end))
            .collect()
    }

    fn stations(&self, part: &Part, offset: f32) -> impl Iterator<Item = Station> {
        let size = Vec2::new(part.image.width() as f32, part.image.height() as f32);
        let corner = Vec2::new(part.left as f32, part.top as f32);
        let (axis, columns) = (self.axis, self.columns.max(2));
        self.row_positions(part, offset)
            .into_iter()
            .flat_map(move |along| {
                (0..columns).map(move |column| {
                    let share = column as f32 / (columns - 1) as f32;
                    let (drawn, aside) = match axis {
                        Axis::Right => {
                            let y = corner.y + size.y * share;
                            (Vec2::new(along, y), -y)
                        }
                        Axis::Down => {
                            let x = corner.x + size.x * (1.0 - share);
                            (Vec2::new(x, along), x)
                        }
                        Axis::Up => {
                            let x = corner.x + size.x * share;
                            (Vec2::new(x, -along), -x)
                        }
                    };
                    Station {
                        along,
                        aside,
                        uv: (drawn - corner) / size,
                    }
                })
            })
    }

    fn triangles(&self, vertices: usize) -> Vec<u32> {
        let columns = self.columns.max(2) as u32;
        let rows = vertices as u32 / columns;
        let mut indices = Vec::new();
        for row in 1..rows {
            for column in 1..columns {
                let here = row * columns + column;
                let (beside, below, across) = (here - 1, here - columns, here - columns - 1);
                indices.extend([across, below, here, across, here, beside]);
            }
        }
        indices
    }
}
