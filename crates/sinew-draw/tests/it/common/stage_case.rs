//! What a case with a stage or a plot says, and how it is drawn.

use super::{walker, weights};
use serde::Deserialize;
use sinew::glam::Vec3;
use sinew::skeleton::Side;
use sinew::skelform::Image;
use sinew_draw::{
    Background, Band, Camera, Figure, HeatLine, HeatMap, Lane, LaneSpan, Lanes, Level, Marker,
    PageRow, Panel, Plot, PlotPage, Series, Stage, StageStyle, Theme, Trail, ViewAngle, draw_stage,
};
use std::fs;
use std::path::Path;

/// Empty pixels about the figures.
const MARGIN: f32 = 10.0;

/// A picture to draw: `NAME.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    show: Content,
    size: (u32, u32),
    /// Straight alpha; alpha 0 is a transparent picture.
    #[serde(default = "white")]
    background: [u8; 4],
    #[serde(default)]
    angle: Angle,
    /// Moments of the motion; several make a stroboscopic picture.
    #[serde(default)]
    seconds: Vec<f32>,
    /// Seconds before the last moment from which on joints leave trails and feet leave prints.
    #[serde(default)]
    traces: Option<f32>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Content {
    Human,
    Fox,
    /// Two humans who walk through each other.
    Crossing,
    Plot,
    /// Two walks' distances, what is laid on what, and which feet stand.
    Heat,
    /// Weights in six steps.
    Diagram,
    /// Weights in many steps, on two layers.
    Bands,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Angle {
    Front,
    Side,
    #[default]
    ThreeQuarter,
    Top,
}

fn white() -> [u8; 4] {
    [255; 4]
}

impl Case {
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
        serde_json::from_str(&text).map_err(|e| e.to_string())
    }

    pub(crate) fn draw(&self) -> Image {
        let (width, height) = self.size;
        match self.show {
            Content::Plot => return plot().to_image(width, height),
            Content::Heat => {
                let theme = match self.background {
                    [_, _, 0..64, _] => Theme::Dark,
                    _ => Theme::Light,
                };
                return heat().to_image_on(theme, width, height);
            }
            Content::Diagram => return weights::chart(6).to_image(width, height),
            Content::Bands => return weights::chart(120).to_image(width, height),
            _ => {}
        }
        let stage = self.stage();
        let angle = match self.angle {
            Angle::Front => ViewAngle::Front,
            Angle::Side => ViewAngle::Side,
            Angle::ThreeQuarter => ViewAngle::ThreeQuarter,
            Angle::Top => ViewAngle::Top,
        };
        let direction = angle.direction(Vec3::Z);
        let camera = Camera::framing_stage(&stage, direction, width, height, MARGIN);
        let background = match self.background {
            [_, _, _, 0] => Background::Transparent,
            color => Background::Solid(color),
        };
        draw_stage(&stage, &camera, width, height, &StageStyle::on(background))
    }

    fn stage(&self) -> Stage {
        let moments = self.seconds.iter().copied();
        let mut stage = match self.show {
            Content::Fox => Stage::stroboscopic(moments.map(walker::fox)),
            Content::Crossing => {
                let turned = walker::human(0.3).into_iter().map(|mut bone| {
                    let turn = |p: Vec3| Vec3::new(p.z - 0.3, p.y, -p.x);
                    (bone.from, bone.to) = (turn(bone.from), turn(bone.to));
                    bone
                });
                let mut stage = Stage::of(Figure::new(turned.collect()));
                stage.figures.push(Figure::new(walker::human(0.0)));
                stage
            }
            _ => Stage::stroboscopic(moments.map(walker::human)),
        };
        if let (Some(before), Some(&last)) = (self.traces, self.seconds.last()) {
            stage.footprints = walker::prints(last - before, last);
            let ankles_and_wrists = [
                (7, Side::Left),
                (13, Side::Left),
                (19, Side::Right),
                (25, Side::Right),
            ];
            stage.trails = ankles_and_wrists
                .map(|(bone, side)| Trail {
                    points: walker::path(bone, last - before, last, 40),
                    side,
                })
                .to_vec();
        }
        stage
    }
}

/// Heights of the ankles of a walk, with a gap, contacts and a marker.
fn plot() -> Plot {
    let height = |bone: usize| {
        let samples = (0..200).map(|i| {
            let seconds = i as f32 * 0.01;
            let height = walker::human(seconds)[bone].to.y;
            (f64::from(seconds), f64::from(height))
        });
        samples.collect::<Vec<_>>()
    };
    let mut right = height(19);
    for sample in &mut right[90..100] {
        sample.1 = f64::NAN;
    }
    let band = |name: &str, spans: &[(f64, f64)]| Band {
        name: name.into(),
        spans: spans.to_vec(),
    };
    Plot {
        title: "Ankles".into(),
        x_label: "time (s)".into(),
        y_label: "height (m)".into(),
        series: vec![Series::new("left", height(7)), Series::new("right", right)],
        bands: vec![
            band("L stands", &[(0.0, 0.33), (0.77, 1.43)]),
            band("R stands", &[(0.22, 0.88), (1.32, 1.98)]),
        ],
        markers: vec![Marker {
            x: 0.9,
            label: "lost".into(),
        }],
        ..Plot::default()
    }
}

/// How far the ankles of a walk are from those of one that goes half as fast again, with a line of moments that
/// belong together, and the times that feet stand.
fn heat() -> PlotPage {
    let height = |seconds: f32| walker::human(seconds)[7].to.y - walker::human(seconds)[19].to.y;
    let mut map = HeatMap {
        title: "how far ankles are apart".into(),
        x_label: "slow (s)".into(),
        y_label: "fast (s)".into(),
        scale_label: "height (m)".into(),
        x_range: (0.0, 1.5),
        y_range: (0.0, 1.0),
        levels: vec![Level {
            y: 0.05,
            label: "near".into(),
        }],
        lines: vec![
            HeatLine {
                name: "even".into(),
                points: vec![(0.0, 0.0), (1.5, 1.0)],
                is_dashed: false,
            },
            HeatLine {
                name: "late".into(),
                points: vec![(0.2, 0.0), (1.2, 0.7), (1.5, 0.8)],
                is_dashed: true,
            },
        ],
        ..HeatMap::default()
    };
    map.fill(40, 60, |row, column| {
        (height(column as f32 * 0.025) - height(row as f32 * 0.0375)).abs()
    });
    let span = |from: f64, to: f64, group: Option<usize>| LaneSpan {
        from,
        to,
        group,
        label: format!("{from}"),
    };
    let lane = |name: &str, spans: Vec<LaneSpan>| Lane {
        name: name.into(),
        spans,
    };
    let lanes = Lanes {
        title: "feet that stand".into(),
        x_label: "position".into(),
        x_range: (0.0, 1.0),
        lanes: vec![
            lane(
                "left, slow",
                vec![span(0.0, 0.4, Some(0)), span(0.8, 1.0, None)],
            ),
            lane("left, fast", vec![span(0.1, 0.35, Some(0))]),
            lane("right, slow", vec![span(0.45, 0.75, Some(1))]),
        ],
    };
    PlotPage {
        title: "Two walks".into(),
        rows: vec![
            PageRow {
                height: 2.0,
                panels: vec![Panel::Heat(map)],
            },
            PageRow {
                height: 1.0,
                panels: vec![Panel::Lanes(lanes)],
            },
        ],
        ..PlotPage::default()
    }
}
