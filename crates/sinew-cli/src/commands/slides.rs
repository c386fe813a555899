//! How far feet slide while they should stand, end by end.

use crate::commands::register::end_name;
use sinew::anatomy::{LimbEnd, Plant};
use sinew::skeleton::Side;
use sinew::{Animation, Skeleton};
use sinew_author::footskate::{Slide, measure_slides};

/// An end of a body, and how far it slides in each of several motions.
pub(crate) struct SlideRow {
    pub(crate) name: String,
    pub(crate) slides: Vec<SlideSum>,
}

/// All plants of an end, or of all ends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SlideSum {
    pub(crate) plants: usize,
    /// Seconds that it should stand.
    pub(crate) seconds: f64,
    /// The length of its way over the ground meanwhile, in metres.
    pub(crate) path: f64,
    /// The farthest that it is from the middle of where it stands, in metres.
    pub(crate) deviation: f64,
}

impl SlideSum {
    fn add(&mut self, plant: &Plant, slide: &Slide) {
        self.plants += 1;
        self.seconds += f64::from(plant.span.end - plant.span.start);
        self.path += f64::from(slide.path);
        self.deviation = self.deviation.max(slide.deviation.into());
    }

    /// `21.5 cm, at most 13.9`.
    pub(crate) fn text(&self) -> String {
        if self.plants == 0 {
            return "no contact".to_owned();
        }
        format!(
            "{:.1} cm ({:.1})",
            self.path * 100.0,
            self.deviation * 100.0
        )
    }
}

/// Rows for each end that stands in any of the motions, and for all together as the last. Without any it is empty.
pub(crate) fn slide_rows(skeleton: &Skeleton, motions: &[(&Animation, &[Plant])]) -> Vec<SlideRow> {
    let ends = [LimbEnd::Heel, LimbEnd::Ball, LimbEnd::Hand];
    let keys = [Side::Left, Side::Right, Side::Middle]
        .into_iter()
        .flat_map(|side| ends.map(|end| (side, end)));
    let keys: Vec<(Side, LimbEnd)> = keys.collect();
    let mut rows: Vec<SlideRow> = keys
        .iter()
        .map(|(side, end)| end_name(*end, *side))
        .chain(["total".to_owned()])
        .map(|name| SlideRow {
            name,
            slides: vec![SlideSum::default(); motions.len()],
        })
        .collect();
    for (motion, (animation, plants)) in motions.iter().enumerate() {
        let slides = measure_slides(skeleton, animation, plants);
        for (plant, slide) in plants.iter().zip(&slides) {
            let row = keys.iter().position(|key| *key == (plant.side, plant.end));
            for row in row.into_iter().chain([keys.len()]) {
                if let Some(sum) = rows.get_mut(row).and_then(|row| row.slides.get_mut(motion)) {
                    sum.add(plant, slide);
                }
            }
        }
    }
    rows.retain(|row| row.slides.iter().any(|sum| sum.plants > 0));
    rows
}
