//! Software rendering of 2D characters from draw lists and of 3D motion, plots, and charts of controller weights; as
//! PNG, animated GIF, contact sheets and SVG.
//!
//! No GPU, window or platform code: the same draw list gives the same pixels on every machine and on any number of
//! threads.
//!
//! ```text
//! atlases + styles ─▶ TextureSet ┐
//! DrawList + View ───────────────┴─render─▶ Image ─draw_overlay─▶ Image ─┬─encode_png─▶ PNG
//!                                                                        ├─encode_gif─▶ GIF
//!                                                                        └─contact_sheet─▶ Image
//! Skeleton + ModelPose ─figure_for─▶ Figure ─▶ Stage + Camera ─draw_stage─▶ Image
//! Plot, PlotPage (plots, bars, HeatMap, Lanes), WeightChart ─▶ SVG or Image
//! Comparison (pictures in columns, a table) ─▶ Image
//! ```
//!
//! One bone with a red square, drawn at half its size:
//!
//! ```
//! use sinew::glam::UVec2;
//! use sinew::skelform::{Armature, ArmatureData, AtlasData, BoneData, ConstructSettings, ArmaturePose, DrawList, Image, StyleData, TextureData, VisualData, construct};
//! use sinew_draw::{Background, TextureSet, View, encode_png, render};
//!
//! let size = UVec2::splat(64);
//! let texture = TextureData { name: "square".into(), size, ..TextureData::default() };
//! let armature = Armature::new(ArmatureData {
//!     bones: vec![BoneData { visual: Some(0), ..BoneData::default() }],
//!     visuals: vec![VisualData { texture: "square".into(), ..VisualData::default() }],
//!     styles: vec![StyleData { name: "plain".into(), textures: vec![texture] }],
//!     default_styles: vec![0],
//!     atlases: vec![AtlasData { filename: "atlas.png".into(), size }],
//!     ..ArmatureData::default()
//! })?;
//! let atlas = Image::from_pixels(64, 64, [255, 0, 0, 255].repeat(64 * 64));
//! let textures = TextureSet::new(&armature.data().styles, &[atlas]);
//!
//! let (mut state, mut pose) = (armature.new_state(), ArmaturePose::new(&armature));
//! construct(&armature, &mut state, &ConstructSettings::default(), &mut pose)?;
//! let mut list = DrawList::new();
//! list.fill(&armature, &state, &pose, armature.default_styles());
//!
//! let (min, max) = list.bounds().expect("something is shown");
//! let view = View::fit(min, max, 40, 40, 4.0);
//! let picture = render(&list, &textures, &view, Background::Transparent);
//! assert_eq!(picture.pixel(20, 20), [255, 0, 0, 255]);
//! assert_eq!(picture.pixel(2, 2), [0; 4]);
//! let png = encode_png(&picture)?;
//! # assert_eq!(&png[1..4], b"PNG");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A figure of three bones on a stage, and a plot of one joint:
//!
//! ```
//! use sinew::glam::Vec3;
//! use sinew::skeleton::Side;
//! use sinew_draw::{
//!     Camera, Figure, FigureBone, Plot, Series, Stage, StageStyle, ViewAngle, draw_stage,
//! };
//!
//! let (hip, knee, ankle) = (Vec3::new(0.0, 0.9, 0.0), Vec3::new(0.0, 0.5, 0.1), Vec3::Y * 0.1);
//! let leg = vec![
//!     FigureBone::new(hip, knee, Side::Left),
//!     FigureBone::new(knee, ankle, Side::Left),
//!     FigureBone::head(hip, hip + Vec3::Y * 0.3),
//! ];
//! let stage = Stage::of(Figure::new(leg));
//! let direction = ViewAngle::ThreeQuarter.direction(Vec3::Z);
//! let camera = Camera::framing_stage(&stage, direction, 120, 160, 10.0);
//! let picture = draw_stage(&stage, &camera, 120, 160, &StageStyle::default());
//! # assert_eq!(picture.width(), 120);
//!
//! let plot = Plot {
//!     x_label: "time (s)".into(),
//!     y_label: "height (m)".into(),
//!     series: vec![Series::new("left ankle", vec![(0.0, 0.10), (0.5, 0.25), (1.0, 0.10)])],
//!     ..Plot::default()
//! };
//! let (svg, image) = (plot.to_svg(400, 240), plot.to_image(400, 240));
//! # assert!(svg.starts_with("<svg") && image.height() == 240);
//! ```
//!
//! # Conventions
//! The world is y-up; pixels are y-down from the top left corner. A [`Stage`] is in metres and
//! right-handed. Colours are `[r, g, b, a]` bytes with straight alpha. Blending and filtering use the
//! stored (sRGB) values, as the engines for these characters do.
//!
//! # Limits
//! No number in a file causes a panic: values that are not finite or extremely large are ignored. The caller
//! chooses the size of a picture, which takes 4 bytes per pixel. Texture sets and contact sheets are limited to
//! [`MAX_TEXTURE_PIXELS`] and [`MAX_SHEET_PIXELS`]. [`GifWriter`] holds one frame at a time.

mod chart;
mod comparison;
mod gif_out;
mod layer;
mod overlay;
mod palette;
mod plot;
mod png_out;
mod raster;
mod render;
mod sheet;
mod stage;
mod text;
mod texture;
mod view;

pub use chart::{
    ChartAnimation, ChartMark, ChartStep, ChartTrigger, MAX_DIAGRAM_STEPS, WeightChart,
};
pub use comparison::{Comparison, ComparisonColumn, ComparisonRow};
pub use gif_out::{GifError, GifSettings, GifWriter, MAX_GIF_FPS, encode_gif};
pub use overlay::{
    Overlay, OverlayBone, OverlayJoint, OverlayLabel, OverlayParts, OverlaySettings, OverlayTarget,
    draw_overlay, overlay_for,
};
pub use palette::{MAX_COLORS, Palette, PaletteBuilder};
pub use plot::{
    Band, Bar, Bars, HeatLine, HeatMap, Lane, LaneSpan, Lanes, Level, Marker, PageRow, Panel, Plot,
    PlotPage, Scale, Series, Theme,
};
pub use png_out::{PngError, encode_png};
pub use raster::Background;
pub use render::{render, render_on_one_thread};
pub use sheet::{MAX_SHEET_PIXELS, SheetError, SheetSettings, contact_sheet};
pub use stage::{
    BoneShape, Camera, Figure, FigureBone, Footprint, Light, Stage, StageStyle, Trail, ViewAngle,
    draw_stage, fade_by_age, figure_below, figure_for,
};
pub use texture::{MAX_TEXTURE_PIXELS, Texture, TextureSet};
pub use view::View;
