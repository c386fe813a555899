//! Draws a stage: ground, prints, shadows, figures, trails, in this order.
//!
//! The picture is drawn in independent bands of rows, which bounds the memory used beside the image.

use super::body::{Body, SolidKind};
use super::camera::Camera;
use super::canvas::{Canvas, opaque};
use super::cone::Cone;
use super::ground::{Ground, Rays};
use super::lens::Lens;
use super::paint::{Air, PaintedCone, Sheet, Tones};
use super::print::Print;
use super::scene::Stage;
use super::shadow::{self, Shadow, Sun};
use super::style::StageStyle;
use super::trail::TrailPath;
use sinew::glam::Vec3;
use sinew::skeleton::Side;
use sinew::skelform::Image;

/// Rows per band: at a width of 500 pixels they fit in a core's second-level cache.
const BAND_ROWS: usize = 16;

/// The smallest opacity of solid figures.
const SOLID: f32 = 0.999;

/// The largest width of an outline, relative to the radius: slim fingers are not all outline.
const THICKEST_OUTLINE: f32 = 0.2;

/// The share by which joints are lighter than bones.
const JOINT_LIFT: f32 = 0.30;

/// Start of the fade before the target, and its length; relative to the visible extent.
const FADE_START: f32 = 0.12;
const FADE_LENGTH: f32 = 0.50;

/// Draws a stage.
///
/// The same input gives the same bytes on every machine. It runs on the calling thread; draw several pictures on
/// several threads. Values that are not finite or too far away are ignored.
pub fn draw_stage(
    stage: &Stage,
    camera: &Camera,
    width: u32,
    height: u32,
    style: &StageStyle,
) -> Image {
    let mut image = Image::new(width, height);
    let columns = width as usize;
    if columns == 0 || height == 0 {
        return image;
    }
    let style = style.sane();
    let view = Lens::new(camera, width, height)
        .map(|lens| StageView::new(stage, camera, lens, (columns, height as usize), &style));
    let mut band = BandBuffers::new(columns, BAND_ROWS.min(height as usize));
    let band_bytes = columns * 4 * BAND_ROWS;
    for (i, bytes) in image.pixels_mut().chunks_mut(band_bytes).enumerate() {
        let rows = bytes.len() / (columns * 4);
        band.canvas.clear(i * BAND_ROWS, rows, style.background);
        if let Some(view) = &view {
            view.draw(&mut band, &style);
        }
        band.canvas.write(bytes);
    }
    image
}

/// A stage projected through a camera.
struct StageView {
    lens: Lens,
    ground: Option<Ground>,
    prints: Vec<Print>,
    shadows: Vec<Shadow>,
    /// Translucent figures, far to near, then all solid ones as one layer.
    layers: Vec<FigureLayer>,
    trails: Vec<TrailPath>,
    air: Air,
}

/// Bones that occlude each other, blended as a whole.
struct FigureLayer {
    pieces: Vec<PaintedCone>,
    opacity: f32,
    is_solid: bool,
}

/// Buffers of a band.
struct BandBuffers {
    canvas: Canvas,
    sheet: Sheet,
    rays: Rays,
    scratch: Vec<f32>,
}

impl BandBuffers {
    fn new(width: usize, rows: usize) -> Self {
        Self {
            canvas: Canvas::new(width, rows),
            sheet: Sheet::new(width, rows),
            rays: Rays::default(),
            scratch: Vec::new(),
        }
    }
}

impl StageView {
    fn new(
        stage: &Stage,
        camera: &Camera,
        lens: Lens,
        picture: (usize, usize),
        style: &StageStyle,
    ) -> Self {
        let toward = shadow::toward_light(style.light, &lens);
        let in_view = lens.turn(toward);
        let air = Air {
            light: Vec3::new(in_view.x, in_view.y, -in_view.z),
            color: opaque(style.distance),
            fade: style.fade,
            start: lens.distance - lens.extent * FADE_START,
            per_length: 1.0 / (lens.extent * FADE_LENGTH),
        };
        let bodies = bodies(stage, style);
        let height = stage.ground.filter(|h| h.is_finite());
        let shadows = height.filter(|_| style.shadow[3] > 0).map(|height| {
            let sun = Sun::new(toward, height);
            let cast = bodies.iter().flat_map(|(body, opacity)| {
                let figure = (body.size, *opacity);
                let solids = body.solids.iter();
                solids
                    .filter_map(|s| sun.shadow(s, figure, &lens, picture))
                    .collect::<Vec<_>>()
            });
            cast.collect()
        });
        let prints = stage.footprints.iter();
        let trails = stage.trails.iter().filter(|_| style.trail > 0.0);
        Self {
            ground: height.map(|height| Ground::new(&lens, camera.target, height)),
            prints: prints
                .filter_map(|p| Print::new(p, &lens, style, picture))
                .collect(),
            shadows: shadow::darkest_first(shadows.unwrap_or_default()),
            layers: layers(&bodies, &lens, style),
            trails: trails.map(|t| TrailPath::new(t, &lens, style)).collect(),
            air,
            lens,
        }
    }

    fn draw(&self, band: &mut BandBuffers, style: &StageStyle) {
        let canvas = &mut band.canvas;
        if let Some(ground) = &self.ground {
            ground.trace(&self.lens, canvas, &mut band.rays);
            ground.draw(&self.lens, canvas, &band.rays, style);
        }
        for print in &self.prints {
            print.draw(&self.lens, canvas);
        }
        if !self.shadows.is_empty() {
            shadow::draw(&self.shadows, canvas, &band.rays, style, &mut band.scratch);
        }
        for layer in &self.layers {
            for piece in &layer.pieces {
                band.sheet.paint(piece, &self.air, canvas.first);
            }
            band.sheet.composite(canvas, layer.opacity, layer.is_solid);
        }
        for trail in &self.trails {
            trail.draw(canvas, &mut band.scratch);
        }
    }
}

/// Returns bodies with their opacities, without invisible ones.
fn bodies(stage: &Stage, style: &StageStyle) -> Vec<(Body, f32)> {
    let seen = stage.figures.iter().filter(|f| f.opacity > 0.0);
    let bodies = seen.map(|figure| {
        let mut body = Body::of(figure);
        for solid in &mut body.solids {
            solid.from_radius *= style.thickness;
            solid.to_radius *= style.thickness;
        }
        (body, figure.opacity.min(1.0))
    });
    bodies.filter(|(body, _)| !body.solids.is_empty()).collect()
}

fn layers(bodies: &[(Body, f32)], lens: &Lens, style: &StageStyle) -> Vec<FigureLayer> {
    let tones = |kind: SolidKind| {
        let lift = if kind == SolidKind::Joint {
            JOINT_LIFT
        } else {
            0.0
        };
        [Side::Left, Side::Middle, Side::Right].map(|side| Tones::new(style.color(side), lift))
    };
    let (bone_tones, joint_tones) = (tones(SolidKind::Bone), tones(SolidKind::Joint));
    let pieces = |body: &Body| {
        let pieces = body.solids.iter().filter_map(|solid| {
            let tones = match solid.kind {
                SolidKind::Bone => &bone_tones,
                SolidKind::Joint => &joint_tones,
            };
            let cone = Cone::new(solid, lens)?;
            Some(PaintedCone {
                cone,
                outline: style.outline.min(cone.radius() * THICKEST_OUTLINE),
                tones: tones[solid.side as usize],
                depth: lens.view((solid.from + solid.to) * 0.5).z,
            })
        });
        pieces.collect::<Vec<_>>()
    };
    let (solid, faint): (Vec<_>, Vec<_>) = bodies.iter().partition(|(_, o)| *o >= SOLID);
    let mut faint: Vec<(i64, FigureLayer)> = faint
        .into_iter()
        .map(|(body, opacity)| {
            let layer = FigureLayer {
                pieces: near_first(pieces(body)),
                opacity: *opacity,
                is_solid: false,
            };
            (rank(body, lens), layer)
        })
        .collect();
    // A stable sort: figures at equal distance keep their order in time.
    faint.sort_by_key(|&(rank, _)| std::cmp::Reverse(rank));
    let solid = FigureLayer {
        pieces: near_first(
            solid
                .into_iter()
                .flat_map(|(body, _)| pieces(body))
                .collect(),
        ),
        opacity: 1.0,
        is_solid: true,
    };
    faint
        .into_iter()
        .map(|(_, layer)| layer)
        .chain([solid])
        .collect()
}

/// Sorts near pieces first, so that hidden pixels need not be lit.
fn near_first(mut pieces: Vec<PaintedCone>) -> Vec<PaintedCone> {
    pieces.sort_by(|a, b| a.depth.total_cmp(&b.depth));
    pieces
}

/// Returns the distance of a body in steps of its own size: small differences do not reorder figures.
fn rank(body: &Body, lens: &Lens) -> i64 {
    let depths = body.solids.iter().map(|s| lens.view(s.from).z);
    let mean = depths.sum::<f32>() / body.solids.len().max(1) as f32;
    libm::roundf(mean / body.size.max(1e-6)) as i64
}
